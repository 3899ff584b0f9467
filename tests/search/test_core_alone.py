"""The core without Python: passes its own tests, takes new objectives; in a soak CMake alone builds it."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def working_cmake() -> str | None:
    """CMake from beside this Python or from the machine; a shim that only complains does not count."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=places)
    if (
        cmake is None
        or subprocess.run([cmake, "--version"], capture_output=True, check=False).returncode != 0
    ):
        return None
    return cmake


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def installed_core() -> Path | None:
    """The library from which the installed module was made, unless a source is newer or it is not here."""
    if os.environ.get("DUGRAPH_SOAK"):
        return None  # built from nothing, by CMake alone
    sources = [path for path in (ROOT / "cpp").rglob("*.?pp") if path.parent.name != "tests"]
    newest = max(path.stat().st_mtime for path in sources)
    found = [path for path in (ROOT / "build").glob("cp*/libdugraph_core.a") if path.stat().st_mtime > newest]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


@pytest.fixture(scope="module")
def core() -> tuple[Path, Path]:
    """The core's tests and its library: the one that Python has, where it is at hand."""
    cmake = working_cmake()
    if cmake is None:
        pytest.skip(
            "NOT TESTED: the core alone, for want of CMake. `pip install cmake`, or `make core-test`."
        )
    folder = ROOT / "build" / "core"  # kept, so that the next run builds only what changed
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / "core.lock").open("w") as lock:  # two processes never build in one folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        library = installed_core()
        chosen = f"-DDUGRAPH_CORE_LIBRARY={library or ''}"
        run(cmake, "-S", str(ROOT), "-B", str(folder), "-DDUGRAPH_CORE_TESTS=ON", chosen)
        run(cmake, "--build", str(folder), "--parallel", "2")
    return folder / "core_tests", library or folder / "libdugraph_core.a"


def test_core_passes_its_own_tests(core: tuple[Path, Path]) -> None:
    out = run(str(core[0]))
    assert re.search(r"^[1-9]\d* passed, 0 failed$", out, re.MULTILINE), out


@pytest.mark.system
def test_the_objective_of_the_docs_compiles_and_runs(core: tuple[Path, Path], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"```cpp\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "objective.cpp").write_text(program, encoding="utf-8")
    flags = [
        "-std=c++20",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-psabi",
        "-pthread",
    ]
    run(
        "g++",
        *flags,
        f"-I{ROOT / 'cpp'}",
        str(tmp_path / "objective.cpp"),
        str(core[1]),
        "-o",
        str(tmp_path / "objective"),
    )
    assert run(str(tmp_path / "objective")) == printed
