"""Detection of the layout of a folder, and reading of its files."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from dugraph.data.arguments import abbreviate, counted
from dugraph.data.edges import SEPARATOR
from dugraph.exceptions import InputError, Sentence, Setting, either
from dugraph.files.npz import names_in_archive
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.delimited import is_number, names_in_head, split_line, to_number
from dugraph.io.guards import file_head
from dugraph.io.input_files import OTHER_FILES, InputFiles, NamedFile, ReadOptions, Subjects
from dugraph.io.layouts import FORMATS, LAYOUTS, Layout

_DESCRIBED = "docs/files.md says which files each of them reads."
_PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tgz", ".tar"}
_WORKBOOKS = {".xlsx", ".xls", ".ods"}


def choose_layout(found: InputFiles, name: str | None = None) -> tuple[Layout, str]:
    """Return the layout of a file or folder, by names and content unless it is named, and the reason."""
    if name is not None:
        for one in LAYOUTS:
            if isinstance(name, str) and one.name == name:
                return one, "as requested"
        close = get_close_matches(str(name), FORMATS)
        raise InputError(
            f"format must be one of {', '.join(FORMATS)}, but is {abbreviate(name)!r}.",
            parameter="format",
            way_out=("Did you mean ", *either([Setting("format", one) for one in close]), "?")
            if close
            else _DESCRIBED,
        )
    fitting = [(one, reason) for one in LAYOUTS if (reason := _finds(one, found)) is not None]
    # General layouts fit many files, so they must not compete with special ones.
    fitting = [pair for pair in fitting if not pair[0].general] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise InputError(
            f"{found.path}: the files must have a known format, but none fits {found.seen()}.",
            way_out=_way_out(found),
        )
    choices = "; ".join(f"{one.name} ({reason})" for one, reason in fitting)
    raise InputError(
        f"{found.path}: one format must fit, but {len(fitting)} do: {choices}.",
        parameter="format",
        way_out=("Name one with ", *either([Setting("format", one.name) for one, _ in fitting]), "."),
    )


def _way_out(found: InputFiles) -> Sentence:
    # Images of scanners are packed too, but they are not connectomes.
    endings = {file.suffix.lower() for file in found.files if not file.name.lower().endswith(".nii.gz")}
    if endings & _PACKED:
        return f"Unpack the files first ({', '.join(sorted(endings & _PACKED))})."
    if endings & _WORKBOOKS:
        return f"Export every table as CSV first ({', '.join(sorted(endings & _WORKBOOKS))})."
    if not found.is_folder:
        folder = f"Name the folder that holds the files of all subjects ({found.folder}), or the format with "
        return (folder, Setting("format"), f". {_DESCRIBED}")
    if any(file.name.lower().endswith((".nii", ".nii.gz")) for file in found.files):
        return (
            "Images contain voxels, not connectomes: extract the series of regions first, for example with "
            "XCP-D or with NiftiLabelsMasker of nilearn."
        )
    return ("Check the path, or name one with ", Setting("format"), f": {', '.join(FORMATS)}. {_DESCRIBED}")


def _finds(layout: Layout, found: InputFiles) -> str | None:
    """Return the reason why files have a layout, or None."""
    files = [] if layout.on_request else matching(layout, found)
    if not files or (layout.accepts and not _function(layout.accepts)(found, files)):
        return None
    return f"{counted(len(files), 'file')} such as {abbreviate(files[0].name)}"


def matching(layout: Layout, found: InputFiles) -> list[Path]:
    """Return the files with the names and places of a layout."""
    pattern = re.compile(layout.pattern)
    files = [file for file in found.files if pattern.fullmatch(file.name)]
    if layout.place == "below":
        return files
    if found.is_folder:
        files = [file for file in files if not OTHER_FILES.match(file.name)]
    elif layout.place == "each":
        return []
    at_top = [file for file in files if file in (found.path, found.path / file.name)]
    return at_top if layout.place == "top" else at_top or files


def other_format(layout: Layout, found: InputFiles) -> Sentence:
    """Name the format that files seem to have, for errors of a requested one; empty if none fits."""
    try:
        fitting, _ = choose_layout(found)
    except InputError:
        return ""
    # Series are never recognised, and general layouts fit whatever no other fits.
    if layout.on_request or fitting.general or fitting.name == layout.name:
        return ""
    return (f"The files look like the format {fitting.name}: leave out ", Setting("format", layout.name), ".")


def read_layout(layout: Layout, found: InputFiles, options: ReadOptions) -> Connectomes:
    """Read the files of a layout; options that it does not use are refused."""
    special = ("variable", "names_variable", "edge_attribute", "time_axis", "triangle")
    given = [name for name in special if getattr(options, name) is not None]
    for name in (*given, "select") if options.select else given:
        if name not in layout.takes:
            raise InputError(
                f"{name} must be left out for the format {layout.name}, which does not use it.",
                parameter=name,
            )
    if layout.kind == "series" and options.values is not None:
        raise InputError(
            "values must be left out for time series, because they are neither matrices nor "
            f"{options.values}.",
            parameter="values",
        )
    files = matching(layout, found)
    if not files:
        way_out = "Check the path."
        if layout.place == "each" and not found.is_folder:
            way_out = "Name the folder that holds the files of all subjects."
        raise InputError(
            f"{found.path}: files of the format {layout.name} must be named "
            f"{layout.files.partition(';')[0].replace('`', '')}, but there are none among {found.seen()}. "
            f"{way_out}"
        )
    if layout.read_all:
        return _function(layout.read_all)(found, files, options)  # type: ignore[no-any-return]
    subjects = subjects_by_name(layout, found, files, options)
    if options.choose is not None:
        chosen, ids = options.choose(subjects.graph_ids, subjects.files, subjects.id_digits)
        subjects = replace(subjects.subset(chosen), graph_ids=tuple(ids))
    options.budget.check_files(dict.fromkeys((*subjects.files, *subjects.beside.values())))
    if layout.read:
        return _function(layout.read)(subjects, options)  # type: ignore[no-any-return]
    kind = layout.kind
    if "." in kind:
        kind = _function(kind)(subjects, options)
    elif kind != "series":
        kind = options.values or kind
    options, load = replace(options, beside=subjects.beside), _function(layout.load)
    samples = (load(file, options) for file in subjects.files)
    return stack_subjects(subjects, samples, kind, options)


def subjects_by_name(layout: Layout, found: InputFiles, files: list[Path], options: ReadOptions) -> Subjects:
    """Return the file of each subject, by names alone."""
    named = []
    for file in files:
        match = re.fullmatch(layout.pattern, file.name)
        groups = {} if match is None else match.groupdict()
        named.append(NamedFile(file, {key: value for key, value in groups.items() if value is not None}))
    subjects: Subjects = _function(layout.subjects)(found, named, options)
    return subjects


def _function(name: str) -> Any:
    module, _, function = name.partition(".")
    return getattr(import_module(f"dugraph.io.{module}"), function)


# --- Content, where names do not decide ---------------------------------------------------------------------

_HEAD = 65_536
_FIRST_ROWS = 4096
_ENDS = {"source", "target"}


def _head(files: list[Path]) -> bytes:
    """Return the beginning of the only file, or nothing."""
    return (file_head(files[0], _HEAD) or b"") if len(files) == 1 else b""


def is_edge_list(found: InputFiles, files: list[Path]) -> bool:
    """Return whether there is one table with graphs, sources and targets as columns, or one Parquet file."""
    head = _head(files)
    if files[0].suffix.lower() in (".parquet", ".pq"):
        return head.startswith(b"PAR1")
    return names_in_head(head) >= {"graph_id", *_ENDS}


def are_edge_lists(found: InputFiles, files: list[Path]) -> bool:
    """Return whether files are edge lists by their endings, or by the first lines of the first table."""
    if any(file.suffix.lower() in (".edgelist", ".ssv") for file in files):
        return True
    head = _head(files[:1])
    names = names_in_head(head)
    if names >= _ENDS:
        return "graph_id" not in names
    return _has_edge_rows(head) and not any(file.name.endswith("_graph_indicator.txt") for file in files)


def _has_edge_rows(head: bytes) -> bool:
    """Return whether a text has two regions, and a number, in more rows than a matrix of as many columns."""
    lines = head[:_FIRST_ROWS].decode("utf-8", "replace").splitlines()
    if len(head) >= _FIRST_ROWS:
        lines = lines[:-1]  # cut off
    rows = [split_line(line) for line in lines if line.strip() and not line.startswith("#")]
    # The first row may be a header.
    n_cells, rows = len(rows[0]) if rows else 0, rows[1:]
    if n_cells not in (2, 3) or len(rows) <= n_cells or any(len(cells) != n_cells for cells in rows):
        return False
    # Series have decimals in all columns.
    ends = [cell for cells in rows for cell in cells[:2]]
    are_regions = all(cell.isdecimal() or (cell and not is_number(cell)) for cell in ends)
    return are_regions and all(to_number(cell) is not None for cells in rows for cell in cells[2:])


def names_edges(found: InputFiles, files: list[Path]) -> bool:
    """Return whether there is one table whose header names edges."""
    return _head(files).split(b"\n", 1)[0].decode("utf-8", "replace").count(SEPARATOR) > 1


def has_counts(found: InputFiles, files: list[Path]) -> bool:
    """Return whether the first file names MRtrix, or its first row can only be counts: all >= 0, some > 1."""
    head = _head(files[:1])
    if b"tck2connectome" in head:
        return True
    # The last number may be cut off by the end of the head.
    row = re.split(rb"[,\s]+", head.split(b"\n", 1)[0].strip())[: -1 if len(head) == _HEAD else None]
    try:
        numbers = [float(cell) for cell in row]
    except ValueError:
        return False
    return all(number >= 0 for number in numbers) and any(number > 1 for number in numbers)


def has_indicator(found: InputFiles, files: list[Path]) -> bool:
    """Return whether a TUDataset has the graph of each node beside its edges."""
    indicators = {file.name.removesuffix("_A.txt") + "_graph_indicator.txt" for file in files}
    return found.is_folder and not indicators.isdisjoint(file.name for file in found.top)


def have_labels(found: InputFiles, files: list[Path]) -> bool:
    """Return whether the first .npz file has the arrays connectivity and labels, by its directory."""
    return {"connectivity", "labels"} <= names_in_archive(files[0])


def is_one_array(found: InputFiles, files: list[Path]) -> bool:
    """Return whether there is one file of an array, and no table beside it as in a folder of matrices."""
    tables = [file for file in found.files if file.suffix.lower() in (".csv", ".tsv", ".txt")]
    if len(files) != 1 or not files[0].is_file() or not all(OTHER_FILES.match(file.name) for file in tables):
        return False
    if found.is_folder and files[0].suffix.lower() == ".npy":
        try:
            # A single matrix is a cohort of one.
            with open(files[0], "rb") as file:
                first = read_magic(file) == (1, 0)
                return len((read_array_header_1_0 if first else read_array_header_2_0)(file)[0]) == 3
        except Exception:  # NumPy raises many kinds for damaged headers
            return False
    return True


def is_not_one_array(found: InputFiles, files: list[Path]) -> bool:
    """Return whether files of matrices are one per subject."""
    arrays = [file for file in found.top if file.suffix.lower() in (".npy", ".npz", ".mat")]
    return not is_one_array(found, [file for file in arrays if not OTHER_FILES.match(file.name)])
