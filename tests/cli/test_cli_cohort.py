"""`dugraph convert`, `info` and `simulate`: what they print and write."""

import json

import numpy as np
import pytest

from dugraph import UncertainGraphs, load_cohort, read_cohort, save_cohort, simulate
from dugraph.cli import main
from dugraph.io.layouts import FORMATS


@pytest.fixture
def folder(tmp_path):
    """Three subjects, a table of three, one of them another one."""
    place = tmp_path / "connectomes"
    place.mkdir()
    for i, name in enumerate(("01", "02", "03")):
        r = 0.1 + 0.2 * i
        (place / f"sub-{name}.csv").write_text(f"Insula,<b>x</b>\u202e\n1,{r}\n{r},1\n")
    table = "participant_id\tgroup\nsub-01\tpatient\nsub-02\tcontrol\nsub-04\tcontrol\n"
    (place / "participants.tsv").write_text(table)
    return place


def test_it_prints_what_was_read_and_writes_what_the_api_gives(folder, tmp_path, capsys):
    out, table = tmp_path / "c.npz", folder / "participants.tsv"
    words = ["--participants", str(table), "--positive", "patient", "--intersect", "--threshold", "0.2"]
    assert main(["convert", str(folder), *words, "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    for text in (
        "format         matrices",
        "format reason  3 files such as sub-01.csv\n",
        "left out       without a row: sub-03; without a file: sub-04",
        "rule           the correlation itself, negative ones become 0",
        "threshold      0.2",
        "positive       patient",
    ):
        assert text in shown.out
    graphs, y = load_cohort(out)
    expected = read_cohort(folder, participants=table, positive="patient", intersect=True, threshold=0.2)
    assert graphs == expected[0]
    assert y.tolist() == expected[1].tolist() == [1, 0]
    np.testing.assert_array_equal(graphs.edge_probability, [[0.0], [0.1 + 0.2]])
    assert main(["info", str(out)]) == 0
    assert capsys.readouterr().out == shown.out


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_the_table_in_the_folder_is_used(folder, tmp_path, capsys, ending, refused):
    table = folder / "participants.tsv"
    rows = table.read_text().replace("sub-04", "sub-03").replace("\t", "\t" if ending == "tsv" else ",")
    table.unlink()
    (folder / f"participants.{ending}").write_text(rows)
    assert main(["convert", str(folder), "-o", str(tmp_path / "c.npz")]) == 0
    assert f"participants   participants.{ending}" in capsys.readouterr().out
    assert load_cohort(tmp_path / "c.npz")[1].tolist() == [1, 0, 0]
    assert main(["convert", str(folder), "--participants", "none", "-o", str(tmp_path / "c.npz")]) == 0
    assert load_cohort(tmp_path / "c.npz")[1] is None
    (folder / f"participants.{ending}").write_text(rows.replace("sub-03", "sub-04"))
    assert "The files are read without this table by --participants none." in refused(
        "convert", str(folder), "-o", str(tmp_path / "c.npz")
    )


def test_the_help_lists_the_formats(capsys):
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    # Lines break where the terminal is narrow.
    shown = "".join(capsys.readouterr().out.split())
    assert f"Formats:{','.join(FORMATS)}." in shown


def test_sizes_in_words(folder, tmp_path):
    for size in ("1M", "2g", "100000"):
        words = ["--participants", "none", "--max-memory", size]
        assert main(["convert", str(folder), *words, "-o", str(tmp_path / "c.npz")]) == 0


def test_the_row_of_table_3_and_the_classes(make_cohort, capsys):
    assert main(["info", make_cohort()]) == 0
    shown = capsys.readouterr()
    lines = [line.split() for line in shown.out.splitlines()]
    assert ["20", "5", "10.00", lines[3][3], "10", lines[3][5]] in lines
    assert float(lines[3][3]) * 10 == pytest.approx(float(lines[3][5]), rel=1e-3)  # no edge is absent here
    assert ["control", "10", "negative"] in lines
    assert ["patient", "10", "positive"] in lines
    assert shown.err == ""


def test_without_or_with_three_classes(make_cohort, tmp_path, capsys):
    assert main(["info", make_cohort(labels=False)]) == 0
    assert "no class labels: `convert --participants TABLE` adds them" in capsys.readouterr().out
    save_cohort(tmp_path / "three.npz", UncertainGraphs(np.full((3, 1), 0.5)), ["a", "b", "c"])
    assert main(["info", str(tmp_path / "three.npz")]) == 0
    assert "positive" not in capsys.readouterr().out


def test_a_cohort_without_edges_has_no_mean_of_probabilities(tmp_path, capsys):
    save_cohort(tmp_path / "empty.npz", UncertainGraphs(np.zeros((2, 3))), [0, 1])
    assert main(["info", str(tmp_path / "empty.npz")]) == 0
    row = capsys.readouterr().out.splitlines()[3]
    assert row.split() == ["2", "3", "0.000", "no", "edges", "3", "0.000"]


def admitted_rows(X, tmp_path, capsys):
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X), np.arange(len(X)) % 2)
    assert main(["info", str(tmp_path / "cohort.npz")]) == 0
    text = capsys.readouterr().out
    table = text[text.index("connected subgraphs that mining would admit") :].split("\n\n")[0].splitlines()
    return [line.split() for line in table[3:-1]], table[-1]


