"""Output of the commands: tables on stdout, messages and progress on stderr, and the exit code."""

import enum
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dugraph.files.text import escaped

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
    """Print a message on stderr."""
    print(message, file=sys.stderr, flush=True)


def progress(
    label: str,
    wanted: bool | None,
    describe: Callable[[dict[str, Any]], str],
    *,
    hint: str | None = None,
    quiet: float = QUIET_SECONDS,
) -> Report | None:
    """Make the function that a long call reports its progress to.

    Parameters
    ----------
    label : str
        The name of the work, printed before each report.
    wanted : bool or None
        None: if stderr is a terminal.
    describe : callable
        Puts a report into words.
    hint : str, optional
        A message to show once after a minute, unless progress is turned off.
    quiet : float
        Seconds without a report.

    Returns
    -------
    callable or None
        Rewrites one line on a terminal; in a log, adds one every ten seconds.
    """
    show = _reporter(label, wanted, describe, quiet)
    return show if hint is None or wanted is False else _with_hint(f"{label}: {hint}", show)


def _reporter(
    label: str, wanted: bool | None, describe: Callable[[dict[str, Any]], str], quiet: float
) -> Report | None:
    if reports_json():
        return _json_reporter(label, describe)
    if not (sys.stderr.isatty() if wanted is None else wanted):
        return None
    from dugraph.search.progress import StatusLine

    line = StatusLine()

    def show(now: dict[str, Any]) -> None:
        if now["seconds"] >= quiet:
            line.show(f"{label}: {describe(now)}", now["seconds"])

    return show


def reports_json() -> bool:
    """Whether a program reads stderr: ``DUGRAPH_PROGRESS=json`` makes reports and errors lines of JSON."""
    return os.environ.get("DUGRAPH_PROGRESS") == "json"


def _json_reporter(label: str, describe: Callable[[dict[str, Any]], str]) -> Report:
    last = -_JSON_SECONDS

    def show(now: dict[str, Any]) -> None:
        nonlocal last
        if now["seconds"] - last >= _JSON_SECONDS:
            last = now["seconds"]
            say(json.dumps({"progress": label, "seconds": round(last, 1), "text": describe(now)}))

    return show


def _with_hint(hint: str, show: Report | None) -> Report:
    given = False

    def report(now: dict[str, Any]) -> None:
        nonlocal given
        if not given and now["seconds"] >= LONG_SECONDS:
            given = True
            clear_line()
            say(hint)
        if show is not None:
            show(now)

    return report


def clear_line() -> None:
    """Remove the progress from a terminal."""
    if sys.stderr.isatty():
        from dugraph.search import progress

        progress.clear_line()


class NumberText(str):
    """A number that is already formatted; tables align it like a number."""


def value_texts(values: Sequence[float]) -> list[NumberText]:
    """Write values with four significant digits, up to six if different ones would look alike.

    Values just below 1 are written as ``1 - 1.3e-05``, so that a probability shown as 1 is exactly 1.

    Parameters
    ----------
    values : sequence of float

    Returns
    -------
    list of NumberText
    """
    n_different = len({f"{value:.{_SAME}g}" for value in values})
    digits = next((d for d in range(_FEWEST, _MOST) if len(set(_written(values, d))) >= n_different), _MOST)
    return [NumberText(text) for text in _written(values, digits)]


def _written(values: Sequence[float], digits: int) -> list[str]:
    return [_one(value, digits) for value in values]


def _one(value: float, digits: int) -> str:
    text = f"{value:#.{digits}g}".rstrip(".")
    below = 1 - value
    return f"1 - {below:.{digits - 2}g}" if float(text) == 1 and below > _ROUNDING else text


def print_table(title: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Print a table; every cell is escaped, since names come from files.

    Parameters
    ----------
    title : str
    columns : sequence of str
        Headings. Columns of numbers are aligned to the right.
    rows : sequence of sequences
        One entry per column, shown as text; floats in four significant digits.
    """
    texts = [[_text(cell) for cell in row] for row in rows]
    numbers = (int, float, NumberText)
    numeric = [bool(rows) and all(isinstance(row[i], numbers) for row in rows) for i in range(len(columns))]
    if not (_on_terminal() and _print_rich(title, columns, texts, numeric)):
        print(plain_table(title, columns, texts, numeric))


def plain_table(
    title: str, columns: Sequence[str], texts: Sequence[Sequence[str]], numeric: Sequence[bool]
) -> str:
    """Lay out a table in plain text."""
    widths = [max(len(text) for text in column) for column in zip(columns, *texts, strict=True)]

    def line(cells: Sequence[str]) -> str:
        fitted = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(fitted).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([escaped(title), line(columns), rule, *map(line, texts)])


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _text(cell: object) -> str:
    return f"{cell:#.4g}".rstrip(".") if isinstance(cell, float) else escaped(cell)


def _print_rich(
    title: str, columns: Sequence[str], texts: Sequence[Sequence[str]], numeric: Sequence[bool]
) -> bool:
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    table = Table(
        title=Text(escaped(title)),
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for name, right in zip(columns, numeric, strict=True):
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold", no_wrap=right)
    for row in texts:
        # Text, not str: rich would read a name such as "[red]x" as markup.
        table.add_row(*map(Text, row))
    Console(markup=False, emoji=False, highlight=False).print(table)
    return True
