"""`dugraph convert`: convert the files of a pipeline into a cohort file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dugraph.cli.output import ExitCode, clear_line, progress
from dugraph.exceptions import InputError, Setting
from dugraph.settings import ConvertSettings
from dugraph.words import ATLAS_NAMES, ATLASES, NONE


def convert(settings: ConvertSettings) -> int:
    """Read, write the cohort file, then print its contents and provenance."""
    check_npz_name(settings.output)
    # A wrong path is reported at once, before the imports.
    for path in (settings.path, settings.participants):
        if path not in (None, NONE) and not os.path.exists(path):
            raise InputError(f"{path}: there is no such file or folder. Check the path.")
    atlas = settings.atlas
    if atlas is not None and atlas.lower() not in map(str.lower, ATLASES) and not os.path.exists(atlas):
        raise InputError(
            f"{atlas}: there is no such file, and no atlas of this name among {ATLAS_NAMES}. Check the path, "
            "or give a table or a list of its regions."
        )
    from dugraph import read_cohort, save_cohort
    from dugraph.cli.cohort import print_cohort
    from dugraph.io.input_files import table_in
    from dugraph.io.read import reading_line

    show = progress("reading", settings.progress, reading_line, quiet=0.0)
    found = table_in(settings.path) if settings.participants is None else None
    table = found or (None if settings.participants == NONE else settings.participants)
    asked = {**settings.arguments(), "select": settings.select or {}, "participants": table}
    try:
        graphs, y = read_cohort(settings.path, **asked, progress=show)
    except InputError as error:
        if found is None or found.name not in str(error):
            raise
        way_out = ("The files are read without this table by ", Setting("participants", NONE), ".")
        raise error.followed_by(way_out) from error
    finally:
        clear_line()
    save_cohort(settings.output, graphs, y)
    print_cohort(settings.output, graphs, y, _with_summary(graphs.provenance or {}, settings.output))
    return ExitCode.DONE


def _with_summary(provenance: Mapping[str, Any], output: str) -> dict[str, Any]:
    """Summarise the participants left out; long lists are written to a file beside the cohort."""
    from dugraph.files.atomic import atomic_file
    from dugraph.io.matching import first_few
    from dugraph.io.writers import left_out_table

    left_out = dict(provenance.get("left_out", {}))
    if "not_of_the_pattern" in provenance:
        left_out["not of the pattern"] = provenance["not_of_the_pattern"]
    if max(map(len, left_out.values()), default=0) <= 5:
        return dict(provenance)
    file = Path(output).with_suffix(".left_out.csv")
    with atomic_file(file) as stream:
        stream.write(left_out_table(left_out))
    counts = (f"{why}: {len(ids):,} ({first_few(ids)})" for why, ids in left_out.items())
    shorter = {name: value for name, value in provenance.items() if name != "not_of_the_pattern"}
    return shorter | {"left_out": "; ".join(counts), "left_out_file": file.name}


def check_npz_name(path: str) -> None:
    """Refuse as -o a folder, a file in a missing folder, and a name that does not end in .npz."""
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
