"""Names of columns from step to step: what scikit-learn checks, and edges that are known by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.edge_names import SEPARATOR, edge_columns, named_columns, named_edges
from dugraph.data.signed_edges import signed_names
from dugraph.data.wording import listed
from dugraph.exceptions import InputError


def check_input_features(estimator: Any, input_features: Any) -> None:
    """Compare names given to get_feature_names_out with the columns of fit; None passes."""
    if input_features is None:
        return
    names = np.asarray(input_features, dtype=object)
    seen = getattr(estimator, "feature_names_in_", None)
    if seen is not None and not np.array_equal(seen, names):
        raise InputError(
            "input_features is not equal to feature_names_in_, the columns seen in fit. Leave "
            "input_features out."
        )
    if len(names) != estimator.n_features_in_:
        raise InputError(
            "input_features should have length equal to number of features: got "
            f"{len(names)} names for {estimator.n_features_in_} columns. Leave input_features out."
        )


def in_order_of_fit(estimator: Any, X: Any) -> Any:
    """Put the columns of a data frame that name edges in the order of fit; all else passes as it is."""
    names, seen = edge_columns(X), getattr(estimator, "feature_names_in_", None)
    if names is None or seen is None or np.array_equal(names, seen):
        return X
    if not hasattr(X, "iloc") or not all(SEPARATOR in name for name in seen):
        return X
    edges, labels, layers = named_edges(seen)
    wanted = [
        (labels[u], labels[v], None if layers is None else layers[e])
        for e, (u, v) in enumerate(edges.tolist())
    ]
    found = named_columns(names, wanted)
    missing = [name for name, key in zip(seen, wanted, strict=True) if key not in found]
    if missing or len(names) != len(seen):
        extra = [name for e, name in enumerate(names) if e not in found.values()]
        raise InputError(
            f"X must have the edges of fit, in any order: it lacks {listed(missing) or 'none'}, and has "
            f"{listed(extra) or 'none'} in addition. Select the columns of fit."
        )
    return X.iloc[:, [found[key] for key in wanted]].set_axis(list(seen), axis=1)


def with_edge_names(X: Any, values: NDArray[Any], layers: str | None) -> Any:
    """Return values as a data frame like X if the columns of X name edges, for the next step."""
    names = edge_columns(X)
    if names is None:
        return values
    columns = list(names) if layers is None else signed_names(names)
    if hasattr(X, "iloc"):
        return type(X)(values, index=X.index, columns=columns)
    return type(X)(values, schema=columns)
