"""Workers and the calling process may be killed at any time: the bytes stay those of one process."""

import os
from contextlib import nullcontext

import pytest
from clusters import distributed, killed_at_random, local_client
from slicings import same

import dugraph as dg
from dugraph.search import parts
from dugraph.search.parts import PartedSearch

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
LONG = {"min_expected_frequency": 0.45, "n_subgraphs": 20, "bound": "frequency"}  # 2.5 million subgraphs met
LONG |= {"measure": "mode", "score": "frequency_ratio"}

pytestmark = [
    pytest.mark.system,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.mark.skipif(not SOAK, reason="processes are killed: make soak")
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_workers_may_be_killed(n_workers, monkeypatch):
    monkeypatch.setattr(parts, "TASK_SECONDS", 0.3)
    monkeypatch.setattr(parts, "SHORT_SECONDS", 0.1)
    whole, n_back, receive = dg.mine_subgraphs(GRAPHS, Y, **LONG), [0], PartedSearch.receive

    def noted(self, *found):
        n_back[0] += 1
        receive(self, *found)

    monkeypatch.setattr(PartedSearch, "receive", noted)
    with local_client(n_workers) as one, killed_at_random(one, n_workers, 3.0, lambda: n_back[0]) as kills:
        while len(kills) < 7:
            assert same(dg.mine_subgraphs(GRAPHS, Y, **LONG, client=one), whole)
    print(f"{n_workers} workers: {len(kills)} kills")


@pytest.mark.parametrize(
    "on_cluster", [False, pytest.param(True, marks=pytest.mark.skipif(not SOAK, reason="soak"))]
)
def test_a_killed_search_resumes(on_cluster, tmp_path, kill_after_saves):
    """Killed at a random instant after it has saved something new."""
    file = tmp_path / "search.npz"
    with local_client(2) if on_cluster else nullcontext() as one:
        address = repr(one.scheduler.address) if on_cluster else None
        program = f"""\
            import test_killed
            test_killed.search_with_checkpoint({str(file)!r}, {address})
        """
        kill_after_saves(file, program, 20 if SOAK else 1)
        assert same(
            dg.mine_subgraphs(GRAPHS, Y, **LONG, checkpoint=file), dg.mine_subgraphs(GRAPHS, Y, **LONG)
        )


def search_with_checkpoint(file, address):
    from dugraph.cluster import parts as cluster_parts

    cluster_parts.SECONDS, cluster_parts.SHARE = 0.0, 1.0
    parts.PART_SECONDS = parts.TASK_SECONDS = parts.SHORT_SECONDS = 0.005
    with distributed.Client(address) if address else nullcontext() as one:
        dg.mine_subgraphs(GRAPHS, Y, **LONG, checkpoint=file, client=one)
