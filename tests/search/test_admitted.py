"""Counts of admitted subgraphs equal those by definition; capped counts are marked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dugraph import InputError, UncertainGraphs
from dugraph.data import signed_edges
from dugraph.data.edges import triangle_edges
from dugraph.search import admitted
from dugraph.search.admitted import Admitted, admitted_table, count_admitted, suggested_limit
from dugraph.search.exhaustive import connected_subgraphs
from dugraph.search.mining import mine_within

GRID = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])


@settings(max_examples=60, deadline=None)
@given(
    X=st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, 10), elements=GRID)),
    limit=st.sampled_from([0.0, 0.05, 0.11, 0.3, 0.55]),
)
def test_counts_are_those_of_the_definition(X, limit):
    graphs = UncertainGraphs(X)
    expected = [0, 0, 0]
    for subgraph in connected_subgraphs(graphs.edges, 3):
        expected[len(subgraph) - 1] += X[:, subgraph].prod(axis=1).mean() > limit + 1e-12
    assert [count.number for count in count_admitted(graphs, limit, 3)] == expected


def test_layers_count_as_separate_edges():
    edges, layers = signed_edges(triangle_edges(3))
    graphs = UncertainGraphs(np.full((1, 6), 0.9), edges=edges, edge_layers=layers)
    # Any two of six edges over three nodes meet.
    assert [count.number for count in count_admitted(graphs, 0.5, 2)] == [6, 15]


def test_a_capped_count_applies_to_larger_subgraphs_and_lower_limits():
    graphs = UncertainGraphs(np.full((3, 45), 0.9))
    counts = count_admitted(graphs, 0.2, 3, cap=100)
    assert list(map(str, counts)) == ["45", "> 100", "> 100"]
    exact = count_admitted(graphs, 0.2, 2, cap=45 + 360)
    assert exact == [Admitted(45), Admitted(360)]
    assert count_admitted(graphs, 0.2, 2, cap=45 + 359)[1].capped
    assert [list(map(str, row)) for row in admitted_table(graphs, 3, 100).values()] == [
        ["45", "> 100", "> 100"]
    ] * 3


def test_the_table_is_the_counts_of_each_limit():
    graphs = UncertainGraphs(np.random.default_rng(0).uniform(0, 0.7, (5, 15)))
    assert admitted_table(graphs) == {limit: count_admitted(graphs, limit, 3) for limit in (0.2, 0.1, 0.05)}


@pytest.mark.parametrize(
    ("pairs", "limit"),
    [((500, 900, 999), 0.2), ((99, 100, 300), 0.1), ((0, 0, 7), 0.05), ((5, 5, 5), 0.2), ((0, 0, 0), 0.2)],
)
def test_the_largest_limit_with_enough_pairs_is_suggested(pairs, limit):
    rows = [[Admitted(1000), Admitted(number), Admitted(0)] for number in pairs]
    assert suggested_limit(dict(zip((0.2, 0.1, 0.05), rows, strict=True))) == limit


def test_wrong_numbers_are_refused():
    graphs = UncertainGraphs([[0.5]])
    with pytest.raises(InputError, match="min_expected_frequency must be a number"):
        count_admitted(graphs, 1.5, 1)
    with pytest.raises(InputError, match="max_edges must be a whole number"):
        count_admitted(graphs, 0.5, 0)


@pytest.fixture
def searched(monkeypatch):
    """The limits of the searches that counting has made."""
    searched = []

    def search(limit, graphs, *_, **options):
        searched.append(options["min_expected_frequency"])
        return mine_within(limit, graphs, *_, **options)

    monkeypatch.setattr(admitted, "mine_within", search)
    return searched


def test_single_edges_are_counted_without_a_search_unless_rounding_may_decide(searched):
    graphs = UncertainGraphs([[0.1, 0.5, 0.9], [0.3, 0.5, 0.3]])
    assert [count_admitted(graphs, limit, 1)[0].number for limit in (0.1, 0.3, 0.55, 0.9)] == [3, 2, 1, 0]
    assert count_admitted(graphs, 0.3, 1, cap=1) == [Admitted(1, True)]
    assert searched == []
    assert [count_admitted(graphs, limit, 1)[0].number for limit in (0.2, 0.5, 0.6)] == [2, 1, 0]
    assert searched == [0.2, 0.5, 0.6]


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_counted_without_a_search_unless_rounding_may_decide(searched, seed):
    rng = np.random.default_rng(seed)
    edges, layers = signed_edges(triangle_edges(4))  # some pairs meet at both of their nodes
    X = rng.uniform(0, 1, (4, len(edges))).astype(np.float32 if seed % 2 else np.float64)
    graphs = UncertainGraphs(X, edges=edges, edge_layers=layers)
    pairs = [pair for pair in connected_subgraphs(graphs.edges, 2) if len(pair) == 2]
    means = np.sort([X.astype(float)[:, pair].prod(axis=1).mean() for pair in pairs])
    some = int(rng.integers(len(means) - 1))
    assert count_admitted(graphs, means[some : some + 2].mean(), 2)[1].number == len(means) - 1 - some
    assert searched == []
    count_admitted(graphs, means[some], 2)
    assert searched == [means[some]]
