"""Error messages for wrong parameters, the positive class, and text and HTML views of the result."""

import math
import warnings

import numpy as np
import pytest

from dugraph import RandomSplits, SubgraphSelector, UncertainGraphs, evaluate, mine_subgraphs, save_cohort
from dugraph.cli import main
from dugraph.exceptions import AssumedClassWarning, InputError
from dugraph.search import limits
from dugraph.search.limits import resolve_n_jobs

X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
Y = [1, 1, 0, 0]
WHOLE = r"must be a whole number of at least 1 and below 2\*\*62, but is"
JOBS = (
    r"n_jobs must be None, -1 or a whole number from 1 to 1024 \(other negative numbers .* joblib\), but is"
)


def difference(a, b, p, q):
    return a - b


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("bound", "best", "bound must be one of frequency, worldwise, mass, but is 'best'."),
        ("measure", "mean", "measure must be one of expectation, .*, frequency, but is 'mean'."),
        (
            "score",
            "chi2",
            r"score must be one of confidence, .* or a function f\(a, b, p, q\), but is 'chi2'.",
        ),
        ("min_expected_frequency", -0.1, "must be a number of at least 0 and below 1, but is -0.1."),
        ("min_expected_frequency", 1, "but is 1. It is a share of the graphs: 0.2"),
        ("min_expected_frequency", math.nan, "but is nan."),
        *[("n_subgraphs", wrong, f"n_subgraphs {WHOLE} {wrong!r}.") for wrong in (0, 2.0, True, "ten")],
        ("max_edges", 0, f"max_edges {WHOLE} 0."),
        ("time_limit", 0, "time_limit must be a positive number of seconds or None, but is 0."),
        *[
            ("time_limit", wrong, f"time_limit must be .*, but is {wrong!r}.")
            for wrong in (math.nan, "1 h", True)
        ],
        *[("n_jobs", wrong, f"{JOBS} {wrong}.") for wrong in (0, 1025, 1.5, True)],
        ("progress", 3, "progress must be True, False, None or a function of one dict, but is 3."),
        ("score_cap", math.inf, "score_cap must be finite, but is inf."),
        ("pos_label", 7, "pos_label must be one of the two classes"),
        ("edges", [[1, 0]], "edges"),
    ],
)
def test_wrong_parameters_are_explained(name, wrong, message):
    with pytest.raises(InputError, match=message):
        mine_subgraphs(X, Y, **{name: wrong})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"measure": "quantile", "quantile": 1.0}, "quantile must lie strictly between 0 and 1, but is 1.0."),
        ({"measure": "phi_probability", "phi": math.nan}, "phi must be a finite number, but is nan."),
        ({"measure": "phi_probability", "score": difference}, "no default phi, but phi is None."),
        ({"y": [1, 1, 1, 1]}, "y must take at least two values: every graph has 1."),
        ({"X": UncertainGraphs(X), "edges": [[1, 0], [2, 0], [2, 1]]}, "edges must be given once"),
    ],
)
def test_wrong_combinations_are_explained(settings, message):
    with pytest.raises(InputError, match=message):
        mine_subgraphs(**{"X": X, "y": Y, **settings})


def test_parameters_are_kept():
    result = mine_subgraphs(X, Y, score=difference, measure="phi_probability", phi=1, n_subgraphs=1)
    assert [result.parameters[name] for name in ("score", "phi", "quantile")] == ["difference", 1, None]


def test_text_view():
    result = mine_subgraphs(X, Y, n_subgraphs=2, min_expected_frequency=0.3)
    lines = repr(result).splitlines()
    assert lines[0].startswith("MiningResult: 2 subgraphs by expectation of hsic, OPTIMAL in 0.")
    assert lines[1].split() == ["rank", "value", "subgraph"]
    assert lines[2].split() == ["1", f"{result.values[0]:.6g}", "{0--1,", "0--2}"]
    assert lines[-1] == result.message
    by_frequency = mine_subgraphs(X, Y, measure="frequency", n_subgraphs=1)
    assert "1 subgraphs by frequency, OPTIMAL" in repr(by_frequency)
    np.testing.assert_allclose(by_frequency.values, [0.675], rtol=1e-12)


def test_long_lists_and_long_names_are_shortened():
    graphs = UncertainGraphs(np.full((4, 15), 0.9), node_labels=[f"{'region' * 10}{k}" for k in range(6)])
    result = mine_subgraphs(graphs, Y, n_subgraphs=30, min_expected_frequency=0.1)
    text = repr(result).splitlines()
    assert len(text) == 14
    assert text[-2] == "  ... and 20 more"
    assert max(map(len, text)) < 150
    assert "<p>... and 20 more</p>" in result._repr_html_()


