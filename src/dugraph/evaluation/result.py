"""`EvaluationResult`: metrics of every method, split and number of subgraphs, with ranks and tables.

Tables have the paper's layout: value (rank), * on the best, average rank, notes below.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import (
    as_list,
    check_kind,
    check_word,
    counted,
    real_array,
    whole_number,
)
from dugraph.evaluation.cells import Cell
from dugraph.evaluation.methods import AT_MOST
from dugraph.exceptions import InputError
from dugraph.files.atomic import write_folder
from dugraph.files.text import run_id
from dugraph.search.result import Drawable
from dugraph.words import METRIC_WORDS, TASKS, MetricWords

Floats = NDArray[np.float64]
Row = Sequence[str]
_Key = TypeVar("_Key", bound=Hashable)
STYLES = ("text", "csv", "markdown", "latex")
UNPROVEN = "~"
"""Appended to values of subgraphs that a limit left unproven in some split."""
PRINTED_DECIMALS = 3
"""Decimals of the paper's tables."""
SPLITS_NOT_PROVEN = "splits not proven"
"""Heading of the number of such splits."""


@dataclass(frozen=True)
class HeldOut:
    """A phenotype and its forecasts by (method, t), averaged over the folds that tested a graph.

    Both are beyond covariates: minus what these, or the mean of the training graphs, predict. Methods without
    a forecast in some fold are left out.
    """

    graph_ids: tuple[str, ...]
    observed: Floats
    forecasts: Mapping[tuple[str, int], Floats]


def average_forecasts(
    cells: Sequence[Cell], tests: Sequence[NDArray[np.intp]], graph_ids: Sequence[str]
) -> HeldOut | None:
    """Average the forecasts of cells over the splits, whose test graphs are given; None without any."""
    by_method: dict[str, list[Cell]] = {}
    for cell in cells:
        by_method.setdefault(cell.method, []).append(cell)
    complete = {m: own for m, own in by_method.items() if all(cell.forecasts for cell in own)}
    if not complete:
        return None
    n_times = np.bincount(np.concatenate(tests), minlength=len(graph_ids))
    tested = np.flatnonzero(n_times)

    def mean(values: Sequence[Any]) -> Floats:
        total = np.zeros(len(graph_ids))
        for test, part in zip(tests, values, strict=True):
            np.add.at(total, test, part)
        return np.asarray(total[tested] / n_times[tested])

    forecasts = {
        (method, t): mean([cell.forecasts[t] for cell in own])
        for method, own in complete.items()
        for t in own[0].forecasts
    }
    observed = mean([cell.observed for cell in next(iter(complete.values()))])
    return HeldOut(tuple(graph_ids[i] for i in tested.tolist()), observed, forecasts)


def check_scoring(scoring: str | Sequence[str], task: str) -> list[str]:
    """Return the metrics that rank methods, if they are measured for a task."""
    chosen = [scoring] if isinstance(scoring, str) else as_list(scoring, "scoring", "names of metrics")
    for metric in chosen:
        check_word("scoring", metric, tuple(TASKS[task].metrics))
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(
            f"scoring must be different metrics, at least one; got {chosen}.", parameter="scoring"
        )
    return chosen


