"""`dugraph convert`: the files of a pipeline into a cohort file."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.info import print_cohort
from dugraph.cli.outputs import check_npz_name
from dugraph.exceptions import InputError
from dugraph.words import ATLASES, FORMATS, MATRIX_VALUES, MISSING, PROBABILITIES, TIME_AXES, TRIANGLES

DESCRIPTION = """\
Turn the output files of a pipeline, and a table of its subjects, into a cohort file.
File names and content tell the format; docs/files.md has the command for each pipeline. Subjects are
aligned by region names. Input that breaks a rule is refused; each step is printed and kept in the file."""
EXAMPLE = """\
  dugraph convert xcp_d --participants xcp_d/participants.tsv --positive patient -o xcp_d.npz
  dugraph convert xcp_d --format bids-relmat --select atlas=4S156Parcels --threshold 0.3 -o unlabelled.npz"""


def _key_and_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, such as run=1, but is {text!r}")
    return key, value


def _bytes(text: str) -> int:
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = (text[:-1], units[text[-1].upper()]) if text[-1:].upper() in units else (text, 1)
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise argparse.ArgumentTypeError(f"must be a number of bytes, such as 500M or 8G, but is {text!r}")
    return int(number) * unit


# Flag -> what argparse shall know about it; the words are those of `read_cohort`.
_FLAGS: dict[str, dict[str, Any]] = {
    "format": {
        "metavar": "NAME",
        "help": f"format of the files: {', '.join(FORMATS)} (default: detected from names and content)",
    },
    "participants": {"metavar": "FILE", "help": "table of the subjects, .tsv or .csv"},
    "id-column": {"metavar": "NAME", "help": "its column of subject ids (default: found by its usual name)"},
    "group-column": {
        "metavar": "NAME",
        "help": "its column of groups; if you name it, all groups are kept (default: found by its usual "
        "name; two groups)",
    },
    "id-pattern": {
        "metavar": "PATTERN",
        "help": "where the file names contain the id, e.g. '{id}_REST1*' (default: the whole name)",
    },
    "positive": {"metavar": "GROUP", "help": "positive class (default: the last name in sorted order)"},
    "negative": {
        "metavar": "GROUP",
        "help": "negative class; with --positive, subjects of other groups are left out",
    },
    "intersect": {"action": "store_true", "help": "keep only subjects that have both a file and a row"},
    "values": {
        "choices": MATRIX_VALUES,
        "help": "what the matrix entries are (default: as the format says)",
    },
    "probability": {
        "choices": tuple(PROBABILITIES),
        "help": "how they become probabilities (default: positive; fraction for counts)",
    },
    "threshold": {
        "type": float,
        "metavar": "P",
        "help": "set probabilities below P to 0; with bootstrap, the correlation to exceed",
    },
    "density": {
        "type": float,
        "metavar": "D",
        "help": "share of edges to keep in each graph, strongest first",
    },
    "n-timepoints": {
        "type": int,
        "metavar": "N",
        "help": "for fisher on matrices: length of the underlying time series",
    },
    "missing": {
        "choices": MISSING,
        "default": "refuse",
        "help": "edges without a value (n/a, constant region): refused, absent, or dropped with their "
        "regions or subjects (default: refuse)",
    },
    "max-missing": {
        "type": float,
        "metavar": "SHARE",
        "help": "largest share that may be dropped or absent (default: 0.1 of regions or subjects; absent: "
        "no limit)",
    },
    "select": {
        "action": "append",
        "type": _key_and_value,
        "metavar": "KEY=VALUE",
        "help": "which of a subject's files to read, e.g. atlas=4S156Parcels; may be repeated",
    },
    "atlas": {
        "metavar": "FILE|NAME",
        "help": "names for numbered regions: a table, with x, y, z if it has them, a text file with one name "
        f"in each line, or {', '.join(ATLASES)}",
    },
    "variable": {
        "metavar": "NAME",
        "help": "variable of a .mat or .npz file, or matrix of a .netcc, to read",
    },
    "names-variable": {"metavar": "NAME", "help": "its variable with the region names"},
    "edge-attribute": {"metavar": "NAME", "help": "edge attribute to read from GraphML files"},
    "time-axis": {
        "choices": TIME_AXES,
        "help": "axis of time in plain tables of time series (default: inferred from the shapes)",
    },
    "triangle": {
        "choices": TRIANGLES,
        "help": "which half of the matrix each subject's row holds, row by row",
    },
    "random-state": {"type": int, "default": 0, "metavar": "SEED", "help": "for bootstrap (default: 0)"},
    "max-memory": {
        "type": _bytes,
        "default": 8 * 2**30,
        "metavar": "BYTES",
        "help": "most memory that reading may use, e.g. 500M or 16G (default: 8G)",
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("path", metavar="PATH", help="folder or file written by the pipeline")
    for flag, settings in _FLAGS.items():
        parser.add_argument(f"--{flag}", **settings)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="cohort file to write (.npz)")


def run(options: argparse.Namespace) -> int:
    """Read, write the cohort file, then print what is in it and where it came from."""
    check_npz_name(options.output)
    # A wrong path is reported at once, before the imports.
    for path in (options.path, options.participants):
        if path is not None and not os.path.exists(path):
            raise InputError(f"{path}: there is no such file or folder. Check the path.")
    atlas = options.atlas
    if atlas is not None and atlas.lower() not in map(str.lower, ATLASES) and not os.path.exists(atlas):
        known = ", ".join(ATLASES)
        raise InputError(
            f"{atlas}: there is no such file, and no atlas of this name among {known}. Check the path, or "
            "give a table or a list of its regions."
        )
    from dugraph import read_cohort, save_cohort

    settings = {flag.replace("-", "_"): getattr(options, flag.replace("-", "_")) for flag in _FLAGS}
    settings["select"] = dict(options.select or [])
    graphs, y = read_cohort(options.path, **settings)
    save_cohort(options.output, graphs, y)
    print_cohort(options.output, graphs, y, _with_summary(graphs.provenance or {}, options.output))
    return ExitCode.DONE


def _with_summary(provenance: Mapping[str, Any], output: str) -> dict[str, Any]:
    """Summarise who was left out; long lists are written to a file beside the cohort."""
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
