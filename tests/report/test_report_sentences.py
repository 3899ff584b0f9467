"""Sentences that fit the design: each is on the page where it is true, and only there."""

import re

import numpy as np
import pytest

import dugraph as dg

N = 60
Y = np.repeat(["patient", "control"], N // 2)
PATIENT = Y == "patient"
RNG = np.random.default_rng(0)
AGE = 30 + 8.0 * PATIENT + RNG.normal(0, 4, N)
NOISE = RNG.uniform(0.3, 0.7, (N, 6))


def words(page):
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page.read_text(), flags=re.DOTALL)
    return " ".join(re.sub("<[^>]*>", " ", body).split())


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
    assert "1 of them share" not in page
    assert "1 share no" not in page


def test_only_significant_subgraphs_are_significant_as_a_whole(report):
    caveat = "single edges in it may contribute nothing"
    assert caveat not in report(0)
    assert caveat in report(1)


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
def test_a_covariate_is_not_recommended_again(report, test):
    advice, done = "or test with it as a covariate", "The analysis adjusted for it"
    for covariates in (None, ["age"]):
        page = report(test=test, covariates=covariates, age=AGE)
        assert "Age and class are associated" in page
        assert (advice in page) == (covariates is None)
        assert (done in page) == (covariates is not None)


@pytest.mark.parametrize("evaluate", [True, False])
@pytest.mark.parametrize(
    ("y", "judgement", "otherwise"),
    [
        (Y, "so the error rate is a fair measure", "The larger class holds 50% of the graphs."),
        (
            np.array(["a", "a", "a", "b"] * 15),
            "Judge a classifier by balanced accuracy",
            "The larger class holds 75% of the graphs; frequencies in the smaller class are less certain.",
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


def test_the_sign_of_a_link_is_said(tmp_path):
    edges, layers = dg.signed_edges([(1, 0), (2, 0), (2, 1)])
    X = np.random.default_rng(1).uniform(0.3, 0.6, (N, 6))
    X[:, 0] = np.where(PATIENT, 0.9, 0.2)
    graphs = dg.UncertainGraphs(X, edges, ["A", "B", "C"], edge_layers=layers)
    for run, more in (
        (dg.significant_subgraphs, {"n_permutations": 99}),
        (dg.mine_subgraphs, {"n_subgraphs": 3}),
    ):
        result = run(graphs, Y, max_edges=1, **more)
        page = words(dg.write_report(result, graphs, Y, output=tmp_path / "page.html"))
        assert re.search(r"joins A and B ?\( ?negative edge\)", page)
