"""A fitted estimator as a JSON file: readable, exact, checked, and without code in it.

The file is one line of canonical JSON (sorted keys, no spaces, ASCII). Its member ``checksum`` is the SHA-256
of the same line without that member. A reader writes what it has read once more and compares: any other byte,
also one that a JSON parser would overlook, is noticed.
"""

from __future__ import annotations

import hashlib
import json
import numbers
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dugraph.data import UncertainGraphs
from dugraph.data.wording import shown
from dugraph.estimators.plain_values import decode, encode
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.files.opening import open_file
from dugraph.probability.containment import check_subgraph

if TYPE_CHECKING:
    from dugraph.estimators.fitted import FittedOnGraphs

Model = TypeVar("Model", bound="FittedOnGraphs")


# Where the kinds are that a file may name. Sparse models lie above this room, so a kind is imported by its
# name, and only to read such a file.
_MOST_BYTES = 64 * 2**20
_ROOMS = {
    "SubgraphSelector": "dugraph.estimators",
    "SparseSubgraphClassifier": "dugraph.sparse",
    "SparseSubgraphRegressor": "dugraph.sparse",
}
VERSION = 1
# Parameters that earlier releases do not know: left out where they are not used, for them to read the file.
_NEW = ("multi_class", "covariates")
# Parameters in files of earlier releases that no longer exist.
_REMOVED = ("checkpoint",)


def write_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, all or nothing."""
    content = model_bytes(estimator)
    with atomic_file(path) as file:
        file.write(content)


def model_bytes(estimator: Any) -> bytes:
    """Return the content of the file of a fitted estimator."""
    names = getattr(estimator, "feature_names_in_", None)
    content: dict[str, Any] = {
        "format": f"dugraph.{estimator._model_name}",
        "version": VERSION,
        "parameters": {
            name: _parameter(name, value)
            for name, value in estimator.get_params(deep=False).items()
            if value is not None or name not in _NEW
        },
        "classes": encode(getattr(estimator, "classes_", None), "classes_"),
        "edges": estimator.edges_.tolist(),
        "node_labels": list(estimator.node_labels_),
        "edge_layers": None if estimator.edge_layers_ is None else list(estimator.edge_layers_),
        "feature_names_in": None if names is None else [str(name) for name in names],
        "subgraphs": [list(subgraph) for subgraph in estimator.subgraphs_],
        **estimator._model_members(),
    }
    return _signed(content)


def read_model(estimator: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read an estimator of this class back, refusing a file that is not byte for byte what was written."""
    content = _read_content(path)
    name = estimator._model_name
    stored = content.get("format"), content.get("version")
    if stored != (f"dugraph.{name}", VERSION):
        other = next((other for other in _ROOMS if stored == (f"dugraph.{other}", VERSION)), None)
        raise InputError(
            f"{path}: the file must be a dugraph.{name} of version {VERSION}, but says "
            f"{shown(stored[0])} of version {shown(stored[1])}. Read it with "
            + (f"{other}.from_json." if other else "the release of dugraph that wrote it.")
        )
    try:
        return _restored(estimator, content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        cause = str(error).rstrip(".")
        raise InputError(
            f"{path}: the file must hold a fitted estimator, but a part of it is missing or wrong: {cause}. "
            "Write it again with to_json."
        ) from error


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator of whatever kind a file holds.

    Parameters
    ----------
    path : path-like
        Written by ``to_json`` of one of them, or ``model.json`` of ``dugraph mine`` and ``dugraph sparse``.

    Returns
    -------
    SubgraphSelector, SparseSubgraphClassifier or SparseSubgraphRegressor

    Raises
    ------
    InputError
        If the file is damaged, altered or of another format.

    Examples
    --------
    >>> import tempfile
    >>> from dugraph.estimators import SubgraphSelector, load_model
    >>> selector = SubgraphSelector(n_subgraphs=1).fit([[0.9, 0.8, 0.1], [0.2, 0.3, 0.1]], [1, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     selector.to_json(f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").subgraphs_
    [(0,)]
    """
    stored = _read_content(path).get("format")
    # Of any other format, the reader of a selector says what is wrong.
    name = next((name for name in _ROOMS if stored == f"dugraph.{name}"), "SubgraphSelector")
    return read_model(getattr(import_module(_ROOMS[name]), name), path)


def _parameter(name: str, value: Any) -> Any:
    if name == "progress":  # about a run, not about the model
        return None
    if name == "cv" and not isinstance(value, (numbers.Integral, type(None))):
        return str(value)  # an object that splits cannot be written: only what it says of itself
    return encode(value, name)


def _signed(content: dict[str, Any]) -> bytes:
    checksum = hashlib.sha256(_canonical(content)).hexdigest()
    return _canonical(content | {"checksum": checksum}) + b"\n"


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def _read_content(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        with open_file(path, _MOST_BYTES) as file:
            stored = file.read()
    except OSError as error:
        raise InputError(f"{path}: the file must be readable: {error.strerror or error}.") from error
    try:
        content = json.loads(stored.decode("ascii"))
        content.pop("checksum")
        intact = _signed(content) == stored
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        intact = False
    if not intact:
        raise InputError(
            f"{path}: the content must match its checksum, but the file is damaged, altered or of another "
            "format. "
            "Copy it again."
        )
    return dict(content)


def _restored(made: type[Model], content: dict[str, Any]) -> Model:
    earlier = made._earlier_names
    parameters = {
        earlier.get(name, name): decode(value)
        for name, value in content["parameters"].items()
        if name not in _REMOVED
    }
    edges = np.array(content["edges"])
    # Every rule of a cohort is checked by making one; its single graph is never used.
    cohort = UncertainGraphs(
        np.zeros((1, len(edges))), edges, content["node_labels"], edge_layers=content["edge_layers"]
    )
    subgraphs = [check_subgraph(subgraph, cohort.n_edges) for subgraph in content["subgraphs"]]
    classes = decode(content["classes"])
    made._check_stored_classes(classes)
    estimator = made(**parameters)
    estimator._restore(content, subgraphs, classes, cohort)
    if content["feature_names_in"] is not None:
        names = np.array(content["feature_names_in"], dtype=object)
        estimator.feature_names_in_ = names
    return estimator
