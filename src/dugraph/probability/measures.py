"""Measures of a score's exact distribution: expectation, quantile (median), mode, phi-probability.

Each takes the levels of a score, ascending, and their probabilities along the last axis; leading axes are a
batch. The expected HSIC of any phenotype has a closed form instead: with linear kernels HSIC is a square of a
weighted count, F = scale sum_k (sum_i w_ki I_i)^2, where I_i is the presence of a subgraph in graph i.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import real_number
from dugraph.data.columns import RANK_TOLERANCE, covariate_basis
from dugraph.data.graphs import edges_and_probability
from dugraph.data.labels import GROUPS, check_labels
from dugraph.data.subgraphs import SubgraphLike, check_subgraph
from dugraph.exceptions import InputError, Spoken
from dugraph.probability.containment import containment_probability, support_distribution
from dugraph.probability.scores import Score, ScoreTable, default_phi, score_table
from dugraph.words import MEASURES

Floats = NDArray[np.float64]

# Where a measure jumps, probabilities and scores this close count as equal (rules 3 and 8).
JUMP_TOLERANCE = 1e-12
# Histogram of the HTML view.
_BARS, _WIDTH, _HEIGHT = 40, 320, 60
# Squares of weights beyond these limits leave the range of double precision.
_SMALLEST, _LARGEST = 1e-100, 1e100


def expectation(levels: Floats, probabilities: Floats) -> Floats:
    """The paper's Mean-Score: the sum of score times probability."""
    return np.asarray(probabilities @ levels)


def quantile(levels: Floats, probabilities: Floats, quantile: float = 0.5) -> Floats:
    """The smallest score s with Pr[F <= s] >= quantile; at 1/2 the paper's Median-Score (rule 2)."""
    reached = np.cumsum(probabilities, axis=-1) >= quantile - JUMP_TOLERANCE
    reached[..., -1] = True
    return np.asarray(levels[np.argmax(reached, axis=-1)])


def mode(levels: Floats, probabilities: Floats) -> Floats:
    """The paper's Mode-Score: the most likely score, the higher one of a tie (rule 3)."""
    ties = probabilities >= probabilities.max(axis=-1, keepdims=True) - JUMP_TOLERANCE
    return np.asarray(levels[levels.size - 1 - np.argmax(ties[..., ::-1], axis=-1)])


def phi_probability(levels: Floats, probabilities: Floats, phi: float) -> Floats:
    """The paper's phi-probability Pr[F >= phi].

    Above one half it is computed from the complement, so that it is exactly 1 within rounding.
    """
    phi = real_number(phi, "phi")
    discriminative = levels >= phi - JUMP_TOLERANCE * max(1.0, abs(phi))
    tail = probabilities[..., discriminative].sum(axis=-1)
    rest = probabilities[..., ~discriminative].sum(axis=-1)
    return np.asarray(np.where(tail > 0.5, 1.0 - rest, tail))


@dataclass(frozen=True)
class Measure:
    """A measure chosen by name, with its parameter."""

    name: str
    quantile: float = 0.5
    phi: float = 0.0

    def __call__(self, levels: Floats, probabilities: Floats) -> Floats:
        """The measure of each distribution in a batch."""
        return _MEASURES[self.name](self, levels, probabilities)


_MEASURES: dict[str, Callable[[Measure, Floats, Floats], Floats]] = {
    "expectation": lambda m, levels, pr: expectation(levels, pr),
    "median": lambda m, levels, pr: quantile(levels, pr, 0.5),
    "quantile": lambda m, levels, pr: quantile(levels, pr, m.quantile),
    "mode": lambda m, levels, pr: mode(levels, pr),
    "phi_probability": lambda m, levels, pr: phi_probability(levels, pr, m.phi),
}


def check_measure(measure: str, more: tuple[str, ...] = ()) -> str:
    """Return the name; raise InputError unless it is a measure or one of `more`."""
    if not isinstance(measure, str) or measure not in (*MEASURES, *more):
        raise InputError(
            f"measure must be one of {', '.join((*MEASURES, *more))}, but is {measure!r}.",
            parameter="measure",
        )
    return measure


def check_quantile(quantile: float) -> float:
    """Return the quantile; raise InputError unless it lies strictly between 0 and 1.

    It must differ from both by more than the tolerance at jumps: closer to 0, a score of probability 0 could
    be taken for the quantile.
    """
    if not isinstance(quantile, numbers.Real) or not JUMP_TOLERANCE < quantile < 1 - JUMP_TOLERANCE:
        raise InputError(
            f"quantile must lie strictly between 0 and 1, but is {quantile!r}. The median is 0.5.",
            parameter="quantile",
        )
    return float(quantile)


