"""Time from Ctrl-C to its effect, at random instants of searches, tests, fits, lists and preparations.

python benchmarks/interrupts.py        # or another number of interrupts: interrupts.py 200
"""

import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable

import cohorts
import numpy as np

import dugraph as dg
from dugraph.search.mining import mine_within

COUNT = 1000
Work = Callable[[random.Random], object]


def works() -> dict[str, tuple[Work, float, float]]:
    """A call to interrupt, its share of a hundred interrupts, and the last instant in seconds."""
    X, y = cohorts.simulated("hiv")
    # If all edges are certain, all subgraphs tie, so lists can have any length.
    certain, many = np.ones((20, 66)), np.random.default_rng(0).random((1000, 1225))

    def search(chance: random.Random) -> object:
        measure, score = chance.choice(cohorts.VARIANTS)
        bound = chance.choice(["frequency", "worldwise", "mass"])
        n_jobs = chance.choice([1, 2, 4])
        return dg.mine_subgraphs(
            X, y, measure=measure, score=score, bound=bound, n_jobs=n_jobs, min_expected_frequency=0.1
        )

    def test(chance: random.Random) -> object:
        n_jobs, statistic = chance.choice([1, 2, 4]), chance.choice(["z", "difference"])
        return dg.significant_subgraphs(
            X, y, statistic=statistic, min_expected_frequency=0.1, n_permutations=4999, n_jobs=n_jobs
        )

    def fit(chance: random.Random) -> object:
        model = dg.SparseSubgraphClassifier(min_expected_frequency=0.1, n_jobs=chance.choice([1, 2]))
        return model.fit(X, y)

    def long_list(chance: random.Random) -> object:
        return mine_within(30_000, certain, np.arange(20) % 2, n_subgraphs=20_000, max_edges=12)

    def large_cohort(chance: random.Random) -> object:
        return dg.mine_subgraphs(many, np.arange(1000) % 2, max_edges=1, n_jobs=chance.choice([1, 2]))

    return {
        "searches": (search, 55, 0.6),
        "tests": (test, 15, 0.6),
        "fits": (fit, 20, 0.6),
        "lists of 20,000 subgraphs": (long_list, 5, 0.0),
        "1,000 graphs of 1,225 edges, made ready": (large_cohort, 5, 0.0),
    }


def waited(work: Work, chance: random.Random, last: float) -> float | None:
    """Milliseconds from Ctrl-C to the end of the call; None if it had ended before."""
    sent = [0.0]

    def press() -> None:
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(chance.uniform(0.005, last), press)
    timer.start()
    answered = 0.0
    try:
        work(chance)
        answered = time.perf_counter()
        timer.join()
    except KeyboardInterrupt:
        if answered:
            return None
        answered = time.perf_counter()
    return 1000 * (answered - sent[0])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    chance = random.Random(0)
    warnings.simplefilter("ignore")
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    dg.significant_subgraphs(X, y, n_permutations=99)  # late imports are done
    dg.SparseSubgraphClassifier(alpha=0.1).fit(X, y)
    threads_before = len(os.listdir("/proc/self/task"))
    every: list[float] = []
    for name, (work, share, last) in works().items():
        begin = time.perf_counter()
        if last == 0:
            work(chance)
            last = time.perf_counter() - begin
        waits: list[float] = []
        while len(waits) < count * share // 100:
            wait = waited(work, chance, last)
            if wait is not None:
                waits.append(wait)
        every += waits
        _tell(name, waits)
    _tell("all", every)
    print(f"threads of the process before and after: {threads_before}, {len(os.listdir('/proc/self/task'))}")


def _tell(name: str, waits: list[float]) -> None:
    median, p99, most = np.percentile(waits, [50, 99, 100])
    late = sum(wait > 100 for wait in waits)
    print(
        f"{name}: {len(waits)} interrupts: median {median:.0f} ms, 99 % {p99:.0f} ms, longest {most:.0f} ms, "
        f"{late} after more than 100 ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
