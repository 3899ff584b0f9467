"""Only search/core.py imports the compiled core, and explains its absence."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import dugraph
from dugraph.search import core as door


def test_only_search_core_imports_the_compiled_core():
    package = Path(dugraph.__file__).parent
    importers = [
        path.relative_to(package).as_posix()
        for path in sorted(package.rglob("*.py"))
        if re.search(r"^\s*(import|from)\b.*\b_core\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importers == ["search/core.py"]


def test_a_missing_core_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "dugraph._core", None)
    with pytest.raises(ImportError, match=r"compiled core.*could not be loaded.*pip install"):
        importlib.reload(door)
    monkeypatch.undo()
    importlib.reload(door)
