"""The exit codes of a real process: 0 done, 1 bad input, 2 wrong usage, 3 limit reached, 130 interrupted."""

import signal
import subprocess
import sys

import pytest

from dugraph.cli.exit_code import ExitCode


def ended(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "dugraph", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_the_codes_are_those_that_are_promised():
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "BAD_INPUT": 1,
        "USAGE": 2,
        "LIMIT_REACHED": 3,
        "INTERRUPTED": 130,
    }


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["info", "cohort.npz"]),
        (0, ["mine", "cohort.npz", "--n-subgraphs", "2"]),
        (1, ["info", "absent.npz"]),
        (1, ["mine", "cohort.npz", "--pos-label", "nobody"]),
        (1, ["transform", "cohort.npz", "cohort.npz", "-o", "f.csv"]),
        (2, ["mine"]),
        (2, ["mine", "cohort.npz", "--score", "best"]),
        (2, ["transform", "model.json", "cohort.npz"]),
        (3, ["mine", "cohort.npz", "--node-limit", "1", "--min-expected-frequency", "0"]),
    ],
    ids=lambda value: value if isinstance(value, int) else " ".join(value),
)
def test_a_process_ends_with_its_code(code, arguments, make_cohort, tmp_path):
    make_cohort()
    answer = ended(*arguments, cwd=tmp_path)
    assert answer.returncode == code, answer.stderr
    assert "Traceback" not in answer.stderr
    assert bool(answer.stdout) == (code in (0, 3))
    if code in (1, 3):
        assert answer.stderr.startswith("dugraph: ")
        assert answer.stderr.count("\n") == 1


def test_an_interrupted_process_ends_with_130(tmp_path):
    # It waits for its input, a pipe into which nobody writes, until the signal comes.
    code = "import os, signal, sys; from dugraph.cli import main, info\n"
    code += "def waiting(options): os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
    code += "info.run = waiting; sys.exit(main(['info', 'c.npz']))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 130
    assert answer.stderr == "dugraph: interrupted; nothing was written after this point.\n"
    assert signal.SIGINT + 128 == 130
