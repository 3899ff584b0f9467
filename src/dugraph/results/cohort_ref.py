"""The cohort of a result: where its file is, its SHA-256, and what its labels are."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.cohort_file import cohort_bytes, load_cohort
from dugraph.data.columns import named_columns, select_participants
from dugraph.data.labels import (
    CLASSES,
    GROUPS,
    PHENOTYPE,
    names_of_classes,
)
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.atomic import check_path, open_file
from dugraph.results.schema import Input, damaged
from dugraph.significance import SignificanceResult

PathLike = str | os.PathLike[str]
Labelled = Callable[..., LabelledGraphs]

LABELLED: dict[str, Labelled] = {
    CLASSES: LabelledGraphs.of,
    **{kind: partial(LabelledGraphs.of_any, numbers=kind) for kind in (GROUPS, PHENOTYPE)},
}
"""How the labels of each kind are read."""
OWN_FILE = "cohort.npz"
"""The file in the folder of a result that contains a cohort given in memory."""


@dataclass(frozen=True)
class CohortRef:
    """The cohort of a result and its file.

    Attributes
    ----------
    cohort : LabelledGraphs
    file, sha256 : str
        Name and hash of its file.
    path : Path or None
        Where the file is; None: the cohort is in no file yet.
    pos_label : object
        The positive class, if it was given; None: the last in sorted order.
    phenotype : str or None
        The column of the participants that the labels are; None: they are those of the cohort.
    graphs : tuple of int or None
        The graphs of the file that are in `cohort`; None: all.
    whole : LabelledGraphs or None
        The cohort with all graphs of the file, if `cohort` has only some of them.
    where : str or None
        The condition on participants that `cohort` meets; None: there was none.
    """

    cohort: LabelledGraphs
    file: str
    sha256: str
    path: Path | None = None
    pos_label: object = None
    phenotype: str | None = None
    graphs: tuple[int, ...] | None = None
    whole: LabelledGraphs | None = None
    where: str | None = None

    def part(self, mask: NDArray[np.bool_]) -> CohortRef:
        """The same cohort with the graphs selected by a mask."""
        rows = np.flatnonzero(mask)
        if len(rows) == len(mask):
            return self
        before = range(len(mask)) if self.graphs is None else self.graphs
        return dataclasses.replace(
            self,
            cohort=self.cohort[rows],
            graphs=tuple(before[row] for row in rows.tolist()),
            whole=self.whole or self.cohort,
        )

    def shares_graphs(self, other: Input) -> bool:
        """Whether both are of one file and have a graph in common."""
        if self.sha256 != other.sha256:
            return False
        return self.graphs is None or other.graphs is None or not set(self.graphs).isdisjoint(other.graphs)

    @classmethod
    def of(cls, cohort: LabelledGraphs, path: PathLike | None = None, pos_label: object = None) -> CohortRef:
        """Refer to a cohort in memory: in a file that was just read or written, or in none."""
        if path is None:
            content = cohort_bytes(cohort.graphs, cohort.y)
            return cls(cohort, OWN_FILE, hashlib.sha256(content).hexdigest(), None, pos_label)
        digest = _sha256(path)  # validates the path
        return cls(cohort, Path(path).name, digest, Path(path), pos_label)


def _sha256(path: PathLike) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_cohort(
    path: PathLike,
    needed_by: str,
    pos_label: str | None = None,
    *,
    phenotype: str | None = None,
    where: str | None = None,
    labelled: Labelled = LabelledGraphs.of,
) -> CohortRef:
    """Read a cohort that must have labels of a kind that `labelled` accepts.

    `needed_by` begins the message if there are none: ``mining needs``. `pos_label` is a class or its name,
    `phenotype` a column of the participants that replaces the labels, `where` a condition on participants.
    """
    graphs, y = _read(path, needed_by, phenotype)
    rows = None
    if where is not None:  # first, since a condition may leave two of several groups
        chosen = select_participants(graphs.participants or {}, where)
        if not chosen.all():
            graphs, y, rows = graphs[chosen], y[chosen], tuple(np.flatnonzero(chosen).tolist())
    label = _class_named(pos_label, graphs, y)
    cohort = _labelled(graphs, y, label, phenotype, labelled)
    return CohortRef(cohort, Path(path).name, _sha256(path), Path(path), label, phenotype, rows, where=where)


def open_second_cohort(
    path: PathLike, first: SignificanceResult, phenotype: str | None, where: str | None = None
) -> CohortRef:
    """Read the second cohort of a replication; its positive class is that of the first cohort's result."""
    kind = first.parameters["labels"]
    labelled = LABELLED[GROUPS if kind == GROUPS else PHENOTYPE]
    source = open_cohort(path, "a replication needs", phenotype=phenotype, where=where, labelled=labelled)
    cohort = source.cohort
    if cohort.kind == CLASSES and first.contrasts:
        against = " against ".join(map(abbreviate, reversed(cohort.names)))
        if against == first.contrasts[0]:
            negative = cohort.negative_class
            return dataclasses.replace(
                source, cohort=LabelledGraphs(cohort.graphs, cohort.y, negative), pos_label=negative
            )
    return source


