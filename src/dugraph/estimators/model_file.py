"""A fitted estimator as a JSON file: readable, exact, checked, and without code in it.

The file is one line of canonical JSON (sorted keys, no spaces, ASCII). Its member ``checksum`` is the SHA-256
of the same line without that member. The reader serialises the content again and compares: any other byte,
also one that a JSON parser would overlook, is detected.
"""

from __future__ import annotations

import hashlib
import json
import numbers
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, is_one_of, is_real
from dugraph.data.subgraphs import check_subgraph
from dugraph.estimators.input import (
    check_input_features,
    fitted_probability,
    raw_probability,
    without_covariates,
)
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, open_file, unreadable
from dugraph.probability.containment import containment_columns

Model = TypeVar("Model", bound="FittedOnGraphs")
_MOST_BYTES = 64 * 2**20
# Packages of the classes that a file may name. Sparse models are in a higher layer, so they are imported by
# name, and only to read such a file.
_PACKAGES = {
    "SubgraphSelector": "dugraph.estimators",
    "SparseSubgraphClassifier": "dugraph.sparse",
    "SparseSubgraphRegressor": "dugraph.sparse",
}
VERSION = 1
# Parameters that earlier releases do not know: left out at their defaults, so that those can read the file.
_NEW = {"multi_class": None, "covariates": None, "l1_ratio": 1.0, "refit": None, "class_weight": None}
# Parameters in files of earlier releases that no longer exist.
_REMOVED = ("checkpoint", "node_limit")
# Text has no width here: a forged width would claim memory.
_DTYPES = {name: np.dtype(name) for name in ["bool", "float16", "float32", "float64", "str"]}
_DTYPES |= {
    f"{kind}{bits}": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}


