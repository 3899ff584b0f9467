"""Column generation: fit over ALL admitted connected subgraphs while computing the columns of only a few.

A fit on the subgraphs found so far gives every graph a weight, and a search finds the admitted subgraphs
with the largest gain abs(sum_i w_i x_i). If none outside the pool exceeds the L1 penalty, the fit is optimal
over all subgraphs. Otherwise the subgraphs found are added to the pool and the fit is repeated. Fits on the
pool are proximal Newton steps, each of them an elastic net of scikit-learn.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve, solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet

from dugraph.data import UncertainGraphs
from dugraph.data.columns import RANK_TOLERANCE
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import InputError
from dugraph.search import Status
from dugraph.search.limits import FREQUENCY_TOLERANCE, Numbers, check_min_expected_frequency, none_admitted
from dugraph.search.problem import Gains, GainSearch
from dugraph.sparse.losses import Floats, Loss, Squared
from dugraph.sparse.model import SparseModel

Subgraph = tuple[int, ...]

# Largest number of subgraphs that one search returns.
_BATCH = 1000
# The weights of each class sum to less than 1: a gain this small is a rounding error.
_SMALLEST_GAIN = 1e-12
# Tolerance of the fit on the pool, as a share of the tolerance of the whole fit.
_POOL_SHARE = 0.1
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


class Pool:
    """The subgraphs found so far, with their containment probabilities as columns."""

    def __init__(self, search: GainSearch) -> None:
        self._search = search
        self._known: set[Subgraph] = set()
        self._columns = np.empty((len(search.graphs), 64), order="F")
        self.subgraphs: list[Subgraph] = []

    @property
    def columns(self) -> Floats:
        """Containment probabilities, shape (n_graphs, n_subgraphs)."""
        return self._columns[:, : len(self.subgraphs)]

    def __contains__(self, subgraph: Subgraph) -> bool:
        return subgraph in self._known

    def add(self, subgraphs: list[Subgraph]) -> int:
        """Add the subgraphs that are new and return their number."""
        new = [subgraph for subgraph in subgraphs if subgraph not in self._known]
        begin, end = len(self.subgraphs), len(self.subgraphs) + len(new)
        if end > self._columns.shape[1]:
            grown = np.empty((len(self._columns), max(end, 2 * self._columns.shape[1])), order="F")
            grown[:, :begin] = self.columns
            self._columns = grown
        self._columns[:, begin:end] = self._search.containment(new)
        self.subgraphs += new
        self._known.update(new)
        return len(new)


class PathFinder:
    """Models of one cohort for successively smaller penalties, each fit starting from the previous one.

    `target` is 1 or -1 for classes, and the phenotype for the squared loss. Graphs with weight 0 are left
    out. Fits stop at `deadline`, a time of `time.monotonic`, with the gap reached so far. `report` receives
    the numbers of each search. The other parameters are those of `sparse_path`.

    Attributes
    ----------
    in_time : bool
        False if time was up before the largest penalty of the path was found.
    n_searches : int
        Searches over all admitted subgraphs so far.
    """

    def __init__(
        self,
        cohort: UncertainGraphs,
        target: Floats,
        covariates: Floats,
        weights: Floats,
        *,
        loss: type[Loss],
        l1_ratio: float,
        min_expected_frequency: float,
        max_edges: int | None,
        tol: float,
        n_threads: int,
        deadline: float,
        report: Callable[[Numbers], None] | None = None,
    ) -> None:
        limit = check_min_expected_frequency(min_expected_frequency)
        if not weights.all():
            used = np.flatnonzero(weights)
            cohort, target, covariates, weights = cohort[used], target[used], covariates[used], weights[used]
        if not (cohort.edge_means > FREQUENCY_TOLERANCE).any():
            raise none_admitted(cohort, 0.0)
        self._search = GainSearch(
            cohort, min_expected_frequency=limit, max_edges=max_edges, n_threads=n_threads
        )
        self._naming, self._deadline = cohort.naming, deadline
        order = self._search.graphs
        weights = weights[order] / weights.mean()
        # Centre a phenotype: with a large mean, its variation would be lost to rounding.
        self._offset = float(np.average(target[order], weights=weights)) if loss is Squared else 0.0
        self._unpenalised = Unpenalised(covariates[order])
        self._problem = Problem(
            loss(target[order] - self._offset, weights), self._unpenalised.columns, l1_ratio
        )
        self._now: Numbers = {"alpha": math.inf, "n_nonzero": 0}
        # Not a bound method: a reference cycle would keep the columns alive until garbage collection.
        self._progress = None if report is None else partial(_report_step, report, self._now)
        self._pool = Pool(self._search)
        # Single edges are few and need no search, so they are admitted however rare; weights fitted on them
        # let the first searches prune more.
        self._pool.add(self._search.single_edges())
        self._fit = self._problem.null_fit()
        null_loss = self._problem.objective(self._fit, 0.0)
        self._tolerance = tol * null_loss
        self.in_time, self.n_searches = True, 0
        adjusted = self._unpenalised.columns.shape[1] > 1
        nothing = self._problem.loss.nothing + (1e-13 * self._offset) ** 2
        # With an intercept alone the loss of two classes is small only if one has nearly all the weight.
        if np.ptp(target) == 0 or (null_loss <= nothing and (adjusted or loss is Squared)):
            raise _nothing_left(adjusted)

    def grid(self, n_alphas: int, alpha_min_ratio: float) -> Floats:
        """Penalties in equal ratios, starting from the smallest at which no subgraph is chosen.

        Only the first one if no subgraph gains anything, or if time was up before it was known exactly.
        """
        gain, self.in_time = self._largest_gain()
        grid = gain / self._problem.l1_ratio * np.geomspace(1.0, alpha_min_ratio, n_alphas)
        single = gain <= self._smallest_gain or not self.in_time
        return np.asarray(grid[:1] if single else grid)

    def models(self, alphas: ArrayLike) -> Iterator[SparseModel]:
        """Yield the models of these penalties, best given from large to small, until time is up."""
        penalties = np.asarray(alphas, dtype=np.float64).tolist()
        for alpha, ahead in zip(penalties, [*penalties[1:], math.inf], strict=True):
            self._now["alpha"] = alpha
            model = self._solve(alpha, ahead)
            self._now["n_nonzero"] = len(model.coef)
            yield model
            if model.status is Status.TIME_LIMIT:
                return

    def models_up_to(self, n_nonzero: float, alphas: ArrayLike) -> list[SparseModel]:
        """Return the models up to and including the first with more than `n_nonzero` subgraphs."""
        models = []
        for model in self.models(alphas):
            models.append(model)
            if len(model.coef) > n_nonzero:
                break
        return models

    def ridge(self, model: SparseModel, penalties: Sequence[float]) -> Iterator[SparseModel]:
        """Yield the model with coefficients of ridge fits of its subgraphs, for each of the L2 penalties.

        The fits minimise mean loss + penalty / 2 * sum of coef^2. `objective` and `duality_gap` stay those of
        the fit that chose the subgraphs.
        """
        place = {int(edge): k for k, edge in enumerate(self._search.original)}
        subgraphs = [tuple(sorted(place[edge] for edge in subgraph)) for subgraph in model.subgraphs]
        columns = self._search.containment(subgraphs)
        problem = Problem(self._problem.loss, self._unpenalised.columns, l1_ratio=0.0)
        fit = problem.null_fit()
        fit = Fit(np.zeros(len(subgraphs)), fit.free, fit.decision)
        for penalty in penalties:
            fit = problem.refit(columns, fit, penalty, self._tolerance)
            yield replace(model, **self._parts(subgraphs, fit), ridge_alpha=float(penalty))

    def _largest_gain(self) -> tuple[float, bool]:
        """Largest gain at the null fit, and whether it is exact; an upper bound if the time was up."""
        weights = self._problem.weights(self._problem.null_fit().decision)
        pool = np.abs(weights @ self._pool.columns).max(initial=0.0)
        gains = self._find(weights, self._smallest_gain, 1)
        return max(gains.most, float(pool)), gains.status is Status.OPTIMAL

    @property
    def _smallest_gain(self) -> float:
        return _SMALLEST_GAIN * self._problem.loss.scale

    def _solve(self, alpha: float, ahead: float) -> SparseModel:
        """Fit with this penalty.

        Searches also list subgraphs that gain enough at `ahead`, the next, smaller penalty: they are then in
        the pool already, which saves a search.
        """
        problem = self._problem
        while True:
            in_time = self._refit(alpha)
            objective = problem.objective(self._fit, alpha)
            weights = problem.weights(self._fit.decision)
            pool = np.abs(weights @ self._pool.columns)
            floor = problem.l1_ratio * min(alpha * (1.0 + 0.5 * self._tolerance / objective), ahead)
            # With an L2 penalty the subgraphs of the model exceed the floor too: leave room for new ones.
            gains = self._find(weights, floor, _BATCH + int((pool > floor).sum()))
            gap = max(0.0, objective - problem.dual(weights, pool, self._outside(gains, floor), alpha))
            if gap <= self._tolerance:
                self._pool.add(gains.subgraphs)
                return self._solution(alpha, objective, gap, Status.OPTIMAL)
            if not in_time:
                return self._solution(alpha, objective, gap, Status.TIME_LIMIT)
            if gains.status is not Status.OPTIMAL:
                return self._solution(alpha, objective, gap, gains.status)
            if self._pool.add(gains.subgraphs) == 0:  # the pool is complete; rounding keeps the gap open
                return self._solution(alpha, objective, gap, Status.PRECISION_LIMIT)

    def _outside(self, gains: Gains, floor: float) -> float:
        """Upper bound of the gains of subgraphs outside the pool."""
        if gains.status is not Status.OPTIMAL:
            return gains.most
        pairs = zip(gains.subgraphs, gains.values.tolist(), strict=True)
        return next((value for subgraph, value in pairs if subgraph not in self._pool), floor)

    def _find(self, weights: Floats, floor: float, n_subgraphs: int) -> Gains:
        self.n_searches += 1
        left = max(self._deadline - time.monotonic(), 1e-3)
        gains = self._search.find(weights, floor, n_subgraphs, left, self._progress)
        if gains.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return gains

    def _refit(self, alpha: float) -> bool:
        """Minimise over the pool, with an active set of columns; return False if the deadline passed.

        The active set has the columns with a coefficient and those with a gain above the L1 penalty.
        """
        columns, problem = self._pool.columns, self._problem
        coef = np.zeros(columns.shape[1])
        coef[: len(self._fit.coef)] = self._fit.coef
        tolerance = _POOL_SHARE * self._tolerance
        while True:
            weights = problem.weights(self._fit.decision)
            gain = np.abs(weights @ columns)
            fit = Fit(coef, self._fit.free, self._fit.decision)
            objective = problem.objective(fit, alpha)
            if objective - problem.dual(weights, gain, 0.0, alpha) <= tolerance:
                self._fit = fit
                return True
            if time.monotonic() >= self._deadline:
                return False
            active = np.flatnonzero((coef != 0) | (gain > alpha * problem.l1_ratio))
            start = Fit(coef[active], fit.free, fit.decision)
            part = problem.refit(columns[:, active], start, alpha, tolerance / 2, self._deadline)
            coef = np.zeros(len(coef))
            coef[active] = part.coef
            self._fit = Fit(coef, part.free, part.decision)
            if problem.objective(self._fit, alpha) >= objective:  # no further progress within rounding
                return True

    def _solution(self, alpha: float, objective: float, gap: float, status: Status) -> SparseModel:
        chosen = np.flatnonzero(self._fit.coef)
        fit = Fit(self._fit.coef[chosen], self._fit.free, self._fit.decision)
        parts = self._parts([self._pool.subgraphs[k] for k in chosen], fit)
        return SparseModel(alpha=alpha, objective=objective, duality_gap=gap, status=status, **parts)

    def _parts(self, subgraphs: list[Subgraph], fit: Fit) -> dict[str, Any]:
        """Parts of a model: edges as in the cohort instead of canonical ones, largest coefficient first."""
        intercept, covariate_coef = self._unpenalised.original(fit.free)
        order = sorted(
            range(len(subgraphs)), key=lambda k: (-abs(fit.coef[k]), len(subgraphs[k]), subgraphs[k])
        )
        original = self._search.original
        found = (tuple(sorted(original[list(subgraphs[k])].tolist())) for k in order)
        return {
            "subgraphs": Subgraphs(found, self._naming),
            "coef": fit.coef[order],
            "intercept": intercept + self._offset,
            "covariate_coef": covariate_coef,
        }


def _report_step(report: Callable[[Numbers], None], path: Numbers, search: Numbers) -> None:
    report({**path, **search})


def _nothing_left(adjusted: bool) -> InputError:
    """Error for a y that the intercept and the covariates explain completely."""
    if adjusted:
        return InputError(
            "The covariates must leave something of y to explain, but they explain all of it.",
            parameter="covariates",
            way_out="Leave out the covariate that repeats y.",
        )
    return InputError("y must take at least two values, but is the same for every graph.", parameter="y")
