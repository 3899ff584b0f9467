"""The folders of a study, the only ones that the app reads, and errors as the pages show them."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.exceptions import InputError, Setting
from dugraph.settings import suggestions

MOST_LISTED = 200
"""Files of a folder, or ids, that a page lists; further ones are counted."""
_MOST_ENTRIES, _DEEPEST = 5_000, 4  # of the search for cohorts and results
RECORDS = ("results.json", "evaluation.json")
"""A folder of results contains one of these."""
PLACEHOLDERS = {"A", "B", "FILE", "FOLDER", "COLUMN"}
"""Placeholders in error messages, which no button can enter."""


class RefusedError(Exception):
    """A request that cannot be answered: the status, and a sentence for the page."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True)
class Study:
    """The folders named on the command line, resolved; the first is the working folder of all commands."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[str], runs: Path) -> Study:
        """Check the folders; the folder of the runs may be read, too."""
        for folder in folders:
            if not os.path.isdir(folder):
                what = (
                    "this is a file. Name its folder" if os.path.exists(folder) else "no such folder exists"
                )
                raise InputError(f"{folder}: the study must be a folder, but {what}.")
        return cls(tuple(Path(os.path.realpath(folder)) for folder in [*folders, str(runs)]))

    @property
    def home(self) -> Path:
        """The first folder."""
        return self.folders[0]

    def resolve(self, text: str) -> Path:
        """The real path of an existing file or folder; links are resolved before the check."""
        real = None if "\0" in text else Path(os.path.realpath(self.home / text))
        if real is None or not self.contains(real) or not real.exists():
            why = (
                "There is no such file or folder in the study. The app reads only the folders it was started "
            )
            raise RefusedError(404, f"{why}with.")
        return real

    def contains(self, path: str | Path) -> bool:
        """Whether a path, with links resolved, is in one of the folders."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self.folders)

    def name(self, path: Path) -> str:
        """How a path is written in commands: relative to the first folder if it is in it."""
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.home):
            return str(real)
        text = str(real.relative_to(self.home))
        return f"./{text}" if text.startswith("-") else text

    def check_links(self, files: Sequence[Path]) -> None:
        """Refuse links that lead out of the folders."""
        for file in files:
            if file.is_symlink() and not self.contains(file):
                below = file.relative_to(self.home) if file.is_relative_to(self.home) else file
                raise InputError(
                    f"{below}: the file is a link that leads out of the study. Start the app with the folder "
                    "that it leads to as well: `dugraph app STUDY OTHER_FOLDER`."
                )

    def entries(self, folder: Path) -> tuple[list[str], list[str]]:
        """Names of the folders and of the files in a folder, hidden ones left out."""
        with os.scandir(folder) as found:
            entries = [entry for entry in found if not entry.name.startswith(".")]
        inside = [one for one in entries if not one.is_symlink() or self.contains(one.path)]
        folders = sorted(one.name for one in inside if one.is_dir())
        return folders, sorted(one.name for one in inside if one.is_file())

    def made(self) -> tuple[list[str], list[str]]:
        """Cohort files and folders of results, found a few folders deep."""
        from dugraph.data.cohort_file import is_cohort_file  # NumPy comes with it

        cohorts, results, left = [], [], _MOST_ENTRIES
        for home in self.folders:
            for folder, names, files in os.walk(home):
                left -= len(names) + len(files)
                if left < 0:
                    break
                depth = len(Path(folder).relative_to(home).parts)
                names[:] = sorted(n for n in names if not n.startswith(".")) if depth < _DEEPEST else []
                paths = [Path(folder, name) for name in sorted(files) if name.endswith(".npz")]
                cohorts += [self.name(one) for one in paths if self.contains(one) and is_cohort_file(one)]
                if any(name in files for name in RECORDS):
                    results.append(self.name(Path(folder)))
        return list(dict.fromkeys(cohorts)), list(dict.fromkeys(results))


@dataclass(frozen=True)
class Problem:
    """An error as a card: the sentences, details, and options with values that would resolve it."""

    text: str
    details: Sequence[str] = ()
    fixes: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, error: Exception, options: Container[str] = (), study: Study | None = None) -> Problem:
        """From an error of the reader; options are those that a fix may set; paths are below the study."""
        if not isinstance(error, InputError):
            place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
            return cls(f"{place}{getattr(error, 'strerror', None) or error}.")
        text = error.sentence_with(_in_words)
        if study is not None:
            text = text.replace(f"{study.home}{os.sep}", "")
        return cls(text, error.details, possible(suggestions(error), options))


def possible(fixes: Sequence[Sequence[str]], options: Container[str]) -> list[tuple[str, str]]:
    """The suggestions of an error message, option and value, that a button can enter."""
    return [(name, value) for name, value in fixes if name in options and value not in PLACEHOLDERS]


def _in_words(part: Any) -> str:
    if not isinstance(part, Setting):
        return str(part)
    name = f"“{part.parameter.replace('_', ' ')}”"
    return name if part.value is ... or part.value is True else f"{name}: {str(part).partition('=')[2]}"
