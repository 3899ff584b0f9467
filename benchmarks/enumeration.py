"""Enumeration of all admitted connected subgraphs: against the bare product loop, and against public miners.

The miners get the simulated adhd cohort with edges of probability >= 0.5 as certain graphs whose nodes carry
unique labels, so all count the same subgraphs. Those that are not installed (`pip install '.[bench]'`) are
left out.

python benchmarks/enumeration.py
"""

import contextlib
import io
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cohorts
import numpy as np
from bare_loop import BareLoop
from numpy.typing import NDArray

import dugraph as dg

FREQUENCY = 0.3  # leaves some 10^5 subgraphs
PATIENCE = 600.0  # seconds for a miner


def enumerate_all(X: NDArray[np.float64], y: NDArray[np.int64], limit: float) -> dg.MiningResult:
    return min(
        (
            dg.mine_subgraphs(
                X, y, measure="frequency", bound="frequency", n_subgraphs=1, min_expected_frequency=limit
            )
            for _ in range(3)
        ),
        key=lambda result: result.seconds,
    )


def against_bare_loop() -> None:
    print("| cohort | admitted | candidates | ns per candidate | bare loop, ns | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    loop = BareLoop()
    for name, limit in (("age", 0.02), ("hiv", 0.5), ("abide", 0.02)):
        for _, (X, y) in cohorts.named([name]):
            bare = max(loop.rate(loop.start(len(y), 0.3)) for _ in range(8))
            result = enumerate_all(X, y, limit)
            cost = (result.seconds - result.setup_seconds) / result.n_candidates * 1e9
            print(
                f"| {name}, {limit} | {result.n_visited:,} | {result.n_candidates:,} | {cost:.1f} "
                f"| {1e9 / bare:.1f} | {cost * bare / 1e9:.2f} |",
                flush=True,
            )


def write_graphs(X: NDArray[np.float64], file: Path, end: str) -> None:
    """The text form of gSpan: `t # graph`, `v node label`, `e node node label`."""
    edges = np.column_stack(np.tril_indices(116, -1))
    with file.open("w") as out:
        for k, row in enumerate(X):
            used = edges[row > 0]
            nodes = {int(v): i for i, v in enumerate(np.unique(used))}
            out.write(f"t # {k}\n")
            out.writelines(f"v {i} {v + 1}\n" for v, i in nodes.items())
            out.writelines(f"e {nodes[int(a)]} {nodes[int(b)]} 1\n" for a, b in used)
        out.write(end)


def with_desbordante(file: Path, support: int, n_graphs: int) -> int:
    from desbordante.gspan.algorithms import GSpan

    miner = GSpan()
    miner.load_data(graph_database=str(file), minsup=(support - 0.5) / n_graphs, output_single_vertices=False)
    miner.execute(threads=1)
    return len(miner.get_frequent_subgraphs())


def with_gbolt(file: Path, support: int, n_graphs: int) -> int:
    import fast_gspan

    program = Path(fast_gspan.__file__).parent / "vendor" / "gbolt" / "build" / "gbolt"
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found"
        command = [str(program), "-i", str(file), "-s", str((support - 0.02) / n_graphs), "-o", str(output)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": str(program.parent / "lib")}
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=PATIENCE)
        return sum(found.read_text().count("t #") for found in Path(folder).glob("found.t*"))


def with_gspan_mining(file: Path, support: int, n_graphs: int) -> int:
    code = (
        "from gspan_mining.config import parser\nfrom gspan_mining.main import main\n"
        f"miner = main(parser.parse_args(['-s', '{support}', '-l', '2', {str(file)!r}]))\n"
        "print('count', len(miner._frequent_subgraphs))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return int(run.stdout.rsplit("count", 1)[1])


def against_miners() -> None:
    P, y = cohorts.simulated("adhd")
    X = (P >= 0.5).astype(float)
    print(f"\nThresholded adhd-like cohort, {len(X)} graphs, {X.sum(axis=1).mean():.0f} edges on average\n")
    print("| miner | subgraphs | seconds | ours is faster by |")
    print("|---|---:|---:|---:|")
    ours = enumerate_all(X, y, FREQUENCY)
    print(f"| dugraph | {ours.n_visited:,} | {ours.seconds:.3f} | |", flush=True)
    support = math.floor(FREQUENCY * len(X) + 1e-9) + 1  # more than the limit
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graphs.txt"
        miners: dict[str, tuple[Callable[[Path, int, int], int], str]] = {
            "desbordante, gSpan in C++": (with_desbordante, ""),
            "fast-gspan (gBolt, C++)": (with_gbolt, "t # -1\n"),
            "gspan-mining, Python": (with_gspan_mining, "t # -1\n"),
        }
        for name, (miner, end) in miners.items():
            write_graphs(X, file, end)  # some miners require an end mark, others read it as one more graph
            start = time.perf_counter()
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    count = miner(file, support, len(X))
            except ImportError:
                print(f"| {name} | not installed | | |")
            except subprocess.TimeoutExpired:
                print(
                    f"| {name} | gave up | > {PATIENCE:.0f} | > {PATIENCE / ours.seconds:,.0f} x |",
                    flush=True,
                )
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"| {name} | failed: {type(error).__name__} | | |", flush=True)
            else:
                seconds = time.perf_counter() - start
                agreed = "" if count == ours.n_visited else " (differs!)"
                print(
                    f"| {name} | {count:,}{agreed} | {seconds:.2f} | {seconds / ours.seconds:,.0f} x |",
                    flush=True,
                )


if __name__ == "__main__":
    against_bare_loop()
    against_miners()
