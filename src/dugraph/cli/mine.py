"""`dugraph mine`: the best subgraphs of a cohort, as a table and as files."""

import argparse
import warnings
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.progress import clear_line, say, search_progress
from dugraph.cli.table import print_table
from dugraph.cli.wording import escaped, method_name
from dugraph.exceptions import InputError, LimitReachedWarning

if TYPE_CHECKING:
    from dugraph import MiningResult
    from dugraph.cli.ranking import RankedSubgraph

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

# Written out, since reading them from the package would load NumPy for --help. A test compares them.
SCORES = ("confidence", "frequency_ratio", "g_test", "hsic", "information_gain")
MEASURES = ("expectation", "median", "quantile", "mode", "phi_probability", "frequency")
BOUNDS = ("frequency", "worldwise", "mass")
SEARCH_OPTIONS = (
    *("score", "measure", "phi", "quantile", "n_subgraphs", "min_expected_frequency", "max_edges"),
    *("max_correlation", "score_cap", "bound", "pos_label", "n_jobs", "time_limit", "node_limit"),
)
SHOWN_ROWS = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: the words of `dugraph.mine_subgraphs`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add("--score", choices=SCORES, default="hsic", help="score function (default: hsic)")
    add("--measure", choices=MEASURES, default="expectation", help="default: expectation")
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
    add("--pos-label", metavar="CLASS", help="the positive class (default: the greater in sorted order)")
    add("--n-jobs", type=int, default=1, metavar="N", help="threads, -1 for all processors (default: 1)")
    add("--time-limit", type=float, metavar="SECONDS", help="then give the best so far and exit with 3")
    add("--node-limit", type=int, metavar="N", help="the same after N admitted subgraphs")
    add(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="show progress on stderr (default: if it is a terminal)",
    )
    add("--config", metavar="FILE.toml", help="defaults for these flags, e.g. a line n_subgraphs = 10")
    add(
        "--features",
        choices=("csv", "parquet", "none"),
        default="csv",
        help="form of the containment probabilities of all graphs (default: csv)",
    )
    add(
        "--report",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="write FOLDER/report.html too, a page to look at (default: no)",
    )
    add("-o", "--output", metavar="FOLDER", help="write the results into it; see above")


def run(options: argparse.Namespace) -> int:
    """Mine, print the table, write the files."""
    from dugraph import Status
    from dugraph.cli.classes import class_headings, class_of, labelled_cohort
    from dugraph.cli.ranking import ranked_subgraphs
    from dugraph.cli.result_files import file_digest
    from dugraph.data.atomic import make_folder
    from dugraph.io.feature_table import check_table_format

    if options.report and options.output is None:
        raise InputError("--report needs a folder to write into, but there is none. Add -o FOLDER.")
    if options.output is not None:
        # Now: after a long search it would be too late to learn that it cannot be.
        make_folder(options.output)
        if options.features != "none":
            check_table_format(options.features)
    graphs, y = labelled_cohort(options.data, "mining needs")
    digest = file_digest(options.data)
    settings = {name: getattr(options, name) for name in SEARCH_OPTIONS}
    settings["pos_label"] = class_of(options.pos_label, graphs, y)
    result = _mine(graphs, y, settings, options.progress)
    ranked = ranked_subgraphs(result, graphs, y, settings["pos_label"])
    print_ranking(result, ranked, class_headings(graphs, y, settings["pos_label"]))
    if options.output is not None:
        from dugraph.cli.result_folder import write_result_folder

        files, left_out = write_result_folder(
            options.output, options.data, digest, graphs, y, settings, result, ranked, options.features
        )
        for line in [*(f"written: {path}" for path in files), *left_out]:
            say(escaped(line))
    if options.report:
        from dugraph import write_report

        page = write_report(options.output, data=options.data, seconds=result.seconds)
        say(f"written: {escaped(page)}")
    if result.status is Status.OPTIMAL:
        return ExitCode.DONE
    say(f"dugraph: {result.message}")
    return ExitCode.INTERRUPTED if result.status is Status.INTERRUPTED else ExitCode.LIMIT_REACHED


def _mine(graphs: Any, y: Any, settings: dict[str, Any], progress: bool | None) -> "MiningResult":
    from dugraph import mine_subgraphs

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = mine_subgraphs(graphs, y, **settings, progress=search_progress("mining", progress))
        finally:
            clear_line()
    for warning in caught:
        # A limit is told at the end, beside the exit code that goes with it.
        if not issubclass(warning.category, LimitReachedWarning):
            say(f"dugraph: {escaped(warning.message)}")
    return result


def print_ranking(result: "MiningResult", ranked: "list[RankedSubgraph]", headings: list[str]) -> None:
    """Print the best subgraphs and the account of the search; `headings` call both classes."""
    asked = result.parameters
    method = method_name(asked["measure"], asked["score"])
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency in both classes"
    rows = [
        (s.rank, s.value, s.frequency_positive, s.frequency_negative, ", ".join(s.edge_names))
        for s in ranked[:SHOWN_ROWS]
    ]
    print_table(title, ("rank", "value", *headings, "edges"), rows)
    if len(ranked) > SHOWN_ROWS:
        print(f"... and {len(ranked) - SHOWN_ROWS} more")
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )
