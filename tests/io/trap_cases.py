"""A layout in a folder that a trap may spoil, written again with other values or another order of regions."""

import inspect
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import layouts_archives as archives
import numpy as np
from layouts import LAYOUTS
from made_up import SUBJECTS, Expected

from dugraph import read_cohort

WORDS = {"mrtrix": {"probability": "largest"}, "adhd200": {"positive": "1", "negative": "0"}}
_TEXT = (".csv", ".tsv", ".txt", ".1D", ".edge", "")
_BESIDE = ("participants", "phenotypic", "adhd200_pre", "atlas-", "subjectids", "waytotal", "meas-", "readme")
_MODULES = ("layouts", "layouts_labs", "layouts_tools", "layouts_archives", "binary_files", "made_up")


@dataclass
class Case:
    """A layout in a folder.

    Attributes
    ----------
    name : str
    folder : Path
    expected : Expected
        What an intact folder gives.
    """

    name: str
    folder: Path
    expected: Expected

    @classmethod
    def of(cls, name: str, folder: Path) -> "Case":
        folder.mkdir()
        return cls(name, folder, LAYOUTS[name](folder))

    @property
    def parameter(self) -> str | None:
        """What the writer takes: matrices or series."""
        known = inspect.signature(LAYOUTS[self.name]).parameters
        return next((one for one in ("matrices", "series") if one in known), None)

    @property
    def values(self) -> list[Any]:
        """What the writer was given, in the order of its subjects."""
        held = self.expected.series if self.parameter == "series" else self.expected.matrices
        if self.name == "class_folders":
            return [held[self.expected.subjects.index(subject)] for subject in SUBJECTS]
        return [*held]

    def write(self, values: Any) -> bool:
        """Write the folder again with other matrices or series; tell whether such files can be."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        told = values if self.parameter == "series" else np.array(values)
        try:
            LAYOUTS[self.name](self.folder, **{str(self.parameter): told})
        except ValueError as error:
            # The files are there: only what is expected of them cannot be said.
            return "must have the same shape" in str(error)
        return True

    def tables(self) -> list[Path]:
        """The texts of subjects."""
        files = sorted(file for file in self.folder.rglob("*") if file.is_file() and file.suffix in _TEXT)
        return [file for file in files if not file.name.lower().startswith(_BESIDE)]

    @property
    def second(self) -> str:
        """The subject that the writer was given second."""
        return SUBJECTS[1] if self.name == "class_folders" else self.expected.subjects[1]

    def participants(self) -> Path | None:
        return next(iter(self.folder.glob(self.expected.participants)), None)

    def read(self, **words: Any) -> tuple[Any, Any]:
        told = {**WORDS.get(self.name, {}), **self.expected.words, **words}
        table = told.pop("participants", self.participants())
        atlas = next(iter(self.folder.glob("*dseg.tsv")), None)
        return read_cohort(
            self.folder, participants=table, id_column=self.expected.id_column, atlas=atlas, **told
        )


@contextmanager
def regions_in(order: list[int]) -> Iterator[None]:
    """Let the writers name regions in another order."""
    changed = []
    for module in filter(None, map(sys.modules.get, _MODULES)):
        for name in ("REGIONS", "AAL_NUMBERS"):
            if hasattr(module, name):
                changed.append((module, name, getattr(module, name)))
                setattr(module, name, tuple(getattr(module, name)[i] for i in order))
    header = archives.ADHD_HEADER
    archives.ADHD_HEADER = (
        "File\tSub-brick\t" + "\t".join(f"Mean_{one}  " for one in archives.AAL_NUMBERS) + "\n"
    )
    try:
        yield
    finally:
        archives.ADHD_HEADER = header
        for module, name, value in changed:
            setattr(module, name, value)
