"""Column generation: fit over ALL admitted connected subgraphs while computing the columns of only a few.

A fit on the subgraphs found so far gives every graph a weight, and a search finds the admitted subgraphs
with the largest gain abs(sum_i w_i x_i). If none outside the pool exceeds the L1 penalty, the fit is optimal
over all subgraphs. Otherwise the subgraphs found are added to the pool and the fit is repeated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import counted, real_array
from dugraph.data.graphs import edges_and_probability
from dugraph.data.subgraphs import Subgraphs, aligned, check_subgraph
from dugraph.estimators.model_file import decode, encode
from dugraph.exceptions import InputError
from dugraph.probability.containment import containment_columns
from dugraph.search import Status
from dugraph.search.limits import FREQUENCY_TOLERANCE, Numbers, check_min_expected_frequency, none_admitted
from dugraph.search.problem import Gains, GainSearch
from dugraph.search.result import ROWS, ResultTable, TabularResult, more_rows
from dugraph.sparse.losses import Fit, Floats, Loss, Problem, Squared, Unpenalised

if TYPE_CHECKING:
    import pandas

_FLOATS = ("alpha", "intercept", "objective", "duality_gap")
Subgraph = tuple[int, ...]
# Largest number of subgraphs that one search returns.
_BATCH = 1000
# The weights of each class sum to less than 1: a gain this small is a rounding error.
_SMALLEST_GAIN = 1e-12
# Tolerance of the fit on the pool, as a share of the tolerance of the whole fit.
_POOL_SHARE = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class SparseModel(TabularResult):
    """A linear model over a few connected subgraphs: one point of a path.

    Attributes
    ----------
    alpha : float
        The penalty.
    subgraphs : list of tuple of int
        Sorted edge indices, largest coefficient first.
    coef : ndarray of shape (n_nonzero,)
        Positive coefficients favour the positive class, or a larger phenotype.
    intercept : float
    objective : float
        The minimised mean loss plus penalty.
    duality_gap : float
        No model over the admitted subgraphs has an objective lower by more than this.
    status : Status
        OPTIMAL if the gap is within the tolerance; otherwise the reason for stopping.
    covariate_coef : ndarray of shape (n_covariates,)
        Coefficients of the covariates, which are not penalised.
    ridge_alpha : float or None
        L2 penalty with which the coefficients were fitted again; None without a refit. The objective and its
        gap are those of the fit before, which chose the subgraphs.
    """

    alpha: float
    subgraphs: list[tuple[int, ...]]
    coef: NDArray[np.float64]
    intercept: float
    objective: float
    duality_gap: float
    status: Status
    covariate_coef: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    ridge_alpha: float | None = None

    def containment(self, X: Any) -> NDArray[Any]:
        """Containment probabilities of its subgraphs, shape (n_graphs, n_nonzero).

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
            Edge probabilities, columns as in the fit.
        """
        probability, space = edges_and_probability(X)
        # The number of columns in the fit is not stored, only those that the subgraphs use.
        last = max((edge for subgraph in self.subgraphs for edge in subgraph), default=-1)
        if probability.shape[1] <= last:
            raise InputError(
                f"X must have the columns of the fit, at least {last + 1}, but has {probability.shape[1]}.",
                parameter="X",
            )
        # An array is used as given, so that single precision is preserved.
        values = probability if isinstance(X, UncertainGraphs) else np.asarray(X)
        return containment_columns(values, [aligned(subgraph, space) for subgraph in self.subgraphs])

    def decision_function(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Decision values, positive for the positive class, or predictions of a phenotype.

        Parameters
        ----------
        X : as for `containment`
        covariates : array-like of shape (n_graphs, n_covariates), optional
            Numbers, columns as in the fit; by default 0.
        """
        decision = np.asarray(self.containment(X) @ self.coef + self.intercept)
        if covariates is None:
            return decision
        values = real_array(covariates, "covariates", 2, "(n_graphs, n_covariates)")
        shape = (len(decision), len(self.covariate_coef))
        if values.shape != shape:
            raise InputError(
                f"covariates must have the shape {shape}, one row per graph and one column per covariate of "
                f"the fit, but have {values.shape}.",
                parameter="covariates",
            )
        return np.asarray(decision + values @ self.covariate_coef)

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgraph, largest coefficient first, as a pandas DataFrame.

        Columns: `coefficient`, `n_edges`, and `edges` (the tuple of edge indices). A fitted estimator, which
        knows the names of the subgraphs, has them in its `to_frame`.
        """
        import pandas

        sizes = [len(subgraph) for subgraph in self.subgraphs]
        return pandas.DataFrame({"coefficient": self.coef, "n_edges": sizes, "edges": self.subgraphs})

    def _summary(self) -> str:
        refit = "" if self.ridge_alpha is None else f"; ridge refit with the penalty {self.ridge_alpha:.3g}"
        return (
            f"{counted(len(self.coef), 'subgraph')} at the penalty {self.alpha:.4g}, intercept "
            f"{self.intercept:.4g}, objective {self.objective:.6g}, {self.status.value} with a duality gap "
            f"of {self.duality_gap:.2g}{refit}"
        )

    def _tables(self, n_rows: int = ROWS) -> list[ResultTable]:
        pairs = zip(self.coef[:n_rows], self.subgraphs[:n_rows], strict=True)
        rows = [(f"{coefficient:+.6g}", " ".join(map(str, subgraph))) for coefficient, subgraph in pairs]
        note = more_rows(len(self.coef), n_rows)
        return [ResultTable(("coefficient", "edges"), rows, note)] if rows else []


def model_members(model: SparseModel) -> dict[str, Any]:
    """Return a model as JSON values, floats to the last bit."""
    covariates = {"covariate_coef": encode(model.covariate_coef, "coef")}
    return {
        "subgraphs": [list(subgraph) for subgraph in model.subgraphs],
        "coef": encode(model.coef, "coef"),
        **(covariates if len(model.covariate_coef) else {}),
        "status": model.status.value,
        **({} if model.ridge_alpha is None else {"ridge_alpha": encode(model.ridge_alpha, "ridge_alpha")}),
        **{name: encode(float(getattr(model, name)), name) for name in _FLOATS},
    }


def restored_model(stored: Mapping[str, Any], n_edges: int, n_covariates: int) -> SparseModel:
    """Inverse of `model_members`; raises KeyError, TypeError or ValueError on other content."""
    subgraphs = [check_subgraph(subgraph, n_edges) for subgraph in stored["subgraphs"]]
    coef = decode(stored["coef"])
    if coef.shape != (len(subgraphs),) or coef.dtype != np.float64:
        raise ValueError("there must be as many coefficients as subgraphs")
    covariate_coef = decode(stored["covariate_coef"]) if "covariate_coef" in stored else np.empty(0)
    if covariate_coef.shape != (n_covariates,) or covariate_coef.dtype != np.float64:
        raise ValueError("there must be as many coefficients as covariates")
    return SparseModel(
        subgraphs=subgraphs,
        coef=coef,
        status=Status(stored["status"]),
        covariate_coef=covariate_coef,
        ridge_alpha=float(decode(stored["ridge_alpha"])) if "ridge_alpha" in stored else None,
        **{name: float(decode(stored[name])) for name in _FLOATS},
    )


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
