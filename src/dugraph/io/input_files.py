"""The files of a study, which subject each belongs to, by name alone, and the options of their readers."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dugraph.data.arguments import abbreviate, check_word, counted, listed
from dugraph.data.cohort_file import is_cohort_file
from dugraph.exceptions import InputError, Part, Setting, either
from dugraph.files.atomic import check_path
from dugraph.io.guards import MemoryBudget, library
from dugraph.words import MATRIX_VALUES, RUNS_FOLDER, TIME_AXES, TRIANGLES

if TYPE_CHECKING:
    from dugraph.io.atlas import AtlasTable

T = TypeVar("T")

MAX_FILES = 1_000_000

OTHER_FILES = re.compile(r"(participants|phenotyp|readme|license|changes)", re.IGNORECASE)
"""Beginnings of the names of tables and notes that lie beside the connectomes in most folders."""

# Groups of a study are few; more folders are something else.
_MOST_CLASSES = 8
_SUBJECT = re.compile(r"(sub-[A-Za-z0-9]+)(_.*)?")


@dataclass(frozen=True)
class InputFiles:
    """A file, or a folder with everything below it, sorted.

    Hidden files and folders, our own cohort files and the runs of the app are left out, and links to folders
    are not followed, so that nothing outside is read and no loop is entered.
    """

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def of(cls, path: str | os.PathLike[str], without: Iterable[Path] = ()) -> InputFiles:
        """List the files below a path, without those that are something else, such as a table."""
        root = Path(check_path(path, "file or folder"))
        if not root.exists():
            raise InputError(f"{path}: there is no such file or folder. Check the path.")
        if not root.is_dir():
            return cls(root, (root,))
        known = {os.path.realpath(file) for file in without}
        files: list[Path] = []
        for folder, names, found in os.walk(root):
            names[:] = sorted(name for name in names if not name.startswith(".") and name != RUNS_FOLDER)
            files += [Path(folder, name) for name in found if not name.startswith(".")]
            if len(files) > MAX_FILES:
                raise InputError(
                    f"{path}: a folder may hold {MAX_FILES} files, but it has more. Name a subfolder."
                )
        kept = tuple(sorted(f for f in files if os.path.realpath(f) not in known and not is_cohort_file(f)))
        if not kept:
            raise InputError(
                f"{path}: a folder of connectomes must hold files, but it is empty. Check the path."
            )
        return cls(root, kept)

    @property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return self.path.is_dir()

    @property
    def folder(self) -> Path:
        """The folder, or that of the file."""
        return self.path if self.is_folder else self.path.parent

    @property
    def top(self) -> tuple[Path, ...]:
        """The files that lie directly in the folder, or the one file."""
        return tuple(file for file in self.files if file.parent == self.path or file == self.path)

    def seen(self) -> str:
        """Say in a few words what is there: ``12 files (8 .tsv, 4 .json)``."""
        endings = Counter(file.suffix or "without ending" for file in self.files)
        return f"{counted(len(self.files), 'file')} ({listed(f'{n} {e}' for e, n in endings.most_common())})"


def table_in(path: str | os.PathLike[str]) -> Path | None:
    """The participants table of a folder, participants.tsv or participants.csv; None if it has none."""
    files = [Path(path, f"participants.{ending}") for ending in ("tsv", "csv")]
    return next((file for file in files if file.is_file()), None)


def only_file(found: InputFiles, files: list[Path]) -> Path:
    """Return the one file that holds all subjects; refuse several."""
    if len(files) != 1:
        raise InputError(
            f"{found.path}: all subjects must be in one file, but {len(files)} may be meant: "
            f"{listed(file.name for file in files)}. Name the file."
        )
    return files[0]


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of `read_cohort` that readers use, checked once.

    `subjects` are the ids of the table of subjects, for files that only number theirs. Ids are kept whole
    until all files are read if an `id_pattern` says where they stand. `choose` is `SubjectFilter.choose`, for
    layouts that list their subjects without opening files. `keeps_series` says whether time series are needed
    beyond their correlations, `beside` are the files of `Subjects`.
    """

    budget: MemoryBudget = field(default_factory=MemoryBudget)
    values: str | None = None
    select: Mapping[str, str] = field(default_factory=dict)
    atlas: AtlasTable | None = None
    subjects: tuple[str, ...] | None = None
    id_pattern: str | None = None
    choose: Callable[[Sequence[str], Sequence[Path], int | None], tuple[list[int], list[str]]] | None = None
    variable: str | None = None
    names_variable: str | None = None
    edge_attribute: str | None = None
    time_axis: str | None = None
    triangle: str | None = None
    keeps_series: bool = False
    beside: Mapping[Path, Path] = field(default_factory=dict)
    progress: Callable[[dict[str, Any]], object] | None = None

    def __post_init__(self) -> None:
        """Refuse unknown words."""
        for name, words in (("values", MATRIX_VALUES), ("time_axis", TIME_AXES), ("triangle", TRIANGLES)):
            if getattr(self, name) is not None:
                check_word(name, getattr(self, name), words)

    def each(self, items: Iterable[T], n_items: int) -> Iterator[T]:
        """Yield items, one for each file, and report the progress after each."""
        begin = time.monotonic()
        for n_read, one in enumerate(items, 1):
            if self.progress is not None:
                seconds = time.monotonic() - begin
                self.progress({"n_read": n_read, "n_files": n_items, "seconds": seconds})
            yield one


