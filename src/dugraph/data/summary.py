"""The numbers that describe a cohort: a row of the paper's Table 3."""

from typing import TYPE_CHECKING

import numpy as np

from dugraph.data.class_labels import check_labels

if TYPE_CHECKING:
    from dugraph.data.uncertain_graphs import UncertainGraphs


def describe(graphs: "UncertainGraphs", y: object = None) -> dict[str, int | float]:
    """Count graphs, classes, nodes and present edges; see `UncertainGraphs.describe`."""
    row: dict[str, int | float] = {"n_graphs": graphs.n_graphs}
    if y is not None:
        n_pos = int(check_labels(y, graphs.n_graphs)[0].sum())
        row |= {"n_pos": n_pos, "n_neg": graphs.n_graphs - n_pos}
    # An edge of probability 0 is absent and counts neither here nor in the mean.
    present = int(np.count_nonzero(graphs.held_probability))
    mean_probability = (
        float(graphs.held_probability.sum(dtype=np.float64)) / present if present else float("nan")
    )
    return row | {
        "n_nodes": graphs.n_nodes,
        "mean_edges": present / graphs.n_graphs,
        "mean_edge_probability": mean_probability,
    }
