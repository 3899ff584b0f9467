"""`dugraph evaluate`: the paper's protocol on a cohort file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.dask_run import add_dask_argument, dask_client
from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import check_folder, without_warnings, write_folder
from dugraph.cli.lists import number_or_by_name, whole_numbers, words
from dugraph.cli.progress import cell_progress, say
from dugraph.cli.table import print_table
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.plain_text import escaped
from dugraph.words import PAPER_DATASETS

if TYPE_CHECKING:
    from dugraph import EvaluationResult, LabelledGraphs

DESCRIPTION = """\
Compare methods as the paper does: random 80/20 splits, features mined in the training graphs, a linear SVM.
Prints a table of error rates, F1 and ranks. The folder gets table.csv, table.md, table.tex, every single
value in results.csv, times in timings.csv and the settings in config.toml. Finished parts are kept in
FOLDER/cache: the same command resumes an interrupted run and ends with the same bytes.
With --phenotype, or with labels other than two classes, methods are compared in repeated folds: numbers by
correlation, R2 and mean absolute error, groups by macro F1 and balanced accuracy.
A method without features in some split has no mean and no rank. Messages on stderr report this, fewer
subgraphs than requested, and results that a limit left unproven (~ in the table)."""
EXAMPLE = """\
  dugraph evaluate cohort.npz --methods exp-hsic,exp-hsic+div,med-confidence,comparisons -o evaluation
  dugraph evaluate cohort.npz --methods sparse,sparse-own,l1-edges,l1-edges-own -o evaluation
  dugraph evaluate cohort.npz --like-paper adhd --methods all --n-jobs 2 -o evaluation
  dugraph evaluate cohort.npz --phenotype age --covariates site,sex --methods exp-hsic,cpm -o age"""

# Settings for config.toml, for two classes and otherwise.
OPTIONS = (
    *("methods", "n_subgraphs", "n_splits", "test_size", "stratify", "groups"),
    *("min_expected_frequency", "phi", "max_edges", "time_limit", "like_paper", "regions"),
    *("pos_label", "random_state", "n_jobs"),
)
FOLD_OPTIONS = (
    *("methods", "n_subgraphs", "groups", "max_edges", "time_limit", "random_state", "n_jobs"),
    *("covariates", "n_folds", "n_repeats", "min_expected_frequency"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: those of `dugraph.evaluate`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add(
        "--methods",
        type=words,
        default=["all"],
        metavar="NAMES",
        help="names separated by commas: those in the paper's tables, such as exp-hsic; with +div appended, "
        "for subgraphs that complement each other (correlation at most 0.5); sparse (the subgraphs of the "
        "sparse classifier), sparse-own (its own decisions), l1-edges and l1-edges-own (the same with single "
        "edges), all-edges, "
        "select-k-best; or paper, comparisons, all (default: all). With --phenotype: exp-hsic, sparse, "
        "l1-edges, all-edges, select-k-best, and for numbers cpm and elastic-net",
    )
    add(
        "--phenotype", metavar="COLUMN", help="predict this column of the participants instead of the classes"
    )
    add(
        "--covariates",
        type=words,
        metavar="COLUMNS",
        help="with --phenotype: adjust for these columns in each training fold: site,sex (default: none)",
    )
    add("--n-folds", type=int, metavar="N", help="with --phenotype: folds (default: 5)")
    add(
        "--n-repeats",
        type=int,
        metavar="N",
        help="with --phenotype: how often to draw the folds (default: 20)",
    )
    add(
        "--n-subgraphs",
        type=whole_numbers,
        default=[100, 200, 300, 400, 500],
        metavar="NUMBERS",
        help="numbers of features to compare (default: 100,200,300,400,500)",
    )
    add("--n-splits", type=int, default=20, metavar="N", help="random splits (default: 20)")
    add(
        "--test-size",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="share of graphs for testing (default: 0.2)",
    )
    add(
        "--stratify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep the class proportions in both parts (default: yes)",
    )
    add(
        "--groups",
        metavar="COLUMN",
        help="column of participants, such as site, whose groups are never split between training and "
        "testing; --test-size is then a share of the groups",
    )
    add(
        "--min-expected-frequency",
        type=float,
        metavar="F",
        help="admit subgraphs above this expected frequency (default: 0.2, or that of --like-paper)",
    )
    add(
        "--phi",
        type=number_or_by_name,
        help="for the phi methods: a number, or by score hsic=0.03,g_test=200 (default: the paper's)",
    )
    add("--max-edges", type=int, metavar="N", help="only subgraphs of at most N edges (default: any)")
    add("--time-limit", type=float, metavar="SECONDS", help="per search; exit with 3 if one reaches it")
    add(
        "--like-paper",
        choices=PAPER_DATASETS,
        help="the paper's min_sup of 20, 40, 40 %%; for adhd 100 + 100 graphs are drawn",
    )
    add(
        "--regions",
        type=int,
        metavar="N",
        help="keep only the first N nodes; 90 keeps the cerebral regions of AAL-116",
    )
    add("--pos-label", metavar="CLASS", help="the positive class (default: the last in sorted order)")
    add("--random-state", type=int, default=0, metavar="SEED", help="seed (default: 0)")
    add("--n-jobs", type=int, default=1, metavar="N", help="processes, -1 for all processors (default: 1)")
    add_dask_argument(parser)
    add(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="show progress on stderr (default: if it is a terminal)",
    )
    add("--config", metavar="FILE.toml", help="defaults for these flags")
    add(
        "--report",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="also write FOLDER/report.html, to open in a browser (default: no)",
    )
    add("-o", "--output", required=True, metavar="FOLDER", help="where to write")


def run(options: argparse.Namespace) -> int:
    """Evaluate, write the files, print the table."""
    from dugraph import LabelledGraphs
    from dugraph.data.phenotype import CLASSES
    from dugraph.data.wording import counted
    from dugraph.results import record_of
    from dugraph.results.source import cohort_source

    check_folder(options)
    folder = Path(options.output)
    column, labelled = options.phenotype, LabelledGraphs.of_any
    source = cohort_source(
        options.data, "evaluation needs", options.pos_label, phenotype=column, labelled=labelled
    )
    classes = column is None and source.cohort.kind == CLASSES
    _refuse_unused(options, classes)
    result = _evaluate(source.cohort, classes, folder, options)
    name = escaped(Path(options.data).name)
    if classes:
        scored = escaped(result.parameters["positive_class"])
        title = f"{name}: error rate and F1 of {scored} with (rank), mean of "
        title += counted(result.n_splits, "split")
    else:
        beyond = f" beyond {', '.join(map(escaped, options.covariates))}" if options.covariates else ""
        title = f"{name}: {escaped(column or result.task)}{beyond}, with (rank), mean of "
        title += counted(result.n_splits, "fold")
    settings = {option: getattr(options, option) for option in (OPTIONS if classes else FOLD_OPTIONS)}
    record = record_of(result, source, settings=settings)
    # Before the table: if the reader of stdout is gone, the files must not be lost.
    files = write_folder(options, record, title=title).files
    print_table(result.headline(title), *result.table_cells())
    for note in (*(f"{method}: {why}" for method, why in result.skipped.items()), *result.notes):
        say(f"dugraph: {escaped(note)}")
    for path in files:
        say(f"written: {escaped(path)}")
    return ExitCode.DONE if result.proven else ExitCode.LIMIT_REACHED


def _refuse_unused(options: argparse.Namespace, classes: bool) -> None:
    """Raise an InputError for options that do not apply to the labels."""
    refused = (
        {
            "--{} applies only with --phenotype COLUMN, which is not given. Leave it out, or name the "
            "column.": ("covariates", "n_folds", "n_repeats")
        }
        if classes
        else {
            "--{} applies to two classes, not to --phenotype or other labels. Leave it out.": (
                *("phi", "like_paper", "regions", "pos_label"),
            ),
            "--{} applies to random splits, but a phenotype is predicted in repeated folds. Use --n-folds "
            "and --n-repeats.": ("n_splits", "test_size", "stratify"),
        }
    )
    for sentence, names in refused.items():
        for name in names:
            if getattr(options, name) != options.parser.get_default(name):
                raise InputError(sentence.format(name.replace("_", "-")))


def _evaluate(
    cohort: "LabelledGraphs", classes: bool, folder: Path, options: argparse.Namespace
) -> "EvaluationResult":
    from dugraph import RandomSplits, RepeatedFolds, evaluate
    from dugraph.data.participant_columns import named_columns

    names = ("methods", "n_subgraphs", "groups", "min_expected_frequency", "max_edges", "time_limit")
    asked = {name: getattr(options, name) for name in (*names, "random_state", "n_jobs")}
    column, seed = options.phenotype, options.random_state
    if classes:
        asked |= {name: getattr(options, name) for name in ("phi", "like_paper", "regions")}
        asked["cv"] = RandomSplits(options.n_splits, options.test_size, options.stratify, seed)
        data: tuple[Any, ...] = (cohort,)
    else:
        folds = {name: getattr(options, name) for name in ("n_folds", "n_repeats")}
        given = {name: value for name, value in folds.items() if value is not None}
        asked |= {"covariates": options.covariates, "cv": RepeatedFolds(**given, random_state=seed)}
        y = cohort.y
        if column is not None:
            y = named_columns([column], "phenotype", cohort.graphs)[column]
        # A column of two numbers is a phenotype, and one of two words names groups.
        asked["task"] = "phenotype" if y.dtype.kind in "iuf" else "groups"
        data = (cohort.graphs, y)

    def work() -> "EvaluationResult":
        show = cell_progress("evaluating", options.progress)
        with dask_client(options) as client:
            return evaluate(*data, **asked, client=client, cache=folder / "cache", progress=show)

    try:
        return without_warnings(work, told_later=(FewerSubgraphsWarning, LimitReachedWarning))
    except InputError as error:
        named = column is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if named else error) from error
