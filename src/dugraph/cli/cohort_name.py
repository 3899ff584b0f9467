"""The name of a cohort file to be written."""

import os

from dugraph.exceptions import InputError


def check_npz_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that does not end in .npz: other programs go by it."""
    if not os.fspath(path).lower().endswith(".npz"):
        raise InputError(f"{path}: a cohort file must end in .npz. Choose such a name.")
