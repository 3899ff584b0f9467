"""The cohort as the report describes it: a row of Table 3, classes, sites, probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from dugraph.data import LabelledGraphs
from dugraph.data.columns import is_missing
from dugraph.data.held import pieces
from dugraph.data.phenotype import CLASSES, GROUPS
from dugraph.report.charts import probability_histogram
from dugraph.report.differences import LEVEL, Difference, association, find_differences
from dugraph.report.subgraph_svg import layer_key
from dugraph.results.ranking import group_rows
from dugraph.words import SITE_COLUMNS

N_NAMED = 1000
"""Graphs of a group whose names are on the page: nobody reads more, and they are in the cohort file."""


@dataclass(frozen=True)
class Sites:
    """How the graphs of both classes are spread over sites.

    Attributes
    ----------
    column : str
        The column of the participants that tells the site.
    rows : list of (name, n_pos, n_neg)
        The largest site first.
    strength : float
        Cramér's V, from 0 (no association with the class) to 1.
    p_value : float
        Of the chi-squared test of independence.
    n_of_one_class : int
        Number of sites whose graphs are all of one class.
    """

    column: str
    rows: list[tuple[str, int, int]]
    strength: float
    p_value: float
    n_of_one_class: int

    @property
    def associated(self) -> bool:
        """Whether the test says that site and class go together."""
        return self.p_value < LEVEL


@dataclass(frozen=True)
class CohortPart:
    """What the template needs; `groups` are the names and sizes of more than two, `labels` what was mined.

    `kind` is that of the cohort; `n_pos` and `n_neg` are 0 where there are not two classes. Of each group
    `n_named` graphs are named.
    """

    kind: str
    labels: str
    groups: list[tuple[str, int]]
    n_graphs: int
    n_pos: int
    n_neg: int
    n_nodes: int
    n_edges: int
    mean_edges: float
    mean_probability: float
    layers: list[tuple[str, Markup]]
    histogram: Markup
    sites: Sites | None
    differences: list[Difference]
    graph_ids: list[tuple[str, list[str]]]
    n_named: int
    provenance: list[tuple[str, str]]


def describe_cohort(cohort: LabelledGraphs, phenotype: str | None = None) -> CohortPart:
    """Count and draw what a reader wants to know first; `phenotype` is what the labels are called."""
    graphs, two = cohort.graphs, cohort.kind == CLASSES
    row = graphs.describe()
    held, rows = graphs.held_probability, group_rows(cohort)
    names = cohort.names if two else cohort.group_names
    return CohortPart(
        kind=cohort.kind,
        labels=phenotype or ("the groups" if cohort.kind == GROUPS else "the phenotype"),
        groups=[] if two else [(name, int(one.sum())) for name, one in zip(names, rows, strict=True)],
        n_graphs=graphs.n_graphs,
        n_pos=cohort.n_pos if two else 0,
        n_neg=cohort.n_neg if two else 0,
        n_nodes=graphs.n_nodes,
        n_edges=graphs.n_edges,
        mean_edges=float(row["mean_edges"]),
        mean_probability=float(row["mean_edge_probability"]),
        layers=layer_key(sorted(set(graphs.edge_layers or ()))),
        histogram=probability_histogram(
            [pieces(held, one) for one in rows] if two else [pieces(held)], names if two else ["all graphs"]
        ),
        # Of the classes; what may stand behind a phenotype or groups, covariates are for.
        sites=find_sites(cohort) if two else None,
        differences=find_differences(cohort) if two else [],
        graph_ids=[(name, _chosen(graphs.graph_ids, one)) for name, one in zip(names, rows, strict=True)]
        or [("all", list(graphs.graph_ids))],
        n_named=N_NAMED,
        provenance=[(str(k).replace("_", " "), str(v)) for k, v in (graphs.provenance or {}).items()],
    )


def _chosen(names: Iterable[str], mask: Iterable[bool]) -> list[str]:
    return [name for name, kept in zip(names, mask, strict=True) if kept]


def find_sites(cohort: LabelledGraphs) -> Sites | None:
    """Sites by the first column of participants that tells them; None if no column does."""
    table = cohort.participants or {}
    column = next((name for name in table if name.lower() in SITE_COLUMNS), None)
    if column is None:
        return None
    sites = ["(missing)" if is_missing(site) else str(site) for site in table[column].tolist()]
    counts: dict[str, list[int]] = {}
    for site, is_positive in zip(sites, cohort.positive.tolist(), strict=True):
        counts.setdefault(site, [0, 0])[0 if is_positive else 1] += 1
    rows = sorted(
        ((name, a, b) for name, (a, b) in counts.items()), key=lambda row: (-row[1] - row[2], row[0])
    )
    strength, p_value = association(np.array([row[1:] for row in rows]))
    return Sites(column, rows, strength, p_value, sum(1 for _, a, b in rows if not (a and b)))
