"""Which subject a file belongs to, by its own name or by the folder that it lies in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_BIDS = re.compile(r"(sub-[A-Za-z0-9]+)(_.*)?")


def by_name(names: Sequence[str]) -> list[str]:
    """Return subjects by file name: the ``sub-...`` parts if all have one, otherwise whole names."""
    parts = [_BIDS.fullmatch(name) for name in names]
    ids = [part[1] for part in parts if part is not None]
    return ids if len(ids) == len(names) else list(names)


def by_folder(files: Sequence[Path], root: Path) -> list[str]:
    """Return subjects by folders, for files that have the same name in each.

    Parameters
    ----------
    files : sequence of Path
    root : Path
        The folder that was asked for; all files lie in it or below.

    Returns
    -------
    list of str
        The ``sub-...`` folder of each file; else the innermost folders that differ for all files, so that
        ``S1/tracks/f`` and ``S2/tracks/f`` are S1 and S2; else the folders next to the files.
    """
    above = [file.parent.relative_to(root).parts or (root.resolve().name,) for file in files]
    named = [[part for part in parts if _BIDS.fullmatch(part)] for parts in above]
    if all(named):
        return by_name([parts[0] for parts in named])
    for depth in range(1, min(map(len, above)) + 1):
        names = [parts[-depth] for parts in above]
        if len(set(names)) == len(files):
            return names
    return [parts[-1] for parts in above]
