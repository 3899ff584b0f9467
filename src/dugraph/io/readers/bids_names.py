"""Files of BIDS derivatives by the entities of their names: which belong together, one per subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Part, Setting, either
from dugraph.io.guards import library

# Subjects may differ in how they were scanned (ses, run, acq, dir, rec), but not in what they did, nor in how
# it was processed and measured between which regions. The condition and the analysis are those of CONN.
_COMMON = (
    *("task", "condition", "analysis", "space", "res", "den", "atlas", "seg", "desc"),
    *("stat", "meas", "measure", "filtered", "pipeline", "strategy"),
)
# The value of an entity that a name lacks, as BIDS writes it in tables; no name of a file can hold it.
_NONE = "n/a"
_MOST_CHOICES = 8
# Words in stat-, meas- or measure- (small letters), in this order -> what the numbers are.
_MEASURES = (("fisherz", "fisher_z"), ("zscore", "fisher_z"), ("corr", "correlation"), ("count", "count"))


@dataclass(frozen=True)
class BidsFile:
    """A file and the entities of its name, such as sub, ses, run and atlas.

    Attributes
    ----------
    file : Path
    entities : mapping of str to str
    prefix : str
        What graph ids have before the value of sub; archives older than BIDS have nothing.
    """

    file: Path
    entities: Mapping[str, str]
    prefix: str = "sub-"

    @property
    def subject(self) -> str:
        """The subject as BIDS spells it, ``sub-01``."""
        return f"{self.prefix}{self.entities['sub']}"

    def value(self, key: str) -> str:
        """Return the value of an entity, ``n/a`` if the name lacks it."""
        return self.entities.get(key) or _NONE


def bids_files(files: Iterable[Path], suffixes: tuple[str, ...]) -> list[BidsFile]:
    """Return the .tsv files of subjects whose names end in one of the suffixes.

    Parameters
    ----------
    files : iterable of Path
    suffixes : tuple of str
        Such as ``("relmat", "conmat")``.
    """
    endings = tuple(f"_{suffix}.tsv" for suffix in suffixes)
    named = [file for file in files if file.name.endswith(endings)]
    return [one for one in parsed(named) if one.entities.get("sub")]


def parsed(files: list[Path]) -> list[BidsFile]:
    """Take file names apart into their entities; those that are no names of BIDS have no ``sub``."""
    if not files:
        return []
    parse = library("bids2table").parse_bids_entities
    return [BidsFile(file, parse(file.name)) for file in files]


def kind_of(one: BidsFile) -> str:
    """Say what the numbers of a matrix are by stat-, meas- or measure-; without them, correlations.

    HALFpipe says it by desc-, in ``_desc-correlation_matrix.tsv``.
    """
    keys = ("desc",) if one.file.stem.endswith("_matrix") else ("stat", "meas", "measure")
    word = next((one.entities[key] for key in keys if key in one.entities), None)
    if word is None:
        return "correlation"
    for part, kind in _MEASURES:
        if part in word.lower():
            return kind
    raise InputError(
        f"{one.file}: it must be known what the numbers are, but {shown(word)!r} is not a known measure.",
        parameter="values",
        way_out=("State it with ", Setting("values"), ": correlation, fisher_z, count or probability."),
    )


def one_per_subject(files: list[BidsFile], select: Mapping[str, str]) -> list[BidsFile]:
    """Select files by entities, and refuse several for one subject.

    Parameters
    ----------
    files : list of BidsFile
    select : mapping of str to str
        Entity -> value that the file must have; 1 and 01 are the same run, and ``n/a`` takes the files
        without that entity.

    Returns
    -------
    list of BidsFile
        In the order of subjects.
    """
    for key, value in select.items():
        values = sorted({one.entities[key] for one in files if key in one.entities})
        if not values:
            keys = dict.fromkeys(key for one in files for key in one.entities)
            raise InputError(
                f"select must name a part of the file names: {shown(key)!r} is none of {listed(keys, 12)}.",
                parameter="select",
            )
        files = [one for one in files if _plain(one.value(key)) == _plain(value)]
        if not files:
            raise InputError(
                f"select must leave some files: {shown(key)}={shown(value)} leaves none; there is "
                f"{key}={f', {key}='.join(map(shown, values[:8]))}.",
                parameter="select",
            )
    by_subject: dict[str, list[BidsFile]] = {}
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
                way_out=("Choose one with ", *_options(key, differing), "."),
            )
    return chosen


def _plain(value: str) -> str:
    """Return a value as it is compared: numbers without their leading zeros."""
    return value.lstrip("0") if value.isdigit() else value


def _options(key: str, values: list[str]) -> tuple[Part, ...]:
    """Return the settings that select one value each."""
    settings = either([Setting("select", {key: value}) for value in values[:_MOST_CHOICES]])
    return (*settings, f" (n/a takes names without {key})") if _NONE in values else settings


def _several(subject: str, files: list[BidsFile], n_subjects: int) -> InputError:
    keys = dict.fromkeys(key for one in files for key in one.entities if key not in ("sub", "ext"))
    choices: list[Part] = []
    for key in keys:
        values = sorted({one.value(key) for one in files})
        if len(values) > 1:
            choices += [*(["; "] if choices else []), *_options(key, values)]
    names = listed((one.file.name for one in files), 8) if not choices else f"{len(files)} files"
    return InputError(
        f"A subject must have one file, but {counted(n_subjects, 'subject')} "
        f"{'has' if n_subjects == 1 else 'have'} several; {shown(subject)} has {names}, such as "
        f"{files[0].file} and {files[1].file}.",
        parameter="select",
        way_out=("Choose: ", *(choices or ["Move all but one away"]), "."),
    )
