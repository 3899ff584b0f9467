"""The report claims what is proven and no more: of thinned lists, and of evaluations that met a limit."""

import csv
import json
import re
from functools import partial

import numpy as np
import pytest
from lxml import html

import dugraph as dg
from dugraph import mine_subgraphs
from dugraph.cli import main
from dugraph.search.mining import mine_within

FALSE = ("proven to be the best", "no other admitted subgraph has a larger value", "best subgraphs")


def part(page, name):
    return " ".join(html.fromstring(page.read_text()).get_element_by_id(name).text_content().split())


@pytest.fixture(scope="module")
def thinned(mined, tmp_path_factory):
    folder = tmp_path_factory.mktemp("thinned")
    asked = ["--n-subgraphs", "5", "--max-correlation", "0.3"]
    assert main(["mine", str(mined / "cohort.npz"), *asked, "-o", str(folder), "--report"]) == 0
    return folder


def test_a_thinned_list_leaves_out_subgraphs_with_larger_values(mined, thinned):
    graphs, y = dg.load_cohort(mined / "cohort.npz")
    listed = [row["value"] for row in json.loads((thinned / "results.json").read_text())["subgraphs"]]
    whole = mine_subgraphs(graphs, y, n_subgraphs=5).values
    assert listed[0] == whole[0]
    assert (np.array(listed[1:]) < whole[1:]).all()


def test_the_report_of_a_thinned_list_says_what_a_greedy_choice_proves(thinned):
    page = thinned / "report.html"
    overview = part(page, "overview")
    assert "proven: each is the best of those that correlate at most 0.3 with those before it" in overview
    assert "The list is a greedy choice" in overview
    assert "left out may have larger values than those listed" in overview
    assert "The 5 listed subgraphs" in part(page, "subgraphs")
    assert not [claim for claim in FALSE if claim in page.read_text()]


def test_a_whole_list_is_still_the_best_there_is(page):
    assert "proven to be the best" in part(page, "overview")


@pytest.fixture(scope="module")
def limited(mined, tmp_path_factory):
    """Of two methods one reaches its limit in all three splits, and one has nothing to search."""
    folder = tmp_path_factory.mktemp("limited")
    asked = ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3", "--n-splits", "3"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 1))
        assert main(["evaluate", str(mined / "cohort.npz"), *asked, "-o", str(folder), "--report"]) == 3
    return folder


def test_the_report_marks_what_a_limit_left_unproven(limited):
    page = html.fromstring((limited / "report.html").read_text())
    grid, table = page.xpath("//section[@id='classification']//table")[:2]
    shown = {row.xpath("./th/text()")[0]: row.xpath("./td/text()") for row in grid.xpath("./tbody/tr")}
    assert all(re.fullmatch(r"[01]\.\d{3}~ \(\d+\)\*?", cell) for cell in shown["exp-hsic"][:-2])
    assert not any("~" in cell for cell in shown["all-edges"])
    assert table.xpath("./thead//th/text()")[-1] == "splits not proven"
    rows = {row.xpath("./th/text()")[0]: row.xpath("./td/text()") for row in table.xpath("./tbody/tr")}
    assert all(re.fullmatch(r"[01]\.\d{3}~ ± 0\.\d{3}", cell) for cell in rows["exp-hsic"][1:-1])
    assert rows["exp-hsic"][-1] == "3"
    assert not any("~" in cell for cell in rows["all-edges"])
    assert rows["all-edges"][-1] == "0"
    told = "A limit was reached in 3 of 6 cells"
    assert told in part(limited / "report.html", "classification")
    assert told in part(limited / "report.html", "overview")
    every = page.xpath("//table[@class='every']")[0]
    assert [cell.endswith("~") for cell in every.xpath("./tbody/tr[1]/td/text()")[1:]] == [True] * 3


def test_the_headline_says_that_the_best_is_not_proven(limited):
    with open(limited / "results.csv") as file:
        rows = list(csv.DictReader(file))
    error = {
        m: np.mean([float(r["error"]) for r in rows if r["method"] == m]) for m in ("exp-hsic", "all-edges")
    }
    best = min(error, key=error.__getitem__)
    overview = part(limited / "report.html", "overview")
    assert ("subgraphs not proven in 3 of 3 splits" in overview) == (best == "exp-hsic")


def test_a_whole_evaluation_has_no_marks(page):
    classification = part(page, "classification")
    assert "~" not in classification
    assert "not proven" not in classification


def test_a_proof_that_is_neither_true_nor_false_is_refused(limited, tmp_path, capsys):
    for file in limited.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    text = (tmp_path / "results.csv").read_text()
    (tmp_path / "results.csv").write_text(text.replace("False", "perhaps", 1))
    assert main(["report", str(tmp_path), "--data", "cohort.npz"]) == 1
    assert "row 1.proven: expected `bool`, got `str`" in capsys.readouterr().err
