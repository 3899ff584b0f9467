"""Simulated cohorts of brain-like uncertain graphs with planted discriminative subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import is_whole, resolve_seed
from dugraph.data.atlas import Atlas, aal_atlas
from dugraph.data.graphs import UncertainGraphs
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import InputError, Spoken

_MOST_GRAPHS = 1_000_000
_SHAPES = ("path", "triangle", "star")  # planted in turn, so that three circuits are one of each
_SIZES = {"path": 3, "triangle": 3, "star": 4}
# Correlation along an edge of an intact circuit: high enough that the product over its edges is frequent.
_COUPLING = {"path": 0.88, "triangle": 0.95, "star": 0.88}
# Share of the variance of a circuit's region that follows the background: its other edges are equally weak in
# both classes, so that the planted subgraph, not its extensions, is the most discriminative one.
_BACKGROUND_SHARE = 0.05
_RANK = 24  # sources of activity
_REACH = 26.0  # mm, standard deviation of the spatial kernels
_BLOCK = 200  # subjects


@dataclass(frozen=True)
class _Profile:
    """A kind of cohort: its row of the paper's Table 3, then the series it is drawn from.

    The effects are chosen so that a linear SVM on all edges classifies about 73 % of the subjects correctly:
    small cohorts need a larger effect for that than large ones.
    """

    n_graphs: int
    n_regions: int
    mean_edges: float
    mean_probability: float
    n_volumes: int
    variability: float
    noise: float
    effect: float


_PROFILES = {
    "adhd": _Profile(200, 116, 484.7, 0.55, n_volumes=150, variability=0.6, noise=0.6, effect=0.5),
    "adni": _Profile(36, 90, 2019.8, 0.59, n_volumes=400, variability=0.25, noise=0.3, effect=0.85),
    "hiv": _Profile(50, 90, 480.48, 0.88, n_volumes=150, variability=0.4, noise=0.3, effect=0.75),
}


class SimulatedCohort(NamedTuple):
    """A simulated cohort; unpacks as ``graphs, y, planted``.

    Attributes
    ----------
    graphs : UncertainGraphs
        The graphs, with names and approximate centres of the AAL regions.
    y : ndarray of shape (n_graphs,)
        1 for patients, 0 for controls.
    planted : list of tuple of int
        The planted subgraphs, each a sorted tuple of edge indices.
    """

    graphs: UncertainGraphs
    y: NDArray[np.int64]
    planted: list[tuple[int, ...]]


def simulate(
    like: str = "adhd",
    *,
    n_graphs: int | None = None,
    n_planted: int = 3,
    effect: float | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> SimulatedCohort:
    """Simulate a balanced cohort of uncertain brain graphs, shaped like one of the paper's datasets.

    Parameters
    ----------
    like : {"adhd", "adni", "hiv"}, default="adhd"
        The dataset of the paper's Table 3 to resemble: 200, 36, 50 graphs; 116, 90, 90 nodes; on average
        484.7, 2019.8, 480.48 edges; mean probability of the present edges 0.55, 0.59, 0.88.
    n_graphs : int, default=None
        Even number of graphs, at least 4; half are patients. None means the number in Table 3.
    n_planted : int, default=3
        Number of planted subgraphs, at most an eighth of the nodes. They share no node; in turn they are
        paths of two edges, triangles, and stars of three edges, on neighbouring or mirrored regions.
    effect : float in [0, 1], default=None
        Difference between the shares of patients and of controls with an intact planted subgraph. With 0
        nothing is planted. None means 0.5, 0.85, 0.75 for the three datasets: a linear SVM on all edges then
        has an accuracy of about 0.73.
    random_state : int, Generator, RandomState or None, default=None
        Seed; the same integer gives the same cohort.

    Returns
    -------
    cohort : SimulatedCohort
        Named tuple ``(graphs, y, planted)``. Graphs are named "patient-001", "control-001" and so on, in
        random order.

    Raises
    ------
    InputError
        If a parameter is outside its range.

    Notes
    -----
    The series of a subject follow a low-rank model with noise: a global signal, lobes, decay with distance
    and left/right symmetry are common to all, and the loadings vary by subject. Each planted subgraph follows
    its own signals. In subjects without the intact subgraph, one of its regions, at random, is decoupled from
    the others; single edges are therefore less informative than the edges together.

    Pearson correlations r become probabilities by one rule for the whole cohort: the largest correlations are
    retained, as many as Table 3 has edges, with the probability ``r**gamma``, where gamma is found by
    bisection such that the mean probability is that of Table 3. Both numbers thus agree for every seed and
    number of graphs.

    Examples
    --------
    >>> from dugraph import simulate
    >>> graphs, y, planted = simulate("hiv", random_state=0)
    >>> len(y), int(y.sum()), [len(subgraph) for subgraph in planted]
    (50, 25, [2, 3, 3])
    """
    if not isinstance(like, str) or like not in _PROFILES:
        raise InputError(
            f"like must be one of {', '.join(map(repr, _PROFILES))}; got {like!r}. Name one of these.",
            parameter="like",
        )
    profile = _PROFILES[like]
    n_graphs = profile.n_graphs if n_graphs is None else _check_n_graphs(n_graphs)
    n_planted = _check_n_planted(n_planted, profile.n_regions)
    effect = profile.effect if effect is None else _check_effect(effect)
    if isinstance(random_state, np.random.RandomState):
        rng = np.random.Generator(random_state._bit_generator)
    elif isinstance(random_state, np.random.Generator):
        rng = random_state
    else:
        rng = np.random.default_rng(resolve_seed(random_state, below=None))

    atlas = aal_atlas(profile.n_regions)
    y = rng.permutation(np.arange(n_graphs, dtype=np.int64) % 2)
    series = background_series(atlas, n_graphs, profile.n_volumes, profile.variability, profile.noise, rng)
    circuits = choose_circuits(atlas, n_planted, rng) if effect > 0 else []
    for circuit in circuits:
        plant(series, circuit, choose_carriers(y, effect, rng), rng)
    probability = calibrated_probability(
        pearson(series), round(profile.mean_edges * n_graphs), profile.mean_probability
    )
    graphs = UncertainGraphs(
        probability,
        node_labels=atlas.labels,
        node_coordinates=atlas.coordinates,
        node_networks=atlas.lobes,
        graph_ids=_graph_ids(y),
        provenance={"format": "simulated", "like": like, "positive": "patient", "negative": "control"},
    )
    return SimulatedCohort(graphs, y, Subgraphs((one.subgraph() for one in circuits), graphs.naming))


def _graph_ids(y: NDArray[np.int64]) -> list[str]:
    """Name the graphs by class and by number within the class."""
    number = np.where(y == 1, np.cumsum(y), np.cumsum(1 - y))
    return [f"{('control', 'patient')[label]}-{k:03d}" for label, k in zip(y, number, strict=True)]


def _check_n_graphs(n_graphs: int) -> int:
    if not is_whole(n_graphs) or n_graphs < 4 or n_graphs % 2:
        raise InputError(
            f"n_graphs must be an even integer >= 4, for two classes of equal size; got {n_graphs!r}.",
            parameter="n_graphs",
            way_out=("Choose an even number, or ", Spoken("None", "leave it out"), " for the paper's."),
        )
    if n_graphs > _MOST_GRAPHS:
        raise InputError(f"n_graphs must be at most {_MOST_GRAPHS}; got {n_graphs!r}.", parameter="n_graphs")
    return int(n_graphs)


def _check_n_planted(n_planted: int, n_regions: int) -> int:
    # Circuits take up to four regions each: this leaves at least half of the regions as background.
    if not is_whole(n_planted) or not 0 <= n_planted <= n_regions // 8:
        raise InputError(
            f"n_planted must be an integer from 0 to {n_regions // 8}, so that disjoint subgraphs fit into "
            f"{n_regions} nodes; got {n_planted!r}. Plant fewer, or none with 0.",
            parameter="n_planted",
        )
    return int(n_planted)


def _check_effect(effect: float) -> float:
    try:
        value = float(effect)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 1:
        raise InputError(
            f"effect must be from 0 (nothing planted) to 1 (all patients, no control); got {effect!r}.",
            parameter="effect",
            way_out=(
                "Choose a number in this range, or ",
                Spoken("None", "leave it out"),
                " for the default.",
            ),
        )
    return value


@dataclass(frozen=True)
class Circuit:
    """The regions of one planted subgraph: the first is the hub of a "path" (two edges) or "star" (three)."""

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
    """Write a circuit's signals into the series, in place.

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


