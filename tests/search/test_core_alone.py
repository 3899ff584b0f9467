"""The core without Python: builds by CMake alone, and passes its own tests."""

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


def test_core_passes_its_own_tests() -> None:
    cmake = working_cmake()
    if cmake is None:
        pytest.skip(
            "NOT TESTED: the core alone, for want of CMake. `pip install cmake`, or `make core-test`."
        )
    folder = str(ROOT / "build" / "core")  # kept, so that the next run builds only what changed
    run(cmake, "-S", str(ROOT), "-B", folder, "-DDUGRAPH_CORE_TESTS=ON")
    run(cmake, "--build", folder, "--parallel", "2")
    out = run(str(Path(folder) / "core_tests"))
    assert re.search(r"^[1-9]\d* passed, 0 failed$", out, re.MULTILINE), out
