"""All checks of a cohort in their order: shapes, names, edges, values."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.columns import Column, check_participants
from dugraph.data.edge_list import (
    inferred_n_nodes,
    integer_edges,
    normal_edges,
    triangle_edges,
    triangle_size,
)
from dugraph.data.edge_names import edge_columns, named_edges, warn_of_other_names
from dugraph.data.graph_arrays import check_coordinates, check_probabilities, held_array
from dugraph.data.held import Held
from dugraph.data.names import check_names
from dugraph.data.provenance import Provenance, check_provenance
from dugraph.exceptions import InputError


class CohortParts(NamedTuple):
    """The checked parts of a cohort, as `UncertainGraphs` describes them."""

    edge_probability: Held
    edges: NDArray[np.int32]
    node_labels: tuple[str, ...]
    node_coordinates: NDArray[np.float64] | None
    graph_ids: tuple[str, ...]
    edge_layers: tuple[str, ...] | None
    participants: dict[str, Column] | None
    provenance: Provenance | None


def check_parts(
    edge_probability: object,
    edges: object,
    node_labels: object,
    node_coordinates: object,
    graph_ids: object,
    edge_layers: object,
    participants: object,
    provenance: object = None,
    *,
    owned: bool = False,
) -> CohortParts:
    """Check the arguments of `UncertainGraphs` against each other and fill in the defaults.

    Probabilities that are `owned`, read from a file for nobody else, are not copied.
    """
    names = edge_columns(edge_probability)
    warn_of_other_names(edge_probability, edges, stacklevel=4)
    if names is not None:
        edges, node_labels, edge_layers = named_edges(names, edges, node_labels, edge_layers)
    probability = held_array(edge_probability, "edge_probability", 2, "(n_graphs, n_edges)", owned=owned)
    n_graphs, n_edges = probability.shape
    if n_graphs == 0 or n_edges == 0:
        raise InputError(
            "A cohort needs at least one graph and one edge: "
            f"edge_probability has shape {probability.shape}. Check the filter or the file it came from."
        )
    labels = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
    if edges is None:
        n_nodes = triangle_size(n_edges, None if labels is None else len(labels))
        pairs = triangle_edges(n_nodes).astype(np.int64)
    else:
        pairs = integer_edges(edges, n_edges)
        n_nodes = inferred_n_nodes(pairs) if labels is None else len(labels)
    labels = _numbers(n_nodes) if labels is None else labels
    ids = _numbers(n_graphs) if graph_ids is None else check_names(graph_ids, "graph_ids", n_graphs, "graph")
    layers = None
    if edge_layers is not None:
        layers = check_names(edge_layers, "edge_layers", n_edges, "edge", unique=False)
    normal = normal_edges(pairs, labels, layers)
    # Values come last, so that messages about them can use every name.
    check_probabilities(probability, normal, labels, ids)
    coordinates = check_coordinates(node_coordinates, labels)
    table = check_participants(participants, n_graphs)
    origin = check_provenance(provenance)
    return CohortParts(probability, normal, labels, coordinates, ids, layers, table, origin)


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))
