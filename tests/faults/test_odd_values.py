"""Values that NumPy would let pass in silence."""

import numpy as np
import pytest

import dugraph as dg
from dugraph.exceptions import InputError

X = np.random.default_rng(0).random((10, 3))
Y = np.arange(10) % 2


def test_masked_entries_are_refused_and_masks_without_any_are_fine() -> None:
    hidden = np.ma.masked_greater(X, 0.9)
    assert hidden.mask.any()
    n = int(hidden.mask.sum())
    calls = (
        lambda values: dg.mine_subgraphs(values, Y),
        lambda values: dg.UncertainGraphs(values),
        lambda values: dg.SubgraphSelector().fit(values, Y),
        lambda values: dg.significant_subgraphs(values, Y, n_permutations=99),
    )
    for call in calls:
        with pytest.raises((InputError, ValueError), match=f"{n} of this masked array are masked"):
            call(hidden)
    labels = np.ma.masked_array(Y, mask=[True] + [False] * 9)
    for call in (dg.mine_subgraphs, dg.SubgraphSelector().fit, dg.significant_subgraphs):
        with pytest.raises(InputError, match="y must have all its values, but 1 of this masked array"):
            call(X, labels)
    whole = dg.mine_subgraphs(np.ma.masked_array(X), np.ma.masked_array(Y), n_subgraphs=2)
    assert whole.subgraphs == dg.mine_subgraphs(X, Y, n_subgraphs=2).subgraphs


def test_a_complex_score_is_refused() -> None:
    with pytest.raises(InputError, match="it failed: it returned complex numbers"):
        dg.mine_subgraphs(X, Y, score=lambda a, b, p, q: (a - b) * 1j)


def test_edges_that_are_next_to_never_there_are_explained() -> None:
    with pytest.raises(InputError, match="1e-12 or less counts as absent"):
        dg.mine_subgraphs(np.full((10, 3), 1e-13), Y, min_expected_frequency=0)
