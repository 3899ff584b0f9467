"""Cohorts with a planted difference: 30 nodes, 60 graphs, and the edges that truly differ.

The sizes of the shift and of the diffuse effect were set by the power of edge maxT alone: about 0.3 and 0.65.
"""

from collections.abc import Callable
from typing import NamedTuple

import networkx as nx
import null_cohorts
import numpy as np
from null_cohorts import EDGES, N_NODES, Floats, Random
from numpy.typing import NDArray

import dugraph as dg


class Planted(NamedTuple):
    """Graphs, classes, and the edges that truly differ; `whole` if they are one subgraph to be found."""

    X: Floats
    y: NDArray[np.int64]
    edges: frozenset[int]
    whole: bool


def _background(random: Random) -> tuple[Floats, NDArray[np.int64]]:
    return null_cohorts.connectivity(random, 60), random.permutation(np.arange(60) % 2)


def _three_edges(random: Random, allowed: NDArray[np.int64]) -> list[int]:
    """A path, star or triangle of three allowed edges, grown at random."""
    while True:
        chosen = [int(random.choice(allowed))]
        while len(chosen) < 3:
            nodes = set(EDGES[chosen].ravel().tolist())
            near = [
                e for e in allowed.tolist() if e not in chosen and not nodes.isdisjoint(EDGES[e].tolist())
            ]
            if not near:
                break
            chosen.append(int(random.choice(near)))
        if len(chosen) == 3:
            return chosen


def every_edge(random: Random) -> Planted:
    """Each edge of a subgraph is present in more patients than controls, independently of the others."""
    X, y = _background(random)
    chosen = _three_edges(random, np.flatnonzero(X.mean(axis=0) < 0.1))
    present = random.random((60, 3)) < np.where(y[:, None] == 1, 0.75, 0.4)
    X[:, chosen] = np.where(present, 0.6 + 0.4 * random.random((60, 3)), 0.0)
    return Planted(X, y, frozenset(chosen), True)


def joint_presence(random: Random) -> Planted:
    """Each edge is as frequent in both classes; patients have all or none, controls any of them."""
    X, y = _background(random)
    chosen = _three_edges(random, np.flatnonzero(X.mean(axis=0) < 0.1))
    together = np.repeat(random.random((60, 1)) < 0.55, 3, axis=1)
    present = np.where(y[:, None] == 1, together, random.random((60, 3)) < 0.55)
    X[:, chosen] = np.where(present, 0.8 + 0.2 * random.random((60, 3)), 0.0)
    return Planted(X, y, frozenset(chosen), True)


def circuit(random: Random) -> Planted:
    """A circuit of `simulate`: one region is cut off at random where it is not whole. 30 of 116 regions."""
    graphs, y, planted = dg.simulate("adhd", n_graphs=60, n_planted=2, effect=0.5, random_state=random)
    chosen = planted[1]
    kept = set(graphs.edges[list(chosen)].ravel().tolist())
    others = random.permutation([node for node in range(graphs.n_nodes) if node not in kept])
    nodes = np.sort([*kept, *others[: N_NODES - len(kept)]])
    rows = np.flatnonzero(np.isin(graphs.edges, nodes).all(axis=1))
    place = {tuple(sorted(pair)): k for k, pair in enumerate(EDGES.tolist())}
    X = np.zeros((60, len(EDGES)))
    moved = {int(e): place[tuple(sorted(np.searchsorted(nodes, graphs.edges[e]).tolist()))] for e in rows}
    for edge, column in moved.items():
        X[:, column] = graphs.edge_probability[:, edge]
    return Planted(X, y, frozenset(moved[e] for e in chosen), True)


def shift(random: Random) -> Planted:
    """Three common edges of the background are stronger in patients."""
    X, y = _background(random)
    chosen = _three_edges(random, np.flatnonzero(X.mean(axis=0) > 0.3))
    X[:, chosen] = X[:, chosen] ** np.where(y[:, None] == 1, 0.45, 1.5)
    return Planted(X, y, frozenset(chosen), True)


def diffuse(random: Random) -> Planted:
    """Fifteen connected common edges are a little stronger in patients: the ground of NBS."""
    X, y = _background(random)
    chosen = _three_edges(random, common := np.flatnonzero(X.mean(axis=0) > 0.15))
    while len(chosen) < 15:
        nodes = set(EDGES[chosen].ravel().tolist())
        near = [e for e in common.tolist() if e not in chosen and not nodes.isdisjoint(EDGES[e].tolist())]
        chosen.append(int(random.choice(near)))
    X[:, chosen] = X[:, chosen] ** np.where(y[:, None] == 1, 0.6, 1.4)
    return Planted(X, y, frozenset(chosen), False)


def module(random: Random, n_regions: int, by: float) -> Planted:
    """All edges among neighbouring regions are more probable in patients, wherever they are present."""
    X, y = _background(random)
    near = np.linalg.norm(null_cohorts.PLACE - null_cohorts.PLACE[random.integers(N_NODES)], axis=1)
    inside = np.isin(EDGES, np.argsort(near)[:n_regions]).all(axis=1)
    shifted = np.where(X > 0, np.clip(X + by, 0.0, 1.0), 0.0)
    chosen = np.flatnonzero(inside & (X.mean(axis=0) > 0))
    X[np.ix_(y == 1, chosen)] = shifted[np.ix_(y == 1, chosen)]
    return Planted(X, y, frozenset(chosen.tolist()), True)


MODULES: dict[str, Callable[[Random], Planted]] = {
    "module of 8 regions, +0.25": lambda random: module(random, 8, 0.25),
    "module of 12 regions, +0.20": lambda random: module(random, 12, 0.20),
}
DESIGNS: dict[str, Callable[[Random], Planted]] = {
    "every edge differs": every_edge,
    "joint presence only": joint_presence,
    "a circuit of simulate": circuit,
    "shift of background edges": shift,
    "fifteen diffuse edges": diffuse,
}


def components(edges: list[int]) -> list[frozenset[int]]:
    """Edges as connected subgraphs."""
    graph = nx.Graph([tuple(EDGES[e].tolist()) for e in edges])
    return [frozenset(e for e in edges if EDGES[e][0] in nodes) for nodes in nx.connected_components(graph)]
