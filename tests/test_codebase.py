"""Promises about the code as a whole: imports, flags, versions."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import dugraph
from dugraph._citation import CITATION

ROOT = Path(__file__).parent.parent
ROOMS = ("src", "cpp", "bindings", "tests", "benchmarks")
SOURCES = sorted(
    path
    for room in ROOMS
    for path in (ROOT / room).rglob("*")
    if path.suffix in {".py", ".pyi", ".cpp", ".hpp"} and "__pycache__" not in path.parts
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines_with(pattern: str, paths: list[Path]) -> list[str]:
    """Occurrences of a pattern as file:line, except in this file."""
    return [
        f"{relative(path)}:{number}"
        for path in paths
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_there_are_sources_to_look_at():
    assert {path.relative_to(ROOT).parts[0] for path in SOURCES} >= {"src", "cpp", "bindings", "tests"}


def test_the_core_knows_no_python():
    core = [path for path in SOURCES if path.is_relative_to(ROOT / "cpp")]
    assert lines_with(r"#\s*include\s*[<\"](Python\.h|nanobind|pybind)", core) == []


def test_only_the_door_imports_the_core():
    python = [path for path in SOURCES if path.suffix == ".py" and path.is_relative_to(ROOT / "src")]
    found = lines_with(r"^\s*(import|from)\s+dugraph\._core\b|from dugraph import .*\b_core\b", python)
    assert {place.split(":")[0] for place in found} == {"src/dugraph/search/core.py"}


def test_nothing_is_unpickled():
    shipped = [path for path in SOURCES if not path.is_relative_to(ROOT / "tests")]
    assert lines_with(r"allow_pickle\s*=\s*True|\bpickle\.loads?\(", shipped) == []


def test_every_machine_computes_the_same_bytes():
    builds = [ROOT / "CMakeLists.txt", ROOT / "pyproject.toml"]
    assert lines_with(r"-ffast-math|-Ofast|-march=native|-mtune=native|-funsafe-math", builds) == []
    assert "-ffp-contract=off" in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = re.search(r"^version: \"?([^\"\n]+)\"?$", citation, re.MULTILINE)
    assert version is not None
    assert version[1] == dugraph.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(dugraph.__version__)}\b", changes, re.MULTILINE)


def test_the_citation_is_the_same_in_file_and_command():
    file = re.sub(r'[\n"]+', "\n", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for field in re.findall(r"(?:title|booktitle|eprint) += \{+(.*?)\}", CITATION):
        assert field in file


def test_public_names_exist_once():
    assert len(set(dugraph.__all__)) == len(dugraph.__all__)
    assert all(hasattr(dugraph, name) for name in dugraph.__all__)


def test_names_that_have_moved_still_work_with_a_warning():
    assert not set(dugraph._MOVED) & set(dugraph.__all__)
    for name, module in dugraph._MOVED.items():
        with pytest.warns(
            DeprecationWarning, match=rf"dugraph\.{name} has moved: use dugraph\.{module}\.{name}\."
        ):
            moved = getattr(dugraph, name)
        assert moved is getattr(import_module(f"dugraph.{module}"), name)
