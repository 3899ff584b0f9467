"""How the compiled core was built, and whether it agrees with the reference on this machine."""

from typing import Any

import numpy as np

from dugraph.search.core import compiler, instruction_set
from dugraph.search.exhaustive import enumerate_subgraphs
from dugraph.search.mining import mine_subgraphs

__all__ = ["agrees_with_reference", "compiler", "instruction_set"]

_N_GRAPHS, _N_EDGES, _LISTED = 16, 10, 20  # five nodes, every pair of them an edge


def agrees_with_reference() -> bool:
    """Whether the compiled search lists the subgraphs that exhaustive search in NumPy finds."""
    random = np.random.default_rng(0)
    X = random.random((_N_GRAPHS, _N_EDGES))
    y = np.arange(_N_GRAPHS) % 2
    settings: dict[str, Any] = {"score": "g_test", "measure": "expectation", "min_expected_frequency": 0.05}
    found = mine_subgraphs(X, y, n_subgraphs=_LISTED, **settings)
    subgraphs, values = enumerate_subgraphs(X, y, **settings)
    same = found.subgraphs == subgraphs[:_LISTED]
    return bool(same and np.allclose(found.values, values[:_LISTED], rtol=1e-12, atol=0))
