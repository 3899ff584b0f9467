"""Small random cohorts, and all their admitted subgraphs as columns."""

import numpy as np

from dugraph import UncertainGraphs
from dugraph.search.exhaustive import connected_subgraphs

LIMIT = 0.1


def random_cohort(
    random: np.random.Generator, X: np.ndarray | None = None
) -> tuple[UncertainGraphs, np.ndarray]:
    """A cohort of few edges over few nodes; with X, these values on random edges."""
    n_nodes = int(random.integers(3, 6)) if X is None else 5
    pairs = [(a, b) for a in range(n_nodes) for b in range(a)]
    most = random.integers(2, 7) if X is None else X.shape[1]
    edges = [pairs[k] for k in random.permutation(len(pairs))[:most]]
    labels = [f"n{k}" for k in range(n_nodes)]
    if X is not None:
        return UncertainGraphs(X, edges, node_labels=labels), np.empty(0)
    n = int(random.integers(4, 16))
    y = np.array([0, 1, *random.integers(0, 2, n - 2)])
    X = random.random((n, len(edges))) ** 0.5
    X[:, 0] = np.where(y == 1, X[:, 0], X[:, 0] * 0.7)
    if random.random() < 0.3:  # certain edges give equal columns
        X = np.where(random.random(X.shape) < 0.4, np.round(X), X)
    return UncertainGraphs(X, edges, node_labels=labels), y


def all_columns(graphs: UncertainGraphs) -> tuple[list[tuple[int, ...]], np.ndarray]:
    admitted = [
        (g, x)
        for g in connected_subgraphs(graphs.edges)
        if (x := graphs.edge_probability[:, list(g)].prod(axis=1)).mean() > LIMIT + 1e-12
    ]
    return [g for g, _ in admitted], np.array([x for _, x in admitted]).T
