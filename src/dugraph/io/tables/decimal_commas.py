"""Numbers with decimal commas, as spreadsheets in many languages write them: reported, never guessed."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?([eE][+-]?\d+)?")
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")

WAY_OUT = "This looks like a decimal comma: save the file with decimal points."


def has_decimal_comma(cell: str) -> bool:
    """Return whether a cell looks like a number with a decimal comma."""
    return _WITH_COMMA.fullmatch(cell.strip()) is not None


def row_of_decimal_commas(line: str) -> bool:
    """Return whether a line separates numbers with decimal commas by semicolons or white space.

    Split at commas such a line makes no sense: ``1,0;0,5;0,3`` would be 1, 0;0, 5;0 and 3. The first cell
    may be a name.
    """
    for cells in (line.split(";"), line.split()):
        cells = [cell.strip() for cell in cells if cell.strip()]
        numbers = cells[1:] if cells and not _NUMBER.fullmatch(cells[0]) else cells
        if len(numbers) > 1 and all(map(_NUMBER.fullmatch, numbers)) and any(map(has_decimal_comma, numbers)):
            return True
    return False
