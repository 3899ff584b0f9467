"""`TimeSeriesEdgeProbability`: from the series of regions to edge probabilities."""

from __future__ import annotations

import numbers
import os
import warnings
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from dugraph.cluster.worker_end import in_worker
from dugraph.data.arguments import check_positive_int, check_word, is_real
from dugraph.data.signed_edges import signed_names
from dugraph.data.wording import listed
from dugraph.estimators.connectivity import Floats, exceedance_confidence, interleaved
from dugraph.estimators.edge_probability import check_layers
from dugraph.estimators.fit_input import refuse_fit_parameters
from dugraph.estimators.stationary_bootstrap import correlations, exceedance_share, series_generator
from dugraph.estimators.time_series import check_series
from dugraph.exceptions import ConstantRegionWarning, InputError

METHODS = ("correlation", "fisher", "bootstrap")


class TimeSeriesEdgeProbability(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Turn one multivariate series per graph into probabilities of edges between its regions.

    An edge is assumed to exist if the correlation r of its two regions exceeds `threshold`. Every series is
    mapped separately, so nothing leaks.

    Parameters
    ----------
    method : {"correlation", "fisher", "bootstrap"}, default "correlation"
        - "correlation": r if it exceeds the threshold, otherwise 0.
        - "fisher": one minus the p-value of the one-sided test of r > 0, as in `EdgeProbability`, where r
          exceeds the threshold, otherwise 0. It treats time points as independent, so it is overconfident on
          slow signals.
        - "bootstrap": the share of resamples in which r exceeds the threshold, by the stationary bootstrap of
          Politis and Romano (1994), which keeps the dependence in time.
    threshold : float in [-1, 1], default 0.0
        What r must exceed.
    n_resamples : int, default 1000
        For "bootstrap".
    block_length : float, default None
        For "bootstrap": mean number of consecutive time points in a block, at least 1. None: the cube root of
        the number of time points.
    random_state : int, RandomState, Generator or None, default None
        For "bootstrap". With an integer, the probabilities of a series depend only on this integer and the
        series, not on `n_jobs` or the other series.
    n_jobs : int or None, default None
        Series at a time, by joblib; None means 1, -1 all processors, -2 all but one.
    layers : {"signed"}, default None
        "signed" gives two columns for each pair, as `EdgeProbability` does: a negative link, which is assumed
        to exist if -r exceeds the threshold, and a positive one.

    Attributes
    ----------
    n_regions_ : int
        Number of regions, V.

    Warns
    -----
    ConstantRegionWarning
        A region's series never changes; all its edges become 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dugraph.estimators import TimeSeriesEdgeProbability
    >>> rng = np.random.default_rng(0)
    >>> series = [rng.standard_normal((100, 3)) + rng.standard_normal((100, 1)) for _ in range(2)]
    >>> TimeSeriesEdgeProbability("bootstrap", threshold=0.4, random_state=0).fit_transform(series).shape
    (2, 3)
    """

    def __init__(
        self,
        method: str = "correlation",
        threshold: float = 0.0,
        n_resamples: int = 1000,
        block_length: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        layers: str | None = None,
    ) -> None:
        self.method = method
        self.threshold = threshold
        self.n_resamples = n_resamples
        self.block_length = block_length
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.layers = layers

    def fit(self, X: Any, y: Any = None, **fit_parameters: Any) -> Self:
        """Check the parameters and the series, and remember the number of regions.

        Parameters
        ----------
        X : sequence of array-like, each of shape (n_timepoints_i, n_regions)
            At least 3 time points and 2 regions; lengths may differ.
        y : ignored
        **fit_parameters :
            Refused: graphs cannot be weighted, so `sample_weight` is not supported.

        Returns
        -------
        self : TimeSeriesEdgeProbability
        """
        refuse_fit_parameters(fit_parameters)
        self._check_parameters()
        self.n_regions_ = check_series(X)[0].shape[1]
        return self

    def transform(self, X: Any) -> Floats:
        """Return the probabilities of all pairs of regions.

        Parameters
        ----------
        X : sequence of array-like, each of shape (n_timepoints_i, n_regions)

        Returns
        -------
        ndarray of shape (n_graphs, n_pairs), or (n_graphs, 2 * n_pairs) with signed layers
            The n_regions * (n_regions - 1) / 2 pairs in ``np.tril_indices(n_regions, -1)`` order.
        """
        check_is_fitted(self)
        self._check_parameters()
        series = check_series(X, self.n_regions_)
        seed = _seed(self.random_state) if self.method == "bootstrap" else 0
        rows = Parallel(n_jobs=self.n_jobs)(
            delayed(in_worker)(os.getpid(), self._row, one, seed) for one in series
        )
        self._warn_constant([constant for _, constant in rows])
        return np.stack([row for row, _ in rows])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the pairs of regions by their numbers: ``0--1``, ..., or ``0--1 [negative]``, ...

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str, shape (n_pairs,), or (2 * n_pairs,) with signed layers
        """
        check_is_fitted(self)
        larger, smaller = np.tril_indices(self.n_regions_, -1)
        names = [f"{u}--{v}" for u, v in zip(smaller, larger, strict=True)]
        return np.array(names if self.layers is None else signed_names(names), dtype=object)

    def _row(self, series: Floats, seed: int) -> tuple[Floats, NDArray[np.bool_]]:
        r, constant = correlations(series)
        rows, columns = np.tril_indices(series.shape[1], -1)
        known = ~(constant[rows] | constant[columns])
        if self.method == "bootstrap":
            length = self.block_length or len(series) ** (1 / 3)
            rng = series_generator(seed, series)
            negative, positive = exceedance_share(series, self.threshold, self.n_resamples, length, rng)
        else:
            negative, positive = (self._probability(s, known, len(series)) for s in (-r, r))
        return positive if self.layers is None else interleaved(negative, positive), constant

    def _probability(self, r: Floats, known: NDArray[np.bool_], n_timepoints: int) -> Floats:
        value = r if self.method == "correlation" else exceedance_confidence(r, n_timepoints)
        return np.where(known & (r > self.threshold), np.maximum(value, 0.0), 0.0)

    def _warn_constant(self, constant: list[NDArray[np.bool_]]) -> None:
        affected = [i for i, regions in enumerate(constant) if regions.any()]
        if affected:
            first = affected[0]
            warnings.warn(
                f"Regions should vary in time, but in {len(affected)} of {len(constant)} series some are "
                "constant; in "
                f"series {first}: region {listed(np.flatnonzero(constant[first]).tolist())}. Their edges "
                "became 0. "
                "Drop regions without signal, or these graphs.",
                ConstantRegionWarning,
                stacklevel=3,
            )

    def _check_parameters(self) -> None:
        check_word("method", self.method, METHODS)
        if not is_real(self.threshold) or not -1 <= self.threshold <= 1:
            raise InputError(
                f"threshold must be a correlation from -1 to 1, but is {self.threshold!r}.",
                parameter="threshold",
            )
        check_layers(self.layers)
        check_positive_int("n_resamples", self.n_resamples)
        length = self.block_length
        if length is not None and (not is_real(length) or not 1 <= length < np.inf):
            raise InputError(
                f"block_length must be a number of time points of at least 1, or None, but is {length!r}."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    raise InputError(
        "random_state must be a whole number of at least 0, a RandomState, a Generator or None; got "
        f"{random_state!r}.",
        parameter="random_state",
    )
