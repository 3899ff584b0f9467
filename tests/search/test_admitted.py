"""Counts of admitted subgraphs equal those by definition; capped counts are marked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dugraph import InputError, UncertainGraphs
from dugraph.data import signed_edges
from dugraph.data.edges import triangle_edges
from dugraph.search import exhaustive
from dugraph.search.exhaustive import (
    Admitted,
    admitted_table,
    connected_subgraphs,
    count_admitted,
    suggested_limit,
)
from dugraph.search.mining import mine_within

GRID = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])


@settings(max_examples=60, deadline=None)
@given(
    X=st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, 10), elements=GRID)),
    limit=st.sampled_from([0.0, 0.05, 0.11, 0.3, 0.55]),
    layered=st.booleans(),
)
def test_counts_are_those_of_the_definition(X, limit, layered):
    graphs = UncertainGraphs(X)
    if layered:
        graphs = UncertainGraphs(X, edges=np.repeat(graphs.edges[:5], 2, axis=0), edge_layers=["a", "b"] * 5)
    expected = [0, 0, 0]
    for subgraph in connected_subgraphs(graphs.edges, 3):
        expected[len(subgraph) - 1] += X[:, subgraph].prod(axis=1).mean() > limit + 1e-12
    assert [count.number for count in count_admitted(graphs, limit, 3)] == expected


def test_a_capped_count_applies_to_larger_subgraphs_and_lower_limits():
    graphs = UncertainGraphs(np.full((3, 45), 0.9))
    counts = count_admitted(graphs, 0.2, 3, cap=100)
    assert list(map(str, counts)) == ["45", "> 100", "> 100"]
    assert count_admitted(graphs, 0.2, 2, cap=45 + 360) == [Admitted(45), Admitted(360)]
    assert count_admitted(graphs, 0.2, 2, cap=45 + 359)[1].capped
    assert list(admitted_table(graphs, 3, 100).values()) == [counts] * 3
    rare = UncertainGraphs(np.random.default_rng(0).uniform(0, 0.7, (5, 15)))
    assert admitted_table(rare) == {limit: count_admitted(rare, limit, 3) for limit in (0.2, 0.1, 0.05)}


@pytest.mark.parametrize(
    ("pairs", "limit"),
    [((500, 900, 999), 0.2), ((99, 100, 300), 0.1), ((0, 0, 7), 0.05), ((5, 5, 5), 0.2), ((0, 0, 0), 0.2)],
)
def test_the_largest_limit_with_enough_pairs_is_suggested(pairs, limit):
    rows = [[Admitted(1000), Admitted(number), Admitted(0)] for number in pairs]
    assert suggested_limit(dict(zip((0.2, 0.1, 0.05), rows, strict=True))) == limit


def test_wrong_numbers_are_refused():
    for wrong, name in (
        ((1.5, 1), "min_expected_frequency must be a number"),
        ((0.5, 0), "max_edges must be"),
    ):
        with pytest.raises(InputError, match=name):
            count_admitted(UncertainGraphs([[0.5]]), *wrong)


@pytest.mark.parametrize("seed", range(5))
def test_edges_and_pairs_are_counted_without_a_search_unless_rounding_may_decide(monkeypatch, seed):
    searched = []

    def search(limit, graphs, *_, **options):
        searched.append(options["min_expected_frequency"])
        return mine_within(limit, graphs, *_, **options)

    monkeypatch.setattr(exhaustive, "mine_within", search)
    rng = np.random.default_rng(seed)
    edges, layers = signed_edges(triangle_edges(4))  # some pairs meet at both of their nodes
    X = rng.uniform(0, 1, (4, len(edges))).astype(np.float32 if seed % 2 else np.float64)
    graphs = UncertainGraphs(X, edges=edges, edge_layers=layers)
    subgraphs = connected_subgraphs(graphs.edges, 2)
    for size in (1, 2):
        means = np.sort([X.astype(float)[:, g].prod(axis=1).mean() for g in subgraphs if len(g) == size])
        some = int(rng.integers(len(means) - 1))
        between = means[some : some + 2].mean()
        assert count_admitted(graphs, between, size)[-1].number == len(means) - 1 - some
        assert searched == []
        assert count_admitted(graphs, means[some], size)[-1].number == len(means) - 1 - some
        assert searched[-1] == means[some]
        searched.clear()
