"""Pictures of subgraphs, cohorts and comparisons, drawn with matplotlib into axes of the user's choice."""

from dugraph.plot.figure import plot_significant_subgraphs, save_figure, subgraph_figure
from dugraph.plot.groups import (
    plot_containment,
    plot_phenotype,
    plot_score_distribution,
    plot_support_distributions,
)
from dugraph.plot.matrices import plot_group_difference, plot_redundancy
from dugraph.plot.models import plot_coefficients, plot_metric, plot_ranks, plot_sparse_path
from dugraph.plot.significance import (
    plot_null_maxima,
    plot_power,
    plot_replication,
    plot_sensitivity,
)
from dugraph.plot.subgraph import plot_subgraph, plot_subgraph_union, view_subgraph

__all__ = [
    "plot_coefficients",
    "plot_containment",
    "plot_group_difference",
    "plot_metric",
    "plot_null_maxima",
    "plot_phenotype",
    "plot_power",
    "plot_ranks",
    "plot_redundancy",
    "plot_replication",
    "plot_score_distribution",
    "plot_sensitivity",
    "plot_significant_subgraphs",
    "plot_sparse_path",
    "plot_subgraph",
    "plot_subgraph_union",
    "plot_support_distributions",
    "save_figure",
    "subgraph_figure",
    "view_subgraph",
]
