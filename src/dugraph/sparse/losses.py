"""Losses of sparse linear models with their duals, the targets they are fitted to, and fits on given columns.

A loss is the mean over graphs of v_i l(f_i): the weight v_i > 0 of the graph times a convex function l of the
decision value f_i and a target, a sign s_i of 1 or -1 for classes or a number y_i. The weights have a mean of
1. The slopes u_i = -v_i l'(f_i) are the gradient that a new feature sees: without an L2 penalty a fit is
optimal if abs(sum_i u_i x_i) / n is at most the penalty for every feature x.

Fits are proximal Newton steps, each of them an elastic net of scikit-learn.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve, solve_triangular
from scipy.special import entr, expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_word, counted, real_array
from dugraph.data.columns import RANK_TOLERANCE
from dugraph.data.labels import check_finite
from dugraph.exceptions import InputError
from dugraph.words import LOSSES

Floats = NDArray[np.float64]
_MAX_NEWTON_STEPS = 100
_MAX_HALVINGS = 30
# Tolerance of the lasso in a Newton step, as a share of that of the fit on the pool, and its lower limit as a
# share of the squared norm of the target.
_LASSO_SHARE = 0.1
_LASSO_TOLERANCE = 1e-13
# Lower bound of the curvature in a Newton step, as a share of the largest curvature of graphs of its weight.
_MIN_CURVATURE = 1e-4
# Duality gap of the fit without columns.
_NULL_TOLERANCE = 1e-14
# A sum counts as 0 below this share of the sum of its absolute values.
_ROUNDING = 1e-13
_MAX_PROJECTIONS = 30


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
            f"A phenotype must be numeric, but y has dtype {y.dtype}. For names of groups use {for_groups}.",
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


class Unpenalised:
    """Independent columns of mean square 1 that span the intercept, which is the first, and the covariates.

    Covariates that are collinear or constant in these graphs add no direction. Among all coefficients that
    give the same decision values, those with the smallest sum of squares are used.
    """

    def __init__(self, covariates: Floats) -> None:
        n = len(covariates)
        self._centre = covariates.mean(axis=0)
        spread = covariates.std(axis=0)
        varies = spread > RANK_TOLERANCE * np.maximum(np.abs(covariates).max(axis=0, initial=0.0), 1e-300)
        self._spread = np.where(varies, spread, 1.0)
        scaled = np.where(varies, (covariates - self._centre) / self._spread, 0.0)
        left, singular, right = np.linalg.svd(scaled, full_matrices=False)
        rank = int((singular > RANK_TOLERANCE * np.sqrt(n)).sum())
        self.columns = np.column_stack([np.ones(n), left[:, :rank] * np.sqrt(n)])
        self._back = right[:rank].T / singular[:rank] * np.sqrt(n)

    def original(self, coef: Floats) -> tuple[float, Floats]:
        """Convert coefficients of `columns` to the intercept and the coefficients of the covariates."""
        covariate_coef = self._back @ coef[1:] / self._spread
        return float(coef[0] - self._centre @ covariate_coef), covariate_coef


@dataclass
class Fit:
    """A linear model over columns; decision = unpenalised @ free + columns @ coef."""

    coef: Floats
    free: Floats
    decision: Floats


class Problem:
    """Minimise mean loss + alpha * (l1_ratio * sum of abs(coef) + (1 - l1_ratio) / 2 * sum of coef^2).

    `unpenalised` has the columns of `Unpenalised`; `l1_ratio=0` is a ridge fit of the given columns.
    """

    def __init__(self, loss: Loss, unpenalised: Floats, l1_ratio: float = 1.0) -> None:
        self.loss = loss
        self.l1_ratio = l1_ratio
        self._free = unpenalised

    def objective(self, fit: Fit, alpha: float) -> float:
        """Mean loss plus penalty."""
        lasso = alpha * self.l1_ratio * float(np.abs(fit.coef).sum())
        ridge = alpha * (1.0 - self.l1_ratio) / 2.0 * float(fit.coef @ fit.coef)
        return self.loss.value(fit.decision) + lasso + ridge

    def weights(self, decision: Floats) -> Floats:
        """Slopes of the loss over n, made orthogonal to the unpenalised columns."""
        slope = self.loss.slope(decision)
        feasible = self.loss.balanced(slope) if self._free.shape[1] == 1 else self._orthogonal(slope)
        return feasible / len(slope)

    def _orthogonal(self, slope: Floats) -> Floats:
        """Nearby slopes that are orthogonal to all unpenalised columns; 0, a weak bound, if none is found.

        Each slope moves by its room times a linear function of its unpenalised values. Slopes that would
        leave the domain of the dual stop at its boundary, as at a site with patients only, where the
        covariates explain everything and slopes are 0.
        """
        free, room, moved = self._free, self.loss.room(slope), slope
        enough = _ROUNDING * np.abs(free * slope[:, np.newaxis]).sum()
        for _ in range(_MAX_PROJECTIONS):
            left = free.T @ moved
            if np.abs(left).max() <= enough:
                return moved
            shift = np.linalg.lstsq((free.T * room) @ free, left, rcond=None)[0]
            wanted = moved - room * (free @ shift)
            moved = self.loss.nearest(wanted)
            room = np.where(moved == wanted, room, 0.0)
        return np.zeros(len(slope))

    def dual(self, weights: Floats, gains: Floats, outside: float, alpha: float) -> float:
        """Lower bound of the optimum over the given columns and all others.

        The dual function of the elastic net subtracts (abs(gain) - limit)^2 / (2 alpha (1 - l1_ratio)) for
        each column whose gain exceeds limit = alpha * l1_ratio. Only the given columns are known one by one,
        so the weights are scaled until no other exceeds the limit, or, as the lasso needs it, none at all.
        Both are bounds, and the larger one is returned. `gains` are abs(weights @ column) of the given
        columns, and no other column has a gain above `outside`.
        """
        limit, ridge = alpha * self.l1_ratio, alpha * (1.0 - self.l1_ratio)
        most = max(float(gains.max(initial=0.0)), outside)
        bounds = []
        for largest in (most, outside) if ridge else (most,):
            scale = 1.0 if largest <= limit else limit / largest
            excess = np.maximum(scale * gains - limit, 0.0) if largest < most else np.zeros(0)
            charge = float(excess @ excess) / (2.0 * ridge) if ridge else 0.0
            bounds.append(self.loss.dual(weights * len(weights) * scale) - charge)
        return max(bounds)

    def null_fit(self) -> Fit:
        """Best fit on the unpenalised columns alone."""
        n, n_free = self._free.shape
        fit = Fit(np.zeros(0), np.zeros(n_free), np.zeros(n))
        return self.refit(np.zeros((n, 0)), fit, 1.0, _NULL_TOLERANCE * self.loss.scale**2)

    def refit(
        self, columns: Floats, start: Fit, alpha: float, tolerance: float, deadline: float = math.inf
    ) -> Fit:
        """Minimise over the given columns, to a duality gap of at most `tolerance` if rounding allows.

        No step is made after the deadline, a time of `time.monotonic`.
        """
        fit = start
        value = self.objective(fit, alpha)
        precision = _LASSO_SHARE * tolerance
        for _ in range(_MAX_NEWTON_STEPS):
            gap = self._gap(columns, fit, alpha, value)
            if gap <= tolerance or time.monotonic() >= deadline:
                break
            step = self._newton_step(columns, fit, alpha, precision)
            before = value
            fit, value = self._line_search(fit, step, alpha, value)
            if value >= before:
                # Near the optimum the decrease of the objective is lost to rounding, but the duality gap
                # still distinguishes a better fit from a worse one.
                if self._gap(columns, step, alpha, self.objective(step, alpha)) >= gap:
                    if not precision:
                        break
                    precision = 0.0  # as exact as possible
                    continue
                fit, value = step, self.objective(step, alpha)
        return fit

    def _gap(self, columns: Floats, fit: Fit, alpha: float, value: float) -> float:
        """Duality gap of a fit whose objective is `value`."""
        weights = self.weights(fit.decision)
        return value - self.dual(weights, np.abs(weights @ columns), 0.0, alpha)

    def _newton_step(self, columns: Floats, fit: Fit, alpha: float, precision: float) -> Fit:
        """Minimum of the quadratic model of the loss at `fit`, to a duality gap of `precision`."""
        n = len(fit.decision)
        curvature, weight = self.loss.curvature(fit.decision) / n, self.loss.weight / n
        largest = float((curvature / weight).max())
        curvature = np.maximum(curvature, _MIN_CURVATURE * weight * (largest or 1.0))
        target = fit.decision + self.loss.slope(fit.decision) / n / curvature
        root = np.sqrt(curvature)
        # Project out the unpenalised columns; the lasso sees the residuals.
        basis, triangle = np.linalg.qr(root[:, np.newaxis] * self._free)
        coef = fit.coef
        if columns.shape[1]:
            rows = root[:, np.newaxis] * columns
            goal = root * target
            goal -= basis @ (basis.T @ goal)
            coef = self._penalised(rows - basis @ (basis.T @ rows), goal, fit.coef, alpha, precision)
        penalised = columns @ coef
        free = solve_triangular(triangle, basis.T @ (root * (target - penalised)))
        return Fit(coef, free, self._free @ free + penalised)

    def _penalised(self, rows: Floats, goal: Floats, start: Floats, alpha: float, precision: float) -> Floats:
        """Coefficients that minimise sum of (goal - rows @ coef)^2 / 2 plus the penalty."""
        if self.l1_ratio == 0.0:
            square = rows.T @ rows
            square.flat[:: len(square) + 1] += alpha
            return np.asarray(solve(square, rows.T @ goal, assume_a="pos"))
        tol = max(_LASSO_TOLERANCE, precision / max(float(goal @ goal), 1e-300))
        model = ElasticNet(
            alpha / len(goal),
            l1_ratio=self.l1_ratio,
            fit_intercept=False,
            warm_start=True,
            tol=min(tol, 0.1),
            max_iter=2000,
        )
        model.coef_ = start.copy()
        with warnings.catch_warnings():
            # A step may be inexact: convergence is judged by the duality gap of the whole fit.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(np.asfortranarray(rows), goal)
        return np.asarray(model.coef_)

    def _line_search(self, fit: Fit, step: Fit, alpha: float, value: float) -> tuple[Fit, float]:
        """First of the step lengths 1, 1/2, 1/4 ... that lowers the objective; `fit` itself if none does."""
        share = 1.0
        for _ in range(_MAX_HALVINGS):
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