def phenotype_column(graphs: UncertainGraphs, name: str) -> NDArray[Any]:
    """A column of the participants as labels; of two numbers, as their text."""
    column = named_columns([name], "phenotype", graphs)[name]
    # The names of the cohort's classes 1 and 0 are not those of the 1 and 0 of another column.
    return column.astype(str) if len(set(column.tolist())) == 2 else column


def _read(path: PathLike, needed_by: str, phenotype: str | None) -> tuple[UncertainGraphs, NDArray[Any]]:
    graphs, y = load_cohort(path)
    if phenotype is not None:
        y = phenotype_column(graphs, phenotype)
    if y is None:
        raise InputError(
            f"{path}: {needed_by} class labels, but the file has none.",
            way_out=(
                *("Convert it again with ", Spoken("a table of participants", "--participants FILE")),
                ", or save it with y.",
            ),
        )
    return graphs, y


def _labelled(
    graphs: UncertainGraphs, y: NDArray[Any], label: object, phenotype: str | None, labelled: Labelled
) -> LabelledGraphs:
    if phenotype is not None and labelled == LabelledGraphs.of:
        labelled = LABELLED[PHENOTYPE]
    try:
        return labelled(graphs, y, label)
    except InputError as error:
        of_column = phenotype is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if of_column else error) from error


def _class_named(text: str | None, graphs: UncertainGraphs, y: NDArray[Any]) -> object:
    """Return the class label that is written or named so; a label takes precedence over a name."""
    labels = sorted(set(y.tolist()))
    if text is None or len(labels) != 2:
        return text
    names = names_of_classes(graphs, labels[1], labels[0])[::-1]
    known = {name: label for label, name in zip(labels, names, strict=True)}
    known |= {str(label): label for label in labels}
    if text in known:
        return known[text]
    both = [
        abbreviate(label) if str(label) == name else f"{abbreviate(label)} ({abbreviate(name)})"
        for label, name in zip(labels, names, strict=True)
    ]
    raise InputError(
        f"pos_label must be one of the two classes: got {abbreviate(text)!r}, the classes are {both[0]} and "
        f"{both[1]}.",
        parameter="pos_label",
    )


def recorded_cohort(file: Path, record: Input, data: PathLike | None) -> CohortRef:
    """Read the cohort named by the record in `file`, or from `data` if that is not None."""
    path = Path(check_path(data, "cohort file")) if data is not None else file.parent / record.path
    if data is None and not os.path.isfile(path):  # which takes any text, however long
        raise InputError(
            f"{path}: the cohort of these results is missing.",
            parameter="data",
            way_out=("Name it with ", Setting("data", "FILE"), "."),
        )
    graphs, y = _read(path, "a report needs", record.phenotype)
    if _sha256(path) != record.sha256:
        raise InputError(
            f"{path}: the cohort must be the file that was mined, but its SHA-256 is not "
            f"{record.sha256[:12]}...",
            parameter="data",
            way_out=("Name the right one with ", Setting("data", "FILE"), ", or mine again."),
        )
    rows = None if record.graphs is None else tuple(record.graphs)
    if rows is not None and (not rows or max(rows) >= len(y)):
        raise damaged(file, f"input.graphs must be some of the {len(y)} graphs of the cohort")
    chosen = rows is not None and record.where is not None
    if chosen:  # the labels of the others may be of another kind
        graphs, y = graphs[record.graphs], y[record.graphs]
    kind, label = record.labels or CLASSES, None
    if record.positive_class is not None:
        # NumPy's text of a short float differs from Python's, and older releases wrote either.
        wanted = record.positive_class
        label = next((one.item() for one in y if wanted in (str(one), str(one.item()))), None)
        if label is None:
            raise damaged(file, f"the cohort has no graph of the class {abbreviate(wanted)}")
        if label == max(y.tolist()):
            label = None  # the default
    cohort = _labelled(graphs, y, label, record.phenotype, LABELLED[kind])
    if cohort.kind != kind:
        raise damaged(file, f"the labels of the cohort are {cohort.kind}, not {kind}")
    where, phenotype = record.where, record.phenotype
    source = CohortRef(cohort, record.file, record.sha256, path, phenotype=phenotype, where=where)
    if rows is None:
        return source
    if chosen:
        return dataclasses.replace(source, graphs=rows)
    return source.part(np.isin(np.arange(len(cohort)), rows))


