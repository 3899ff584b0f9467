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
from dugraph.io.connectomes import Connectomes, with_atlas
from dugraph.io.input_files import ReadOptions, Subjects
from dugraph.io.matrices import RELATIVE_TOLERANCE, Floats, check_regions

Ints = NDArray[np.int64]

CERTAIN = "none in the files: every edge that is listed is certain"
"""Entry of the provenance for edges without values."""


@dataclass(frozen=True)
class Names:
    """A column of text: position of each cell in a list of names."""

    codes: Ints
    names: tuple[str, ...]


def common_names(*columns: Names) -> tuple[Names, ...]:
    """Bring columns of the same things onto one list of names, in the order in which the rows name them."""
    position: dict[str, int] = {}
    codes = []
    for column in columns:
        places = [position.setdefault(name, len(position)) for name in column.names]
        codes.append(np.array(places, dtype=np.int64)[column.codes])
    rows = np.stack(codes, axis=1)
    used, first, code = np.unique(rows.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    known = tuple(position)
    names = tuple(known[k] for k in used[order].tolist())
    ordered = rank[code].reshape(rows.shape).astype(np.int64)
    return tuple(Names(np.ascontiguousarray(ordered[:, i]), names) for i in range(len(columns)))


@dataclass(frozen=True)
class EdgeRows:
    """Edges as a file lists them.

    Attributes
    ----------
    graph, source, target, layer : ndarrays of int, shape (n_rows,)
        Positions in the names below; `layer` is 0 where there are no layers.
    value : ndarray of float, shape (n_rows,)
    node_labels : tuple of str
    layers : tuple of str, or None
    place : callable
        Describes the place of a row, for messages: ``edges.csv, line 7``.
    """

    graph: Ints
    source: Ints
    target: Ints
    layer: Ints
    value: Floats
    node_labels: tuple[str, ...]
    layers: tuple[str, ...] | None
    place: Callable[[int], str]

    @classmethod
    def of_one_graph(
        cls, source: Ints, target: Ints, value: Floats, names: tuple[str, ...], place: Callable[[int], str]
    ) -> EdgeRows:
        """Return the edges of one graph without layers."""
        none = np.zeros(len(value), dtype=np.int64)
        return cls(none, source, target, none, value, names, None, place)

    def check_values(self, kind: str) -> None:
        """Refuse a row whose value is missing, infinite, or no probability where it should be one."""
        value = self.value
        for wrong, rule, way_out in (
            (np.isnan(value), "must be there", "Drop the row if there is none: unlisted edges are absent."),
            (np.isinf(value), "must be finite", "Write the file again."),
            (
                ((value < 0) | (value > 1)) & (kind == "probability"),
                "must lie in [0, 1]",
                ("If the numbers are something else, state it (", Setting("values", "correlation"), ")."),
            ),
        ):
            rows = np.flatnonzero(wrong)
            if len(rows):
                row = int(rows[0])
                raise InputError(
                    f"{self.place(row)}: the {kind} of an edge {rule}, but that of {self._edge(row)} is "
                    f"{float(value[row])!r}, the first of {counted(len(rows), 'such row')}.",
                    way_out=way_out,
                )

    def undirected(self) -> EdgeRows:
        """Refuse loops and an edge that is listed twice, in whichever direction."""
        self._check_loops()
        self._check_once(self._keys(), "once")
        return self

    def without_reversed(self, both_ways: bool) -> EdgeRows:
        """Take each edge once if all are listed in both directions with equal values; else refuse repeats."""
        if not both_ways:
            return self.undirected()
        number = self.numbers()
        order = np.argsort(number, kind="stable")
        number, value = number[order], self.value[order]
        again = (number[1:] == number[:-1]) & (value[1:] == value[:-1])
        # Two directions with different values remain two rows, and are refused.
        return self._chosen(np.sort(order[np.append(True, ~again)])).undirected()

    def symmetrize(self, kind: str) -> tuple[EdgeRows, str]:
        """Merge both directions of each edge into one row, by the rule for matrices.

        Edges that are all listed in one direction are taken as they are. Otherwise a direction that is not
        listed has the value 0: counts are averaged, other values must agree but for rounding. Also return the
        rule, empty if both directions agree.
        """
        self._check_loops()
        keys = self._keys()
        self._check_once(2 * keys + (self.source < self.target), "once in each direction")
        order = np.argsort(keys, kind="stable")
        again = np.append(False, np.diff(keys[order]) == 0)
        if not again.any():
            return self, "each edge listed in one direction"
        first = np.flatnonzero(~again)
        one, has_other = self.value[order[first]], np.append(again, False)[first + 1]
        other = np.where(has_other, self.value[order[np.minimum(first + 1, len(order) - 1)]], 0.0)
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

    def both_ways(self) -> bool:
        """Return whether every edge of one graph is listed once in each direction."""
        n_forward = int((self.source < self.target).sum())
        if 2 * n_forward != len(self.value):
            return False
        n = len(self.node_labels)
        ways, back = np.sort(self.source * n + self.target), np.sort(self.target * n + self.source)
        return np.array_equal(ways, back) and bool((np.diff(ways) > 0).all())

    def by_graph(self, n_graphs: int) -> list[tuple[Ints, Floats]]:
        """Return the numbers and values of the edges of each graph, as `merge_edges` takes them."""
        order = np.argsort(self.graph, kind="stable")
        ends = np.searchsorted(self.graph[order], np.arange(n_graphs + 1))
        numbers, values = self.numbers()[order], self.value[order]
        return [(numbers[a:b], values[a:b]) for a, b in pairwise(ends)]

    def numbers(self) -> Ints:
        """Number the edges: pairs of regions in the order of ``np.tril_indices``, then layers."""
        larger, smaller = np.maximum(self.source, self.target), np.minimum(self.source, self.target)
        return np.asarray((larger * (larger - 1) // 2 + smaller) * len(self.layers or ("",)) + self.layer)

    def _keys(self) -> Ints:
        """Number the edges of all graphs."""
        n_graphs, n_layers = int(self.graph.max(initial=0)) + 1, len(self.layers or ("",))
        per_graph = len(self.node_labels) ** 2 * n_layers
        if n_graphs * per_graph > np.iinfo(np.int64).max // 2:
            raise InputError(
                f"{self.place(0)}: {len(self.node_labels)} regions in {n_layers} layers of {n_graphs} graphs "
                "are more than a cohort can have."
            )
        return np.asarray(self.graph * per_graph + self.numbers())

    def _edge(self, row: int) -> str:
        pair = edge_label(self.node_labels, int(self.source[row]), int(self.target[row]))
        if self.layers is None:
            return pair
        return f"{pair} of layer {abbreviate(self.layers[int(self.layer[row])])}"

    def _check_loops(self) -> None:
        loops = np.flatnonzero(self.source == self.target)
        if len(loops):
            row = int(loops[0])
            raise InputError(
                f"{self.place(row)}: an edge must join two different regions, but it joins "
                f"{abbreviate(self.node_labels[int(self.source[row])])} to itself. Drop self loops."
            )

    def _check_once(self, keys: Ints, rule: str) -> None:
        if (np.diff(np.sort(keys)) > 0).all():
            return
        order = np.argsort(keys, kind="stable")
        repeats = np.flatnonzero(np.diff(keys[order]) == 0)
        at = int(repeats[order[repeats + 1].argmin()])
        first, second = int(order[at]), int(order[at + 1])
        raise InputError(
            f"{self.place(second)}: an edge of a graph must be given {rule}, but {self._edge(second)} is "
            f"in {self.place(first)} too. Drop one of them, or separate them by layer."
        )

    def _chosen(self, rows: NDArray[np.intp]) -> EdgeRows:
        parts = {name: getattr(self, name)[rows] for name in ("graph", "source", "target", "layer", "value")}
        place = self.place
        return replace(self, **parts, place=lambda row: place(int(rows[row])))


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
    larger = ((1 + np.sqrt(1 + 8 * pair)) / 2).astype(np.int64)
    # The root of large numbers is rounded.
    larger -= larger * (larger - 1) // 2 > pair
    edges = np.stack([larger, pair - larger * (larger - 1) // 2], axis=1)
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
    way_out: Sentence
    if wanted == "probability" and "weight" in found:
        way_out = (
            *("If you mean the weights, state what they are (", Setting("values")),
            ": correlation, count or probability).",
        )
    elif wanted == "weight" and "probability" in found:
        way_out = ("Leave out ", Setting("values", values), ", or rename it.")
    else:
        way_out = "Add or rename it."
        if file.suffix.lower() == ".graphml":
            way_out = ("Name the attribute with ", Setting("edge_attribute"), ", or add it.")
    raise InputError(
        f"{file}: edges must have a {wanted}, but there is only {listed(sorted(found), 12) or 'nothing'}.",
        way_out=way_out,
    )
