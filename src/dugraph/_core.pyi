from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

def support_distribution(probabilities: NDArray[np.float64], tail: float) -> NDArray[np.float64]: ...
def search_subgraphs(
    *,
    edges: NDArray[np.int32],
    edge_probability: NDArray[np.float64],
    n_pos: int,
    n_nodes: int,
    level_of: NDArray[np.int32],
    levels: NDArray[np.float64],
    measure: int,
    quantile: float,
    first_level: int,
    square_scale: float,
    n_subgraphs: int,
    min_expected_frequency: float,
    max_edges: int,
    bound: int,
    n_threads: int,
    time_limit: float,
    node_limit: int,
    progress: Callable[[dict[str, Any]], None] | None,
) -> dict[str, Any]: ...

class GainSearch:
    def __init__(
        self,
        *,
        edges: NDArray[np.int32],
        edge_probability: NDArray[np.float64],
        n_pos: int,
        n_nodes: int,
        min_expected_frequency: float,
        max_edges: int,
        bound: int,
        n_threads: int,
    ) -> None: ...
    def find(
        self,
        *,
        weights: NDArray[np.float64],
        floor: float,
        n_subgraphs: int,
        time_limit: float,
        node_limit: int,
        progress: Callable[[dict[str, Any]], None] | None,
    ) -> dict[str, Any]: ...
