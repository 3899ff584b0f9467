"""The compiled core: one importer, an error without it, NumPy alone beside it, the example of the docs."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dugraph
from dugraph.search import core

ROOT = Path(__file__).parents[2]
FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-pthread", f"-I{ROOT / 'cpp'}"]
CODE = """
import sys
import numpy as np
import dugraph as dg


X, y = np.random.default_rng(0).random((12, 6)), [0, 1] * 6
dg.mine_subgraphs(X, y, score=sys.argv[1], measure=sys.argv[2], n_subgraphs=2)
print(sorted({name.split(".")[0] for name in sys.modules} & {"numpy", "scipy", "sklearn", "pandas"}))
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


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
        importlib.reload(core)
    monkeypatch.undo()
    importlib.reload(core)


@pytest.mark.system
@pytest.mark.parametrize(("score", "measure"), [("hsic", "expectation"), ("g_test", "phi_probability")])
def test_a_search_loads_numpy_alone(score, measure):
    """SciPy and scikit-learn would take longer to import than many searches."""
    assert run(sys.executable, "-c", CODE, score, measure) == "['numpy']\n"


@pytest.mark.system
def test_the_objective_of_the_docs_compiles_and_runs(tmp_path):
    library = max((ROOT / "build").glob("cp*/libdugraph_core.a"), key=lambda path: path.stat().st_mtime)
    page = (ROOT / "docs" / "searching.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"```cpp\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "objective.cpp").write_text(program, encoding="utf-8")
    objective = str(tmp_path / "objective")
    run("g++", *FLAGS, str(tmp_path / "objective.cpp"), str(library), "-o", objective)
    assert run(objective) == printed
