"""A subgraph over a phenotype, adjusted where covariates were."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data.covariates import covariate_basis, covariate_matrix
from dugraph.report.containment_charts import MOST_DOTS, phenotype_chart
from dugraph.results import SubgraphRecord
from dugraph.results.ranking import RankedSubgraph

Floats = NDArray[np.float64]


def by_phenotype(record: SubgraphRecord, found: RankedSubgraph, x: Floats) -> tuple[str, Markup]:
    """The chart of a subgraph with containment probabilities `x`, and its caption.

    Covariates that are columns of the participants are taken out of both axes, around their means, so that
    the dots have the slope of the line. Others are not in the file; the dots are then as measured.
    """
    cohort, names = record.cohort, record.parameters.get("covariates") or []
    name, y = record.source.phenotype or "phenotype", cohort.y
    known = cohort.participants or {}
    adjusted = bool(names) and all(one in known for one in names)
    if adjusted:
        columns = covariate_matrix(names, cohort.graphs)
        basis = covariate_basis(columns, np.zeros(len(y), dtype=np.int64))
        y, x = (v - basis @ (basis.T @ v) for v in (y, x))
    if record.is_fit:  # a coefficient is no slope: that of the dots
        centred = y - y.mean()
        slope = float(centred @ x / max(float(centred @ centred), 1e-300))
    else:
        effects = record.result.effects
        slope = 0.0 if effects is None else float(effects[found.rank - 1])
    dots = "a dot for each graph" if len(y) <= MOST_DOTS else "an area for the middle 80 % of the graphs"
    caption = f"Probability that each graph contains it, by phenotype: {dots}, a line for the slope"
    caption += "; both axes adjusted for the covariates." if adjusted else "."
    if names and not adjusted:
        caption += " The slope is adjusted for covariates that are not in the file; the graphs are not."
    return caption, phenotype_chart(y, x, slope, f"{name}{', adjusted' if adjusted else ''}")