@dataclass(frozen=True, repr=False)
class EvaluationResult(Drawable):
    """Metrics of methods over random splits, with ranks as in the paper's tables.

    Parameters
    ----------
    cells : sequence of Cell
        One for each method and split, in this order.
    methods : tuple of str
    n_subgraphs : tuple of int
        Numbers of features (t).
    parameters : dict
        The parameters of the call.
    skipped : dict of str to str
        Methods left out, and why.
    held_out : HeldOut or None
        For a phenotype: the forecast for each graph when it was left out.

    Notes
    -----
    A method has a mean, and with it a rank, only if it has a value in every split: a mean over some of the
    splits would cover other test graphs than the means it is compared with. The other methods are ranked
    as if it were absent. Single values are still in `values` and in the file ``results.csv``.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=40, random_state=0)
    >>> methods = ["exp-freq", "all-edges"]
    >>> result = dg.evaluate(graphs, y, methods, n_subgraphs=[5], cv=dg.RandomSplits(2))
    >>> isinstance(result, dg.EvaluationResult), result.mean("error").shape
    (True, (2, 1))
    """

    cells: Sequence[Cell]
    methods: tuple[str, ...]
    n_subgraphs: tuple[int, ...]
    parameters: dict[str, Any]
    skipped: dict[str, str]
    held_out: HeldOut | None = None

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.cells) // len(self.methods)

    @property
    def task(self) -> str:
        """The kind of labels: "classes", "phenotype" or "groups"."""
        return str(self.parameters.get("task", "classes"))

    @property
    def metrics(self) -> dict[str, MetricWords]:
        """The metrics that were measured, with their titles."""
        return TASKS[self.task].metrics

    @property
    def scoring(self) -> tuple[str, ...]:
        """The metrics that rank methods and that tables show."""
        return tuple(self.parameters.get("scoring") or TASKS[self.task].ranked)

    @property
    def proven(self) -> bool:
        """Whether every list of subgraphs is proven to be the best."""
        return all(cell.proven for cell in self.cells)

    @property
    def unproven(self) -> dict[str, int]:
        """Methods whose subgraphs are not proven to be the best in some splits, and in how many."""
        counts = dict.fromkeys(self.methods, 0)
        for cell in self.cells:
            counts[cell.method] += not cell.proven
        return {method: count for method, count in counts.items() if count}

    @property
    def failures(self) -> dict[str, str]:
        """Methods without features in at least one split, and why; their means are NaN."""
        return {cell.method: cell.failure for cell in self.cells if cell.failure}

    @property
    def fewer(self) -> dict[str, dict[int, int]]:
        """Where fewer subgraphs than t were found: for each method and t, the smallest number in a split.

        The values are for all that were found. Methods without a mean are not listed.
        """
        fewer: dict[str, dict[int, int]] = {}
        left_out = {*self.failures, *AT_MOST}  # t is a limit of sparse models
        for cell in self.cells:
            if cell.n_found is None or cell.method in left_out:
                continue
            for t in self.n_subgraphs:
                if cell.n_found < t:
                    numbers = fewer.setdefault(cell.method, {})
                    numbers[t] = min(cell.n_found, numbers.get(t, cell.n_found))
        return fewer

    @property
    def notes(self) -> list[str]:
        """Sentences below the table: what is not proven, methods without a rank, fewer subgraphs than t."""
        return [*unproven_notes(self), *unranked_notes(self.cells), *fewer_notes(self.fewer)]

    def values(self, metric: str) -> NDArray[np.float64]:
        """Return a metric of every method, number of subgraphs and split.

        Parameters
        ----------
        metric : {"error", "f1", "balanced_accuracy", "auc"}
            For a phenotype {"r", "r2", "mae"}, for groups {"error", "macro_f1", "balanced_accuracy"}.

        Returns
        -------
        ndarray of shape (n_methods, n_t, n_splits)
        """
        check_word("metric", metric, tuple(self.metrics))
        nothing = dict.fromkeys(self.metrics, np.nan)
        flat = [[cell.metrics.get(t, nothing)[metric] for t in self.n_subgraphs] for cell in self.cells]
        shape = (len(self.methods), self.n_splits, len(self.n_subgraphs))
        return np.array(flat, dtype=np.float64).reshape(shape).swapaxes(1, 2)

    def mean(self, metric: str) -> NDArray[np.float64]:
        """Average a metric over the splits, shape (n_methods, n_t); NaN without a value in every split."""
        return np.asarray(self.values(metric).mean(axis=2))

    def ranks(self, metric: str) -> NDArray[np.float64]:
        """Rank the methods in each column, shape (n_methods, n_t); NaN for methods without a mean.

        1 is best, and equal printed values share the smallest rank.
        """
        means = self.mean(metric)  # checks the metric
        largest_first = METRIC_WORDS[metric].largest_first
        ranks = [competition_ranks(column, largest_first=largest_first) for column in means.T]
        return np.array(ranks).T

    def average_rank(self) -> NDArray[np.float64]:
        """Average each method's ranks over the columns of the table; NaN without a rank in some column."""
        return average_ranks(np.hstack([self.ranks(metric) for metric in self.scoring]))

    def to_frame(self) -> pandas.DataFrame:
        """One row per method, split and number of subgraphs `t`, as a pandas DataFrame.

        Further columns: `n_found` (subgraphs found, missing for methods without subgraphs), `proven`, and the
        `metrics`, NaN where a method has no value.
        """
        rows = [
            (
                *(cell.method, cell.split, t, cell.n_found, cell.proven),
                *(cell.metrics.get(t, {}).get(metric, np.nan) for metric in self.metrics),
            )
            for cell in self.cells
            for t in self.n_subgraphs
        ]
        frame = pandas.DataFrame(rows, columns=["method", "split", "t", "n_found", "proven", *self.metrics])
        return frame.astype({"n_found": "Int64"})

    def seconds(self) -> dict[str, tuple[float, float]]:
        """Sum the time of each method: for finding features, and for the models trained with them."""
        spent = dict.fromkeys(self.methods, (0.0, 0.0))
        for cell in self.cells:
            mining, models = spent[cell.method]
            spent[cell.method] = mining + cell.mining_seconds, models + cell.svm_seconds
        return spent

    def table(self, style: str = "text", title: str = "") -> str:
        """Lay out error and F1 as in the paper: value (rank), * on the best, average rank; `notes` below.

        Other metrics for a phenotype, for groups, or with `scoring`. Values of subgraphs that are not proven
        to be the best in some split have a ~.

        Parameters
        ----------
        style : {"text", "csv", "markdown", "latex"}, default "text"
        title : str
            A caption for all styles except "csv", which has no notes either.

        Returns
        -------
        str
        """
        check_word("style", style, STYLES)
        caption = self.headline(title) if check_kind(title, str, "title") else ""
        if style == "csv":
            return self._csv_table()
        heading, rows = self.table_cells()
        if style == "latex":
            return latex_table(caption, heading, rows, self)
        return (markdown_table if style == "markdown" else text_table)(caption, heading, rows, self.notes)

    def headline(self, title: str) -> str:
        """Add the number of cells that are not proven, if any, to a title."""
        check_kind(title, str, "title")
        n_unproven = sum(self.unproven.values())
        return f"{title}; {n_unproven} of {len(self.cells)} cells not proven" if n_unproven else title

    def table_cells(self) -> tuple[list[str], list[list[str]]]:
        """Return heading and rows of the same table, cell by cell as text."""
        unproven, averages = self.unproven, self.average_rank()
        heading = [
            "method",
            *(f"{METRIC_WORDS[metric].title} t={t}" for metric in self.scoring for t in self.n_subgraphs),
            *("avg. rank", *([SPLITS_NOT_PROVEN] if unproven else [])),
        ]
        printed = [round(float(average), 1) for average in averages]
        best = min((average for average in printed if not np.isnan(average)), default=None)
        rows = []
        for i, (method, columns) in enumerate(zip(self.methods, self._columns(), strict=True)):
            mark = UNPROVEN if method in unproven else ""
            cells = [
                "-"
                if np.isnan(value)
                else f"{value:.{PRINTED_DECIMALS}f}{mark} ({rank:.0f}){'*' if rank == 1 else ''}"
                for value, rank in columns
            ]
            star = "*" if printed[i] == best else ""
            last = "-" if np.isnan(printed[i]) else f"{star}({averages[i]:.1f})"
            rows.append([method, *cells, last, *([str(unproven.get(method, 0))] if unproven else [])])
        return heading, rows

    def _columns(self) -> list[list[tuple[float, float]]]:
        """Value and rank in each column of the table, by method."""
        tables = [(self.mean(metric), self.ranks(metric)) for metric in self.scoring]
        return [
            [pair for values, ranks in tables for pair in zip(values[i], ranks[i], strict=True)]
            for i in range(len(self.methods))
        ]

    def _csv_table(self) -> str:
        unproven, averages = self.unproven, self.average_rank().tolist()
        places = [(metric, t) for metric in self.scoring for t in self.n_subgraphs]
        names = [name for metric, t in places for name in (f"{metric}@{t}", f"{metric}_rank@{t}")]
        rows = []
        for method, columns, average in zip(self.methods, self._columns(), averages, strict=True):
            pairs = [("", "") if np.isnan(v) else (repr(float(v)), int(rank)) for v, rank in columns]
            last = "" if np.isnan(average) else repr(average)
            rows.append([method, *(cell for pair in pairs for cell in pair), last, unproven.get(method, 0)])
        return _csv(pandas.DataFrame(rows, columns=["method", *names, "average_rank", "splits_not_proven"]))

    def save(self, folder: str | os.PathLike[str], title: str = "") -> list[Path]:
        """Write the tables, captioned by `title`, every value, the parameters and the times into a folder.

        All files except ``timings.csv`` are the same to the byte for the same data, parameters and versions.
        """
        return write_folder(folder, self.files(title), last="evaluation.json")

    def files(self, title: str = "") -> dict[str, bytes]:
        """Return the content of each of these files by its name."""
        check_kind(title, str, "title")
        splits = _csv(self.to_frame())
        times = [
            (cell.method, cell.split, f"{cell.mining_seconds:.6f}", f"{cell.svm_seconds:.6f}")
            for cell in self.cells
        ]
        record = {
            "run_id": run_id(splits.encode()),
            **{"parameters": self.parameters, "skipped": self.skipped},
            **{"failures": self.failures, "fewer": self.fewer, "unproven": self.unproven},
        }
        files = {
            "results.csv": splits,
            "table.csv": self.table("csv"),
            "table.md": self.table("markdown", title),
            "table.tex": self.table("latex", title),
            "evaluation.json": json.dumps(record, indent=1, sort_keys=True) + "\n",
            "timings.csv": _csv(
                pandas.DataFrame(times, columns=["method", "split", "mining_seconds", "svm_seconds"])
            ),
        }
        return {name: text.encode() for name, text in files.items()}

    def _summary(self) -> str:
        return self.headline(f"{counted(len(self.methods), 'method')}, {counted(self.n_splits, 'split')}")

    def __repr__(self) -> str:
        return f"EvaluationResult: {self._summary()}\n{self.table()}"

    def _repr_html_(self) -> str:
        heading, rows = self.table_cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in heading)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<div><p><b>EvaluationResult</b>: {self._summary()}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
        )


