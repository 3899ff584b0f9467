"""docs/files.md: every command in its table runs on a folder of the layout it stands for."""

import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from layouts import LAYOUTS

from dugraph import load_cohort
from dugraph.cli import main
from dugraph.io.detection import choose_layout
from dugraph.io.input_files import InputFiles
from dugraph.io.layouts import LAYOUTS as TABLE

PAGE = Path(__file__).parents[2] / "docs" / "files.md"
COMMANDS = re.findall(r"`(dugraph convert [^`]+)`", PAGE.read_text(encoding="utf-8"))


def folder_of(command: str) -> str:
    return Path(shlex.split(command)[2]).parts[0]


@pytest.mark.parametrize("command", COMMANDS, ids=folder_of)
def test_a_row_gives_a_cohort(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = Path(folder_of(command))
    folder.mkdir()
    expected = LAYOUTS[str(folder)](folder)
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    graphs, y = load_cohort("cohort.npz")
    assert graphs.graph_ids == expected.subjects
    assert y.tolist() == [int(group == "patient") for group in expected.groups]
    if expected.regions is not None:
        assert graphs.node_labels == expected.regions
    if "--probability" not in command and "--density" not in command:
        np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), rtol=0, atol=1e-12)
    assert graphs.provenance["format"] in capsys.readouterr().out


def test_the_page_lists_the_table_of_layouts():
    """With DUGRAPH_NEW_BASELINES=1 the rows are written anew."""
    head = "| `--format` | files |\n|---|---|\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(head)
    rows = "".join(f"| `{one.name}` | {one.files} |\n" for one in TABLE)
    if os.environ.get("DUGRAPH_NEW_BASELINES"):
        PAGE.write_text(before + head + rows + "\n" + rest.split("\n\n", 1)[1], encoding="utf-8")
    else:
        assert rest.split("\n\n", 1)[0] + "\n" == rows


def test_every_layout_has_a_row_and_every_format_a_layout(tmp_path):
    assert sorted(map(folder_of, COMMANDS)) == sorted(LAYOUTS)
    found = set()
    for name, write in LAYOUTS.items():
        (tmp_path / name).mkdir()
        asked = write(tmp_path / name).words.get("format")
        found.add(choose_layout(InputFiles.of(tmp_path / name), asked)[0].name)
    assert found == {one.name for one in TABLE}
