"""`dugraph report`: the results in a folder as one page."""

import argparse

from dugraph.cli.exit_code import ExitCode
from dugraph.files.plain_text import escaped

DESCRIPTION = """\
Write the results of a folder as one self-contained HTML page, to read and to share.
The page shows what is in the folder: the subgraphs of `dugraph mine -o` or `sparse -o`, the significant
subgraphs of `test -o`, or the splits of `evaluate -o`. --test and --evaluation combine several of these. It
also shows the cohort, which is read from the path in the results."""
EXAMPLE = """\
  dugraph report results
  dugraph report results --test test --evaluation evaluation -o for-the-clinic.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add = parser.add_argument
    add(
        "folder",
        metavar="FOLDER",
        help="written by `dugraph mine -o`, `sparse -o`, `test -o` or `evaluate -o`",
    )
    add("--data", metavar="FILE", help="the cohort file (default: where the results say)")
    add(
        "--evaluation",
        metavar="FOLDER",
        help="also show the evaluation in this folder, written by `evaluate -o`",
    )
    add("--test", metavar="FOLDER", help="also show the test in this folder, written by `test -o`")
    add("-o", "--output", metavar="FILE", help="the page to write, .html (default: FOLDER/report.html)")


def run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    from dugraph import write_report

    page = write_report(
        options.folder,
        data=options.data,
        evaluation=options.evaluation,
        test=options.test,
        output=options.output,
    )
    print(escaped(page))
    return ExitCode.DONE
