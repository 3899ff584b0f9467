"""`dugraph evaluate`: the paper's protocol on a cohort file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dugraph
from dugraph import EvaluationResult, LabelledGraphs, RandomSplits, RepeatedFolds
from dugraph.cli.output import ExitCode, print_table, progress, say
from dugraph.cli.run import check_folder, computed, dask_client, finish, open_labelled
from dugraph.data.arguments import counted
from dugraph.data.columns import named_columns
from dugraph.data.labels import CLASSES
from dugraph.evaluation.cells import progress_text
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.text import escaped
from dugraph.results import record_of
from dugraph.settings import EvaluateSettings
from dugraph.words import and_joined

_MOST_COLUMNS = 8  # of the printed table: three metrics for two numbers of subgraphs


def evaluate(settings: EvaluateSettings) -> int:
    """Evaluate, write the files, print the table."""
    check_folder(settings)
    source = open_labelled(settings, "evaluation")
    classes = settings.phenotype is None and source.cohort.kind == CLASSES
    _refuse_unused(settings, classes)
    result = _evaluate(source.cohort, classes, settings)
    title = _title(settings, result, classes)
    record = record_of(result, source, settings=settings.kept_values())

    def table() -> None:
        _print_result(result, title)
        for note in (*(f"{method}: {why}" for method, why in result.skipped.items()), *result.notes):
            say(f"dugraph: {note}")

    finish(settings, record, table, title=title)
    return ExitCode.DONE if result.proven else ExitCode.LIMIT_REACHED


def _title(settings: EvaluateSettings, result: EvaluationResult, classes: bool) -> str:
    if classes:
        metrics = "error rate and F1" if settings.like_paper else "error rate, F1 and AUC"
        what = f"{metrics} of {result.parameters['positive_class']} with (rank)"
        splits = counted(result.n_splits, "split")
    else:
        beyond = f" beyond {and_joined(settings.covariates)}" if settings.covariates else ""
        what = f"{settings.phenotype or result.task}{beyond}, with (rank)"
        splits = counted(result.n_splits, "fold")
    return escaped(f"{Path(settings.data).name}: {what}, mean of {splits}")


def _print_result(result: EvaluationResult, title: str) -> None:
    """Print the table; if it is wide, only for the largest number of subgraphs."""
    heads, rows = result.table_cells()
    *others, _ = sorted(result.n_subgraphs)
    left_out = {f"t={t}" for t in others} if len(heads) > _MOST_COLUMNS else set()
    kept = [k for k, head in enumerate(heads) if head.rpartition(" ")[2] not in left_out]
    cells = [[row[k] for k in kept] for row in rows]
    print_table(result.headline(title), [heads[k] for k in kept], cells)
    if left_out:
        print(f"t={and_joined(map(str, others))}: see table.md")


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

    return computed(work, reported_later=(FewerSubgraphsWarning, LimitReachedWarning))
