"""The edges that a result shows, each with a signed value: all together, and family by family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs, check_cohort
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES
from dugraph.data.subgraphs import Subgraphs, check_subgraphs
from dugraph.exceptions import InputError
from dugraph.plot.style import plain
from dugraph.probability import containment_probability
from dugraph.results.records import ReplicationRecord, SubgraphRecord, TestRecord
from dugraph.search import MiningResult
from dugraph.significance import ReplicationResult, SignificanceResult
from dugraph.sparse import SparseModel, SparseSubgraphClassifier, SparseSubgraphRegressor

Fitted = SparseSubgraphClassifier | SparseSubgraphRegressor
_OF_PHENOTYPE = ("larger values", "smaller values")
_ROOM = 0.9  # inches for the name of a class in a legend


@dataclass(frozen=True)
class Panel:
    """The edges of one drawing, with values whose signs give the colours and whose sizes give the widths."""

    title: str
    values: dict[int, float]
    variants: dict[int, float] = field(default_factory=dict)  # further edges, of the rest of a family
    view: str = ""
    hemisphere: int = 0  # -1 or 1: edges of the other hemisphere are left out

    @property
    def every(self) -> dict[int, float]:
        """All edges, in the order of drawing."""
        return {**self.variants, **self.values}


@dataclass(frozen=True)
class Shown:
    """The edges that a result shows."""

    naming: SubgraphNaming
    together: Panel  # everything in one drawing
    panels: list[Panel]  # one for each family, or for each subgraph of a ranking; the best first
    word: str  # "family" or "subgraph"
    value: str  # name of the values, for a colour scale
    meanings: tuple[str, str] | None  # of a value above 0, and of one below; None if all are positive
    is_count: bool = False


def shown_by(result: Any, graphs: Any = None) -> Shown:
    """Return the edges of a result, in memory or loaded; `graphs` are needed if it does not name them."""
    if isinstance(result, ReplicationRecord):
        result, graphs = result.result, result.cohort
    elif isinstance(result, (SubgraphRecord, TestRecord)):
        graphs = result.cohort if graphs is None else graphs
        if isinstance(result, SubgraphRecord) and result.is_fit:
            return _of_coefficients([(one.edges, one.value) for one in result.subgraphs], graphs)
        result = result.result
    if isinstance(result, SparseModel):
        return _of_coefficients(zip(result.subgraphs, result.coef.tolist(), strict=True), graphs)
    if isinstance(result, Fitted):
        return _of_estimator(result, graphs)
    if isinstance(result, SignificanceResult):
        return _of_test(result, *_matched(result.naming, graphs, result.subgraphs))
    if isinstance(result, ReplicationResult):
        return _of_replication(result, *_matched(result.discovery.naming, graphs, result.subgraphs))
    if isinstance(result, MiningResult):
        return _of_search(result, graphs, *_matched(result.naming, graphs, result.subgraphs))
    raise InputError(
        "A figure of subgraphs needs the result of significant_subgraphs, mine_subgraphs or replicate, a "
        f"fitted sparse model, or what load_result returns for one of these: got {type(result).__name__}.",
        parameter="result",
    )


def naming_of(model: Fitted) -> SubgraphNaming:
    """The nodes and edges of a fitted sparse model."""
    return SubgraphNaming(model.edges_, model.node_labels_, model.edge_layers_)


def _matched(
    own: SubgraphNaming | None, graphs: object, subgraphs: Sequence[Sequence[int]]
) -> tuple[SubgraphNaming, list[tuple[int, ...]]]:
    """The nodes and edges to draw, those of the graphs if they are given, and the subgraphs among them."""
    if not subgraphs:
        raise InputError("Nothing can be drawn: the result has no subgraph.", parameter="result")
    if graphs is None:
        if own is None:
            raise InputError(
                "A sparse model does not know the names of its regions: pass its graphs as the second "
                "argument.",
                parameter="graphs",
            )
        return own, [tuple(subgraph) for subgraph in subgraphs]
    alone: Any = graphs.graphs if isinstance(graphs, LabelledGraphs) else graphs
    naming = check_cohort(alone).naming
    named = subgraphs if own is None else Subgraphs(map(tuple, subgraphs), own)
    return naming, check_subgraphs(named, naming)


def _first_values(subgraphs: Iterable[tuple[Sequence[int], float]]) -> dict[int, float]:
    """For each edge the value of the first subgraph that contains it."""
    values: dict[int, float] = {}
    for subgraph, value in subgraphs:
        for edge in subgraph:
            values.setdefault(edge, float(value))
    return values


def _of_test(
    result: SignificanceResult, naming: SubgraphNaming, subgraphs: Sequence[tuple[int, ...]]
) -> Shown:
    panels = []
    for number, family in enumerate(result.families, 1):
        k = family.irreducible[0]
        own = _first_values([(subgraphs[k], result.effects[k])])
        every = _first_values((subgraphs[k], result.effects[k]) for k in family.irreducible)
        title = f"{number}: p = {result.p_values[k]:.3g}, effect {result.effects[k]:+.2g}"
        panels.append(Panel(title, own, {edge: v for edge, v in every.items() if edge not in own}))
    return Shown(naming, _union(panels), panels, "family", "effect", effect_meanings(result))


def _union(panels: Sequence[Panel]) -> Panel:
    own: dict[int, float] = {}
    variants: dict[int, float] = {}
    for panel in panels:
        own |= panel.values
        variants |= {edge: value for edge, value in panel.variants.items() if edge not in variants}
    return Panel("", own, {edge: value for edge, value in variants.items() if edge not in own})


def effect_meanings(result: SignificanceResult) -> tuple[str, str]:
    """The meaning of an effect above 0, and of one below."""
    kind, adjusted = result.parameters["labels"], ", adjusted" * result.is_adjusted
    if kind == "classes":
        names = result.contrasts[0].split(" against ")
        if len(names) != 2:  # a name that contains these words
            return "effect above 0", "effect below 0"
        above, below = (f"more frequent in {plain(name, _ROOM)}" for name in names)
    elif kind == "phenotype":
        above, below = "rises with the phenotype", "falls with the phenotype"
    else:
        above, below = "more frequent in a group", "less frequent in a group"
    return f"{above}{adjusted}", f"{below}{adjusted}"


def _of_replication(
    result: ReplicationResult, naming: SubgraphNaming, subgraphs: Sequence[tuple[int, ...]]
) -> Shown:
    """Replicated subgraphs with the effects of the second cohort; the edges of others are variants."""
    panels = []
    for k, subgraph in enumerate(subgraphs):
        values = dict.fromkeys(subgraph, float(result.effects[k]))
        verdict = "replicated" if result.replicated[k] else "not replicated"
        title = f"{k + 1}: {verdict}, p = {result.p_values[k]:.3g}"
        panels.append(Panel(title, values) if result.replicated[k] else Panel(title, {}, values))
    meanings = effect_meanings(result.discovery)
    return Shown(naming, _union(panels), panels, "subgraph", "effect", meanings)


def _of_search(
    result: MiningResult, graphs: object, naming: SubgraphNaming, subgraphs: Sequence[tuple[int, ...]]
) -> Shown:
    effects, meanings = result.effects, None
    if effects is None and isinstance(graphs, LabelledGraphs) and graphs.kind == CLASSES:
        x = [containment_probability(graphs.graphs, subgraph) for subgraph in subgraphs]
        effects = np.array([one[graphs.positive].mean() - one[~graphs.positive].mean() for one in x])
    if effects is not None and result.positive_class is None:
        meanings = ("rises with the phenotype", "falls with the phenotype")
    elif effects is not None:
        names = ("the positive class", "the negative class")
        if isinstance(graphs, LabelledGraphs):
            names = (plain(graphs.names[0], _ROOM), plain(graphs.names[1], _ROOM))
        meanings = (f"more frequent in {names[0]}", f"more frequent in {names[1]}")
    signs = np.ones(len(result)) if effects is None else np.where(effects >= 0, 1.0, -1.0)
    panels = [
        Panel(f"{rank}: {value:.4g}", dict.fromkeys(subgraph, float(sign)))
        for rank, (value, subgraph, sign) in enumerate(zip(result.values, subgraphs, signs, strict=True), 1)
    ]
    # In how many subgraphs an edge is, with the sign of the first of them.
    counts = np.bincount([edge for subgraph in subgraphs for edge in subgraph])
    first = _first_values(zip(subgraphs, signs, strict=True))
    together = Panel("", {edge: sign * float(counts[edge]) for edge, sign in first.items()})
    return Shown(naming, together, panels, "subgraph", "number of subgraphs", meanings, is_count=True)


def _of_estimator(model: Any, graphs: object) -> Shown:
    if not hasattr(model, "models_"):
        raise InputError("The sparse model must be fitted: call fit first.", parameter="result")
    if len(model.models_) > 1:
        raise InputError(
            f"A figure shows one sparse model, but there are {len(model.models_)}, one for each class "
            "against the rest. Draw its models_ one by one: subgraph_figure(model.models_[0], graphs).",
            parameter="result",
        )
    names = _OF_PHENOTYPE
    if isinstance(model, SparseSubgraphClassifier):
        names = (str(model.classes_[1]), str(model.classes_[0]))
    pairs = zip(model.model_.subgraphs, model.model_.coef.tolist(), strict=True)
    return _of_coefficients(pairs, graphs, naming_of(model), names)


def _of_coefficients(
    found: Iterable[tuple[tuple[int, ...], float]],
    graphs: object,
    own: SubgraphNaming | None = None,
    names: tuple[str, str] = (
        "the positive class, or larger values",
        "the negative class, or smaller values",
    ),
) -> Shown:
    """Subgraphs with their coefficients; `names` are the sides that these favour, above 0 and below."""
    found = list(found)
    naming, subgraphs = _matched(own, graphs, [subgraph for subgraph, _ in found])
    if own is None and isinstance(graphs, LabelledGraphs):
        names = (graphs.names[0], graphs.names[1]) if graphs.kind == CLASSES else _OF_PHENOTYPE
    above, below = (f"favours {plain(name, 2 * _ROOM)}" for name in names)
    pairs = sorted(zip(subgraphs, (v for _, v in found), strict=True), key=lambda pair: -abs(pair[1]))
    panels = [
        Panel(f"{rank}: coefficient {value:+.3g}", dict.fromkeys(subgraph, value))
        for rank, (subgraph, value) in enumerate(pairs, 1)
    ]
    return Shown(naming, Panel("", _first_values(pairs)), panels, "subgraph", "coefficient", (above, below))
