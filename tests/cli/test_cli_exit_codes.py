"""The exit codes of a real process: 0 success, 1 invalid input, 2 usage error, 3 limit, 130 interrupted."""

import signal
import subprocess
import sys

import pytest

import dugraph
from dugraph.cli import main
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
    (0, ["mine", "cohort.npz", "--n-subgraphs", "2"]),
    (1, ["info", "absent.npz"]),
    (1, ["mine", "cohort.npz", "--pos-label", "nobody"]),
    (1, ["transform", "cohort.npz", "cohort.npz", "-o", "f.csv"]),
    (2, ["mine"]),
    (2, ["mine", "cohort.npz", "--score", "best"]),
    (2, ["transform", "model.json", "cohort.npz"]),
    (3, ["mine", "large.npz", "--time-limit", "1e-9", "--min-expected-frequency", "0.01"]),
]


def make_large_cohort(folder):
    """With 10^8 admitted subgraphs, so that any time limit is reached."""
    graphs, y, _ = dugraph.simulate("hiv", n_graphs=40, random_state=0)
    dugraph.save_cohort(folder / "large.npz", graphs, y)


def assert_said(code, out, err):
    assert "Traceback" not in err
    assert bool(out) == (code in (0, 3))
    if code in (1, 3):
        assert err.startswith("dugraph: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("code", "arguments"), RUNS, ids=lambda value: value if isinstance(value, int) else " ".join(value)
)
def test_a_command_ends_with_its_code(code, arguments, make_cohort, tmp_path, monkeypatch, capsys):
    make_cohort()
    make_large_cohort(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        ended = main(arguments)
    except SystemExit as end:  # argparse's way
        ended = end.code
    shown = capsys.readouterr()
    assert ended == code, shown.err
    assert_said(code, shown.out, shown.err)


@pytest.mark.system
@pytest.mark.parametrize(("code", "arguments"), [run for k, run in enumerate(RUNS) if k in (0, 2, 5, 8)])
def test_a_process_ends_with_its_code(code, arguments, make_cohort, tmp_path):
    make_cohort()
    make_large_cohort(tmp_path)
    command = [sys.executable, "-m", "dugraph", *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert answer.returncode == code, answer.stderr
    assert_said(code, answer.stdout, answer.stderr)


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
