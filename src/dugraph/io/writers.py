"""Results as files for other programs: feature tables, GraphML, and BrainNet Viewer files."""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import as_list, check_kind, counted, is_one_of, real_array
from dugraph.data.columns import as_column
from dugraph.data.labels import CLASSES
from dugraph.data.subgraphs import check_subgraphs
from dugraph.exceptions import InputError
from dugraph.words import TABLE_FORMATS

# Characters that begin a formula in a spreadsheet; the apostrophe, so that the rule can be undone.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
# What XML 1.0 forbids, and the carriage return, which its readers turn into a line feed.
_FORBIDDEN = r"\x00-\x08\x0b-\x1f\ufffe\uffff"
_TO_ESCAPE = re.compile(rf"[{_FORBIDDEN}]|_(?=x[0-9A-Fa-f]{{4}}[_{_FORBIDDEN}])")
STEM = "brainnet"

Ranks = dict[int, list[int]]


# --- Feature tables -----------------------------------------------------------------------------------------


def check_table_format(kind: str) -> str:
    """Return the name of a known format; Parquet needs pyarrow."""
    if not is_one_of(kind, TABLE_FORMATS):
        raise InputError(f"A table of features can be {' or '.join(TABLE_FORMATS)}, but not {kind!r}.")
    if kind == "parquet":
        _pyarrow()
    return kind


def feature_table(
    kind: str,
    graph_ids: Sequence[str],
    names: Sequence[str],
    features: NDArray[Any],
    y: NDArray[Any] | None = None,
    more: Mapping[str, Sequence[Any]] | None = None,
    label: str = "class",
) -> bytes:
    """Write features with the ids of their graphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    graph_ids : sequence of str, length n_graphs
        The first column, ``graph_id``.
    names : sequence of str, length n_subgraphs
        Names of the other columns; equal names are numbered: `` (2)``.
    features : ndarray of shape (n_graphs, n_subgraphs)
        Written exactly.
    y : ndarray of shape (n_graphs,), optional
        The second column, with the name `label`.
    more : mapping of str to sequence, optional
        Further columns, before the features.
    label : str, default "class"

    Returns
    -------
    bytes
        In CSV, text is quoted, and an apostrophe precedes text that a spreadsheet would take for a formula:
        text other than numbers that begins with = + - @, their wide forms, a tab, a line break or an
        apostrophe.

    Examples
    --------
    >>> import numpy as np
    >>> print(feature_table("csv", ["sub-01", "=1+1"], ["{A--B}"], np.array([[0.1], [1.0]])).decode(), end="")
    "graph_id","{A--B}"
    "sub-01",0.1
    "'=1+1",1.0
    """
    columns: dict[str, list[Any]] = {"graph_id": _texts(graph_ids, "graph_ids")}
    if y is not None:
        columns[check_kind(label, str, "label")] = as_column(y, "y").tolist()
    others = check_kind({} if more is None else more, Mapping, "more")  # type: ignore[type-abstract]
    for name, column in others.items():
        as_column(column, check_kind(name, str, "Each name in more"))
        columns[name] = list(column)
    n_graphs = len(columns["graph_id"])
    real_array(features, "features", 2, "(n_graphs, n_subgraphs)")
    values = np.asarray(features)  # to the bit: the sign of zero, too
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"{name} must have one value per graph: got {len(column)} for {n_graphs} graphs."
            )
    own = _distinct(_texts(names, "names"), columns)
    if values.shape != (n_graphs, len(own)):
        raise InputError(
            f"features must have one row per graph and one column per name, shape {(n_graphs, len(own))}: "
            f"got the shape {values.shape}.",
            parameter="features",
        )
    if check_table_format(kind) == "csv":
        return _csv(columns, own, values)
    arrow, parquet = _pyarrow()
    file = io.BytesIO()
    parquet.write_table(arrow.table(columns | dict(zip(own, values.T.tolist(), strict=True))), file)
    return file.getvalue()


