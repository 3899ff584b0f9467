"""The cohort of a result and the file that it is in: opened once, identified by its SHA-256."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.cohort_file import cohort_bytes, load_cohort
from dugraph.data.columns import named_columns
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE, names_of_classes
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.atomic import check_path, open_file
from dugraph.results.rules import TEXT, check_object, check_value, damaged, one_of

PathLike = str | os.PathLike[str]
OWN_FILE = "cohort.npz"
"""Where a result keeps a cohort that is in no file yet."""


@dataclass(frozen=True)
class Source:
    """The cohort of a result.

    Attributes
    ----------
    cohort : LabelledGraphs
    file, sha256 : str
        Name and hash of its file.
    path : Path or None
        Where the file is; None: the cohort is in no file yet.
    pos_label : object
        The positive class as it was asked for; None: the last in sorted order.
    phenotype : str or None
        The column of the participants that the labels are; None: they are those of the cohort.
    """

    cohort: LabelledGraphs
    file: str
    sha256: str
    path: Path | None = None
    pos_label: object = None
    phenotype: str | None = None

    @classmethod
    def of(cls, cohort: LabelledGraphs, path: PathLike | None = None, pos_label: object = None) -> Source:
        """The source of a cohort that is at hand: in a file that was just read or written, or in none."""
        if path is None:
            content = cohort_bytes(cohort.graphs, cohort.y)
            return cls(cohort, OWN_FILE, hashlib.sha256(content).hexdigest(), None, pos_label)
        return cls(cohort, Path(path).name, _sha256(path), Path(path), pos_label)


def _sha256(path: PathLike) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Choice = Callable[[UncertainGraphs, NDArray[Any]], object]
Labelled = Callable[..., LabelledGraphs]


def cohort_source(
    path: PathLike,
    who_needs: str,
    named: str | None = None,
    *,
    phenotype: str | None = None,
    labelled: Labelled = LabelledGraphs.of,
) -> Source:
    """Read a cohort that must have class labels.

    Parameters
    ----------
    path : path-like
    who_needs : str
        The beginning of the message if it has none: ``mining needs``.
    named : str, optional
        The positive class, as a label or by its name; by default the last in sorted order.
    phenotype : str, optional
        A column of the participants to take in place of the class labels, of any kind.
    labelled : callable, optional
        Which labels are taken: `LabelledGraphs.of`, `of_any` or `of_groups`.
    """

    def choose(graphs: UncertainGraphs, y: NDArray[Any]) -> object:
        return class_of(named, graphs, y)

    return _read(path, who_needs, choose, lambda _: None, phenotype, labelled)


def phenotype_column(graphs: UncertainGraphs, name: str) -> NDArray[Any]:
    """A column of the participants as labels; of two numbers, as their text."""
    column = named_columns([name], "phenotype", graphs)[name]
    # The names of the cohort's classes 1 and 0 are not those of the 1 and 0 of another column.
    return column.astype(str) if len(set(column.tolist())) == 2 else column


def _read(
    path: PathLike,
    who_needs: str,
    choose: Choice,
    check: Callable[[str], None],
    phenotype: str | None = None,
    labelled: Labelled = LabelledGraphs.of,
) -> Source:
    graphs, y = load_cohort(path)
    digest = _sha256(path)
    check(digest)
    if phenotype is not None:
        labelled = LabelledGraphs.of_any if labelled == LabelledGraphs.of else labelled
        y = phenotype_column(graphs, phenotype)
    if y is None:
        raise InputError(
            f"{path}: {who_needs} class labels, but the file has none.",
            way_out=(
                *("Convert it again with ", Spoken("a table of participants", "--participants FILE")),
                ", or save it with y.",
            ),
        )
    pos_label = choose(graphs, y)
    try:
        cohort = labelled(graphs, y, pos_label)
    except InputError as error:
        named = phenotype is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if named else error) from error
    return Source(cohort, Path(path).name, digest, Path(path), pos_label, phenotype)


def class_of(text: str | None, graphs: UncertainGraphs, y: NDArray[Any]) -> object:
    """Return the class label that is written or named so; a label wins over a name."""
    labels = sorted(set(y.tolist()))
    if text is None or len(labels) != 2:
        return text
    names = names_of_classes(graphs, labels[1], labels[0])[::-1]
    known = {name: label for label, name in zip(labels, names, strict=True)}
    known |= {str(label): label for label in labels}
    if text in known:
        return known[text]
    told = [
        abbreviate(label) if str(label) == name else f"{abbreviate(label)} ({abbreviate(name)})"
        for label, name in zip(labels, names, strict=True)
    ]
    raise InputError(
        f"pos_label must be one of the two classes: got {abbreviate(text)!r}, the classes are {told[0]} and "
        f"{told[1]}.",
        parameter="pos_label",
    )


def check_source(file: Path, record: object) -> dict[str, str]:
    """What a record says about its input, if it is all there."""
    several = isinstance(record, dict) and "labels" in record
    fields = dict.fromkeys(("file", "path", "sha256"), TEXT)
    fields |= {"labels": one_of((GROUPS, PHENOTYPE))} if several else {"positive_class": TEXT}
    told = check_object(file, "input", record, fields)
    check_value(file, "phenotype of input", told.get("phenotype"), TEXT.or_null())
    return told


def recorded_source(file: Path, record: object, data: PathLike | None) -> Source:
    """Read the cohort that the record of a result names.

    Parameters
    ----------
    file : Path
        Where the record was read from.
    record : object
        What it says about its input.
    data : path-like or None
        The cohort file; None: where the record says that it is.
    """
    told = check_source(file, record)
    path = Path(check_path(data, "cohort file")) if data is not None else file.parent / told["path"]
    if data is None and not os.path.isfile(path):  # which takes any text, however long
        raise InputError(
            f"{path}: the cohort of these results is missing.",
            parameter="data",
            way_out=("Name it with ", Setting("data", "FILE"), "."),
        )

    def check(digest: str) -> None:
        if digest != told["sha256"]:
            raise InputError(
                f"{path}: the cohort must be the file that was mined, but its SHA-256 is not "
                f"{told['sha256'][:12]}...",
                parameter="data",
                way_out=("Name the right one with ", Setting("data", "FILE"), ", or mine again."),
            )

    def choose(graphs: UncertainGraphs, y: NDArray[Any]) -> object:
        # Of a short float NumPy's text and Python's differ, and older releases wrote either.
        wanted = told.get("positive_class")
        if wanted is None:
            return None
        label = next((one.item() for one in y if wanted in (str(one), str(one.item()))), None)
        if label is None:
            raise damaged(file, f"the cohort has no graph of the class {abbreviate(wanted)}")
        return None if label == max(y.tolist()) else label  # which it is without being asked for

    kind, phenotype = told.get("labels", CLASSES), told.get("phenotype")
    # Codes of groups are numbers, if classes were compared one by one.
    labelled = {CLASSES: LabelledGraphs.of, GROUPS: LabelledGraphs.of_groups}.get(kind, LabelledGraphs.of_any)
    source = _read(path, "a report needs", choose, check, phenotype, labelled)
    if source.cohort.kind != kind:
        raise damaged(file, f"the labels of the cohort are {source.cohort.kind}, not {kind}")
    return Source(source.cohort, told["file"], source.sha256, path, phenotype=phenotype)


def brief_input(source: Source, folder: PathLike) -> dict[str, str]:
    """What every record says about its input: where it is, its hash, its positive class."""
    folder = check_path(folder, "folder")
    place = Path(folder) / OWN_FILE if source.path is None else source.path
    way = os.path.relpath(os.path.realpath(place), os.path.realpath(folder))
    return {
        "file": source.file,
        "path": Path(way).as_posix(),
        "sha256": source.sha256,
        **({} if source.phenotype is None else {"phenotype": source.phenotype}),
        **(
            {"positive_class": str(source.cohort.positive_class)}
            if source.cohort.kind == CLASSES
            else {"labels": source.cohort.kind}
        ),
    }


def full_input(source: Source, folder: PathLike) -> dict[str, Any]:
    """The same with sizes, names of the classes, and where the cohort came from, if it says so."""
    cohort = source.cohort
    graphs, provenance = cohort.graphs, cohort.graphs.provenance
    return {
        **brief_input(source, folder),
        "n_edges": graphs.n_edges,
        "n_graphs": graphs.n_graphs,
        "n_nodes": graphs.n_nodes,
        **_labels_record(cohort),
        **({} if provenance is None else {"provenance": provenance}),
    }


def _labels_record(cohort: LabelledGraphs) -> dict[str, Any]:
    if cohort.kind == PHENOTYPE:
        return {"largest": float(cohort.y.max()), "smallest": float(cohort.y.min())}
    if cohort.kind == GROUPS:
        sizes = (cohort.y[:, None] == cohort.classes).sum(axis=0).tolist()
        return {"groups": dict(zip(cohort.group_names, sizes, strict=True))}
    positive_name, negative_name = cohort.names
    return {
        "n_neg": cohort.n_neg,
        "n_pos": cohort.n_pos,
        "negative_class": str(cohort.negative_class),
        "negative_name": negative_name,
        "positive_name": positive_name,
    }
