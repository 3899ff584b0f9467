"""Every command of refusals.txt ends with the message below it, prints nothing else and changes no file."""

import datetime
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli import test as test_module

PAGE = Path(__file__).with_name("refusals.txt")
ROWS = re.findall(r"^\$ dugraph (.*)\n((?:(?!\$|#|\n).*\n)+)", PAGE.read_text("utf-8"), re.MULTILINE)
COMMANDS = list(dict.fromkeys(command.partition(" ")[0] for command, _ in ROWS))
CONFIGS = {"typo": "n_subgraph = 3", "list": "score = [1]", "switch": "progress = 1", "bare": "score = hsic"}
CHANGES = {
    "alpha": ("alpha = 0.05", "alpha = 0.5"),
    "date": ("2026-03-01", "2025-03-01"),
    "checksum": ("checksum = ", "sum = "),
    "head": ("[settings]", "settings"),
}


def save(name, labels, n=20, people=None, regions="region-"):
    """The cohort of `make_cohort`; edges 0 and 1 mark the patients."""
    X, ill = np.random.default_rng(0).uniform(0.2, 0.6, (n, 10)), np.arange(n) % 2
    X[:, :2] = np.where(ill[:, None] == 1, 0.95, 0.3)
    graphs = dg.UncertainGraphs(X, node_labels=[f"{regions}{i}" for i in range(5)], participants=people)
    dg.save_cohort(name, graphs, None if labels is None else np.array(labels)[np.arange(n) % len(labels)])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The files that the commands name."""
    folder, classes = tmp_path_factory.mktemp("refusals"), ["control", "patient"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(test_module, "today", lambda: datetime.date(2026, 3, 1))
        dose = np.linspace(0, 10, 20)
        people = {
            "age": [20.0 + i % 7 for i in range(20)],
            "site": ["a", "b", "b", "a", "a"] * 4,
            "arm": list("xyzzy") * 4,
            "holed": [*["m"] * 19, ""],
            "dose": dose,
            "double": 2 * dose + 1,
            "copy": [0.0, 2.0] * 10,
            "same": ["one"] * 20,
            "own": [f"t{i}" for i in range(20)],
        }
        save("cohort.npz", classes, people=people)
        save("unlabelled.npz", None, people=people)
        save("bare.npz", classes)
        save("groups.npz", ["mild", "none", "severe"], 30)
        save("few.npz", classes, 4)
        save("ill.npz", ["healthy", "ill"], people=people)
        save("regions.npz", classes, regions="area-", people=people)
        for name, text in CONFIGS.items():
            Path(f"{name}.toml").write_text(text)
        short = ["--n-permutations", "99", "--size-classes", "2"]
        runs = [
            ["mine", "--n-subgraphs", "4", "-o", "mined"],
            ["sparse", "--alpha", "0.05", "--phenotype", "dose", "--covariates", "site", "-o", "fitted"],
            ["test", *short, "-o", "tested"],
            ["power", "--n-edges", "1", "--frequencies", "0.7,0.3", "--n-permutations", "99", "-o", "power"],
            [
                "evaluate",
                "--methods",
                "all-edges",
                "--n-subgraphs",
                "2",
                "--n-splits",
                "2",
                "-o",
                "evaluated",
            ],
            ["plan", "--blocks", "site", "--covariates", "age", *short, "-o", "plan.toml"],
            ["mine", "--shard", "1/2", "-o", "shard"],
        ]
        for command, *flags in runs:
            assert main([command, "cohort.npz", *flags]) == 0
        plan, model = Path("plan.toml").read_text(), Path("mined/model.json").read_text()
        for name, change in CHANGES.items():
            Path(f"{name}.plan.toml").write_text(plan.replace(*change))
        Path("planted.json").write_text('{"planted": []}')
        Path("cut.json").write_text(model[:-9])
        Path("altered.json").write_text(model.replace("region-1", "region-9"))
        Path("page.npz").write_text("id,age\n1,20\n")
        Path("empty.npz").write_text("")
        Path("in").mkdir()
        for k, r in enumerate((0.1, 0.3, 0.5), 1):
            Path(f"in/sub-0{k}.csv").write_text(f"Insula,x\u202e\n1,{r}\n{r},1\n")
        Path("in/table.tsv").write_text(
            "participant_id\tgroup\nsub-01\tpatient\nsub-02\tcontrol\nsub-04\tcontrol\n"
        )
        Path("cache/cache/cells").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_command_is_refused_in_one_message(command, place, monkeypatch, capsys):
    """With DUGRAPH_NEW_BASELINES=1 the messages are written anew."""
    monkeypatch.chdir(place)
    before = {path: path.is_file() and path.read_bytes() for path in place.rglob("*")}
    for line, message in ROWS:
        if line.partition(" ")[0] != command:
            continue
        capsys.readouterr()
        try:
            code = main(shlex.split(line))
        except SystemExit as end:
            code = end.code
        shown = capsys.readouterr()
        assert (shown.out, shown.err.startswith("usage: dugraph")) == ("", code == 2)
        assert all(line.isprintable() for line in shown.err.splitlines())
        said = shown.err[shown.err.rindex("\ndugraph") + 1 :] if code == 2 else shown.err
        if os.environ.get("DUGRAPH_NEW_BASELINES"):
            row = f"$ dugraph {line}\n"
            PAGE.write_text(PAGE.read_text("utf-8").replace(row + message, row + said), "utf-8")
            continue
        assert code == (2 if re.match(r"dugraph( \w+)?: error: ", message) else 1), line
        begin = message.removesuffix("...\n")  # the rest is another library's
        assert said == message or (begin != message and said.startswith(begin)), line
    assert {path: path.is_file() and path.read_bytes() for path in place.rglob("*")} == before
