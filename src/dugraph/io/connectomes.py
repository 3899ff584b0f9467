"""`Connectomes`: what every reader returns, values as the files hold them, subjects aligned by region."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, edge_label
from dugraph.data.edges import triangle_edges, triangle_size
from dugraph.exceptions import InputError
from dugraph.io.guards import check_length
from dugraph.io.input_files import ReadOptions, Subjects, check_one_file
from dugraph.io.matrices import (
    Floats,
    Sample,
    check_diagonal,
    check_regions,
    correlations_of_series,
    order_like,
    symmetrize,
)
from dugraph.words import MATRIX_VALUES

if TYPE_CHECKING:
    from dugraph.io.atlas import AtlasTable

NUMBERED = "without names in the files: numbered from 0 in their order; an atlas names them"
"""Noted in the provenance if neither the files nor an atlas name the regions."""
KINDS = (*MATRIX_VALUES, "series")

# Schaefer's names contain their network: 7Networks_LH_Default_PFC_1.
_SCHAEFER = re.compile(r"(?:7|17)Networks_[LR]H_([A-Za-z]+)(?:_\w+)?")
# Bytes of the rows that are worked on together.
_PIECE = 2**22


@dataclass(frozen=True, kw_only=True)
class Connectomes:
    """A cohort as files hold it: correlations, counts, series; not yet probabilities.

    Attributes
    ----------
    kind : {"correlation", "fisher_z", "count", "probability", "series"}
    graph_ids : tuple of str
    files : tuple of Path
        The file that each graph came from, for messages.
    values : ndarray of shape (n_graphs, n_edges), or None if there are series
        NaN where a value is missing; correlations for series that are not needed themselves.
    series : tuple of ndarray of shape (n_timepoints_i, n_nodes), or None
    lengths : tuple of int, or None
        The numbers of time points, for series.
    edges : ndarray of int, shape (n_edges, 2), or None
        None means all pairs, in ``np.tril_indices(n_nodes, -1)`` order.
    fraction : ndarray of shape (n_graphs, n_edges), or None
        For counts with waytotal: the share of streamlines, averaged over both directions; NaN throughout for
        a graph that comes without.
    y : tuple of str, or None
        Class of each graph, if the format has it.
    y_file : Path, or None
        The file of the classes, for messages, if they are in a file of their own.
    notes : mapping of str to plain values
        What else the reader saw, for the provenance of the cohort.
    id_digits : int, or None
        How many digits every id has, so that leading zeros that a table lost can be restored.
    """

    kind: str
    graph_ids: tuple[str, ...]
    files: tuple[Path, ...]
    values: Floats | None = None
    series: tuple[Floats, ...] | None = None
    lengths: tuple[int, ...] | None = None
    edges: NDArray[np.int64] | None = None
    fraction: Floats | None = None
    node_labels: tuple[str, ...] | None = None
    node_coordinates: Floats | None = None
    node_networks: tuple[str, ...] | None = None
    edge_layers: tuple[str, ...] | None = None
    y: tuple[str, ...] | None = None
    y_file: Path | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    id_digits: int | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown kind, bad ids, and two files for one subject."""
        for graph_id, file in zip(self.graph_ids, self.files, strict=True):
            check_length(graph_id, file, "subject id")
            if not graph_id:
                raise InputError(f"{file}: a subject id must not be empty. Rename the file or fill it in.")
        check_one_file(self.graph_ids, self.files)
        if self.kind not in KINDS:
            raise InputError(
                f"values must be one of {', '.join(KINDS)}, but are {abbreviate(self.kind)!r}.",
                parameter="values",
            )

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The nodes of each edge, shape (n_edges, 2)."""
        if self.edges is not None:
            return self.edges
        if self.series is not None:
            return triangle_edges(self.series[0].shape[1]).astype(np.int64)
        assert self.values is not None  # there are values or series
        return triangle_edges(triangle_size(self.values.shape[1], None)).astype(np.int64)

    @property
    def region_names(self) -> tuple[str, ...]:
        """The names of the regions, or their numbers."""
        return self.node_labels or tuple(map(str, range(int(self.pairs.max()) + 1)))

    def first(self, marked: NDArray[np.bool_]) -> str:
        """Name the first marked entry of an array of shape (n_graphs, n_edges)."""
        i, e = (int(k) for k in np.argwhere(marked)[0])
        return f"{edge_label(self.region_names, *sorted(self.pairs[e].tolist()))} in {self.files[i]}"

    def subset(self, rows: Sequence[int]) -> Connectomes:
        """Return the connectomes of some graphs, by position; itself if these are all."""
        if list(rows) == list(range(len(self.graph_ids))):
            return self

        def chosen(one: Any) -> Any:
            if one is None or isinstance(one, np.ndarray):
                return None if one is None else one[list(rows)]
            return tuple(one[i] for i in rows)

        names = ("graph_ids", "files", "values", "series", "lengths", "fraction", "y")
        return replace(self, **{name: chosen(getattr(self, name)) for name in names})

    def within(self, regions: NDArray[np.intp]) -> Connectomes:
        """Return the connectomes among some regions, by position; they keep their names or numbers."""
        pairs, names = self.pairs, self.region_names
        inside = np.isin(pairs, regions).all(axis=1)
        parts: dict[str, Any] = {"node_labels": tuple(names[v] for v in regions)}
        if self.node_coordinates is not None:
            parts["node_coordinates"] = self.node_coordinates[regions]
        if self.node_networks is not None:
            parts["node_networks"] = tuple(self.node_networks[v] for v in regions)
        if self.series is not None:
            parts["series"] = tuple(one[:, regions] for one in self.series)
        for name in ("values", "fraction"):
            if getattr(self, name) is not None:
                parts[name] = getattr(self, name)[:, inside]
        if self.edges is not None:
            parts["edges"] = np.searchsorted(regions, pairs[inside])
        if self.edge_layers is not None:
            parts["edge_layers"] = tuple(np.array(self.edge_layers)[inside].tolist())
        return replace(self, **parts)


def stack_subjects(
    subjects: Subjects,
    samples: Iterable[Sample],
    kind: str,
    options: ReadOptions,
    notes: Mapping[str, Any] | None = None,
) -> Connectomes:
    """Align subjects by the names of their regions; without names, by position.

    Parameters
    ----------
    subjects : Subjects
    samples : iterable of Sample
        One for each of them, in their order; a generator, so that one matrix is in memory at a time.
    kind : {"correlation", "fisher_z", "count", "probability", "series"}
    options : ReadOptions
        Its atlas names regions that the files only number, and gives their positions if it has them.
    notes : mapping of str to plain values, optional

    Returns
    -------
    Connectomes
        Regions in the order of the first sample.
    """
    n_subjects = len(subjects.graph_ids)
    region_notes: dict[str, Any] = {}
    first: Sample | None = None
    files: list[Path] = []
    series: list[Floats] = []
    lengths: list[int] = []
    values: Floats | None = None
    fraction: Floats | None = None
    rules: set[str] = set()
    n_reordered = 0
    for i, sample in enumerate(options.each(samples, n_subjects)):
        n_nodes = sample.values.shape[1]
        if first is None or sample.node_labels != first.node_labels or n_nodes != first.values.shape[1]:
            check_regions(sample.node_labels, sample.file, n_nodes)
        if first is None:
            first = replace(sample, values=sample.values[:1].copy())
            regions = with_atlas(
                sample.node_labels, sample.node_coordinates, n_nodes, sample.file, options.atlas, region_notes
            )
        order = order_like(sample, first)
        n_reordered += order is not None
        files.append(sample.file)
        if kind == "series":
            one = sample.values if order is None else sample.values[:, order]
            lengths.append(len(one))
            if options.keeps_series:
                options.budget.claim(2 * one.nbytes, sample.file)
                series.append(one)
                continue
            row = correlations_of_series(one, sample.file, regions.names)
        else:
            matrix = sample.values if order is None else sample.values[np.ix_(order, order)]
            check_diagonal(matrix, kind, sample.file)
            row, done = symmetrize(matrix, kind, sample.file, first.node_labels)
            rules.update(done)
        if values is None:
            # The search for subgraphs will take as much again.
            options.budget.claim(2 * n_subjects * row.nbytes, sample.file)
            values = np.empty((n_subjects, len(row)))
        values[i] = row
        if sample.waytotal is not None:
            if fraction is None:
                fraction = np.full((n_subjects, len(row)), np.nan)
            total = sample.waytotal if order is None else sample.waytotal[order]
            fraction[i] = _share(matrix, total, sample.file, first.node_labels)
    if first is None:
        raise InputError("A cohort needs at least one subject, but no file was read. Check the folder.")
    seen: dict[str, Any] = {**subjects.notes, **(notes or {})}
    if n_reordered:
        seen["n_reordered"] = n_reordered
    if rules:
        seen["symmetry"] = ", ".join(sorted(rules))
    return Connectomes(
        kind=kind,
        graph_ids=subjects.graph_ids,
        files=tuple(files),
        values=values,
        series=tuple(series) if series else None,
        lengths=tuple(lengths) if kind == "series" else None,
        fraction=fraction,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        y=subjects.y,
        y_file=subjects.y_file,
        notes=seen | region_notes,
        id_digits=subjects.id_digits,
    )


def _share(counts: Floats, waytotal: Floats, file: Path, labels: tuple[str, ...] | None) -> Floats:
    if waytotal.shape != (len(counts),) or not (np.isfinite(waytotal) & (waytotal >= 0)).all():
        raise InputError(
            f"{file}: waytotal must give one number of streamlines per region: got {waytotal.size} values "
            f"for {len(counts)} regions, or a negative one."
        )
    # A region from which nothing was sent reached nothing.
    share = np.divide(counts, waytotal[:, None], out=np.zeros_like(counts), where=waytotal[:, None] > 0)
    return symmetrize(share, "count", file, labels)[0]


class Regions(NamedTuple):
    """Names, positions and networks of the regions of a file; None where unknown."""

    names: tuple[str, ...] | None
    coordinates: NDArray[np.float64] | None
    networks: tuple[str, ...] | None


def with_atlas(
    labels: tuple[str, ...] | None,
    coordinates: Floats | None,
    n_nodes: int,
    file: Path,
    atlas: AtlasTable | None,
    notes: dict[str, Any],
) -> Regions:
    """Return what is known of regions, from the atlas if there is one; note where it is from."""
    regions = Regions(labels, coordinates, networks_in(labels))
    if atlas is not None:
        found = atlas.applied(labels, n_nodes, file)
        regions = found if found.coordinates is not None else found._replace(coordinates=coordinates)
        notes["atlas"] = atlas.file.name
    if regions.names is None:
        notes["regions"] = NUMBERED
    return regions


def networks_in(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the networks in Schaefer's names of regions, 7Networks_LH_Default_PFC_1; None without any.

    Examples
    --------
    >>> networks_in(["7Networks_LH_Default_PFC_1", "Left-Thalamus"])
    ('Default', '')
    """
    found = [_SCHAEFER.fullmatch(name) for name in names or ()]
    return tuple("" if one is None else one[1] for one in found) if any(found) else None


def row_blocks(values: Floats) -> Iterator[slice]:
    """Slices of rows that take a few megabytes each."""
    at_once = max(1, _PIECE // (8 * max(1, values.shape[1])))
    return (slice(first, first + at_once) for first in range(0, len(values), at_once))
