"""Subgraphs as BrainNet Viewer files: regions in a .node file, edges as a matrix in an .edge file.

A line of the .node file is x, y, z, colour, size and label of a region with tabs between them; the .edge
file is the matrix of all regions in the same order.
"""

import math
import re
from collections.abc import Sequence

import numpy as np

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_kind
from dugraph.exceptions import InputError
from dugraph.io.writers.occurrence import checked_numbers, edge_ranks, node_ranks
from dugraph.probability.containment import check_subgraphs

STEM = "brainnet"


def brainnet_files(
    graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]], coefficients: Sequence[float] | None = None
) -> dict[str, bytes]:
    """Return the union of ranked subgraphs as files for BrainNet Viewer.

    Parameters
    ----------
    graphs : UncertainGraphs
        With coordinates.
    subgraphs : sequence of sequences of int
        Edge indices, the best subgraph first.
    coefficients : sequence of float, optional
        Of the subgraphs, in a linear model: edges are then weighted by them.

    Returns
    -------
    dict of str to bytes
        ``brainnet.node``: all regions of the cohort; the size is the number of subgraphs with the region, the
        colour 1 for regions of a subgraph and 0 for the others. ``brainnet.edge``: the number of subgraphs
        with the edge; with coefficients the sum of their sizes, with the sign of their sum, so that width and
        colour tell how much and for which class. With layers one file for each, ``brainnet.LAYER.edge``, in
        whose name all but letters, digits, ``_`` and ``-`` become ``_``. In labels, white space and
        characters that do not print become ``_``; a label that is empty becomes ``-``.

    Raises
    ------
    InputError
        If the cohort has no coordinates.

    Examples
    --------
    >>> from dugraph import UncertainGraphs
    >>> places = [[-1, 0, 2.5], [4, 5, 6]]
    >>> graphs = UncertainGraphs([[0.9]], node_labels=["A 1", "B"], node_coordinates=places)
    >>> for name, content in brainnet_files(graphs, [(0,)]).items():
    ...     print(name, content.decode().split("\\n"))
    brainnet.node ['-1.0\\t0.0\\t2.5\\t1\\t1\\tA_1', '4.0\\t5.0\\t6.0\\t1\\t1\\tB', '']
    brainnet.edge ['0\\t1', '1\\t0', '']
    """
    check_kind(graphs, UncertainGraphs, "graphs")
    if graphs.node_coordinates is None:
        raise InputError(
            "BrainNet Viewer files need coordinates of the regions, but the cohort has none. Give "
            "node_coordinates."
        )
    subgraphs = check_subgraphs(subgraphs, graphs.n_edges, gaps=True)
    numbers = checked_numbers(coefficients, len(subgraphs))
    weights = {edge: _weight(ranks, numbers) for edge, ranks in edge_ranks(subgraphs).items()}
    files = {f"{STEM}.node": _node_lines(graphs, subgraphs)}
    if graphs.edge_layers is None:
        return files | {f"{STEM}.edge": _edge_lines(graphs, weights)}
    for layer in sorted({graphs.edge_layers[edge] for edge in weights}):
        chosen = {edge: weight for edge, weight in weights.items() if graphs.edge_layers[edge] == layer}
        files[_file_name(layer, files)] = _edge_lines(graphs, chosen)
    return files


def _node_lines(graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]]) -> bytes:
    ranks = node_ranks(graphs, subgraphs)
    coordinates = np.asarray(graphs.node_coordinates).tolist()
    lines = []
    for node, (label, place) in enumerate(zip(graphs.node_labels, coordinates, strict=True)):
        size = len(ranks.get(node, ()))
        lines.append("\t".join([*map(repr, place), str(min(size, 1)), str(size), _label(label)]))
    return "".join(f"{line}\n" for line in lines).encode()


def _weight(ranks: list[int], coefficients: Sequence[float] | None) -> float:
    if coefficients is None:
        return len(ranks)
    own = [coefficients[rank - 1] for rank in ranks]
    return math.copysign(math.fsum(map(abs, own)), math.fsum(own))


def _edge_lines(graphs: UncertainGraphs, weights: dict[int, float]) -> bytes:
    matrix = np.zeros((graphs.n_nodes, graphs.n_nodes), dtype=object)  # whole numbers stay whole
    for edge, weight in weights.items():
        larger, smaller = graphs.edges[edge]
        matrix[larger, smaller] = matrix[smaller, larger] = weight
    return "".join("\t".join(map(str, row)) + "\n" for row in matrix.tolist()).encode()


def _label(text: str) -> str:
    return "".join("_" if c.isspace() or not c.isprintable() else c for c in text) or "-"


def _file_name(layer: str, taken: dict[str, bytes]) -> str:
    # Layers come from files: nothing in their names may lead to another folder. Some systems ignore case.
    stem = f"{STEM}.{re.sub('[^A-Za-z0-9_-]', '_', layer)[:60] or '_'}"
    others = {name.lower() for name in taken}
    numbered = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(f"{name}.edge" for name in numbered if f"{name}.edge".lower() not in others)
