"""Classification results as the report shows them: means with spread, and every split."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.evaluation.features import WHOLE
from dugraph.evaluation.notes import fewer_found, fewer_notes, unproven_notes
from dugraph.evaluation.tables import UNPROVEN
from dugraph.report.charts import folds_chart
from dugraph.report.evaluation_record import Evaluation, Fold
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

    rows: list[MethodRow]
    n_splits: int
    best: MethodRow | None
    chance: float
    chart: Markup
    left_out: dict[str, str]
    fewer: list[str]
    unproven: list[str]
    test_size: float
    metrics: tuple[str, ...] = tuple(METRICS)


def describe_evaluation(evaluation: Evaluation, n_pos: int, n_neg: int) -> EvaluationPart:
    """Gather the splits of each method and number of features; what takes all features is shown once."""
    smallest = min(fold.t for fold in evaluation.folds)
    gathered: dict[tuple[str, int], list[Fold]] = {}
    for fold in sorted(evaluation.folds, key=lambda fold: fold.split):
        if fold.method not in WHOLE or fold.t == smallest:
            gathered.setdefault((fold.method, fold.t), []).append(fold)
    order = list(dict.fromkeys(fold.method for fold in evaluation.folds))
    rows = [
        MethodRow(
            method,
            "all" if method in WHOLE else t,
            {name: np.array([fold.metrics[name] for fold in folds]) for name in METRICS},
            tuple(fold.proven for fold in folds),
        )
        for (method, t), folds in sorted(
            gathered.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    ]
    finished = [row for row in rows if np.isfinite(row.mean("error"))]
    whole = {row.method for row in finished}
    found = [(fold.method, fold.t, fold.n_found) for fold in evaluation.folds if fold.method in whole]
    chance = min(n_pos, n_neg) / (n_pos + n_neg)
    drawn = [
        (f"{row.method}, {row.features}{f' {UNPROVEN}' if row.n_unproven else ''}", row.values["error"])
        for row in rows
    ]
    n_splits = max(len(folds) for folds in gathered.values())
    return EvaluationPart(
        rows=rows,
        n_splits=n_splits,
        best=min(finished, key=lambda row: row.mean("error"), default=None),
        chance=chance,
        chart=folds_chart(drawn, METRICS["error"].title, chance),
        left_out=evaluation.left_out,
        fewer=fewer_notes(fewer_found(found)),
        unproven=unproven_notes(*unproven_cells(evaluation)),
        test_size=evaluation.test_size,
    )


def unproven_cells(evaluation: Evaluation) -> tuple[dict[str, int], int, int]:
    """Splits in which a method is not proven, the number of splits, and that of methods on splits."""
    cells = {(fold.method, fold.split): fold.proven for fold in evaluation.folds}
    unproven = Counter(method for (method, _), proven in cells.items() if not proven)
    return dict(unproven), len({split for _, split in cells}), len(cells)


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
