"""The result of a search: the best subgraphs, what is proven about them, and how it is shown."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.edges import SubgraphNaming
from dugraph.data.networkx_graphs import subgraphs_to_networkx
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import AssumedClassWarning, FewerSubgraphsWarning, LimitReachedWarning
from dugraph.probability.scores import ONE_SIDED, Score
from dugraph.search.core import COUNTERS as COUNTERS
from dugraph.search.core import Answer
from dugraph.search.limits import none_admitted
from dugraph.words import FREQUENCY
from dugraph.words import Status as Status

if TYPE_CHECKING:
    import networkx
    import pandas

ROWS = 10
"""Subgraphs that a result lists in text."""
_WIDEST = 100  # characters of a subgraph's name on a line


class Drawable:
    """A result with a method `plot`.

    Drawing is the work of `dugraph.plot`, which knows the results and is imported when something is drawn:
    results are made without it and without matplotlib.
    """

    def plot(self, graphs: Any = None, **options: Any) -> Any:
        """Draw the result with matplotlib.

        Parameters
        ----------
        graphs : UncertainGraphs or LabelledGraphs, optional
            Those of the result, for what it does not know itself; see `dugraph.plot.subgraph_figure`.
        **options
            Those of the function that draws it: `dugraph.plot.subgraph_figure` for subgraphs,
            `plot_replication` for a replication, `plot_power` for a power analysis, `plot_metric` for an
            evaluation, `plot_sensitivity` for several settings, `plot_coefficients` for a fitted sparse
            model.

        Returns
        -------
        matplotlib Axes, or list of these
            ``dugraph.plot.save_figure`` writes their figure.
        """
        return import_module("dugraph.plot.figure").draw_result(self, graphs, **options)

    def _picture_html(self) -> str:
        """The subgraphs as an image within HTML; empty if they cannot be drawn, as without matplotlib."""
        return str(import_module("dugraph.plot.figure").picture_html(self))


class ResultTable(NamedTuple):
    """A table of a result, with a title above and a note below it."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""
    title: str = ""

    def lines(self) -> list[str]:
        """The lines of the table as text; long names are shortened."""
        rows = [self.heads, *([one_line(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return [f"  {line}" for line in (self.title, *lines, self.note) if line]

    def html(self) -> str:
        """The table as HTML; cells are escaped, since names come from files."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.heads)
        body = "".join(
            "<tr>" + "".join(f"<td><bdi>{escape(one_line(cell))}</bdi></td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        title = f"<p>{escape(self.title)}</p>" if self.title else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


class TabularResult(Drawable):
    """A result displayed as a summary, tables and its message, if it has one, in text and HTML."""

    _shows_picture = False

    def _summary(self) -> str:
        raise NotImplementedError

    def _tables(self, n_rows: int = ROWS) -> list[ResultTable]:
        """The tables, with at most `n_rows` subgraphs or edges."""
        raise NotImplementedError

    def _messages(self) -> list[str]:
        return [self.message] if hasattr(self, "message") else []

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}: {self._summary()}"]
        lines += [line for table in self._tables() for line in table.lines()]
        return "\n".join([*lines, *self._messages()])

    def _repr_html_(self) -> str:
        lines = "<br>".join(map(escape, [self._summary(), *self._messages()]))
        tables = "".join(table.html() for table in self._tables())
        picture = self._picture_html() if self._shows_picture else ""
        return f"<div><p><b>{type(self).__name__}</b>: {lines}</p>{tables}{picture}</div>"


def one_line(name: str) -> str:
    """A name short and printable enough for a table."""
    name = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 4]} ...{name[-1]}"
    return name if name.isprintable() else ascii(name)


def more_rows(n_rows: int, n_shown: int) -> str:
    """A note that there are more rows than are shown; empty if there are not."""
    return f"... and {n_rows - n_shown} more" if n_rows > n_shown else ""


@dataclass(frozen=True, repr=False)
class MiningResult(TabularResult):
    """The best connected subgraphs of a cohort, with status, proof and counters of the search.

    With `max_correlation` the search takes several rounds: counters and times are sums over these, and the
    subgraphs listed with a value above `best_open_bound` are proven in any case.

    Attributes
    ----------
    subgraphs : list of tuple of int
        Sorted edge indices, best subgraph first.
    values : ndarray of shape (n_found,)
        The measure of each subgraph.
    status : Status
        OPTIMAL, TIME_LIMIT, NODE_LIMIT, INTERRUPTED or MEMORY_LIMIT.
    message : str
        The status in a sentence.
    threshold : float
        The value of the worst subgraph listed, if as many were found as requested; otherwise minus infinity.
    best_open_bound : float
        No unseen subgraph exceeds this; minus infinity when the answer is proven.
    n_visited : int
        Admitted subgraphs seen.
    n_candidates : int
        Extensions whose expected frequency was tested.
    n_evaluated : int
        Dynamic programs run (both classes count as one).
    n_pruned_by_frequency : int
        Extensions that were not admitted.
    n_pruned_by_bound : int
        Subgraphs whose supergraphs a bound excluded.
    seconds, setup_seconds : float
        Total time of the search, and time for its tables before the first subgraph.
    parameters : dict
        The parameters of the call.
    naming : SubgraphNaming
        What `names` are created from.
    positive_class : object
        The class that was positive, as it is in `y`; None for a phenotype or several groups.
    effects : ndarray of shape (n_found,), or None
        Adjusted for covariates: of a phenotype, the slope of the containment probability per unit of it; of
        two classes, the difference in expected frequency. None for groups, and for two classes without
        covariates.
    contrasts : list of str, or None
        Which comparison found each subgraph, if classes were compared one by one.
    """

    subgraphs: list[tuple[int, ...]]
    values: NDArray[np.float64]
    status: Status
    message: str
    threshold: float
    best_open_bound: float
    n_visited: int
    n_candidates: int
    n_evaluated: int
    n_pruned_by_frequency: int
    n_pruned_by_bound: int
    seconds: float
    setup_seconds: float
    parameters: dict[str, Any]
    naming: SubgraphNaming
    positive_class: Any
    effects: NDArray[np.float64] | None = None
    contrasts: list[str] | None = None
    _shows_picture = True

    def __post_init__(self) -> None:
        # A subgraph that is used with another cohort is matched by the names of its regions.
        object.__setattr__(self, "subgraphs", Subgraphs(self.subgraphs, self.naming))

    @property
    def success(self) -> bool:
        """True only when the answer is proven."""
        return self.status is Status.OPTIMAL

    @property
    def gap(self) -> float:
        """How much better an unseen subgraph could be than the worst listed; 0 when proven."""
        return 0.0 if self.success else max(0.0, self.best_open_bound - self.threshold)

    @cached_property
    def names(self) -> list[str]:
        """The subgraphs by the names of their nodes, created on demand."""
        return self.naming.subgraph_names(self.subgraphs)

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgraph, best first, as a pandas DataFrame with the ranks as its index.

        Columns: `subgraph` (its name), `value`, `effect` and `contrast` where the result has them, `n_edges`,
        and `edges` (the tuple of edge indices).
        """
        import pandas

        columns: dict[str, Any] = {"subgraph": self.names, "value": self.values}
        columns |= {"effect": self.effects} if self.effects is not None else {}
        columns |= {"contrast": self.contrasts} if self.contrasts is not None else {}
        columns |= {"n_edges": [len(subgraph) for subgraph in self.subgraphs], "edges": self.subgraphs}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(1, len(self) + 1, name="rank"))

    def to_networkx(self) -> networkx.Graph:
        """The union of the subgraphs as one networkx graph, a MultiGraph if edges have layers.

        Nodes have `x`, `y`, `z` and `network` where the cohort has them. Edges have `index`, `n_subgraphs`
        (in how many of the listed subgraphs they are), and `rank`, `value` and `effect` of the best of these.
        """
        values = {"value": self.values} | ({"effect": self.effects} if self.effects is not None else {})
        return subgraphs_to_networkx(self.naming, self.subgraphs, values)

    def __len__(self) -> int:
        return len(self.subgraphs)

    def _summary(self) -> str:
        settings, positive = self.parameters, self.positive_class
        by = settings["measure"]
        if by != FREQUENCY:
            by += f" of {settings['score']}"
        labels = f"y: {settings['labels']}" if positive is None else f"positive class: {abbreviate(positive)}"
        taken = f" in {self.seconds:.2f} s" if self.seconds else ""  # files contain no times
        return (
            f"{len(self)} subgraphs by {by}, {self.status.value}{taken} "
            f"({self.n_visited:,} admitted, {self.n_evaluated:,} evaluated); {labels}"
        )

    def _tables(self, n_rows: int = ROWS) -> list[ResultTable]:
        rows = [
            (str(rank), f"{value:.6g}", self.naming.subgraph_name(subgraph))
            for rank, (value, subgraph) in enumerate(
                zip(self.values[:n_rows], self.subgraphs[:n_rows], strict=True), start=1
            )
        ]
        return [ResultTable(("rank", "value", "subgraph"), rows, more_rows(len(self), n_rows))]


_CAUSES = {
    Status.TIME_LIMIT: "The time limit was reached",
    Status.NODE_LIMIT: "The node limit was reached",
    Status.INTERRUPTED: "The search was interrupted",
    Status.MEMORY_LIMIT: "The ranking is too long for memory",
}


def result_message(answer: Answer, parameters: dict[str, Any]) -> str:
    """A sentence about what is proven."""
    status, limit = answer.status, parameters["max_correlation"]
    n_found, n_ranked = answer.listing.n_subgraphs, answer.n_ranked
    if status is Status.OPTIMAL and limit in (None, 1):
        return f"Proven: no other admitted connected subgraph is better than the {n_found} listed."
    if status is Status.OPTIMAL:
        return (
            f"Proven: going down the {n_ranked} best admitted connected subgraphs, the {n_found} listed are "
            f"those that do not correlate above {limit:g} with an earlier one."
        )
    # Without a full list, anything admitted could still enter it.
    worst = f", the worst listed has {answer.threshold:.6g}" if math.isfinite(answer.threshold) else ""
    return (
        f"{_CAUSES[status]}: the {n_found} subgraphs listed are the best so far, not proven; an unseen one "
        f"has a value of at most {answer.best_open_bound:.6g}{worst}."
    )


def warn_of_guessed_class(scores: Iterable[Score], cohort: LabelledGraphs, stacklevel: int = 3) -> None:
    """Warn if a one-sided score assumes the positive class, unless classes are 1 and 0 or -1."""
    one_sided = [score for score in scores if isinstance(score, str) and score in ONE_SIDED]
    negative, positive = cohort.classes.tolist()
    if not one_sided or not cohort.assumed or [negative, positive] in ([0, 1], [-1, 1]):
        return
    warnings.warn(
        f"{one_sided[0]} is large for subgraphs typical of the positive class, which was not given. It is "
        f"assumed to be {abbreviate(repr(positive))}, the last in sorted order, and not "
        f"{abbreviate(repr(negative))}. Give pos_label.",
        AssumedClassWarning,
        stacklevel=stacklevel,
    )


def warn_about(result: MiningResult, cohort: UncertainGraphs) -> None:
    """Warn about a limit or too few subgraphs; raise InputError if there are none."""
    requested, limit = result.parameters["n_subgraphs"], result.parameters["max_correlation"]
    if not result.success:
        warnings.warn(result.message, LimitReachedWarning, stacklevel=4)
        return
    if not result.subgraphs:
        raise none_admitted(cohort, result.parameters["min_expected_frequency"])
    if len(result) == requested:
        return
    if limit in (None, 1):
        fewer = f"only {len(result)} are admitted; all are returned. Lower min_expected_frequency for more."
    else:
        fewer = (
            f"of all admitted ones only {len(result)} can be kept without a correlation above {limit:g}. "
            "Raise max_correlation, or lower min_expected_frequency, for more."
        )
    warnings.warn(f"{requested} subgraphs were requested, but {fewer}", FewerSubgraphsWarning, stacklevel=4)
