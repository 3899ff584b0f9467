"""The table of features: the containment probabilities of graphs, and what a model makes of them."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.files.text import escaped
from dugraph.io.writers import feature_table
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor


def transformed_table(
    kind: str, model: Any, graphs: UncertainGraphs, y: NDArray[Any] | None, label: str = "class"
) -> bytes:
    """The table of features, in which a sparse model has columns of its own before those of its subgraphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    model : fitted SubgraphSelector, SparseSubgraphClassifier or SparseSubgraphRegressor
    graphs : UncertainGraphs
        With the nodes and edges of the fit, in its order.
    y : ndarray of shape (n_graphs,), or None
        Their labels, if they are known.
    label : str
        What the column of these is called.
    """
    with warnings.catch_warnings():
        # scikit-learn warns if only the columns of the fit had names; those of graphs are known by nodes.
        warnings.simplefilter("ignore", UserWarning)
        features = model.transform(graphs)
        decided = _decided(model, graphs)
    names = model.get_feature_names_out().tolist()
    return feature_table(kind, graphs.graph_ids, names, features, y, decided, label)


def _decided(model: Any, graphs: UncertainGraphs) -> dict[str, list[Any]]:
    """What a sparse model says of each graph."""
    if isinstance(model, SparseSubgraphRegressor):
        return {"forecast": model.predict(graphs).tolist()}
    if not isinstance(model, SparseSubgraphClassifier):
        return {}
    decision, classes = model.decision_function(graphs), [escaped(one) for one in model.classes_]
    decided = {"predicted_class": model.predict(graphs).tolist()}
    if decision.ndim == 1:
        decided["decision"] = decision.tolist()
    else:
        decided |= {f"decision for {name}": decision[:, k].tolist() for k, name in enumerate(classes)}
    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(graphs)
        # Of two classes one tells both.
        shown = [1] if len(classes) == 2 else range(len(classes))
        decided |= {f"probability of {classes[k]}": chance[:, k].tolist() for k in shown}
    return decided
