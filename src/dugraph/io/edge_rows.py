"""Edges listed row by row, of one graph or of many, merged into the common edges of a cohort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, edge_label, listed
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.connectomes import RELATIVE_TOLERANCE, Connectomes, Floats, check_regions, with_atlas
from dugraph.io.input_files import ReadOptions, Subjects

Ints = NDArray[np.int64]

CERTAIN = "none in the files: every edge that is listed is certain"
"""Entry of the provenance for edges without values."""

# Larger than the number of regions.
_STRIDE = 2**24


def places_of(names: Iterable[str], known: dict[str, int]) -> Ints:
    """Return the position of each name among those that are known; new ones are added at the end."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


@dataclass(frozen=True)
class EdgeRows:
    """Edges as a file lists them.

    Attributes
    ----------
    source, target : ndarrays of int, shape (n_rows,)
        Positions in `node_labels`.
    value : ndarray of float, shape (n_rows,)
    node_labels : tuple of str
    place : callable
        Describes the place of a row, for messages: ``edges.csv, line 7``.
    graph : int, or ndarray of int of shape (n_rows,)
    layer : int, or ndarray of int of shape (n_rows,)
        Position in `layers`.
    layers : tuple of str, or None
    """

    source: Ints
    target: Ints
    value: Floats
    node_labels: tuple[str, ...]
    place: Callable[[int], str]
    graph: Ints | int = 0
    layer: Ints | int = 0
    layers: tuple[str, ...] | None = None

    def check_values(self, kind: str) -> None:
        """Refuse a row whose value is missing, infinite, or no probability where it should be one."""
        value = self.value
        no_probability = ((value < 0) | (value > 1)) & (kind == "probability")
        stated = ("If the numbers are something else, state it (", Setting("values", "correlation"), ").")
        for wrong, rule, way_out in (
            (np.isnan(value), "be there", "Drop the row if there is none: unlisted edges are absent."),
            (np.isinf(value), "be finite", "Write the file again."),
            (no_probability, "lie in [0, 1]", stated),
        ):
            if wrong.any():
                row = int(np.argmax(wrong))
                raise InputError(
                    f"{self.place(row)}: the {kind} of an edge must {rule}, but that of {self._edge(row)} is "
                    f"{float(value[row])!r}, the first of {counted(int(wrong.sum()), 'such row')}.",
                    way_out=way_out,
                )

    def undirected(self) -> EdgeRows:
        """Refuse loops and an edge that is listed twice, in whichever direction."""
        self._check_loops()
        self._check_once("once")
        return self

    def without_reversed(self) -> EdgeRows:
        """Take each edge once if all are listed in both directions with equal values; else refuse repeats."""
        self._check_loops()
        order, again = self._repeats()
        if not again.any():
            return self
        # A list of which only some are may be that of a directed graph.
        self._check_once("once", by_direction=2 * int(again.sum()) == len(again))
        again[1:] &= self.value[order][1:] == self.value[order][:-1]
        return self._chosen(np.sort(order[~again])).undirected()

    def symmetrize(self, kind: str) -> tuple[EdgeRows, str]:
        """Merge both directions of each edge into one row, by the rule for matrices.

        Edges that are all listed in one direction are taken as they are. Otherwise a direction that is not
        listed has the value 0: counts are averaged, other values must agree but for rounding. Also return the
        rule, empty if both directions agree.
        """
        self._check_loops()
        self._check_once("once in each direction", by_direction=True)
        order, again = self._repeats()
        if not again.any():
            return self, "each edge listed in one direction"
        first = np.flatnonzero(~again)
        has_other = np.append(again, False)[first + 1]
        one = self.value[order[first]]
        other = np.where(has_other, np.append(self.value[order], 0.0)[first + 1], 0.0)
        kept = self._chosen(order[first])
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        if same.all():
            return kept, ""
        with np.errstate(invalid="ignore", over="ignore"):
            mean = np.where(same, one, one / 2 + other / 2)
            largest = np.max(np.abs(self.value), where=np.isfinite(self.value), initial=0.0)
            differs = ~(same | (np.abs(one - other) <= RELATIVE_TOLERANCE * largest))
        if kind != "count" and differs.any():
            i = int(np.argmax(differs))
            raise InputError(
                f"{kept.place(i)}: an edge must have one value in both directions, but {kept._edge(i)} has "
                f"{float(one[i])!r} in one and {float(other[i])!r} in the other (0 where it is not listed).",
                way_out=(
                    "Average them first; counts of streamlines (",
                    *(Setting("values", "count"), ") are averaged automatically."),
                ),
            )
        rule = "averaged over both directions" if kind == "count" else "rounding averaged out"
        return replace(kept, value=mean), rule

    def by_graph(self, n_graphs: int) -> list[tuple[Ints, Floats]]:
        """Return the numbers and values of the edges of each graph, as `merge_edges` takes them."""
        graph = np.broadcast_to(self.graph, self.value.shape)
        order = np.argsort(graph, kind="stable")
        ends = np.searchsorted(graph[order], np.arange(n_graphs + 1))
        numbers, values = self.numbers()[order], self.value[order]
        return [(numbers[a:b], values[a:b]) for a, b in pairwise(ends)]

    def numbers(self) -> Ints:
        """Number the edges: pairs of regions in the order of ``np.tril_indices``, then layers."""
        pairs = np.maximum(self.source, self.target) * _STRIDE + np.minimum(self.source, self.target)
        return np.asarray(pairs * len(self.layers or ("",)) + self.layer)

    def _repeats(self, by_direction: bool = False) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Sort the rows by graph and edge; also return which of them repeat the row before."""
        keys = [self.source < self.target] * by_direction + [self.numbers()]
        if isinstance(self.graph, np.ndarray):
            keys.append(self.graph)
        order = np.lexsort(keys)
        again = np.zeros(len(order), dtype=bool)
        again[1:] = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
        return order, again

    def _edge(self, row: int) -> str:
        pair = edge_label(self.node_labels, int(self.source[row]), int(self.target[row]))
        if self.layers is None or isinstance(self.layer, int):
            return pair
        return f"{pair} of layer {abbreviate(self.layers[int(self.layer[row])])}"

    def _check_loops(self) -> None:
        loops = self.source == self.target
        if loops.any():
            row = int(np.argmax(loops))
            raise InputError(
                f"{self.place(row)}: an edge must join two different regions, but it joins "
                f"{abbreviate(self.node_labels[int(self.source[row])])} to itself. Drop self loops."
            )

    def _check_once(self, rule: str, by_direction: bool = False) -> None:
        order, again = self._repeats(by_direction)
        if again.any():
            repeats = np.flatnonzero(again)
            at = int(repeats[order[repeats].argmin()])
            first, second = int(order[at - 1]), int(order[at])
            raise InputError(
                f"{self.place(second)}: an edge of a graph must be given {rule}, but {self._edge(second)} is "
                f"in {self.place(first)} too. Drop one of them, or separate them by layer."
            )

    def _chosen(self, rows: NDArray[np.intp]) -> EdgeRows:
        parts = {name: getattr(self, name) for name in ("graph", "source", "target", "layer", "value")}
        chosen: dict[str, Any] = {
            name: part[rows] for name, part in parts.items() if isinstance(part, np.ndarray)
        }
        place = self.place
        return replace(self, **chosen, place=lambda row: place(int(rows[row])))


def merge_edges(
    subjects: Subjects,
    edges_of: Sequence[tuple[Ints, Floats]],
    node_labels: tuple[str, ...],
    layers: tuple[str, ...] | None,
    kind: str,
    options: ReadOptions,
    *,
    has_node: NDArray[np.bool_] | None = None,
    coordinates: Floats | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Connectomes:
    """Make a cohort of all edges that some graph has; in other graphs they are absent, value 0.

    `edges_of` has the numbers (as from `EdgeRows.numbers`) and values of the edges of each graph, each once.
    Edges of a region that a graph has not, by `has_node` of shape (n_graphs, n_nodes), are missing, NaN.
    """
    file = subjects.files[0]
    check_regions(node_labels, file, len(node_labels))
    # Most studies list the same edges for all subjects.
    distinct = [edges_of[0][0]]
    for numbers, _ in edges_of[1:]:
        if numbers is not distinct[-1] and not np.array_equal(numbers, distinct[-1]):
            distinct.append(numbers)
    common = np.unique(np.concatenate(distinct))
    if not len(common):
        raise InputError(f"{file}: a cohort needs at least one edge, but there is none in any graph.")
    # The cohort itself will take as much again.
    options.budget.claim(2 * 8 * len(edges_of) * len(common), file)
    values = np.zeros((len(edges_of), len(common)))
    last = None
    for row, (numbers, found) in zip(values, edges_of, strict=True):
        if numbers is not last:
            last, places = numbers, np.searchsorted(common, numbers)
        row[places] = found
    pair, layer = np.divmod(common, len(layers or ("",)))
    edges = np.stack(np.divmod(pair, _STRIDE), axis=1)
    if has_node is not None:
        values[~(has_node[:, edges[:, 0]] & has_node[:, edges[:, 1]])] = np.nan
    seen = {**subjects.notes, **(notes or {})}
    regions = with_atlas(node_labels, coordinates, len(node_labels), file, options.atlas, seen)
    return Connectomes(
        kind=kind,
        graph_ids=subjects.graph_ids,
        files=subjects.files,
        values=values,
        edges=edges,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        edge_layers=None if layers is None else tuple(layers[k] for k in layer.tolist()),
        y=subjects.y,
        y_file=subjects.y_file,
        notes=seen,
    )


def value_name(names: Iterable[str], values: str | None, file: Path) -> str:
    """Return the column or edge attribute of the values.

    It is ``probability``, or ``weight`` if the user states another kind of values. Without a
    ``probability``, a weight is used as one only if the user states this.
    """
    found = set(names)
    wanted = "probability" if values in (None, "probability") else "weight"
    if wanted in found:
        return wanted
    if values == "probability" and "weight" in found:
        return "weight"
    way_out: Sentence = "Add or rename it."
    if wanted == "probability" and "weight" in found:
        way_out = (
            *("If you mean the weights, state what they are (", Setting("values")),
            ": correlation, count or probability).",
        )
    elif wanted == "weight" and "probability" in found:
        way_out = ("Leave out ", Setting("values", values), ", or rename it.")
    elif file.suffix.lower() == ".graphml":
        way_out = ("Name the attribute with ", Setting("edge_attribute"), ", or add it.")
    raise InputError(
        f"{file}: edges must have a {wanted}, but there is only {listed(sorted(found), 12) or 'nothing'}.",
        way_out=way_out,
    )
