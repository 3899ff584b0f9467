"""Loops of short calls that a parent process interrupts at random instants; run by test_interrupts.py.

Every press is answered on stdout by one line of JSON: how often the handler of SIGINT ran, how many calls
began and ended, which line of Python was interrupted, and how many threads the process has.
"""

import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import dugraph as dg

Y = np.tile([0, 1], 15)
X = np.random.default_rng(2).uniform(0.2, 0.8, (30, 10))
FEW = {"cv": dg.RandomSplits(2), "n_subgraphs": 2}
CALLS: dict[str, Callable[[], object]] = {
    "mine": lambda: dg.mine_subgraphs(X, Y, n_subgraphs=2),
    "fit": lambda: dg.SparseSubgraphClassifier(alpha=0.05).fit(X, Y),
    "test": lambda: dg.significant_subgraphs(X, Y, n_permutations=99, n_jobs=2),
    "evaluate": lambda: dg.evaluate(X, Y, ["exp-hsic", "all-edges"], **FEW),
}


def place(frame: FrameType | None) -> str:
    """The file and function that a signal interrupted; in dugraph if it was called from there."""
    stack = [Path(one.filename) for one in traceback.extract_stack(frame)]
    inside = [path for path in stack if "dugraph" in path.parts]
    path = (inside or stack)[-1]
    return "/".join(path.parts[-2:])


def main() -> None:
    call = CALLS[sys.argv[1]]
    warnings.simplefilter("ignore")
    for _ in range(2):
        call()  # imports are done, caches are warm
    presses: list[str] = []

    def press(number: int, frame: FrameType | None) -> None:
        presses.append(place(frame))
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, press)
    for _ in sys.stdin:
        presses.clear()
        began = ended = 0
        try:
            os.write(1, b"ready\n")
            while True:
                began += 1
                call()
                ended += 1
        except KeyboardInterrupt:
            pass
        time.sleep(0.003)  # a second interrupt for the same press would come now
        threads = len(os.listdir("/proc/self/task"))
        answer = {"presses": presses, "began": began, "ended": ended, "threads": threads}
        os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
