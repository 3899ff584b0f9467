"""One folder, one command: the results of `mine`, `sparse` and `evaluate` have files of the same names."""

import os
import re
from pathlib import Path

from dugraph.exceptions import InputError

# Where the record of `mine` and `sparse` begins: its keys are sorted.
_RECORD = re.compile(rb'\{\s*"command":\s*"(mine|sparse)"')


def refuse_other_results(folder: str | os.PathLike[str], command: str) -> None:
    """Refuse a folder with the results of another command, parts of which would be overwritten.

    Parameters
    ----------
    folder : path-like
        Need not be there yet.
    command : {"mine", "sparse", "evaluate"}
        What is to write into it. Its own older results are no hindrance.
    """
    for other in _commands_of(Path(folder)):
        if other != command:
            raise InputError(
                f"{folder}: a folder holds the results of one command, but those of `dugraph {other}` are in "
                f"it, whose files have the same names as those of `dugraph {command}`. Choose another folder "
                "with -o."
            )


def _commands_of(folder: Path) -> list[str]:
    # A run that was interrupted has left its cells only, and will be taken up.
    marks = (folder / "evaluation.json", folder / "cache" / "fingerprint.json")
    found = ["evaluate"] if any(mark.is_file() for mark in marks) else []
    record = folder / "results.json"
    if record.is_file():
        with open(record, "rb") as file:
            begin = _RECORD.match(file.read(100))
        found += [begin[1].decode()] if begin else []
    return found
