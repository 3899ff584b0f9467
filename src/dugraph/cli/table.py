"""Tables on stdout: drawn by rich on a terminal, else plain text with one line per row."""

import sys
from collections.abc import Sequence

from dugraph.cli.number_text import NumberText
from dugraph.cli.wording import escaped

Row = Sequence[object]


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
    return f"{cell:#.4g}" if isinstance(cell, float) else escaped(cell)


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