# A TransformerMixin itself: scikit-learn wraps `transform` for set_output in the class that defines it.
class FittedOnGraphs(TransformerMixin, ABC):  # type: ignore[misc,unused-ignore]
    """Mixin of estimators of subgraphs: graphs of the fit, features of new graphs, JSON files.

    Subclasses set `_model_name` and define the abstract methods.
    """

    subgraphs_: list[tuple[int, ...]]
    classes_: NDArray[Any]
    edges_: NDArray[np.int32]
    node_labels_: tuple[str, ...]
    edge_layers_: tuple[str, ...] | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    on_invalid: str
    covariates: Any
    _model_name: ClassVar[str]
    # The fewest classes of a fitted model; None if it has no classes.
    _fewest_classes: ClassVar[int | None]
    # Earlier names of parameters, as in files of earlier releases.
    _earlier_names: ClassVar[Mapping[str, str]] = {}

    def _set_graphs(self, classes: NDArray[Any] | None, graphs: UncertainGraphs) -> None:
        """Set the attributes about classes (sorted, or None), edges and names."""
        if classes is not None:
            self.classes_ = classes
        self.edges_, self.node_labels_ = graphs.edges, graphs.node_labels
        self.edge_layers_ = graphs.edge_layers
        self.n_features_in_ = graphs.n_edges

    @abstractmethod
    def _subgraph_names(self) -> Sequence[str]:
        """The names of `subgraphs_`, in their order."""

    @abstractmethod
    def _model_members(self) -> dict[str, Any]:
        """Members of the file besides those of all models."""

    @abstractmethod
    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: Any,
        graphs: UncertainGraphs,
    ) -> None:
        """Set the fitted attributes from the content of a file."""

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the containment probability of every subgraph in every graph.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_columns), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1], columns as in fit. Columns of a DataFrame that name their edges may
            be in any order, and only the edges of `subgraphs_` are needed. Covariates are ignored.

        Returns
        -------
        ndarray of shape (n_graphs, n_found)
            In [0, 1]; exactly 0 or 1 for a selector with `binarize_at`.
        """
        edges = without_covariates(X, self.covariates)
        limit = getattr(self, "binarize_at", None)
        if isinstance(edges, UncertainGraphs) and limit is None:
            return containment_columns(raw_probability(self, edges), self.subgraphs_, np.float64)
        return containment_columns(fitted_probability(self, edges, limit), self.subgraphs_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the subgraphs by their nodes: ``{Precuneus_L--Cuneus_L, Cuneus_L--Cuneus_R}``.

        Parameters
        ----------
        input_features : array-like of str, default None
            Only checked against the columns seen in fit.

        Returns
        -------
        ndarray of str, shape (n_found,)
        """
        check_is_fitted(self)
        check_input_features(self, input_features)
        return np.array(self._subgraph_names(), dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not is_one_of(self.on_invalid, ("clip",))
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator atomically to a JSON file with a checksum; no pickle.

        Functions and other objects cannot be written: a callable `score_func` is stored by its name, a
        splitter in `cv` by its text, and `progress` is left out.
        """
        check_is_fitted(self)
        content = model_bytes(self)
        with atomic_file(path) as file:
            file.write(content)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_json` wrote; a damaged or altered file is refused with an `InputError`."""
        return read_model(cls, path)


def model_bytes(estimator: Any) -> bytes:
    """Return the content of the file of a fitted estimator."""
    names = getattr(estimator, "feature_names_in_", None)
    content: dict[str, Any] = {
        "format": f"dugraph.{estimator._model_name}",
        "version": VERSION,
        "parameters": {
            name: _parameter(name, value)
            for name, value in estimator.get_params(deep=False).items()
            if name not in _NEW or not (value is None or (is_real(value) and value == _NEW[name]))
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
    """Read an estimator of this class; raise InputError if a byte of the file was changed."""
    content = _read_content(path)
    name = estimator._model_name
    stored = content.get("format"), content.get("version")
    if stored != (f"dugraph.{name}", VERSION):
        other = next((other for other in _PACKAGES if stored == (f"dugraph.{other}", VERSION)), None)
        raise InputError(
            f"{path}: the file must be a dugraph.{name} of version {VERSION}, but says "
            f"{abbreviate(stored[0])} of version {abbreviate(stored[1])}. Read it with "
            + (f"{other}.from_json." if other else "the release of dugraph that wrote it.")
        )
    try:
        return _restored(estimator, content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        cause = str(error).rstrip(".")
        raise InputError(
            f"{path}: the file must contain a fitted estimator, but a part is missing or wrong: {cause}. "
            "Write it again with to_json."
        ) from error


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator of any class from a file.

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
    # For any other format, the reader of a selector raises the error.
    name = next((name for name in _PACKAGES if stored == f"dugraph.{name}"), "SubgraphSelector")
    return read_model(getattr(import_module(_PACKAGES[name]), name), path)


def _parameter(name: str, value: Any) -> Any:
    if name == "progress":  # concerns the run, not the model
        return None
    if name == "cv" and not isinstance(value, (numbers.Integral, type(None))):
        return str(value)  # a splitter cannot be written, only its text
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
        raise unreadable(path, error) from error
    try:
        content = json.loads(stored.decode("ascii"))
        content.pop("checksum")
        intact = _signed(content) == stored
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        intact = False
    if not intact:
        raise InputError(
            f"{path}: the content must match its checksum, but the file is damaged, altered or of another "
            "format. Copy it again."
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
    # Constructing a cohort validates edges and names; its single graph is not used.
    cohort = UncertainGraphs(
        np.zeros((1, len(edges))), edges, content["node_labels"], edge_layers=content["edge_layers"]
    )
    subgraphs = [check_subgraph(subgraph, cohort.n_edges) for subgraph in content["subgraphs"]]
    classes = decode(content["classes"])
    least = made._fewest_classes
    if (classes is None) != (least is None) or (
        least is not None and (classes.ndim != 1 or len(classes) < least)
    ):
        raise ValueError(
            "there must be no classes" if least is None else f"there must be at least {least} classes"
        )
    estimator = made(**parameters)
    estimator._restore(content, subgraphs, classes, cohort)
    if content["feature_names_in"] is not None:
        names = np.array(content["feature_names_in"], dtype=object)
        estimator.feature_names_in_ = names
    return estimator


def encode(value: Any, name: str) -> Any:
    """Convert to JSON values: floats as hexadecimal text, arrays with their dtype, functions by name."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (list, tuple)):
        return [encode(entry, name) for entry in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: encode(entry, name) for key, entry in value.items()}}
    if isinstance(value, dict):
        return {"pairs": encode(list(value.items()), name)}
    if callable(value):
        return {"function": getattr(value, "__name__", type(value).__name__)}
    what = f"is of type {type(value).__name__}"
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        dtype = "str" if array.dtype.kind == "U" else array.dtype.name
        if array.dtype == object:
            return encode(array.tolist(), name)
        if dtype in _DTYPES:
            return {"dtype": dtype, "values": encode(array.tolist(), name)}
        what = f"has dtype {array.dtype}"
    raise InputError(
        f"{name} must be made of text, numbers and arrays to be saved, but {what}. Convert it first."
    )


def decode(value: Any) -> Any:
    """Inverse of `encode`, except that tuples become lists, and functions their names."""
    if isinstance(value, list):
        return [decode(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"float": str(text)}:
            return float.fromhex(text)
        case {"function": str(name)}:
            return name
        case {"dict": dict(entries)}:
            return {key: decode(entry) for key, entry in entries.items()}
        case {"pairs": list(pairs)}:
            return dict(decode(pairs))
        case {"dtype": str(dtype), "values": list(values)}:
            return np.array(decode(values), dtype=_DTYPES[dtype])
    raise ValueError(f"unknown kind of value: {sorted(value)}")
