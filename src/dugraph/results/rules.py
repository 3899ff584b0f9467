"""The files of a result, read and checked by rule: whatever they hold is used or refused."""

from __future__ import annotations

import csv
import json
import reprlib
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.exceptions import InputError
from dugraph.files.atomic import open_file


class Rule(NamedTuple):
    """What a value must be, in words and as a test that takes any value."""

    words: str
    holds: Callable[[Any], bool]

    def or_null(self) -> Rule:
        """The same rule for a value that may be missing."""
        return Rule(f"{self.words} or null", lambda value: value is None or self.holds(value))


def _is_number(value: object) -> bool:
    # Whole numbers of JSON have no end, and true is one for Python.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


TEXT = Rule("a text", lambda value: isinstance(value, str))
FLAG = Rule("true or false", lambda value: isinstance(value, bool))
NUMBER = Rule("a finite number", _is_number)
POSITIVE = Rule("a positive number", lambda value: _is_number(value) and value > 0)
SHARE = Rule("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
COUNT = Rule(
    "a whole number of at least 0",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64,
)
LIST = Rule("a list", lambda value: isinstance(value, list))
TEXTS = Rule(
    "a list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
)
PLAIN = Rule(
    "a text, a number, true, false or null",
    lambda value: value is None or isinstance(value, str | bool) or _is_number(value),
)


def one_of(names: Collection[str]) -> Rule:
    """The rule of a choice."""
    return Rule(f"one of {', '.join(names)}", lambda value: isinstance(value, str) and value in names)


def damaged(file: Path, what: str) -> InputError:
    """The error that says what is wrong with a file, and the way out."""
    return InputError(
        f"{file}: the results must be as `dugraph mine`, `sparse`, `test` or `evaluate` wrote them, but "
        f"{what}. Run it again."
    )


def check_value(file: Path, name: str, value: Any, rule: Rule) -> Any:
    """Return the value if its rule holds."""
    if not rule.holds(value):
        raise damaged(file, f"{name} must be {rule.words} and is {reprlib.repr(value)}")
    return value


def check_object(
    file: Path, name: str, held: Any, fields: Mapping[str, Rule], others: Rule | None = None
) -> dict[str, Any]:
    """Return an object if it has all the fields and their rules hold, as does that of the others, if any."""
    if not isinstance(held, dict):
        raise damaged(file, f"{name} must be an object and is {reprlib.repr(held)}")
    for field, rule in fields.items():
        if field not in held:
            raise damaged(file, f"{name} has no {field}")
        check_value(file, f"{field} of {name}", held[field], rule)
    if others is not None:
        for field in held.keys() - fields.keys():
            check_value(file, f"{reprlib.repr(field)} of {name}", held[field], others)
    return held


def read_json(file: Path) -> dict[str, Any]:
    """Read an object of JSON, whose content is still to be checked."""
    try:
        with open_file(file) as opened:
            content = json.loads(opened.read())
    except FileNotFoundError:
        raise _missing(file) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: the file must be JSON, but is damaged ({error}). Run it again.") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: the file must hold a JSON object, but does not. Run it again.")
    return content


def read_table(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Read a CSV file: its heading, and its rows, which are as long."""
    try:
        with open(file, newline="", encoding="utf-8") as opened:
            heading, *rows = [row for row in csv.reader(opened) if row] or [[]]
    except FileNotFoundError:
        raise _missing(file) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{file}: the file must be a CSV table in UTF-8, but is damaged ({error}). Run it again."
        ) from error
    for number, row in enumerate(rows, start=1):
        if len(row) != len(heading):
            raise damaged(file, f"row {number} has {len(row)} cells below {len(heading)} names")
    return heading, [dict(zip(heading, row, strict=True)) for row in rows]


def cell_value(file: Path, name: str, text: str, rule: Rule, kind: type[int] | type[float] = float) -> Any:
    """The number in a cell of a table, if its rule holds."""
    try:
        value = kind(text)
    except ValueError:
        raise damaged(file, f"{name} must be {rule.words} and is {reprlib.repr(text)}") from None
    return check_value(file, name, value, rule)


def _missing(file: Path) -> InputError:
    return InputError(f"{file}: the file belongs to the results, but is missing. Run it again.")
