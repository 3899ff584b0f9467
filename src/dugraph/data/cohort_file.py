"""Cohort files: a cohort and its class labels in one .npz file, read without pickle."""

import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, listed
from dugraph.data.columns import PLAIN_KINDS
from dugraph.data.graphs import Owned, UncertainGraphs
from dugraph.data.labels import check_label_order, label_column
from dugraph.exceptions import InputError
from dugraph.files.npz import MAX_BYTES, archive_bytes, names_in_archive, read_archive, write_archive

Path = str | os.PathLike[str]

PARTICIPANTS = "participants/"

# Array -> (allowed dtype kinds, what they are called, number of dimensions).
MEMBERS = {
    "edge_probability": ("f", "floating-point numbers", 2),
    "edges": ("iu", "integers", 2),
    "node_labels": ("U", "text", 1),
    "graph_ids": ("U", "text", 1),
    "node_coordinates": ("f", "floating-point numbers", 2),
    "node_networks": ("U", "text", 1),
    "edge_layers": ("U", "text", 1),
    "y": ("biufU", "text, numbers or booleans", 1),
    "provenance": ("U", "text", 1),
}
_REQUIRED = ("edge_probability", "edges", "node_labels", "graph_ids")
_COLUMN = (PLAIN_KINDS, "text, numbers, booleans or times", 1)


def is_cohort_file(file: Path) -> bool:
    """Whether a file is a cohort file, by its name and the names of its arrays."""
    return "edge_probability" in names_in_archive(file)


def save_cohort(path: Path, graphs: UncertainGraphs, y: object = None) -> None:
    """Write a cohort and its class labels into one file.

    The file is either complete or absent: it is written next to its destination and renamed at the end, so an
    error or an interruption leaves an older file intact. Equal cohorts give equal bytes.

    Parameters
    ----------
    path : path-like
        Usually ending in ``.npz``; nothing is appended.
    graphs : UncertainGraphs
    y : sequence of shape (n_graphs,), optional
        Class labels: text, numbers or booleans.

    Examples
    --------
    >>> import tempfile
    >>> from dugraph import UncertainGraphs, load_cohort, save_cohort
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_cohort(f"{folder}/cohort.npz", UncertainGraphs([[0.9], [0.2]]), ["patient", "control"])
    ...     graphs, y = load_cohort(f"{folder}/cohort.npz")
    >>> y.tolist()
    ['patient', 'control']
    """
    write_archive(path, _arrays(graphs, y))


def cohort_bytes(graphs: UncertainGraphs, y: object = None) -> bytes:
    """Return the content of the file that `save_cohort` writes."""
    return archive_bytes(_arrays(graphs, y))


def _arrays(graphs: UncertainGraphs, y: object) -> dict[str, NDArray[Any]]:
    if not isinstance(graphs, UncertainGraphs):
        raise InputError(
            f"graphs must be an UncertainGraphs: got {type(graphs).__name__}. Build one with "
            "UncertainGraphs(array)."
        )
    provenance = graphs.provenance
    parts = {
        "edge_probability": graphs.raw_probability,
        "edges": graphs.edges,
        "node_labels": graphs.node_labels,
        "graph_ids": graphs.graph_ids,
        "node_coordinates": graphs.node_coordinates,
        "node_networks": graphs.node_networks,
        "edge_layers": graphs.edge_layers,
        "provenance": None if provenance is None else [json.dumps(provenance, allow_nan=False)],
    }
    arrays: dict[str, NDArray[Any]] = {
        name: one if isinstance(one, np.ndarray) else _text(one)
        for name, one in parts.items()
        if one is not None
    }
    if y is not None:
        check_label_order(y, graphs)
        arrays["y"] = _plain(label_column(y, graphs.n_graphs), "y")
    for name, column in (graphs.participants or {}).items():
        arrays[PARTICIPANTS + name] = _plain(column, f"participants[{abbreviate(name)!r}]")
    return arrays


def _text(names: Iterable[str]) -> NDArray[np.str_]:
    return np.array(list(names), dtype=np.str_)


def _plain(column: NDArray[Any], what: str) -> NDArray[Any]:
    if column.dtype.kind == "O":
        types = sorted({type(value).__name__ for value in column})
        raise InputError(
            f"A cohort file holds no Python objects: {what} holds {listed(types)}. "
            "Make its entries all text or all numbers, with NaN or an empty text for missing ones."
        )
    # As narrow as its longest text, whatever the width left over from a larger cohort.
    return _text(column.tolist()) if column.dtype.kind == "U" else column


def load_cohort(path: Path, max_bytes: int = MAX_BYTES) -> tuple[UncertainGraphs, NDArray[Any] | None]:
    """Read a cohort file; nothing in it is executed, and sizes are checked before memory is taken.

    Parameters
    ----------
    path : path-like
    max_bytes : int, default 8 GiB
        The most bytes that the arrays may take together.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
        Class labels as they were saved; None if the cohort was saved without.

    Examples
    --------
    >>> import tempfile
    >>> from dugraph import UncertainGraphs, load_cohort, save_cohort
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_cohort(f"{folder}/cohort.npz", UncertainGraphs([[0.9], [0.2]]))
    ...     graphs, y = load_cohort(f"{folder}/cohort.npz")
    >>> graphs.edge_probability.tolist(), y
    ([[0.9], [0.2]], None)
    """
    arrays = read_archive(path, max_bytes)
    if "edge_probability" not in arrays:
        raise InputError(
            f"{path}: a cohort file must hold the array 'edge_probability', but this holds "
            f"{listed(arrays, 8) or 'nothing'}: another program wrote it. `dugraph convert` turns it into a "
            "cohort file."
        )
    for name in dict.fromkeys([*arrays, *_REQUIRED]):
        _check_member(path, name, arrays.get(name))
    columns = {name: arrays.pop(name) for name in list(arrays) if name.startswith(PARTICIPANTS)}
    columns = {name.removeprefix(PARTICIPANTS): column for name, column in columns.items()}
    y, origin = arrays.pop("y", None), arrays.pop("provenance", None)
    try:
        texts = {name: array.tolist() for name, array in arrays.items() if array.dtype.kind == "U"}
        provenance = None if origin is None else _read_provenance(origin.tolist())
        parts = arrays | texts | {"edge_probability": arrays["edge_probability"].view(Owned)}
        graphs = UncertainGraphs(**parts, participants=columns or None, provenance=provenance)
        return graphs, None if y is None else label_column(y, graphs.n_graphs)
    except InputError as error:
        raise error.placed(str(path)) from error


def _check_member(path: Path, name: str, array: NDArray[Any] | None) -> None:
    kinds, called, ndim = _COLUMN if name.startswith(PARTICIPANTS) else MEMBERS.get(name, ("", "", 0))
    if not called:
        problem = f"contains {', '.join(MEMBERS)} and {PARTICIPANTS}<column>, but not {abbreviate(name)!r}"
    elif array is None:
        problem = f"must contain the array {name!r}, but it is missing"
    elif array.dtype.kind not in kinds or array.ndim != ndim:
        problem = (
            f"must have {abbreviate(name)!r} as {called} in {ndim} dimension(s), but its dtype is "
            f"{array.dtype} and its shape {array.shape}"
        )
    else:
        return
    raise InputError(f"{path}: a cohort file {problem}. Write cohort files with save_cohort.")


def _read_provenance(texts: list[str]) -> dict[str, Any]:
    try:
        (text,) = texts
        return {**json.loads(text)}
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"'provenance' must be a JSON object: {abbreviate(error)}. Write the file again."
        ) from error
