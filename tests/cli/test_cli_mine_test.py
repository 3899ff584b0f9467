"""`dugraph mine --test`: the listed subgraphs that are significant are marked."""

import csv

import numpy as np

import dugraph as dg
from dugraph.cli import main


def test_significant_subgraphs_are_marked(make_cohort, tmp_path, capsys):
    data, folder = make_cohort(), tmp_path / "out"
    asked = ["--n-subgraphs", "12", "--min-expected-frequency", "0.15", "--max-edges", "3"]
    assert main(["mine", data, *asked, "--test", "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    result = dg.significant_subgraphs(*dg.load_cohort(data), min_expected_frequency=0.15, max_edges=3)
    found = dict(zip(result.subgraphs, result.p_values.tolist(), strict=True))
    mined = dg.load_result(folder)
    expected = [found.get(subgraph) for subgraph in mined.result.subgraphs]
    assert None in expected
    assert any(p is not None for p in expected)
    assert mined.p_values == expected
    with open(folder / "results.csv", newline="") as file:
        cells = [row["p_value"] for row in csv.DictReader(file)]
    assert cells == ["" if p is None else repr(p) for p in expected]
    lines = shown.splitlines()
    at = lines[1].split().index("adjusted")
    assert [line.split()[at] for line in lines[3:15]] == ["-" if p is None else f"{p:.3g}" for p in expected]
    assert shown.rstrip().endswith(result.message)
    assert dg.load_result(folder / "test").result.subgraphs == result.subgraphs
    assert "test = true" in (folder / "config.toml").read_text()
    # The same again, from its own settings.
    config = str(folder / "config.toml")
    assert main(["mine", data, "--config", config, "-o", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "results.csv").read_bytes() == (folder / "results.csv").read_bytes()


def test_without_the_flag_there_is_no_column(make_cohort, tmp_path, capsys):
    assert main(["mine", make_cohort(), "-o", str(tmp_path / "out")]) == 0
    assert "adjusted p" not in capsys.readouterr().out
    assert "p_value" not in (tmp_path / "out" / "results.csv").read_text()
    assert not (tmp_path / "out" / "test").exists()
    assert dg.load_result(tmp_path / "out").p_values is None


def test_a_time_limit_leaves_the_list_and_no_p_values(make_cohort, tmp_path, capsys):
    asked = ["--test", "--time-limit", "1e-9", "--n-subgraphs", "2", "-o", str(tmp_path / "out")]
    assert main(["mine", make_cohort(), *asked]) == 3
    shown = capsys.readouterr()
    assert "so there are no p-values" in shown.err
    assert "Raise --time-limit or --min-expected-frequency, or set --max-edges." in shown.err
    assert "adjusted p" not in shown.out
    assert not (tmp_path / "out" / "test").exists()


def test_too_few_graphs_are_refused_before_the_search(tmp_path, capsys):
    X = np.random.default_rng(0).random((4, 6))
    dg.save_cohort(tmp_path / "few.npz", dg.UncertainGraphs(X), [0, 1, 0, 1])
    assert main(["mine", str(tmp_path / "few.npz"), "--test", "-o", str(tmp_path / "out")]) == 1
    assert "cannot be reached: the labels have 6 distinct permutations" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
