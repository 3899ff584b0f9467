"""The data of the linked view: nodes, edges, subgraphs and a surface of the brain as compact JSON.

`templates/view.js` draws them. The data are aggregates: containment probabilities are counted in bins for
each group, so that no participant's values are among them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.plot.brain import brain_views, circle_layout
from dugraph.probability.containment import containment_columns
from dugraph.report.charts import carried
from dugraph.report.findings import MiningPart, SignificancePart
from dugraph.report.write import Parts
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.records import group_rows
from dugraph.significance.result import interval_text

N_BINS = 16
"""Bins of a distribution of containment probabilities."""
_AT_ONCE = 256  # subgraphs whose containment probabilities are in memory at the same time
_COARSE = 642  # vertices of a hemisphere: the third subdivision of an icosahedron
_THIRDS = ("lowest third", "middle third", "highest third")

Faces = NDArray[np.int64]


@dataclass(frozen=True)
class Listing:
    """Subgraphs of the view.

    Attributes
    ----------
    title : str
        What is listed.
    table : str
        The id of the table on the page whose rows belong to them.
    value_name : str
        What the values are; with "p", the slider runs over p-values.
    sides : pair of str
        The meaning of the colours of the positive and the negative side.
    subgraphs : sequence of tuple of int
        Sorted edge indices, best first.
    values : sequence of float
    signs : sequence of float
        Positive or 0 for the positive side.
    words : sequence of str
        Effect and interval, or another detail of each.
    families : sequence of (list of int, list of int)
        Positions of the irreducible subgraphs, representative first, and of all members, per family; empty
        without families.
    """

    title: str
    table: str
    value_name: str
    sides: tuple[str, str]
    subgraphs: Sequence[tuple[int, ...]]
    values: Sequence[float]
    signs: Sequence[float]
    words: Sequence[str]
    families: Sequence[tuple[list[int], list[int]]] = ()


def view_json(cohort: LabelledGraphs, listings: Sequence[Listing]) -> Markup | None:
    """The data that the script draws, for a script element of type application/json.

    Parameters
    ----------
    cohort : LabelledGraphs
    listings : sequence of Listing
        Those without subgraphs are left out; None is returned if nothing is left.
    """
    listings = [one for one in listings if len(one.subgraphs)]
    if not listings:
        return None
    graphs = cohort.graphs
    edges = sorted({edge for one in listings for subgraph in one.subgraphs for edge in subgraph})
    place = {edge: i for i, edge in enumerate(edges)}
    names, rows = _groups(cohort)
    probability = graphs.raw_probability
    means = [
        [round(float(probability[chosen, e].mean(dtype=np.float64)), 3) for e in edges] for chosen in rows
    ]
    nodes, ends = _nodes(graphs, edges)
    data = {
        "nodes": nodes,
        "edges": ends,
        "layers": None if graphs.edge_layers is None else [carried(graphs.edge_layers[e]) for e in edges],
        "groups": names,
        "means": means,
        "bins": N_BINS,
        "listings": [_listing(one, place, probability, rows) for one in listings],
        "mesh": _surface(graphs),
    }
    # "<" would end the element or begin a comment; JSON can escape it.
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    return Markup(text)


def _groups(cohort: LabelledGraphs) -> tuple[list[str], list[NDArray[np.bool_]]]:
    """Names and rows of the groups that are compared; for a phenotype, thirds of the graphs."""
    if cohort.kind != PHENOTYPE:
        names = cohort.names if cohort.kind == "classes" else cohort.group_names
        return [carried(abbreviate(name)) for name in names], group_rows(cohort)
    cuts = np.quantile(cohort.y, (1 / 3, 2 / 3))
    third = np.searchsorted(cuts, cohort.y, side="left")
    present = [k for k in range(3) if (third == k).any()]
    return [_THIRDS[k] for k in present], [third == k for k in present]


def _nodes(graphs: UncertainGraphs, edges: Sequence[int]) -> tuple[dict[str, Any], list[list[int]]]:
    """The nodes of these edges, the positions of all other nodes, and the edges as pairs of the former."""
    used = np.unique(graphs.edges[edges])
    position = {int(node): i for i, node in enumerate(used)}
    ends = [[position[int(u)], position[int(v)]] for v, u in graphs.edges[edges]]
    networks = graphs.node_networks
    nodes: dict[str, Any] = {
        "names": [carried(graphs.node_labels[node]) for node in used],
        "networks": None if networks is None else [carried(networks[node] or "no network") for node in used],
        "flat": graphs.node_coordinates is None,
        "others": [],
    }
    if graphs.node_coordinates is None:
        circle = circle_layout(graphs, edges)
        places = np.array([[*(80.0 * circle[int(node)] * (1.0, -1.0)), 0.0] for node in used])
    else:
        at = graphs.node_coordinates - (0.0 if is_brain(graphs) else graphs.node_coordinates.mean(axis=0))
        scale = 1.0 if is_brain(graphs) else 80.0 / max(float(np.abs(at).max()), 1e-300)
        places = at[used] * scale
        others = np.setdiff1d(np.arange(graphs.n_nodes), used)
        nodes["others"] = np.round(at[others] * scale).astype(int).tolist()
    nodes["places"] = np.round(places, 1).tolist()
    return nodes, ends


def is_brain(graphs: UncertainGraphs) -> bool:
    """Whether the nodes have coordinates within the brain of MNI space."""
    return graphs.node_coordinates is not None and bool(
        brain_views(graphs.node_coordinates, ("above",))[0].inner
    )


def _listing(
    one: Listing, place: dict[int, int], probability: NDArray[Any], rows: Sequence[NDArray[np.bool_]]
) -> dict[str, Any]:
    family, irreducible = [0] * len(one.subgraphs), [0] * len(one.subgraphs)
    for number, (first, members) in enumerate(one.families, 1):
        for k in members:
            family[k] = number
        for k in first:
            irreducible[k] = 1
        irreducible[first[0]] = 2
    tops, bins, shares = _distributions(one.subgraphs, probability, rows)
    return {
        "title": one.title,
        "table": one.table,
        "value": one.value_name,
        "sides": [carried(side) for side in one.sides],
        "edges": [[place[edge] for edge in subgraph] for subgraph in one.subgraphs],
        "values": [float(f"{value:.4g}") for value in one.values],
        "signs": [float(f"{sign:.3g}") for sign in one.signs],
        "words": [carried(text) for text in one.words],
        "family": family if one.families else None,
        "kept": irreducible if one.families else None,
        "tops": tops,
        "shares": shares,
        "counts": _encoded(bins),
    }


def _distributions(
    subgraphs: Sequence[tuple[int, ...]], probability: NDArray[Any], rows: Sequence[NDArray[np.bool_]]
) -> tuple[list[float], NDArray[np.uint8], list[list[float]]]:
    """For each subgraph the end of its bins, the shares of each group in them (0 to 255), and the means."""
    tops: list[float] = []
    means: list[list[float]] = []
    bins = np.zeros((len(subgraphs), len(rows), N_BINS), dtype=np.uint8)
    for start in range(0, len(subgraphs), _AT_ONCE):
        x = containment_columns(probability, subgraphs[start : start + _AT_ONCE], np.float64)
        top = np.maximum(x.max(axis=0), 1e-300)
        inside = np.minimum((x / top * N_BINS).astype(int), N_BINS - 1)
        tops += [float(f"{value:.3g}") for value in top]
        means += np.round([x[chosen].mean(axis=0) for chosen in rows], 4).T.tolist()
        for g, chosen in enumerate(rows):
            for b in range(N_BINS):
                share = (inside[chosen] == b).mean(axis=0)
                bins[start : start + x.shape[1], g, b] = np.ceil(255 * share)
    return tops, bins, means


def _surface(graphs: UncertainGraphs) -> dict[str, Any] | None:
    """The cortex of nilearn's fsaverage5, thinned; None without nilearn or for nodes outside the brain."""
    return _cortex() if is_brain(graphs) else None


