"""What an interruption has cut short, the clearing up included, is put in order when the program ends.

Ctrl-C may come between any two steps of Python: after a file was opened, and before it is known what to do
when that fails. So folders are noted before anything in them is touched.
"""

from __future__ import annotations

import atexit
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_touched: Counter[Path] = Counter()
"""How many writes into a folder have not come to their end; one may lie within another."""


@contextmanager
def noted(*folders: Path) -> Iterator[None]:
    """Change files of these folders; they are looked at again at exit, unless the block comes to its end."""
    absolute = {folder.absolute() for folder in folders}
    _touched.update(absolute)
    yield
    _touched.subtract(absolute)  # not after an error, whatever it is


@atexit.register
def put_touched_in_order() -> None:
    """Do in all noted folders what the next run would do; what cannot be done is left to that."""
    from dugraph.files.one_folder import put_in_order

    for folder in +_touched:
        with suppress(Exception):
            put_in_order(folder)