def left_out_table(left_out: Mapping[str, Sequence[str]]) -> bytes:
    """Return a CSV table of the subjects that are not in a cohort, with the reason of each."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "reason"])
    writer.writerows([_guarded(one), _guarded(reason)] for reason, ids in left_out.items() for one in ids)
    return file.getvalue().encode()


def _texts(values: object, name: str) -> list[str]:
    return [check_kind(value, str, f"Each of the {name}") for value in as_list(values, name, "texts")]


def _distinct(names: Sequence[str], taken: Iterable[str]) -> list[str]:
    # A--B of "A" and "B--C" reads like that of "A--B" and "C".
    used, own = {*taken}, []
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        own.append(name if name not in used else next(one for one in numbered if one not in used))
        used.add(own[-1])
    return own


def _csv(columns: dict[str, list[Any]], names: Sequence[str], values: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    # Numbers stay bare and are written as repr does, exactly.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([*columns, *names])
    # Row by row: as Python's numbers all features together would take several times their memory.
    for *cells, features in zip(*columns.values(), values, strict=True):
        guarded = [_guarded(cell) if isinstance(cell, str) else cell for cell in cells]
        writer.writerow([*guarded, *features.tolist()])
    text.flush()
    return file.getvalue()


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(
            "Parquet is written by pyarrow, which is missing: pip install 'dugraph[io]', or choose csv."
        ) from error
    return pyarrow, pyarrow.parquet


# --- GraphML ------------------------------------------------------------------------------------------------


def xml_text(text: str) -> str:
    """Write characters that XML forbids as ``_xHHHH_``, their hexadecimal number, as Excel does.

    An underscore that would begin such a code becomes ``_x005F_``, so
    ``re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text)`` restores the original.

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
        One number per subgraph, such as its coefficient in a linear model.
    called : str, default "coefficients"
        The name of these numbers.

    Returns
    -------
    bytes
        UTF-8. Nodes are the regions of the subgraphs, with ``label``, coordinates ``x``, ``y``, ``z`` if
        there are any, ``n_subgraphs`` (that contain the region) and ``best_rank``. Edges have ``weight`` (the
        number of subgraphs with the edge), their ``ranks`` ("1 4"), ``best_rank``, ``index`` (in the cohort),
        ``layer`` if there are layers, the `coefficients` of these subgraphs ("0.5 -0.25"), and the mean
        probability in each of two classes, otherwise in all graphs. Edges of different layers are parallel.
        Characters that XML forbids are written as by `xml_text`.

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
    cohort = LabelledGraphs.of_any(graphs, y, pos_label, numbers="phenotype")
    graphs, positive = cohort.graphs, cohort.positive if cohort.kind == CLASSES else None
    subgraphs = check_subgraphs(subgraphs, graphs.naming, gaps=True)
    numbers = _numbers(coefficients, len(subgraphs))
    check_kind(called, str, "called")
    union = networkx.MultiGraph()
    for node, ranks in _node_ranks(graphs, subgraphs).items():
        union.add_node(xml_text(graphs.node_labels[node]), **_node_attributes(graphs, node, ranks))
    for edge, ranks in _edge_ranks(subgraphs).items():
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
    probability = graphs.raw_probability[:, edge].astype(np.float64)
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


# --- BrainNet Viewer ----------------------------------------------------------------------------------------


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
        Coefficients of the subgraphs in a linear model, as weights of the edges.

    Returns
    -------
    dict of str to bytes
        ``brainnet.node`` lists all regions of the cohort; the size is the number of subgraphs with the
        region, the colour 1 for regions of a subgraph and 0 for others. ``brainnet.edge`` has the number of
        subgraphs with each edge, or the sum of the absolute coefficients with the sign of their sum. With
        layers, there is one file for each, ``brainnet.LAYER.edge``; characters of the layer other than
        letters, digits, ``_`` and ``-`` become ``_``. In labels, white space and characters that do not print
        become ``_``, an empty label ``-``.

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
            "node_coordinates, or convert with an atlas."
        )
    subgraphs = check_subgraphs(subgraphs, graphs.naming, gaps=True)
    numbers = _numbers(coefficients, len(subgraphs))
    weights = {edge: _weight(ranks, numbers) for edge, ranks in _edge_ranks(subgraphs).items()}
    files = {f"{STEM}.node": _node_lines(graphs, subgraphs)}
    if graphs.edge_layers is None:
        return files | {f"{STEM}.edge": _edge_lines(graphs, weights)}
    for layer in sorted({graphs.edge_layers[edge] for edge in weights}):
        chosen = {edge: weight for edge, weight in weights.items() if graphs.edge_layers[edge] == layer}
        files[_file_name(layer, files)] = _edge_lines(graphs, chosen)
    return files


def _node_lines(graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]]) -> bytes:
    ranks = _node_ranks(graphs, subgraphs)
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


# --- Where edges and nodes occur in a ranked list of subgraphs ----------------------------------------------


def _numbers(coefficients: object, n_subgraphs: int) -> list[float] | None:
    """Return the coefficients as a list of one number per subgraph, or None."""
    if coefficients is None:
        return None
    numbers: list[float] = real_array(coefficients, "coefficients", 1, "(n_subgraphs,)").tolist()
    if len(numbers) != n_subgraphs:
        raise InputError(
            f"coefficients must be one for each subgraph: got {len(numbers)} for "
            f"{counted(n_subgraphs, 'subgraph')}.",
            parameter="coefficients",
        )
    return numbers


def _edge_ranks(subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """Return the ranks of the subgraphs with each edge (1 is the best), by edge in ascending order."""
    ranks: Ranks = {edge: [] for edge in sorted({edge for subgraph in subgraphs for edge in subgraph})}
    for rank, subgraph in enumerate(subgraphs, start=1):
        for edge in subgraph:
            ranks[edge].append(rank)
    return ranks


def _node_ranks(graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """Return the ranks of the subgraphs with each node."""
    return _edge_ranks([sorted(set(graphs.edges[list(subgraph)].ravel().tolist())) for subgraph in subgraphs])
