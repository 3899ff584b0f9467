"""Output of the commands: tables on stdout, messages and progress on stderr, and the exit code."""

from __future__ import annotations

import enum
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dugraph.files.text import escaped

if TYPE_CHECKING:
    from dugraph.search.result import TabularResult

Row = Sequence[object]
Report = Callable[[dict[str, Any]], None]

SHOWN_ROWS = 20
"""Rows of a table of subgraphs; further ones are in the files."""

LONG = "this may take a while. A larger --min-expected-frequency or a smaller --max-edges makes it shorter."
"""The hint shown during a long test."""
QUIET_SECONDS = 2.0
LONG_SECONDS = 60.0  # after which a search says once, in a log too, that it may take longer
_JSON_SECONDS = 0.5  # between two reports to a program
_FEWEST, _MOST, _SAME = 4, 6, 9  # significant digits; values that agree in nine need not be distinguished
_ROUNDING = 1e-12
# A cell that is aligned as a number.
_NUMBER = re.compile(r"(> |1 - )?[-+]?(\d[\d,]*(\.\d*)?(e[-+]\d+)?|nan|inf)%?|-?")


class ExitCode(enum.IntEnum):
    """Exit codes of every command."""

    DONE = 0
    BAD_INPUT = 1
    """A file or a value breaks a rule; one sentence on stderr says which."""
    USAGE = 2
    """The command line itself is wrong; argparse exits with it."""
    LIMIT_REACHED = 3
    """The results are valid, but not proven to be the best."""
    INTERRUPTED = 130


def say(message: str) -> None:
    """Print a message, which may contain names from files, on stderr."""
    print(escaped(message), file=sys.stderr, flush=True)


def progress(
    label: str,
    wanted: bool | None,
    describe: Callable[[dict[str, Any]], str],
    *,
    hint: str | None = None,
    quiet: float = QUIET_SECONDS,
) -> Report | None:
    """The function that a long call reports its progress to; None if nothing is to be shown.

    On a terminal it rewrites one line, in a log it adds one every ten seconds, after the first `quiet`
    seconds. `wanted` is None to report only on a terminal, and `hint` is shown once after a minute, unless
    progress is turned off.
    """
    from dugraph.search.limits import StatusLine, clear_line

    as_json = reports_json()
    shown = sys.stderr.isatty() if wanted is None else wanted
    hinted = hint is None or wanted is False
    if hinted and not (as_json or shown):
        return None
    line, last = StatusLine(), -_JSON_SECONDS

    def report(now: dict[str, Any]) -> None:
        nonlocal hinted, last
        seconds = now["seconds"]
        if not hinted and seconds >= LONG_SECONDS:
            hinted = True
            clear_line()
            say(f"{label}: {hint}")
        if as_json and seconds - last >= _JSON_SECONDS:
            last = seconds
            say(json.dumps({"progress": label, "seconds": round(last, 1), "text": describe(now)}))
        elif shown and not as_json and seconds >= quiet:
            line.show(f"{label}: {describe(now)}", seconds)

    return report


def reports_json() -> bool:
    """Whether a program reads stderr: ``DUGRAPH_PROGRESS=json`` makes reports and errors lines of JSON."""
    return os.environ.get("DUGRAPH_PROGRESS") == "json"


def numbers(values: Iterable[Any], form: str) -> list[str]:
    """Write numbers in a format; "-" for None."""
    return ["-" if value is None else f"{value:{form}}" for value in values]


def value_texts(values: Sequence[float]) -> list[str]:
    """Write values with four significant digits, up to six if different ones would look alike.

    Values just below 1 are written as ``1 - 1.3e-05``, so that a probability shown as 1 is exactly 1.
    """
    n_different = len({f"{value:.{_SAME}g}" for value in values})
    for digits in range(_FEWEST, _MOST + 1):
        texts = [_value_text(value, digits) for value in values]
        if len(set(texts)) >= n_different:
            break
    return texts


def _value_text(value: float, digits: int) -> str:
    text = f"{value:#.{digits}g}".rstrip(".")
    below = 1 - value
    return f"1 - {below:.{digits - 2}g}" if float(text) == 1 and below > _ROUNDING else text


def print_result(result: TabularResult, n_rows: int = SHOWN_ROWS) -> None:
    """Print the summary of a result, its tables and its message."""
    print(f"{escaped(result._summary())}\n")
    for table in result._tables(n_rows):
        print_table(table.title, table.heads, table.rows, table.note)
        print()
    print(*map(escaped, result._messages()), sep="\n")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Row], note: str = "") -> None:
    """Print a table, with columns of numbers aligned to the right and floats in four significant digits.

    Every cell is escaped, since names come from files. On a terminal, rich folds long cells if installed.
    """
    heads = [escaped(name) for name in columns]
    texts = [[_text(cell) for cell in row] for row in rows]
    right = [bool(rows) and all(_NUMBER.fullmatch(row[i]) for row in texts) for i in range(len(columns))]
    if title:
        print(escaped(title))
    if not (_on_terminal() and _print_rich(heads, texts, right)):
        widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
        for line in (heads, ["-" * width for width in widths], *texts):
            cells = zip(line, widths, right, strict=True)
            fitted = [cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in cells]
            print("  ".join(fitted).rstrip())
    if note:
        print(escaped(note))


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _text(cell: object) -> str:
    return f"{cell:#.4g}".rstrip(".") if isinstance(cell, float) else escaped(cell)


def _print_rich(heads: list[str], texts: list[list[str]], numeric: list[bool]) -> bool:
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    # Text, not str: rich would read a name such as "[red]x" as markup.
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    console = Console(markup=False, emoji=False, highlight=False)
    widest = [max(map(len, column)) for column in zip([""] * len(heads), *texts, strict=True)]
    if sum(map(max, widest, map(len, heads))) + 2 * len(heads) > console.width:
        # Long heads of short cells leave no room for names.
        words = (max(map(len, head.split()), default=1) for head in heads)
        heads = list(map(textwrap.fill, heads, map(max, widest, words)))
    for name, right in zip(heads, numeric, strict=True):
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold", no_wrap=right)
    for row in texts:
        table.add_row(*map(Text, row))
    console.print(table)
    return True
