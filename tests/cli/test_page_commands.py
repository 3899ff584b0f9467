"""The commands on the pages: blocks run on a small cohort, and what is named in passing exists.

README, the tutorial, the paths, the files and the clusters have tests of their own.
"""

import argparse
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli.program import build_parser

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("*.md")
} | {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "gallery" not in path.parts
}
ELSEWHERE = {  # the tests that run them
    "README.md": "tests/cli/test_readme.py",
    "docs/clusters.md": "tests/cluster/test_clusters_page.py",
    "docs/tutorial.md": "tests/test_docs.py",
    "docs/paths/from-nbs.md": "tests/test_docs.py",
    "docs/paths/from-the-paper.md": "tests/test_docs.py",
    "docs/index.md": "tests/cli/test_cli_demo.py",
    "docs/app.md": "tests/app/test_app_processes.py",
}
BLOCKS = {
    page: lines
    for page, text in PAGES.items()
    if (lines := re.findall(r"^\$ (.*)$", text, re.MULTILINE)) and page not in ELSEWHERE
}
# What a page leaves at its default: seconds, not minutes.
SHORTER = {
    "evaluate --phenotype": "--n-repeats 1 --n-folds 3 --methods exp-hsic",
    "evaluate diagnoses.npz": "--n-repeats 1 --n-folds 3 --methods exp-hsic --n-subgraphs 4",
    "evaluate": "--n-splits 1 --n-subgraphs 4",
    "test cohort.npz --report": "--alpha 0.8",  # with thirty graphs, something to replicate
}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """What the pages call cohort.npz, new.npz and xcp_d, with symptoms that depend on two edges."""
    rng = np.random.default_rng(0)
    r = rng.uniform(0.2, 0.9, (30, 7, 7))
    r = np.tril(r, -1) + np.tril(r, -1).transpose(0, 2, 1) + np.eye(7)
    symptoms = r[:, 1, 0] * r[:, 2, 1] + rng.normal(scale=0.05, size=30)
    people = pd.DataFrame(
        {
            "participant_id": [f"sub-{i:02}" for i in range(30)],
            "group": np.where(symptoms > np.median(symptoms), "patient", "control"),
            "symptoms": symptoms.round(3),
            "severity": np.array(["none", "mild", "severe"])[np.argsort(np.argsort(symptoms)) // 10],
            "age": rng.integers(18, 60, 30),
            "site": np.array(["Berlin", "Lyon", "Oslo"])[np.arange(30) % 3],
            "sex": np.array(["F", "M"])[np.arange(30) // 3 % 2],
        }
    )
    monkeypatch.chdir(tmp_path)
    Path("xcp_d").mkdir()
    names = [f"R{i}" for i in range(7)]
    for name, matrix in zip(people["participant_id"], r, strict=True):
        pd.DataFrame(matrix, columns=names, index=names).to_csv(f"xcp_d/{name}.csv")
    people.to_csv("xcp_d/participants.tsv", sep="\t", index=False)
    rows, columns = np.tril_indices(7, -1)
    graphs = dg.UncertainGraphs(
        r[:, rows, columns],
        node_labels=names,
        node_coordinates=rng.uniform(-50, 50, (7, 3)),
        participants=people.drop(columns="group").to_dict("list"),
    )
    for file in ("cohort.npz", "new.npz"):
        dg.save_cohort(file, graphs, people["group"].to_numpy())
    return people


def shortened(command: str) -> list[str]:
    words = shlex.split(command)
    assert words[0] == "dugraph", command
    for key, extra in SHORTER.items():
        if set(key.split()) <= set(words):
            return words[1:] + shlex.split(extra)
    return words[1:]


@pytest.mark.parametrize("page", BLOCKS)
def test_the_commands_of_a_page_run_in_their_order(page, small, capsys):
    if page == "docs/phenotypes.md":  # its table has diagnoses in place of groups
        table = small.drop(columns="group").assign(diagnosis=small["severity"])
        table.to_csv("xcp_d/participants.tsv", sep="\t", index=False)
    if page == "docs/plots.md":
        assert main(shortened("dugraph test cohort.npz --report -o test")) == 0
    for command in BLOCKS[page]:
        assert main(shortened(command)) == 0, f"{command}\n{capsys.readouterr().err}"


def test_every_page_with_a_block_is_run_somewhere():
    with_blocks = {page for page, text in PAGES.items() if re.search(r"^```console$", text, re.MULTILINE)}
    assert with_blocks == set(BLOCKS) | set(ELSEWHERE)
    assert [test for test in ELSEWHERE.values() if not (ROOT / test).exists()] == []


def flags_of(parser: argparse.ArgumentParser) -> dict[str, set[str]]:
    (commands,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return {
        name: {flag for a in sub._actions for flag in a.option_strings}
        for name, sub in commands.choices.items()
    }


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != "CHANGELOG.md"]
)  # names what is gone, too
def test_commands_named_in_passing_have_these_flags(page):
    known = flags_of(build_parser())
    for code in re.findall(r"`dugraph ([^`]+)`", PAGES[page].replace("\n", " ")):
        command, *words = code.split()
        if command.startswith("-"):
            continue
        assert command in known, code
        wanted = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert wanted <= known[command], code


@pytest.mark.parametrize("page", PAGES)
def test_scripts_and_targets_named_on_a_page_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = PAGES[page].replace("\n", " ")
    for target in re.findall(r"`make ([^`]+)`", text):
        for word in target.split():
            assert "=" in word or re.search(
                rf"^{re.escape(word.replace('.venv', '$(VENV)'))}:", makefile, re.M
            ), target
    for code in re.findall(r"`(?:\.venv/bin/)?python ([\w./]+\.py[^`]*)`", text):
        script, *words = code.split()
        source = (ROOT / script).read_text(encoding="utf-8")
        for helpers in re.findall(r"^(?:from|import) (\w+)|\b(\w+)\.py\b", source, re.MULTILINE):
            path = (ROOT / script).with_name(f"{''.join(helpers)}.py")
            source += path.read_text(encoding="utf-8") if path.exists() else ""
        missing = [word for word in words if word.startswith("--") and f'"{word}"' not in source]
        assert missing == [], code