def unknown_values(where: object, why: str) -> InputError:
    """The error if neither the files nor the user say what the numbers are."""
    return InputError(
        f"{where}: it must be known what the numbers are, {why}.",
        parameter="values",
        way_out=("State it with ", Setting("values"), f": {', '.join(MATRIX_VALUES)}."),
    )


@dataclass(frozen=True)
class Subjects:
    """The file of each subject, and what names and folders say about it.

    `y` are the folders of the classes, which lie in `y_file`; `id_digits` is the length of every id, so that
    leading zeros that a table lost can be restored; `beside` has further files that are read with some.
    """

    graph_ids: tuple[str, ...]
    files: tuple[Path, ...]
    y: tuple[str, ...] | None = None
    y_file: Path | None = None
    id_digits: int | None = None
    beside: Mapping[Path, Path] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def subset(self, rows: Sequence[int]) -> Subjects:
        """Return some of them, by position."""
        y = None if self.y is None else tuple(self.y[i] for i in rows)
        ids, files = tuple(self.graph_ids[i] for i in rows), tuple(self.files[i] for i in rows)
        return replace(self, graph_ids=ids, files=files, y=y)


def check_one_file(ids: Sequence[str], files: Sequence[Path]) -> None:
    """Refuse two files of one subject."""
    first: dict[str, int] = {}
    for i, (one, file) in enumerate(zip(ids, files, strict=True)):
        if first.setdefault(one, i) != i:
            raise InputError(
                f"A subject must have one file, but {abbreviate(one)} has two: {files[first[one]]} and "
                f"{file}. Move one away."
            )


