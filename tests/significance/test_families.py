"""Irreducible subgraphs and families by their definitions, on random lists and on planted differences."""

import numpy as np
import pytest

from dugraph import significant_subgraphs
from dugraph.significance.result import irreducible_subgraphs, subgraph_families


@pytest.mark.parametrize("seed", range(40))
def test_families_divide_the_list_by_the_edges_shared_with_representatives(seed):
    """Sets of edges, with many equal statistics."""
    random = np.random.default_rng(seed)
    sets = {
        tuple(sorted(random.permutation(7)[: random.integers(1, 6)].tolist()))
        for _ in range(int(random.integers(1, 40)))
    }
    subgraphs = [sorted(sets)[k] for k in random.permutation(len(sets))]
    statistics = random.integers(1, 9, len(subgraphs)) / 4
    # Irreducible: no listed part has a statistic as large.
    parts = [[j for j, h in enumerate(subgraphs) if set(h) < set(g)] for g in subgraphs]
    irreducible = irreducible_subgraphs(subgraphs, statistics)
    assert irreducible.tolist() == [
        all(statistics[j] < statistics[k] for j in parts[k]) for k in range(len(subgraphs))
    ]
    families = subgraph_families(subgraphs, irreducible)
    assert sorted(k for one in families for k in one.members) == list(range(len(subgraphs)))
    assert sorted(k for one in families for k in one.irreducible) == np.flatnonzero(irreducible).tolist()
    heads, taken = [], set()
    for k in np.flatnonzero(irreducible).tolist():
        if taken.isdisjoint(subgraphs[k]):
            heads.append(k)
            taken.update(subgraphs[k])
    assert [one.irreducible[0] for one in families] == heads
    for number, one in enumerate(families):
        assert one.representative == subgraphs[heads[number]]
        assert set(one.irreducible) <= set(one.members)
        assert set(one.edges) == {edge for k in one.irreducible for edge in subgraphs[k]}
        for k in one.members:
            shared = [len(set(subgraphs[k]) & set(other.representative)) for other in families]
            assert shared.index(max(shared)) == number
            assert max(shared) > 0


def test_an_idle_edge_is_in_significant_subgraphs_but_in_no_irreducible_one():
    random = np.random.default_rng(0)
    X, y = random.uniform(0.6, 1.0, (60, 6)), np.arange(60) % 2
    X[:, 0] = np.where(y == 1, 0.9, 0.1)
    result = significant_subgraphs(X, y)
    assert {edge for g in result.subgraphs for edge in g} > {0}
    assert [g for g, first in zip(result.subgraphs, result.irreducible, strict=True) if first] == [(0,)]
    (family,) = result.families
    assert family.edges == family.representative == (0,)
    assert family.members == list(range(len(result)))
    assert result.representative.tolist() == result.irreducible.tolist()
    assert f"{len(result)} of {result.n_admitted.sum()} connected subgraphs" in result.message
    assert "; 1 of them is irreducible, in 1 family. " in result.message
    nothing = significant_subgraphs(random.random((20, 3)), np.arange(20) % 2)
    assert (len(nothing), nothing.families, nothing.irreducible.tolist()) == (0, [], [])
