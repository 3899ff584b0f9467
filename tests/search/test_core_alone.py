"""The core without Python takes new objectives: the example of the docs compiles and runs."""

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.system
ROOT = Path(__file__).parents[2]
FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-pthread", f"-I{ROOT / 'cpp'}"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_the_objective_of_the_docs_compiles_and_runs(tmp_path):
    library = max((ROOT / "build").glob("cp*/libdugraph_core.a"), key=lambda path: path.stat().st_mtime)
    page = (ROOT / "docs" / "searching.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"```cpp\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "objective.cpp").write_text(program, encoding="utf-8")
    objective = str(tmp_path / "objective")
    run("g++", *FLAGS, str(tmp_path / "objective.cpp"), str(library), "-o", objective)
    assert run(objective) == printed
