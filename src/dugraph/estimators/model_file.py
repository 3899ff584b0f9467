"""A fitted `SubgraphSelector` as a JSON file: readable, exact, checked, and without code in it.

The file is one line of canonical JSON (sorted keys, no spaces, ASCII). Its member ``checksum`` is the SHA-256
of the same line without that member. A reader writes what it has read once more and compares: any other byte,
also one that a JSON parser would overlook, is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dugraph.data import UncertainGraphs
from dugraph.data.atomic import atomic_file
from dugraph.data.wording import shown
from dugraph.estimators.fitted_selector import remember
from dugraph.estimators.plain_values import decode, encode
from dugraph.exceptions import InputError
from dugraph.probability.containment import check_subgraph
from dugraph.search import MiningResult, Status
from dugraph.search.result import COUNTERS

if TYPE_CHECKING:
    from dugraph.estimators.subgraph_selector import SubgraphSelector

Selector = TypeVar("Selector", bound="SubgraphSelector")

FORMAT = "dugraph.SubgraphSelector"
VERSION = 1

_FLOATS = ("threshold", "best_open_bound", "seconds", "setup_seconds")


def write_model(selector: SubgraphSelector, path: str | os.PathLike[str]) -> None:
    """Write a fitted selector, all or nothing."""
    content = model_bytes(selector)
    with atomic_file(path) as file:
        file.write(content)


def model_bytes(selector: SubgraphSelector) -> bytes:
    """Give the content of the file of a fitted selector."""
    result = selector.result_
    names = getattr(selector, "feature_names_in_", None)
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {
            name: None if name == "progress" else encode(value, name)
            for name, value in selector.get_params(deep=False).items()
        },
        "classes": encode(selector.classes_, "classes_"),
        "edges": selector.edges_.tolist(),
        "node_labels": list(selector.node_labels_),
        "edge_layers": None if selector.edge_layers_ is None else list(selector.edge_layers_),
        "feature_names_in": None if names is None else [str(name) for name in names],
        "subgraphs": [list(subgraph) for subgraph in selector.subgraphs_],
        "values": encode(selector.values_, "values_"),
        "result": {
            "status": result.status.value,
            "message": result.message,
            "parameters": encode(result.parameters, "result_.parameters"),
            **{name: int(getattr(result, name)) for name in COUNTERS},
            **{name: encode(float(getattr(result, name)), name) for name in _FLOATS},
        },
    }
    return _signed(content)


def read_model(kind: type[Selector], path: str | os.PathLike[str]) -> Selector:
    """Read a selector back, refusing a file that is not byte for byte what was written."""
    content = _read_content(path)
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise InputError(
            f"{path}: the file must be a {FORMAT} of version {VERSION}, but says "
            f"{shown(content.get('format'))} of "
            f"version {shown(content.get('version'))}. Read it with the release of dugraph that wrote it."
        )
    try:
        return _restored(kind, content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        cause = str(error).rstrip(".")
        raise InputError(
            f"{path}: the file must hold a fitted selector, but a part is missing or wrong: {cause}. "
            "Write it again with to_json."
        ) from error


def _signed(content: dict[str, Any]) -> bytes:
    checksum = hashlib.sha256(_canonical(content)).hexdigest()
    return _canonical(content | {"checksum": checksum}) + b"\n"


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def _read_content(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
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


def _restored(kind: type[Selector], content: dict[str, Any]) -> Selector:
    parameters = {name: decode(value) for name, value in content["parameters"].items()}
    edges = np.array(content["edges"])
    # Every rule of a cohort is checked by making one; its single graph is never used.
    cohort = UncertainGraphs(
        np.zeros((1, len(edges))), edges, content["node_labels"], edge_layers=content["edge_layers"]
    )
    subgraphs = [check_subgraph(subgraph, cohort.n_edges) for subgraph in content["subgraphs"]]
    values, classes = decode(content["values"]), decode(content["classes"])
    if values.shape != (len(subgraphs),) or classes.shape != (2,) or not subgraphs:
        raise ValueError("values and subgraphs must be equally many, and there must be two classes")
    stored = content["result"]
    numbers: dict[str, Any] = {name: int(stored[name]) for name in COUNTERS}
    numbers |= {name: float(decode(stored[name])) for name in _FLOATS}
    result = MiningResult(
        subgraphs=subgraphs,
        values=values,
        status=Status(stored["status"]),
        message=str(stored["message"]),
        parameters=decode(stored["parameters"]),
        names=[cohort.subgraph_name(subgraph) for subgraph in subgraphs],
        **numbers,
    )
    selector = kind(**parameters)
    remember(selector, result, classes, cohort)
    if content["feature_names_in"] is not None:
        selector.feature_names_in_ = np.array(content["feature_names_in"], dtype=object)
    return selector
