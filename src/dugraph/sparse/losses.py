"""Losses of linear models, with their duals: what a fit minimises and what proves it optimal.

A loss is a mean over graphs of a function of the decision value f_i, and knows what f_i should be: a class
s_i of 1 or -1, or a number y_i. The weights w_i = -loss'(f_i) / n are the slopes that a further feature sees:
a fit is optimal when no feature x has abs(sum_i w_i x_i) above the penalty.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from dugraph.data.arguments import check_word
from dugraph.words import LOSSES

Floats = NDArray[np.float64]


class Loss(Protocol):
    """A convex, smooth function of decision values, averaged over graphs."""

    scale: float
    """The size that slopes have: gains far below it are rounding."""
    nothing: float
    """A loss up to this is rounding: nothing is left to explain."""

    def __init__(self, target: Floats) -> None:
        """What decision values should be: 1 or -1, or the numbers to be forecast."""

    def value(self, decision: Floats) -> float:
        """The mean loss."""

    def slope(self, decision: Floats) -> Floats:
        """Minus the derivative of each graph's loss: the weight of a graph, times n."""

    def curvature(self, decision: Floats) -> Floats:
        """The second derivative of each graph's loss."""

    def dual(self, slope: Floats) -> float:
        """The dual objective: of feasible slopes no more than the optimum; minus infinity of others."""

    def balanced(self, slope: Floats) -> Floats:
        """Slopes near these that sum to 0, as a free intercept wants them, and for which there is a dual."""

    def nearest(self, slope: Floats) -> Floats:
        """The nearest slopes that have a dual."""

    def room(self, slope: Floats) -> Floats:
        """How far each slope can move: this times any number from -1 to 1 leaves it a dual."""


class _MarginLoss:
    """A loss that depends on the margin m_i = s_i f_i alone and falls with it."""

    scale = 1.0
    nothing = 1e-5

    def __init__(self, target: Floats) -> None:
        self._sign = target

    def balanced(self, slope: Floats) -> Floats:
        # The class that pulls harder is taken back until both pull the same.
        steep, positive = self._sign * slope, self._sign > 0
        sums = steep[positive].sum(), steep[~positive].sum()
        least = min(sums)
        shrink = np.where(positive, *(least / s if s > 0 else 0.0 for s in sums))
        return np.asarray(slope * shrink)


class Logistic(_MarginLoss):
    """log(1 + exp(-m))."""

    def value(self, decision: Floats) -> float:
        return float(np.logaddexp(0.0, -self._sign * decision).mean())

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self._sign * expit(-self._sign * decision))

    def curvature(self, decision: Floats) -> Floats:
        return np.asarray(expit(decision) * expit(-decision))

    def dual(self, slope: Floats) -> float:
        steep = self._sign * slope
        return float((entr(steep) + entr(1.0 - steep)).mean())  # outside [0, 1] minus infinity

    def nearest(self, slope: Floats) -> Floats:
        return np.asarray(self._sign * np.clip(self._sign * slope, 0.0, 1.0))

    def room(self, slope: Floats) -> Floats:
        steep = self._sign * slope
        return np.asarray(steep * (1.0 - steep))


class SquaredHinge(_MarginLoss):
    """max(0, 1 - m)^2."""

    def value(self, decision: Floats) -> float:
        return float((np.maximum(0.0, 1.0 - self._sign * decision) ** 2).mean())

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self._sign * 2.0 * np.maximum(0.0, 1.0 - self._sign * decision))

    def curvature(self, decision: Floats) -> Floats:
        return np.where(self._sign * decision < 1.0, 2.0, 0.0)

    def dual(self, slope: Floats) -> float:
        steep = self._sign * slope
        return float((steep - steep**2 / 4.0).mean()) if (steep >= 0.0).all() else -math.inf

    def nearest(self, slope: Floats) -> Floats:
        return np.asarray(self._sign * np.maximum(self._sign * slope, 0.0))

    def room(self, slope: Floats) -> Floats:
        return np.asarray(self._sign * slope)


class Squared:
    """(y - f)^2 / 2."""

    def __init__(self, target: Floats) -> None:
        self._y = target
        self.scale = float(np.std(target))
        self.nothing = 1e-24 * float(np.mean(target**2))

    def value(self, decision: Floats) -> float:
        return float(((self._y - decision) ** 2).mean()) / 2.0

    def slope(self, decision: Floats) -> Floats:
        return np.asarray(self._y - decision)

    def curvature(self, decision: Floats) -> Floats:
        return np.ones(len(decision))

    def dual(self, slope: Floats) -> float:
        return float((slope * self._y - slope**2 / 2.0).mean())

    def balanced(self, slope: Floats) -> Floats:
        return np.asarray(slope - slope.mean())

    def nearest(self, slope: Floats) -> Floats:
        return slope

    def room(self, slope: Floats) -> Floats:
        return np.ones(len(slope))


_LOSSES: dict[str, type[Loss]] = {"logistic": Logistic, "squared_hinge": SquaredHinge}


def check_loss(name: object) -> type[Loss]:
    """The loss of classifiers of this name."""
    return _LOSSES[check_word("loss", name, LOSSES)]
