"""Ctrl-C that comes when a search has just ended is handed on: it must not be lost in a loop of searches."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dugraph as dg
from dugraph import Status, mine_subgraphs

RNG = np.random.default_rng(2)
Y = np.tile([0, 1], 15)
X = RNG.uniform(0.2, 0.8, (30, 10))
N_PRESSES = 200 if os.environ.get("DUGRAPH_SOAK") else 3


def loop_of_minings() -> None:
    for _ in range(100_000):
        if mine_subgraphs(X, Y, n_subgraphs=2).status is Status.INTERRUPTED:  # its answer to a press in time
            raise KeyboardInterrupt


def loop_of_fits() -> None:
    for _ in range(100_000):
        dg.SparseSubgraphClassifier(alpha=0.05).fit(X, Y)  # of scikit-learn, which the other need not import


@pytest.mark.parametrize("name", ["loop_of_minings", "loop_of_fits"])
def test_one_press_ends_a_loop_of_short_searches(name: str) -> None:
    """Several presses, since each falls at another moment of a search; a lost one leaves the loop running."""
    program = f"""\
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import test_late_interrupts
        for _ in range({N_PRESSES}):
            try:
                print("ready", flush=True)
                test_late_interrupts.{name}()
            except KeyboardInterrupt:
                print("ended", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        for _ in range(N_PRESSES):
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "ended\n"
        assert process.wait() == 0
    finally:
        process.kill()
        process.communicate()


def test_a_press_after_the_last_subgraph_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last report comes when all is done; a press in it meets an answer that is proven."""

    pressed = []

    def press(_: object) -> None:
        pressed.append(1)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("dugraph.search.progress._PAUSE", 0.0)
    try:
        result = mine_subgraphs(X[:, :1], Y, n_subgraphs=1, progress=press)
    except KeyboardInterrupt:
        return
    # Else it was not the last report, on a busy machine, or there was no report at all.
    assert result.status is Status.INTERRUPTED or not pressed
