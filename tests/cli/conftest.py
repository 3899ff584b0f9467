"""Small cohorts for the command line, and commands with what they print."""

import numpy as np
import pytest

from dugraph import UncertainGraphs, save_cohort
from dugraph.cli import main

HOSTILE = ["[red]x", "</script>", "two\nlines", "\u202eturned", "\x1b[2J", "=1+1", "$\\frac$"]


@pytest.fixture
def shell(capsys):
    """Run a command; its exit code is as expected, and what it prints is returned."""

    def run(*words, code=0):
        capsys.readouterr()
        ended = main([str(word) for word in words])
        shown = capsys.readouterr()
        assert ended == code, shown.err
        return shown

    return run


@pytest.fixture
def refused(shell):
    """Run a command that is refused in one sentence, which is returned."""

    def run(*words):
        shown = shell(*words, code=1)
        assert shown.out == ""
        assert shown.err.startswith("dugraph: ")
        assert shown.err.count("\n") == 1
        return shown.err

    return run


@pytest.fixture
def make_cohort(tmp_path):
    """Write a cohort in which edges 0 and 1 together mark the class "patient"."""

    def make(name="cohort.npz", labels=True, node_labels=None, classes=("control", "patient"), **more):
        rng = np.random.default_rng(0)
        y = np.arange(20) % 2
        X = rng.uniform(0.2, 0.6, (20, 10))
        X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.3)
        graphs = UncertainGraphs(X, node_labels=node_labels or [f"region-{i}" for i in range(5)], **more)
        save_cohort(tmp_path / name, graphs, [classes[i] for i in y] if labels else None)
        return str(tmp_path / name)

    return make


@pytest.fixture
def hostile_cohort(make_cohort):
    return make_cohort("hostile.npz", node_labels=HOSTILE[:5], classes=("[b]healthy", "ill\n\u202e"))
