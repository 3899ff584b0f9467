"""The threshold that shards of one search share: a small file, in a folder that all of them see.

What one shard has reached holds for all: as many subgraphs of that level exist, and none below it is among
the best in the end. Without the file, and with an old one, only time is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from dugraph.cluster.checkpoint import Checkpoint
from dugraph.cluster.identity import Identity
from dugraph.cluster.part_file import PathLike
from dugraph.exceptions import InputError
from dugraph.search.levels import NO_LEVEL, Level, height, level_array, level_of

SECONDS = 1.0
"""Between two looks into the file."""
_FILE = {"threshold": "<f8 1"}


class SharedThreshold:
    """What all shards together have reached.

    Parameters
    ----------
    path : path-like or None
        None: nobody else is heard.
    identify : callable
        Tells what search the shards are parts of.

    Raises
    ------
    InputError
        If the file is damaged, or belongs to something else.
    """

    def __init__(self, path: PathLike | None, identify: Callable[[], Identity]) -> None:
        self._file = Checkpoint(path, identify, "threshold_file")
        self._known = self._read()
        self._looked = time.monotonic()

    def __bool__(self) -> bool:
        return bool(self._file)

    def exchanged(self, own: Level, at_once: bool = False) -> Level:
        """Tell the others what this shard has reached, and give the best that any has."""
        if self._file and (at_once or time.monotonic() - self._looked >= SECONDS):
            self._looked = time.monotonic()
            try:
                self._known = max(self._known, self._read(), key=height)
            except InputError:  # put there meanwhile; it is not this shard's to replace
                return self._known
            if height(own) > height(self._known):
                self._known = own
                self._file.save({"threshold": level_array(own)})
        return self._known

    def _read(self) -> Level:
        content = self._file.load(_FILE)
        return NO_LEVEL if content is None else level_of(content["threshold"])
