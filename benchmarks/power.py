"""Power of the test beside NBS (bctpy), edge-wise maxT and Benjamini-Hochberg, on planted differences.

A planted subgraph counts as found if a significant subgraph (a significant component of NBS, a component of
significant edges) has a Jaccard index of at least 1/2 with it; of diffuse edges any one must be found. Needs
the extra `bench`. NBS runs at four thresholds of t; the best one is chosen with hindsight.

python benchmarks/power.py --n-cohorts 200 --n-jobs 2
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import contextlib
import io
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from bct import nbs
from null_cohorts import EDGES, N_NODES, Floats
from numpy.typing import NDArray
from planted_cohorts import DESIGNS, Planted, components
from scipy.stats import false_discovery_control, ttest_ind

import dugraph as dg

STATISTICS = ("z", "difference", "t")
THRESHOLDS = (1.5, 2.0, 2.5, 3.0)
COLUMNS = (*STATISTICS, *(f"NBS t > {one:g}" for one in THRESHOLDS), "edge maxT", "BH")
Found = list[frozenset[int]]


def ours(cohort: Planted, statistic: str, n_permutations: int) -> Found:
    asked = {"n_permutations": n_permutations, "min_expected_frequency": 0.1}
    result = dg.significant_subgraphs(cohort.X, cohort.y, statistic=statistic, **asked)
    return [frozenset(g) for g in result.subgraphs]


def network_based_statistic(cohort: Planted, threshold: float, n_permutations: int) -> Found:
    matrices = np.zeros((N_NODES, N_NODES, len(cohort.y)))
    matrices[EDGES[:, 0], EDGES[:, 1]] = matrices[EDGES[:, 1], EDGES[:, 0]] = cohort.X.T
    groups = matrices[:, :, cohort.y == 1], matrices[:, :, cohort.y == 0]
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            p_values, labels, _ = nbs.nbs_bct(*groups, threshold, n_permutations, seed=0)
    except nbs.BCTParamError:  # raised when no edge passes the threshold
        return []
    component = labels[EDGES[:, 0], EDGES[:, 1]]
    return [
        frozenset(np.flatnonzero(component == k + 1).tolist()) for k, p in enumerate(p_values) if p <= 0.05
    ]


def edge_t(X: Floats, labels: NDArray[np.float64]) -> Floats:
    """|t| of every edge for every row of labels of two classes."""
    x = X - X.mean(axis=0)
    w = labels - labels.mean(axis=1, keepdims=True)
    scale = np.sqrt((w**2).sum(axis=1))[:, None] * np.sqrt((x**2).sum(axis=0))
    r = np.abs(np.divide(w @ x, scale, out=np.zeros_like(scale), where=scale > 1e-12))
    return np.asarray(r * np.sqrt((len(X) - 2) / np.maximum(1 - r**2, 1e-12)))


def edge_max_t(cohort: Planted, n_permutations: int) -> Found:
    random = np.random.default_rng(0)
    labels = np.array([cohort.y, *(random.permutation(cohort.y) for _ in range(n_permutations))], dtype=float)
    t = edge_t(cohort.X, labels)
    p = (t.max(axis=1)[:, None] >= t[0] * (1 - 1e-10)).mean(axis=0)
    return components(np.flatnonzero(p <= 0.05).tolist())


def benjamini_hochberg(cohort: Planted) -> Found:
    varies = np.flatnonzero(np.ptp(cohort.X, axis=0) > 0)
    p = ttest_ind(cohort.X[cohort.y == 1][:, varies], cohort.X[cohort.y == 0][:, varies]).pvalue
    return components(varies[false_discovery_control(p) <= 0.05].tolist())


def success(cohort: Planted, found: Found) -> bool:
    if not cohort.whole:
        return any(cohort.edges & one for one in found)
    return any(2 * len(cohort.edges & one) >= len(cohort.edges | one) for one in found)


def successes(job: tuple[str, int, int, int]) -> list[bool]:
    name, number, n_permutations, nbs_permutations = job
    cohort = DESIGNS[name](np.random.default_rng([number, 2025]))
    answers = [ours(cohort, statistic, n_permutations) for statistic in STATISTICS]
    for threshold in THRESHOLDS:
        answers.append(
            network_based_statistic(cohort, threshold, nbs_permutations) if nbs_permutations else []
        )
    answers += [edge_max_t(cohort, n_permutations), benjamini_hochberg(cohort)]
    return [success(cohort, found) for found in answers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--nbs-permutations", type=int, default=199, help="0 leaves NBS out")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[""], help="designs whose name holds one of these texts")
    options = parser.parse_args()
    print(
        f"{options.n_cohorts} cohorts, {options.n_permutations} permutations, {options.nbs_permutations} of "
        "NBS."
    )
    print(f"\n| share found | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name in (name for name in DESIGNS if any(text in name for text in options.only)):
            jobs = [
                (name, k, options.n_permutations, options.nbs_permutations) for k in range(options.n_cohorts)
            ]
            share = np.mean(list(pool.map(successes, jobs, chunksize=2)), axis=0)
            print(f"| {name} | {' | '.join(f'{one:.2f}' for one in share)} |", flush=True)


if __name__ == "__main__":
    main()
