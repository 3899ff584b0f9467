"""The paper's settings by name, and the graphs that they are for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import whole_number
from dugraph.data.wording import is_one_of
from dugraph.evaluation.features import Subjects
from dugraph.exceptions import InputError, Setting


@dataclass(frozen=True)
class PaperSettings:
    """min_sup of a dataset of the paper, and how many graphs of each class it has if they were drawn."""

    min_expected_frequency: float
    graphs_per_class: int | None = None


LIKE_PAPER = {
    "adhd": PaperSettings(0.2, graphs_per_class=100),
    "adni": PaperSettings(0.4),
    "hiv": PaperSettings(0.4),
}


def paper_settings(name: str) -> PaperSettings:
    """Look up the settings of a dataset of the paper.

    Parameters
    ----------
    name : {"adhd", "adni", "hiv"}

    Returns
    -------
    PaperSettings
    """
    if not is_one_of(name, LIKE_PAPER):
        raise InputError(
            f"like_paper must be one of {', '.join(LIKE_PAPER)}; got {name!r}.", parameter="like_paper"
        )
    return LIKE_PAPER[name]


def like_paper_graphs(
    cohort: LabelledGraphs, name: str | None, random_state: int
) -> tuple[LabelledGraphs, float | None]:
    """The graphs that the paper's settings are for, and its min_sup; without a name, the same and None.

    Parameters
    ----------
    cohort : LabelledGraphs
    name : {"adhd", "adni", "hiv"} or None
    random_state : int
        Seed of drawing graphs, as for `evaluate_methods`.
    """
    if name is None:
        return cohort, None
    asked = paper_settings(name)
    if asked.graphs_per_class is not None:
        cohort = draw_balanced(Subjects(cohort), asked.graphs_per_class, random_state).cohort
    return cohort, asked.min_expected_frequency


def keep_regions(subjects: Subjects, regions: int) -> Subjects:
    """Keep the first nodes and the edges among them: 90 are the cerebral regions of AAL-116.

    Parameters
    ----------
    subjects : Subjects
        Their time series, if any, have a column for each node.
    regions : int

    Returns
    -------
    Subjects
    """
    graphs, series = subjects.cohort.graphs, subjects.series
    if not 2 <= whole_number(regions, "regions") <= graphs.n_nodes:
        raise InputError(
            f"regions must be from 2 to the number of nodes, {graphs.n_nodes}; got {regions}.",
            parameter="regions",
        )
    if regions == graphs.n_nodes:
        return subjects
    kept = (graphs.edges < regions).all(axis=1)
    layers = graphs.edge_layers
    coordinates = graphs.node_coordinates
    fewer = UncertainGraphs(
        graphs.edge_probability[:, kept],
        edges=graphs.edges[kept],
        node_labels=graphs.node_labels[:regions],
        node_coordinates=None if coordinates is None else coordinates[:regions],
        graph_ids=graphs.graph_ids,
        edge_layers=None if layers is None else [layers[i] for i in np.flatnonzero(kept)],
    )
    return Subjects(
        subjects.cohort.with_graphs(fewer),
        None if series is None else [s[:, :regions] for s in series],
        subjects.groups,
    )


def draw_balanced(subjects: Subjects, per_class: int, random_state: int) -> Subjects:
    """Draw as many graphs of each class at random, without replacement, in their old order.

    Parameters
    ----------
    subjects : Subjects
    per_class : int
    random_state : int

    Returns
    -------
    Subjects
        The same if they have just these graphs.
    """
    cohort = subjects.cohort
    sizes = [cohort.n_pos, cohort.n_neg]
    if min(sizes) < per_class:
        raise InputError(
            f"{per_class} graphs of each class are needed to draw from, but there are {sizes[0]} positive "
            f"and {sizes[1]} negative ones.",
            way_out=("Give ", Setting("min_expected_frequency"), " instead of ", Setting("like_paper"), "."),
        )
    if sizes == [per_class, per_class]:
        return subjects
    rng = np.random.default_rng(random_state)
    classes = [np.flatnonzero(cohort.positive), np.flatnonzero(~cohort.positive)]
    chosen = np.sort(np.concatenate([rng.choice(members, per_class, replace=False) for members in classes]))
    series = None if subjects.series is None else [subjects.series[i] for i in chosen]
    groups = None if subjects.groups is None else subjects.groups[chosen]
    return Subjects(cohort[chosen], series, groups)
