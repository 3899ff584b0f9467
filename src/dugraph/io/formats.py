"""The formats that `read_cohort` knows, and how one of them is chosen.

To add a format:

1. Write ``src/dugraph/io/readers/<format>.py`` with two functions and one constant::

       def finds(source: Source) -> str | None: ...               # why it is this format, or None
       def read(source: Source, options: ReadOptions) -> Connectomes: ...

       FORMAT = Format("name", "one line of description", finds, read)

   `finds` looks at names first and reads the head of one file at most; it never raises. `read` checks sizes
   with ``options.budget`` (`check_files` on all files, `check` for arrays that headers claim), takes
   text through `delimited` (`read_square`, `read_numbers`, `read_records`) and libraries through
   `guards.library`, makes one `Sample` per subject and gives them, as a generator, to `connectomes.joined`,
   which joins them by region names. It raises InputError or OSError and nothing else, whatever bytes the
   files hold. It leaves values as they are: ``kind`` says what they are, and `probabilities` turns them into
   probabilities. A format that brings its own edges, layers or classes makes `Connectomes` itself.
   ``general=True`` marks a format that is taken only when no other one fits; ``takes`` names the special
   fields of `ReadOptions` that it looks at, all others being refused.
2. Add its module to the import and to `FORMATS` below, and its name to that of ``words.py``.
3. Add a row to ``docs/files.md``, a writer of its layout to `LAYOUTS` in ``tests/io/layouts.py`` (the suite
   then runs the row's command on it, and holds the reader against damaged bytes), and a test module
   ``tests/io/readers/test_<format>.py``: a round trip and at least three broken variants with their messages.
"""

from __future__ import annotations

from dugraph.data.wording import shown
from dugraph.exceptions import InputError, Sentence, Setting, either
from dugraph.io.format import Format
from dugraph.io.readers import (
    adhd200_series,
    afni_netcc,
    bids_relmat,
    bids_timeseries,
    brainnet,
    cifti,
    conn,
    connectivity_mat,
    cpac_series,
    dpabi,
    edge_list,
    edge_lists,
    fsl_network,
    graphml,
    hcp_netmats,
    matrices,
    mrtrix,
    one_array,
    series_files,
    subject_rows,
    tu_dataset,
)
from dugraph.io.source import Source

FORMATS: tuple[Format, ...] = (
    bids_relmat.FORMAT,
    bids_timeseries.FORMAT,
    cpac_series.FORMAT,
    adhd200_series.FORMAT,
    fsl_network.FORMAT,
    mrtrix.FORMAT,
    cifti.PCONN,
    cifti.PTSERIES,
    conn.FORMAT,
    dpabi.SIGNALS,
    dpabi.CORRELATIONS,
    afni_netcc.FORMAT,
    connectivity_mat.FORMAT,
    hcp_netmats.FORMAT,
    one_array.FORMAT,
    subject_rows.FORMAT,
    edge_list.FORMAT,
    edge_lists.FORMAT,
    brainnet.FORMAT,
    graphml.FORMAT,
    tu_dataset.FORMAT,
    series_files.FORMAT,
    matrices.FORMAT,
)

_DESCRIBED = "docs/files.md says which files each of them reads."
_PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tgz", ".tar"}
_WORKBOOKS = {".xlsx", ".xls", ".ods"}


def choose_format(source: Source, name: str | None = None) -> tuple[Format, str]:
    """Find the format of a file or folder, by name and content.

    Parameters
    ----------
    source : Source
    name : str, optional
        The name of a format, which is then taken without looking.

    Returns
    -------
    format : Format
    reason : str
        Why it was chosen.
    """
    if name is not None:
        for one in FORMATS:
            if isinstance(name, str) and one.name == name:
                return one, "as requested"
        raise InputError(
            f"format must be one of {_names()}, but is {shown(name)!r}. {_DESCRIBED}", parameter="format"
        )
    found = [(one, reason) for one in FORMATS if (reason := one.finds(source)) is not None]
    # What is general fits much, so it must not compete with what is special.
    found = [pair for pair in found if not pair[0].general] or found
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"{source.path}: the files must have a known format, but none fits {source.seen()}.",
            way_out=_way_in(source),
        )
    fitting = "; ".join(f"{one.name} ({reason})" for one, reason in found)
    raise InputError(
        f"{source.path}: one format must fit, but {len(found)} do: {fitting}.",
        parameter="format",
        way_out=("Name one with ", *either([Setting("format", one.name) for one, _ in found]), "."),
    )


def _names() -> str:
    return ", ".join(one.name for one in FORMATS)


def _way_in(source: Source) -> Sentence:
    # Images of scanners are packed too, but no connectomes.
    found = {file.suffix.lower() for file in source.files if not file.name.lower().endswith(".nii.gz")}
    if found & _PACKED:
        return f"Unpack the files first ({', '.join(sorted(found & _PACKED))})."
    if found & _WORKBOOKS:
        return f"Export every table as CSV first ({', '.join(sorted(found & _WORKBOOKS))})."
    way = "Check the path" if source.is_folder else "Name the folder that holds the files of all subjects"
    return (f"{way}, or name one with ", Setting("format"), f": {_names()}. {_DESCRIBED}")
