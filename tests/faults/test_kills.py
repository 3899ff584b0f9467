"""SIGKILL before every step on the disk: a folder is the old one or the new one, and can be written again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
FEW = ["cohort.npz", "--min-expected-frequency", "0.5", "--max-edges", "2"]
SHARDS = [
    ["mine", *FEW, "--n-subgraphs", n, "--shard", f"{k}/2", "-o", f"{n}-{k}"] for n in "35" for k in (1, 2)
]
EVALUATE = [
    "evaluate",
    *FEW,
    "--methods",
    "exp-hsic,all-edges",
    "--n-subgraphs",
    "3",
    "--report",
    "-o",
    "out",
]
TEST = ["test", *FEW, "--report", "-o", "out"]
SPARSE = ["sparse", *FEW, "--features", "none", "-o", "out"]
EDGE_LIST = ["--format", "edge-list", "--values", "probability"]
MINE = ["mine", *FEW, "-o", "out"]
# What is there, what writes it anew, and what comes before both.
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
    "test": (
        [*TEST, "--n-permutations", "99"],
        [*TEST, "--n-permutations", "49", "--alpha", "0.1"],
        [],
    ),
    "sparse": ([*SPARSE, "--n-nonzero", "3"], [*SPARSE, "--n-nonzero", "2", "--report"], []),
    "evaluate": ([*EVALUATE, "--n-splits", "2"], [*EVALUATE, "--n-splits", "3"], []),
    "evaluate, first": ([], [*EVALUATE, "--n-splits", "2"], []),
    "report": (
        [*MINE, "--n-subgraphs", "3"],
        ["report", "out"],
        [],
    ),
    "simulate": (
        ["simulate", "--like", "hiv", "--n-graphs", "10", "-o", "out/cohort.npz"],
        ["simulate", "--like", "hiv", "--n-graphs", "10", "--random-state", "1", "-o", "out/cohort.npz"],
        [],
    ),
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
    "merge": (
        ["merge", "3-1", "3-2", "-o", "out"],
        ["merge", "5-1", "5-2", "-o", "out"],
        SHARDS,
    ),
}
# Of these every n-th step in the suite, all of them in the long runs.
IN_SUITE = {"mine --test --report": 17, "simulate": 3}
EDGES = "graph_id,source,target,probability,label\n"


@pytest.mark.parametrize("name", SCENARIOS if SOAK else IN_SUITE)
def test_a_killed_run_leaves_the_old_files_or_the_new_ones(name: str, tmp_path: Path) -> None:
    old, new, commands = SCENARIOS[name]
    (tmp_path / "out").mkdir()
    X, y = np.random.default_rng(0).uniform(0.5, 0.9, (30, 10)), np.arange(30) % 2
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.6)
    dg.save_cohort(tmp_path / "cohort.npz", dg.UncertainGraphs(X), y)
    for file, p in (("a.csv", 0.3), ("b.csv", 0.6)):
        rows = [f"{g},A,B,{p},{g % 2}\n{g},B,C,0.5,{g % 2}\n" for g in range(4)]
        (tmp_path / file).write_text(EDGES + "".join(rows))
    every = 1 if SOAK else IN_SUITE[name]
    scenario = {"old": old, "new": new, "commands": commands, "out": "out", "first": 1, "every": every}
    told = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killing.py")), str(tmp_path)],
        input=json.dumps(scenario),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert told.returncode == 0, told.stderr
    counts = json.loads(told.stdout)
    print(name, {key: counts[key] for key in ("n_kills", "n_steps", "ends")})
    assert counts["wrong"] == [], told.stderr
    assert counts["n_kills"] * every >= 5
    assert counts["ends"]["old"] > 0
