"""Populations with a known difference: cohorts of any size, and the truth about every subgraph.

The planted edges are the same in all cohorts of a population, so that the true effect of any subgraph can be
computed from one large sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from null_cohorts import EDGES, PLACE, Floats, Random, connectivity
from numpy.typing import NDArray

Change = Callable[[Random, Floats, NDArray[np.int64]], Floats]
N_LARGE = 20_000


@cache
def _usual() -> Floats:
    """The expected probability of each edge in the background."""
    return np.asarray(connectivity(np.random.default_rng(3), 2_000).mean(axis=0))


def _path(allowed: NDArray[np.int64]) -> list[int]:
    """Three connected allowed edges, the same in every call."""
    random = np.random.default_rng(8)
    while True:
        chosen = [int(random.choice(allowed))]
        while len(chosen) < 3:
            nodes = set(EDGES[chosen].ravel().tolist())
            near = [e for e in allowed.tolist() if e not in chosen and nodes & set(EDGES[e].tolist())]
            if not near:
                break
            chosen.append(int(random.choice(near)))
        if len(chosen) == 3:
            return chosen


@dataclass(frozen=True)
class Population:
    """The edges that differ, and how: `change` gives their probabilities for labels y."""

    edges: list[int]
    change: Change

    def draw(self, random: Random, n: int) -> tuple[Floats, NDArray[np.int64]]:
        """A cohort of n graphs, half of them patients."""
        X, y = connectivity(random, n), random.permutation(np.arange(n) % 2)
        X[:, self.edges] = self.change(random, X[:, self.edges], y)
        return X, y


def every_edge(ill: float, well: float) -> Population:
    """Each of three edges is present in more patients, independently of the others."""

    def change(random: Random, X: Floats, y: NDArray[np.int64]) -> Floats:
        present = random.random(X.shape) < np.where(y[:, None] == 1, ill, well)
        return np.where(present, 0.6 + 0.4 * random.random(X.shape), 0.0)

    return Population(_path(np.flatnonzero(_usual() < 0.1)), change)


def joint_presence(share: float = 0.55) -> Population:
    """Each edge is as frequent in both classes; patients have all three or none."""

    def change(random: Random, X: Floats, y: NDArray[np.int64]) -> Floats:
        together = np.repeat(random.random((len(X), 1)) < share, 3, axis=1)
        present = np.where(y[:, None] == 1, together, random.random(X.shape) < share)
        return np.where(present, 0.8 + 0.2 * random.random(X.shape), 0.0)

    return Population(_path(np.flatnonzero(_usual() < 0.1)), change)


def shift(ill: float, well: float) -> Population:
    """Three common edges are stronger in patients."""

    def change(random: Random, X: Floats, y: NDArray[np.int64]) -> Floats:
        return np.asarray(X ** np.where(y[:, None] == 1, ill, well))

    return Population(_path(np.flatnonzero(_usual() > 0.3)), change)


def module(n_regions: int, by: float) -> Population:
    """All edges present among neighbouring regions are more probable in patients."""
    near = np.linalg.norm(PLACE - PLACE[4], axis=1)
    inside = np.isin(EDGES, np.argsort(near)[:n_regions]).all(axis=1)

    def change(random: Random, X: Floats, y: NDArray[np.int64]) -> Floats:
        return np.where((X > 0) & (y[:, None] == 1), np.minimum(X + by, 1.0), X)

    return Population(np.flatnonzero(inside).tolist(), change)


POPULATIONS: dict[str, Population] = {
    "every edge differs (0.75, 0.40)": every_edge(0.75, 0.40),
    "every edge differs (0.65, 0.40)": every_edge(0.65, 0.40),
    "joint presence only": joint_presence(),
    "shift of background edges": shift(0.45, 1.5),
    "module of 8 regions, +0.25": module(8, 0.25),
}


class Truth:
    """A large sample of a population."""

    def __init__(self, population: Population, seed: int = 11) -> None:
        self._X, y = population.draw(np.random.default_rng(seed), N_LARGE)
        self._ill = y == 1

    def x(self, subgraph: Sequence[int]) -> Floats:
        """Containment probabilities in the large sample."""
        return np.asarray(self._X[:, list(subgraph)].prod(axis=1))

    def effect(self, subgraph: Sequence[int]) -> float:
        """The difference in expected frequency."""
        x = self.x(subgraph)
        return float(x[self._ill].mean() - x[~self._ill].mean())

    def moments(self, subgraph: Sequence[int]) -> tuple[float, float, float, float]:
        """The expected frequencies in patients and controls, and the variances of x in them."""
        x = self.x(subgraph)
        ill, well = x[self._ill], x[~self._ill]
        return float(ill.mean()), float(well.mean()), float(ill.var()), float(well.var())
