"""Estimators of edge probabilities: from connectivity (`EdgeProbability`) or time series of regions."""

from __future__ import annotations

import hashlib
import os
import warnings
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from dugraph.cluster.worker_end import in_worker
from dugraph.data.arguments import (
    abbreviate,
    check_positive_int,
    check_word,
    is_one_of,
    is_real,
    is_whole,
    listed,
    real_array,
    resolve_seed,
)
from dugraph.data.columns import check_names
from dugraph.data.edges import signed_names
from dugraph.estimators.input import finite_data, in_order_of_fit, refuse_fit_parameters, warn_of_lost_names
from dugraph.exceptions import ConstantRegionWarning, InputError, OutOfRangeWarning, TransposedSeriesWarning

Floats = NDArray[np.float64]
_EDGE_METHODS = ("positive", "absolute", "fisher", "rank")
_SERIES_METHODS = ("correlation", "fisher", "bootstrap")
# Correlations computed in floating point may exceed 1 by this much.
_ROUNDING = 1e-6
# A series is constant if its standard deviation is below this share of its magnitude.
_SPREAD = 1e-12
_FEWEST_TIMEPOINTS = 3


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
          k; equal values share their mean rank; values that are not positive become 0. Any real values are
          accepted.
    n_timepoints : int, default None
        For "fisher"; at least 3.
    threshold : float in [0, 1], default None
        Probabilities below it become 0.
    density : float in (0, 1], default None
        Keep the ``round(density * n_edges)`` strongest edges of each graph, at least one, by r (by abs(r) for
        "absolute"); ties with the last of them are retained too. The others become 0. With signed
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
            Not supported: graphs cannot be weighted, so `sample_weight` is refused.

        Returns
        -------
        self : EdgeProbability
        """
        refuse_fit_parameters(fit_parameters)
        self._check_parameters()
        finite_data(self, X)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Map connectivity to probabilities.

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges)
            Real-valued connectivity.

        Returns
        -------
        ndarray of shape (n_graphs, n_edges), or (n_graphs, 2 * n_edges) with signed layers
            Probabilities in [0, 1]. To keep the names of edges, ``A--B``, for the next step of a pipeline,
            call ``set_output(transform="pandas")``; without it, names that are not in the order of an array
            are lost with an `AssumedEdgesWarning`.
        """
        self._check_parameters()
        X = in_order_of_fit(self, X)
        array = finite_data(self, X, reset=False)
        probability = map_connectivity(self, array.astype(np.float64))
        warn_of_lost_names(self, X)
        return probability.astype(array.dtype, copy=False)

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
            return _fisher_confidence(r, self.n_timepoints or 0)  # checked in _check_parameters
        if self.method == "rank":
            return _rank_share(r)
        if self.method == "absolute":
            return np.minimum(np.abs(r), 1.0)
        return np.clip(r, 0.0, 1.0) + 0.0

    def _check_parameters(self) -> None:
        check_word("method", self.method, _EDGE_METHODS)
        if self.method == "fisher":
            check_n_timepoints(self.n_timepoints)
        _check_layers(self.layers)
        if self.layers is not None and self.method == "absolute":
            raise InputError(
                'method="absolute" drops the signs that layers="signed" needs. Use method="positive": '
                "each layer then has abs(r) where r has its sign."
            )
        for name, value, range_ in (
            ("threshold", self.threshold, "from 0 to 1"),
            ("density", self.density, "above 0 to 1"),
        ):
            if value is None or (is_real(value) and 0 <= value <= 1 and (value or name == "threshold")):
                continue
            raise InputError(f"{name} must be a number {range_}, or None, but is {value!r}.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def map_connectivity(step: EdgeProbability, r: Floats) -> Floats:
    """Map finite connectivity of shape (n_graphs, n_edges) as `EdgeProbability.transform` does."""
    step._check_parameters()
    if step.method != "rank":
        _warn_beyond(r)
    signed = step.layers is not None
    probability = _interleaved(step._mapped(-r), step._mapped(r)) if signed else step._mapped(r)
    if step.threshold is not None:
        probability[probability < step.threshold] = 0.0
    if step.density is not None:
        strength = _interleaved(-r, r) if signed else np.abs(r) if step.method == "absolute" else r
        n_kept = max(1, round(step.density * r.shape[1]))
        smallest = np.partition(strength, -n_kept, axis=1)[:, [-n_kept]]
        probability[strength < smallest] = 0.0
    return probability


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
    region_names_ : tuple of str, length n_regions
        The columns of the series, if these are data frames, otherwise "0", "1", ...

    Warns
    -----
    TransposedSeriesWarning
        All series are arrays with fewer rows than columns, so they may be regions x time.
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
        """Check the parameters and the series, and store the number of regions.

        Parameters
        ----------
        X : sequence of array-like, each of shape (n_timepoints_i, n_regions)
            At least 3 time points and 2 regions; lengths may differ. Columns of data frames name the regions,
            which must be the same, in the same order, in all of them.
        y : ignored
        **fit_parameters :
            Not supported: graphs cannot be weighted, so `sample_weight` is refused.

        Returns
        -------
        self : TimeSeriesEdgeProbability
        """
        refuse_fit_parameters(fit_parameters)
        self._check_parameters()
        series, names = _check_series(X)
        self.n_regions_ = series[0].shape[1]
        self.region_names_ = tuple(map(str, range(self.n_regions_))) if names is None else names
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
        series, names = _check_series(X, self.n_regions_)
        unnamed = tuple(map(str, range(self.n_regions_)))  # in fit
        if names is not None and self.region_names_ not in (names, unnamed):
            raise _other_regions("the series", names, "fit", self.region_names_)
        seed = _seed(self.random_state) if self.method == "bootstrap" else 0
        rows = Parallel(n_jobs=self.n_jobs)(
            delayed(in_worker)(os.getpid(), self._row, one, seed) for one in series
        )
        affected = [(i, np.flatnonzero(constant)) for i, (_, constant) in enumerate(rows) if constant.any()]
        if affected:
            first, regions = affected[0]
            warnings.warn(
                f"Regions should vary over time, but in {len(affected)} of {len(rows)} series some are "
                f"constant; in series {first}: region {listed(regions.tolist())}. Their edges were set to 0. "
                "Drop regions without signal, or these graphs.",
                ConstantRegionWarning,
                stacklevel=2,
            )
        return np.stack([row for row, _ in rows])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the pairs of regions: ``A--B``, ..., or ``A--B [negative]``, ...

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str, shape (n_pairs,), or (2 * n_pairs,) with signed layers
        """
        check_is_fitted(self)
        larger, smaller = np.tril_indices(self.n_regions_, -1)
        labels = self.region_names_
        names = [f"{labels[u]}--{labels[v]}" for u, v in zip(smaller, larger, strict=True)]
        return np.array(names if self.layers is None else signed_names(names), dtype=object)

    def _row(self, series: Floats, seed: int) -> tuple[Floats, NDArray[np.bool_]]:
        r, constant = correlations(series)
        rows, columns = np.tril_indices(series.shape[1], -1)
        known = ~(constant[rows] | constant[columns])
        if self.method == "bootstrap":
            length = self.block_length or len(series) ** (1 / 3)
            rng = _series_generator(seed, series)
            negative, positive = _exceedance_share(series, self.threshold, self.n_resamples, length, rng)
        else:
            negative, positive = (self._probability(s, known, len(series)) for s in (-r, r))
        return positive if self.layers is None else _interleaved(negative, positive), constant

    def _probability(self, r: Floats, known: NDArray[np.bool_], n_timepoints: int) -> Floats:
        value = r if self.method == "correlation" else _fisher_confidence(r, n_timepoints)
        return np.where(known & (r > self.threshold), np.maximum(value, 0.0), 0.0)

    def _check_parameters(self) -> None:
        check_word("method", self.method, _SERIES_METHODS)
        if not is_real(self.threshold) or not -1 <= self.threshold <= 1:
            raise InputError(
                f"threshold must be a correlation from -1 to 1, but is {self.threshold!r}.",
                parameter="threshold",
            )
        _check_layers(self.layers)
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


def _fisher_confidence(r: Floats, n_timepoints: int) -> Floats:
    """One minus the one-sided p-value of r > 0, by the t distribution with n_timepoints - 2 degrees.

    This is the exact null distribution of r for independent normal observations, not the approximation by
    atanh.
    """
    r = np.clip(r, -1.0, 1.0)
    degrees = n_timepoints - 2
    with np.errstate(divide="ignore"):
        # A perfect correlation gives an infinite t, whose probability is 0 or 1.
        t = r * np.sqrt(degrees / ((1.0 - r) * (1.0 + r)))
    return np.asarray(stdtr(degrees, t))


def _rank_share(r: Floats) -> Floats:
    """Rank among the positive entries of a row, divided by their number; ties share their mean rank."""
    shares = np.zeros_like(r)
    for row, share in zip(r, shares, strict=True):
        present = row > 0
        if present.any():
            share[present] = rankdata(row[present], method="average") / present.sum()
    return shares


def _interleaved(negative: Floats, positive: Floats) -> Floats:
    """Interleave the columns of both signs, negative first, as `signed_edges` orders them."""
    return np.stack([negative, positive], axis=-1).reshape(*negative.shape[:-1], -1)


def _series_generator(seed: int, series: Floats) -> np.random.Generator:
    """Generator for one series, seeded by its content: independent of its position in the list."""
    digest = hashlib.sha256(np.ascontiguousarray(series).tobytes()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def stationary_indices(n_timepoints: int, block_length: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Time points of one resample: blocks with random starts and geometric lengths, on a circle.

    `block_length` is the mean length of a block; 1 is the ordinary bootstrap.
    """
    begins = rng.random(n_timepoints) < 1.0 / block_length
    begins[0] = True
    starts = rng.integers(0, n_timepoints, size=n_timepoints)
    # Each time point continues the latest block that began at or before it.
    begin = np.maximum.accumulate(np.where(begins, np.arange(n_timepoints), 0))
    return np.asarray((starts[begin] + np.arange(n_timepoints) - begin) % n_timepoints)


def correlations(series: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pearson correlations in ``np.tril_indices(n_regions, -1)`` order, and which regions are constant.

    The correlation with a constant region is 0.
    """
    centred = series - series.mean(axis=0)
    norm = np.linalg.norm(centred, axis=0)
    constant = norm <= _SPREAD * np.linalg.norm(series, axis=0)
    centred = np.divide(centred, norm, out=np.zeros_like(centred), where=~constant)
    rows, columns = np.tril_indices(series.shape[1], -1)
    return np.clip((centred.T @ centred)[rows, columns], -1.0, 1.0), constant


def _exceedance_share(
    series: Floats, threshold: float, n_resamples: int, block_length: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Shares of resamples in which -r and r exceed the threshold; those with a constant region do not.

    O(n_resamples n_timepoints n_regions^2).
    """
    n_timepoints, n_regions = series.shape
    exceeding = np.zeros((2, n_regions * (n_regions - 1) // 2), dtype=np.int64)
    rows, columns = np.tril_indices(n_regions, -1)
    for _ in range(n_resamples):
        r, constant = correlations(series[stationary_indices(n_timepoints, block_length, rng)])
        known = ~(constant[rows] | constant[columns])
        exceeding += np.stack([-r > threshold, r > threshold]) & known
    negative, positive = exceeding / n_resamples
    return negative, positive


def check_n_timepoints(n_timepoints: object) -> None:
    """Raise InputError unless it is a number of observations from which a p-value can be computed."""
    if not is_whole(n_timepoints) or n_timepoints < 3:
        raise InputError(
            f'method="fisher" needs n_timepoints, a whole number of at least 3, but it is {n_timepoints!r}. '
            "Give the length of the series that the correlations come from."
        )


def _check_layers(layers: object) -> None:
    """Raise InputError unless it is "signed" or None."""
    if layers is not None and not is_one_of(layers, ("signed",)):
        raise InputError(f'layers must be "signed" or None, but is {layers!r}.')


def _check_series(X: Any, n_regions: int | None = None) -> tuple[list[Floats], tuple[str, ...] | None]:
    """Return every series as an array, and the names of regions, if any.

    The number of regions is by default that of the first series; the first invalid series raises InputError.
    """
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__") or not hasattr(X, "__len__"):
        raise InputError(
            "X must be a list of series of shape (n_timepoints, n_regions), but is of type "
            f"{type(X).__name__}."
        )
    if len(X) == 0:
        raise InputError("X must contain at least one series, but is empty.")
    series = [real_array(one, f"X[{i}]", 2, "(n_timepoints, n_regions)") for i, one in enumerate(X)]
    names = _region_names(X)
    expected, source = (series[0].shape[1], "X[0]") if n_regions is None else (n_regions, "fit")
    for i, one in enumerate(series):
        n_timepoints, n_here = one.shape
        if n_timepoints < _FEWEST_TIMEPOINTS or n_here < 2:
            raise InputError(
                f"A series needs at least {_FEWEST_TIMEPOINTS} time points and 2 regions: X[{i}] has shape "
                f"{one.shape}. Rows are time points, columns are regions."
            )
        if n_here != expected:
            raise InputError(
                f"All series must have the same regions: X[{i}] has {n_here}, {source} had {expected}. "
                "Extract them with one atlas. Rows are time points, columns are regions."
            )
        if not np.isfinite(one).all():
            t, v = (int(k) for k in np.argwhere(~np.isfinite(one))[0])
            raise InputError(
                f"Series must be finite: X[{i}] is {float(one[t, v])!r} at time {t}, region {v}. Fill it in, "
                "or drop the region from all series."
            )
    if names is None and all(len(one) < one.shape[1] for one in series) and n_regions is None:
        warnings.warn(
            "Rows of a series should be time points and columns regions, but all series have fewer rows than "
            f"columns, such as {series[0].shape[0]} x {series[0].shape[1]}: they are read as "
            f"{series[0].shape[0]} time points of {series[0].shape[1]} regions. Transpose them if rows are "
            "regions.",
            TransposedSeriesWarning,
            stacklevel=3,
        )
    return series, names


def _region_names(X: Any) -> tuple[str, ...] | None:
    """Names of the regions in the columns of data frames; None if no series has any."""
    names, source = None, ""
    for i, one in enumerate(X):
        columns = getattr(one, "columns", None)
        if columns is None or callable(columns) or list(columns) == list(range(len(columns))):
            continue  # an array, or a data frame without names
        here = check_names(list(map(str, columns)), f"The columns of X[{i}]", noun="region")
        if names is None:
            names, source = here, f"X[{i}]"
        elif here != names:
            raise _other_regions(f"X[{i}]", here, source, names)
    return names


def _other_regions(one: str, names: Any, other: str, expected: tuple[str, ...]) -> InputError:
    k = next((k for k, pair in enumerate(zip(names, expected, strict=False)) if pair[0] != pair[1]), 0)
    return InputError(
        f"All series must have the same regions in the same order, but column {k} is "
        f"{abbreviate(names[k])!r} in {one} and {abbreviate(expected[k])!r} in {other}. Select the columns "
        "of one of them in all."
    )


def _warn_beyond(r: Floats) -> None:
    beyond = np.abs(r) > 1.0 + _ROUNDING
    if beyond.any():
        i, e = (int(k) for k in np.argwhere(beyond)[0])
        warnings.warn(
            f"Correlations must lie in [-1, 1], but {int(beyond.sum())} values do not, the first being "
            f"{float(r[i, e])!r} in graph {i}, edge {e}; they are treated as -1 or 1. Turn Fisher z values "
            'back with np.tanh, or use method="rank" for other kinds of connectivity.',
            OutOfRangeWarning,
            stacklevel=4,
        )


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return resolve_seed(random_state, below=None)