@lru_cache(maxsize=1)
def _cortex() -> dict[str, Any] | None:
    """Both hemispheres as vertices in tenths of a millimetre, and faces."""
    found = find_spec("nilearn")  # importing nilearn takes seconds; only its files are needed
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent / "datasets" / "data" / "fsaverage5"
    hemispheres = []
    try:
        import nibabel

        for side in ("left", "right"):
            points, faces = (array.data for array in nibabel.load(home / f"pial_{side}.gii.gz").darrays)
            hemispheres.append(thinned_surface(points.astype(np.float64), faces.astype(np.int64)))
    except (OSError, ImportError, ValueError):
        return None
    return {
        "points": _encoded(np.vstack([points for points, _ in hemispheres]).round(1) * 10, "<i2"),
        "faces": _encoded(
            np.vstack([faces + i * _COARSE for i, (_, faces) in enumerate(hemispheres)]), "<u2"
        ),
    }


def thinned_surface(
    points: NDArray[np.float64], faces: Faces, n_points: int = _COARSE
) -> tuple[NDArray[np.float64], Faces]:
    """Undo subdivisions of an icosahedron until `n_points` are left.

    Each subdivision places a new vertex on every edge and appends it, so the vertices of the coarser surface
    come first, and the face between three new vertices lies within one coarser face: the one whose vertices
    are each adjacent to two of the three. A vertex is moved to the mean of its neighbourhood, as the folds
    between the remaining vertices are lost; the surface is then scaled to its original extent.

    Parameters
    ----------
    points : ndarray of shape (n, 3)
    faces : ndarray of shape (2 n - 4, 3)
        The order of their vertices makes them face outward.
    n_points : int
        Number of vertices of a coarser subdivision.
    """
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    while len(points) > n_points:
        n = (len(points) - 2) // 4 + 2
        n_old = (faces < n).sum(axis=1)
        corners = faces[n_old == 1]
        # Each corner face is turned so that its old vertex comes first.
        turn = (corners < n).argmax(axis=1)[:, None]
        corners = np.take_along_axis(corners, (turn + np.arange(3)) % 3, axis=1)
        # The corner of the old vertex a lies between the new ones on the edges to b and to c.
        old_of = {(int(m1), int(m2)): int(a) for a, m1, m2 in corners}
        inner = faces[n_old == 0]
        coarse = [[old_of[m2, m1], old_of[m3, m2], old_of[m1, m3]] for m1, m2, m3 in inner.tolist()]
        total, count = points.copy(), np.ones(len(points))
        for a, b in ((0, 1), (1, 2), (2, 0)):
            np.add.at(total, faces[:, a], points[faces[:, b]])
            np.add.at(count, faces[:, a], 1.0)
        points, faces = (total / count[:, None])[:n], np.array(coarse, dtype=np.int64)
    return low + (points - points.min(axis=0)) * extent / np.ptp(points, axis=0), faces


