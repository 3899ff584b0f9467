"""All subgraphs of a fit in one picture: for which class each edge speaks, and how much."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from dugraph.data import UncertainGraphs
from dugraph.report.markup import element
from dugraph.report.subgraph_svg import (
    DASHES,
    LARGE,
    Ground,
    Line,
    draw_lines,
    layer_dashes,
    line_width,
    named_nodes,
    view_box,
)
from dugraph.results.ranking import RankedSubgraph

_MOST_NAMES = 24  # names that find room around the picture
_RADIUS, _MARGIN = 80.0, 12.0


def union_picture(
    graphs: UncertainGraphs, found: Sequence[RankedSubgraph], ground: Ground | None, signed: bool = True
) -> Markup:
    """Draw every edge once for each class that a coefficient of its subgraphs favours.

    Parameters
    ----------
    graphs : UncertainGraphs
    found : sequence of RankedSubgraph
        At least one, whose values are coefficients.
    ground : Ground or None
        None: on a circle.
    signed : bool
        Whether the sign of a value tells classes apart; else all edges look alike.
    """
    weights: dict[tuple[int, str], float] = {}
    for one in found:
        side = "pos" if one.value >= 0 or not signed else "neg"
        for edge in one.edges:
            weights[edge, side] = weights.get((edge, side), 0.0) + abs(one.value)
    most = max(weights.values()) or 1.0
    lines = [
        Line(edge, line_width(weight / most, LARGE), _dashes(graphs, edge, side), side)
        for (edge, side), weight in sorted(weights.items(), key=lambda item: item[1])
    ]
    nodes = sorted({node for edge, _ in weights for node in graphs.edges[edge].tolist()})
    if ground is None:
        angle = 2 * math.pi * np.arange(len(nodes)) / len(nodes)
        places = {
            v: _RADIUS * np.array([math.cos(a), math.sin(a)]) for v, a in zip(nodes, angle, strict=True)
        }
        half = _RADIUS + _MARGIN
        box, below = (-half, -half, 2 * half, 2 * half), Markup()
    else:
        places, box = {v: ground.places[v] for v in nodes}, ground.box
        below = element("use", href=f"#{ground.name}")
    names = Markup()
    if len(nodes) <= _MOST_NAMES:
        names, box = named_nodes(graphs, nodes, places, box)
    title = f"All {len(found)} subgraphs: {len(weights)} lines between {len(nodes)} nodes"
    return element(
        "svg",
        element("title", title),
        below,
        names,
        draw_lines(graphs, lines, places),
        class_="large union",
        viewBox=view_box(box),
        role="img",
    )


def _dashes(graphs: UncertainGraphs, edge: int, side: str) -> str | None:
    if graphs.edge_layers is not None:
        return layer_dashes(graphs, edge)
    return DASHES[1] if side == "neg" else None
