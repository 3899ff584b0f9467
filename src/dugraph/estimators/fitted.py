"""What estimators of subgraphs know and do once they are fitted, and their files: a mixin."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from dugraph.data import UncertainGraphs
from dugraph.data.wording import is_one_of
from dugraph.estimators.covariate_columns import without_covariates
from dugraph.estimators.feature_names import check_input_features
from dugraph.estimators.model_file import read_model, write_model
from dugraph.estimators.selector_input import fitted_probability, held_columns
from dugraph.probability.containment import containment_columns


# A transformer itself: scikit-learn wraps `transform` for set_output in the class that defines it.
class FittedOnGraphs(TransformerMixin, ABC):  # type: ignore[misc,unused-ignore]
    """Mixin of estimators of subgraphs: the graphs of a fit, features of new ones, and the file of a fit.

    A class sets `_model_name` and defines the abstract methods.
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
    # Names that parameters had in files of earlier releases.
    _earlier_names: ClassVar[Mapping[str, str]] = {}

    def _know_graphs(self, classes: NDArray[Any] | None, graphs: UncertainGraphs) -> None:
        """Keep what columns and classes stand for: `classes` in sorted order, edges and names of `graphs`."""
        if classes is not None:
            self.classes_ = classes
        self.edges_, self.node_labels_ = graphs.edges, graphs.node_labels
        self.edge_layers_ = graphs.edge_layers
        self.n_features_in_ = graphs.n_edges

    @classmethod
    @abstractmethod
    def _check_stored_classes(cls, classes: Any) -> None:
        """Raise ValueError if a file cannot have these classes; None is of one without any."""

    @abstractmethod
    def _subgraph_names(self) -> Sequence[str]:
        """The names of `subgraphs_`, in their order."""

    @abstractmethod
    def _model_members(self) -> dict[str, Any]:
        """What the file holds besides what all models have."""

    @abstractmethod
    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: Any,
        graphs: UncertainGraphs,
    ) -> None:
        """Make the estimator fitted again by the content of its file."""

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the containment probability of every subgraph in every graph.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_columns), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1], columns as in fit; those of a DataFrame that name their edges in any
            order, and only the edges of `subgraphs_` are needed. Covariates are not looked at.

        Returns
        -------
        ndarray of shape (n_graphs, n_found)
            In [0, 1]; exactly 0 or 1 with `binarize_at`, which a selector may have.
        """
        edges = without_covariates(X, self.covariates)
        limit = getattr(self, "binarize_at", None)
        if isinstance(edges, UncertainGraphs) and limit is None:
            return containment_columns(held_columns(self, edges), self.subgraphs_, np.float64)
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
        """Write the fitted estimator to a JSON file, all or nothing, with a checksum; no pickle.

        Functions and other objects cannot be written: of a `score_func` of your own only the name is kept, of
        a splitter in `cv` only its text, and `progress` is left out.
        """
        check_is_fitted(self)
        write_model(self, path)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_json` wrote; a damaged or altered file is refused with an `InputError`."""
        return read_model(cls, path)
