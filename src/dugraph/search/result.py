"""The result of a search: the best subgraphs, what is proven about them, and how it is shown."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.display import Drawable
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


@dataclass(frozen=True, repr=False)
class MiningResult(Drawable):
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
        The same as a sentence.
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

    def __repr__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        return result_html(self)


_ROWS = 10
_WIDEST = 120  # characters of a subgraph's name on a line


def _rows(result: MiningResult) -> list[tuple[str, str, str]]:
    return [
        (str(rank), f"{value:.6g}", result.naming.subgraph_name(subgraph))
        for rank, (value, subgraph) in enumerate(
            zip(result.values[:_ROWS], result.subgraphs[:_ROWS], strict=True), start=1
        )
    ]


def _one_line(name: str) -> str:
    name = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 4]} ...}}"
    return name if name.isprintable() else ascii(name)


def _summary(result: MiningResult) -> str:
    asked = result.parameters
    what = asked["measure"] if asked["measure"] == FREQUENCY else f"{asked['measure']} of {asked['score']}"
    positive = result.positive_class
    labels = f"positive class: {abbreviate(positive)}" if positive is not None else f"y: {asked['labels']}"
    taken = f" in {result.seconds:.2f} s" if result.seconds else ""  # no file holds times
    return (
        f"{len(result)} subgraphs by {what}, {result.status.value}{taken} "
        f"({result.n_visited:,} admitted, {result.n_evaluated:,} evaluated); {labels}"
    )


def result_text(result: MiningResult) -> str:
    """A summary line and the best subgraphs, one per line."""
    lines = [f"MiningResult: {_summary(result)}"]
    lines += [f"  {rank:>3}  {value:<10}  {_one_line(name)}" for rank, value, name in _rows(result)]
    if len(result) > _ROWS:
        lines.append(f"  ... and {len(result) - _ROWS} more")
    return "\n".join(lines)


def result_html(result: MiningResult) -> str:
    """The result as an HTML table; names are escaped, since they come from files."""
    body = "".join(
        f"<tr><td>{rank}</td><td>{value}</td><td><bdi>{escape(_one_line(name))}</bdi></td></tr>"
        for rank, value, name in _rows(result)
    )
    more = f"<p>and {len(result) - _ROWS} more</p>" if len(result) > _ROWS else ""
    return (
        f"<div><p><b>MiningResult</b>: {escape(_summary(result))}<br>{escape(result.message)}</p>"
        f"<table><thead><tr><th>rank</th><th>value</th><th>subgraph</th></tr></thead><tbody>{body}</tbody></table>"
        f"{more}{result._picture_html()}</div>"
    )


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
    """Warn if a one-sided score assumes the positive class, unless classes are 1 and 0 or -1.

    Parameters
    ----------
    scores : iterable of str or callable
        Those in use.
    cohort : LabelledGraphs
        Knows whether its positive class was given.
    stacklevel : int, default 3
        As for `warnings.warn`.
    """
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
    asked = result.parameters["n_subgraphs"]
    if not result.success:
        warnings.warn(result.message, LimitReachedWarning, stacklevel=4)
    elif result.success and not result.subgraphs:
        raise none_admitted(cohort, result.parameters["min_expected_frequency"])
    elif result.success and len(result) < asked:
        warnings.warn(_too_few(result, asked), FewerSubgraphsWarning, stacklevel=4)


def _too_few(result: MiningResult, asked: int) -> str:
    limit = result.parameters["max_correlation"]
    if limit in (None, 1):
        return (
            f"{asked} subgraphs were requested, but only {len(result)} are admitted; all are returned. "
            "Lower min_expected_frequency for more."
        )
    return (
        f"{asked} subgraphs were requested, but of all admitted ones only {len(result)} can be kept "
        f"without a correlation above {limit:g}. Raise max_correlation, or lower min_expected_frequency, for "
        "more."
    )
