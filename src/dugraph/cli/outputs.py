"""Where a command may write: checked before anything is computed, and without NumPy."""

import os

from dugraph.exceptions import InputError


def check_npz_name(path: str) -> None:
    """Refuse a folder, a file in a folder that is not there, and a name that does not end in .npz.

    Parameters
    ----------
    path : str
        What the user gave as ``-o``.
    """
    if os.path.isdir(path):
        example = os.path.join(path, "cohort.npz")
        raise InputError(
            f"{path}: -o must name a file, but it names a folder. Add a file name, such as {example}."
        )
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise InputError(f"{path}: -o must name a file in an existing folder. Create the folder first.")
    # Under another ending, other programs would take the file for something else.
    stem, ending = os.path.splitext(path)
    if ending.lower() != ".npz":
        given = f"ends in {ending}" if ending else "has no ending"
        better = stem.removesuffix(".npz") + ".npz"
        raise InputError(f"{path}: a cohort file must end in .npz, but the name {given}. Write -o {better}.")
