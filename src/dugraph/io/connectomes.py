"""`Connectomes`: what every reader returns, values as the files hold them, joined over subjects by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.atlas import AtlasTable
from dugraph.io.diagonal import check_diagonal
from dugraph.io.guards import MemoryBudget, check_length
from dugraph.io.regions import check_regions, order_like
from dugraph.io.row_store import RowStore
from dugraph.io.symmetry import folded
from dugraph.words import MATRIX_VALUES

NUMBERED = "without names in the files: numbered from 0 in their order; an atlas names them"
"""What the provenance says of regions that neither the files nor an atlas name."""
KINDS = (*MATRIX_VALUES, "series")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """One subject as its file holds it.

    Attributes
    ----------
    graph_id : str
    file : Path
    values : ndarray of shape (n_nodes, n_nodes), or (n_timepoints, n_nodes) for series
    node_labels : tuple of str, or None
        Names of the regions in the order of `values`.
    waytotal : ndarray of shape (n_nodes,), or None
        For counts: how many streamlines were sent from each region.
    node_coordinates : ndarray of shape (n_nodes, 3), or None
        Where the regions lie, in the order of `values`.
    """

    graph_id: str
    file: Path
    values: Floats
    node_labels: tuple[str, ...] | None = None
    waytotal: Floats | None = None
    node_coordinates: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class Connectomes:
    """A cohort as files hold it: correlations, counts, series; not yet probabilities.

    Attributes
    ----------
    kind : {"correlation", "fisher_z", "count", "probability", "series"}
    graph_ids : tuple of str
    files : tuple of Path
        The file that each graph came from, for messages.
    values : ndarray of shape (n_graphs, n_edges), or None for series
        NaN where a value is missing.
    series : tuple of ndarray of shape (n_timepoints_i, n_nodes), or None
    edges : ndarray of int, shape (n_edges, 2), or None
        None means all pairs, in ``np.tril_indices(n_nodes, -1)`` order.
    fraction : ndarray of shape (n_graphs, n_edges), or None
        For counts with waytotal: the share of streamlines, averaged over both directions; NaN throughout for
        a graph that comes without.
    node_labels : tuple of str, or None
    node_coordinates : ndarray of shape (n_nodes, 3), or None
    edge_layers : tuple of str, or None
    y : tuple of str, or None
        Class of each graph, if the format carries it.
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
    edges: NDArray[np.int64] | None = None
    fraction: Floats | None = None
    node_labels: tuple[str, ...] | None = None
    node_coordinates: Floats | None = None
    edge_layers: tuple[str, ...] | None = None
    y: tuple[str, ...] | None = None
    y_file: Path | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    id_digits: int | None = None

    def __post_init__(self) -> None:
        """Refuse two files for one subject and names that no one could have meant."""
        first: dict[str, Path] = {}
        for graph_id, file in zip(self.graph_ids, self.files, strict=True):
            check_length(graph_id, file, "subject id")
            if not graph_id:
                raise InputError(f"{file}: a subject id must not be empty. Rename the file or fill it in.")
            if graph_id in first:
                raise InputError(
                    f"A subject must have one file, but {shown(graph_id)} has two: {first[graph_id]} and "
                    f"{file}. Move one away."
                )
            first[graph_id] = file
        if self.kind not in KINDS:
            raise InputError(
                f"values must be one of {', '.join(KINDS)}, but are {shown(self.kind)!r}.", parameter="values"
            )

    def subset(self, rows: Sequence[int]) -> Connectomes:
        """Return the connectomes of some graphs, by position; itself if these are all."""
        if list(rows) == list(range(len(self.graph_ids))):
            return self

        def chosen(one: Any) -> Any:
            if one is None or isinstance(one, np.ndarray):
                return None if one is None else one[list(rows)]
            return tuple(one[i] for i in rows)

        names = ("graph_ids", "files", "values", "series", "fraction", "y")
        return replace(self, **{name: chosen(getattr(self, name)) for name in names})

    def within(
        self, regions: NDArray[np.intp], edges: NDArray[np.int64], names: tuple[str, ...]
    ) -> Connectomes:
        """Return the connectomes among some regions.

        Parameters
        ----------
        regions : ndarray of int
            Positions in rising order.
        edges : ndarray of int, shape (n_edges, 2)
            Those of the values.
        names : tuple of str
            Those of all regions: what stays keeps its name, or its number.
        """
        inside = np.isin(edges, regions).all(axis=1)
        parts: dict[str, Any] = {"node_labels": tuple(names[v] for v in regions)}
        if self.node_coordinates is not None:
            parts["node_coordinates"] = self.node_coordinates[regions]
        if self.series is not None:
            parts["series"] = tuple(one[:, regions] for one in self.series)
        for name in ("values", "fraction"):
            if getattr(self, name) is not None:
                parts[name] = getattr(self, name)[:, inside]
        if self.edges is not None:
            parts["edges"] = np.searchsorted(regions, edges[inside])
        if self.edge_layers is not None:
            parts["edge_layers"] = tuple(np.array(self.edge_layers)[inside].tolist())
        return replace(self, **parts)