def _csv(frame: pandas.DataFrame) -> str:
    return str(frame.to_csv(index=False, lineterminator="\n"))


# ---------------------------------------------------------------- ranks, layouts and notes of tables


def competition_ranks(
    values: ArrayLike, *, largest_first: bool = False, decimals: int = PRINTED_DECIMALS
) -> NDArray[np.float64]:
    """Rank one column of a table: 1 is best, values that print the same share the smallest of their ranks.

    Parameters
    ----------
    values : array-like of shape (n_methods,)
        Missing ones (NaN) have no rank; the others are ranked as if these were not there.
    largest_first : bool, default False
        False: the smallest value is best, as for error rates. True: the largest, as for F1.
    decimals : int, default 3
        How many decimals are printed.

    Returns
    -------
    ndarray of shape (n_methods,)
        Whole numbers; NaN where there is no rank.

    Examples
    --------
    >>> competition_ranks([0.30, 0.25, 0.3004, 0.40, float("nan")]).tolist()
    [2.0, 1.0, 2.0, 4.0, nan]
    """
    check_kind(largest_first, bool, "largest_first")
    column, places = real_array(values, "values", 1, "(n_methods,)"), whole_number(decimals, "decimals")
    # round() rounds as printing does; NumPy scales first and may differ in the last place.
    printed = np.array([round(value, places) for value in column.tolist()])
    keys = -printed if largest_first else printed
    return np.array([np.nan if np.isnan(key) else 1.0 + (keys < key).sum() for key in keys])