def input_record(ref: CohortRef, folder: PathLike, *, brief: bool = False) -> Input:
    """The cohort as files record it: its file, the positive class or the kind of labels.

    Unless it is `brief`, with sizes, names of the classes, and where the cohort came from, if it says so.
    """
    folder = check_path(folder, "folder")
    place = Path(folder) / OWN_FILE if ref.path is None else ref.path
    way = os.path.relpath(os.path.realpath(place), os.path.realpath(folder))
    cohort, kind = ref.cohort, ref.cohort.kind
    record = Input(
        file=ref.file,
        path=Path(way).as_posix(),
        sha256=ref.sha256,
        phenotype=ref.phenotype,
        positive_class=str(cohort.positive_class) if kind == CLASSES else None,
        labels=None if kind == CLASSES else kind,  # type: ignore[arg-type]
        graphs=None if ref.graphs is None else list(ref.graphs),
        where=ref.where,
    )
    if brief:
        return record
    graphs = cohort.graphs
    record.n_edges, record.n_graphs, record.n_nodes = graphs.n_edges, graphs.n_graphs, graphs.n_nodes
    record.provenance = provenance_without_ids(graphs)
    if kind == PHENOTYPE:
        record.smallest, record.largest = float(cohort.y.min()), float(cohort.y.max())
    elif kind == GROUPS:
        sizes = (cohort.y[:, None] == cohort.classes).sum(axis=0).tolist()
        record.groups = dict(zip(cohort.group_names, sizes, strict=True))
    else:
        record.n_pos, record.n_neg = cohort.n_pos, cohort.n_neg
        record.negative_class = str(cohort.negative_class)
        record.positive_name, record.negative_name = cohort.names
    return record


def provenance_without_ids(graphs: UncertainGraphs) -> dict[str, Any] | None:
    """The provenance for files that are passed on, without ids of participants, also of those left out.

    Participants left out are counted. Ids of graphs are replaced by their places in the cohort, from 1,
    unless they are numbers or shorter than three letters, which stand for other things too.
    """
    if graphs.provenance is None:
        return None
    record = dict(graphs.provenance)
    left_out = record.get("left_out")
    if isinstance(left_out, Mapping):
        record["left_out"] = {
            why: len(ids) if isinstance(ids, list) else ids for why, ids in left_out.items()
        }
    if isinstance(record.get("format_reason"), str):
        # The file that it names as an example may be that of a participant who was left out.
        record["format_reason"] = record["format_reason"].partition(" such as ")[0]
    return {key: _without_ids(value, graphs) for key, value in record.items()}


def _without_ids(value: Any, graphs: UncertainGraphs) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_ids(one, graphs) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_ids(one, graphs) for one in value]
    if not isinstance(value, str):
        return value
    named = (
        (i, name) for i, name in enumerate(graphs.graph_ids, 1) if len(name) > 2 and not name.isdecimal()
    )
    numbers = {name: i for i, name in named if name in value}
    if not numbers:
        return value
    names = "|".join(map(re.escape, sorted(numbers, key=len, reverse=True)))
    whole = rf"(?<![^\W_])(?:{names})(?![^\W_])"  # underscores part words in names of files
    return re.sub(whole, lambda found: f"participant {numbers[found[0]]}", value)
