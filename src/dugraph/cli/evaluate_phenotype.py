"""`dugraph evaluate --phenotype`: methods compared on a column of the participants."""

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

# Those that both protocols know, and those of this one.
_SHARED = ("methods", "n_subgraphs", "groups", "max_edges", "time_limit", "random_state", "n_jobs")
_OWN = ("covariates", "n_folds", "n_repeats", "min_expected_frequency")
_OF_CLASSES = ("phi", "node_limit", "like_paper", "regions", "pos_label")


def run_phenotype(options: argparse.Namespace, folder: Path) -> int:
    """Evaluate, write the files, print the table."""
    from dugraph import LabelledGraphs, evaluate_phenotype
    from dugraph.data.participant_columns import named_columns
    from dugraph.data.wording import counted
    from dugraph.results import record_of
    from dugraph.results.source import cohort_source

    _refuse_of_classes(options)
    column = options.phenotype
    source = cohort_source(options.data, "", phenotype=column, labelled=LabelledGraphs.of_any)
    graphs = source.cohort.graphs
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
        raise (error.renamed("phenotype") if error.parameter == "y" else error) from error
    beyond = f" beyond {', '.join(map(escaped, options.covariates))}" if options.covariates else ""
    title = (
        f"{escaped(Path(options.data).name)}: {escaped(column)}{beyond}, with (rank), mean of "
        f"{counted(result.n_splits, 'fold')}"
    )
    record = record_of(result, source, settings=settings)
    # Before the table: if its reader is gone, the files must not be lost.
    return show_evaluation(result, title, write_folder(options, record, title=title).files)


def _refuse_of_classes(options: argparse.Namespace) -> None:
    for name in _OF_CLASSES:
        if getattr(options, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} is about two classes, not for --phenotype. Leave it out."
            )
    for name in ("n_splits", "test_size", "stratify"):
        if getattr(options, name) != options.parser.get_default(name):
            raise InputError(
                f"--{name.replace('_', '-')} is about random splits, but a phenotype is forecast in repeated "
                "folds. Use --n-folds and --n-repeats."
            )
