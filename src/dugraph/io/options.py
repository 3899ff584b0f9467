"""What a user may tell a reader, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dugraph.exceptions import InputError
from dugraph.io.guards import MemoryBudget
from dugraph.io.tables.atlas import AtlasTable
from dugraph.words import MATRIX_VALUES


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
    """

    budget: MemoryBudget = field(default_factory=MemoryBudget)
    values: str | None = None
    select: Mapping[str, str] = field(default_factory=dict)
    atlas: AtlasTable | None = None

    def __post_init__(self) -> None:
        """Refuse a kind of values that no one knows."""
        if self.values is not None and self.values not in MATRIX_VALUES:
            raise InputError(
                f"values must be one of {', '.join(MATRIX_VALUES)}, but is {self.values!r}.",
                parameter="values",
            )

    def check_for_series(self) -> None:
        """Refuse a word on the values of matrices where the files hold series."""
        if self.values is not None:
            raise InputError(
                f"values must be left out for series, since they are neither matrices nor {self.values}.",
                parameter="values",
            )
