"""Results name the positive class, and a one-sided score warns if it is assumed."""

import warnings

import numpy as np
import pytest

from dugraph import RandomSplits, SubgraphSelector, evaluate, mine_subgraphs, save_cohort
from dugraph.cli import main
from dugraph.data import UncertainGraphs
from dugraph.exceptions import AssumedClassWarning

RNG = np.random.default_rng(0)
Y = np.repeat(["adhd", "td"], 10)
X = RNG.uniform(0.2, 0.6, (20, 6))
X[:10, 0] += 0.3  # typical of adhd
X[10:, 5] += 0.3  # typical of td
SETTINGS = {"n_subgraphs": 1, "max_edges": 1, "score": "confidence"}
GUESSED = (
    "confidence is large for subgraphs typical of the positive class, which was not given. It is assumed "
    "to be 'td', the last in sorted order, and not 'adhd'. Give pos_label."
)


def guesses(caught):
    return [str(one.message) for one in caught if issubclass(one.category, AssumedClassWarning)]


def test_a_one_sided_score_with_an_assumed_class_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = mine_subgraphs(X, Y, **SETTINGS)
    assert guesses(caught) == [GUESSED]
    assert (result.positive_class, result.subgraphs) == ("td", [(5,)])


def test_a_given_positive_class_does_not_warn():
    result = mine_subgraphs(X, Y, **SETTINGS, pos_label="adhd")
    assert (result.positive_class, result.subgraphs) == ("adhd", [(0,)])
    assert "positive class: adhd" in repr(result)
    assert "positive class: adhd" in result._repr_html_()


@pytest.mark.parametrize("classes", [(0, 1), (-1, 1), (False, True), (0.0, 1.0)])
def test_one_and_zero_are_not_assumed(classes):
    y = np.where(Y == "td", *classes[::-1])
    assert mine_subgraphs(X, y, **SETTINGS).positive_class == classes[1]


def test_numeric_codes_are_assumed_too():
    with pytest.warns(AssumedClassWarning, match="assumed to be 2, the last in sorted order, and not 1"):
        mine_subgraphs(X, np.where(Y == "td", 2, 1), **SETTINGS)


@pytest.mark.parametrize("settings", [{"score": "hsic"}, {"measure": "frequency"}, {"score": "g_test"}])
def test_other_scores_need_no_positive_class(settings):
    assert mine_subgraphs(X, Y, **(SETTINGS | settings)).positive_class == "td"


def test_a_loaded_selector_has_its_positive_class(tmp_path):
    settings = {"n_subgraphs": 1, "max_edges": 1, "score_func": "confidence"}
    selector = SubgraphSelector(**settings, pos_label="adhd").fit(X, Y)
    selector.to_json(tmp_path / "model.json")
    for one in (selector, SubgraphSelector.from_json(tmp_path / "model.json")):
        assert one.result_.positive_class == "adhd"


def test_an_evaluation_warns_once_and_names_the_class_of_f1():
    settings = {"methods": ["exp-confidence", "med-confidence+div", "all-edges"], "n_subgraphs": [2]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = evaluate(X, Y, **settings, cv=RandomSplits(2))
    assert guesses(caught) == [GUESSED]
    assert result.parameters["positive_class"] == "td"
    evaluate(X, Y, methods=["exp-hsic"], n_subgraphs=[2], cv=RandomSplits(2))
    evaluate(X, Y, methods=["exp-confidence"], n_subgraphs=[2], cv=RandomSplits(2), pos_label="td")


def test_commands_warn_about_an_assumed_class(tmp_path, capsys):
    save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X), Y)
    data = str(tmp_path / "cohort.npz")
    assert main(["mine", data, "--score", "confidence", "--n-subgraphs", "1"]) == 0
    assert capsys.readouterr().err.count("It is assumed to be 'td'") == 1
    settings = ["--methods", "exp-confidence", "--n-subgraphs", "2", "--n-splits", "2"]
    assert main(["evaluate", data, *settings, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert said.err.count("It is assumed to be 'td'") == 1
    assert "error rate, F1 and AUC of td with (rank)" in said.out
    assert main(["mine", data, "--score", "confidence", "--n-subgraphs", "1", "--pos-label", "adhd"]) == 0
    assert "assumed to be" not in capsys.readouterr().err
