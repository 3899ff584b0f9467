"""The fit on features that are written down: proximal Newton steps, each a lasso of scikit-learn."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from dugraph.sparse.losses import Floats, Loss

_MOST_STEPS = 100
_MOST_HALVINGS = 30
# A step's lasso is solved this much more exactly than the whole fit has to be.
_LASSO_TOLERANCE = 1e-13
# Below this share of the largest curvature the model of a step would be too flat to be trusted.
_FLATTEST = 1e-4
# Gap of the fit without columns.
_NULL_TOLERANCE = 1e-14
# What may be left of a sum that is meant to be 0, as a share of the sum of its absolute values.
_ROUNDING = 1e-13
_MOST_MOVES = 30


@dataclass
class Fit:
    """A linear model over columns.

    Attributes
    ----------
    coef : ndarray of shape (n_columns,)
    free : ndarray of shape (n_unpenalised,)
        Coefficients of the columns without a penalty, of which the first is the intercept.
    decision : ndarray of shape (n_graphs,)
        unpenalised @ free + columns @ coef.
    """

    coef: Floats
    free: Floats
    decision: Floats


class Problem:
    """Mean loss + alpha * sum of abs(coef), over all columns that there may be.

    Parameters
    ----------
    loss : Loss
    unpenalised : ndarray of shape (n_graphs, n_unpenalised)
        Independent columns of about equal length; the first is 1.
    """

    def __init__(self, loss: Loss, unpenalised: Floats) -> None:
        self.loss = loss
        self._free = unpenalised

    def objective(self, fit: Fit, alpha: float) -> float:
        """What the fit minimises."""
        return self.loss.value(fit.decision) + alpha * float(np.abs(fit.coef).sum())

    def weights(self, decision: Floats) -> Floats:
        """Slopes of the loss, made feasible for the dual: columns without a penalty gain nothing."""
        slope = self.loss.slope(decision)
        feasible = self.loss.balanced(slope) if self._free.shape[1] == 1 else self._orthogonal(slope)
        return feasible / len(slope)

    def _orthogonal(self, slope: Floats) -> Floats:
        """Slopes near these that no unpenalised column has a product with; if need be 0, which proves little.

        Each moves by its room times a number that is linear in its unpenalised values. Those that would leave
        the dual stop at its border: of a site with patients only, covariates explain all, and slopes are 0.
        """
        free, room, moved = self._free, self.loss.room(slope), slope
        enough = _ROUNDING * np.abs(free * slope[:, np.newaxis]).sum()
        for _ in range(_MOST_MOVES):
            left = free.T @ moved
            if np.abs(left).max() <= enough:
                return moved
            shift = np.linalg.lstsq((free.T * room) @ free, left, rcond=None)[0]
            wanted = moved - room * (free @ shift)
            moved = self.loss.nearest(wanted)
            room = np.where(moved == wanted, room, 0.0)
        return np.zeros(len(slope))

    def dual(self, weights: Floats, most: float, alpha: float) -> float:
        """A lower bound of the optimum, if no column has abs(weights @ column) above `most`."""
        scale = 1.0 if most <= alpha else alpha / most
        return self.loss.dual(weights * len(weights) * scale)

    def null_fit(self) -> Fit:
        """The best fit without columns: covariates alone, and without these margins equal within a class."""
        n, n_free = self._free.shape
        fit = Fit(np.zeros(0), np.zeros(n_free), np.zeros(n))
        return self.refit(np.zeros((n, 0)), fit, 1.0, _NULL_TOLERANCE * self.loss.scale**2)

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
        n = len(fit.decision)
        curvature = self.loss.curvature(fit.decision) / n
        curvature = np.maximum(curvature, _FLATTEST * max(float(curvature.max()), 1.0 / n))
        target = fit.decision + self.loss.slope(fit.decision) / n / curvature
        root = np.sqrt(curvature)
        # What the unpenalised columns cannot say is left to the others.
        basis, triangle = np.linalg.qr(root[:, np.newaxis] * self._free)
        coef = fit.coef
        if columns.shape[1]:
            rows = root[:, np.newaxis] * columns
            model = Lasso(
                alpha / n, fit_intercept=False, warm_start=True, tol=_LASSO_TOLERANCE, max_iter=2000
            )
            model.coef_ = fit.coef.copy()
            goal = root * target
            with warnings.catch_warnings():
                # A step may be inexact: the gap of the whole fit decides.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(np.asfortranarray(rows - basis @ (basis.T @ rows)), goal - basis @ (basis.T @ goal))
            coef = np.asarray(model.coef_)
        said = columns @ coef
        free = solve_triangular(triangle, basis.T @ (root * (target - said)))
        return Fit(coef, free, self._free @ free + said)

    def _line_search(self, fit: Fit, step: Fit, alpha: float, value: float) -> tuple[Fit, float]:
        """The first of the steps 1, 1/2, 1/4 ... that goes down; `fit` itself if none does."""
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            trial = Fit(
                fit.coef + share * (step.coef - fit.coef) if share < 1 else step.coef,
                fit.free + share * (step.free - fit.free),
                fit.decision + share * (step.decision - fit.decision) if share < 1 else step.decision,
            )
            trial_value = self.objective(trial, alpha)
            if trial_value < value:
                return trial, trial_value
            share /= 2
        return fit, value
