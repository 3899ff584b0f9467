"""Tables in the paper's layout, marks of values that a limit left unproven, and the files of a result."""

import csv
import io
import json
from functools import partial

import pytest

from dugraph import InputError, RandomSplits, evaluate
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.cells import Cell
from dugraph.exceptions import LimitReachedWarning
from dugraph.search.mining import mine_within

NAN = float("nan")
SCORED = {"n_splits": 2, "scoring": ["error", "f1"]}


def cell(method, split, error, f1):
    metrics = {10: {"error": error, "f1": f1, "balanced_accuracy": 1 - error, "auc": NAN}}
    return Cell(method, split, metrics, 10, True, "", 0.5, 0.25)


@pytest.fixture
def result():
    cells = [
        *(cell("exp-hsic", 0, 0.2, 0.8), cell("exp-hsic", 1, 0.4, 0.6)),
        *(cell("frequency_ratio", 0, 0.3, 0.9), cell("frequency_ratio", 1, 0.3004, 0.9)),
        *(cell("freq", 0, 0.5, 0.1), Cell("freq", 1, {}, 0, True, "nothing admitted", 0.0, 0.0)),
    ]
    return EvaluationResult(
        cells, ("exp-hsic", "frequency_ratio", "freq"), (10,), {"n_splits": 2, "scoring": ["error", "f1"]}, {}
    )


def test_text(result):
    assert result.table(title="title") == (
        "title\n"
        "method           error rate t=10  F1 t=10     avg. rank\n"
        "---------------  ---------------  ----------  ---------\n"
        "exp-hsic         0.300 (1)*       0.700 (2)   (1.5)\n"
        "frequency_ratio  0.300 (1)*       0.900 (1)*  *(1.0)\n"
        "freq             -                -           -\n"
        "No rank for freq: no features in 1 of 2 splits. nothing admitted\n"
    )
    assert "3 methods, 2 splits" in repr(result)


def test_markdown_and_latex(result):
    markdown, latex = result.table("markdown"), result.table("latex", "100 % & more")
    assert "| frequency_ratio | 0.300 (1)\\* | 0.900 (1)\\* | \\*(1.0) |" in markdown
    assert "| freq | - | - | - |" in markdown
    assert markdown.endswith("\n\nNo rank for freq: no features in 1 of 2 splits. nothing admitted\n")
    assert r"\caption{100 \% \& more}" in latex
    assert r"frequency\_ratio & 0.300 (1)* & 0.900 (1)* & *(1.0) \\" in latex
    assert r"\multicolumn{1}{c}{error rate $\downarrow$} & \multicolumn{1}{c}{F1 $\uparrow$}" in latex
    assert r"freq & - & - & - \\" in latex
    assert latex.index(r"\end{tabular}") < latex.index("No rank for freq") < latex.index(r"\end{table*}")
    columns = latex.split(r"\begin{tabular}{")[1].split("}")[0]
    rows = [line for line in latex.splitlines() if line.startswith(("exp-hsic", "freq", "method"))]
    assert [row.count("&") + 1 for row in rows] == [len(columns)] * 4
    with pytest.raises(InputError, match="but is 'html'"):
        result.table("html")


def test_csv_keeps_every_digit(result):
    first, second, third = csv.DictReader(io.StringIO(result.table("csv")))
    assert float(second["error@10"]) == (0.3 + 0.3004) / 2
    assert (first["error_rank@10"], third["error@10"], third["average_rank"]) == ("1", "", "")
    assert (third["error_rank@10"], third["f1_rank@10"]) == ("", "")


def test_html_is_the_same_table_escaped(result):
    html = result._repr_html_()
    assert "<p><b>EvaluationResult</b>: 3 methods, 2 splits</p>" in html
    assert "<tr><td>exp-hsic</td><td>0.300 (1)*</td><td>0.700 (2)</td><td>(1.5)</td></tr>" in html
    assert "<p>No rank for freq: no features in 1 of 2 splits. nothing admitted</p>" in html
    hostile = Cell("<script>", 0, {}, 0, True, "a < b & c", 0.0, 0.0)
    html = EvaluationResult([hostile], ("<script>",), (10,), SCORED, {})._repr_html_()
    assert "<script>" not in html
    assert "<td>&lt;script&gt;</td><td>-</td><td>-</td><td>-</td>" in html
    assert "a &lt; b &amp; c" in html