def test_what_mining_would_admit_is_counted_and_a_limit_suggested(tmp_path, capsys):
    rows, said = admitted_rows(np.full((2, 3), 0.4), tmp_path, capsys)
    assert rows == [["0.2", "3", "0", "0"], ["0.1", "3", "3", "0"], ["0.05", "3", "3", "1"]]
    assert said == (
        "suggested for tests and mining: --min-expected-frequency 0.1, the largest of 0.2, 0.1 and 0.05 with "
        "the most pairs of edges"
    )
    _, said = admitted_rows(np.full((2, 105), 0.5), tmp_path, capsys)
    assert said.endswith("0.2, the largest of 0.2, 0.1 and 0.05 with at least 100 pairs of edges")
    _, said = admitted_rows(np.full((2, 3), 0.1), tmp_path, capsys)
    assert said.startswith("No pair of edges is admitted")
    rows, said = admitted_rows(np.full((2, 2016), 1.0), tmp_path, capsys)
    assert rows[0] == ["0.2", "2,016", ">", "100,000", ">", "100,000"]
    assert said.startswith("Even the pairs of edges exceed the counting limit")


def test_no_line_is_wider_than_a_page_and_no_name_is_lost(tmp_path, capsys):
    names = [f"sub-{i:05}" for i in range(900)]
    said = {"left_out": {"without a file": names}, "long": "x" * 3000}
    save_cohort(tmp_path / "c.npz", UncertainGraphs(np.full((2, 3), 0.5), provenance=said), [0, 1])
    assert main(["info", str(tmp_path / "c.npz")]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text[text.index("origin") :].splitlines())) < 120
    assert all(name in text for name in names)
    assert text.count("x") >= 3000


def test_the_columns_that_other_commands_take_are_listed(tmp_path, capsys):
    table = {"age": [20, 30], "scanner site": ["a", "b"]}
    save_cohort(tmp_path / "c.npz", UncertainGraphs(np.full((2, 3), 0.5), participants=table), [0, 1])
    assert main(["info", str(tmp_path / "c.npz")]) == 0
    assert (
        "columns for --blocks, --covariates and --phenotype: age, scanner site\n" in capsys.readouterr().out
    )
    save_cohort(tmp_path / "c.npz", UncertainGraphs(np.full((2, 3), 0.5)), [0, 1])
    assert main(["info", str(tmp_path / "c.npz")]) == 0
    assert "columns for" not in capsys.readouterr().out


def test_the_cohort_and_its_planted_subgraphs(tmp_path, capsys):
    path = tmp_path / "c.npz"
    arguments = ["simulate", "--like", "hiv", "--n-graphs", "10", "--n-planted", "2", "--effect", "0.9"]
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert capsys.readouterr().out.count("\n") == 2
    expected = simulate("hiv", n_graphs=10, n_planted=2, effect=0.9, random_state=5)
    graphs, y = load_cohort(path)
    assert graphs == expected.graphs
    assert y.tolist() == expected.y.tolist()
    record = json.loads((tmp_path / "c.planted.json").read_text())
    assert [tuple(subgraph["edge_index"]) for subgraph in record["planted"]] == expected.planted
    assert record["planted"][0]["edges"] == [graphs.edge_name(edge) for edge in expected.planted[0]]
    assert record["simulated_with"]["random_state"] == 5
    first = path.read_bytes()
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert path.read_bytes() == first
