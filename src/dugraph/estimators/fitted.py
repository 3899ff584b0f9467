"""What estimators of subgraphs know once they are fitted, and their files: a mixin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dugraph.data import UncertainGraphs
from dugraph.estimators.model_file import read_model, write_model


class FittedOnGraphs:
    """Mixin of estimators of subgraphs: the graphs of a fit, and the file of a fitted estimator.

    A class sets `_model_name` and defines `_model_members` and `_restore`.
    """

    subgraphs_: list[tuple[int, ...]]
    classes_: NDArray[Any]
    edges_: NDArray[np.int32]
    node_labels_: tuple[str, ...]
    edge_layers_: tuple[str, ...] | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _model_name: ClassVar[str]
    # Names that parameters had in files of earlier releases.
    _earlier_names: ClassVar[Mapping[str, str]] = {}

    def _know_graphs(self, classes: NDArray[Any], graphs: UncertainGraphs) -> None:
        """Keep what columns and classes stand for: `classes` in sorted order, edges and names of `graphs`."""
        self.classes_ = classes
        self.edges_, self.node_labels_ = graphs.edges, graphs.node_labels
        self.edge_layers_ = graphs.edge_layers
        self.n_features_in_ = graphs.n_edges

    def _model_members(self) -> dict[str, Any]:
        """What the file holds beside what all models have."""
        raise NotImplementedError

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: NDArray[Any],
        graphs: UncertainGraphs,
    ) -> None:
        """Make the estimator fitted again by the content of its file."""
        raise NotImplementedError

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
