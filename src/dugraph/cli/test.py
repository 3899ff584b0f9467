"""`dugraph test`: which connected subgraphs really differ, as tables and as files."""

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from dugraph.cli.dask_run import add_dask_argument, dask_client
from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import (
    SHOWN_ROWS,
    add_checkpoint_argument,
    add_covariates_argument,
    add_phenotype_argument,
    add_run_arguments,
    check_folder,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.cli.lists import words
from dugraph.cli.progress import test_progress
from dugraph.cli.shard_run import add_shard_argument, say_shard, shard_checkpoint
from dugraph.cli.table import NumberText, print_table
from dugraph.exceptions import InputError, ShardDone, UnfinishedTestError
from dugraph.files.plain_text import escaped
from dugraph.words import ALTERNATIVES, PERMUTE, STATISTICS

if TYPE_CHECKING:
    from dugraph import SignificanceResult, UncertainGraphs
    from dugraph.results import SavedFiles
    from dugraph.results.source import Source

DESCRIPTION = """\
Test all connected subgraphs at once: which of them really differ between the classes?
Permutes labels; the probability of listing any subgraph that does not differ is at most --alpha.
Prints tables. With -o, a folder gets results.json, results.csv, null_maxima.csv, config.toml, and
results.graphml and BrainNet Viewer files of the subgraphs that share no edge: see docs/significance.md.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph test cohort.npz -o test
  dugraph test cohort.npz --blocks site --covariates age,sex --report -o test
  dugraph test cohort.npz --phenotype age --blocks site -o age"""

TEST_OPTIONS = (
    *("blocks", "covariates", "statistic", "alternative", "n_permutations", "alpha", "size_classes"),
    *("step_down", "permute", "min_expected_frequency", "max_edges", "random_state", "n_jobs", "time_limit"),
)
_LONG = "this may take a while. A larger --min-expected-frequency or a smaller --max-edges makes it shorter."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: the words of `dugraph.significant_subgraphs`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add_phenotype_argument(parser, "test")
    add(
        "--blocks",
        type=words,
        metavar="COLUMNS",
        help="exchange labels only among graphs that agree in these columns: site, or site,sex (default: "
        "among all)",
    )
    add_covariates_argument(parser)
    add(
        "--statistic",
        choices=STATISTICS,
        default="z",
        help="the difference over its standard deviation (z), the difference itself, or the partial "
        "correlation (default: z)",
    )
    add(
        "--alternative",
        choices=ALTERNATIVES,
        default="two-sided",
        help="find only subgraphs with a positive effect (greater) or a negative one (less) (default: both)",
    )
    add("--n-permutations", type=int, default=999, metavar="N", help="permutations (default: 999)")
    add("--alpha", type=float, default=0.05, metavar="P", help="family-wise error (default: 0.05)")
    add(
        "--size-classes",
        type=int,
        default=4,
        metavar="K",
        help="separate thresholds for subgraphs of 1, 2, ..., and K or more edges (default: 4)",
    )
    add(
        "--step-down",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="leave out significant subgraphs and test again until nothing new is found (default: no)",
    )
    add(
        "--permute",
        choices=PERMUTE,
        default="within",
        help="permute labels within blocks, or the labels of whole blocks, for repeated scans (default: "
        "within)",
    )
    add(
        "--min-expected-frequency",
        type=float,
        default=0.1,
        metavar="F",
        help="test subgraphs above this expected frequency (default: 0.1)",
    )
    add("--max-edges", type=int, metavar="N", help="only subgraphs of at most N edges (default: any)")
    add("--random-state", type=int, default=0, metavar="SEED", help="seed of the permutations (default: 0)")
    add_checkpoint_argument(parser, "test")
    add_shard_argument(parser)
    add_dask_argument(parser)
    add_run_arguments(parser, "then give up and exit with 1: an unfinished test has no p-values")


def run(options: argparse.Namespace) -> int:
    """Test, write the files, print the tables and the claim."""
    if options.phenotype is not None and options.pos_label is not None:
        raise InputError(
            "--pos-label names one of the two classes, but --phenotype tests something else. Leave one of "
            "them out."
        )
    check_folder(options)
    graphs, source = _open(options)
    settings = {name: getattr(options, name) for name in TEST_OPTIONS}
    kept = shard_checkpoint(options, source, settings)
    try:
        with dask_client(options) as client:
            in_parts = {"client": client, "checkpoint": kept or options.checkpoint}
            result = _test(graphs, source, options, {**settings, **in_parts})
    except ShardDone as done:
        say_shard(options, str(done))
        return ExitCode.DONE
    # Before the tables: if their reader is gone, the files must not be lost.
    saved = _write(options, result, source, settings)
    print_significant(result)
    say_written(saved)
    return ExitCode.DONE


def _open(options: argparse.Namespace) -> tuple["UncertainGraphs", "Source | None"]:
    """The graphs, and their source with two classes where these are tested or a folder is written."""
    from dugraph import LabelledGraphs, load_cohort
    from dugraph.results.source import cohort_source

    if options.phenotype is not None and options.output is None:
        return load_cohort(options.data)[0], None
    labelled = LabelledGraphs.of_any
    if options.phenotype is None:
        source = cohort_source(options.data, "a test needs", options.pos_label, labelled=labelled)
        return source.cohort.graphs, source
    try:  # the folder tells about the classes of the cohort too, where it has two
        source = cohort_source(options.data, "a folder of results needs", options.pos_label)
    except InputError:
        source = cohort_source(options.data, "", phenotype=options.phenotype, labelled=labelled)
    return source.cohort.graphs, source


def _test(
    graphs: "UncertainGraphs", source: "Source | None", options: argparse.Namespace, settings: dict[str, Any]
) -> "SignificanceResult":
    from dugraph import significant_subgraphs
    from dugraph.results.source import phenotype_column

    column = options.phenotype
    given: tuple[Any, ...] = (source.cohort,) if source else ()
    if column is not None:
        given = (graphs, phenotype_column(graphs, column))
    progress = test_progress("testing", options.progress, _LONG)
    try:
        result = without_warnings(
            lambda: significant_subgraphs(*given, **settings, shard=options.shard, progress=progress)
        )
    except ShardDone:
        raise
    except UnfinishedTestError as error:
        raise error.sentence from error
    except InputError as error:
        raise (error.renamed("phenotype") if error.parameter == "y" else error) from error
    if column is None or result.parameters["labels"] != "phenotype":
        return result
    return dataclasses.replace(result, contrasts=[f"per unit of {escaped(column)}"] * len(result))


def _write(
    options: argparse.Namespace,
    result: "SignificanceResult",
    source: "Source | None",
    settings: dict[str, Any],
) -> "SavedFiles":
    from dugraph.results import SavedFiles, record_of

    if source is None:
        return SavedFiles([], [])
    record = record_of(result, source, settings={**settings, "phenotype": options.phenotype})
    return write_folder(options, record, result.seconds)


def print_significant(result: "SignificanceResult", n_rows: int = SHOWN_ROWS) -> None:
    """Print the significant subgraphs, what each size needed, and the claim.

    Parameters
    ----------
    result : SignificanceResult
    n_rows : int
        Subgraphs to show.
    """
    from dugraph.significance.result import CLASS_HEADS, class_rows

    n_tested = int(result.n_admitted.sum())
    title = f"{len(result):,} of {n_tested:,} subgraphs are significant at {result.parameters['alpha']:g}"
    if len(result):
        several = len(set(result.contrasts)) > 1
        heads = ("rank", "adjusted p", "effect", "95 % bootstrap", "", "edges")
        effect = result.contrasts[0]
        print_table(
            f"{title}; effect: {effect if not several else 'a group against the rest'}",
            (*heads[:2], *(["contrast"] if several else []), *heads[2:]),
            [_row(result, k, several) for k in range(min(len(result), n_rows))],
        )
        more = f"... and {len(result) - n_rows} more\n" if len(result) > n_rows else ""
        print(f"{more}* shares no edge with any * above. Bootstrap intervals are descriptive.\n")
    rows = [(name, *map(NumberText, numbers)) for name, *numbers in class_rows(result)]
    print_table("what each size needed" if len(result) else title, CLASS_HEADS, rows)
    print(f"\n{escaped(result.message)}")


def _row(result: "SignificanceResult", k: int, several: bool) -> tuple[object, ...]:
    low, high = result.effect_intervals[k]
    return (
        *(k + 1, NumberText(f"{result.p_values[k]:.3g}")),
        *([result.contrasts[k]] if several else []),
        *(NumberText(f"{result.effects[k]:+.3g}"), f"{low:+.3g} to {high:+.3g}"),
        *("*" if result.representative[k] else "", result.naming.subgraph_name(result.subgraphs[k])[1:-1]),
    )
