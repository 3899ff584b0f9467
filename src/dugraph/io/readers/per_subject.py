"""One file per subject, in whatever folders: all in one, one folder per subject, or one per class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError
from dugraph.io.options import ReadOptions
from dugraph.io.readers.subject_names import by_folder, by_name
from dugraph.io.source import OTHER_FILES, Source

# Groups of a study are few; more folders are something else.
_MOST_CLASSES = 8


@dataclass(frozen=True)
class SubjectFiles:
    """Files, the subject of each, and its class if the folders tell it.

    Attributes
    ----------
    files : tuple of Path
    ids : tuple of str
    y : tuple of str, or None
        The folder of each, where there is one folder per class.
    layout : str
        How they lie, in words.
    """

    files: tuple[Path, ...]
    ids: tuple[str, ...]
    y: tuple[str, ...] | None
    layout: str


def files_with(source: Source, endings: tuple[str, ...]) -> list[Path]:
    """Return the files with some endings that may be those of subjects: in the folder, else below it."""
    found = [f for f in source.files if f.suffix.lower() in endings and not OTHER_FILES.match(f.name)]
    if not source.is_folder:
        return []
    return [file for file in found if file.parent == source.path] or found


def subject_files(source: Source, endings: tuple[str, ...], what: str, options: ReadOptions) -> SubjectFiles:
    """Find the file of each subject, of those that the user asked for.

    Parameters
    ----------
    source : Source
    endings : tuple of str
        Such as ".csv"; in small letters.
    what : str
        What the files hold, for messages: "matrices".
    options : ReadOptions

    Returns
    -------
    SubjectFiles
    """
    found = _subject_files(source, endings, what, options)
    if options.choose is None:
        return found
    chosen, ids = options.choose(found.ids, found.files)
    y = None if found.y is None else tuple(found.y[i] for i in chosen)
    return SubjectFiles(tuple(found.files[i] for i in chosen), tuple(ids), y, found.layout)


def _subject_files(source: Source, endings: tuple[str, ...], what: str, options: ReadOptions) -> SubjectFiles:
    if not source.is_folder:
        raise InputError(
            f"{source.path}: there must be a folder with one file per subject, but this is a file. Name the "
            "folder that holds the files of all subjects."
        )
    files = files_with(source, endings)
    if not files:
        raise InputError(
            f"{source.path}: a folder of {what} must hold {', '.join(endings)} files, but there are none "
            f"among {source.seen()}. Check the path."
        )
    names = [file.stem for file in files]
    if options.id_pattern is None:
        names = by_name(names)
    if files[0].parent == source.path:
        return SubjectFiles(tuple(files), tuple(names), None, "all files in one folder")
    n_in = Counter(file.parent for file in files)
    if max(n_in.values()) == 1:
        return SubjectFiles(
            tuple(files), tuple(by_folder(files, source.path)), None, "one folder per subject"
        )
    classes = [file.parent for file in files]
    # A class has several subjects: a folder of one file beside others is that of a subject.
    are_classes = 1 < len(n_in) <= _MOST_CLASSES and min(n_in.values()) > 1
    if not are_classes or any(folder.parent != source.path for folder in n_in):
        folder, n_files = n_in.most_common(1)[0]
        raise InputError(
            f"{source.path}: the files must be in one folder, in a folder per subject or in a folder per "
            f"class (2 to {_MOST_CLASSES}), but they are in {counted(len(n_in), 'folder')}, of which "
            f"{folder} holds {n_files}: {listed(f.name for f in files if f.parent == folder)}. Keep one "
            "file per subject, or name the intended folder."
        )
    y = tuple(folder.name for folder in classes)
    if len(set(names)) < len(names):
        # Studies count their patients and their controls from 1.
        names = [f"{group}_{name}" for group, name in zip(y, names, strict=True)]
    return SubjectFiles(tuple(files), tuple(names), y, "one folder per class")
