"""docs/architecture.md is true: its packages, its layers, and the call path that it draws."""

import re
import sys
import tomllib
from pathlib import Path
from types import FrameType

import pytest

import dugraph as dg
from dugraph.cli import main

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "dugraph"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALK = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]


def layers_of_the_page() -> list[set[str]]:
    """The rows of the second table, from the bottom layer up."""
    table = PAGE.split("| package of `src/dugraph` |")[1].split("\n\n")[0]
    return [set(re.findall(r"`(\w+)`", line.split("|")[1])) for line in table.splitlines()[2:]]


def modules_of_the_walk(room: str = "") -> list[str]:
    """Paths named in the diagram; those of one top folder, or those of the package."""
    paths = re.findall(r"[\w/]+/\w+\.(?:py|cpp|hpp)\b", WALK)
    return [path for path in paths if path.startswith(room or tuple(f"{name}/" for name in rooms()))]


def rooms() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def test_every_room_is_named_and_every_room_named_exists():
    named = set().union(*layers_of_the_page())
    assert named == rooms() | {"exceptions", "words", "settings"}
    core = {path.relative_to(ROOT).as_posix() for path in (ROOT / "cpp").iterdir() if path.is_dir()}
    assert set(re.findall(r"^\| `(cpp/\w+|bindings)` \|", PAGE, re.MULTILINE)) == core | {"bindings"}


def test_the_layers_are_those_that_are_enforced():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    enforced = [set(re.findall(r"dugraph\.(\w+)", layer)) for layer in layers]
    assert layers_of_the_page() == enforced[::-1]


def test_every_module_named_exists():
    named = re.findall(r"[\w/]+/[\w.]+\.(?:py|cpp|hpp|toml)\b", PAGE)
    assert len(named) > 40
    places = (ROOT, SOURCE)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The modules of the package that have a function called by the command of the walk."""
    folder = tmp_path_factory.mktemp("walk")
    graphs, y, _ = dg.simulate("hiv", random_state=0)
    dg.save_cohort(folder / "cohort.npz", graphs, y)
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    # Modules are loaded by a first run: what runs at import is not part of the walk.
    for run in ("first", "second"):
        command = [
            "mine",
            str(folder / "cohort.npz"),
            "--n-subgraphs",
            "5",
            "-o",
            str(folder / run),
            "--report",
        ]
        sys.setprofile(note if run == "second" else None)
        try:
            assert main(command) == 0
        finally:
            sys.setprofile(None)
    paths = [Path(file) for file in files]
    return {path.relative_to(SOURCE).as_posix() for path in paths if path.is_relative_to(SOURCE)}


def test_the_command_calls_every_module_of_its_walk(called: set[str]):
    named = modules_of_the_walk()
    assert len(named) == len(set(named)) > 20
    assert [name for name in named if name not in called] == []


def test_the_walk_passes_every_room_that_the_command_enters(called: set[str]):
    entered = {name.split("/")[0] for name in called if "/" in name}
    assert {name.split("/")[0] for name in modules_of_the_walk()} == entered


def test_the_core_of_the_walk_hangs_together():
    """Its files are included, directly or not, by the binding through which the walk enters the core."""
    open_files, reached = ["bindings/search.cpp"], set()
    while open_files:
        name = open_files.pop()
        if name in reached:
            continue
        reached.add(name)
        included = re.findall(r'#include "([\w/]+\.hpp)"', (ROOT / name).read_text(encoding="utf-8"))
        for header in included:
            path = next(p for p in (f"cpp/{header}", f"bindings/{header}") if (ROOT / p).exists())
            body = path.replace(".hpp", ".cpp")
            open_files += [path, *([body] if (ROOT / body).exists() else [])]
    named = [*modules_of_the_walk("cpp/"), *modules_of_the_walk("bindings/")]
    assert len(named) == 6
    assert [name for name in named if name not in reached] == []
