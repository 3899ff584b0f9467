"""An evaluation as the report shows it: means with spread, every split, and forecasts of a phenotype."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data.wording import counted, listed, shown
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.methods import WHOLE, is_known
from dugraph.evaluation.tables import UNPROVEN, fewer_found, fewer_notes, unproven_notes
from dugraph.report.charts import folds_chart
from dugraph.report.forecast_chart import forecast_chart
from dugraph.words import METRIC_WORDS, TASKS


@dataclass(frozen=True)
class MethodRow:
    """One method with a number of features, or all there are: its metrics on every split."""

    method: str
    features: int | str
    values: dict[str, NDArray[np.float64]]
    proven: tuple[bool, ...]

    @property
    def n_unproven(self) -> int:
        """Splits in which the subgraphs are not proven to be the best."""
        return self.proven.count(False)

    def mean(self, metric: str) -> float:
        """Mean over the splits."""
        return float(self.values[metric].mean())

    def spread(self, metric: str) -> float:
        """Standard deviation over the splits."""
        return float(self.values[metric].std())


@dataclass(frozen=True)
class EvaluationPart:
    """What the template needs; `first` is the metric of `best`, and `chance` what guessing gives of it.

    `what` is the phenotype or the groups that were evaluated, in words. `scatter` has the forecasts of one
    method with a caption, None if these are not known.
    """

    task: str
    what: str
    beyond: str
    first: str
    grid: tuple[list[str], list[list[str]]]
    rows: list[MethodRow]
    n_splits: int
    best: MethodRow | None
    positive: str
    chance: float | None
    chart: Markup
    left_out: dict[str, str]
    fewer: list[str]
    unproven: list[str]
    splitting: str
    own: list[str]
    metrics: tuple[str, ...]
    scatter: tuple[str, Markup] | None

    @property
    def unit(self) -> str:
        """What graphs were divided into, as in "every split"."""
        return "split" if self.task == "classes" else "fold"


def describe_evaluation(
    evaluation: EvaluationResult, n_pos: int, n_neg: int, column: str | None = None
) -> EvaluationPart:
    """Gather the splits of each method and number of features; what takes all features is shown once.

    Parameters
    ----------
    evaluation : EvaluationResult
    n_pos, n_neg : int
        Sizes of the classes, where these were evaluated.
    column : str or None
        What was evaluated in their place.
    """
    task, metrics = evaluation.task, tuple(evaluation.metrics)
    first = TASKS[task].first
    sizes = sorted(evaluation.n_subgraphs)
    own = [method for method in evaluation.methods if not is_known(method, task)]
    mined = {cell.method for cell in evaluation.cells if cell.n_found is not None}
    # Without subgraphs an estimator of the user's own has one set of features, whatever t is.
    once = {*WHOLE, *own} - mined
    values = {name: evaluation.values(name) for name in metrics}
    rows = [
        MethodRow(
            method,
            "all" if method in once else t,
            {name: values[name][i, evaluation.n_subgraphs.index(t)] for name in metrics},
            tuple(cell.proven for cell in evaluation.cells if cell.method == method),
        )
        for i, method in enumerate(evaluation.methods)
        for t in (sizes[:1] if method in once else sizes)
    ]
    finished = [row for row in rows if np.isfinite(row.mean(first))]
    whole = {row.method for row in finished}
    found = [
        (cell.method, t, cell.n_found)
        for cell in evaluation.cells
        for t in evaluation.n_subgraphs
        if cell.method in whole
    ]
    chance = _chance(evaluation, n_pos, n_neg)
    drawn = [
        (f"{row.method}, {row.features}{f' {UNPROVEN}' if row.n_unproven else ''}", row.values[first])
        for row in rows
    ]
    guess = "no forecast" if task == "phenotype" else "guessing"
    what = column or ("the phenotype" if task == "phenotype" else "the groups")
    return EvaluationPart(
        task=task,
        what=what,
        beyond=listed(evaluation.parameters.get("covariates") or [], most=12),
        first=first,
        grid=evaluation.table_cells(),
        rows=rows,
        n_splits=evaluation.n_splits,
        best=max(finished, key=lambda row: _goodness(row, first), default=None),
        positive=str(evaluation.parameters.get("positive_class")),
        chance=chance,
        chart=folds_chart(drawn, METRIC_WORDS[first].title, chance, guess),
        left_out={**evaluation.skipped, **evaluation.failures},
        fewer=fewer_notes(fewer_found(found)),
        unproven=unproven_notes(evaluation.unproven, evaluation.n_splits, len(evaluation.cells)),
        splitting=_splitting(evaluation),
        own=own,
        metrics=metrics,
        scatter=_scatter(evaluation, what),
    )


def _goodness(row: MethodRow, metric: str) -> float:
    return row.mean(metric) * (1 if METRIC_WORDS[metric].largest_first else -1)


def _chance(evaluation: EvaluationResult, n_pos: int, n_neg: int) -> float | None:
    """The first metric of guessing: the larger class, any group, or the same for all.

    None where the page is about other labels than the classes that were evaluated.
    """
    if evaluation.task == "classes":
        return min(n_pos, n_neg) / (n_pos + n_neg) if n_pos else None
    return 0.0 if evaluation.task == "phenotype" else 1.0 / max(2, evaluation.parameters["n_groups"])


def _scatter(evaluation: EvaluationResult, name: str) -> tuple[str, Markup] | None:
    """Forecasts of the first method that has them, with the largest number of features."""
    held = evaluation.held_out
    if held is None:
        return None
    method = next(iter(held.forecasts))[0]
    t = max(size for one, size in held.forecasts if one == method)
    beyond = ", beyond covariates" if evaluation.parameters.get("covariates") else ", minus the training mean"
    features = "" if method in WHOLE else f" with {counted(t, 'feature')}"
    caption = (
        f"Forecasts of {method}{features} for each graph when left out, averaged over the folds that tested "
        "it. On the line, forecast and phenotype are equal."
    )
    return caption, forecast_chart(held.observed, held.forecasts[method, t], f"{name}{beyond}")


def _splitting(evaluation: EvaluationResult) -> str:
    parameters = evaluation.parameters
    random = evaluation.task == "classes" or "test_size" in parameters
    splits = counted(evaluation.n_splits, "split" if random else "fold")
    if parameters.get("cv") is not None:
        return f"{splits}, given in advance ({shown(parameters['cv'])})"
    if "n_folds" in parameters:
        column = parameters.get("groups")
        kept = f" with groups of {shown(column)} kept whole" if column else ""
        times = counted(parameters["n_repeats"], "time")
        return f"{splits}, {parameters['n_folds']} drawn {times} at random{kept}"
    if parameters.get("splits") is not None:
        column = parameters.get("groups")
        kept = f"groups of {shown(column)}" if column else "given groups"
        return f"{splits}, drawn at random with {kept} kept whole"
    return f"{splits}, drawn at random ({1 - float(parameters['test_size']):.0%} for training)"


def evaluation_command(file: str) -> str:
    """The command that repeats an evaluation by its own configuration."""
    return shlex.join(["dugraph", "evaluate", file, "--config", "config.toml", "-o", "evaluation"])


def best_marks(rows: list[MethodRow]) -> set[tuple[int, str]]:
    """Which row is best in which metric, as (position, metric)."""
    marks = set()
    for metric in rows[0].values:
        means = [_goodness(row, metric) for row in rows]
        if np.isfinite(means).any():
            marks.add((int(np.nanargmax(means)), metric))
    return marks
