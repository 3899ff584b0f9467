"""The folders of a study, the only ones that the app reads, and errors as the pages show them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dugraph.exceptions import InputError, Setting
from dugraph.settings import setting_text

MOST_LISTED = 200
"""Files of a folder, or ids, that a page lists; further ones are counted."""
_MOST_ENTRIES, _DEEPEST = 5_000, 4  # of the search for cohorts and results
RECORDS = ("results.json", "evaluation.json")
"""A folder of results contains one of these."""


PLACEHOLDERS = {"A", "B", "FILE", "FOLDER", "COLUMN"}
"""Placeholders in error messages, which no button can enter."""


class OutsideError(Exception):
    """A path leads out of the folders that the app may read, or does not exist."""


@dataclass(frozen=True)
class Study:
    """The folders named on the command line.

    Attributes
    ----------
    folders : tuple of Path
        Resolved; the first is the working folder of all commands.
    """

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[str], runs: Path) -> Study:
        """Check the folders; the folder of the runs may be read, too."""
        for folder in folders:
            if not os.path.isdir(folder):
                if os.path.exists(folder):
                    raise InputError(
                        f"{folder}: the study must be a folder, but this is a file. Name its folder."
                    )
                raise InputError(f"{folder}: the study must be a folder, but no such folder exists.")
        return cls(tuple(Path(os.path.realpath(folder)) for folder in [*folders, str(runs)]))

    @property
    def home(self) -> Path:
        """The first folder."""
        return self.folders[0]

    def resolve(self, text: str) -> Path:
        """The real path of an existing file or folder; links are resolved before the check."""
        if "\0" in text:
            raise OutsideError(text)
        real = Path(os.path.realpath(self.home / text))
        if not self.contains(real) or not real.exists():
            raise OutsideError(text)
        return real

    def contains(self, real: Path) -> bool:
        """Whether a resolved path is in one of the folders."""
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
            if file.is_symlink() and not self._leads_inside(file):
                raise InputError(
                    f"{self._below(file)}: the file is a link that leads out of the study. Start the app "
                    f"with "
                    "the folder that it leads to as well: `dugraph app STUDY OTHER_FOLDER`."
                )

    def _leads_inside(self, link: str | Path) -> bool:
        return self.contains(Path(os.path.realpath(link)))

    def _below(self, file: Path) -> str:
        return str(file.relative_to(self.home)) if file.is_relative_to(self.home) else str(file)

    def entries(self, folder: Path) -> tuple[list[str], list[str]]:
        """Names of the folders and of the files in a folder, hidden ones left out."""
        with os.scandir(folder) as found:
            entries = [entry for entry in found if not entry.name.startswith(".")]
        inside = [one for one in entries if not one.is_symlink() or self._leads_inside(one.path)]
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
                real = [path for path in paths if self._leads_inside(path)]
                cohorts += [self.name(path) for path in real if is_cohort_file(path)]
                if any(name in files for name in RECORDS):
                    results.append(self.name(Path(folder)))
        return list(dict.fromkeys(cohorts)), list(dict.fromkeys(results))


@dataclass(frozen=True)
class Problem:
    """An error as a card: the sentences, and values of options that would resolve it.

    Attributes
    ----------
    text : str
    details : list of str
    fixes : list of (name, value)
    """

    text: str
    details: list[str] = field(default_factory=list)
    fixes: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, error: Exception, options: Mapping[str, Any], study: Study | None = None) -> Problem:
        """From an error of the reader; options are those that a fix may set; paths are below the study."""
        if not isinstance(error, InputError):
            place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
            return cls(f"{place}{getattr(error, 'strerror', None) or error}.")
        text = error.sentence_with(_in_words)
        if study is not None:
            text = text.replace(f"{study.home}{os.sep}", "")
        return cls(text, list(error.details), settings_of(error, options))


def settings_of(error: InputError, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options that an error message suggests, with their values."""
    parts = [one for one in error.way_out if isinstance(one, Setting) and one.value is not ...]
    fixes = [(one.parameter, setting_text(one.value)) for one in parts if one.parameter in options]
    return [fix for fix in fixes if fix[1] not in PLACEHOLDERS]


def _in_words(part: Any) -> str:
    if not isinstance(part, Setting):
        return str(part)
    name = f"“{part.parameter.replace('_', ' ')}”"
    return name if part.value is ... or part.value is True else f"{name}: {str(part).partition('=')[2]}"
