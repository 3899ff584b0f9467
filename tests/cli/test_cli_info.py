"""`dugraph info`."""

import numpy as np
import pytest

from dugraph import UncertainGraphs, save_cohort
from dugraph.cli import main


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