@dataclass(frozen=True)
class ScoreDistribution:
    """Distribution of a score over all possible worlds.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        The scores that can occur, ascending.
    probabilities : ndarray of shape (n_values,)
        Their probabilities, all positive.

    Examples
    --------
    The paper's warning: one score of 0.01 and, once in ten thousand worlds, an infinite one, capped at 1000.

    >>> distribution = ScoreDistribution(np.array([0.01, 1000.0]), np.array([0.9999, 0.0001]))
    >>> round(distribution.expectation(), 6), distribution.median(), distribution.mode()
    (0.109999, 0.01, 0.01)
    >>> distribution.phi_probability(1.0)
    0.0001
    """

    values: Floats
    probabilities: Floats

    def expectation(self) -> float:
        """Mean score."""
        return self._measure("expectation")

    def standard_deviation(self) -> float:
        """Root of the mean squared distance from the mean score."""
        return float(np.sqrt(self.probabilities @ (self.values - self.expectation()) ** 2))

    def quantile(self, quantile: float) -> float:
        """The smallest score s with Pr[F <= s] >= quantile."""
        return self._measure("quantile", quantile=check_quantile(quantile))

    def median(self) -> float:
        """The quantile at 1/2."""
        return self._measure("median")

    def mode(self) -> float:
        """The most likely score, the higher one of a tie."""
        return self._measure("mode")

    def phi_probability(self, phi: float) -> float:
        """Pr[F >= phi]."""
        return self._measure("phi_probability", phi=phi)

    def _measure(self, name: str, **parameter: float) -> float:
        return float(Measure(name, **parameter)(self.values, self.probabilities))

    def _repr_html_(self) -> str:
        return _distribution_html(self)


def level_probabilities(n_pos_g: Floats, n_neg_g: Floats, table: ScoreTable) -> Floats:
    """Probability of each score level from the two support distributions of a batch (the paper's Eq. 3.2)."""
    joint = (n_pos_g[..., :, None] * n_neg_g[..., None, :]).reshape(-1, table.level_of.size)
    n_levels = table.levels.size
    bins = np.arange(joint.shape[0])[:, None] * n_levels + table.level_of.ravel()
    summed = np.bincount(bins.ravel(), weights=joint.ravel(), minlength=joint.shape[0] * n_levels)
    return np.asarray(summed, dtype=np.float64).reshape(*n_pos_g.shape[:-1], n_levels)


def score_distribution(
    X: ArrayLike,
    y: ArrayLike,
    subgraph: SubgraphLike,
    score: Score = "hsic",
    *,
    score_cap: float | None = None,
    pos_label: object = None,
) -> ScoreDistribution:
    """The distribution of a subgraph's score by its definition, as `dugraph.score_distribution`."""
    probability, space = edges_and_probability(X)
    x = containment_probability(probability, check_subgraph(subgraph, space))
    positive, _ = check_labels(y, len(x), pos_label)
    table = score_table(score, int(positive.sum()), int((~positive).sum()), score_cap)
    probabilities = level_probabilities(
        support_distribution(x[positive]), support_distribution(x[~positive]), table
    )
    possible = probabilities > 0
    return ScoreDistribution(table.levels[possible], probabilities[possible])


def choose_measure(measure: str, score: Score, phi: float | None, quantile: float) -> Measure:
    """Return the measure of this name, with a valid parameter or the default of the score."""
    return Measure(
        check_measure(measure),
        quantile=check_quantile(quantile),
        phi=default_phi(score, phi) if measure == "phi_probability" else 0.0,
    )


def measure_subgraph(
    X: ArrayLike,
    y: ArrayLike,
    subgraph: SubgraphLike,
    *,
    score: Score = "hsic",
    measure: str = "expectation",
    phi: float | None = None,
    quantile: float = 0.5,
    score_cap: float | None = None,
    pos_label: object = None,
) -> float:
    """One number for a subgraph: a measure of its score's distribution.

    Parameters
    ----------
    X, y, subgraph, score, score_cap, pos_label
        As for `dugraph.score_distribution`.
    measure : {"expectation", "median", "quantile", "mode", "phi_probability"}, default "expectation"
        The number to compute.
    phi : float, optional
        For "phi_probability": the smallest score that counts as discriminative. Default: that of the score;
        a callable has no default.
    quantile : float, default 0.5
        For "quantile": strictly between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> measure_subgraph([[0.8], [0.5], [0.1]], [1, 1, 0], (0,), score="confidence", measure="median")
    1.0
    """
    chosen = choose_measure(measure, score, phi, quantile)
    distribution = score_distribution(X, y, subgraph, score, score_cap=score_cap, pos_label=pos_label)
    return float(chosen(distribution.values, distribution.probabilities))


