"""The data of the linked view: nodes, edges, subgraphs and a surface of the brain as compact JSON.

`templates/view.js` draws them. The data are aggregates: containment probabilities are counted in bins for
each group, so that no participant's values are among them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, KDTree

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.labels import CLASSES, PHENOTYPE
from dugraph.files.html import carried
from dugraph.plot.brain import brain_views, circle_layout
from dugraph.probability.containment import containment_columns
from dugraph.report.cohort import group_names
from dugraph.report.findings import Parts, effect_sides, sign_of, value_name
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.records import group_rows
from dugraph.significance.result import interval_text

N_BINS = 16
"""Bins of a distribution of containment probabilities."""
N_POINTS = 642
"""Vertices of a hemisphere: the third subdivision of an icosahedron."""
_AT_ONCE = 256  # subgraphs whose containment probabilities are in memory at the same time
_THIRDS = ("lowest third", "middle third", "highest third")


def view_json(parts: Parts) -> Markup | None:
    """The subgraphs found and the significant ones, for a script element; None without subgraphs."""
    listings = []
    if parts.found is not None and len(parts.found.subgraphs):
        listings.append(_mined(parts.found))
    if parts.test is not None and len(parts.test.result):
        listings.append(_tested(parts.test))
    if not listings:
        return None
    cohort, graphs = parts.source.cohort, parts.source.cohort.graphs
    edges = sorted({edge for one in listings for subgraph in one["edges"] for edge in subgraph})
    place = {edge: i for i, edge in enumerate(edges)}
    names, rows = _groups(cohort)
    probability = graphs.raw_probability
    nodes, ends = _nodes(graphs, edges)
    for one in listings:
        one["tops"], bins, one["shares"] = _distributions(one["edges"], probability, rows)
        one["counts"] = _encoded(bins)
        one["edges"] = [[place[edge] for edge in subgraph] for subgraph in one["edges"]]
    data = {
        "nodes": nodes,
        "edges": ends,
        "layers": None if graphs.edge_layers is None else [carried(graphs.edge_layers[e]) for e in edges],
        "groups": names,
        "means": [
            [round(float(probability[chosen, e].mean(dtype=np.float64)), 3) for e in edges] for chosen in rows
        ],
        "bins": N_BINS,
        "listings": listings,
        "mesh": _cortex() if is_brain(graphs) else None,
    }
    # "<" would end the element or begin a comment; JSON can escape it.
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    return Markup(text)


def _mined(record: SubgraphRecord) -> dict[str, Any]:
    """The subgraphs of a search or a fit, with the id of their table on the page."""
    found, kind = list(record.subgraphs), record.cohort.kind
    sides = ("", "")
    if kind == CLASSES:
        verb = "favours" if record.is_fit else "more frequent in"
        sides = (f"{verb} {record.cohort.names[0]}", f"{verb} {record.cohort.names[1]}")
    elif kind == PHENOTYPE and record.is_fit:
        sides = ("raises the forecast", "lowers the forecast")
    elif kind == PHENOTYPE:
        sides = ("more frequent with larger values", "more frequent with smaller values")
    title = counted(len(found), f"{'chosen' if record.is_fit else 'listed'} subgraph")
    values, signs = [one.value for one in found], [sign_of(record, one) for one in found]
    return _listing(title, "ranking", value_name(record), sides, [one.edges for one in found], values, signs)


def _tested(record: TestRecord) -> dict[str, Any]:
    """The significant subgraphs; the slider of the view runs over their p-values."""
    result = record.result
    several, adjusted = len(set(result.contrasts)) > 1, "adjusted " * result.is_adjusted
    family, irreducible = [0] * len(result), [0] * len(result)
    for number, group in enumerate(result.families, 1):
        for k in group.members:
            family[k] = number
        for k in group.irreducible:
            irreducible[k] = 1
        irreducible[group.irreducible[0]] = 2
    title, sides = counted(len(result), "significant subgraph"), effect_sides(record)
    numbers = result.p_values.tolist(), result.effects.tolist()
    return {
        **_listing(title, "significant", "adjusted p", sides, result.subgraphs, *numbers),
        "words": [
            carried(
                f"{adjusted}effect {effect:+.3g}, 95 % given selection "
                f"{interval_text(result.effect_intervals[k])}{f'; {contrast}' * several}"
            )
            for k, (effect, contrast) in enumerate(zip(numbers[1], result.contrasts, strict=True))
        ],
        "family": family,
        "kept": irreducible,
    }


def _listing(
    title: str,
    table: str,
    value: str,
    sides: tuple[str, str],
    subgraphs: Sequence[tuple[int, ...]],
    values: Sequence[float],
    signs: Sequence[float],
) -> dict[str, Any]:
    """One list as the script reads it."""
    return {
        "title": title,
        "table": table,
        "value": value,
        "sides": [carried(side) for side in sides],
        "edges": subgraphs,
        "values": [float(f"{value:.4g}") for value in values],
        "signs": [float(f"{sign:.3g}") for sign in signs],
        "words": [""] * len(subgraphs),
        "family": None,
        "kept": None,
    }


def _groups(cohort: LabelledGraphs) -> tuple[list[str], list[NDArray[np.bool_]]]:
    """Names and rows of the groups that are compared; for a phenotype, thirds of the graphs."""
    if cohort.kind != PHENOTYPE:
        return [carried(abbreviate(name)) for name in group_names(cohort)], group_rows(cohort)
    cuts = np.quantile(cohort.y, (1 / 3, 2 / 3))
    third = np.searchsorted(cuts, cohort.y, side="left")
    present = [k for k in range(3) if (third == k).any()]
    return [_THIRDS[k] for k in present], [third == k for k in present]


def _nodes(graphs: UncertainGraphs, edges: Sequence[int]) -> tuple[dict[str, Any], list[list[int]]]:
    """The nodes of these edges, the positions of all other nodes, and the edges as pairs of the former."""
    used = np.unique(graphs.edges[edges])
    ends = np.searchsorted(used, graphs.edges[edges][:, ::-1]).tolist()
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


@lru_cache(maxsize=1)
def _cortex() -> dict[str, Any] | None:
    """Both hemispheres of nilearn's fsaverage5, thinned: vertices in tenths of a millimetre, and faces."""
    found = find_spec("nilearn")  # importing nilearn takes seconds; only its files are needed
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent / "datasets" / "data" / "fsaverage5"
    hemispheres = []
    try:
        import nibabel

        for side in ("left", "right"):
            surfaces = (nibabel.load(home / f"{name}_{side}.gii.gz") for name in ("pial", "sphere"))
            hemispheres.append(thinned_surface(*(one.darrays[0].data.astype(float) for one in surfaces)))
    except (OSError, ImportError, ValueError):
        return None
    points = np.vstack([points for points, _ in hemispheres])
    faces = np.vstack([faces + i * N_POINTS for i, (_, faces) in enumerate(hemispheres)])
    return {"points": _encoded(points.round(1) * 10, "<i2"), "faces": _encoded(faces, "<u2")}


def thinned_surface(
    points: NDArray[np.float64], sphere: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Thin a surface to its first `N_POINTS` vertices, with faces that point outward.

    `sphere` has the places of the vertices on a sphere. The first ones are those of a coarser subdivision of
    an icosahedron, whose faces are the hull of these places. Each is moved to the mean of the vertices that
    are nearest to it on the sphere, as the folds between are lost; the surface keeps its extent.
    """
    kept = sphere[:N_POINTS]
    _, nearest = KDTree(kept).query(sphere)
    sums = np.column_stack([np.bincount(nearest, weights=axis) for axis in points.T])
    means = sums / np.bincount(nearest)[:, None]
    low = points.min(axis=0)
    means = low + (means - means.min(axis=0)) * np.ptp(points, axis=0) / np.ptp(means, axis=0)
    faces = ConvexHull(kept).simplices.astype(np.int64)
    inward = np.linalg.det(kept[faces]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return means, faces


def _encoded(values: Any, kind: str = "u1") -> str:
    return base64.b64encode(np.ascontiguousarray(np.asarray(values).astype(kind)).tobytes()).decode()
