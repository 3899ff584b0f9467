"""Losses of sparse linear models with their duals, and the targets they are fitted to.

A loss is the mean over graphs of v_i l(f_i): the weight v_i > 0 of the graph times a convex function l of the
decision value f_i and a target, a sign s_i of 1 or -1 for classes or a number y_i. The weights have a mean of
1. The slopes u_i = -v_i l'(f_i) are the gradient that a new feature sees: without an L2 penalty a fit is
optimal if abs(sum_i u_i x_i) / n is at most the penalty for every feature x.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_word, counted, real_array
from dugraph.data.labels import check_finite
from dugraph.exceptions import InputError
from dugraph.words import LOSSES

Floats = NDArray[np.float64]


class Loss(Protocol):
    """A convex, smooth function of decision values, averaged over graphs."""

    weight: Floats
    """Weights of the graphs, above 0."""
    scale: float
    """Typical size of a slope: gains far below it are rounding errors."""
    nothing: float
    """A null loss up to this is a rounding error: nothing is left to explain."""

    def __init__(self, target: Floats, weight: Floats) -> None:
        """Store the target, 1 or -1 for classes or the numbers to predict, and the weights of the graphs."""

    def value(self, decision: Floats) -> float:
        """Mean loss."""

    def slope(self, decision: Floats) -> Floats:
        """Negative derivative of the loss of each graph, times its weight."""

    def curvature(self, decision: Floats) -> Floats:
        """Second derivative of the loss of each graph, times its weight."""

    def dual(self, slope: Floats) -> float:
        """Dual objective: a lower bound of the optimum for feasible slopes, minus infinity for others."""

    def balanced(self, slope: Floats) -> Floats:
        """Nearby slopes in the domain of the dual that sum to 0, as an unpenalised intercept requires."""

    def nearest(self, slope: Floats) -> Floats:
        """Project slopes onto the domain of the dual."""

    def room(self, slope: Floats) -> Floats:
        """Distance that each slope can move: the slope plus c * room is in the domain for abs(c) <= 1."""


class _MarginLoss:
    """A decreasing function of the margin m_i = s_i f_i; t_i = s_i u_i / v_i is its slope without weights."""

    scale = 1.0
    nothing = 1e-5

    def __init__(self, target: Floats, weight: Floats) -> None:
        self._sign, self.weight = target, weight
        self._signed = target * weight

    def balanced(self, slope: Floats) -> Floats:
        # Scale down the class with the larger sum until both sums are equal.
        steep, positive = self._sign * slope, self._sign > 0
        sums = steep[positive].sum(), steep[~positive].sum()
        least = min(sums)
        shrink = np.where(positive, *(least / s if s > 0 else 0.0 for s in sums))
        return np.asarray(slope * shrink)


class Logistic(_MarginLoss):
    """log(1 + exp(-m))."""

    def value(self, decision: Floats) -> float:
        return float((self.weight * np.logaddexp(0.0, -self._sign * decision)).mean())

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self._signed * expit(-self._sign * decision))

    def curvature(self, decision: Floats) -> Floats:
        return np.asarray(self.weight * expit(decision) * expit(-decision))

    def dual(self, slope: Floats) -> float:
        t = slope / self._signed
        return float((self.weight * (entr(t) + entr(1.0 - t))).mean())  # minus infinity outside [0, 1]

    def nearest(self, slope: Floats) -> Floats:
        return np.asarray(self._signed * np.clip(slope / self._signed, 0.0, 1.0))

    def room(self, slope: Floats) -> Floats:
        t = slope / self._signed
        return np.asarray(self.weight * t * (1.0 - t))


class SquaredHinge(_MarginLoss):
    """max(0, 1 - m)^2."""

    def value(self, decision: Floats) -> float:
        return float((self.weight * np.maximum(0.0, 1.0 - self._sign * decision) ** 2).mean())

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self._signed * 2.0 * np.maximum(0.0, 1.0 - self._sign * decision))

    def curvature(self, decision: Floats) -> Floats:
        return np.where(self._sign * decision < 1.0, 2.0 * self.weight, 0.0)

    def dual(self, slope: Floats) -> float:
        t = slope / self._signed
        return float((self.weight * (t - t**2 / 4.0)).mean()) if (t >= 0.0).all() else -math.inf

    def nearest(self, slope: Floats) -> Floats:
        return np.asarray(self._sign * np.maximum(self._sign * slope, 0.0))

    def room(self, slope: Floats) -> Floats:
        return np.asarray(self._sign * slope)


class Squared:
    """(y - f)^2 / 2."""

    def __init__(self, target: Floats, weight: Floats) -> None:
        self._y, self.weight = target, weight
        self.scale = float(np.std(target))
        self.nothing = 1e-24 * float(np.mean(target**2))

    def value(self, decision: Floats) -> float:
        return float((self.weight * (self._y - decision) ** 2).mean()) / 2.0

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self.weight * (self._y - decision))

    def curvature(self, decision: Floats) -> Floats:
        return self.weight

    def dual(self, slope: Floats) -> float:
        return float((slope * self._y - slope**2 / (2.0 * self.weight)).mean())

    def balanced(self, slope: Floats) -> Floats:
        return np.asarray(slope - self.weight * slope.mean())

    def nearest(self, slope: Floats) -> Floats:
        return slope

    def room(self, slope: Floats) -> Floats:
        return self.weight


_LOSSES: dict[str, type[Loss]] = {"logistic": Logistic, "squared_hinge": SquaredHinge}


def check_loss(name: object) -> type[Loss]:
    """Return the classification loss of this name."""
    return _LOSSES[check_word("loss", name, LOSSES)]


def signs(positive: NDArray[np.bool_]) -> Floats:
    """Target of a classification loss: 1 for graphs of the positive class, -1 for the others."""
    return np.where(positive, 1.0, -1.0)


def check_numbers(
    y: NDArray[Any], graphs: UncertainGraphs, for_groups: str = "SparseSubgraphClassifier"
) -> Floats:
    """Return a phenotype as floats; raise InputError unless it consists of finite numbers."""
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"A phenotype must be numbers, but y has dtype {y.dtype}. For names of groups use {for_groups}.",
            parameter="y",
        )
    numbers = y.astype(np.float64)
    check_finite(numbers, graphs.graph_ids)
    return numbers


def check_weights(sample_weight: Any, n_graphs: int) -> Floats:
    """Return weights of the graphs, 1 by default; refuse negative ones, and those that are all 0."""
    if sample_weight is None:
        return np.ones(n_graphs)
    weights = real_array(sample_weight, "sample_weight", 1, "(n_graphs,)")
    if weights.shape != (n_graphs,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(
            f"sample_weight must be a finite number of at least 0 for each of {counted(n_graphs, 'graph')}; "
            f"got the shape {weights.shape}, the smallest {weights.min(initial=0):g}. Use 0 for a graph that "
            "must not count.",
            parameter="sample_weight",
        )
    if not weights.any():
        raise InputError(
            "A sample_weight must be above 0, but all weights are zero.", parameter="sample_weight"
        )
    return weights
