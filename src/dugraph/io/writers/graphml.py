"""Subgraphs as GraphML, the format that Gephi, Cytoscape, igraph and networkx read."""

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_kind
from dugraph.data.phenotype import CLASSES
from dugraph.exceptions import InputError
from dugraph.io.writers.occurrence import checked_numbers, edge_ranks, node_ranks
from dugraph.probability.containment import check_subgraphs

# What XML 1.0 forbids, and the carriage return, which its readers turn into a line feed.
_FORBIDDEN = r"\x00-\x08\x0b-\x1f\ufffe\uffff"
_TO_ESCAPE = re.compile(rf"[{_FORBIDDEN}]|_(?=x[0-9A-Fa-f]{{4}}[_{_FORBIDDEN}])")


def xml_text(text: str) -> str:
    """Write characters that XML forbids as ``_xHHHH_``, their number in hexadecimal digits, as Excel does.

    An underscore that would begin such a code by itself becomes ``_x005F_``, so nothing is ambiguous:
    ``re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text)`` gives back the original.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> xml_text("Precuneus_L"), xml_text("bell\\x07"), xml_text("_x0007_")
    ('Precuneus_L', 'bell_x0007_', '_x005F_x0007_')
    """
    return _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def graphml_bytes(
    graphs: UncertainGraphs | LabelledGraphs,
    y: object,
    subgraphs: Sequence[Sequence[int]],
    pos_label: object = None,
    coefficients: Sequence[float] | None = None,
    called: str = "coefficients",
) -> bytes:
    """Return the union of ranked subgraphs as one GraphML graph.

    Parameters
    ----------
    graphs : UncertainGraphs, or LabelledGraphs
    y : sequence of shape (n_graphs,), or None
        Two classes; None with LabelledGraphs, which have theirs.
    subgraphs : sequence of sequences of int
        Edge indices, the best subgraph first.
    pos_label : object, optional
        The positive class; by default the last in sorted order.
    coefficients : sequence of float, optional
        A number of each subgraph, such as that in a linear model.
    called : str
        What these numbers are called.

    Returns
    -------
    bytes
        UTF-8. The nodes are the regions of the subgraphs, by their names, with ``label``, the coordinates
        ``x``, ``y``, ``z`` if there are any, ``n_subgraphs`` (in how many it is) and ``best_rank``. An edge
        has ``weight`` (in how many subgraphs it is), ``ranks`` ("1 4"), ``best_rank``, ``index`` (in the
        cohort), ``layer`` if there are layers, ``coefficients`` of these subgraphs ("0.5 -0.25"), or as they
        are `called`, if they were given, and its mean probability in both classes, or in all graphs where
        there are not two; edges of different layers are parallel. See `xml_text` for what XML forbids.

    Examples
    --------
    >>> import networkx
    >>> from dugraph import UncertainGraphs
    >>> graphs = UncertainGraphs([[0.9, 0.8, 0.1], [0.2, 0.3, 0.1]], node_labels=["A", "B", "C"])
    >>> union = networkx.parse_graphml(graphml_bytes(graphs, [1, 0], [(0, 1), (0,)]).decode())
    >>> union.edges["A", "B"]["ranks"], union.edges["A", "B"]["weight"]
    ('1 2', 2)
    """
    try:
        import networkx
    except ImportError as error:
        raise InputError(
            "GraphML is written by networkx, which is missing: pip install 'dugraph[io]'."
        ) from error
    cohort = LabelledGraphs.of_any(graphs, y, pos_label)
    graphs, positive = cohort.graphs, cohort.positive if cohort.kind == CLASSES else None
    subgraphs = check_subgraphs(subgraphs, graphs.n_edges, gaps=True)
    numbers = checked_numbers(coefficients, len(subgraphs))
    check_kind(called, str, "called")
    union = networkx.MultiGraph()
    for node, ranks in node_ranks(graphs, subgraphs).items():
        union.add_node(xml_text(graphs.node_labels[node]), **_node_attributes(graphs, node, ranks))
    for edge, ranks in edge_ranks(subgraphs).items():
        larger, smaller = (xml_text(graphs.node_labels[node]) for node in graphs.edges[edge])
        attributes = _edge_attributes(graphs, edge, ranks, positive)
        if numbers is not None:
            attributes[xml_text(called)] = " ".join(repr(numbers[rank - 1]) for rank in ranks)
        # The key becomes the id of the edge, which must be unique in the file.
        union.add_edge(smaller, larger, key=f"e{edge}", **attributes)
    file = io.BytesIO()
    # Not write_graphml, whose bytes depend on whether lxml is installed.
    networkx.write_graphml_xml(union, file)
    return file.getvalue() + b"\n"


def _node_attributes(graphs: UncertainGraphs, node: int, ranks: list[int]) -> dict[str, Any]:
    attributes: dict[str, Any] = {"label": xml_text(graphs.node_labels[node])}
    if graphs.node_coordinates is not None:
        attributes |= dict(zip("xyz", graphs.node_coordinates[node].tolist(), strict=True))
    return attributes | {"n_subgraphs": len(ranks), "best_rank": ranks[0]}


def _edge_attributes(
    graphs: UncertainGraphs,
    edge: int,
    ranks: list[int],
    positive: np.ndarray[Any, np.dtype[np.bool_]] | None,
) -> dict[str, Any]:
    probability = graphs.held_probability[:, edge].astype(np.float64)
    attributes: dict[str, Any] = {
        "weight": len(ranks),
        "ranks": " ".join(map(str, ranks)),
        "best_rank": ranks[0],
        "index": edge,
    }
    if positive is None:
        attributes["mean_probability"] = float(probability.mean())
    else:
        attributes["mean_probability_positive"] = float(probability[positive].mean())
        attributes["mean_probability_negative"] = float(probability[~positive].mean())
    if graphs.edge_layers is not None:
        attributes["layer"] = xml_text(graphs.edge_layers[edge])
    return attributes
