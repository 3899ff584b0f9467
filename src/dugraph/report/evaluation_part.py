"""Classification results as the report shows them: means with spread, and every split."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data.wording import counted, shown
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.features import WHOLE, is_known
from dugraph.evaluation.notes import fewer_found, fewer_notes, unproven_notes
from dugraph.evaluation.tables import UNPROVEN
from dugraph.report.charts import folds_chart
from dugraph.words import METRICS


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
    """What the template needs."""

    grid: tuple[list[str], list[list[str]]]
    rows: list[MethodRow]
    n_splits: int
    best: MethodRow | None
    chance: float
    chart: Markup
    left_out: dict[str, str]
    fewer: list[str]
    unproven: list[str]
    splitting: str
    own: list[str]
    metrics: tuple[str, ...] = tuple(METRICS)


def describe_evaluation(evaluation: EvaluationResult, n_pos: int, n_neg: int) -> EvaluationPart:
    """Gather the splits of each method and number of features; what takes all features is shown once."""
    sizes = sorted(evaluation.n_subgraphs)
    own = [method for method in evaluation.methods if not is_known(method)]
    mined = {cell.method for cell in evaluation.cells if cell.n_found is not None}
    # Without subgraphs an estimator of the user's own has one set of features, whatever t is.
    once = {*WHOLE, *own} - mined
    values = {name: evaluation.values(name) for name in METRICS}
    rows = [
        MethodRow(
            method,
            "all" if method in once else t,
            {name: values[name][i, evaluation.n_subgraphs.index(t)] for name in METRICS},
            tuple(cell.proven for cell in evaluation.cells if cell.method == method),
        )
        for i, method in enumerate(evaluation.methods)
        for t in (sizes[:1] if method in once else sizes)
    ]
    finished = [row for row in rows if np.isfinite(row.mean("error"))]
    whole = {row.method for row in finished}
    found = [
        (cell.method, t, cell.n_found)
        for cell in evaluation.cells
        for t in evaluation.n_subgraphs
        if cell.method in whole
    ]
    chance = min(n_pos, n_neg) / (n_pos + n_neg)
    drawn = [
        (f"{row.method}, {row.features}{f' {UNPROVEN}' if row.n_unproven else ''}", row.values["error"])
        for row in rows
    ]
    return EvaluationPart(
        grid=evaluation.table_cells(),
        rows=rows,
        n_splits=evaluation.n_splits,
        best=min(finished, key=lambda row: row.mean("error"), default=None),
        chance=chance,
        chart=folds_chart(drawn, METRICS["error"].title, chance),
        left_out={**evaluation.skipped, **evaluation.failures},
        fewer=fewer_notes(fewer_found(found)),
        unproven=unproven_notes(evaluation.unproven, evaluation.n_splits, len(evaluation.cells)),
        splitting=_splitting(evaluation),
        own=own,
    )


def _splitting(evaluation: EvaluationResult) -> str:
    parameters, splits = evaluation.parameters, counted(evaluation.n_splits, "split")
    if parameters.get("cv") is not None:
        return f"{splits}, given beforehand ({shown(parameters['cv'])})"
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
    for metric in METRICS:
        means = [row.mean(metric) * (1 if METRICS[metric].largest_first else -1) for row in rows]
        if np.isfinite(means).any():
            marks.add((int(np.nanargmax(means)), metric))
    return marks
