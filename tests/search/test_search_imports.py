"""A search imports NumPy and the core only: SciPy and scikit-learn would take longer than many searches."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.system

CODE = """
import sys
import numpy as np
import dugraph as dg


X, y = np.random.default_rng(0).random((12, 6)), [0, 1] * 6
dg.mine_subgraphs(X, y, score=sys.argv[1], measure=sys.argv[2], n_subgraphs=2)
print(sorted({name.split(".")[0] for name in sys.modules} & {"numpy", "scipy", "sklearn", "pandas"}))
"""


@pytest.mark.parametrize(("score", "measure"), [("hsic", "expectation"), ("g_test", "phi_probability")])
def test_a_search_loads_numpy_alone(score, measure):
    shown = subprocess.run(
        [sys.executable, "-c", CODE, score, measure], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "['numpy']\n"
