"""Which folders can be reported, where the cohort is looked for, and what is said when something is wrong."""

import json
import os
import shutil
import sys

import numpy as np
import pytest

from dugraph import InputError, UncertainGraphs, save_cohort, write_report


@pytest.fixture
def copy(mined, tmp_path):
    """The cohort with its results, to be changed."""
    shutil.copytree(mined, tmp_path / "study")
    return tmp_path / "study"


def test_the_parts_that_exist_are_reported(copy):
    both = write_report(copy / "results", evaluation=copy / "evaluation").read_text()
    mining = write_report(copy / "results").read_text()
    evaluation = write_report(copy / "evaluation").read_text()
    for page, has_mining, has_evaluation in (
        (both, True, True),
        (mining, True, False),
        (evaluation, False, True),
    ):
        assert ('id="ranking"' in page) is has_mining
        assert ('id="mining"' in page) is has_mining
        assert ('id="classification"' in page) is has_evaluation
        assert 'id="cohort"' in page


@pytest.mark.filterwarnings("ignore:.*the files must be of one run")
def test_one_folder_may_hold_both(copy):
    for path in (copy / "results").glob("results.json"):
        shutil.copy(path, copy / "evaluation")
    page = write_report(copy / "evaluation").read_text()
    assert 'id="ranking"' in page
    assert 'id="classification"' in page


def test_the_page_is_the_same_again_and_replaces_the_older(copy):
    first = write_report(copy / "results").read_bytes()
    (copy / "results" / "report.html").write_text("old")
    assert write_report(copy / "results").read_bytes() == first
    assert [name for name in os.listdir(copy / "results") if name.endswith(".tmp")] == []


def test_the_folders_may_move_together(copy, tmp_path):
    shutil.move(copy, tmp_path / "moved")
    assert write_report(tmp_path / "moved" / "results").exists()


def test_a_cohort_that_is_gone_is_asked_for(copy):
    (copy / "cohort.npz").rename(copy / "elsewhere.npz")
    with pytest.raises(InputError, match=r'cohort.npz: the cohort .* is missing. Name it with data="FILE".'):
        write_report(copy / "results")
    assert write_report(copy / "results", data=copy / "elsewhere.npz").exists()


def test_another_cohort_is_refused(copy):
    save_cohort(copy / "cohort.npz", UncertainGraphs(np.full((4, 3), 0.5)), [0, 1, 0, 1])
    with pytest.raises(InputError, match="must be the file that was mined, but its SHA-256 is not"):
        write_report(copy / "results")
    assert not (copy / "results" / "report.html").exists()


def test_mining_and_evaluation_of_different_cohorts_are_refused(copy):
    record = json.loads((copy / "evaluation" / "input.json").read_text())
    (copy / "evaluation" / "input.json").write_text(json.dumps({**record, "sha256": "0" * 64}))
    with pytest.raises(InputError, match="must use the same cohort file, but their hashes differ"):
        write_report(copy / "results", evaluation=copy / "evaluation")


def test_folders_with_nothing_to_report(copy, tmp_path):
    message = r"nor evaluation\.json\. Its folders results(, test)? do: name one of them\."
    with pytest.raises(InputError, match=message):
        write_report(copy)
    with pytest.raises(InputError, match="there is no such folder"):
        write_report(tmp_path / "nowhere")
    with pytest.raises(InputError, match="must contain what `dugraph evaluate` writes, but does not"):
        write_report(copy / "results", evaluation=tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"input": 3}', b"\xff\xfe", b'{"input": {"file": 1}}']
)
def test_damaged_results_are_refused(copy, content):
    (copy / "results" / "results.json").write_bytes(content)
    with pytest.raises(InputError, match=r"(damaged|must hold a JSON object|must be as `dugraph mine`)"):
        write_report(copy / "results")


