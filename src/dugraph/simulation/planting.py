"""Circuits: connected sets of regions whose joint coupling differs between patients and controls."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data.atlas import Atlas

_SHAPES = ("path", "triangle", "star")  # planted in turn, so that three circuits are one of each
_SIZES = {"path": 3, "triangle": 3, "star": 4}
# Correlation along an edge of an intact circuit: high enough that the product over its edges is frequent.
_COUPLING = {"path": 0.88, "triangle": 0.95, "star": 0.88}
# Share of the variance of a circuit's region that follows the background: its other edges are equally weak in
# both classes, so that the planted subgraph, not its extensions, is the most discriminative one.
_BACKGROUND_SHARE = 0.05


@dataclass(frozen=True)
class Circuit:
    """Regions and edges of one planted subgraph.

    Attributes
    ----------
    members : ndarray of int
        Regions; the first is the hub of a path or star.
    shape : {"path", "triangle", "star"}
        Two edges at a hub, three edges among three regions, three edges at a hub.
    """

    members: NDArray[np.intp]
    shape: str

    def subgraph(self) -> tuple[int, ...]:
        """Return the edges as sorted indices into the ``np.tril_indices`` order."""
        hub, *others = (int(node) for node in self.members)
        pairs = [(hub, leaf) for leaf in others]
        if self.shape == "triangle":
            pairs.append((others[0], others[1]))
        return tuple(sorted(max(pair) * (max(pair) - 1) // 2 + min(pair) for pair in pairs))

    def correlation(self) -> NDArray[np.float64]:
        """Return the correlation matrix of the members' signals in an intact circuit.

        Leaves of a hub correlate as little as their coupling with the hub allows, so that the edges of the
        circuit are stronger than the other pairs.
        """
        k = len(self.members)
        coupling = _COUPLING[self.shape]
        among = coupling if self.shape == "triangle" else coupling**2 - (1 - coupling**2) / (k - 2)
        matrix = np.full((k, k), among)
        matrix[0, :] = matrix[:, 0] = coupling
        np.fill_diagonal(matrix, 1.0)
        return matrix


def choose_circuits(atlas: Atlas, n_planted: int, rng: np.random.Generator) -> list[Circuit]:
    """Draw disjoint circuits: a hub with its nearest regions, or a left/right pair with a nearby region."""
    xyz = atlas.coordinates
    distance = np.linalg.norm(xyz[:, None] - xyz[None], axis=2)
    paired = np.array([side != "M" for side in atlas.hemisphere])
    mirrored = np.where(paired, np.arange(len(xyz)) ^ 1, -1)  # left and right alternate in the atlas
    free = np.ones(len(xyz), dtype=bool)
    circuits: list[Circuit] = []
    for number in range(n_planted):
        shape = _SHAPES[number % len(_SHAPES)]
        if shape == "triangle":
            first = int(rng.choice(np.flatnonzero(free & paired & free[mirrored])))
            members = [first, int(mirrored[first])]
        else:
            first = int(rng.choice(np.flatnonzero(free)))
            members = [first]
        free[members] = False
        near = np.argsort(distance[first], kind="stable")
        members += near[free[near]][: _SIZES[shape] - len(members)].tolist()
        free[members] = False
        circuits.append(Circuit(np.array(members), shape))
    return circuits


def choose_carriers(y: NDArray[np.int64], effect: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the subjects in whom a circuit is intact.

    Their share among patients exceeds that among controls by the effect. The numbers are exact, not binomial,
    so that small cohorts have the requested effect too.
    """
    centre = min(0.55, 1 - effect / 2)
    carrier = np.zeros(len(y), dtype=bool)
    for label, share in ((1, centre + effect / 2), (0, centre - effect / 2)):
        subjects = rng.permutation(np.flatnonzero(y == label))
        carrier[subjects[: round(share * len(subjects))]] = True
    return carrier


def plant(
    series: NDArray[np.float64], circuit: Circuit, carrier: NDArray[np.bool_], rng: np.random.Generator
) -> None:
    """Write a circuit's signals into the (n_graphs, n_volumes, n_regions) series, in place.

    In every subject the members follow the circuit's own signals and a little of their background. In
    subjects without the intact circuit one member, chosen at random but never a hub, is decoupled: each
    single edge is then still common there, and only the edges together separate the classes well.
    """
    n_graphs, n_volumes, _ = series.shape
    k = len(circuit.members)
    correlation = np.repeat(circuit.correlation()[None], n_graphs, axis=0)
    outsider = rng.integers(0 if circuit.shape == "triangle" else 1, k, size=n_graphs)
    subjects = np.flatnonzero(~carrier)
    cut = np.asarray(outsider)[subjects]
    correlation[subjects, cut, :] = 0.0
    correlation[subjects, :, cut] = 0.0
    correlation[subjects, cut, cut] = 1.0
    values, vectors = np.linalg.eigh(correlation)
    # The symmetric root does not depend on the choice of eigenvectors; the matrices are singular by design.
    root = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None, :] @ vectors.transpose(0, 2, 1)
    own = rng.standard_normal((n_graphs, n_volumes, k)) @ root
    background = series[:, :, circuit.members]
    background /= background.std(axis=1, keepdims=True)
    series[:, :, circuit.members] = (
        np.sqrt(_BACKGROUND_SHARE) * background + np.sqrt(1 - _BACKGROUND_SHARE) * own
    )
