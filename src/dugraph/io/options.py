"""`ReadOptions`: what a reader needs to know beyond the path, checked once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dugraph.data.arguments import abbreviate, is_one_of
from dugraph.exceptions import InputError, Setting
from dugraph.io.guards import MemoryBudget
from dugraph.words import MATRIX_VALUES, TIME_AXES, TRIANGLES

if TYPE_CHECKING:
    from dugraph.io.atlas import AtlasTable

T = TypeVar("T")


@dataclass(frozen=True)
class ReadOptions:
    """What a reader needs to know beyond the path.

    Attributes
    ----------
    budget : MemoryBudget
    values : {"correlation", "fisher_z", "count", "probability"}, or None
        What the numbers are; None: as the format says.
    select : mapping of str to str
        Which of several files of a subject, by the parts of their names.
    atlas : AtlasTable, or None
    subjects : tuple of str, or None
        The ids of the table of subjects in its order, for files that only number their subjects.
    id_pattern : str, or None
        Where an id stands in the name of a file, which then is kept whole until all are read.
    choose : callable, or None
        `SubjectFilter.choose`. A layout that lists its subjects without opening their files calls it, and
        reads the files that it returns.
    variable, names_variable : str, or None
        Which variable of a file holds the values, and which the names of the regions.
    edge_attribute : str, or None
        Which attribute of an edge holds its value.
    time_axis : {"rows", "columns"}, or None
        Along which axis of a plain table of series time runs.
    triangle : {"lower", "upper"}, or None
        Which triangle of the matrix a row of numbers holds, row by row.
    keeps_series : bool
        Whether time series are needed beyond their correlations, as the bootstrap does.
    progress : callable, or None
        Called with a dict of n_read, n_files and seconds after each file.
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
    progress: Callable[[dict[str, Any]], object] | None = None

    def each(self, items: Iterable[T], n_items: int) -> Iterator[T]:
        """Yield items, one for each file, and report the progress after each."""
        begin = time.monotonic()
        for n_read, one in enumerate(items, 1):
            if self.progress is not None:
                seconds = time.monotonic() - begin
                self.progress({"n_read": n_read, "n_files": n_items, "seconds": seconds})
            yield one

    def __post_init__(self) -> None:
        """Refuse a kind of values that no one knows."""
        if self.values is not None and not is_one_of(self.values, MATRIX_VALUES):
            raise InputError(
                f"values must be one of {', '.join(MATRIX_VALUES)}, but is {self.values!r}.",
                parameter="values",
            )
        for name, words in (("time_axis", TIME_AXES), ("triangle", TRIANGLES)):
            word = getattr(self, name)
            if word is not None and not is_one_of(word, words):
                raise InputError(
                    f"{name} must be {' or '.join(words)}, but is {abbreviate(word)!r}.", parameter=name
                )

    def check_known(self, format: str, takes: Collection[str]) -> None:
        """Refuse a word that says nothing about files of a format, instead of passing over it."""
        for name in ("variable", "names_variable", "edge_attribute", "time_axis", "triangle"):
            if getattr(self, name) is not None and name not in takes:
                raise InputError(
                    f"{name} must be left out for the format {format}, which does not use it.",
                    parameter=name,
                )

    def check_for_series(self) -> None:
        """Refuse a word on the values of matrices where the files hold series."""
        if self.values is not None:
            raise InputError(
                "values must be left out for time series, because they are neither matrices nor "
                f"{self.values}.",
                parameter="values",
            )


def unknown_values(where: object, why: str) -> InputError:
    """The error of numbers of which neither the files nor the user say what they are."""
    return InputError(
        f"{where}: it must be known what the numbers are, {why}.",
        parameter="values",
        way_out=("State it with ", Setting("values"), f": {', '.join(MATRIX_VALUES)}."),
    )
