"""The exit codes of a real process: 0 success, 1 invalid input, 2 usage error, 3 limit, 130 interrupted."""

import signal
import subprocess
import sys

import pytest

import dugraph
from dugraph.cli.output import ExitCode


def test_the_codes_are_those_that_are_promised():
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "BAD_INPUT": 1,
        "USAGE": 2,
        "LIMIT_REACHED": 3,
        "INTERRUPTED": 130,
    }


RUNS = [
    (0, ["info", "cohort.npz"]),
    (1, ["info", "absent.npz"]),
    (2, ["mine"]),
    (3, ["mine", "large.npz", "--time-limit", "1e-9", "--min-expected-frequency", "0.01"]),
]


@pytest.mark.system
@pytest.mark.parametrize(("code", "arguments"), RUNS)
def test_a_process_ends_with_its_code(code, arguments, make_cohort, tmp_path):
    make_cohort()
    graphs, y, _ = dugraph.simulate("hiv", n_graphs=40, random_state=0)  # 10^8 admitted subgraphs
    dugraph.save_cohort(tmp_path / "large.npz", graphs, y)
    command = [sys.executable, "-m", "dugraph", *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert answer.returncode == code, answer.stderr
    assert bool(answer.stdout) == (code in (0, 3))
    assert (answer.stderr.count("\n"), answer.stderr[:9]) == (1, "dugraph: ") or code in (0, 2)


@pytest.mark.system
def test_an_interrupted_process_ends_with_130(tmp_path):
    # It waits for its input, a pipe into which nobody writes, until the signal comes.
    code = "import os, signal, sys; from dugraph.cli import main, cohort\n"
    code += "def waiting(options): os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
    code += "cohort.info = waiting; sys.exit(main(['info', 'c.npz']))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 130
    assert answer.stderr == "dugraph: interrupted; nothing was written after this point.\n"
    assert signal.SIGINT + 128 == 130
