"""The fit of a sparse estimator: what it was asked for is checked, and each of its models is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dugraph.data import UncertainGraphs
from dugraph.data.covariate_coding import CovariateCode
from dugraph.search import Status
from dugraph.search.limits import resolve_n_jobs
from dugraph.search.progress import progress_reporter
from dugraph.sparse.checks import check_choice, check_path_parameters
from dugraph.sparse.choice import Choice, choose_model, shares_of_time
from dugraph.sparse.covariates import CohortCovariates
from dugraph.sparse.losses import Floats, Loss
from dugraph.sparse.penalty_path import path_line, warn_of_limit


def choose_models(
    estimator: Any,
    graphs: UncertainGraphs,
    targets: Sequence[Floats],
    covariates: Sequence[Any],
    loss: type[Loss],
    deadline: float,
) -> tuple[list[Choice], CovariateCode]:
    """Choose a model for each target; they share the time.

    Parameters
    ----------
    estimator : SparseSubgraphClassifier or SparseSubgraphRegressor
    graphs : UncertainGraphs
    targets : sequence of ndarray of shape (n_graphs,)
    covariates : columns and graph_ids of `split_covariates`
    loss : type of Loss
    deadline : float
        Time (of `time.monotonic`) at which the work ends.
    """
    check_path_parameters(estimator.n_alphas, estimator.alpha_min_ratio, estimator.tol, estimator.max_edges)
    check_choice(estimator.alpha, estimator.n_nonzero)
    columns, graph_ids = covariates
    known = CohortCovariates(columns, graph_ids or graphs.graph_ids)
    choices = []
    with progress_reporter(estimator.progress, path_line) as report:
        for target, until in zip(targets, shares_of_time(deadline, len(targets)), strict=True):
            choice = choose_model(
                graphs,
                target,
                known,
                alpha=estimator.alpha,
                n_nonzero=estimator.n_nonzero,
                n_alphas=estimator.n_alphas,
                alpha_min_ratio=estimator.alpha_min_ratio,
                cv=estimator.cv,
                settings={
                    "loss": loss,
                    "min_expected_frequency": estimator.min_expected_frequency,
                    "max_edges": estimator.max_edges,
                    "tol": estimator.tol,
                    "n_threads": resolve_n_jobs(estimator.n_jobs),
                    "deadline": until,
                    "report": report,
                },
            )
            choices.append(choice)
    limited = [c for c in choices if not c.finished or c.model.status is not Status.OPTIMAL]
    if limited:
        warn_of_limit(limited[0].model, stacklevel=4)
    return choices, known.code
