"""`EdgeProbability`: the named, recorded step from connectivity to probabilities."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags

from dugraph.data.arguments import check_word, is_real, is_whole
from dugraph.data.signed_edges import signed_names
from dugraph.estimators.connectivity import (
    Floats,
    absolute_value,
    exceedance_confidence,
    interleaved,
    positive_part,
    rank_share,
    strongest,
)
from dugraph.estimators.feature_names import in_order_of_fit, with_edge_names
from dugraph.estimators.fit_input import finite_data, refuse_fit_parameters
from dugraph.exceptions import InputError, OutOfRangeWarning

METHODS = ("positive", "absolute", "fisher", "rank")
# Correlations computed in floating point may exceed 1 by so much.
_ROUNDING = 1e-6


class EdgeProbability(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Turn real-valued connectivity, such as correlations, into edge probabilities.

    Every graph is mapped separately, so nothing is learned from the data, and nothing leaks.

    Parameters
    ----------
    method : {"positive", "absolute", "fisher", "rank"}, default "positive"
        - "positive": r itself; negative values become 0 (the paper's rule).
        - "absolute": abs(r).
        - "fisher": one minus the p-value of the one-sided test of r > 0 with `n_timepoints` independent
          observations, which is the t distribution function with ``n_timepoints - 2`` degrees of freedom at
          ``r * sqrt((n_timepoints - 2) / (1 - r**2))``. A correlation of 0 gives 1/2, negative ones less.
        - "rank": the rank of r among the k positive values of its graph, from 1 (smallest) to k, divided by
          k; equal values share their mean rank; values that are not positive become 0. Any real values will
          do.
    n_timepoints : int, default None
        For "fisher"; at least 3.
    threshold : float in [0, 1], default None
        Probabilities below it become 0.
    density : float in (0, 1], default None
        Keep the ``round(density * n_edges)`` strongest edges of each graph, at least one, by r (by abs(r) for
        "absolute"); edges as strong as the last one kept are kept too. The others become 0. With signed
        layers, this many of the negative and positive links together, by -r and r.
    layers : {"signed"}, default None
        "signed" keeps the sign: every column becomes two, a negative link with the probability of -r and,
        after it, a positive link with that of r, as `signed_edges` orders them. Not with "absolute", which
        drops signs. None: one column of probabilities for each.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of X, n_edges.
    feature_names_in_ : ndarray of str, shape (n_edges,)
        Only when X is a DataFrame whose column names are all strings.

    See Also
    --------
    signed_edges : The edges of signed layers.
    SubgraphSelector : Takes signed layers with ``edge_layers="signed"``.

    Warns
    -----
    OutOfRangeWarning
        A value is beyond [-1, 1], so it is not a correlation; it is treated as -1 or 1 (except by "rank").

    Examples
    --------
    >>> from dugraph.estimators import EdgeProbability
    >>> EdgeProbability(threshold=0.3).fit_transform([[0.5, -0.4, 0.2], [0.9, 0.3, 0.0]]).tolist()
    [[0.5, 0.0, 0.0], [0.9, 0.3, 0.0]]
    >>> EdgeProbability("rank").fit_transform([[0.5, -0.4, 0.2, 0.1]]).round(2).tolist()
    [[1.0, 0.0, 0.67, 0.33]]
    >>> EdgeProbability(layers="signed").fit_transform([[0.5, -0.4]]).tolist()
    [[0.0, 0.5, 0.4, 0.0]]
    """

    def __init__(
        self,
        method: str = "positive",
        n_timepoints: int | None = None,
        threshold: float | None = None,
        density: float | None = None,
        layers: str | None = None,
    ) -> None:
        self.method = method
        self.n_timepoints = n_timepoints
        self.threshold = threshold
        self.density = density
        self.layers = layers

    def fit(self, X: Any, y: Any = None, **fit_parameters: Any) -> Self:
        """Check the parameters and the shape of X; nothing is learned.

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges)
            Real-valued connectivity.
        y : ignored
        **fit_parameters :
            Refused: graphs cannot be weighted, so `sample_weight` is not supported.

        Returns
        -------
        self : EdgeProbability
        """
        refuse_fit_parameters(fit_parameters)
        self._check_parameters()
        finite_data(self, X)
        return self

    def transform(self, X: Any) -> Any:
        """Map connectivity to probabilities.

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges)
            Real-valued connectivity.

        Returns
        -------
        ndarray of shape (n_graphs, n_edges), or (n_graphs, 2 * n_edges) with signed layers
            Probabilities in [0, 1]; a DataFrame when the columns of X name edges, ``A--B``, so that the next
            step of a pipeline knows them.
        """
        self._check_parameters()
        X = in_order_of_fit(self, X)
        array = finite_data(self, X, reset=False)
        r: Floats = array.astype(np.float64)
        if self.method != "rank":
            _warn_beyond(r)
        signed = self.layers is not None
        probability = interleaved(self._mapped(-r), self._mapped(r)) if signed else self._mapped(r)
        if self.threshold is not None:
            probability[probability < self.threshold] = 0.0
        if self.density is not None:
            strength = interleaved(-r, r) if signed else np.abs(r) if self.method == "absolute" else r
            n_kept = max(1, round(self.density * r.shape[1]))
            probability[~strongest(strength, n_kept)] = 0.0
        return with_edge_names(X, probability.astype(array.dtype, copy=False), self.layers)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns as in the input; those of signed layers with their sign: ``x0 [negative]``, ...

        Parameters
        ----------
        input_features : array-like of str, default None
            Names of the columns of X; None: those seen in fit, or ``x0``, ``x1``, ...

        Returns
        -------
        ndarray of str, shape (n_edges,), or (2 * n_edges,) with signed layers
        """
        names = super().get_feature_names_out(input_features)
        if self.layers is None:
            return np.asarray(names, dtype=object)
        return np.array(signed_names(names), dtype=object)

    def _mapped(self, r: Floats) -> Floats:
        if self.method == "fisher":
            assert self.n_timepoints is not None  # checked before
            return exceedance_confidence(r, self.n_timepoints)
        return {"positive": positive_part, "absolute": absolute_value, "rank": rank_share}[self.method](r)

    def _check_parameters(self) -> None:
        check_word("method", self.method, METHODS)
        if self.method == "fisher":
            check_n_timepoints(self.n_timepoints)
        check_layers(self.layers)
        if self.layers is not None and self.method == "absolute":
            raise InputError(
                'method="absolute" drops the signs that layers="signed" keeps. Use method="positive": '
                "each layer then holds abs(r) where r has its sign."
            )
        check_share("threshold", self.threshold, smallest_allowed=True)
        check_share("density", self.density, smallest_allowed=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def check_n_timepoints(n_timepoints: object) -> None:
    """Refuse a number of observations from which no p-value follows."""
    if not is_whole(n_timepoints) or n_timepoints < 3:
        raise InputError(
            f'method="fisher" needs n_timepoints, a whole number of at least 3, but it is {n_timepoints!r}. '
            "Give the "
            "length of the series that the correlations come from."
        )


def check_layers(layers: object) -> None:
    """Refuse a word for layers that is not ours."""
    if not (layers is None or (isinstance(layers, str) and layers == "signed")):
        raise InputError(f'layers must be "signed" or None, but is {layers!r}.')


def check_share(name: str, value: object, smallest_allowed: bool) -> None:
    """Refuse what is not None and no number in [0, 1]; 0 itself only where it has a meaning."""
    if value is None:
        return
    if not is_real(value) or not 0 <= value <= 1 or (value == 0 and not smallest_allowed):
        lowest = "from 0" if smallest_allowed else "above 0"
        raise InputError(f"{name} must be a number {lowest} to 1, or None, but is {value!r}.")


def _warn_beyond(r: Floats) -> None:
    beyond = np.abs(r) > 1.0 + _ROUNDING
    if beyond.any():
        i, e = (int(k) for k in np.argwhere(beyond)[0])
        warnings.warn(
            f"Correlations must lie in [-1, 1], but {int(beyond.sum())} values do not, the first being "
            f"{float(r[i, e])!r} in graph {i}, edge {e}; they are treated as -1 or 1. Turn Fisher z values "
            'back with np.tanh, or use method="rank" for other kinds of connectivity.',
            OutOfRangeWarning,
            stacklevel=3,
        )
