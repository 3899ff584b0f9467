"""Graphs by a saved model: containment probabilities, and what a classifier makes of them."""

import warnings
from typing import Any

from dugraph import SparseSubgraphClassifier, UncertainGraphs
from dugraph.cli.wording import escaped
from dugraph.estimators import aligned_probability
from dugraph.io.feature_table import feature_table


def transformed_table(kind: str, model: Any, graphs: UncertainGraphs, y: Any) -> bytes:
    """The table of features, in which a classifier has columns of its own before those of its subgraphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    model : fitted SubgraphSelector or SparseSubgraphClassifier
    graphs : UncertainGraphs
        Joined with the model by the names of regions.
    y : ndarray of shape (n_graphs,), or None
        Their classes, if they are known.
    """
    X = aligned_probability(model, graphs)
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
    return feature_table(kind, graphs.graph_ids, names, features, y, decided)