def average_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """Average each method's ranks over the columns of a table.

    Parameters
    ----------
    ranks : array-like of shape (n_methods, n_columns)
        NaN where a rank is missing.

    Returns
    -------
    ndarray of shape (n_methods,)
        NaN for a method without a rank in some column.

    Examples
    --------
    >>> average_ranks([[1, 2], [2, 1], [3, 3]]).tolist()
    [1.5, 1.5, 3.0]
    """
    table = real_array(ranks, "ranks", 2, "(n_methods, n_columns)")
    if table.shape[1] == 0:
        raise InputError(f"ranks must have at least one column, but have the shape {table.shape}.")
    return np.asarray(table.mean(axis=1))


def text_table(title: str, heading: Row, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Lay out columns separated by spaces."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heading, ["-" * width for width in widths], *rows)
    ]
    return "\n".join([*([title] if title else []), *lines, *notes]) + "\n"


def markdown_table(title: str, heading: Row, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Lay out a table in Markdown, where an unescaped star starts emphasis."""
    lines = [
        "| " + " | ".join(cell.replace("*", "\\*").replace("|", "\\|") for cell in row) + " |" for row in rows
    ]
    rule = "|" + "---|" * len(heading)
    below = [line for note in notes for line in ("", note.replace("*", "\\*"))]
    above = [title, ""] if title else []
    return "\n".join([*above, "| " + " | ".join(heading) + " |", rule, *lines, *below]) + "\n"


def latex_table(title: str, heading: Row, rows: Sequence[Row], result: EvaluationResult) -> str:
    """Lay out a table for LaTeX with booktabs; each metric is over columns of each number of subgraphs."""
    metrics, n_subgraphs = result.scoring, result.n_subgraphs
    n_t = len(n_subgraphs)
    arrows = {m: r"$\uparrow$" if METRIC_WORDS[m].largest_first else r"$\downarrow$" for m in metrics}
    groups = " & ".join(
        rf"\multicolumn{{{n_t}}}{{c}}{{{_escaped(METRIC_WORDS[m].title)} {arrows[m]}}}" for m in metrics
    )
    rules = "".join(rf"\cmidrule(lr){{{2 + i * n_t}-{1 + (i + 1) * n_t}}}" for i in range(len(metrics)))
    numbers = " & ".join(f"$t={t}$" for _ in metrics for t in n_subgraphs)
    more = [_escaped(name) for name in heading if name == SPLITS_NOT_PROVEN]
    body = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    lines = [
        "% needs booktabs",
        r"\begin{table*}",
        r"\centering",
        *([rf"\caption{{{_escaped(title)}}}"] if title else []),
        rf"\begin{{tabular}}{{r{'l' * n_t * len(metrics)}r{'r' * len(more)}}}",
        r"\toprule",
        " & ".join(["", groups, "avg.", *[""] * len(more)]) + r" \\",
        rules,
        " & ".join(["method", numbers, "rank", *more]) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip\footnotesize {_escaped(note)}" for note in result.notes),
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    codes = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(codes.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def unranked_notes(cells: Sequence[Cell]) -> list[str]:
    """Name the methods without features in some split, and the reason; one sentence for equal reasons."""
    failed: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        if cell.failure:
            failed[cell.method].append(cell.failure)
    n_splits = 1 + max(cell.split for cell in cells)
    alike = _together({method: (len(causes), causes[-1]) for method, causes in failed.items()})
    return [
        f"No rank for {', '.join(methods)}: no features in {many} of {n_splits} splits. {cause}"
        for (many, cause), methods in alike.items()
    ]


def unproven_notes(result: EvaluationResult) -> list[str]:
    """Name the methods for which a limit was reached, and the number of splits; empty without any."""
    unproven = result.unproven
    parts = [
        f"{', '.join(names)} in {many} of {result.n_splits} splits"
        for many, names in _together(unproven).items()
    ]
    note = (
        f"~ A limit was reached in {sum(unproven.values())} of {len(result.cells)} cells, whose subgraphs "
        f"are the best found, not proven to be the best: {'; '.join(parts)}."
    )
    return [note] if parts else []


def fewer_notes(fewer: Mapping[str, Mapping[int, int]]) -> list[str]:
    """Say where fewer subgraphs than t were found, by method and t; empty without any."""
    # The smallest number is the same for every t above it.
    alike = _together({method: (min(n.values()), tuple(n)) for method, n in fewer.items()})
    parts = [
        f"{n} by {', '.join(methods)} for t={', '.join(map(str, sizes))}"
        for (n, sizes), methods in alike.items()
    ]
    note = f"Fewer subgraphs than t were found (smallest number in a split): {'; '.join(parts)}."
    return [note] if parts else []


def _together(by_method: Mapping[str, _Key]) -> dict[_Key, list[str]]:
    alike: dict[_Key, list[str]] = {}
    for method, key in by_method.items():
        alike.setdefault(key, []).append(method)
    return alike
