"""`Connectomes`: what every reader returns, values as the files hold them, subjects aligned by region.

A reader makes a `Sample` of each file; its triangles, its diagonal and its regions are checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, edge_label, listed
from dugraph.data.edges import triangle_edges, triangle_size
from dugraph.estimators.probabilities import correlations
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.guards import check_length
from dugraph.io.input_files import ReadOptions, Subjects, check_one_file
from dugraph.words import MATRIX_VALUES

if TYPE_CHECKING:
    from dugraph.io.atlas import AtlasTable

Floats = NDArray[np.float64]

NUMBERED = "without names in the files: numbered from 0 in their order; an atlas names them"
"""Noted in the provenance if neither the files nor an atlas name the regions."""
KINDS = (*MATRIX_VALUES, "series")

# Schaefer's names contain their network: 7Networks_LH_Default_PFC_1.
_SCHAEFER = re.compile(r"(?:7|17)Networks_[LR]H_([A-Za-z]+)(?:_\w+)?")
# Bytes of the rows that are worked on together.
_PIECE = 2**22


RELATIVE_TOLERANCE = 1e-5
"""Relative to the largest value: files keep only some digits."""
# Files keep only some digits of a correlation of 1.
_ROUNDING = 1e-3
_COVARIANCES = "Covariances must be divided by the standard deviations first."


@dataclass(frozen=True)
class Sample:
    """The content of one file; series have the shape (n_timepoints, n_nodes)."""

    file: Path
    values: Floats
    node_labels: tuple[str, ...] | None = None  # in the order of `values`
    waytotal: Floats | None = None  # the number of streamlines sent from each region
    node_coordinates: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class Connectomes:
    """A cohort as files hold it: correlations, counts, series; not yet probabilities."""

    kind: str  # of KINDS
    graph_ids: tuple[str, ...]
    files: tuple[Path, ...]  # that each graph came from, for messages
    # Of shape (n_graphs, n_edges), NaN where a value is missing; None if there are series.
    values: Floats | None = None
    series: tuple[Floats, ...] | None = None  # where they are needed themselves, not their correlations
    lengths: tuple[int, ...] | None = None  # the numbers of time points, for series
    edges: NDArray[np.int64] | None = None  # None: all pairs, in np.tril_indices(n_nodes, -1) order
    # For counts with waytotal: the share of streamlines, averaged over both directions; NaN without.
    fraction: Floats | None = None
    node_labels: tuple[str, ...] | None = None
    node_coordinates: Floats | None = None
    node_networks: tuple[str, ...] | None = None
    edge_layers: tuple[str, ...] | None = None
    y: tuple[str, ...] | None = None  # the class of each graph, if the format has it
    y_file: Path | None = None  # of the classes, for messages
    notes: Mapping[str, Any] = field(default_factory=dict)  # what else the reader saw, for the provenance
    id_digits: int | None = None  # how many digits every id has, if a table may have lost leading zeros

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

    There is one sample for each subject, and one in memory at a time; the regions are in the order of the
    first. The atlas of the options names regions that the files only number, and places them.
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


# --- Regions ------------------------------------------------------------------------------------------------


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


def check_regions(labels: tuple[str, ...] | None, file: object, n_regions: int) -> None:
    """Refuse fewer than two regions, and names that are missing, empty, too long or repeated."""
    if n_regions < 2:
        raise InputError(f"{file}: a network must have at least two regions, but it has {n_regions}.")
    if labels is None:
        return
    if len(labels) != n_regions:
        raise InputError(
            f"{file}: every region needs one name, but there are {counted(len(labels), 'name')} for "
            f"{counted(n_regions, 'region')}."
        )
    seen: set[str] = set()
    for label in labels:
        check_length(label, file, "region name")
        if not label:
            raise InputError(f"{file}: a region must have a name, but one is empty. Fill it in.")
        if label in seen:
            raise InputError(
                f"{file}: regions must have different names, but {abbreviate(label)!r} appears twice. Rename "
                "or drop one in all files."
            )
        seen.add(label)


def order_like(sample: Sample, first: Sample) -> NDArray[np.intp] | None:
    """Return the positions of the regions of the first file in another file; None if they are the same."""
    here, there = sample.node_labels, first.node_labels
    if here is None or there is None:
        if (here is None) != (there is None):
            raise InputError(
                f"Either all files name their regions or none: {sample.file} and {first.file} differ. "
                "Write them all with one program."
            )
        n_here, n_there = sample.values.shape[1], first.values.shape[1]
        if n_here != n_there:
            raise InputError(
                f"All subjects must have the same regions: {sample.file} has {n_here}, but {first.file} has "
                f"{n_there}. Extract them with one atlas."
            )
        return None
    if here == there:
        return None
    missing, extra = [n for n in there if n not in set(here)], [n for n in here if n not in set(there)]
    if missing or extra:
        parts = [
            f"{word} {counted(len(names), 'region')} ({listed(names, 8)})"
            for word, names in (("lacks", missing), ("adds", extra))
            if names
        ]
        raise InputError(
            f"All subjects must have the same regions: {sample.file} {' and '.join(parts)}, compared with "
            f"{first.file}. Drop these regions from all files, or leave out the subject."
        )
    position = {name: i for i, name in enumerate(here)}
    return np.array([position[name] for name in there], dtype=np.intp)


# --- Matrices and series of one subject --------------------------------------------------------------------


def symmetrize(
    matrix: Floats, kind: str, file: object, labels: tuple[str, ...] | None
) -> tuple[Floats, list[str]]:
    """Return the edges of a matrix in ``np.tril_indices(n_nodes, -1)`` order; the diagonal is ignored.

    Counts of streamlines differ with the direction and are averaged with the transpose. A matrix with one
    empty triangle is mirrored. An edge whose value is missing in one direction is missing, NaN. Any other
    asymmetry beyond rounding is refused.

    Also returns what was done; nothing if the matrix is symmetric.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{file}: a connectivity matrix must be square, but its shape is {matrix.shape}.")
    flat = np.ravel(matrix)
    lower, upper = (flat.take(at) for at in _pairs(len(matrix)))
    if np.array_equal(lower, upper):
        return lower + 0.0, []
    same = lower == upper
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(lower - upper)
    # NaN where a value is missing, or infinite in both directions.
    if np.isnan(gap.max(initial=0.0)):
        same |= np.isnan(lower) & np.isnan(upper)
    if same.all():
        return lower + 0.0, []
    # NaN is ignored.
    largest = [np.fmax.reduce(np.abs(half)) for half in (lower, upper)]
    if not largest[0] > 0:
        return upper + 0.0, ["only upper triangle, mirrored"]
    if not largest[1] > 0:
        return lower + 0.0, ["only lower triangle, mirrored"]
    with np.errstate(invalid="ignore"):
        mean = lower / 2
        mean += upper / 2
    # The mean of equal numbers may be rounded, that of equal infinities is infinite.
    np.copyto(mean, lower, where=same)
    if kind == "count":
        return mean, ["averaged with the transpose"]
    scale = max(largest)
    if np.isinf(scale):
        scale = max(np.abs(half[np.isfinite(half)]).max(initial=0.0) for half in (lower, upper))
    agrees = same | (gap <= RELATIVE_TOLERANCE * scale)
    if agrees.all():
        return mean, ["rounding averaged out"]
    half = np.isnan(lower) ^ np.isnan(upper)
    if not (agrees | half).all():
        e = int(np.argmin(agrees | half))
        i, j = (int(k) for k in divmod(int(_pairs(len(matrix))[0][e]), len(matrix)))
        names = labels or tuple(map(str, range(len(matrix))))
        raise InputError(
            f"{file}: a connectivity matrix must be symmetric, but {edge_label(names, i, j)} is "
            f"{float(lower[e])!r} in one direction and {float(upper[e])!r} in the other.",
            way_out=(
                "Average it with its transpose first; counts of streamlines (",
                *(Setting("values", "count"), ") are averaged automatically."),
            ),
        )
    rules = ["missing where one direction is"]
    return mean, rules if (same | half).all() else [*rules, "rounding averaged out"]


