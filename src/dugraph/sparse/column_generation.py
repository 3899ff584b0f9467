"""Column generation: the fit over ALL admitted connected subgraphs, of which only few are ever written down.

A fit on the subgraphs found so far gives every graph a weight; the search finds the admitted subgraphs with
the largest abs(sum_i w_i x_i). If none exceeds the penalty, the fit is optimal over all of them. Else they
join the pool, and the fit is repeated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.search import Status
from dugraph.search.gains import Gains, GainSearch
from dugraph.sparse.losses import Floats, Loss
from dugraph.sparse.model import SparseModel
from dugraph.sparse.refit import Fit, Problem
from dugraph.sparse.unpenalised import Unpenalised

Subgraph = tuple[int, ...]

# Subgraphs asked of one search.
_BATCH = 1000
# Weights of classes add up to less than 1 in either: a gain as small as this is rounding.
_SMALLEST_PENALTY = 1e-12
# The fit on the pool is this much more exact than the whole has to be.
_POOL_SHARE = 0.1


class Pool:
    """The subgraphs that searches have found, with their containment probabilities as columns."""

    def __init__(self, search: GainSearch) -> None:
        self._search = search
        self._known: set[Subgraph] = set()
        self._columns = np.empty((len(search.graphs), 64), order="F")
        self.subgraphs: list[Subgraph] = []

    @property
    def columns(self) -> NDArray[np.float64]:
        """Containment probabilities, shape (n_graphs, n_subgraphs)."""
        return self._columns[:, : len(self.subgraphs)]

    def add(self, subgraphs: list[Subgraph]) -> int:
        """Take in those that are new; returns their number."""
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


class ColumnGeneration:
    """Fits of one cohort for successively smaller penalties, each starting where the last one ended.

    Parameters
    ----------
    search : GainSearch
    loss : Loss
        Of the graphs in canonical order.
    unpenalised : Unpenalised
        Of these graphs, too.
    tol : float
        Duality gap at which a fit stops, as a share of the loss without any subgraph.
    deadline : float, optional
        Time (of `time.monotonic`) after which fits end with the gap they have.
    progress : callable, optional
        Receives the numbers of each search.

    Attributes
    ----------
    null_loss : float
        The loss without any subgraph.
    smallest_penalty : float
        Gains up to this are rounding.
    n_searches : int
    """

    def __init__(
        self,
        search: GainSearch,
        loss: Loss,
        unpenalised: Unpenalised,
        tol: float,
        deadline: float = math.inf,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._search = search
        self._problem = Problem(loss, unpenalised.columns)
        self._unpenalised = unpenalised
        self.smallest_penalty = _SMALLEST_PENALTY * loss.scale
        self._deadline = deadline
        self._progress = progress
        self._pool = Pool(search)
        # Edges are few and known: weights that single edges leave let the first searches cut much more.
        self._pool.add(search.admitted_edges())
        self._fit = self._problem.null_fit()
        self.null_loss = self._problem.objective(self._fit, 0.0)
        self._tolerance = tol * self.null_loss
        self.n_searches = 0

    def largest_gain(self) -> tuple[float, bool]:
        """Find the largest gain of a subgraph where none is chosen yet; False if it is but a bound of it."""
        null = self._problem.null_fit()
        gains = self._find(self._problem.weights(null.decision), self.smallest_penalty, n_subgraphs=1)
        return gains.most, gains.status is Status.OPTIMAL

    def solve(self, alpha: float, ahead: float = math.inf) -> SparseModel:
        """Fit with this penalty; the model is one over canonical edges.

        Searches list what gains more than `ahead`, too: what the next, smaller penalty will ask for is then
        in the pool, and a search of its own is saved.
        """
        while True:
            in_time = self._refit(alpha)
            objective = self._problem.objective(self._fit, alpha)
            weights = self._problem.weights(self._fit.decision)
            floor = alpha * (1.0 + 0.5 * self._tolerance / objective)
            gains = self._find(weights, min(floor, ahead))
            gap = max(0.0, objective - self._problem.dual(weights, gains.most, alpha))
            if gap <= self._tolerance:
                self._pool.add(gains.subgraphs)
                return self._solution(alpha, objective, gap, Status.OPTIMAL)
            if not in_time:
                return self._solution(alpha, objective, gap, Status.TIME_LIMIT)
            if gains.status is not Status.OPTIMAL:
                return self._solution(alpha, objective, gap, gains.status)
            if self._pool.add(gains.subgraphs) == 0:  # nothing is missing, but rounding keeps the gap open
                return self._solution(alpha, objective, gap, Status.PRECISION_LIMIT)

    def _find(self, weights: Floats, floor: float, n_subgraphs: int = _BATCH) -> Gains:
        self.n_searches += 1
        left = max(self._deadline - time.monotonic(), 1e-3)
        gains = self._search.find(weights, floor, n_subgraphs, left, self._progress)
        if gains.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return gains

    def _refit(self, alpha: float) -> bool:
        """Minimise over the pool: over columns that have a coefficient or would gain, until none would.

        Returns False when time was up before.
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
            if objective - problem.dual(weights, float(gain.max(initial=0.0)), alpha) <= tolerance:
                self._fit = fit
                return True
            if time.monotonic() >= self._deadline:
                return False
            chosen = np.flatnonzero((coef != 0) | (gain > alpha))
            start = Fit(coef[chosen], fit.free, fit.decision)
            part = problem.refit(columns[:, chosen], start, alpha, tolerance / 2, self._deadline)
            coef = np.zeros(len(coef))
            coef[chosen] = part.coef
            self._fit = Fit(coef, part.free, part.decision)
            if problem.objective(self._fit, alpha) >= objective:  # as far as rounding lets it
                return True

    def _solution(self, alpha: float, objective: float, gap: float, status: Status) -> SparseModel:
        chosen = np.flatnonzero(self._fit.coef)
        intercept, of_covariates = self._unpenalised.original(self._fit.free)
        return SparseModel(
            alpha,
            [self._pool.subgraphs[k] for k in chosen],
            self._fit.coef[chosen],
            intercept,
            objective,
            gap,
            status,
            of_covariates,
        )
