"""Memory of the process that calls and of its workers, while ten million subgraphs and more are open.

python benchmarks/cluster_memory.py --regions 300 --rooms 256 16

A made-up cohort in which every edge is admitted. All subgraphs of two edges are met and left open in a
checkpoint; a process of its own then goes on from that file on two workers for some seconds, with room for so
many megabytes of waiting work. Its peak, and that of its workers, beside the formula of docs/clusters.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import dugraph as dg
from dugraph.cluster.dask_client import open_client
from dugraph.search import parted, search_state, shards
from dugraph.search.limits import memory_needed
from dugraph.search.open_work import OpenWork

N_GRAPHS, N_WORKERS = 10, 2
ASKED: dict[str, Any] = {"min_expected_frequency": 0.5, "bound": "frequency", "shard": "1/1"}


def peak(reset: bool = False) -> float:
    """Megabytes that this process has held at most, since the last time it was told to forget."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line]
    return int(line.split()[1]) * 1024 / 1e6


def cohort(n_regions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    n_edges = n_regions * (n_regions - 1) // 2
    return rng.uniform(0.85, 1, (N_GRAPHS, n_edges)), np.arange(N_GRAPHS) % 2


def leave_open(X: np.ndarray, y: np.ndarray, file: Path) -> None:
    """Meet all subgraphs of two edges, and no others."""
    shards.PIECES_PER_SHARD = len(X[0])
    dg.mine_subgraphs(X, y, **ASKED, checkpoint=file, node_limit=1)


def go_on(n_regions: int, file: Path, room: float, seconds: float) -> None:
    """Go on from a file, and print what that takes."""
    parted.MOST_WAITING = int(room * 1e6)
    X, y = cohort(n_regions)
    n_stored = []
    returned = search_state.SearchState.returned

    def noted(self: search_state.SearchState, *found: Any) -> search_state.SearchState:
        n_stored.append(len(self.stored))
        return returned(self, *found)

    search_state.SearchState.returned = noted  # type: ignore[method-assign]
    with open_client(f"local:{N_WORKERS}") as client:
        # What any search on a cluster takes: libraries, connections.
        dg.mine_subgraphs(*cohort(8), min_expected_frequency=0.9, n_subgraphs=1, client=client)
        before, workers_before = peak(reset=True), max(client.run(peak, reset=True).values())
        result = dg.mine_subgraphs(X, y, **ASKED, checkpoint=file, client=client, time_limit=seconds)
        print(
            json.dumps(
                {
                    "before": before,
                    "client": peak(),
                    "worker before": workers_before,
                    "worker": max(client.run(peak).values()),
                    "stored": max(n_stored),
                    "met": int(result.n_visited),
                }
            )
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--regions", type=int, default=300)
    parser.add_argument("--rooms", type=float, nargs="+", default=[256, 16], help="megabytes of waiting work")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--resume", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.resume:
        go_on(options.regions, options.resume, options.rooms[0], options.seconds)
        return
    X, y = cohort(options.regions)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "open.npz"
        leave_open(X, y, whole)
        with np.load(whole) as saved:
            n_open = int(np.diff(saved["ranges"], axis=1).sum())
            n_bytes = sum(saved[name].nbytes for name in OpenWork._fields)
        print(f"{n_open:,} open subgraphs in {n_bytes / 1e6:,.0f} MB; the cohort is {X.nbytes / 1e6:,.0f} MB")
        print("MB beyond what any search on a cluster takes:")
        print("room  client  formula  a worker  formula  pieces on disk at most  client and worker in all")
        n_edges = len(X[0])
        # The cohort as it came and as it is read, what a search takes, and some megabytes for messages and
        # open work.
        of_search = memory_needed(N_GRAPHS, n_edges, N_GRAPHS // 2, 1)
        of_worker = (2 * X.nbytes + of_search) / 1e6 + 40
        for room in options.rooms:
            file = Path(folder) / f"{room}.npz"
            file.write_bytes(whole.read_bytes())
            flags = ["--regions", options.regions, "--rooms", room, "--seconds", options.seconds]
            command = [sys.executable, "-W", "ignore", __file__, *map(str, flags), "--resume", str(file)]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            told = json.loads(run.stdout.splitlines()[-1])
            # The scheduler of `local:N` is in the same process: cohort and pieces once more. Resuming reads
            # the whole file.
            formula = 3 * X.nbytes / 1e6 + room + 2 * 2 * N_WORKERS * 1.05 + n_bytes / 1e6
            print(
                f"{room:4.0f}  {told['client'] - told['before']:6.0f}  {formula:7.0f}  "
                f"{told['worker'] - told['worker before']:8.0f}  {of_worker:7.0f}  {told['stored']:22}  "
                f"{told['client']:.0f} and {told['worker']:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
