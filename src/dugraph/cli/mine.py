"""`dugraph mine`: the best subgraphs of a cohort, as a table and as files."""

import argparse
import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import (
    SHOWN_ROWS,
    add_folder_arguments,
    open_source,
    say_written,
    without_warnings,
    write_page,
)
from dugraph.cli.mine_hints import hint_at_ties, hint_at_unused
from dugraph.cli.progress import say, search_progress
from dugraph.cli.table import print_table, value_texts
from dugraph.words import BOUNDS, RANKINGS, SCORES, method_name

if TYPE_CHECKING:
    from dugraph import MiningResult
    from dugraph.cli.ranking import RankedSubgraph
    from dugraph.cli.result_record import Source

DESCRIPTION = """\
Find the connected subgraphs with the largest measure of their score, exactly.
A table goes to stdout; with -o a folder gets results.json, results.csv, results.graphml, BrainNet Viewer
files (if the regions have coordinates), the features of all graphs, model.json for `dugraph transform`, and
config.toml: see docs/results.md.
`--config FOLDER/config.toml` repeats a run; flags given by hand win over the file."""
EXAMPLE = """\
  dugraph mine cohort.npz --score hsic --measure expectation --n-subgraphs 10 -o results
  dugraph mine cohort.npz --n-subgraphs 10 --max-correlation 0.5
  dugraph mine cohort.npz --score frequency_ratio --measure phi_probability --phi 1 --time-limit 60"""

SEARCH_OPTIONS = (
    *("score", "measure", "phi", "quantile", "n_subgraphs", "min_expected_frequency", "max_edges"),
    *("max_correlation", "score_cap", "bound", "pos_label", "n_jobs", "time_limit", "node_limit"),
)

_LONG = "this may take long. Ctrl-C gives the best so far; --time-limit SECONDS sets an end beforehand."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: the words of `dugraph.mine_subgraphs`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add("--score", choices=SCORES, default="hsic", help="score function (default: hsic)")
    add("--measure", choices=RANKINGS, default="expectation", help="default: expectation")
    add("--phi", type=float, help="score that counts as discriminative, for phi_probability")
    add("--quantile", type=float, default=0.5, metavar="Q", help="for the measure quantile (default: 0.5)")
    add("--n-subgraphs", type=int, default=100, metavar="N", help="how many to find (default: 100)")
    add(
        "--min-expected-frequency",
        type=float,
        default=0.2,
        metavar="F",
        help="admit subgraphs above this expected frequency (default: 0.2)",
    )
    add("--max-edges", type=int, metavar="N", help="only subgraphs of at most N edges (default: any)")
    add(
        "--max-correlation",
        type=float,
        metavar="R",
        help="leave out what correlates above R with a better one: subgraphs that complement each other",
    )
    add(
        "--score-cap",
        type=float,
        metavar="S",
        help="larger scores become this (default: max(1000, largest finite))",
    )
    add(
        "--bound",
        choices=BOUNDS,
        default="mass",
        help="pruning; changes the work, not the answer (default: mass)",
    )
    add(
        "--node-limit",
        type=int,
        metavar="N",
        help="stop soon after meeting N admitted subgraphs (never before all single edges are met), give the "
        "best so far and exit with 3",
    )
    add_folder_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Mine, write the files, print the table."""
    from dugraph import Status, mine_subgraphs
    from dugraph.cli.inputs import class_headings, class_sizes
    from dugraph.cli.ranking import ranked_subgraphs

    source = open_source(options, "mining")
    settings = {name: getattr(options, name) for name in SEARCH_OPTIONS}
    settings["pos_label"] = source.pos_label
    hint_at_unused(settings)
    progress = search_progress("mining", options.progress, _LONG if options.time_limit is None else None)
    result = without_warnings(lambda: mine_subgraphs(source.graphs, source.y, **settings, progress=progress))
    ranked = ranked_subgraphs(result.subgraphs, result.values, source.graphs, source.y, source.pos_label)
    files: list[Path] = []
    left_out: list[str] = []
    if options.output is not None:  # before the table: if its reader is gone, the files must not be lost
        files, left_out = write_mined(options.output, source, settings, result, ranked, options.features)
        files += write_page(options, result.seconds)
    print_ranking(result, ranked, class_headings(source.graphs, source.y, source.pos_label))
    hint_at_ties(result, *class_sizes(source.y, source.pos_label))
    say_written(files, left_out)
    if result.status is Status.OPTIMAL:
        return ExitCode.DONE
    say(f"dugraph: {result.message}")
    return ExitCode.INTERRUPTED if result.status is Status.INTERRUPTED else ExitCode.LIMIT_REACHED


def write_mined(
    folder: str | os.PathLike[str],
    source: "Source",
    settings: dict[str, Any],
    result: "MiningResult",
    ranked: "list[RankedSubgraph]",
    features: str = "csv",
) -> tuple[list[Path], list[str]]:
    """Write the folder of a search; see `write_result_folder`."""
    from dugraph.cli.result_files import result_files
    from dugraph.cli.result_folder import write_result_folder
    from dugraph.estimators.fitted_selector import selector_of_result

    selector = None
    if result.subgraphs:
        # Times are left out here too, so that equal runs give equal bytes.
        timeless = dataclasses.replace(result, seconds=0.0, setup_seconds=0.0)
        given = {name: value for name, value in settings.items() if value is not None}
        selector = selector_of_result(source.graphs, source.y, timeless, **given)
    record = result_files(source, folder, settings, result, ranked, features)
    return write_result_folder(folder, source, record, selector, features)


def print_ranking(result: "MiningResult", ranked: "list[RankedSubgraph]", headings: list[str]) -> None:
    """Print the best subgraphs and the account of the search; `headings` call both classes."""
    asked = result.parameters
    method = method_name(asked["measure"], asked["score"])
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency in both classes"
    listed = ranked[:SHOWN_ROWS]
    rows = [
        (s.rank, value, s.frequency_positive, s.frequency_negative, ", ".join(s.edge_names))
        for s, value in zip(listed, value_texts([s.value for s in listed]), strict=True)
    ]
    print_table(title, ("rank", "value", *headings, "edges"), rows)
    if len(ranked) > SHOWN_ROWS:
        print(f"... and {len(ranked) - SHOWN_ROWS} more")
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )
