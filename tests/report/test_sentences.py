"""Sentences of the page: each is there where it is true, and only there; none has a known fault."""

import csv
import json
import re
from functools import partial

import designs
import numpy as np
import pytest
from reading import read, text, words
from scipy.stats import f_oneway, pearsonr, ttest_ind

import dugraph as dg
from dugraph.cli import main
from dugraph.search.mining import mine_within

N = 60
Y = np.repeat(["patient", "control"], N // 2)
PATIENT = Y == "patient"
RNG = np.random.default_rng(0)
AGE = 30 + 8.0 * PATIENT + RNG.normal(0, 4, N)
NOISE = RNG.uniform(0.3, 0.7, (N, 6))
FAULTS = (
    r"\b1 (edges|nodes|subgraphs|groups of|families|blocks|participants|graphs)\b",
    r"\b(one|1) of them (are|share)\b",
    r"\b0 of \d+ subgraphs share",
    r"with (larger|smaller) the\b",
    r"log odds",
    r"\b(nan|None of None|inf)\b",
    r"\(\)|\{\}|\bof \.",
    r" ,  |,,|\.\.(?!\.)",
)


def overview(page):
    found = words(page)
    return found[found.index("What we found") : found.index("All cautions")]


# ---------------------------------------------------------------- designs


@pytest.mark.parametrize("name", [name for name in designs.DESIGNS if name != "module"])
def test_no_sentence_has_a_known_fault(pages, name):
    page = words(pages(name)[1])
    page = page[: page.index("Text for the paper", page.index("All cautions"))]
    found = [page[max(0, one.start() - 80) : one.end() + 40] for one in re.finditer("|".join(FAULTS), page)]
    assert found == []


def test_the_clearest_finding_with_its_frequencies(pages):
    design, page = pages("three")
    result, graphs, patient = design["result"], design["X"], design["y"] == "patient"
    assert len(result.families) == 3
    said = overview(page)
    assert "3 separate groups of connections differ between patient and control graphs" in said
    (edge,) = result.subgraphs[0]
    x = graphs.edge_probability[:, edge]
    assert f"joins {graphs.edge_name(edge).replace('--', ' and ')}." in said
    assert f"in {x[patient].mean():.0%} of patient graphs and in {x[~patient].mean():.0%} of control" in said
    # By hand: the difference within sites, each with the weight of a least-squares fit.
    site = np.asarray(graphs.participants["site"])[:, None] == np.unique(graphs.participants["site"])
    fit = np.linalg.lstsq(np.column_stack([patient, site]), x, rcond=None)[0]
    assert fit[0] < 0
    assert f"With site taken into account, it is {-100 * fit[0]:.1f} percentage points less frequent" in said
    assert "the opposite of" not in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("three", "list is at most 5%."),
        ("null", "No group of connections was shown to differ"),
        ("null", "This does not show that there is no difference"),
        ("null", "Head motion is not recorded: the participants have no column such as mean_fd."),
        ("phenotype", "vary with the phenotype more than chance explains"),
        ("phenotype", "The larger the phenotype, the more often it is present"),
        ("groups", "One group of connections differs between high dose, low dose and placebo graphs"),
        ("one_site", "One group of connections differs"),
        ("one_site", "is about 5%."),
        ("ranking", "Whether this is more than chance is not known: no test was made."),
        ("tested_ranking", "The best of 3 combinations of a method and a number of features classified 3%"),
        ("sparse", "A model chose 4 groups of connections that together distinguish the classes best."),
    ],
)  # fmt: skip
def test_each_design_has_its_words(pages, name, said):
    assert said in overview(pages(name)[1])


def test_statistics_and_covariates_in_plain_words(pages):
    assert "may contribute nothing" not in words(pages("null")[1])
    assert "It does not follow a standard normal distribution" in words(pages("three")[1])
    for name, kind in (("one_site", "logistic"), ("motion", "logistic"), ("phenotype", "linear")):
        page = words(pages(name)[1])
        assert f"as in a {kind} regression, without curves or interactions" in page
        assert ("so it is not the difference of the percentages" in page) == (name != "phenotype")


def test_motion_and_connectivity_are_compared(pages):
    design, page = pages("motion")
    graphs, patient = design["X"], design["y"] == "patient"
    fd = graphs.participants["mean_fd"]
    said = overview(page)
    assert ttest_ind(fd[patient], fd[~patient], equal_var=False).pvalue < 1e-4
    means = f"{fd[patient].mean():.3g} in patient, {fd[~patient].mean():.3g} in control"
    assert f"Head motion (mean_fd): {means} (p < 0.0001)." in said
    mean = graphs.edge_probability.mean(axis=1)
    p = ttest_ind(mean[patient], mean[~patient], equal_var=False).pvalue
    assert f"control (p = {p:.2g})" in said
    assert "no column such as mean_fd" not in said
    design, page = pages("groups")
    mean = design["X"].edge_probability.mean(axis=1)
    p = f_oneway(*(mean[design["y"] == arm] for arm in np.unique(design["y"]))).pvalue
    assert f"placebo (p = {p:.2g})" in overview(page)
    design, page = pages("phenotype")
    r, p = pearsonr(design["X"].edge_probability.mean(axis=1), design["y"])
    assert f"correlation {r:.2f} with the phenotype (p = {p:.2g})" in overview(page)


def test_no_line_of_a_chart_is_drawn_over_its_texts(pages):
    for chart in re.findall(r'<svg class="chart".*?</svg>', pages("three")[1].read_text()):
        marks = re.findall(r'<g class="mark[^"]*">(<path|<text)', chart)
        assert marks == sorted(marks)


# ---------------------------------------------------------------- one fact at a time


@pytest.fixture
def report(tmp_path):
    """The words of a page on a test, or on a search, and on an evaluation if asked for."""

    def write(n_different=0, *, test=True, evaluate=False, y=Y, covariates=None, **participants):
        X = NOISE.copy()
        X[:, :n_different] = np.where(PATIENT[:, None], 0.9, 0.2)
        graphs = dg.UncertainGraphs(X, participants={k: np.asarray(v) for k, v in participants.items()})
        run = dg.significant_subgraphs if test else dg.mine_subgraphs
        asked = {"n_permutations": 99} if test else {"n_subgraphs": 2}
        result = run(graphs, y, max_edges=1, covariates=covariates, **asked)
        more = {"methods": ["all-edges"], "n_subgraphs": [2], "cv": dg.RandomSplits(2)}
        evaluation = dg.evaluate(graphs, y, **more) if evaluate else None
        return words(dg.write_report(result, graphs, y, evaluation=evaluation, output=tmp_path / "page.html"))

    return write


# Edges 0 and 2 of a triangle share a node, but no two subgraphs of one edge share an edge.
@pytest.mark.parametrize(
    ("n_different", "said"),
    [
        (0, "No group of connections was shown to differ between patient and control graphs"),
        (1, "One group of connections differs between patient and control graphs more than chance explains."),
        (2, "2 separate groups of connections differ between patient and control graphs more than chance"),
    ],
)
def test_numbers_agree_with_their_verbs(report, n_different, said):
    page = report(n_different)
    assert said in page
    assert ("share no edge" in page) == (n_different > 1)
    assert ("The significant subgraph." in page) == (n_different == 1)
    assert ("single edges in it may contribute nothing" in page) == (n_different > 0)


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        (["Oslo"] * N, "All graphs come from one site, by the column site."),
        (["Oslo", "Turku"] * (N // 2), "No association between site and class was seen"),
        (np.where(PATIENT, "Oslo", "Turku"), "by leaving out whole sites (dugraph evaluate --groups site)."),
    ],
)
def test_sites_are_compared_if_there_are_several(report, sites, said):
    page = report(site=sites)
    assert said in page
    assert ("No association between site and class" in page) == ("No association" in said)


@pytest.mark.parametrize("test", [True, False])
@pytest.mark.parametrize("covariates", [None, ["age"]])
def test_a_covariate_is_not_recommended_again(report, test, covariates):
    page = report(test=test, covariates=covariates, age=AGE)
    assert "Age and class are associated" in page
    assert ("or test with it as a covariate" in page) == (covariates is None)
    assert ("The analysis adjusted for it" in page) == (covariates is not None)


@pytest.mark.parametrize("evaluate", [True, False])
@pytest.mark.parametrize(
    ("y", "judgement", "otherwise"),
    [
        (Y, "so the error rate is a fair measure", "The larger class contains 50% of the graphs."),
        (
            np.array(["a", "a", "a", "b"] * 15),
            "Judge a classifier by balanced accuracy",
            "The larger class contains 75% of the graphs; frequencies in the smaller class are less certain.",
        ),
    ],
)
def test_error_rates_are_judged_where_there_are_any(report, evaluate, y, judgement, otherwise):
    page = report(test=False, evaluate=evaluate, y=y)
    assert (judgement in page) == evaluate
    assert (otherwise in page) != evaluate


def test_the_caption_of_groups_is_complete(report):
    arms = np.array(["u", "v", "w"])[np.arange(N) % 3]
    assert "a dot for each graph, bars for the means of the groups." in report(test=False, y=arms)


def test_an_effect_within_sites_may_be_the_opposite_of_the_percentages(tmp_path):
    """Patients are mostly at the site with high probabilities, where they have lower ones than controls."""
    site = np.where(np.arange(N) % 6 == 0, ~PATIENT, PATIENT)
    X = 0.2 + 0.6 * site - 0.15 * PATIENT + RNG.normal(0, 0.01, N)
    graphs = dg.UncertainGraphs(X[:, None], participants={"site": np.where(site, "Oslo", "Turku")})
    result = dg.significant_subgraphs(graphs, Y, blocks="site", n_permutations=199)
    said = words(dg.write_report(result, graphs, Y, output=tmp_path / "page.html"))
    assert "less frequent in patient graphs, the opposite of what these percentages suggest." in said


@pytest.mark.parametrize("test", [True, False])
def test_the_sign_of_a_link_is_said(test, tmp_path):
    edges, layers = dg.signed_edges([(1, 0), (2, 0), (2, 1)])
    X = np.random.default_rng(1).uniform(0.3, 0.6, (N, 6))
    X[:, 0] = np.where(PATIENT, 0.9, 0.2)
    graphs = dg.UncertainGraphs(X, edges, ["A", "B", "C"], edge_layers=layers)
    run = dg.significant_subgraphs if test else dg.mine_subgraphs
    result = run(graphs, Y, max_edges=1, **({"n_permutations": 99} if test else {"n_subgraphs": 3}))
    page = dg.write_report(result, graphs, Y, output=tmp_path / "page.html")
    assert "joins A and B (negative edge)" in words(page)


# ---------------------------------------------------------------- what is proven


def part(page, name):
    return text(read(page).get_element_by_id(name))


def test_the_report_of_a_thinned_list_says_what_a_greedy_choice_proves(mined, tmp_path):
    asked = ["--n-subgraphs", "5", "--max-correlation", "0.3"]
    assert main(["mine", str(mined / "cohort.npz"), *asked, "-o", str(tmp_path), "--report"]) == 0
    listed = [row["value"] for row in json.loads((tmp_path / "results.json").read_text())["subgraphs"]]
    whole = dg.mine_subgraphs(*dg.load_cohort(mined / "cohort.npz"), n_subgraphs=5).values
    assert listed[0] == whole[0]
    assert (np.array(listed[1:]) < whole[1:]).all()
    page = tmp_path / "report.html"
    said = part(page, "overview")
    assert "proven: each is the best of those that correlate at most 0.3 with those before it" in said
    assert "The list is a greedy choice" in said
    assert "left out may have larger values than those listed" in said
    assert "The 5 listed subgraphs" in part(page, "subgraphs")
    for false in ("proven to be the best", "no other admitted subgraph has a larger value", "best subgraphs"):
        assert false not in page.read_text()


def test_the_classifier_is_named(page):
    assert "a linear classifier was trained on them (ridge, or with --like-paper a" in part(
        page, "classification"
    )


def test_a_whole_list_is_the_best_there_is_and_a_whole_evaluation_has_no_marks(page):
    assert "proven to be the best" in part(page, "overview")
    assert not re.search("~|not proven", part(page, "classification"))


@pytest.fixture(scope="module")
def limited(mined, tmp_path_factory):
    """An evaluation of two methods: one reaches its limit in all three splits, one has nothing to search."""
    folder = tmp_path_factory.mktemp("limited")
    asked = ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3", "--n-splits", "3"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 1))
        assert main(["evaluate", str(mined / "cohort.npz"), *asked, "-o", str(folder), "--report"]) == 3
    return folder


def test_the_report_marks_what_a_limit_left_unproven(limited):
    page = read(limited / "report.html")
    grid, table = page.xpath("//section[@id='classification']//table")[:2]
    shown = {row.xpath("./th/text()")[0]: row.xpath("./td/text()") for row in grid.xpath("./tbody/tr")}
    assert all(re.fullmatch(r"[01]\.\d{3}~ \(\d+\)\*?", cell) for cell in shown["exp-hsic"][:-2])
    assert table.xpath("./thead//th/text()")[-1] == "splits not proven"
    rows = {row.xpath("./th/text()")[0]: row.xpath("./td/text()") for row in table.xpath("./tbody/tr")}
    assert all(re.fullmatch(r"[01]\.\d{3}~ ± 0\.\d{3}", cell) for cell in rows["exp-hsic"][1:-1])
    assert (rows["exp-hsic"][-1], rows["all-edges"][-1]) == ("3", "0")
    assert not any("~" in cell for cell in shown["all-edges"] + rows["all-edges"])
    every = page.xpath("//table[@class='every']")[0]
    assert [cell.endswith("~") for cell in every.xpath("./tbody/tr[1]/td/text()")[1:]] == [True] * 3
    for name in ("classification", "overview"):
        assert "A limit was reached in 3 of 6 cells" in part(limited / "report.html", name)
    with open(limited / "results.csv") as file:
        lines = list(csv.DictReader(file))
    error = {m: np.mean([float(r["error"]) for r in lines if r["method"] == m]) for m in rows}
    said = "subgraphs not proven in 3 of 3 splits" in part(limited / "report.html", "overview")
    assert said == (min(error, key=error.__getitem__) == "exp-hsic")
