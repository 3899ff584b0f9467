"""Large atlases: set-up, search and memory of cohorts of 200 to 1,000 regions.

Synthetic cohorts with the low-rank structure of brain networks: regions load on a few shared factors, so that
correlations come in modules and many edges are frequent together. All pairs of regions are edges.

python benchmarks/large_atlases.py 200 400 1000
"""

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray

import dugraph as dg

# Regions -> graphs, as in the targets of docs/benchmarks.md.
GRAPHS = {200: 200, 400: 200, 1000: 100}


def low_rank_cohort(n_regions: int, n_graphs: int, seed: int = 0) -> NDArray[np.float64]:
    """Edge probabilities, one row per graph: positive correlations of regions with ten common factors."""
    random = np.random.default_rng(seed)
    common = random.normal(size=(n_regions, 10))
    lower = np.tril_indices(n_regions, -1)
    X = np.empty((n_graphs, len(lower[0])))
    for row in X:
        loadings = common + random.normal(size=common.shape) * 0.9
        covariance = loadings @ loadings.T + 2 * np.eye(n_regions)
        scale = np.sqrt(np.diag(covariance))
        row[:] = np.clip((covariance / scale[:, None] / scale)[lower], 0, 1)
    return X


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("regions", type=int, nargs="+", choices=sorted(GRAPHS))
    parser.add_argument("--min-expected-frequency", type=float, default=0.2)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=600)
    options = parser.parse_args()
    print("| regions | edges | graphs | admitted edges | status | met | set-up s | search s | peak GiB |")
    print("|---:|---:|---:|---:|---|---:|---:|---:|---:|")
    for n_regions in options.regions:
        X = low_rank_cohort(n_regions, GRAPHS[n_regions])
        y = np.arange(len(X)) % 2
        admitted = int((X.mean(axis=0) > options.min_expected_frequency).sum())
        dg.mine_subgraphs(X[:, :1], y, edges=[(1, 0)], n_subgraphs=1, min_expected_frequency=0)  # imports
        begin = time.perf_counter()
        result = dg.mine_subgraphs(
            X,
            y,
            min_expected_frequency=options.min_expected_frequency,
            n_jobs=options.n_jobs,
            time_limit=options.time_limit,
        )
        seconds = time.perf_counter() - begin
        # Everything but the search itself: checks, canonical order, layout of the rows.
        setup = seconds - result.seconds + result.setup_seconds
        search = result.seconds - result.setup_seconds
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"| {n_regions} | {X.shape[1]:,} | {len(X)} | {admitted:,} | {result.status.value} | "
            f"{result.n_visited:,} | {setup:.2f} | {search:.2f} | {peak:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