def by_file_name(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from the names of files in one folder, or from folders: one per subject or per class."""
    files = [one.file for one in named]
    names = [file.stem for file in files]
    if options.id_pattern is None:
        names = by_name(names)
    if files[0].parent == found.folder:
        return Subjects(tuple(names), tuple(files))
    n_in = Counter(file.parent for file in files)
    if max(n_in.values()) == 1:
        ids = by_folder(files, found.path)
        return Subjects(tuple(ids), tuple(files), notes={"folders": "one folder per subject"})
    # A class has several subjects: a folder of one file beside others is that of a subject.
    are_classes = 1 < len(n_in) <= _MOST_CLASSES and min(n_in.values()) > 1
    if not are_classes or any(folder.parent != found.path for folder in n_in):
        folder, n_files = n_in.most_common(1)[0]
        raise InputError(
            f"{found.path}: the files must be in one folder, in a folder per subject or in a folder per "
            f"class (2 to {_MOST_CLASSES}), but they are in {counted(len(n_in), 'folder')}, of which "
            f"{folder} holds {n_files}: {listed(f.name for f in files if f.parent == folder)}. Keep one "
            "file per subject, or name the intended folder."
        )
    y = tuple(file.parent.name for file in files)
    if len(set(names)) < len(names):
        # Studies count their patients and their controls from 1.
        names = [f"{group}_{name}" for group, name in zip(y, names, strict=True)]
    return Subjects(tuple(names), tuple(files), y, found.path, notes={"folders": "one folder per class"})


def by_name(names: Sequence[str]) -> list[str]:
    """Return subjects by file name: the ``sub-...`` parts if all have one, otherwise whole names."""
    parts = [_SUBJECT.fullmatch(name) for name in names]
    ids = [part[1] for part in parts if part is not None]
    return ids if len(ids) == len(names) else list(names)


def by_folder(files: Sequence[Path], root: Path) -> list[str]:
    """Return subjects by folders, for files that have the same name in each.

    These are the ``sub-...`` folders of all files; else the innermost folders that differ for all files, so
    that ``S1/tracks/f`` and ``S2/tracks/f`` are S1 and S2; else the folders next to the files.
    """
    above = [file.parent.relative_to(root).parts or (root.resolve().name,) for file in files]
    with_subject = [[part for part in parts if _SUBJECT.fullmatch(part)] for parts in above]
    if all(with_subject):
        return by_name([parts[0] for parts in with_subject])
    for depth in range(1, min(map(len, above)) + 1):
        names = [parts[-depth] for parts in above]
        if len(set(names)) == len(files):
            return names
    return [parts[-1] for parts in above]


# Names made of entities, as those of BIDS: sub-01_ses-1_task-rest_atlas-AAL_relmat.tsv.

# Subjects may differ in how they were scanned (ses, run, acq, dir, rec), but not in what they did, nor in how
# it was processed and measured between which regions. The condition and the analysis are those of CONN.
_COMMON = (
    *("task", "condition", "analysis", "space", "res", "den", "atlas", "seg", "desc"),
    *("stat", "meas", "measure", "filtered", "pipeline", "strategy"),
)
# The value of an entity that a name lacks, as BIDS writes it in tables; no name of a file can hold it.
_NONE = "n/a"
_MOST_CHOICES = 8


@dataclass(frozen=True)
class NamedFile:
    """A file and the entities of its name; ids have the prefix before sub, none in archives before BIDS."""

    file: Path
    entities: dict[str, str]
    prefix: str = ""

    @property
    def subject(self) -> str:
        """The subject as BIDS spells it, ``sub-01``."""
        return f"{self.prefix}{self.entities['sub']}"

    def value(self, key: str) -> str:
        """Return the value of an entity, ``n/a`` if the name lacks it."""
        return self.entities.get(key) or _NONE


def by_entities(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from the groups of the layout's pattern if one is ``sub``, else from names of BIDS.

    If some names are not of BIDS, every file is one subject if the pattern has a group ``plain``.
    """
    if "sub" in named[0].entities:
        return one_per_subject(named, options.select)
    files = [bids_name(one.file) for one in named]
    without = [one.file for one in files if not one.entities["sub"]]
    if not without or "plain" not in named[0].entities:
        return one_per_subject([one for one in files if one.entities["sub"]], options.select)
    if options.select:
        raise InputError(
            f"select must be left out unless all files have names of BIDS, which {without[0]} has not: "
            "every file is one subject.",
            parameter="select",
        )
    return Subjects(tuple(one.entities["plain"] for one in named), tuple(one.file for one in named))


def bids_name(file: Path) -> NamedFile:
    """Split a file name into the entities of BIDS; names that do not follow BIDS have no ``sub``."""
    entities = dict(library("bids2table").parse_bids_entities(file.name))
    # DSI Studio goes on with dots after the subject: sub-01.tt.gz.
    subject = entities.get("sub", "").split(".")[0] if file.name.startswith("sub-") else ""
    return NamedFile(file, {**entities, "sub": subject}, "sub-")


def one_per_subject(files: list[NamedFile], select: Mapping[str, str]) -> Subjects:
    """Select files by the values of their entities (``n/a``: without), and refuse several for one subject."""
    for key, value in select.items():
        values = sorted({one.entities[key] for one in files if key in one.entities})
        if not values:
            keys = dict.fromkeys(key for one in files for key in one.entities)
            raise InputError(
                f"select must name a part of the file names: {abbreviate(key)!r} is not one of "
                f"{listed(keys, 12)}.",
                parameter="select",
            )
        files = [one for one in files if _plain(one.value(key)) == _plain(value)]
        if not files:
            raise InputError(
                f"select must leave some files: {abbreviate(key)}={abbreviate(value)} leaves none; there is "
                f"{key}={f', {key}='.join(map(abbreviate, values[:8]))}.",
                parameter="select",
            )
    by_subject: dict[str, list[NamedFile]] = {}
    for one in files:
        by_subject.setdefault(one.subject, []).append(one)
    for subject, several in by_subject.items():
        if len(several) > 1:
            raise _several(subject, several, sum(len(each) > 1 for each in by_subject.values()))
    chosen = [by_subject[subject][0] for subject in sorted(by_subject)]
    for key in _COMMON:
        differing = list({_plain(one.value(key)): one.value(key) for one in chosen}.values())
        if len(differing) > 1:
            raise InputError(
                f"All subjects must have the same {key}, but there is {listed(differing)}.",
                parameter="select",
                way_out=("Choose one with ", *_choices(key, differing), "."),
            )
    return Subjects(tuple(one.subject for one in chosen), tuple(one.file for one in chosen))


def _plain(value: str) -> str:
    """Return a value as it is compared: numbers without their leading zeros."""
    return value.lstrip("0") if value.isdigit() else value


def _choices(key: str, values: list[str]) -> tuple[Part, ...]:
    """Return the settings that select one value each."""
    settings = either([Setting("select", {key: value}) for value in values[:_MOST_CHOICES]])
    return (*settings, f" (n/a takes names without {key})") if _NONE in values else settings


def _several(subject: str, files: list[NamedFile], n_subjects: int) -> InputError:
    keys = dict.fromkeys(key for one in files for key in one.entities if key not in ("sub", "ext"))
    choices: list[Part] = []
    for key in keys:
        values = sorted({one.value(key) for one in files})
        if len(values) > 1:
            choices += [*(["; "] if choices else []), *_choices(key, values)]
    names = listed((one.file.name for one in files), 8) if not choices else f"{len(files)} files"
    return InputError(
        f"A subject must have one file, but {counted(n_subjects, 'subject')} "
        f"{'has' if n_subjects == 1 else 'have'} several; {abbreviate(subject)} has {names}, such as "
        f"{files[0].file} and {files[1].file}.",
        parameter="select",
        way_out=("Choose: ", *(choices or ["Move all but one away"]), "."),
    )
