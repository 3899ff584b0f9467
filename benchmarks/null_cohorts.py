"""Cohorts on which every discovery is false, one generator per hazard; 30 nodes as in the study of power."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Random = np.random.Generator
Floats = NDArray[np.float64]
N_NODES = 30
EDGES = np.column_stack(np.tril_indices(N_NODES, -1))
PLACE = np.random.default_rng(1).normal(size=(N_NODES, 2))
"""Coordinates of the regions; near ones are connected."""


class Cohort(NamedTuple):
    """Graphs, labels, the design that a careful user would choose, and the edges that truly differ."""

    X: Floats
    y: NDArray[Any]
    design: dict[str, Any]
    differs: tuple[int, ...] = ()


def connectivity(random: Random, n: int, shift: Floats | float = 0.0, spread: float = 1.0) -> Floats:
    """Edge probabilities of n brain-like graphs: strong edges common to all, weak ones absent, subjects vary.

    `shift`, of shape (n, 1), moves all edges of a subject, and half of them twice as much as the others.
    """
    distance = np.linalg.norm(PLACE[EDGES[:, 0]] - PLACE[EDGES[:, 1]], axis=1)
    usual = 1.0 - 3.5 * distance
    sensitive = 1 + np.arange(len(EDGES)) % 2
    node = random.normal(size=(n, N_NODES)) * 0.5
    subject = random.normal(size=(n, 1)) * 0.5
    noise = random.normal(size=(n, len(EDGES)))
    level = usual + subject + node[:, EDGES[:, 0]] + node[:, EDGES[:, 1]] + noise
    probability = expit(usual + (level - usual) * spread + np.asarray(shift) * sensitive)
    return np.where(probability > 0.2, probability, 0.0)


def _classes(random: Random, chance: Floats) -> NDArray[np.int64]:
    y = (random.random(len(chance)) < chance).astype(np.int64)
    y[:2] = 0, 1
    return y


def null(random: Random) -> Cohort:
    return Cohort(connectivity(random, 60), random.permutation(np.arange(60) % 2), {})


def unequal_sizes(random: Random) -> Cohort:
    return Cohort(connectivity(random, 60), random.permutation(np.arange(60) < 12).astype(int), {})


def ties_and_zeros(random: Random) -> Cohort:
    X = np.round(connectivity(random, 60) * 4) / 4
    X[random.random(X.shape) < 0.3] = 0.0
    return Cohort(X, random.permutation(np.arange(60) % 2), {})


def certain_graphs(random: Random) -> Cohort:
    X = connectivity(random, 60)
    return Cohort((random.random(X.shape) < X).astype(float), random.permutation(np.arange(60) % 2), {})


def sites(random: Random) -> Cohort:
    """Three sites that differ in scanner and in their share of patients."""
    site = np.repeat([0, 1, 2], 20)
    y = np.concatenate([random.permutation(np.arange(20) < k) for k in (4, 10, 16)]).astype(int)
    return Cohort(connectivity(random, 60, 0.5 * (site[:, None] - 1)), y, {"blocks": site})


def unbalanced_sites(random: Random) -> Cohort:
    """Sites of 2 to 30 subjects, one of them with patients only."""
    site = np.repeat(np.arange(6), [2, 4, 6, 8, 10, 30])
    counts = zip((2, 4, 6, 8, 10, 30), (1, 1, 6, 6, 2, 20), strict=True)
    y = np.concatenate([random.permutation(np.arange(n) < k) for n, k in counts]).astype(int)
    return Cohort(connectivity(random, 60, 0.15 * (site[:, None] - 3)), y, {"blocks": site})


def age(random: Random) -> Cohort:
    """Patients are older (log odds 1.5 per standard deviation), and every edge depends on age."""
    years = random.normal(size=60)
    y = _classes(random, expit(1.5 * years))
    return Cohort(connectivity(random, 60, 0.4 * years[:, None]), y, {"covariates": years})


def heavy_tailed_age(random: Random) -> Cohort:
    years = random.standard_t(3, size=60)
    y = _classes(random, expit(1.5 * years))
    return Cohort(connectivity(random, 60, 0.3 * years[:, None]), y, {"covariates": years})


def curved_age(random: Random) -> Cohort:
    """The log odds are not linear in age, against the assumption; neither is its effect on the edges."""
    years = random.normal(size=60)
    y = _classes(random, expit(np.sign(years) * years**2))
    return Cohort(connectivity(random, 60, 0.15 * (years[:, None] ** 2 - 1)), y, {"covariates": years})


def sites_and_age(random: Random) -> Cohort:
    site, years = np.repeat([0, 1, 2], 20), random.normal(size=60)
    y = _classes(random, expit(1.5 * years + site - 1))
    shift = 0.3 * years[:, None] + 0.4 * (site[:, None] - 1)
    return Cohort(connectivity(random, 60, shift), y, {"blocks": site, "covariates": years})


def correlated_phenotype(random: Random) -> Cohort:
    """A continuous phenotype that is correlated with age."""
    years = random.normal(size=60)
    y = years + random.normal(size=60)
    return Cohort(connectivity(random, 60, 0.4 * years[:, None]), y, {"covariates": years})


def three_groups(random: Random) -> Cohort:
    y = random.permutation(np.array(["a", "b", "c"])[np.arange(60) % 3])
    return Cohort(connectivity(random, 60), y, {})


def repeated_scans(random: Random) -> Cohort:
    """Two scans of each of 30 subjects, much alike."""
    subject = np.repeat(np.arange(30), 2)
    X = connectivity(random, 30)[subject]
    X = np.clip(X + np.where(X > 0, random.normal(size=X.shape) * 0.05, 0.0), 0.0, 1.0)
    y = random.permutation(np.arange(30) % 2)[subject]
    return Cohort(X, y, {"blocks": subject, "permute": "whole"})


def unequal_variances(random: Random) -> Cohort:
    """15 patients vary twice as much as 45 controls: not the null of the test, which is independence."""
    y = random.permutation(np.arange(60) < 15).astype(int)
    spread = np.where(y[:, None] == 1, 1.5, 0.75)
    return Cohort(connectivity(random, 60, 0.0, spread), y, {})


def one_edge_differs(random: Random) -> Cohort:
    """Strong control: the most frequent edge differs; only subgraphs without it are false discoveries."""
    X, y = connectivity(random, 60), random.permutation(np.arange(60) % 2)
    edge = int(X.mean(axis=0).argmax())
    X[:, edge] = np.where(y == 1, 0.95, 0.5) * X[:, edge]
    return Cohort(X, y, {}, (edge,))


EXACT: dict[str, Callable[[Random], Cohort]] = {
    "null": null,
    "unequal sizes": unequal_sizes,
    "ties and many zeros": ties_and_zeros,
    "certain graphs": certain_graphs,
    "sites confounded with class": sites,
    "unbalanced sites": unbalanced_sites,
    "three groups": three_groups,
    "repeated scans": repeated_scans,
    "one edge truly differs": one_edge_differs,
}
APPROXIMATE: dict[str, Callable[[Random], Cohort]] = {
    "age confounded with class": age,
    "heavy-tailed age": heavy_tailed_age,
    "curved age": curved_age,
    "sites and age": sites_and_age,
    "phenotype along with age": correlated_phenotype,
}
NOT_THE_NULL: dict[str, Callable[[Random], Cohort]] = {"unequal variances": unequal_variances}
