"""Cells that a limit left unproven are marked wherever their values are shown."""

import csv
import io

import pytest

from dugraph import LimitReachedWarning, RandomSplits, UncertainGraphs, evaluate
from dugraph.cli import main
from dugraph.data import save_cohort

ASKED = {"methods": ["exp-hsic", "all-edges"], "n_subgraphs": [2, 3], "cv": RandomSplits(2)}
NOTE = (
    "~ A limit was reached in 2 of 4 cells, whose subgraphs are the best so far, not proven to be the "
    "best: exp-hsic in 2 of 2 splits."
)


@pytest.fixture
def limited(small):
    with pytest.warns(LimitReachedWarning, match=r"in 2 of 4 cells, .*: exp-hsic in 2 of 2 splits"):
        return evaluate(*small, **ASKED, min_expected_frequency=0.1, node_limit=1)


@pytest.fixture
def whole(small):
    return evaluate(*small, **ASKED, min_expected_frequency=0.1)


def test_they_are_counted_by_method(limited, whole):
    assert limited.unproven == {"exp-hsic": 2}
    assert limited.notes[0] == NOTE
    assert whole.unproven == {}
    assert whole.headline("title") == "title"


def test_cells_column_and_headline_are_marked(limited, whole):
    heading, (mined, edges) = limited.table_cells()
    assert heading[-1] == "splits not proven"
    assert all("~ (" in cell for cell in mined[1:5])
    assert (mined[-1], edges[-1]) == ("2", "0")
    assert not any("~" in cell for cell in edges)
    for style in ("text", "markdown", "latex"):
        assert "title; 2 of 4 cells not proven" in limited.table(style, "title")
    assert "2 of 4 cells not proven" in repr(limited)
    assert "2 of 4 cells not proven" in limited._repr_html_()
    assert "~" not in whole.table(title="title")
    assert len(whole.table_cells()[0]) == 6


def test_rows_of_latex_are_equally_long(limited):
    lines = [line for line in limited.table("latex", "title").splitlines() if line.endswith(r"\\")]
    columns = [line.count("&") + line.count("multicolumn{2}") for line in lines]
    assert columns == [6] * 4


def test_csv_has_the_numbers_always(limited, whole):
    for result, counts in ((limited, ["2", "0"]), (whole, ["0", "0"])):
        rows = csv.DictReader(io.StringIO(result.table("csv")))
        assert [row["splits_not_proven"] for row in rows] == counts


def test_the_command_tells_the_counts_on_stderr(small, tmp_path, capsys):
    X, y = small
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X), y)
    asked = ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "2", "--n-splits", "2"]
    limits = ["--min-expected-frequency", "0.1", "--node-limit", "1"]
    assert main(["evaluate", str(tmp_path / "cohort.npz"), *asked, *limits, "-o", str(tmp_path / "out")]) == 3
    said = capsys.readouterr()
    assert NOTE in said.err
    assert "2 of 4 cells not proven" in said.out.splitlines()[0]
