"""The check of column names that scikit-learn asks of every transformer."""

from __future__ import annotations

from typing import Any

import numpy as np

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
