"""The table of features: the containment probabilities of graphs, and what a classifier makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dugraph.files.plain_text import escaped
from dugraph.io.writers.feature_table import feature_table
from dugraph.sparse import SparseSubgraphClassifier


def transformed_table(
    kind: str, model: Any, X: NDArray[Any], graph_ids: Sequence[str], y: NDArray[Any] | None
) -> bytes:
    """The table of features, in which a classifier has columns of its own before those of its subgraphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    model : fitted SubgraphSelector or SparseSubgraphClassifier
    X : ndarray of shape (n_graphs, n_edges)
        Edge probabilities in the columns that the model expects.
    graph_ids : sequence of str
    y : ndarray of shape (n_graphs,), or None
        Their classes, if they are known.
    """
    decided: dict[str, list[Any]] = {}
    with warnings.catch_warnings():
        # scikit-learn warns if only the columns of the fit had names; ours were found by theirs.
        warnings.simplefilter("ignore", UserWarning)
        features = model.transform(X)
        if isinstance(model, SparseSubgraphClassifier):
            decided = {
                "predicted_class": model.predict(X).tolist(),
                "decision": model.decision_function(X).tolist(),
            }
            if hasattr(model, "predict_proba"):
                name = f"probability of {escaped(model.classes_[1])}"
                decided[name] = model.predict_proba(X)[:, 1].tolist()
    names = model.get_feature_names_out().tolist()
    return feature_table(kind, graph_ids, names, features, y, decided)