@lru_cache(maxsize=2)
def _pairs(n_nodes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of all pairs in the lower and in the upper triangle of a flat matrix."""
    rows, columns = np.tril_indices(n_nodes, -1)
    return rows * n_nodes + columns, columns * n_nodes + rows


def check_diagonal(matrix: Floats, kind: str, file: object) -> None:
    """Refuse a matrix whose diagonal contradicts the kind of its values; 0 and missing contradict none."""
    diagonal = np.diagonal(matrix)
    known = diagonal[~np.isnan(diagonal) & (diagonal != 0)]
    if not known.size:
        return
    is_one = np.abs(known - 1) <= _ROUNDING
    way_out: Sentence = ("If they are correlations, add ", Setting("values", "correlation"), ".")
    if kind == "correlation" and not is_one.all():
        value = float(known[np.argmin(is_one)])
        way_out = f"{_COVARIANCES} If these are correlations, write 1 or 0 on the diagonal."
        if value > 1:
            way_out = (
                *("If these are Fisher z values, add ", Setting("values", "fisher_z")),
                *("; if counts of streamlines, ", Setting("values", "count"), ". ", _COVARIANCES),
            )
        raise InputError(
            f"{file}: correlations must be 1, 0 or missing on the diagonal, but there is {value!r}.",
            way_out=way_out,
        )
    if kind == "fisher_z" and is_one.all():
        raise InputError(
            f"{file}: Fisher z values must not be 1 throughout the diagonal, where they are infinite, large, "
            "0 or missing; 1 is the diagonal of correlations.",
            way_out=way_out,
        )
    if kind == "count" and is_one.all() and np.nanmax(matrix) <= 1 + _ROUNDING:
        raise InputError(
            f"{file}: counts of streamlines must not be 1 throughout the diagonal and at most 1 elsewhere: "
            "correlations are like that.",
            way_out=way_out,
        )


# Time series to correlations; NaN where a region cannot be correlated.

_FEWEST_TIMEPOINTS = 3
# Beyond it squares overflow; no signal is so large.
_LARGEST_SIGNAL = 1e100


def correlations_of_series(series: Floats, file: object, labels: tuple[str, ...] | None) -> Floats:
    """Return the correlations of all pairs of regions in ``np.tril_indices(n_regions, -1)`` order.

    NaN where a region is constant or missing throughout.
    """
    r, constant = correlations(checked_series(series, file, labels))
    if constant.any():
        either = constant[:, None] | constant
        r[either.ravel().take(_pairs(len(constant))[0])] = np.nan
    return r


def checked_series(series: Floats, file: object, labels: tuple[str, ...] | None) -> Floats:
    """Refuse series that are too short or not finite; a region without any value becomes constant."""
    if len(series) < _FEWEST_TIMEPOINTS:
        raise InputError(
            f"{file}: a series needs at least {_FEWEST_TIMEPOINTS} time points, but has {len(series)}. "
            "Rows are time points, columns are regions."
        )
    # Written so that NaN, which compares false with everything, is unknown too.
    known = np.abs(series) < _LARGEST_SIGNAL
    if known.all():
        return series
    nowhere = np.isnan(series).all(axis=0)
    if not (known | nowhere).all():
        t, v = (int(k) for k in np.argwhere(~(known | nowhere))[0])
        name = labels[v] if labels else v
        raise InputError(
            f"{file}: a series must be finite, but region {abbreviate(name)} is {float(series[t, v])!r} "
            f"at time point {t + 1}. Interpolate it, or drop that time point from all regions."
        )
    return np.where(nowhere, 0.0, series)
