"""A layout in a folder that a trap may spoil, written again with other values or another order of regions."""

import inspect
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import binary_files
import layouts_labs
import layouts_tools
import made_up
import numpy as np
from layouts import LAYOUTS
from made_up import SUBJECTS, Expected

from dugraph import read_cohort

WORDS = {"mrtrix": {"probability": "largest"}, "adhd200": {"positive": "1", "negative": "0"}}
_TEXT = (".csv", ".tsv", ".txt", ".1D", ".edge", "")
_BESIDE = ("participants", "phenotypic", "adhd200_pre", "atlas-", "subjectids", "waytotal", "meas-", "readme")


@dataclass
class Case:
    """A layout in a folder; `expected` is what the intact folder gives."""

    name: str
    folder: Path
    expected: Expected

    @classmethod
    def of(cls, name: str, folder: Path) -> "Case":
        folder.mkdir()
        return cls(name, folder, LAYOUTS[name](folder))

    @property
    def parameter(self) -> str | None:
        """The values that the writer takes: matrices or series."""
        known = inspect.signature(LAYOUTS[self.name]).parameters
        return next((one for one in ("matrices", "series") if one in known), None)

    @property
    def values(self) -> list[Any]:
        """The values in the order of the writer's subjects."""
        values = self.expected.series if self.parameter == "series" else self.expected.matrices
        if self.name == "class_folders":
            return [values[self.expected.subjects.index(subject)] for subject in SUBJECTS]
        return [*values]

    def write(self, values: Any) -> bool:
        """Write the folder again with other matrices or series; False if such files cannot be written."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        values = values if self.parameter == "series" else np.array(values)
        try:
            LAYOUTS[self.name](self.folder, **{str(self.parameter): values})
        except ValueError as error:
            # The files are written; only the expected correlations are undefined.
            return "must have the same shape" in str(error)
        return True

    def tables(self) -> list[Path]:
        """The texts of subjects."""
        files = sorted(file for file in self.folder.rglob("*") if file.is_file() and file.suffix in _TEXT)
        return [file for file in files if not file.name.lower().startswith(_BESIDE)]

    @property
    def second(self) -> str:
        """The second subject of the writer."""
        return SUBJECTS[1] if self.name == "class_folders" else self.expected.subjects[1]

    def participants(self) -> Path | None:
        return next(iter(self.folder.glob(self.expected.participants)), None)

    def read(self, **words: Any) -> tuple[Any, Any]:
        atlas = next(iter(self.folder.glob("*dseg.tsv")), None)
        beside = {"participants": self.participants(), "id_column": self.expected.id_column, "atlas": atlas}
        return read_cohort(
            self.folder, **{**beside, **WORDS.get(self.name, {}), **self.expected.words, **words}
        )


@contextmanager
def regions_in(order: list[int]) -> Iterator[None]:
    """Let the writers name regions in another order."""
    with ExitStack() as stack:
        for module in (binary_files, layouts_labs, layouts_tools, made_up):
            for name in {"REGIONS", "AAL_NUMBERS"} & vars(module).keys():
                names = getattr(module, name)
                stack.enter_context(patch.object(module, name, tuple(names[i] for i in order)))
        yield
