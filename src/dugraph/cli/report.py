"""`dugraph report`: the results in a folder as one HTML page."""

from dugraph.cli.output import ExitCode
from dugraph.files.text import escaped
from dugraph.settings import ReportSettings

DESCRIPTION = """\
Write the results of a folder as one self-contained HTML page.
The page shows what is in the folder: the subgraphs of `dugraph mine -o` or `sparse -o`, the significant
subgraphs of `test -o`, or the splits of `evaluate -o`. --test and --evaluation combine several of these. It
also shows the cohort, which is read from the path in the results. Participants are numbered on the page;
--with-ids shows their ids."""
EXAMPLE = """\
  dugraph report results
  dugraph report results --test test --evaluation evaluation -o for-the-clinic.html"""


SETTINGS = ReportSettings


def run(settings: ReportSettings) -> int:
    """Write the page and print its path."""
    from dugraph import write_report

    page = write_report(
        settings.folder,
        data=settings.data,
        evaluation=settings.evaluation,
        test=settings.test,
        output=settings.output,
        with_ids=settings.with_ids,
    )
    print(escaped(page))
    return ExitCode.DONE
