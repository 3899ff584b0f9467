"""Containment probability, expected frequency and possible worlds: values by hand and every refusal."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refusal

from dugraph import UncertainGraphs, containment_probability, expected_frequency
from dugraph.exceptions import InputError
from dugraph.simulation import possible_worlds

X = [[0.5, 0.4, 1.0], [0.25, 0.0, 0.8]]
probabilities = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))


def test_values_by_hand():
    np.testing.assert_allclose(containment_probability(X, (0, 1)), [0.2, 0.0], rtol=1e-15)
    np.testing.assert_allclose(containment_probability(X, (2, 0)), [0.5, 0.2], rtol=1e-15)
    assert math.isclose(expected_frequency(X, [0, 2]), 0.35, rel_tol=1e-15)


def test_the_order_of_edges_and_the_kind_of_input_do_not_matter():
    graphs = UncertainGraphs(np.random.default_rng(0).random((4, 3)))
    subgraphs = [(0, 1, 2), (2, 0, 1), np.array([1, 2, 0])]
    found = [
        containment_probability(g, s).tolist() for g in (graphs, graphs.edge_probability) for s in subgraphs
    ]
    assert all(row == found[0] for row in found)


@given(arrays(float, (3, 4), elements=probabilities))
def test_a_larger_subgraph_is_never_more_likely(x):
    chain = [containment_probability(x, range(size)) for size in (1, 2, 3, 4)]
    assert all((larger <= smaller).all() for smaller, larger in itertools.pairwise(chain))


@pytest.mark.parametrize(
    ("subgraph", "message"),
    [
        ((), "A subgraph needs at least one edge, but it is empty. Give edge indices, e.g. (0, 3)."),
        (
            (0, 3),
            "A subgraph's edges are column indices from 0 to 2, but 3 was given. "
            "Use the positions of the edges in `edges`.",
        ),
        (
            (-1,),
            "A subgraph's edges are column indices from 0 to 2, but -1 was given. "
            "Use the positions of the edges in `edges`.",
        ),
        ((0, 1, 0), "A subgraph contains each edge once, but edge 0 appears twice in (0, 1, 0). Remove one."),
        (
            (1.7,),
            "A subgraph is a sequence of integers, but (1.7,) was given "
            "('float' object cannot be interpreted as an integer). "
            "Give edge indices, e.g. (0, 3) or result.subgraphs[0].",
        ),
    ],
)
def test_an_invalid_subgraph_is_refused(subgraph, message):
    for function in (containment_probability, expected_frequency):
        assert refusal(function, X, subgraph) == message


@pytest.mark.parametrize("wrong", [-0.25, 1.5, math.nan, math.inf])
def test_a_value_outside_0_and_1_is_refused(wrong):
    for refuse in (lambda x: containment_probability(x, (0,)), possible_worlds):
        assert refusal(refuse, [[0.5, 0.5], [0.5, wrong]]) == (
            f"edge_probability must lie in [0, 1]: it is {wrong!r} at graph 1 (1), edge 1. "
            + (
                "Use 0 for an absent edge, or drop the graph."
                if math.isnan(wrong)
                else "Drop negative correlations or map them with EdgeProbability."
            )
        )


@pytest.mark.parametrize("shape", [(3,), (1, 2, 3)])
def test_an_array_of_another_shape_is_refused(shape):
    for refuse in (lambda x: containment_probability(x, (0,)), possible_worlds):
        with pytest.raises(InputError, match=r"X must have shape \(n_graphs, n_edges\)"):
            refuse(np.full(shape, 0.5))


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 3)), elements=probabilities))
def test_worlds_are_all_different_and_their_probabilities_sum_to_one(x):
    worlds, mass = possible_worlds(x)
    n_uncertain = int(((x > 0) & (x < 1)).sum())
    assert worlds.shape == (2**n_uncertain, *x.shape)
    assert len(np.unique(worlds.reshape(len(worlds), -1), axis=0)) == len(worlds)
    assert math.isclose(math.fsum(mass), 1.0, rel_tol=1e-14)
    # Certain edges are in all worlds, absent ones in none; an edge's worlds carry its probability.
    np.testing.assert_allclose(np.tensordot(mass, worlds, axes=1), x, rtol=1e-12, atol=1e-15)


def test_too_many_worlds_are_refused():
    assert len(possible_worlds(np.full((2, 2), 0.5), max_worlds=16)[0]) == 16
    assert refusal(possible_worlds, np.full((2, 2), 0.5), max_worlds=15) == (
        "possible_worlds enumerates at most max_worlds = 15 worlds, but 4 edges with a probability between 0 "
        "and 1 make 2**4. Take fewer graphs or edges, or raise max_worlds."
    )
