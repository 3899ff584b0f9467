"""Every command that writes files, run over the files of an earlier run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import dugraph as dg

FEW = ["cohort.npz", "--min-expected-frequency", "0.5", "--max-edges", "2"]
SHARDS = [
    ["mine", *FEW, "--n-subgraphs", n, "--shard", f"{k}/2", "-o", f"{n}-{k}"] for n in "35" for k in (1, 2)
]
METHODS = ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3"]
EVALUATE = ["evaluate", *FEW, *METHODS, "-o", "out"]
TEST = ["test", *FEW, "--report", "-o", "out"]
SPARSE = ["sparse", *FEW, "--features", "none", "-o", "out"]
EDGE_LIST = ["--format", "edge-list", "--values", "probability"]
MINE = ["mine", *FEW, "-o", "out"]
SIMULATE = ["simulate", "--like", "hiv", "--n-graphs", "10", "-o", "out/cohort.npz"]
# For each command: an earlier run, the run that overwrites it, and commands that both need.
SCENARIOS: dict[str, tuple[list[str], list[str], list[list[str]]]] = {
    "mine": (
        [*MINE, "--n-subgraphs", "4", "--test", "--report"],
        [*MINE, "--n-subgraphs", "3", "--features", "none"],
        [],
    ),
    "mine --test --report": (
        [*MINE, "--n-subgraphs", "4"],
        [*MINE, "--n-subgraphs", "3", "--test", "--report", "--features", "none"],
        [],
    ),
    "mine, first": ([], [*MINE, "--n-subgraphs", "3"], []),
    "test": ([*TEST, "--n-permutations", "99"], [*TEST, "--n-permutations", "49", "--alpha", "0.1"], []),
    "sparse": ([*SPARSE, "--n-nonzero", "3"], [*SPARSE, "--n-nonzero", "2", "--report"], []),
    "evaluate": ([*EVALUATE, "--n-splits", "2"], [*EVALUATE, "--n-splits", "3", "--report"], []),
    "evaluate, first": ([], [*EVALUATE, "--n-splits", "2"], []),
    "report": ([*MINE, "--n-subgraphs", "3"], ["report", "out"], []),
    "simulate": (SIMULATE, [*SIMULATE, "--random-state", "1"], []),
    "convert": (
        ["convert", "a.csv", *EDGE_LIST, "-o", "out/cohort.npz"],
        ["convert", "b.csv", *EDGE_LIST, "-o", "out/cohort.npz"],
        [],
    ),
    "transform": (
        ["transform", "3/model.json", "cohort.npz", "-o", "out/features.csv"],
        ["transform", "5/model.json", "cohort.npz", "-o", "out/features.csv"],
        [*(["mine", *FEW, "--n-subgraphs", n, "-o", n] for n in "35")],
    ),
    "merge": (["merge", "3-1", "3-2", "-o", "out"], ["merge", "5-1", "5-2", "-o", "out"], SHARDS),
}


def write_inputs(folder: Path) -> None:
    """Write the files that the commands read, and make the folder of their output."""
    (folder / "out").mkdir()
    X, y = np.random.default_rng(0).uniform(0.5, 0.9, (30, 10)), np.arange(30) % 2
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.6)
    dg.save_cohort(folder / "cohort.npz", dg.UncertainGraphs(X), y)
    for file, p in (("a.csv", 0.3), ("b.csv", 0.6)):
        rows = [f"{g},A,B,{p},{g % 2}\n{g},B,C,0.5,{g % 2}\n" for g in range(4)]
        (folder / file).write_text("graph_id,source,target,probability,label\n" + "".join(rows))


def program(name: str, folder: Path, asked: Any) -> Any:
    """Run a program of this folder; its input and its output are JSON."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(f"{name}.py")), str(folder)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def end_by_signals(name: str, folder: Path, n_jobs: int | None, n_instants: int) -> dict[str, int]:
    """Send each signal `n_instants` times to a command, check what is left, and count the exit codes."""
    old, new, commands = SCENARIOS[name]
    write_inputs(folder)
    jobs = [] if n_jobs is None else ["--n-jobs", str(n_jobs)]
    small = [*commands, old or _elsewhere(new)]
    asked = {"small": small, "new": [*new, *jobs], "n_instants": n_instants}
    return _counted(f"{name} {jobs}", program("signal_census", folder, asked))


def _elsewhere(command: list[str]) -> list[str]:
    return ["small" if word == "out" else word for word in command]


def _counted(name: str, done: dict[str, Any]) -> Any:
    print(name, {key: value for key, value in done.items() if key != "wrong"})
    assert done["wrong"] == [], "\n".join(done["wrong"])
    return done["ends"]
