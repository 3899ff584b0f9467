"""`dugraph mine`: the best subgraphs of a cohort, as a table and as files."""

import argparse
from typing import TYPE_CHECKING

from dugraph.cli.dask_run import add_dask_argument, dask_client
from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import (
    SHOWN_ROWS,
    add_checkpoint_argument,
    add_covariates_argument,
    add_folder_arguments,
    add_phenotype_argument,
    open_source,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.cli.mine_hints import hint_at_ties, hint_at_unused
from dugraph.cli.mine_test import marked, test_cohort
from dugraph.cli.progress import say, search_progress
from dugraph.cli.shard_run import add_shard_argument, say_shard, shard_checkpoint
from dugraph.cli.table import NumberText, print_table, value_texts
from dugraph.exceptions import SearchInterrupted
from dugraph.files.plain_text import escaped
from dugraph.words import BOUNDS, MULTI_CLASS, RANKINGS, SCORES, Status, method_name

if TYPE_CHECKING:
    from dugraph.results import SubgraphRecord

DESCRIPTION = """\
Find the connected subgraphs with the largest measure of their score, exactly.
Labels are two classes; expected HSIC, the default, also takes more groups or a phenotype, and covariates.
Prints a table. With -o, a folder gets results.json, results.csv, results.graphml, BrainNet Viewer files (if
the regions have coordinates), the features of all graphs, model.json for `dugraph transform`, and
config.toml: see docs/results.md. With --test, its subfolder test gets what `dugraph test` writes.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph mine cohort.npz --score hsic --measure expectation --n-subgraphs 10 -o results
  dugraph mine cohort.npz --n-subgraphs 10 --max-correlation 0.5
  dugraph mine cohort.npz --min-expected-frequency 0.1 --checkpoint search.npz -o results
  dugraph mine cohort.npz --shard 3/16 -o shards/3
  dugraph mine cohort.npz --phenotype age --covariates site,sex -o age
  dugraph mine cohort.npz --score frequency_ratio --measure phi_probability --phi 1 --time-limit 60"""

SEARCH_OPTIONS = (
    *("score", "measure", "phi", "quantile", "n_subgraphs", "min_expected_frequency", "max_edges"),
    *("max_correlation", "score_cap", "bound", "pos_label", "multi_class", "covariates", "n_jobs"),
    "time_limit",
)

_LONG = "this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in advance."


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
        help="skip subgraphs that correlate above R with a better one, for subgraphs that complement each "
        "other",
    )
    add(
        "--score-cap",
        type=float,
        metavar="S",
        help="cap scores at S (default: max(1000, largest finite score))",
    )
    add(
        "--bound",
        choices=BOUNDS,
        default="mass",
        help="pruning; changes the work, not the answer (default: mass)",
    )
    add_phenotype_argument(parser, "mine")
    add_covariates_argument(parser)
    add(
        "--multi-class",
        choices=MULTI_CLASS,
        help="compare each of several classes with the rest, by any score and measure",
    )
    add(
        "--test",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="test all subgraphs for significance, as `dugraph test` does by default, with the same "
        "--min-expected-frequency and --max-edges, and mark the significant ones in the list (default: no)",
    )
    add_checkpoint_argument(parser, "search")
    add_shard_argument(parser)
    add_dask_argument(parser)
    add_folder_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Mine, write the files, print the table."""
    from dugraph import LabelledGraphs, mine_subgraphs
    from dugraph.results import record_of

    labelled = LabelledGraphs.of_any if options.multi_class is None else LabelledGraphs.of_groups
    source = open_source(options, "mining", phenotype=options.phenotype, labelled=labelled)
    # The cohort knows its positive class.
    settings = {name: getattr(options, name) for name in SEARCH_OPTIONS if name != "pos_label"}
    hint_at_unused(settings)
    kept = shard_checkpoint(options, source, settings) or options.checkpoint
    # First: what cannot be tested is refused before a long search.
    tested, unfinished = test_cohort(options, source) if options.test else (None, "")
    progress = search_progress("mining", options.progress, _LONG if options.time_limit is None else None)
    with dask_client(options) as client:
        in_parts = {"client": client, "checkpoint": kept, "shard": options.shard}
        try:
            result = without_warnings(
                lambda: mine_subgraphs(source.cohort, **settings, **in_parts, progress=progress)
            )
        except SearchInterrupted as interrupt:  # the best so far are written and shown as after a limit
            result = interrupt.result
    if options.shard is not None:
        say_shard(options, result.message)
        return _exit_code(result.status)
    record = marked(record_of(result, source, settings=settings), tested)
    # Before the table: if its reader is gone, the files must not be lost.
    saved = write_folder(options, record, result.seconds, tested)
    print_ranking(record)
    if tested is not None:
        print(f"\n{escaped(tested.result.message)}")
    hint_at_ties(result, source.cohort)
    say_written(saved)
    if unfinished:
        say(f"dugraph: {unfinished}")
    if not result.success:
        say(f"dugraph: {result.message}")
    return ExitCode.LIMIT_REACHED if result.success and unfinished else _exit_code(result.status)


def _exit_code(status: Status) -> ExitCode:
    ends = {Status.OPTIMAL: ExitCode.DONE, Status.INTERRUPTED: ExitCode.INTERRUPTED}
    return ends.get(status, ExitCode.LIMIT_REACHED)


def print_ranking(record: "SubgraphRecord") -> None:
    """Print the best subgraphs and the account of the search."""
    from dugraph.cli.inputs import class_headings

    result, graphs = record.result, record.cohort.graphs
    method = method_name(record.parameters["measure"], record.parameters["score"])
    listed = record.subgraphs[:SHOWN_ROWS]
    rows = [
        (
            *(s.rank, value, *(s.by_group or [s.frequency]), *_more(record, s.rank)),
            ", ".join(s.edge_names(graphs)),
        )
        for s, value in zip(listed, value_texts([s.value for s in listed]), strict=True)
    ]
    columns = [] if result.contrasts is None else ["class"]
    columns += [] if result.effects is None else [_effect_heading(record)]
    columns += [] if record.p_values is None else ["adjusted p"]
    where = {"classes": "in both classes", "groups": "in each group"}.get(record.cohort.kind, "")
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency {where}".rstrip()
    print_table(title, ("rank", "value", *class_headings(record.cohort), *columns, "edges"), rows)
    if len(result) > SHOWN_ROWS:
        print(f"... and {len(result) - SHOWN_ROWS} more")
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )


def _effect_heading(record: "SubgraphRecord") -> str:
    """What the effect of a subgraph is."""
    adjusted = "adjusted " if record.parameters["covariates"] else ""
    if record.cohort.kind == "classes":
        return f"{adjusted}difference"
    return f"{adjusted}slope per unit of {escaped(record.source.phenotype or 'y')}"


def _more(record: "SubgraphRecord", rank: int) -> list[object]:
    """What else is shown about a subgraph: class, effect, and p-value, a dash if not significant."""
    result = record.result
    cells: list[object] = []
    if result.contrasts is not None:
        cells.append(result.contrasts[rank - 1])
    if result.effects is not None:
        cells.append(NumberText(f"{result.effects[rank - 1]:+.3g}"))
    if record.p_values is not None:
        p = record.p_values[rank - 1]
        cells.append(NumberText("-" if p is None else f"{p:.3g}"))
    return cells