def test_hostile_labels_are_escaped():
    graphs = UncertainGraphs(X, node_labels=["<script>alert(1)</script>", 'a & b "c"', "<img src=x>"])
    html = mine_subgraphs(graphs, Y, n_subgraphs=3, min_expected_frequency=0.1)._repr_html_()
    assert "<script" not in html
    assert "<img src" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a &amp; b" in html


def test_negative_n_jobs_count_from_the_number_of_processors(monkeypatch):
    monkeypatch.setattr(limits, "cpu_count", lambda: 8)
    assert [resolve_n_jobs(n) for n in (-1, -2, -8, -9)] == [8, 7, 1, 1]


RNG = np.random.default_rng(0)
NAMES = np.repeat(["adhd", "td"], 10)
TYPICAL = RNG.uniform(0.2, 0.6, (20, 6))
TYPICAL[:10, 0] += 0.3  # typical of adhd
TYPICAL[10:, 5] += 0.3  # typical of td
ONE = {"n_subgraphs": 1, "max_edges": 1, "score": "confidence"}
GUESSED = (
    "confidence is large for subgraphs typical of the positive class, which was not given. It is assumed "
    "to be 'td', the last in sorted order, and not 'adhd'. Give pos_label."
)


def guesses(caught):
    return [str(one.message) for one in caught if issubclass(one.category, AssumedClassWarning)]


def test_a_one_sided_score_with_an_assumed_class_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = mine_subgraphs(TYPICAL, NAMES, **ONE)
    assert guesses(caught) == [GUESSED]
    assert (result.positive_class, result.subgraphs) == ("td", [(5,)])
    given = mine_subgraphs(TYPICAL, NAMES, **ONE, pos_label="adhd")
    assert (given.positive_class, given.subgraphs) == ("adhd", [(0,)])
    for view in (repr(given), given._repr_html_()):
        assert "positive class: adhd" in view
    with pytest.warns(AssumedClassWarning, match="assumed to be 2, the last in sorted order, and not 1"):
        mine_subgraphs(TYPICAL, np.where(NAMES == "td", 2, 1), **ONE)


@pytest.mark.parametrize("classes", [(0, 1), (-1, 1), (False, True), (0.0, 1.0)])
def test_one_and_zero_are_not_assumed(classes):
    assert (
        mine_subgraphs(TYPICAL, np.where(NAMES == "td", *classes[::-1]), **ONE).positive_class == classes[1]
    )


@pytest.mark.parametrize("settings", [{"score": "hsic"}, {"measure": "frequency"}, {"score": "g_test"}])
def test_other_scores_need_no_positive_class(settings):
    assert mine_subgraphs(TYPICAL, NAMES, **(ONE | settings)).positive_class == "td"


def test_a_loaded_selector_has_its_positive_class(tmp_path):
    selector = SubgraphSelector(n_subgraphs=1, score_func="confidence", pos_label="adhd").fit(TYPICAL, NAMES)
    selector.to_json(tmp_path / "model.json")
    for one in (selector, SubgraphSelector.from_json(tmp_path / "model.json")):
        assert one.result_.positive_class == "adhd"


def test_an_evaluation_warns_once_and_names_the_class_of_f1():
    settings = {"n_subgraphs": [2], "cv": RandomSplits(2)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = evaluate(TYPICAL, NAMES, ["exp-confidence", "med-confidence+div", "all-edges"], **settings)
    assert guesses(caught) == [GUESSED]
    assert result.parameters["positive_class"] == "td"
    evaluate(TYPICAL, NAMES, ["exp-hsic"], **settings)
    evaluate(TYPICAL, NAMES, ["exp-confidence"], pos_label="td", **settings)


def test_commands_warn_about_an_assumed_class(tmp_path, capsys):
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(TYPICAL), NAMES)
    mine = ["mine", str(tmp_path / "cohort.npz"), "--score", "confidence", "--n-subgraphs", "1"]
    assert main(mine) == 0
    assert capsys.readouterr().err.count("It is assumed to be 'td'") == 1
    settings = ["--methods", "exp-confidence", "--n-subgraphs", "2", "--n-splits", "2"]
    assert main(["evaluate", mine[1], *settings, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert said.err.count("It is assumed to be 'td'") == 1
    assert "error rate, F1 and AUC of td with (rank)" in said.out
    assert main([*mine, "--pos-label", "adhd"]) == 0
    assert "assumed to be" not in capsys.readouterr().err
