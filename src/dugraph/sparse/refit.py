"""The fit on features that are written down: proximal Newton steps, each a lasso of scikit-learn."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from dugraph.sparse.losses import Floats, Loss

_MOST_STEPS = 100
_MOST_HALVINGS = 30
# A step's lasso is solved this much more exactly than the whole fit has to be.
_LASSO_TOLERANCE = 1e-13
# Below this share of the largest curvature the model of a step would be too flat to be trusted.
_FLATTEST = 1e-4


@dataclass
class Fit:
    """A linear model over columns.

    Attributes
    ----------
    coef : ndarray of shape (n_columns,)
    intercept : float
    decision : ndarray of shape (n_graphs,)
        intercept + columns @ coef.
    """

    coef: Floats
    intercept: float
    decision: Floats


class Problem:
    """Mean loss + alpha * sum of abs(coef), over all columns that there may be.

    Parameters
    ----------
    sign : ndarray of shape (n_graphs,)
        1 or -1: the classes.
    loss : Loss
    """

    def __init__(self, sign: Floats, loss: Loss) -> None:
        self.sign = sign
        self.loss = loss

    def objective(self, fit: Fit, alpha: float) -> float:
        """What the fit minimises."""
        return self.loss.value(self.sign * fit.decision) + alpha * float(np.abs(fit.coef).sum())

    def weights(self, decision: Floats) -> Floats:
        """Slopes of the loss, made feasible for the dual of a free intercept: the classes weigh the same."""
        slope = self.loss.slope(self.sign * decision)
        positive = self.sign > 0
        sums = slope[positive].sum(), slope[~positive].sum()
        least = min(sums)
        shrink = np.where(positive, *(least / s if s > 0 else 0.0 for s in sums))
        return np.asarray(self.sign * slope * shrink / len(slope))

    def dual(self, weights: Floats, most: float, alpha: float) -> float:
        """A lower bound of the optimum, if no column has abs(weights @ column) above `most`."""
        scale = 1.0 if most <= alpha else alpha / most
        return self.loss.dual(np.abs(weights) * len(weights) * scale)

    def null_fit(self) -> Fit:
        """The best fit without columns: its margins are equal within a class."""
        fit = Fit(np.zeros(0), 0.0, np.zeros(len(self.sign)))
        return self.refit(np.zeros((len(self.sign), 0)), fit, 1.0, 1e-14)

    def refit(
        self,
        columns: NDArray[np.float64],
        start: Fit,
        alpha: float,
        tolerance: float,
        deadline: float = math.inf,
    ) -> Fit:
        """Minimise over the given columns, to a duality gap of at most `tolerance` if rounding allows.

        Parameters
        ----------
        columns : ndarray of shape (n_graphs, n_columns)
        start : Fit
            Where to begin; of as many columns.
        alpha : float
        tolerance : float
        deadline : float, optional
            Time (of `time.monotonic`) after which no further step is made.

        Returns
        -------
        Fit
        """
        fit = start
        value = self.objective(fit, alpha)
        for _ in range(_MOST_STEPS):
            gap = self._gap(columns, fit, alpha, value)
            if gap <= tolerance or time.monotonic() >= deadline:
                break
            step = self._newton_step(columns, fit, alpha)
            before = value
            fit, value = self._line_search(fit, step, alpha, value)
            if value >= before:
                # Near the optimum the objective is flat, and rounding hides that it goes down: the slopes
                # still tell a better fit from a worse one.
                if self._gap(columns, step, alpha, self.objective(step, alpha)) >= gap:
                    break
                fit, value = step, self.objective(step, alpha)
        return fit

    def _gap(self, columns: NDArray[np.float64], fit: Fit, alpha: float, value: float) -> float:
        """How much lower than `value`, its objective, another fit on these columns may be."""
        weights = self.weights(fit.decision)
        return value - self.dual(weights, float(np.abs(weights @ columns).max(initial=0.0)), alpha)

    def _newton_step(self, columns: NDArray[np.float64], fit: Fit, alpha: float) -> Fit:
        """The minimum of the loss's quadratic model at `fit`."""
        margin = self.sign * fit.decision
        n = len(margin)
        curvature = self.loss.curvature(margin) / n
        curvature = np.maximum(curvature, _FLATTEST * max(float(curvature.max()), 1.0 / n))
        target = fit.decision + self.sign * self.loss.slope(margin) / n / curvature
        if columns.shape[1] == 0:
            mean = float(np.average(target, weights=curvature))
            return Fit(fit.coef, mean, np.full(n, mean))
        total = float(curvature.sum())
        model = Lasso(alpha / total, warm_start=True, tol=_LASSO_TOLERANCE, max_iter=2000)
        model.coef_ = fit.coef.copy()
        with warnings.catch_warnings():
            # A step may be inexact: the gap of the whole fit decides.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(columns, target, sample_weight=curvature)
        coef = np.asarray(model.coef_)
        return Fit(coef, float(model.intercept_), float(model.intercept_) + columns @ coef)

    def _line_search(self, fit: Fit, step: Fit, alpha: float, value: float) -> tuple[Fit, float]:
        """The first of the steps 1, 1/2, 1/4 ... that goes down; `fit` itself if none does."""
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            trial = Fit(
                fit.coef + share * (step.coef - fit.coef) if share < 1 else step.coef,
                fit.intercept + share * (step.intercept - fit.intercept),
                fit.decision + share * (step.decision - fit.decision) if share < 1 else step.decision,
            )
            trial_value = self.objective(trial, alpha)
            if trial_value < value:
                return trial, trial_value
            share /= 2
        return fit, value
