"""What `mine`, `sparse` and `test` share: their flags, the cohort before the work, the folder after it."""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dugraph.cli.lists import words
from dugraph.cli.progress import clear_line, say
from dugraph.exceptions import InputError, LimitReachedWarning
from dugraph.files.plain_text import escaped
from dugraph.words import TABLE_FORMATS

if TYPE_CHECKING:
    from dugraph.results import SavedFiles, TestRecord
    from dugraph.results.load import ResultRecord
    from dugraph.results.source import Source

Result = TypeVar("Result")
SHOWN_ROWS = 20


def add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags about the cohort, the machine and the folder of subgraphs as features."""
    add_run_arguments(parser, "then return the best so far and exit with 3")
    parser.add_argument(
        "--features",
        choices=(*TABLE_FORMATS, "none"),
        default="csv",
        help="file format for the containment probabilities of all graphs (default: csv)",
    )


def add_phenotype_argument(parser: argparse.ArgumentParser, verb: str) -> None:
    """Declare the flag that names other labels than the classes; `verb` says what is done with them."""
    parser.add_argument(
        "--phenotype",
        metavar="COLUMN",
        help=f"{verb} this column of the participants instead of the classes: numbers, or names of groups",
    )


def add_covariates_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the flag that names what to adjust for."""
    parser.add_argument(
        "--covariates",
        type=words,
        metavar="COLUMNS",
        help="adjust for these columns of the participants: age,sex (default: none)",
    )


def add_run_arguments(parser: argparse.ArgumentParser, at_limit: str) -> None:
    """Declare the flags about the cohort, the machine and any folder; `at_limit` says how a limit ends."""
    add = parser.add_argument
    add("--pos-label", metavar="CLASS", help="the positive class (default: the last in sorted order)")
    add("--n-jobs", type=int, default=1, metavar="N", help="threads, -1 for all processors (default: 1)")
    add("--time-limit", type=float, metavar="SECONDS", help=at_limit)
    add(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="show progress on stderr (default: if it is a terminal)",
    )
    add("--config", metavar="FILE.toml", help="defaults for these flags, e.g. a line max_edges = 3")
    add(
        "--report",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="also write FOLDER/report.html, to open in a browser (default: no)",
    )
    add("-o", "--output", metavar="FOLDER", help="folder for the results; see above")


def add_checkpoint_argument(parser: argparse.ArgumentParser, work: str) -> None:
    """Declare the file that a run resumes from."""
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help=f"save the state of the {work} here; the same command resumes from it",
    )


def open_source(options: argparse.Namespace, doing: str, **labels: Any) -> "Source":
    """Check what is to be written where, then read the cohort.

    Parameters
    ----------
    options : Namespace
    doing : str
        What needs its classes.
    **labels
        What else than two classes may be taken, as for `cohort_source`.
    """
    from dugraph.io.writers import check_table_format
    from dugraph.results.source import cohort_source

    check_folder(options)
    if options.output is not None and options.features != "none":
        check_table_format(options.features)
    return cohort_source(options.data, f"{doing} needs", options.pos_label, **labels)


def check_folder(options: argparse.Namespace) -> None:
    """Refuse a folder that cannot be written into, before a long computation."""
    from dugraph.files.atomic import check_writable
    from dugraph.results import refuse_other_results

    if options.report and options.output is None:
        raise InputError("--report needs a folder to write into, but none is given. Add -o FOLDER.")
    if options.output is not None:
        check_writable(options.output)
        refuse_other_results(options.output, options.command)


def without_warnings(
    work: Callable[[], Result], told_later: tuple[type[Warning], ...] = (LimitReachedWarning,)
) -> Result:
    """Do the work; its warnings become lines on stderr, except those reported at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = work()
        finally:
            clear_line()
    for warning in caught:
        if not issubclass(warning.category, told_later):
            say(f"dugraph: {escaped(warning.message)}")
    return result


def write_folder(
    options: argparse.Namespace,
    record: "ResultRecord",
    seconds: float | None = None,
    test: "TestRecord | None" = None,
    title: str = "",
) -> "SavedFiles":
    """Write the folder, that of a test within it and the page, as far as asked for, in one step."""
    from dugraph.files.one_folder import write_files
    from dugraph.results.save import SavedFiles, folder_files
    from dugraph.results.tested import OWN_TEST

    if options.output is None:
        return SavedFiles([], [])
    folder = Path(options.output)
    features = getattr(options, "features", "none")
    contents, obsolete, left_out = folder_files(record, folder, features=features, title=title)
    if test is not None:
        own = folder_files(test, folder / OWN_TEST)
        contents |= {f"{OWN_TEST}/{name}": content for name, content in own.contents.items()}
        obsolete += [f"{OWN_TEST}/{name}" for name in own.obsolete]
        left_out += own.left_out
    if options.report:
        from dugraph.report.write import report_bytes

        contents["report.html"] = report_bytes(record, test=test, seconds=seconds)
    return SavedFiles(write_files(folder, contents, obsolete), left_out)


def say_written(saved: "SavedFiles") -> None:
    """Name the files of a folder, and what is missing in it."""
    for line in [*(f"written: {path}" for path in saved.files), *saved.left_out]:
        say(escaped(line))
