"""Error messages for wrong parameters; text and HTML views of the result."""

import math

import numpy as np
import pytest

from dugraph import UncertainGraphs, mine_subgraphs
from dugraph.exceptions import AssumedClassWarning, InputError
from dugraph.search import limits
from dugraph.search.limits import resolve_n_jobs
from dugraph.search.progress import progress_line

X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
Y = [1, 1, 0, 0]
WHOLE = r"must be a whole number of at least 1 and below 2\*\*62, but is"


def difference(a, b, p, q):
    return a - b


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bound": "best"}, "bound must be one of frequency, worldwise, mass, but is 'best'."),
        ({"measure": "mean"}, "measure must be one of expectation, .*, frequency, but is 'mean'."),
        (
            {"score": "chi2"},
            r"score must be one of confidence, .* or a function f\(a, b, p, q\), but is 'chi2'.",
        ),
        (
            {"min_expected_frequency": -0.1},
            "min_expected_frequency must be a number of at least 0 and below 1, but is -0.1.",
        ),
        (
            {"min_expected_frequency": 1},
            "min_expected_frequency .*, but is 1. It is a share of the graphs: 0.2",
        ),
        ({"min_expected_frequency": math.nan}, "min_expected_frequency must be .*, but is nan."),
        ({"n_subgraphs": 0}, f"n_subgraphs {WHOLE} 0."),
        ({"n_subgraphs": 2.0}, f"n_subgraphs {WHOLE} 2.0."),
        ({"n_subgraphs": True}, f"n_subgraphs {WHOLE} True."),
        ({"n_subgraphs": "ten"}, f"n_subgraphs {WHOLE} 'ten'."),
        ({"max_edges": 0}, f"max_edges {WHOLE} 0."),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds or None, but is 0."),
        ({"time_limit": math.nan}, "time_limit must be .*, but is nan."),
        ({"time_limit": "1 h"}, "time_limit must be .*, but is '1 h'."),
        ({"time_limit": True}, "time_limit must be .*, but is True."),
        (
            {"n_jobs": 0},
            r"n_jobs must be None, -1 or a whole number from 1 to 1024 \(other negative numbers as in "
            r"joblib\), but is 0.",
        ),
        ({"n_jobs": 1025}, "n_jobs must be .*, but is 1025."),
        ({"n_jobs": 1.5}, "n_jobs must be .*, but is 1.5."),
        ({"n_jobs": True}, "n_jobs must be .*, but is True."),
        ({"progress": 3}, "progress must be True, False, None or a function of one dict, but is 3."),
        ({"measure": "quantile", "quantile": 0}, "quantile must lie strictly between 0 and 1, but is 0."),
        ({"measure": "quantile", "quantile": 1.0}, "quantile must lie strictly between 0 and 1, but is 1.0."),
        ({"measure": "phi_probability", "phi": math.nan}, "phi must be a finite number, but is nan."),
        ({"measure": "phi_probability", "score": difference}, "no default phi, but phi is None."),
        ({"score_cap": math.inf}, "score_cap must be finite, but is inf."),
        ({"pos_label": 7}, "pos_label must be one of the two classes"),
        ({"edges": [[1, 0]]}, "edges"),
    ],
)
def test_wrong_parameters_are_explained(wrong, message):
    with pytest.raises(InputError, match=message):
        mine_subgraphs(X, Y, **wrong)


def test_labels_are_checked():
    with pytest.raises(InputError, match="exactly two classes"):
        mine_subgraphs(X, [1, 1, 1, 1])


def test_edges_with_a_cohort_are_refused():
    with pytest.raises(InputError, match="edges must be given once"):
        mine_subgraphs(UncertainGraphs(X), Y, edges=[[1, 0], [2, 0], [2, 1]])


def test_positive_label_turns_a_one_sided_score():
    by = {
        label: mine_subgraphs(X, list("ppcc"), score="confidence", n_subgraphs=3, pos_label=label)
        for label in "pc"
    }
    assert by["p"].values[0] > by["c"].values[0]
    with pytest.warns(AssumedClassWarning, match="assumed to be 'p'"):
        guessed = mine_subgraphs(X, list("ppcc"), score="confidence", n_subgraphs=3)
    assert by["p"].values.tobytes() == guessed.values.tobytes()


def test_parameters_are_kept():
    result = mine_subgraphs(X, Y, score=difference, measure="phi_probability", phi=1, n_subgraphs=1)
    assert result.parameters["score"] == "difference"
    assert result.parameters["phi"] == 1
    assert result.parameters["quantile"] is None


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
    dense = np.full((4, 15), 0.9)
    names = [f"{'region' * 10}{k}" for k in range(6)]
    result = mine_subgraphs(
        UncertainGraphs(dense, node_labels=names), Y, n_subgraphs=30, min_expected_frequency=0.1
    )
    text = repr(result).splitlines()
    assert len(text) == 14
    assert text[-2] == "  ... and 20 more"
    assert max(map(len, text)) < 150
    assert "<p>... and 20 more</p>" in result._repr_html_()


def test_hostile_labels_are_escaped():
    names = ["<script>alert(1)</script>", 'a & b "c"', "<img src=x>"]
    graphs = UncertainGraphs(X, node_labels=names)
    html = mine_subgraphs(graphs, Y, n_subgraphs=3, min_expected_frequency=0.1)._repr_html_()
    assert "<script" not in html
    assert "<img src" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a &amp; b" in html


def test_progress_line_before_the_first_threshold():
    now = {
        "n_visited": 0,
        "n_evaluated": 0,
        "threshold": -math.inf,
        "best_open_bound": math.inf,
        "seconds": 0.0,
    }
    assert progress_line(now) == "0 admitted (0/s), 0 evaluated, threshold ?, gap ?, 0.0 s"


def test_negative_n_jobs_count_from_the_number_of_processors(monkeypatch):
    monkeypatch.setattr(limits, "cpu_count", lambda: 8)
    assert [resolve_n_jobs(n) for n in (-1, -2, -8, -9)] == [8, 7, 1, 1]
