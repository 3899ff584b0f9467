"""The models of one cohort for successively smaller penalties, from where an earlier run stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.cluster.checkpoint import digest
from dugraph.data import UncertainGraphs
from dugraph.search import Status
from dugraph.search.exhaustive import FREQUENCY_TOLERANCE
from dugraph.search.gains import GainSearch
from dugraph.search.limits import check_min_expected_frequency, none_admitted
from dugraph.search.progress import Numbers
from dugraph.sparse.checks import check_something_left
from dugraph.sparse.column_generation import ColumnGeneration
from dugraph.sparse.losses import Loss, Squared
from dugraph.sparse.model import SparseModel
from dugraph.sparse.trail import Step, Trail, Trails
from dugraph.sparse.unpenalised import Unpenalised


class PathFinder:
    """Models of one cohort for successively smaller penalties.

    Parameters
    ----------
    cohort : UncertainGraphs
    target : ndarray of shape (n_graphs,)
        1 or -1 for classes; the phenotype for the squared loss.
    covariates : ndarray of shape (n_graphs, n_covariates)
        They have no penalty.
    loss : type of Loss
    min_expected_frequency, max_edges, tol
        As for `sparse_path`.
    n_threads : int
    deadline : float
        Time (of `time.monotonic`) at which the work ends.
    report : callable, optional
        Receives numbers about the work.
    trails : Trails, optional
        Where earlier runs have left how far they came.

    Attributes
    ----------
    in_time : bool
        False if time was up before the largest penalty that matters was found.
    n_searches : int
        Searches over all admitted subgraphs so far.
    """

    def __init__(
        self,
        cohort: UncertainGraphs,
        target: NDArray[np.float64],
        covariates: NDArray[np.float64],
        *,
        loss: type[Loss],
        min_expected_frequency: float,
        max_edges: int | None,
        tol: float,
        n_threads: int,
        deadline: float,
        report: Callable[[Numbers], None] | None = None,
        trails: Trails | None = None,
    ) -> None:
        limit = check_min_expected_frequency(min_expected_frequency)
        if not (cohort.edge_probability.mean(axis=0) > limit + FREQUENCY_TOLERANCE).any():
            raise none_admitted(cohort, limit)
        self._search = GainSearch(
            cohort,
            min_expected_frequency=limit,
            max_edges=max_edges,
            n_threads=n_threads,
        )
        self._shown: Numbers = {"alpha": math.inf, "n_nonzero": 0}
        order = self._search.graphs
        # Numbers around 0: a large mean would drown what varies.
        self._offset = float(target[order].mean()) if loss is Squared else 0.0
        of_graphs, free = loss(target[order] - self._offset), Unpenalised(covariates[order])
        # Not a method of this object: the two would hold each other, and their columns, which may be large,
        # would wait for the garbage collector.
        tell = None if report is None else partial(_tell, report, self._shown)
        self._begin = partial(ColumnGeneration, self._search, of_graphs, free, tol, deadline, tell)
        self._columns = self._begin()
        nothing = of_graphs.nothing + (1e-13 * self._offset) ** 2
        check_something_left(self._columns.null_loss, nothing, free.columns.shape[1] - 1)
        self.in_time = True
        self._trails, self._trail, self._n_taken = trails, Trail(), 0
        if trails:
            inputs = digest(cohort.edges, cohort.edge_probability, target, covariates)
            self._trail = trails.of(inputs, cohort.n_edges, covariates.shape[1])
            self._columns.n_searches = self._trail.n_searches
            if self._trail.standing is not None:
                self._columns.go_on(self._trail.standing)

    def grid(self, n_alphas: int, alpha_min_ratio: float) -> NDArray[np.float64]:
        """Penalties from the largest that matters down, in equal ratios; only one if no subgraph matters."""
        if self._trail.largest is None:
            alpha_max, self.in_time = self._columns.largest_gain()
            if self.in_time:
                self._trail.largest = alpha_max
                self._keep()
        else:
            alpha_max = self._trail.largest
        grid = alpha_max * np.geomspace(1.0, alpha_min_ratio, n_alphas)
        # The shares of a mere bound of the largest penalty would be another path.
        return np.asarray(
            grid[:1] if alpha_max <= self._columns.smallest_penalty or not self.in_time else grid
        )

    def models(self, alphas: ArrayLike) -> Iterator[SparseModel]:
        """The models of these penalties, best given from large to small; ends early when time is up."""
        penalties = np.asarray(alphas, dtype=np.float64).tolist()
        for step in zip(penalties, [*penalties[1:], math.inf], strict=True):
            self._shown["alpha"] = step[0]
            model = self._trail.model(self._n_taken, step)
            if model is None:
                self._catch_up()
                model = self._given(self._columns.solve(*step))
                self._note(step, model)
            self._n_taken += 1
            self._shown["n_nonzero"] = len(model.coef)
            yield model
            if model.status is Status.TIME_LIMIT:
                return

    def _catch_up(self) -> None:
        """Be where the models that were given out so far have led."""
        trail = self._trail
        # Without a checkpoint no other run has gone ahead.
        if not self._trails or (
            self._n_taken == len(trail.steps) and (trail.standing is not None or not trail.steps)
        ):
            return
        # The trail went on differently, as when time was up and now is not: all up to here is done again.
        self._columns = self._begin()
        self._columns.n_searches = 0 if trail.largest is None else 1
        trail.cut(self._n_taken)
        for step in trail.steps:
            self._columns.solve(*step)

    def _note(self, step: Step, model: SparseModel) -> None:
        self._trail.is_open = model.status is Status.TIME_LIMIT
        if not self._trail.is_open:
            self._trail.steps.append(step)
            self._trail.models.append(model)
            self._keep()

    def _keep(self) -> None:
        if self._trails:
            self._trail.standing, self._trail.n_searches = self._columns.standing, self._columns.n_searches
            self._trails.save()

    def models_up_to(self, n_nonzero: float, alphas: ArrayLike) -> list[SparseModel]:
        """The same up to the first model with more subgraphs than that, which is the last one given."""
        models = []
        for model in self.models(alphas):
            models.append(model)
            if len(model.coef) > n_nonzero:
                break
        return models

    @property
    def n_searches(self) -> int:
        return self._columns.n_searches

    def _given(self, solution: SparseModel) -> SparseModel:
        """The model over the edges as they were given, the largest coefficient first."""
        order = sorted(
            range(len(solution.coef)),
            key=lambda k: (-abs(solution.coef[k]), len(solution.subgraphs[k]), solution.subgraphs[k]),
        )
        original = self._search.original
        subgraphs = [tuple(sorted(original[list(solution.subgraphs[k])].tolist())) for k in order]
        intercept = solution.intercept + self._offset
        return replace(solution, subgraphs=subgraphs, coef=solution.coef[order], intercept=intercept)


def _tell(report: Callable[[Numbers], None], shown: Numbers, numbers: Numbers) -> None:
    report({**shown, **numbers})
