"""Geometry of subgraphs, for plots and report: outlines of the brain, places of nodes and names, curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull, QhullError

from dugraph.data import UncertainGraphs
from dugraph.data.edges import SubgraphNaming
from dugraph.plot.style import optional_package, spread

Points = NDArray[np.float64]
Structure = UncertainGraphs | SubgraphNaming
"""Nodes, edges and their names are all that a drawing needs."""
Places = Mapping[int, Points] | Points
_AROUND = 0.06  # from the outermost nodes to the outline, as a share of the larger extent
_BEND = 0.22  # distance of parallel edges at their middles, as a share of their length
CURVATURE = 0.16
"""Height of a curved edge, as a share of its length."""
_NEAR = 0.07  # of the length: a node this close to a line hides whether the line ends there
_MOST_FOR_DISTANCES = 80  # nodes up to which a layout by all distances is quick


@dataclass(frozen=True)
class View:
    """Which two coordinates are drawn, and the outline of the brain in millimetres of MNI space, by hand."""

    title: str
    across: int
    up: int
    sides: tuple[str, str]  # left and right
    outline: tuple[tuple[float, float], ...]  # all of it, or the right half from top to bottom
    inner: tuple[tuple[tuple[float, float], ...], ...]  # fissures and the upper edge of the cerebellum
    is_half: bool
    is_mirrored: bool = False  # the first coordinate runs from right to left


_DRAWN = {
    "above": View(
        *("from above (front at the top)", 0, 1, ("left", "right")),
        outline=(
            *((0, 70), (8, 74), (22, 72), (37, 64), (50, 50), (59, 32), (65, 10), (69, -14), (70, -38)),
            *((66, -60), (58, -80), (44, -97), (26, -107), (9, -109), (0, -104)),
        ),
        inner=(((0, 68), (0, -102)), ((7, -36), (23, -30), (35, -22), (48, -13), (59, -6))),
        is_half=True,
    ),
    # Forehead, crown, back, cerebellum, stem, temporal lobe, orbit.
    "right": View(
        *("from the right side", 1, 2, ("back", "front")),
        outline=(
            *((75, 2), (73, 20), (66, 38), (52, 55), (32, 69), (8, 78), (-18, 82), (-44, 79), (-68, 68)),
            *((-89, 49), (-103, 26), (-109, 4), (-105, -14), (-97, -26), (-97, -40), (-88, -55), (-70, -64)),
            *((-52, -62), (-40, -52), (-34, -53), (-31, -66), (-21, -66), (-18, -48), (-6, -42), (14, -45)),
            *((30, -42), (38, -30), (46, -24), (60, -22), (71, -12)),
        ),
        inner=(
            ((34, -22), (22, -12), (4, -4), (-16, 4), (-36, 16), (-50, 26)),
            ((-36, 76), (-28, 62), (-25, 50), (-17, 38), (-12, 26), (-6, 12)),
            ((-97, -32), (-82, -25), (-64, -24), (-48, -32), (-40, -52)),
        ),
        is_half=False,
    ),
    # Crown, temporal lobe, cerebellum.
    "behind": View(
        *("from behind", 0, 2, ("left", "right")),
        outline=(
            *((0, 78), (7, 82), (24, 81), (40, 74), (54, 61), (64, 42), (69, 20), (70, -2), (68, -20)),
            *((62, -34), (56, -46), (46, -58), (30, -66), (13, -65), (6, -60), (0, -60)),
        ),
        inner=(((0, 78), (0, -26)), ((0, -26), (18, -25), (36, -30), (50, -40), (56, -46))),
        is_half=True,
    ),
}
VIEWS = {
    "above": _DRAWN["above"],
    "left": replace(_DRAWN["right"], title="from the left side", sides=("front", "back"), is_mirrored=True),
    "right": _DRAWN["right"],
    # Fissure, temporal lobes: the cerebellum is hidden.
    "front": replace(
        _DRAWN["behind"],
        title="from the front",
        sides=("right", "left"),
        inner=(((0, 78), (0, 8)), ((66, -14), (54, -22), (40, -22), (30, -32), (26, -46))),
        is_mirrored=True,
    ),
    "behind": _DRAWN["behind"],
}


@dataclass(frozen=True)
class BrainView:
    """The brain, or another space with coordinates, seen from one side; `inner` is empty in another space."""

    key: str
    title: str
    sides: tuple[str, str]
    places: Points
    outline: Points
    inner: list[Points]

    @property
    def box(self) -> tuple[Points, Points]:
        """The lower left and the upper right corner."""
        return self.outline.min(axis=0), self.outline.max(axis=0)


def brain_views(coordinates: Points, keys: Sequence[str] = tuple(VIEWS)) -> list[BrainView]:
    """Views of nodes: within the outline of the brain if it encloses them all, else within their hull."""
    views = {key: _seen(key, view, coordinates) for key, view in VIEWS.items()}
    if not all(_encloses(view.outline, view.places) for view in views.values()):
        views = {
            key: replace(view, outline=round_outline(view.places), inner=[]) for key, view in views.items()
        }
    return [views[key] for key in keys]


def _seen(key: str, view: View, coordinates: Points) -> BrainView:
    turned = (-1, 1) if view.is_mirrored else (1, 1)
    places = np.asarray(coordinates[:, [view.across, view.up]] * turned, dtype=np.float64)
    points = np.array(view.outline, dtype=np.float64)
    other_half = points[-2:0:-1] * (-1, 1)
    outline = _smooth(np.vstack([points, other_half]) if view.is_half else points * turned, True)
    lines = [_smooth(np.array(line, dtype=np.float64) * turned, False) for line in view.inner]
    # A line of the middle is its own mirror image.
    lines += [line * (-1, 1) for line in lines if view.is_half and line[:, 0].any()]
    return BrainView(key, view.title, view.sides, places, outline, lines)


def _smooth(points: Points, closed: bool) -> Points:
    """A Catmull-Rom curve through the points, with six steps from one to the next."""
    ends = (points[-1:], points[:2]) if closed else (points[:1], points[-1:])
    around = np.vstack([ends[0], points, ends[1]])
    knots = np.arange(len(around) - 2)
    curve = CubicHermiteSpline(knots, around[1:-1], (around[2:] - around[:-2]) / 2)
    return np.asarray(curve(np.arange(6 * knots[-1] + (not closed)) / 6))


def _encloses(outline: Points, points: Points) -> bool:
    """Whether all points lie inside an outline: a ray from each crosses it an odd number of times."""
    a, b = outline, np.roll(outline, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(((spans & (x < at)).sum(axis=1) % 2 == 1).all())


def round_outline(xy: Points) -> Points:
    """A smooth closed curve slightly outside all nodes."""
    centre = (xy.min(axis=0) + xy.max(axis=0)) / 2
    around = _AROUND * max(float(np.ptp(xy, axis=0).max()), 1e-6)
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ray = np.column_stack([np.cos(angle), np.sin(angle)])
    try:
        facets = ConvexHull(xy).equations  # normal and offset of each side of the hull
    except (QhullError, ValueError):  # nodes on one line have no hull
        return np.asarray(centre + (np.ptp(xy, axis=0) / 2 + around) * ray)
    slope = ray @ facets[:, :2].T
    distance = -(facets[:, :2] @ centre + facets[:, 2])
    radius = np.min(np.where(slope > 1e-9, distance / np.maximum(slope, 1e-9), np.inf), axis=1)
    smooth = gaussian_filter1d(radius + around, 2.4, mode="wrap")
    return np.asarray(centre + smooth[:, None] * ray)


def edge_curvature(pairs: Sequence[tuple[int, int]], places: Places) -> list[float]:
    """Return the height of each edge's curve as a share of its length; 0 if it can be straight.

    A straight edge must not run through another node: three edges among three regions of the midline would
    look like one line. Only nodes of the edges count, since only these are drawn as dots.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    >>> edge_curvature([(0, 1), (1, 2), (0, 2)], line)
    [0.0, 0.0, 0.16]
    """
    nodes = sorted({node for pair in pairs for node in pair})
    at = np.array([places[node] for node in nodes], dtype=np.float64).reshape(-1, 2)
    curvature = []
    for u, v in pairs:
        start, end = np.asarray(places[u], float), np.asarray(places[v], float)
        along = end - start
        length = max(float(np.hypot(*along)), 1e-300)
        way = (at - start) / length
        share, beside = way @ along / length, np.abs(way[:, 0] * along[1] - way[:, 1] * along[0]) / length
        other = np.array([node not in (u, v) for node in nodes])
        passes = other & (beside < _NEAR) & (share > _NEAR) & (share < 1 - _NEAR)
        curvature.append(CURVATURE if passes.any() else 0.0)
    return curvature


def edge_curves(pairs: Sequence[tuple[int, int]], places: Places) -> list[Points]:
    """The curve of each edge: its ends, with the control point of a quadratic curve between if it bends.

    Parallel edges bend apart, and edges that would run through another node curve around it.
    """
    same: dict[tuple[int, int], list[int]] = {}
    for i, (u, v) in enumerate(pairs):
        same.setdefault((min(u, v), max(u, v)), []).append(i)
    curves = []
    for i, ((u, v), curvature) in enumerate(zip(pairs, edge_curvature(pairs, places), strict=True)):
        parallel = same[min(u, v), max(u, v)]
        bend = _BEND * (parallel.index(i) - (len(parallel) - 1) / 2)
        start, end = np.asarray(places[u], float), np.asarray(places[v], float)
        # Across the edge, always to the same side, whichever end comes first.
        across = np.array([start[1] - end[1], end[0] - start[0]])
        across = across if tuple(across) > (0, 0) else -across
        # The middle of the curve is half as far from the straight line as the control point.
        apart = 2 * (bend + curvature) * across
        curves.append(np.array([start, (start + end) / 2 + apart, end] if apart.any() else [start, end]))
    return curves


def margin_names(
    places: Points,
    box: tuple[Points, Points],
    line: float,
    within: tuple[float, float] | None = None,
    most: int | None = None,
) -> list[tuple[int, int, float]]:
    """Place names of nodes in the margins: (position in `places`, -1 for left or 1 for right, height).

    `box` has two opposite corners of the picture, `line` is the distance from one name to the next, `within`
    the lowest and highest position. If more than `most` names lie on a side, they are shared out evenly.
    """
    right = places[:, 0] > (box[0][0] + box[1][0]) / 2
    if most is not None and max(int(right.sum()), int((~right).sum())) > most:
        right = np.zeros(len(places), dtype=bool)
        right[np.argsort(places[:, 0], kind="stable")[(len(places) + 1) // 2 :]] = True
    names = []
    for side, members in ((-1, np.flatnonzero(~right)), (1, np.flatnonzero(right))):
        heights = spread(places[members, 1], line, within)
        names += [(int(node), side, float(height)) for node, height in zip(members, heights, strict=True)]
    return names


def circle_layout(graphs: Structure, edges: Collection[int]) -> dict[int, Points]:
    """Places on a circle of radius 1, in the order of a walk along the edges: no other package is needed."""
    neighbours: dict[int, list[int]] = {}
    for u, v in graphs.edges[list(edges)].tolist():
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    order: dict[int, None] = {}
    waiting = list(neighbours)[::-1]
    while waiting:
        node = waiting.pop()
        if node not in order:
            order[node] = None
            waiting += neighbours[node]
    angle = np.pi * (2 * np.arange(len(order)) / len(order) + 1)  # begins at the left
    return {node: np.array([np.cos(a), np.sin(a)]) for node, a in zip(order, angle, strict=True)}


def network_layout(graphs: Structure, edges: Collection[int]) -> Points:
    """Lay out the nodes of edges by networkx, each component by itself, in rows; NaN for other nodes."""
    networkx = optional_package("networkx", "A subgraph without node_coordinates is laid out by")
    pairs = graphs.edges[sorted(edges)].tolist()
    parts = []
    for component in networkx.connected_components(networkx.Graph(pairs)):
        network, nodes = networkx.Graph([pair for pair in pairs if pair[0] in component]), sorted(component)
        if len(nodes) <= _MOST_FOR_DISTANCES:
            layout = networkx.kamada_kawai_layout(network)
        else:
            layout = networkx.spring_layout(network, seed=0)
        parts.append((nodes, _upright(np.array([layout[node] for node in nodes]) * np.sqrt(len(nodes)))))
    xy = np.full((graphs.n_nodes, 2), np.nan)
    columns = max(int(np.sqrt(len(parts))), 1)
    top = 0.0
    for row in range(0, len(parts), columns):
        left, tallest = 0.0, max(float(np.ptp(points[:, 1])) for _, points in parts[row : row + columns])
        for nodes, points in parts[row : row + columns]:
            xy[nodes] = points - points.min(axis=0) + (left, top - tallest)
            left += float(np.ptp(points[:, 0])) + 1.0
        top -= tallest + 1.0
    return xy


def _upright(points: Points) -> Points:
    """Turn a clearly elongated shape upright, since names go to its left and right."""
    centred = points - points.mean(axis=0)
    _, extent, axes = np.linalg.svd(centred, full_matrices=False)
    if extent[0] < 1.2 * extent[1]:
        return np.asarray(centred)
    upright = centred @ axes[::-1].T
    # An axis of a decomposition has no sign of its own: the first node goes up and left.
    return np.asarray(upright * np.where(upright[0] * (-1, 1) < 0, -1.0, 1.0))
