"""`dugraph evaluate` of a phenotype or of groups: a column of the participants, or labels of the cohort."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dugraph.cli.dask_run import dask_client
from dugraph.cli.evaluate import show_evaluation
from dugraph.cli.folder_run import without_warnings, write_folder
from dugraph.cli.progress import cell_progress
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.plain_text import escaped

if TYPE_CHECKING:
    from dugraph import EvaluationResult
    from dugraph.results.source import Source

# Those that both protocols know, and those of this one.
_SHARED = ("methods", "n_subgraphs", "groups", "max_edges", "time_limit", "random_state", "n_jobs")
_OWN = ("covariates", "n_folds", "n_repeats", "min_expected_frequency")
_OF_CLASSES = ("phi", "node_limit", "like_paper", "regions", "pos_label")


def run_phenotype(options: argparse.Namespace, source: "Source", folder: Path) -> int:
    """Evaluate, write the files, print the table."""
    from dugraph import evaluate_phenotype
    from dugraph.data.participant_columns import named_columns
    from dugraph.data.wording import counted
    from dugraph.results import record_of

    _refuse_of_classes(options)
    column, graphs, y = options.phenotype, source.cohort.graphs, source.cohort.y
    if column is not None:
        y = named_columns([column], "phenotype", graphs)[column]  # where two numbers are still numbers
    settings = {name: getattr(options, name) for name in (*_SHARED, *_OWN)}
    asked = {name: value for name, value in settings.items() if name not in _OWN or value is not None}

    def work() -> "EvaluationResult":
        show = cell_progress("evaluating", options.progress)
        with dask_client(options) as client:
            return evaluate_phenotype(
                graphs, y, **asked, client=client, cache=folder / "cache", progress=show
            )

    try:
        result = without_warnings(work, told_later=(FewerSubgraphsWarning, LimitReachedWarning))
    except InputError as error:
        named = column is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if named else error) from error
    beyond = f" beyond {', '.join(map(escaped, options.covariates))}" if options.covariates else ""
    title = (
        f"{escaped(Path(options.data).name)}: {escaped(column or result.task)}{beyond}, with (rank), mean of "
        f"{counted(result.n_splits, 'fold')}"
    )
    record = record_of(result, source, settings=settings)
    # Before the table: if its reader is gone, the files must not be lost.
    return show_evaluation(result, title, write_folder(options, record, title=title).files)


def _refuse_of_classes(options: argparse.Namespace) -> None:
    for name in _OF_CLASSES:
        if getattr(options, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} applies to two classes, not to --phenotype or other labels. "
                "Leave it out."
            )
    for name in ("n_splits", "test_size", "stratify"):
        if getattr(options, name) != options.parser.get_default(name):
            raise InputError(
                f"--{name.replace('_', '-')} applies to random splits, but a phenotype is predicted in "
                "repeated folds. Use --n-folds and --n-repeats."
            )
