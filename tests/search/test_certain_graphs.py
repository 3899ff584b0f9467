"""Certain graphs have a bound of their own: the same answers as without it, also for large classes."""

import numpy as np
import pytest
from random_cohorts import SOAK

from dugraph import mine_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning
from dugraph.search import enumerate_subgraphs
from dugraph.search.mining import mine_within

EDGES = [(i, j) for i in range(4) for j in range(i)]
SCORES = ["confidence", "frequency_ratio", "g_test", "hsic", "information_gain"]


def shifted(a, b, p, q):
    """A score with negative values."""
    return a / p - 2 * b / q - 0.3


@pytest.mark.filterwarnings(f"ignore::{FewerSubgraphsWarning.__module__}.FewerSubgraphsWarning")
@pytest.mark.parametrize("measure", ["expectation", "median", "quantile", "mode", "phi_probability"])
@pytest.mark.parametrize("score", [*SCORES, shifted])
def test_bound_of_certain_graphs(score, measure):
    random = np.random.default_rng(0)
    for _ in range(20 if SOAK else 3):
        n_pos, n_neg = random.integers(1, 150, 2)
        y = np.repeat([1, 0], [n_pos, n_neg])
        X = (random.random((len(y), len(EDGES))) < random.random((2, len(EDGES)))[y]).astype(float)
        settings = {
            "edges": EDGES,
            "score": score,
            "measure": measure,
            "phi": float(random.choice([0.01, 0.5, 1.0])),
            "quantile": 0.3,
            "min_expected_frequency": float(random.choice([0.0, 0.05])),
        }
        _, values = enumerate_subgraphs(X, y, **settings)
        found = [
            mine_subgraphs(X, y, n_subgraphs=5, bound=b, **settings)
            for b in ("frequency", "worldwise", "mass")
        ]
        assert len({(tuple(r.subgraphs), r.values.tobytes()) for r in found}) == 1
        np.testing.assert_allclose(found[0].values, values[:5], rtol=1e-12, atol=1e-14)


def test_thresholded_search_visits_little():
    """The envelopes of uncertain supports would be far too wide here: it is the score itself that bounds."""
    random = np.random.default_rng(1)
    pairs = np.column_stack(np.tril_indices(12, -1))
    y = np.repeat([1, 0], 40)
    X = (random.random((80, len(pairs))) < 0.75).astype(float)
    settings = {"score": "frequency_ratio", "n_subgraphs": 20, "min_expected_frequency": 0.2}
    free = mine_subgraphs(X, y, bound="frequency", max_edges=4, **settings)
    bounded = mine_subgraphs(X, y, max_edges=4, **settings)
    assert bounded.subgraphs == free.subgraphs
    assert bounded.n_evaluated < free.n_evaluated / 20


def test_ties_of_certain_graphs_are_cut():
    """All edge sets of a network that every graph has are equally frequent, so the single edges win."""
    pairs = np.column_stack(np.tril_indices(12, -1))
    y = np.repeat([1, 0], 18)
    result = mine_within(10_000, np.ones((36, len(pairs))), y, measure="frequency", n_subgraphs=20)
    assert result.status.name == "OPTIMAL"
    assert result.subgraphs == [(edge,) for edge in range(20)]
