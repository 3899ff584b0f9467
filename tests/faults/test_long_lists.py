"""A long list costs what is looked at: limits hold to the end of building it, names are made on demand."""

import tracemalloc

import numpy as np
import pytest

import dugraph as dg
from dugraph.data.edges import SubgraphNaming
from dugraph.exceptions import LimitReachedWarning
from dugraph.results import record_of, records
from dugraph.search.mining import mine_within
from dugraph.search.result import Status

N_EDGES, N_LISTED = 300, 20_000
PAIRS = np.column_stack(np.tril_indices(40, -1))[:N_EDGES]
CERTAIN = dg.UncertainGraphs(np.ones((8, N_EDGES)), edges=PAIRS)
Y = np.arange(8) % 2


def long_list() -> dg.MiningResult:
    """Certain edges: all subgraphs tie, so there is a list of any length."""
    with pytest.warns(LimitReachedWarning):
        return mine_within(4 * N_LISTED, CERTAIN, Y, n_subgraphs=N_LISTED)


def test_names_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    make = SubgraphNaming.subgraph_names
    monkeypatch.setattr(
        SubgraphNaming,
        "subgraph_names",
        lambda self, chosen: (calls.append(len(chosen)), make(self, chosen))[1],
    )
    result = long_list()
    assert (result.status, len(result)) == (Status.NODE_LIMIT, N_LISTED)
    assert repr(result)
    assert calls == []
    assert len(result.names) == N_LISTED
    assert calls == [N_LISTED]


def test_only_subgraphs_that_are_looked_at_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    result = long_list()
    described: list[object] = []
    make = records.RankedSubgraph
    monkeypatch.setattr(
        records, "RankedSubgraph", lambda **facts: (described.append(facts["rank"]), make(**facts))[1]
    )
    record = record_of(result, dg.LabelledGraphs(CERTAIN, Y))
    assert [one.rank for one in record.subgraphs[:20]] == [*range(1, 21)]
    assert described == [*range(1, 21)]


def test_a_listed_subgraph_takes_no_more_memory_than_is_said() -> None:
    """docs/reliability.md: some 200 bytes, and 18 for each of its edges."""
    tracemalloc.start()
    try:
        result = long_list()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    n_edges = sum(map(len, result.subgraphs))
    assert taken < 200 * len(result) + 18 * n_edges + 2**20
