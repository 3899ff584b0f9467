"""Cohort files: a cohort and its class labels in one .npz file, read without pickle."""

import json
import os
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, listed
from dugraph.data.columns import PLAIN_KINDS
from dugraph.data.graphs import Owned, UncertainGraphs
from dugraph.data.labels import check_label_order, label_column
from dugraph.exceptions import InputError
from dugraph.files.npz import DAMAGE, MAX_BYTES, archive_bytes, read_archive, write_archive

Path = str | os.PathLike[str]

PARTICIPANTS = "participants/"

# Array -> (required, allowed dtype kinds, what they are called, number of dimensions).
MEMBERS = {
    "edge_probability": (True, "f", "floating-point numbers", 2),
    "edges": (True, "iu", "integers", 2),
    "node_labels": (True, "U", "text", 1),
    "graph_ids": (True, "U", "text", 1),
    "node_coordinates": (False, "f", "floating-point numbers", 2),
    "node_networks": (False, "U", "text", 1),
    "edge_layers": (False, "U", "text", 1),
    "y": (False, "biufU", "text, numbers or booleans", 1),
    "provenance": (False, "U", "text", 1),
}


def is_cohort_file(file: Path) -> bool:
    """Whether a file is a cohort file, by its name and the names of its arrays."""
    if not os.fspath(file).endswith(".npz") or not os.path.isfile(file):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return "edge_probability.npy" in archive.namelist()
    except (OSError, *DAMAGE):
        return False


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
    arrays: dict[str, NDArray[Any]] = {
        "edge_probability": graphs.raw_probability,
        "edges": graphs.edges,
        "node_labels": _text(graphs.node_labels),
        "graph_ids": _text(graphs.graph_ids),
    }
    if graphs.node_coordinates is not None:
        arrays["node_coordinates"] = graphs.node_coordinates
    if graphs.node_networks is not None:
        arrays["node_networks"] = _text(graphs.node_networks)
    if graphs.edge_layers is not None:
        arrays["edge_layers"] = _text(graphs.edge_layers)
    if graphs.provenance is not None:
        arrays["provenance"] = _text([json.dumps(graphs.provenance, allow_nan=False)])
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
    """Read a cohort file.

    Nothing in the file is executed, and its claims about sizes are checked before memory is taken.

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

    Raises
    ------
    InputError
        If the file is missing, damaged, not a cohort file or breaks a rule of `UncertainGraphs`.

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
    columns = {
        name.removeprefix(PARTICIPANTS): arrays.pop(name)
        for name in list(arrays)
        if name.startswith(PARTICIPANTS)
    }
    if "edge_probability" not in arrays:
        raise InputError(
            f"{path}: a cohort file must hold the array 'edge_probability', but this holds "
            f"{listed(arrays, 8) or 'nothing'}: another program wrote it. `dugraph convert` turns it into a "
            "cohort file."
        )
    for name in arrays:
        if name not in MEMBERS:
            raise InputError(
                f"{path}: a cohort file holds the arrays {', '.join(MEMBERS)} and {PARTICIPANTS}<column>, "
                f"but not {abbreviate(name)!r}. Remove it, or move it to {PARTICIPANTS}."
            )
    for name, (required, kinds, called, ndim) in MEMBERS.items():
        array = arrays.get(name)
        if array is None and required:
            raise InputError(
                f"{path}: a cohort file must hold the array {name!r}, but it is missing. "
                "Write cohort files with save_cohort."
            )
        if array is not None and (array.dtype.kind not in kinds or array.ndim != ndim):
            raise InputError(
                f"{path}: array {name!r} must be {called} in {ndim} dimension(s), but it has dtype "
                f"{array.dtype} and shape {array.shape}. Write cohort files with save_cohort."
            )
    for name, column in columns.items():
        if column.ndim != 1 or column.dtype.kind not in PLAIN_KINDS:
            raise InputError(
                f"{path}: array {abbreviate(PARTICIPANTS + name)!r} must be a flat column of text, numbers, "
                f"booleans or times, but it has shape {column.shape} and dtype {column.dtype}."
            )
    y, origin = arrays.pop("y", None), arrays.pop("provenance", None)
    try:
        texts = {name: array.tolist() for name, array in arrays.items() if array.dtype.kind == "U"}
        provenance = None if origin is None else _read_provenance(origin.tolist())
        parts = arrays | texts | {"edge_probability": arrays["edge_probability"].view(Owned)}
        graphs = UncertainGraphs(**parts, participants=columns or None, provenance=provenance)
        return graphs, None if y is None else label_column(y, graphs.n_graphs)
    except InputError as error:
        raise error.placed(str(path)) from error


def _read_provenance(texts: list[str]) -> dict[str, Any]:
    text = texts[0] if len(texts) == 1 else ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"'provenance' must be JSON text: {abbreviate(error)}. Write the file again."
        ) from error
    if not isinstance(value, dict):
        raise InputError(f"'provenance' must be a JSON object: got {abbreviate(text)}. Write the file again.")
    return value
