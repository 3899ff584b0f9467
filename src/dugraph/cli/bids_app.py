"""`dugraph-bids`: the entry point of the container, with the arguments common to all BIDS Apps."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from dugraph.cli.output import ExitCode
from dugraph.cli.program import main as dugraph
from dugraph.files.text import escaped
from dugraph.settings import ConvertSettings, TestSettings, flag_word

_DESCRIPTION = """\
Test which connected subgraphs differ between two groups: from derivatives to a report.
The same as `dugraph convert`, then `dugraph test --report`; their --help explains the options. OUTPUT will
contain cohort.npz and the folder test."""

_CONVERT = (
    *("format", "participants", "id_column", "group_column", "positive", "negative", "atlas", "probability"),
    *("threshold", "missing"),
)
_TEST = ("blocks", "covariates", "min_expected_frequency", "max_edges", "n_permutations", "n_jobs")


def build_parser() -> argparse.ArgumentParser:
    """The parser: the three positional arguments of BIDS Apps, and options that are passed on."""
    parser = argparse.ArgumentParser(
        prog="dugraph-bids",
        allow_abbrev=False,
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "bids_dir", metavar="INPUT", help="derivatives with connectivity matrices or time series"
    )
    parser.add_argument("output_dir", metavar="OUTPUT", help="folder to write into")
    parser.add_argument("analysis_level", choices=["group"], help="the only level is group")
    parser.add_argument("--select", action="append", default=[], metavar="KEY=VALUE", help="of `convert`")
    for settings, names in ((ConvertSettings, _CONVERT), (TestSettings, _TEST)):
        for option in (settings.options()[name] for name in names):
            metavar = option.metavar or "NAME"
            parser.add_argument(option.flag, metavar=metavar, help=f"of `{settings.command}`")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Convert, then test if the conversion succeeded; returns an `ExitCode`."""
    options = build_parser().parse_args(argv)
    output = Path(options.output_dir)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        build_parser().error(f"OUTPUT cannot be created: {escaped(error)}")
    cohort = str(output / "cohort.npz")
    chosen = [part for one in options.select for part in ("--select", one)]
    code = dugraph(["convert", options.bids_dir, *chosen, *_given(options, _CONVERT), "-o", cohort])
    if code != ExitCode.DONE:
        return code
    return dugraph(["test", cohort, *_given(options, _TEST), "--report", "-o", str(output / "test")])


def _given(options: argparse.Namespace, names: Iterable[str]) -> list[str]:
    values = {name: getattr(options, name) for name in names}
    return [flag_word(name, value) for name, value in values.items() if value is not None]