def _encoded(values: Any, kind: str = "u1") -> str:
    return base64.b64encode(np.ascontiguousarray(np.asarray(values).astype(kind)).tobytes()).decode()


@dataclass(frozen=True)
class ViewPart:
    """The input of the template: the data, and whether the nodes lie in a plane."""

    data: Markup
    flat: bool


def linked_view(
    parts: Parts, mining: MiningPart | None, significance: SignificancePart | None
) -> ViewPart | None:
    """The view of the subgraphs found and of the significant ones; None if there are none."""
    listings = []
    if parts.found is not None and mining is not None:
        listings.append(_mined(parts.found, mining.value_name))
    if parts.test is not None and significance is not None:
        listings.append(_tested(parts.test, significance.sides))
    data = view_json(parts.source.cohort, listings)
    return None if data is None else ViewPart(data, parts.source.cohort.graphs.node_coordinates is None)


def _mined(record: SubgraphRecord, value_name: str) -> Listing:
    found, cohort = list(record.subgraphs), record.cohort
    if record.is_fit:
        signs = [abs(one.value) if record.models else one.value for one in found]
        sides = {
            CLASSES: tuple(f"favours {name}" for name in cohort.names)
            if cohort.kind == CLASSES
            else ("", ""),
            PHENOTYPE: ("raises the forecast", "lowers the forecast"),
            GROUPS: ("", ""),
        }[cohort.kind]
    elif cohort.kind == CLASSES:
        signs = [one.frequency_positive - one.frequency_negative for one in found]
        sides = tuple(f"more frequent in {name}" for name in cohort.names)
    else:
        effects = record.result.effects
        signs = [0.0] * len(found) if effects is None else [float(effect) for effect in effects]
        larger = ("more frequent with larger values", "more frequent with smaller values")
        sides = larger if cohort.kind == PHENOTYPE else ("", "")
    return Listing(
        title=counted(len(found), f"{'chosen' if record.is_fit else 'listed'} subgraph"),
        table="ranking",
        value_name=value_name,
        sides=(sides[0], sides[1]),
        subgraphs=[one.edges for one in found],
        values=[one.value for one in found],
        signs=signs,
        words=[""] * len(found),
    )


def _tested(record: TestRecord, sides: tuple[str, str]) -> Listing:
    result = record.result
    several, adjusted = len(set(result.contrasts)) > 1, "adjusted " * result.is_adjusted
    words = [
        f"{adjusted}effect {effect:+.3g}, 95 % given selection {interval_text(result, k)}"
        f"{f'; {contrast}' * several}"
        for k, (effect, contrast) in enumerate(zip(result.effects.tolist(), result.contrasts, strict=True))
    ]
    return Listing(
        title=counted(len(result), "significant subgraph"),
        table="significant",
        value_name="adjusted p",
        sides=sides,
        subgraphs=result.subgraphs,
        values=result.p_values.tolist(),
        signs=result.effects.tolist(),
        words=words,
        families=[(one.irreducible, one.members) for one in result.families],
    )
