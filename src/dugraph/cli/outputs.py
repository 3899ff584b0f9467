"""Where a command may write: checked before anything is computed, and without NumPy."""

import os
import re
from pathlib import Path

from dugraph.exceptions import InputError

# Where the record of `mine` and `sparse` begins: its keys are sorted.
_RECORD = re.compile(rb'\{\s*"command":\s*"(mine|sparse)"')


def check_npz_name(path: str) -> None:
    """Refuse a folder, a file in a folder that is not there, and a name that does not end in .npz.

    Parameters
    ----------
    path : str
        What the user gave as ``-o``.
    """
    if os.path.isdir(path):
        example = os.path.join(path, "cohort.npz")
        raise InputError(f"{path}: -o must name a file, but it is a folder. Add a name, such as {example}.")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise InputError(f"{path}: -o must name a file in an existing folder. Create the folder first.")
    # Under another ending, other programs would take the file for something else.
    stem, ending = os.path.splitext(path)
    if ending.lower() != ".npz":
        given = f"ends in {ending}" if ending else "has no ending"
        better = stem.removesuffix(".npz") + ".npz"
        raise InputError(f"{path}: a cohort file must end in .npz, but the name {given}. Write -o {better}.")


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