@pytest.mark.parametrize("edges", [[], [{"index": 99}], [{"index": -1}], [{"index": "x"}], [{}], None])
def test_edges_that_the_cohort_does_not_have_are_refused(copy, edges):
    record = json.loads((copy / "results" / "results.json").read_text())
    record["subgraphs"][0]["edges"] = edges
    (copy / "results" / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="the results must be as"):
        write_report(copy / "results")


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("parameters", "measure", 3),
        ("parameters", "score_cap", "much"),
        ("proof", "message", None),
        ("proof", "success", "yes"),
        ("counters", "n_visited", 0.5),
    ],
)
def test_a_record_of_other_types_is_refused(copy, part, name, value):
    record = json.loads((copy / "results" / "results.json").read_text())
    changes = [{**record[part], name: value}, []]
    if part != "parameters":  # those that are missing have their defaults
        changes.append({k: v for k, v in record[part].items() if k != name})
    for changed in changes:
        (copy / "results" / "results.json").write_text(json.dumps({**record, part: changed}))
        with pytest.raises(InputError, match="the results must be as"):
            write_report(copy / "results")


@pytest.mark.parametrize("change", [{"value": float("nan")}, {"expected_frequency_positive": 1.5}])
def test_impossible_numbers_are_refused(copy, change):
    record = json.loads((copy / "results" / "results.json").read_text())
    record["subgraphs"][0] |= change
    (copy / "results" / "results.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="the results must be as"):
        write_report(copy / "results")


@pytest.mark.parametrize(
    ("name", "content"),
    [("evaluation.json", "{}"), ("results.csv", "x"), ("input.json", "{}"), ("input.json", None)],
)
def test_a_damaged_evaluation_is_refused(copy, name, content):
    if content is None:
        (copy / "evaluation" / name).unlink()
    else:
        (copy / "evaluation" / name).write_text(content)
    with pytest.raises(InputError, match="evaluation"):
        write_report(copy / "evaluation")


def test_a_table_of_mining_in_the_place_of_the_splits_is_refused(copy):
    shutil.copy(copy / "results" / "results.csv", copy / "evaluation" / "results.csv")
    with pytest.raises(InputError, match='name it with evaluation="FOLDER"'):
        write_report(copy / "evaluation")


def test_without_jinja2_the_way_out_is_named(copy, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(
        InputError, match=r"A report needs jinja2, which is missing: pip install 'dugraph\[report\]'"
    ):
        write_report(copy / "results")


@pytest.mark.filterwarnings("ignore:.*the files must be of one run")
def test_fewer_subgraphs_than_features_are_told(copy):
    table = copy / "evaluation" / "results.csv"
    table.write_text(table.read_text().replace("exp-hsic,2,6,6,", "exp-hsic,2,6,5,"))
    page = write_report(copy / "evaluation").read_text()
    assert "<p>Fewer subgraphs than t were found (smallest number in a split): 5 by exp-hsic for t=6." in page
    assert "Fewer subgraphs" not in write_report(copy / "results").read_text()


@pytest.mark.filterwarnings("ignore:.*the files must be of one run")
def test_a_method_without_a_value_in_some_split_is_not_compared(copy):
    table = copy / "evaluation" / "results.csv"
    kept = [line for line in table.read_text().splitlines() if not line.startswith("exp-hsic,2,")]
    table.write_text("\n".join([*kept, "exp-hsic,2,3,0,True,,,,", "exp-hsic,2,6,0,True,,,,"]) + "\n")
    page = write_report(copy / "evaluation").read_text()
    assert "Fewer subgraphs" not in page
    assert "all-edges, all features; guessing" in page
    chart = page.split('<figure class="folds">')[1].split("</figure>")[0]
    # Dots of both methods, means of one.
    assert (chart.count('class="dots plain"'), chart.count('class="line mean"')) == (3, 1)


def test_swapped_folders_are_told(copy):
    with pytest.raises(InputError, match="but this is an evaluation itself"):
        write_report(copy / "evaluation", evaluation=copy / "results")
