"""Every mistake of mistakes.md gets the message beside it, in full."""

import os
import re
import shlex
from pathlib import Path

import pytest
from mistakes import MISTAKES, write_intact

from dugraph.cli import main

PAGE = Path(__file__).with_name("mistakes.md")
ENTRY = re.compile(r"^\*\*(\w+)\*\*: `dugraph (convert [^`]*)`\n\n((?:> [^\n]*\n)+)", re.MULTILINE)
ENTRIES = ENTRY.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("first", range(0, len(ENTRIES), 8))
def test_mistakes_get_their_messages(first, tmp_path, monkeypatch, capsys):
    """With DUGRAPH_NEW_BASELINES=1 the messages are written anew."""
    for i, (mistake, command, quoted) in enumerate(ENTRIES[first : first + 8]):
        (tmp_path / str(i)).mkdir()
        monkeypatch.chdir(tmp_path / str(i))
        write_intact()
        MISTAKES[mistake]()
        assert main(shlex.split(command)) == 1
        found = "".join(f"> {line}\n" for line in capsys.readouterr().err.splitlines())
        if os.environ.get("DUGRAPH_NEW_BASELINES"):
            head = f"**{mistake}**: `dugraph {command}`\n\n"
            PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(head + quoted, head + found), "utf-8")
        else:
            assert found == quoted


def test_there_are_thirty_mistakes_and_more():
    assert len(ENTRIES) >= 30
    assert {mistake for mistake, _, _ in ENTRIES} <= MISTAKES.keys()
