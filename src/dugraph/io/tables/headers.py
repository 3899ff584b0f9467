"""Whether the first row of a table holds names of regions or numbers of the first one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dugraph.exceptions import InputError
from dugraph.io.tables.delimited import MISSING, DelimitedText

MAX_DIGITS = 20
"""Of the number of a region."""


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number, or stands for a missing one."""
    if cell.strip() in MISSING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def has_names(text: DelimitedText) -> bool:
    """Return whether the first row of a matrix holds names: a cell is no number, or the first is empty."""
    if not all(map(is_number, text.first)):
        return True
    # A table that pandas wrote has an empty cell above its index; one without a diagonal begins with it too.
    corner, *others = map(str.strip, text.first)
    return not corner and all(map(_is_whole, others)) and len(set(others)) == len(others)


def may_be_counts(text: DelimitedText) -> bool:
    """Whether the first row may be names or counts: whole numbers throughout, and an empty diagonal.

    What pandas writes is not: with empty cells in a column, it writes the others as 5.0.
    """
    return all(
        not cells[i].strip() and all(_is_whole(cell) for cell in cells if cell.strip())
        for i, (cells, _) in enumerate(text.rows())
    )


def _is_whole(cell: str) -> bool:
    return cell.strip().isdecimal() and len(cell) < MAX_DIGITS


def names_of_series(text: DelimitedText) -> bool:
    """Return whether the first row of a table of series holds names, or numbers, of the regions.

    Numbers that are no indices are the first time point: some programs write no header.
    """
    if not all(map(is_number, text.first)):
        return True
    if not all(map(_is_whole, text.first)) or len(set(text.first)) < len(text.first):
        return False
    if len(text.lines) > 1 and all(map(_is_whole, next(text.rows(1))[0])):
        # Signals may be whole numbers too: then only a plain count is a header.
        n, first = len(text.first), [int(cell) for cell in text.first]
        if first in ([*range(n)], [*range(1, n + 1)]):
            return True
        if not counts_up(text.first):
            return False
    elif counts_up(text.first):
        return True
    raise InputError(
        f"{text.file}: it must be clear whether the first row numbers the regions, but it holds different "
        "whole numbers that may also be the first time point. For regions, write names instead; for a "
        "time point, write its numbers with a decimal point."
    )


def counts_up(cells: Sequence[str]) -> bool:
    """Whether cells are whole numbers, each greater than the one before, as numbers of regions are."""
    return all(map(_is_whole, cells)) and all(a < b for a, b in pairwise(map(int, cells)))


def names_in_head(head: bytes) -> set[str]:
    """The cells of the first line of a file, in lower case, whatever divides them."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    return {cell.strip().strip('"') for cell in re.split(r"[,;\t]", first)}
