"""The test of significance beside its physical limit and beside other tools, taking turns in one run.

The limit is the bare single-precision product of all containment rows with all weights, which a test without
pruning must compute. bctpy's NBS and nilearn's permuted_ols (single edges only) run with few
permutations, scaled up. Needs the extra `bench`. Real cohorts are left out where their files are absent.

OPENBLAS_NUM_THREADS=1 python benchmarks/significance_speed.py
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import contextlib
import io
import time
import warnings
from collections.abc import Callable

import cohorts
import numpy as np
from bct import nbs
from nilearn.mass_univariate import permuted_ols
from numpy.typing import NDArray

from dugraph.data import check_cohort
from dugraph.significance.design import make_setup
from dugraph.significance.maxima import Maxima, TestProblem, null_maxima
from dugraph.significance.permutations import Permutations
from dugraph.significance.statistics import make_denominator, scaled_weights

CASES = [
    ("adhd", 0.1, "z"),
    ("adhd", 0.05, "z"),
    ("age", 0.1, "z"),
    ("age", 0.05, "z"),
    ("age", 0.05, "difference"),
    ("age", 0.05, "t"),
    ("age", 0.02, "z"),
    ("age", 0.02, "difference"),
    ("abide", 0.05, "z"),
    ("abide", 0.02, "z"),
    ("abide", 0.02, "difference"),
]
N_PERMUTATIONS, ALPHA = 1000, 0.05
NBS_PERMUTATIONS, OLS_PERMUTATIONS = 5, 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="the shortest time of so many counts")
    parser.add_argument("--no-others", action="store_true", help="leave bctpy and nilearn out")
    parser.add_argument("--only", nargs="+", default=[], help="these cohorts")
    rounds = (options := parser.parse_args()).rounds
    heads = ("cohort", "admitted", "visited", "1 thread s", "2 threads s", "speed-up", "bare product s")
    print(f"| {' | '.join((*heads, 'test / bare', 'bctpy NBS / test', 'nilearn / test'))} |")
    print("|---|" + "---:|" * (len(heads) + 2))
    others: dict[str, tuple[float, float]] = {}
    for name, limit, statistic in CASES:
        if options.only and name not in options.only:
            continue
        for _, (X, y) in cohorts.named([name]):
            if name not in others:
                others[name] = (np.nan, np.nan) if options.no_others else (_nbs(X, y), _ols(X, y))
            print(_row(X, y, name, limit, statistic, rounds, others[name]), flush=True)


def _row(
    X: NDArray,
    y: NDArray,
    name: str,
    limit: float,
    statistic: str,
    rounds: int,
    others: tuple,
) -> str:
    words = {"min_expected_frequency": limit, "max_edges": None, "n_classes": 4}
    setup = make_setup(check_cohort(X, None), y, None, None, "within", **words)
    permutations = Permutations(setup.design, N_PERMUTATIONS - 1, 0)
    weights = scaled_weights(setup.design.residual_weights(permutations.codes(0, N_PERMUTATIONS)), statistic)
    denominator = make_denominator(setup.design, statistic)

    def test(n_jobs: int) -> Maxima:
        return null_maxima(TestProblem(setup.family, denominator, n_jobs), weights)

    found = test(1)  # the first call also computes the layout
    n_admitted = int(found.n_admitted.sum())
    bare = _bare_product(weights[:, 0], n_admitted)
    one, two, product = [], [], []
    for _ in range(rounds):
        product.append(bare())
        one.append(_seconds(lambda: test(1)))
        two.append(_seconds(lambda: test(2)))
    seconds, limit_seconds = min(one), min(product)
    cells = (
        f"{n_admitted:,}",
        f"{found.n_visited:,}",
        f"{seconds:.2f}",
        f"{min(two):.2f}",
        f"{seconds / min(two):.2f}",
        f"{limit_seconds:.2f}",
        f"{seconds / limit_seconds:.2f}",
        *(f"{other / seconds:,.1f}" if np.isfinite(other) else "" for other in others),
    )
    return f"| {name}, {limit}, {statistic} | {' | '.join(cells)} |"


def _bare_product(weights: NDArray, n_admitted: int) -> Callable[[], float]:
    """Seconds of the product over as many rows as there are subgraphs, measured on a part of them."""
    rows = min(n_admitted, 20_000)
    x = np.random.default_rng(0).random((rows, weights.shape[1]), dtype=np.float32)
    w = np.ascontiguousarray(weights.T, dtype=np.float32)

    def measure() -> float:
        part = _seconds(lambda: [x[first : first + 1000] @ w for first in range(0, rows, 1000)])
        return part * n_admitted / rows

    return measure


def _nbs(X: NDArray, y: NDArray) -> float:
    """bctpy: seconds for all permutations, at a threshold of t = 3."""
    n_nodes = round((1 + np.sqrt(1 + 8 * X.shape[1])) / 2)
    rows, columns = np.tril_indices(n_nodes, -1)
    matrices = np.zeros((n_nodes, n_nodes, len(y)))
    matrices[rows, columns] = matrices[columns, rows] = X.T

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            nbs.nbs_bct(matrices[:, :, y == 1], matrices[:, :, y == 0], 3.0, NBS_PERMUTATIONS, seed=0)

    return _seconds(run) * N_PERMUTATIONS / NBS_PERMUTATIONS


def _ols(X: NDArray, y: NDArray) -> float:
    """nilearn: seconds for all permutations of single edges."""
    varying = X[:, X.std(axis=0) > 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            _seconds(lambda: permuted_ols(y[:, None], varying, n_perm=OLS_PERMUTATIONS, verbose=0))
            * N_PERMUTATIONS
            / OLS_PERMUTATIONS
        )


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