def test_fewer_subgraphs_than_t_stand_below_and_in_the_record(tmp_path):
    metrics = {t: {"error": 0.1, "f1": 0.9, "balanced_accuracy": 0.9, "auc": NAN} for t in (5, 10)}
    cells = [Cell("exp-hsic", split, metrics, n, True, "", 0.0, 0.0) for split, n in enumerate((9, 7, 10))]
    result = EvaluationResult(cells, ("exp-hsic",), (5, 10), SCORED, {})
    sentence = "Fewer subgraphs than t were found (smallest number in a split): 7 by exp-hsic for t=10."
    assert result.table().endswith(f"*(1.0)\n{sentence}\n")
    result.save(tmp_path)
    assert sentence in (tmp_path / "table.md").read_text()
    assert sentence in (tmp_path / "table.tex").read_text()
    assert json.loads((tmp_path / "evaluation.json").read_text())["fewer"] == {"exp-hsic": {"10": 7}}


def test_files_hold_every_value_and_times_stay_apart(result, tmp_path):
    names = {path.name for path in result.save(tmp_path / "new", "title")}
    assert names == {"table.csv", "table.md", "table.tex", "results.csv", "evaluation.json", "timings.csv"}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "new/results.csv").read_text())))
    assert len(rows) == 6
    assert rows[0] == {
        **{"method": "exp-hsic", "split": "0", "t": "10", "n_found": "10", "proven": "True"},
        **{"error": "0.2", "f1": "0.8", "balanced_accuracy": "0.8", "auc": ""},
    }
    assert "nothing admitted" in (tmp_path / "new/evaluation.json").read_text()
    assert "seconds" not in "".join(
        p.read_text() for p in (tmp_path / "new").iterdir() if p.stem != "timings"
    )
    assert result.seconds()["exp-hsic"] == (1.0, 0.5)


ASKED = {
    "methods": ["exp-hsic", "all-edges"],
    "n_subgraphs": [2, 3],
    "cv": RandomSplits(2),
    "scoring": ["error", "f1"],
}
NOTE = (
    "~ A limit was reached in 2 of 4 cells, whose subgraphs are the best found, not proven to be the "
    "best: exp-hsic in 2 of 2 splits."
)


@pytest.fixture
def limited(small, monkeypatch):
    monkeypatch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 1))
    with pytest.warns(LimitReachedWarning, match=r"in 2 of 4 cells, .*: exp-hsic in 2 of 2 splits"):
        return evaluate(*small, **ASKED, min_expected_frequency=0.1)


@pytest.fixture
def whole(small, monkeypatch):
    monkeypatch.undo()
    return evaluate(*small, **ASKED, min_expected_frequency=0.1)


def test_unproven_values_column_and_headline_are_marked(limited, whole):
    assert limited.unproven == {"exp-hsic": 2}
    assert limited.notes[0] == NOTE
    assert whole.unproven == {}
    assert whole.headline("title") == "title"
    heading, (mined, edges) = limited.table_cells()
    assert heading[-1] == "splits not proven"
    assert all("~ (" in cell for cell in mined[1:5])
    assert (mined[-1], edges[-1]) == ("2", "0")
    assert not any("~" in cell for cell in edges)
    for style in ("text", "markdown", "latex"):
        assert "title; 2 of 4 cells not proven" in limited.table(style, "title")
    lines = [line for line in limited.table("latex").splitlines() if line.endswith(r"\\")]
    assert [line.count("&") + line.count("multicolumn{2}") for line in lines] == [6] * 4
    assert "2 of 4 cells not proven" in repr(limited)
    assert "2 of 4 cells not proven" in limited._repr_html_()
    for result, counts in ((limited, ["2", "0"]), (whole, ["0", "0"])):
        rows = csv.DictReader(io.StringIO(result.table("csv")))
        assert [row["splits_not_proven"] for row in rows] == counts
    assert "~" not in whole.table(title="title")
    assert len(whole.table_cells()[0]) == 6
