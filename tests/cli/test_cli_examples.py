"""Every example in the help of a command runs as it stands there, on a small cohort; none is without one."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from dugraph import UncertainGraphs, save_cohort
from dugraph.cli import demo, main
from dugraph.cli.program import COMMANDS, build_parser, help_texts

pytestmark = pytest.mark.system

# Appended to a line: what shortens a run without changing what it shows.
SMALLER = {
    "evaluate": ["--n-splits", "1"],
    "phenotype": ["--n-repeats", "1", "--n-subgraphs", "20"],
}


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.startswith("  dugraph ")]


# The app serves until it is stopped: tests/app/test_app_processes.py starts it.
LINES = [line for name, one in COMMANDS.items() if name != "app" for line in lines_of(help_texts(one)[1])]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """What the examples take for granted: files of a pipeline, a cohort, and the results of mining it."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "io")
    from layouts_tools import xcp_d_relmat

    (tmp_path / "xcp_d").mkdir()
    xcp_d_relmat(tmp_path / "xcp_d")
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.uniform(0.1, 0.6, (200, 10))
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.3)
    table = {
        "age": 20 + 50 * rng.random(200),
        "sex": ["f", "f", "m", "m"] * 50,
        "site": ["a"] * 90 + ["b"] * 110,
        "diagnosis": [["control", "mild", "severe"][k % 3] for k in range(200)],
    }
    graphs = UncertainGraphs(X, node_coordinates=rng.normal(size=(5, 3)), participants=table)
    for name in ("cohort", "second", "pilot", "absolute", "threshold"):
        save_cohort(tmp_path / f"{name}.npz", graphs, y)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "N_SPLITS", 1)
    assert main(["mine", "cohort.npz", "--n-subgraphs", "3", "-o", "results"]) == 0
    return tmp_path


def test_every_command_has_an_example_of_itself():
    for name, settings in COMMANDS.items():
        examples = help_texts(settings)[1]
        lines = lines_of(examples)
        assert lines
        assert all(shlex.split(line)[:2] == ["dugraph", name] for line in lines)
        assert len(lines) == len(examples.splitlines())


JOBLIB = pytest.mark.xdist_group("joblib")


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=JOBLIB if "--n-jobs" in line else ()) for line in LINES]
)
def test_an_example_runs(line, workplace, capsys):
    _, *arguments = shlex.split(line)
    if "--evaluation" in arguments:
        assert (
            main(
                ["evaluate", "cohort.npz", "--methods", "exp-hsic", *SMALLER["evaluate"], "-o", "evaluation"]
            )
            == 0
        )
    if "--test" in arguments or arguments[:2] in (["plot", "test"], ["replicate", "test"]):
        assert main(["test", "cohort.npz", "-o", "test"]) == 0
    if "--plan" in arguments:
        assert main(["plan", "cohort.npz", "-o", "plan.toml"]) == 0
    if arguments[0] == "merge":
        for k in "12":
            assert main(["mine", "cohort.npz", "--shard", f"{k}/2", "-o", f"shards/{k}"]) == 0
    before = {path for path in workplace.rglob("*") if path.is_file()}
    kind = "phenotype" if "--phenotype" in arguments and arguments[0] == "evaluate" else arguments[0]
    assert main([*arguments, *SMALLER.get(kind, [])]) == 0, capsys.readouterr().err
    if "-o" in arguments:
        written = {path for path in workplace.rglob("*") if path.is_file()} - before
        assert written or "results" in arguments  # which the fixture has written


def test_the_examples_of_the_program_are_commands_with_known_flags():
    lines = lines_of(build_parser().epilog)
    assert len(lines) >= 5
    assert {shlex.split(line)[1] for line in lines} <= set(COMMANDS)
