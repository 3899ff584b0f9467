"""Cohorts of brain-like uncertain graphs with known discriminative subgraphs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import is_whole
from dugraph.data.atlas import aal_atlas
from dugraph.data.graphs import UncertainGraphs
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import InputError, Spoken
from dugraph.simulation.planting import choose_carriers, choose_circuits, plant
from dugraph.simulation.series import background_series, calibrated_probability, pearson

_MOST_GRAPHS = 1_000_000


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
    random_state: int | np.random.Generator | None = None,
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
    random_state : int, Generator or None, default=None
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
    rng = _check_random_state(random_state)

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


def _check_random_state(random_state: int | np.random.Generator | None) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(
            (
                "random_state must be a non-negative integer",
                Spoken(", a numpy Generator or None"),
                f"; got {random_state!r}.",
            ),
            parameter="random_state",
            way_out="Give an integer for a cohort that can be drawn again.",
        ) from error