def joined(
    samples: Iterable[Sample],
    kind: str,
    budget: MemoryBudget,
    atlas: AtlasTable | None = None,
    notes: Mapping[str, Any] | None = None,
    id_digits: int | None = None,
) -> Connectomes:
    """Join subjects by the names of their regions; without names, by position.

    Parameters
    ----------
    samples : iterable of Sample
        May be a generator: of each matrix only its edges are kept.
    kind : {"correlation", "fisher_z", "count", "probability", "series"}
    budget : MemoryBudget
    atlas : AtlasTable, optional
        Names regions that the files only number, and gives their positions if it has them.
    notes : mapping of str to plain values, optional
    id_digits : int, optional
        As for `Connectomes`.

    Returns
    -------
    Connectomes
        Regions in the order of the first sample.
    """
    first: Sample | None = None
    ids: list[str] = []
    files: list[Path] = []
    series: list[Floats] = []
    values, fractions = RowStore(), RowStore()
    rules: set[str] = set()
    n_reordered = 0
    for sample in samples:
        check_regions(sample.node_labels, sample.file, sample.values.shape[1])
        first = first or sample
        order = order_like(sample, first)
        n_reordered += order is not None
        if kind == "series":
            one = sample.values if order is None else sample.values[:, order]
            series.append(one)
        else:
            matrix = sample.values if order is None else sample.values[np.ix_(order, order)]
            check_diagonal(matrix, kind, sample.file)
            one, done = folded(matrix, kind, sample.file, first.node_labels)
            rules.update(done)
            values.add(one)
            if sample.waytotal is not None:
                while fractions.n_rows < len(ids):  # those who came before, without
                    fractions.add(np.full_like(one, np.nan))
                total = sample.waytotal if order is None else sample.waytotal[order]
                fractions.add(_share(matrix, total, sample.file, first.node_labels))
            elif fractions.n_rows:
                fractions.add(np.full_like(one, np.nan))
        # The search for subgraphs will take as much again.
        budget.claim(2 * one.nbytes, sample.file)
        ids.append(sample.graph_id)
        files.append(sample.file)
    if first is None:
        raise InputError("A cohort needs at least one subject, but no file was read. Check the folder.")
    seen: dict[str, Any] = dict(notes or {})
    if n_reordered:
        seen["n_reordered"] = n_reordered
    if rules:
        seen["symmetry"] = ", ".join(sorted(rules))
    labels, coordinates = first.node_labels, first.node_coordinates
    if atlas is not None:
        labels, positions = atlas.applied(labels, first.values.shape[1], first.file)
        coordinates = coordinates if positions is None else positions
        seen["atlas"] = atlas.file.name
    if labels is None:
        seen["regions"] = NUMBERED
    is_series = kind == "series"
    return Connectomes(
        kind=kind,
        graph_ids=tuple(ids),
        files=tuple(files),
        values=None if is_series else values.array(),
        series=tuple(series) if is_series else None,
        fraction=fractions.array() if fractions.n_rows else None,
        node_labels=labels,
        node_coordinates=coordinates,
        notes=seen,
        id_digits=id_digits,
    )


def _share(counts: Floats, waytotal: Floats, file: Path, labels: tuple[str, ...] | None) -> Floats:
    if waytotal.shape != (len(counts),) or not (np.isfinite(waytotal) & (waytotal >= 0)).all():
        raise InputError(
            f"{file}: waytotal must give one number of streamlines per region: got {waytotal.size} values "
            f"for {len(counts)} regions, or a negative one."
        )
    # A region from which nothing was sent reached nothing.
    share = np.divide(counts, waytotal[:, None], out=np.zeros_like(counts), where=waytotal[:, None] > 0)
    return folded(share, "count", file, labels)[0]