def _distribution_html(distribution: ScoreDistribution) -> str:
    """A table of measures above a histogram."""
    low, high = float(distribution.values[0]), float(distribution.values[-1])
    rows = [
        ("possible scores", f"{len(distribution.values)}, from {low:.4g} to {high:.4g}"),
        ("expectation", f"{distribution.expectation():.6g}"),
        ("median", f"{distribution.median():.6g}"),
        ("mode", f"{distribution.mode():.6g}"),
        (
            "90 % of the probability",
            f"{distribution.quantile(0.05):.4g} to {distribution.quantile(0.95):.4g}",
        ),
    ]
    body = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows
    )
    caption = f"<caption>{type(distribution).__name__}</caption>"
    return f"<div><table>{caption}<tbody>{body}</tbody></table>{_bars(distribution)}</div>"


def _bars(distribution: ScoreDistribution) -> str:
    """SVG histogram from the 0.05 % to the 99.95 % quantile, in the colour of the surrounding text."""
    ends = distribution.quantile(0.0005), distribution.quantile(0.9995)
    if ends[0] == ends[1]:
        return ""
    heights = np.histogram(distribution.values, _BARS, ends, weights=distribution.probabilities)[0]
    width = _WIDTH / _BARS
    bars = "".join(
        f"M{i * width:g} {_HEIGHT}v{-_HEIGHT * height:.1f}h{width - 1:g}V{_HEIGHT}Z"
        for i, height in enumerate(heights / heights.max())
    )
    title = f"histogram of the scores from {ends[0]:.4g} to {ends[1]:.4g}"
    return (
        f"<svg role='img' width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}'>"
        f"<title>{escape(title)}</title><path d='{bars}' fill='currentColor' fill-opacity='0.5'/></svg>"
    )


class PhenotypeWeights(NamedTuple):
    """Weights of shape (n_contrasts, n_graphs), and the scale with which two classes give the paper's HSIC.

    There is one contrast for two classes or a phenotype, and one per group for several groups.
    """

    weights: Floats
    scale: float

    def expected_hsic(self, containment: Floats) -> Floats:
        """E F from containment probabilities of shape (..., n_graphs)."""
        means = containment @ self.weights.T
        variances = (containment * (1 - containment)) @ (self.weights**2).sum(axis=0)
        return np.asarray(self.scale * ((means**2).sum(axis=-1) + variances))


def phenotype_weights(
    cohort: LabelledGraphs, covariates: Floats, graphs: NDArray[np.intp] | None = None
) -> PhenotypeWeights:
    """Centre labels of any kind and regress out covariates, with an intercept.

    `graphs` is the order in which graphs are returned and summed, so that the result does not depend on the
    given order, to the bit. Default: as given.
    """
    labels = cohort.contrasts if graphs is None else cohort.contrasts[graphs]
    covariates = covariates if graphs is None else covariates[graphs]
    # Centre twice: the rounding error of a mean far from 0 would leave weights that do not sum to 0.
    centred = labels - labels.mean(axis=0)
    centred = centred - centred.mean(axis=0)
    size = float(np.abs(centred).max())
    if not _SMALLEST < size < _LARGEST:
        raise InputError(
            f"y must vary by more than {_SMALLEST:g} and less than {_LARGEST:g}, but it differs from its "
            f"mean by at most {size:g}. Measure it in other units.",
            parameter="y",
        )
    basis = covariate_basis(covariates, np.zeros(len(labels), dtype=np.int64))
    left = centred - basis @ (basis.T @ centred) if basis.shape[1] else centred
    if np.abs(left).max() <= RANK_TOLERANCE * size:
        raise InputError(
            (
                *(Spoken("y", "The labels"), " must not be a linear combination of covariates: there is no "),
                "residual to rank subgraphs by.",
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", Spoken("y", "the labels"), "."),
        )
    share = 0.5 if cohort.kind == GROUPS else 1.0
    return PhenotypeWeights(np.ascontiguousarray(left.T), share / (len(labels) - 1) ** 2)
