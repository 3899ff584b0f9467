"""All variants on cohorts of up to 40,000 graphs over 55 regions (1,485 edges): status, time and memory.

Seconds are those of the whole call: checks of the input, layout of the rows, search and values.

python benchmarks/biobank.py --sizes 40000 --min-expected-frequency 0.15
"""

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray

import dugraph as dg
from dugraph.words import PAPER_MEASURES, SCORES

N_REGIONS = 55


def biobank(n_graphs: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Edges of very different frequency; one in ten is a little more or less likely in the positive class."""
    rng = np.random.default_rng(seed)
    n_edges = N_REGIONS * (N_REGIONS - 1) // 2
    mean = rng.beta(1, 5, n_edges)
    lift = np.where(rng.random(n_edges) < 0.1, rng.uniform(-0.15, 0.15, n_edges), 0)
    y = np.arange(n_graphs) % 2
    X = np.empty((n_graphs, n_edges))
    for first in range(0, n_graphs, 1000):
        some = slice(first, first + 1000)
        noise = rng.normal(0, 0.12, X[some].shape) * np.sqrt(mean * (1 - mean))
        X[some] = np.clip(mean * (1 + lift * y[some, np.newaxis]) + noise, 0, 1)
    return X, y


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[400, 2_000, 10_000, 40_000])
    parser.add_argument("--min-expected-frequency", type=float, default=0.2)
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--variants", nargs="+", default=[f"{m}-{s}" for s in SCORES for m in PAPER_MEASURES])
    options = parser.parse_args()
    print("| variant | graphs | status | met | programs | s | processor s | memory, MB |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for n_graphs in options.sizes:
        X, y = biobank(n_graphs)
        for variant in options.variants:
            measure, score = variant.split("-")
            began, began_processor = time.perf_counter(), time.process_time()
            found = dg.mine_subgraphs(
                X,
                y,
                measure=measure,
                score=score,
                n_subgraphs=options.n_subgraphs,
                min_expected_frequency=options.min_expected_frequency,
                n_jobs=2,
            )
            used = time.perf_counter() - began
            processor = time.process_time() - began_processor
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"| {variant} | {n_graphs:,} | {found.status.name} | {found.n_visited:,} "
                f"| {found.n_evaluated:,} | {used:.1f} | {processor:.1f} | {memory:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