def population_covariance(atlas: Atlas) -> NDArray[np.float64]:
    """Return the covariance of the regions shared by all subjects.

    A sum of four kernels: a global signal, lobes as modules, decay with distance, and the same decay after
    folding the right hemisphere onto the left, which couples each region with its counterpart.
    """
    xyz = atlas.coordinates
    folded = np.column_stack([np.abs(xyz[:, 0]), xyz[:, 1:]])
    lobes = np.array(atlas.lobes)

    def decay(points: NDArray[np.float64]) -> NDArray[np.float64]:
        squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
        return np.asarray(np.exp(-squared / (2 * _REACH**2)))

    same_lobe = (lobes[:, None] == lobes[None]).astype(np.float64)
    return np.asarray(0.2 + 0.1 * same_lobe + 0.35 * decay(xyz) + 0.35 * decay(folded))


def background_series(
    atlas: Atlas, n_graphs: int, n_volumes: int, variability: float, noise: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw series of shape (n_graphs, n_volumes, n_regions) from a low-rank model with noise.

    `variability` is the standard deviation of a subject's loadings around the population's, relative to them;
    `noise` is the variance of each region's noise, relative to the signal's.
    """
    values, vectors = np.linalg.eigh(population_covariance(atlas))
    loadings = (vectors * np.sqrt(np.clip(values, 0.0, None)))[:, -_RANK:]
    # The sign of an eigenvector is arbitrary: fix it, so that a seed gives the same cohort on every machine.
    # Mirrored regions have loadings of equal size, so the first of the largest decides.
    size = np.abs(loadings)
    largest = (size > size.max(axis=0) * (1 - 1e-6)).argmax(axis=0)
    loadings *= np.sign(loadings[largest, np.arange(_RANK)])
    loadings /= np.linalg.norm(loadings, axis=1, keepdims=True)
    own = rng.standard_normal((n_graphs, *loadings.shape)) * (variability / np.sqrt(_RANK))
    sources = rng.standard_normal((n_graphs, n_volumes, _RANK))
    series = np.empty((n_graphs, n_volumes, len(loadings)))
    for some in _blocks(n_graphs):
        series[some] = sources[some] @ (loadings + own[some]).transpose(0, 2, 1)
        series[some] += np.sqrt(noise) * rng.standard_normal(series[some].shape)
    return series


def pearson(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations (n_graphs, n_edges) of series (n_graphs, n_volumes, n_regions)."""
    rows, columns = np.tril_indices(series.shape[2], -1)
    correlation = np.empty((len(series), len(rows)))
    for some in _blocks(len(series)):
        centred = series[some] - series[some].mean(axis=1, keepdims=True)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        correlation[some] = (centred.transpose(0, 2, 1) @ centred)[:, rows, columns]
    return correlation


def calibrated_probability(
    correlation: NDArray[np.float64], n_present: int, mean_probability: float
) -> NDArray[np.float64]:
    """Keep the n_present largest correlations, mapped by r**gamma to the given mean; all others become 0."""
    from scipy.optimize import bisect  # slow to import

    threshold = np.partition(correlation, -n_present, axis=None)[-n_present]
    # Only positive correlations can be probabilities; the model always has more of them than n_present.
    present = (correlation >= threshold) & (correlation > 0)
    retained = np.minimum(correlation[present], 1.0)
    # The mean decreases from 1 to 0 with gamma, so there is exactly one solution.
    gamma = bisect(lambda exponent: float(np.mean(retained**exponent)) - mean_probability, 1e-3, 1e3)
    probability = np.zeros_like(correlation)
    probability[present] = retained**gamma
    return probability


def _blocks(n_graphs: int) -> Iterator[slice]:
    """Divide subjects into blocks, which limits the memory of intermediate arrays."""
    return (slice(first, first + _BLOCK) for first in range(0, n_graphs, _BLOCK))
