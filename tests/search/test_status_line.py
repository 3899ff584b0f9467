"""The progress line: rewritten on a terminal, a plain line now and then in a file."""

import numpy as np
import pytest

from dugraph import RandomSplits, SparseSubgraphClassifier, evaluate, mine_subgraphs, significant_subgraphs
from dugraph.search.progress import StatusLine, clear_line

X = np.random.default_rng(0).uniform(0.3, 1, (12, 6))
Y = np.arange(12) % 2


def test_a_file_gets_a_line_every_ten_seconds_and_the_last_one(capsys):
    line = StatusLine()
    for seconds in (0.0, 0.1, 9.9, 10.0, 15.0):
        line.show(f"at {seconds}", seconds)
    line.show("end", 16.0, last=True)
    clear_line()
    assert capsys.readouterr().err == "at 0.0\nat 10.0\nend\n"


def test_a_terminal_has_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    line = StatusLine()
    line.show("a", 0.0)
    line.show("b", 0.1, last=True)
    clear_line()
    assert capsys.readouterr().err == "\r\x1b[Ka\r\x1b[Kb\n\r\x1b[K"


@pytest.mark.parametrize(
    "work",
    [
        lambda: mine_subgraphs(X, Y, n_subgraphs=2, progress=True),
        lambda: significant_subgraphs(X, Y, n_permutations=99, progress=True),
        lambda: SparseSubgraphClassifier(alpha=0.1, progress=True).fit(X, Y),
        lambda: evaluate(
            X, Y, ["all-edges"], n_subgraphs=[2], cv=RandomSplits(3, test_size=0.5), progress=True
        ),
    ],
    ids=["mine", "test", "sparse", "evaluate"],
)
def test_nothing_that_shows_progress_writes_control_codes_into_a_file(work, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    work()
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\r" not in shown
