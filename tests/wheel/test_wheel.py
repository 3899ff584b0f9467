"""What a wheel must do with only what it requires: no source tree, no extra, no compiler."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main

pytestmark = pytest.mark.system


def test_the_package_is_typed_and_whole():
    folder = Path(dg.__file__).parent
    assert {"py.typed", "_core.pyi"} <= {path.name for path in folder.iterdir()}
    assert [name for name in dg.__all__ if not hasattr(dg, name)] == []
    assert importlib.metadata.version("dugraph") == dg.__version__


def test_the_core_agrees_with_exhaustive_search():
    random = np.random.default_rng(1)
    for measure in ("expectation", "median", "mode", "phi_probability"):
        for score in ("hsic", "g_test", "confidence", "frequency_ratio", "information_gain"):
            X, y = random.random((14, 10)), np.arange(14) % 2
            asked = {"score": score, "measure": measure, "min_expected_frequency": 0.05, "pos_label": 1}
            found = dg.mine_subgraphs(X, y, n_subgraphs=15, **asked)
            subgraphs, values = dg.search.enumerate_subgraphs(X, y, **asked)
            assert found.status is dg.search.Status.OPTIMAL
            np.testing.assert_allclose(found.values, values[:15], rtol=1e-12)
            assert found.subgraphs == subgraphs[:15]


def test_planted_subgraphs_are_found_and_significant():
    graphs, y, planted = dg.simulate("adhd", random_state=3)
    found = dg.mine_subgraphs(graphs, y, n_subgraphs=10, n_jobs=2)
    assert set(planted) <= set(found.subgraphs)
    test = dg.significant_subgraphs(graphs, y, min_expected_frequency=0.25, n_permutations=199)
    assert set(planted) & set(test.subgraphs)


def test_the_command_line_goes_from_cohort_to_result_folder(tmp_path: Path, capsys):
    cohort, folder = str(tmp_path / "cohort.npz"), tmp_path / "results"
    assert main(["simulate", "--like", "hiv", "--random-state", "1", "-o", cohort]) == 0
    assert main(["mine", cohort, "--n-subgraphs", "5", "-o", str(folder)]) == 0
    record = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert len(record["subgraphs"]) == 5
    assert main(["doctor"]) == 0
    assert "dugraph works on this machine." in capsys.readouterr().out


def test_the_program_is_installed():
    program = Path(sys.executable).parent / "dugraph"
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout == f"dugraph {dg.__version__}\n"
