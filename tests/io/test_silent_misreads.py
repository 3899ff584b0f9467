"""The hunt for silent misreads: every layout against every trap gives what traps.md says.

The suite tries two traps of each layout; `make soak` tries all.
"""

import os
import re
from pathlib import Path

import pytest
from layouts import LAYOUTS
from traps import TRAPS, outcome

PAGE = (Path(__file__).parent / "traps.md").read_text(encoding="utf-8")
HEAD, *ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]
TABLE = {row[0]: dict(zip(HEAD[1:], row[1:], strict=True)) for row in ROWS[1:]}
CELLS = [(name, trap) for name in LAYOUTS for trap in TRAPS if TABLE.get(name, {}).get(trap, "-") != "-"]
# Neighbouring layouts meet different traps; tables turned in every file have code of their own.
SLICE = [cell for i, cell in enumerate(CELLS) if i % 4 == 1 or cell[1] == "all_transposed"]


def test_the_table_has_every_layout_and_every_trap():
    assert HEAD[1:] == list(TRAPS)
    assert list(TABLE) == list(LAYOUTS)
    words = {cell for row in TABLE.values() for cell in row.values()}
    assert words <= {"-", "same", "refused", "numbered"} | {f"unseen {letter}" for letter in "abcde"}


def test_what_cannot_be_seen_has_a_reason_and_every_reason_a_cell():
    used = {cell[-1] for row in TABLE.values() for cell in row.values() if cell.startswith("unseen")}
    assert used == set(re.findall(r"^- \*\*([a-z])\*\*: ", PAGE, re.MULTILINE))


@pytest.mark.parametrize(("name", "trap"), CELLS if os.environ.get("DUGRAPH_SOAK") else SLICE)
def test_a_trap_is_refused_or_changes_nothing(tmp_path, name, trap):
    found = outcome(name, trap, tmp_path)
    expected = TABLE[name][trap]
    assert found == ("misread" if expected.startswith("unseen") else expected)


@pytest.mark.parametrize(
    ("name", "trap", "guard", "instead"),
    [
        ("npy_folder", "r_for_z", "dugraph.io.connectomes.check_diagonal", None),
        ("halfpipe", "header_gained", "dugraph.io.delimited.names_of_series", False),
        ("csv_folder", "other_node_order", "dugraph.io.connectomes.order_like", None),
        ("class_folders", "class_swapped", "dugraph.io.participants._check_agree", None),
    ],
)
def test_the_hunt_sees_a_reader_that_is_not_on_its_guard(tmp_path, monkeypatch, name, trap, guard, instead):
    monkeypatch.setattr(guard, lambda *_: instead)
    assert outcome(name, trap, tmp_path) == "misread"
