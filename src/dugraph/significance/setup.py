"""From what users give to a family and a design, both in canonical order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.covariates import covariate_matrix
from dugraph.data.phenotype import Phenotype, check_phenotype
from dugraph.search.canonical import canonical_edges
from dugraph.significance.blocks import block_codes
from dugraph.significance.design import Design, make_design
from dugraph.significance.family import Family, canonical_graphs
from dugraph.significance.units import make_units


@dataclass(frozen=True)
class Setup:
    """A test before any relabeling.

    Attributes
    ----------
    cohort : UncertainGraphs
        As it was given.
    family : Family
        Graphs and edges in canonical order.
    graphs, edges : ndarray of int, shape (n_graphs,) and (n_edges,)
        The index in the cohort of each of the family's graphs and edges.
    phenotype : Phenotype
        Graphs in canonical order.
    design : Design
        Graphs in canonical order.
    """

    cohort: UncertainGraphs
    family: Family
    graphs: NDArray[np.intp]
    edges: NDArray[np.intp]
    phenotype: Phenotype
    design: Design


def make_setup(
    cohort: UncertainGraphs,
    y: object,
    blocks: Any,
    covariates: Any,
    permute: str,
    *,
    pos_label: object = None,
    min_expected_frequency: float,
    max_edges: int | None,
    n_classes: int,
) -> Setup:
    """Check labels, blocks and covariates, and put everything into canonical order."""
    phenotype = check_phenotype(y, cohort, pos_label)
    block, names = block_codes(blocks, cohort)
    adjust_for = covariate_matrix(covariates, cohort)
    edges = canonical_edges(cohort)
    rows = cohort.edge_probability[:, edges]
    graphs = canonical_graphs(rows, block, adjust_for, phenotype.codes)
    family = Family(
        edges=cohort.edges[edges],
        edge_probability=np.ascontiguousarray(rows[graphs].T),
        min_expected_frequency=min_expected_frequency,
        max_edges=max_edges,
        n_classes=n_classes,
    )
    ordered = Phenotype(phenotype.kind, phenotype.codes[graphs], phenotype.values, phenotype.contrasts)
    units = make_units(ordered, block[graphs], names, permute)
    design = make_design(ordered, units, adjust_for[graphs])
    return Setup(cohort, family, graphs, edges, ordered, design)
