"""Standard streams that the shell has closed, which programs must have."""

import os
import sys


def open_streams() -> None:
    """Open what is closed to nothing: files and pipes opened later would take its number.

    ``sys.stdout`` stays None, since results without a place are an error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free, which is this one; processes that are started need it too.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stderr is None:  # print would take stdout in its place
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 (it stays open to the end)
