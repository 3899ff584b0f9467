"""Losses of a linear classifier, with their duals: what a fit minimises and what proves it optimal.

A loss is a mean over graphs of a function of the margin m_i = s_i f_i, where s_i is 1 or -1 and f_i the
decision value. The weights w_i = -s_i loss'(m_i) / n are the slopes that a further feature sees: a fit is
optimal when no feature x has abs(sum_i w_i x_i) above the penalty.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from dugraph.exceptions import InputError
from dugraph.words import LOSSES

Floats = NDArray[np.float64]


class Loss(Protocol):
    """A convex, smooth, decreasing function of the margin, averaged over graphs."""

    def value(self, margin: Floats) -> float:
        """The mean loss."""

    def slope(self, margin: Floats) -> Floats:
        """Minus the derivative of each graph's loss: the weight of a graph, times n."""

    def curvature(self, margin: Floats) -> Floats:
        """The second derivative of each graph's loss."""

    def dual(self, slope: Floats) -> float:
        """The dual objective: of slopes that are feasible for the dual, no more than the optimum."""


class Logistic:
    """log(1 + exp(-m))."""

    def value(self, margin: Floats) -> float:
        return float(np.logaddexp(0.0, -margin).mean())

    def slope(self, margin: Floats) -> Floats:
        return np.asarray(expit(-margin))

    def curvature(self, margin: Floats) -> Floats:
        return np.asarray(expit(margin) * expit(-margin))

    def dual(self, slope: Floats) -> float:
        return float((entr(slope) + entr(1.0 - slope)).mean())


class SquaredHinge:
    """max(0, 1 - m)^2."""

    def value(self, margin: Floats) -> float:
        return float((np.maximum(0.0, 1.0 - margin) ** 2).mean())

    def slope(self, margin: Floats) -> Floats:
        return np.asarray(2.0 * np.maximum(0.0, 1.0 - margin))

    def curvature(self, margin: Floats) -> Floats:
        return np.where(margin < 1.0, 2.0, 0.0)

    def dual(self, slope: Floats) -> float:
        return float((slope - slope**2 / 4.0).mean())


_LOSSES: dict[str, Loss] = {"logistic": Logistic(), "squared_hinge": SquaredHinge()}


def check_loss(name: object) -> Loss:
    """The loss of this name."""
    if not isinstance(name, str) or name not in LOSSES:
        raise InputError(f"loss must be one of {', '.join(LOSSES)}, but is {name!r}.", parameter="loss")
    return _LOSSES[name]
