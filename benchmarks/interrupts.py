"""How long a search takes to answer Ctrl-C: 200 interrupts at random instants, random variants and threads.

python benchmarks/interrupts.py        # or another number of interrupts: interrupts.py 1000
"""

import os
import random
import signal
import sys
import threading
import time

import cohorts
import numpy as np

import dugraph as dg

COUNT = 200


def main() -> None:
    X, y = cohorts.simulated("hiv")
    chance = random.Random(0)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    dg.mine_subgraphs(X[:, :3], y, n_subgraphs=1, min_expected_frequency=0)  # what is imported late is there
    waits: list[float] = []
    threads_before = len(os.listdir("/proc/self/task"))
    while len(waits) < count:
        measure, score = chance.choice(cohorts.VARIANTS)
        sent = [0.0]

        def press(sent: list[float] = sent) -> None:
            sent[0] = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(chance.uniform(0.02, 0.6), press)
        timer.start()
        result = dg.mine_subgraphs(
            X,
            y,
            measure=measure,
            score=score,
            bound=chance.choice(["frequency", "worldwise", "mass"]),
            n_jobs=chance.choice([1, 2, 4]),
            min_expected_frequency=0.1,
        )
        answered = time.perf_counter()
        try:
            timer.join()
        except KeyboardInterrupt:
            continue  # the search had ended before
        if result.status is dg.Status.INTERRUPTED:
            waits.append(1000 * (answered - sent[0]))
    median, p99, most = np.percentile(waits, [50, 99, 100])
    print(f"{count} interrupts: median {median:.0f} ms, 99 % {p99:.0f} ms, longest {most:.0f} ms")
    print(f"threads of the process before and after: {threads_before}, {len(os.listdir('/proc/self/task'))}")


if __name__ == "__main__":
    main()
