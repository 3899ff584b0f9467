"""`dugraph evaluate`: the paper's protocol on a cohort file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dugraph
from dugraph import EvaluationResult, LabelledGraphs, RandomSplits, RepeatedFolds
from dugraph.cli.output import ExitCode, print_table, progress, say
from dugraph.cli.run import check_folder, dask_client, open_labelled, without_warnings, write_folder
from dugraph.data.arguments import counted
from dugraph.data.columns import named_columns
from dugraph.data.labels import CLASSES
from dugraph.evaluation.cells import progress_text
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.text import escaped
from dugraph.results import record_of
from dugraph.settings import EvaluateSettings


def evaluate(settings: EvaluateSettings) -> int:
    """Evaluate, write the files, print the table."""
    check_folder(settings)
    column = settings.phenotype
    source = open_labelled(settings, "evaluation")
    classes = column is None and source.cohort.kind == CLASSES
    _refuse_unused(settings, classes)
    result = _evaluate(source.cohort, classes, settings)
    of = f"{escaped(column or result.task)}"
    if classes:
        metrics = "error rate and F1" if settings.like_paper else "error rate, F1 and AUC"
        of = f"{metrics} of {escaped(result.parameters['positive_class'])}"
    elif settings.covariates:
        of += f" beyond {', '.join(map(escaped, settings.covariates))}"
    n = counted(result.n_splits, "split" if classes else "fold")
    title = f"{escaped(Path(settings.data).name)}: {of}{'' if classes else ','} with (rank), mean of {n}"
    record = record_of(result, source, settings=settings.kept_values())
    # Before the table: if the reader of stdout is gone, the files must not be lost.
    files = write_folder(settings, record, title=title).files
    print_table(result.headline(title), *result.table_cells())
    for note in (*(f"{method}: {why}" for method, why in result.skipped.items()), *result.notes):
        say(f"dugraph: {escaped(note)}")
    for path in files:
        say(f"written: {escaped(path)}")
    return ExitCode.DONE if result.proven else ExitCode.LIMIT_REACHED


def _refuse_unused(settings: EvaluateSettings, classes: bool) -> None:
    """Raise an InputError for options that do not apply to the labels."""
    for name in settings.unused(classes):
        if getattr(settings, name) == settings.options()[name].default:
            continue
        if classes:
            why = "only with --phenotype COLUMN, which is not given. Leave it out, or name the column."
        elif name in settings.of_classes:
            why = "to two classes, not to --phenotype or other labels. Leave it out."
        else:
            why = (
                "to random splits, but a phenotype is predicted in repeated folds. Use --n-folds and "
                "--n-repeats."
            )
        raise InputError(f"--{name.replace('_', '-')} applies {why}")


def _evaluate(cohort: LabelledGraphs, classes: bool, settings: EvaluateSettings) -> EvaluationResult:
    # Splits and folds are arguments of the splitter.
    elsewhere = {*settings.unused(classes), *settings.of_random_splits, *settings.of_folds} - {"covariates"}
    asked = {name: value for name, value in settings.arguments().items() if name not in elsewhere}
    column, seed = settings.phenotype, settings.random_state
    data: tuple[Any, ...] = (cohort,)
    if classes:
        asked["cv"] = RandomSplits(settings.n_splits, settings.test_size, settings.stratify, seed)
    else:
        folds = {name: getattr(settings, name) for name in ("n_folds", "n_repeats")}
        given = {name: value for name, value in folds.items() if value is not None}
        asked["cv"] = RepeatedFolds(**given, random_state=seed)
        y = cohort.y
        if column in (cohort.graphs.participants or {}):
            y = named_columns([column], "phenotype", cohort.graphs)[column]
        # A column of two numbers is a phenotype, and one of two words names groups.
        asked["task"] = "phenotype" if y.dtype.kind in "iuf" and settings.target != "groups" else "groups"
        data = (cohort.graphs, y)
    asked["cache"] = Path(settings.output) / "cache"
    asked["progress"] = progress("evaluating", settings.progress, progress_text, quiet=0.0)

    def work() -> EvaluationResult:
        with dask_client(settings) as client:
            return dugraph.evaluate(*data, **asked, client=client)

    try:
        return without_warnings(work, reported_later=(FewerSubgraphsWarning, LimitReachedWarning))
    except InputError as error:
        named = column is not None and error.parameter == "y"
        raise (error.renamed("phenotype") if named else error) from error
