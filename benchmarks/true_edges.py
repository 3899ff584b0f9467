"""A lower bound on how many single edges truly differ, valid for any selection: how good is it?

Calibrated Simes (Blanchard, Neuvial and Roquain, 2020; Andreella et al., 2023): the p-values of t tests of
all m edges are computed for every permutation of the labels. lambda is the alpha-quantile over permutations
of min_k m p_(k) / k. With l_k = lambda k / m, at least |S| - min_k (#{p in S: p >= l_k} + k - 1) edges of S
differ, for all sets S at once, with probability 1 - alpha.

- error: the share of cohorts in which the bound exceeds the number of planted edges in some set S. The
  circuits of `simulate` also change other edges of their regions, which are then counted as errors.
- bound: the bound for all edges, per cohort; single edges: edges significant by the largest t (family-wise
  error alpha); more, fewer: shares of cohorts in which the bound is above or below their number.
- in the union: the bound for the union of dugraph's irreducible subgraphs, the planted edges in the union,
  and its edges, in cohorts that have one.

python benchmarks/true_edges.py --n-cohorts 200
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import null_cohorts
import numpy as np
from null_cohorts import Floats, Random
from planted_cohorts import DESIGNS, MODULES, Planted, module
from power import edge_t
from scipy.stats import t as t_law

import dugraph as dg

ALPHA = 0.05


def null(random: Random) -> Planted:
    cohort = null_cohorts.null(random)
    return Planted(cohort.X, cohort.y, frozenset(), False)


ALL: dict[str, Callable[[Random], Planted]] = {
    "null": null,
    **DESIGNS,
    "module of 8 regions, +0.10": lambda random: module(random, 8, 0.10),
    **MODULES,
}


def calibrated(p: Floats) -> Floats:
    """The critical vector l_1, ..., l_m for p-values of shape (n_permutations, m), row 0 observed."""
    k = np.arange(1, p.shape[1] + 1)
    least = (np.sort(p, axis=1) * p.shape[1] / k).min(axis=1)
    rank = int(np.floor(ALPHA * len(p)))  # the number of permutations that may be below
    return np.asarray(np.sort(least)[rank] * k / p.shape[1])


def n_true(p: Floats, critical: Floats) -> int:
    """The lower bound for a set with these p-values; strict, so that ties count against it."""
    if not len(p):
        return 0
    above = len(p) - np.searchsorted(np.sort(p), critical, side="left")
    return max(0, len(p) - int((above + np.arange(len(critical))).min()))


def measure(job: tuple[str, int, int]) -> tuple[float, ...]:
    name, number, n_permutations = job
    cohort = ALL[name](np.random.default_rng([number, 2026]))
    varies = np.flatnonzero(np.ptp(cohort.X, axis=0) > 0)
    random = np.random.default_rng(0)
    labels = [cohort.y, *(random.permutation(cohort.y) for _ in range(n_permutations))]
    t = edge_t(cohort.X[:, varies], np.array(labels, dtype=float))
    p = 2 * t_law.sf(t, len(cohort.y) - 2)
    critical = calibrated(p)
    planted = np.isin(varies, list(cohort.edges))
    # The bound is wrong for some set if and only if it is for one of the smallest p-values of edges that do
    # not differ.
    others = np.sort(p[0, ~planted])
    wrong = bool((others < critical[: len(others)]).any())
    bound = n_true(p[0], critical)
    share = (t.max(axis=1)[:, None] >= t[0] * (1 - 1e-10)).mean(axis=0)
    rejected = int((share <= ALPHA).sum())
    result = dg.significant_subgraphs(cohort.X, cohort.y, n_permutations=n_permutations)
    union = {e for k in np.flatnonzero(result.irreducible) for e in result.subgraphs[k]}
    inside = n_true(p[0, np.isin(varies, list(union))], critical) if union else np.nan
    hits = len(union & cohort.edges) if union else np.nan
    return (
        *(wrong, len(cohort.edges), bound, rejected, bound > rejected, bound < rejected, inside, hits),
        len(union) if union else np.nan,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts, {options.n_permutations} permutations.\n")
    heads = "error | planted | bound | single edges | more | fewer | in the union | planted in it | edges"
    print(f"| design | {heads} |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name in ALL:
            jobs = [(name, k, options.n_permutations) for k in range(options.n_cohorts)]
            table = np.array(list(pool.map(measure, jobs, chunksize=4)), dtype=float)
            means = np.nanmean(table, axis=0)
            print(f"| {name} | {' | '.join(f'{one:.2f}' for one in means)} |", flush=True)


if __name__ == "__main__":
    main()
