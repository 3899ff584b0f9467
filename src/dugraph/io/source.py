"""The place that a user points at: one file, or a folder and the files below it."""

from __future__ import annotations

import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError
from dugraph.files.atomic import check_path
from dugraph.files.npz import DAMAGE

MAX_FILES = 1_000_000

OTHER_FILES = re.compile(r"(participants|phenotyp|readme|license|changes)", re.IGNORECASE)
"""Beginnings of the names of tables and notes that lie beside the connectomes in most folders."""


@dataclass(frozen=True)
class Source:
    """A file, or a folder with everything below it.

    Attributes
    ----------
    path : Path
    files : tuple of Path
        In sorted order; for a single file itself. Hidden files and folders and our own cohort files are left
        out, and links to folders are not followed, so that nothing outside is read and no loop is entered.
    """

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def of(cls, path: str | os.PathLike[str], without: Iterable[Path] = ()) -> Source:
        """List the files below a path.

        Parameters
        ----------
        path : path-like
        without : iterable of Path
            Files that are known to be something else, such as the participants table.
        """
        root = Path(check_path(path, "file or folder"))
        if not root.exists():
            raise InputError(f"{path}: there is no such file or folder. Check the path.")
        if not root.is_dir():
            return cls(root, (root,))
        known = {os.path.realpath(file) for file in without}
        files: list[Path] = []
        for folder, names, found in os.walk(root):
            names[:] = sorted(name for name in names if not name.startswith("."))
            files += [Path(folder, name) for name in found if not name.startswith(".")]
            if len(files) > MAX_FILES:
                raise InputError(
                    f"{path}: a folder may hold {MAX_FILES} files, but it has more. Name a subfolder."
                )
        kept = tuple(sorted(f for f in files if os.path.realpath(f) not in known and not _is_cohort_file(f)))
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
    def top(self) -> tuple[Path, ...]:
        """The files that lie directly in the folder, or the one file."""
        return tuple(file for file in self.files if file.parent == self.path or file == self.path)

    def seen(self) -> str:
        """Say in a few words what is there: ``12 files (8 .tsv, 4 .json)``."""
        endings = Counter(file.suffix or "without ending" for file in self.files)
        return f"{counted(len(self.files), 'file')} ({listed(f'{n} {e}' for e, n in endings.most_common())})"


def _is_cohort_file(file: Path) -> bool:
    """Whether a file is what `dugraph convert` wrote beside its sources."""
    if file.suffix != ".npz" or not file.is_file():
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return "edge_probability.npy" in archive.namelist()
    except (OSError, *DAMAGE):
        return False
