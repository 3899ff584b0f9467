"""Support distributions side by side: dugraph, scipy.stats.poisson_binom and the package fast-poibin.

Prints a Markdown table of microseconds per vector, the best of several interleaved rounds in one process with
one thread. Run it with ``python benchmarks/support_distribution.py``; fast-poibin is skipped where absent.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import dugraph

ROUNDS = 7
# Length of a vector, vectors in a batch, vectors for the packages that accept one at a time.
SIZES = [(50, 4000, 200), (100, 2000, 100), (400, 500, 50), (2000, 100, 10), (10_000, 20, 1)]

Batch = NDArray[np.float64]


def with_scipy(batch: Batch) -> None:
    for row in batch:
        stats.poisson_binom(row).pmf(np.arange(len(row) + 1))


def fast_poibin() -> Callable[[Batch], None] | None:
    try:
        from fast_poibin import PoiBin
    except ImportError:
        print("fast-poibin is not installed: its columns are skipped.\n")
        return None

    def with_fast_poibin(batch: Batch) -> None:
        for row in batch:
            _ = PoiBin(row).pmf

    return with_fast_poibin


def microseconds(function: Callable[[Batch], object], batch: Batch) -> float:
    best = np.inf
    for repeat in range(3):  # the first one is measured with cold caches
        start = time.perf_counter()
        function(batch)
        spent = time.perf_counter() - start
        best = min(best, spent / len(batch) * 1e6)
        if repeat == 0 and spent > 0.2:
            break
    return best


def main() -> None:
    others: dict[str, Callable[[Batch], object]] = {"scipy": with_scipy}
    if (with_fast_poibin := fast_poibin()) is not None:
        others["fast-poibin"] = with_fast_poibin
    ours: dict[str, Callable[[Batch], object]] = {
        "tail=0": dugraph.search.support_distribution,
        "tail=1e-16": lambda batch: dugraph.search.support_distribution(batch, tail=1e-16),
    }
    ratios = [f"{other} / {mine}" for other in others for mine in ours]
    heads = ["n", *(f"{mine} (µs)" for mine in ours), *(f"{other} (µs)" for other in others), *ratios]
    print("| " + " | ".join(heads) + " |")
    print("|" + "---:|" * len(heads))
    random = np.random.default_rng(0)
    for n, count, few in SIZES:
        batch = random.random((count, n))
        best = dict.fromkeys([*ours, *others], np.inf)
        for _ in range(ROUNDS):
            for name, function in ours.items():
                best[name] = min(best[name], microseconds(function, batch))
            for name, function in others.items():
                best[name] = min(best[name], microseconds(function, batch[:few]))
        cells = [f"{n:,}", *(f"{best[name]:,.2f}" for name in best)]
        cells += [f"{best[other] / best[mine]:,.1f}" for other in others for mine in ours]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
