"""Results as files for other programs: feature tables, GraphML, and BrainNet Viewer files."""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
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

# Where a spreadsheet sees the beginning of a formula; the apostrophe, so that the rule can be undone.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
# What XML 1.0 forbids, and the carriage return, which its readers turn into a line feed.
_FORBIDDEN = r"\x00-\x08\x0b-\x1f\ufffe\uffff"
_TO_ESCAPE = re.compile(rf"[{_FORBIDDEN}]|_(?=x[0-9A-Fa-f]{{4}}[_{_FORBIDDEN}])")
STEM = "brainnet"

Ranks = dict[int, list[int]]


# --- Feature tables -----------------------------------------------------------------------------------------


def check_table_format(kind: str) -> str:
    """The name of the format, if it is one of ours and can be written here."""
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
        Names of the other columns; equal ones are distinguished by `` (2)``.
    features : ndarray of shape (n_graphs, n_subgraphs)
        Kept to the bit.
    y : ndarray of shape (n_graphs,), optional
        The second column.
    more : mapping of str to sequence, optional
        Other columns, by their names, before the features.
    label : str
        What the second column is called.

    Returns
    -------
    bytes
        In CSV every text is quoted, and a text that a spreadsheet would take for a formula gets an apostrophe
        in front: one that begins with = + - @, their wide forms, a tab, a line break or an apostrophe and is
        no number. Parquet holds every text as it is.

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
    columns |= dict(_named(more))
    n_graphs = len(columns["graph_id"])
    real_array(features, "features", 2, "(n_graphs, n_subgraphs)")
    values = np.asarray(features)  # to the bit: the sign of zero, too
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"{name} must have one value per graph: got {len(column)} for {n_graphs} graphs."
            )
    own = _told_apart(_texts(names, "names"), columns)
    if values.shape != (n_graphs, len(own)):
        raise InputError(
            f"features must have one row per graph and one column per name, shape {(n_graphs, len(own))}: "
            f"got the shape {values.shape}.",
            parameter="features",
        )
    if check_table_format(kind) == "csv":
        return _csv(columns, own, values)
    return _parquet(columns | dict(zip(own, values.T.tolist(), strict=True)))


def left_out_table(left_out: Mapping[str, Sequence[str]]) -> bytes:
    """Return a CSV table of the subjects that are not in a cohort, with the reason of each."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "reason"])
    writer.writerows([_guarded(one), _guarded(reason)] for reason, ids in left_out.items() for one in ids)
    return file.getvalue().encode()


def _texts(values: object, name: str) -> list[str]:
    return [check_kind(value, str, f"Each of the {name}") for value in as_list(values, name, "texts")]


def _named(more: object) -> Iterable[tuple[str, list[Any]]]:
    columns = check_kind({} if more is None else more, Mapping, "more")  # type: ignore[type-abstract]
    for name, values in columns.items():
        as_column(values, check_kind(name, str, "Each name in more"))
    return [(name, list(values)) for name, values in columns.items()]


def _told_apart(names: Sequence[str], taken: Iterable[str]) -> list[str]:
    # Labels may hold what joins them: A--B of "A" and "B--C" reads like that of "A--B" and "C".
    used, own = {*taken}, []
    for name in names:
        number, candidate = 1, name
        while candidate in used:
            number += 1
            candidate = f"{name} ({number})"
        used.add(candidate)
        own.append(candidate)
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


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    arrow, parquet = _pyarrow()
    file = io.BytesIO()
    parquet.write_table(arrow.table(columns), file)
    return file.getvalue()


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
    cohort = LabelledGraphs.of_phenotype(graphs, y, pos_label)
    graphs, positive = cohort.graphs, cohort.positive if cohort.kind == CLASSES else None
    subgraphs = check_subgraphs(subgraphs, graphs.naming, gaps=True)
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
            "node_coordinates, or convert with an atlas."
        )
    subgraphs = check_subgraphs(subgraphs, graphs.naming, gaps=True)
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


# --- Where edges and nodes occur in a ranked list of subgraphs ----------------------------------------------


def checked_numbers(coefficients: object, n_subgraphs: int, name: str = "coefficients") -> list[float] | None:
    """A number of each subgraph; None where there are none."""
    if coefficients is None:
        return None
    numbers = real_array(coefficients, name, 1, "(n_subgraphs,)").tolist()
    if len(numbers) != n_subgraphs:
        raise InputError(
            f"{name} must be one for each subgraph: got {len(numbers)} for "
            f"{counted(n_subgraphs, 'subgraph')}.",
            parameter=name,
        )
    return list(numbers)


def edge_ranks(subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """The ranks, 1 for the best, of the subgraphs that hold each edge, by edge in ascending order."""
    ranks: Ranks = {edge: [] for edge in sorted({edge for subgraph in subgraphs for edge in subgraph})}
    for rank, subgraph in enumerate(subgraphs, start=1):
        for edge in subgraph:
            ranks[edge].append(rank)
    return ranks


def node_ranks(graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """The same for the nodes that the edges join."""
    return edge_ranks([sorted(set(graphs.edges[list(subgraph)].ravel().tolist())) for subgraph in subgraphs])
