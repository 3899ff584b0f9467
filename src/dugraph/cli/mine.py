"""`dugraph mine`, `sparse`, `evaluate` and `merge`: the best subgraphs, models of them, merged shards."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dugraph
from dugraph import (
    EvaluationResult,
    LabelledGraphs,
    MiningResult,
    RandomSplits,
    RepeatedFolds,
    SparseSubgraphClassifier,
    SparseSubgraphRegressor,
)
from dugraph.cli.output import (
    LONG,
    SHOWN_ROWS,
    ExitCode,
    numbers,
    print_table,
    progress,
    say,
    value_texts,
)
from dugraph.cli.program import COMMANDS, in_flags, run
from dugraph.cli.run import call, check_folder, checkpoint_of, finish, open_source, say_shard
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.columns import named_columns
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.evaluation.cells import progress_text
from dugraph.exceptions import (
    FewerSubgraphsWarning,
    InputError,
    LimitReachedWarning,
    SearchInterrupted,
    Setting,
)
from dugraph.files.atomic import make_folder
from dugraph.files.text import escaped
from dugraph.results import SubgraphRecord, TestRecord, record_of
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.shards import SHARD_FILE, merge_shards, read_shard_run
from dugraph.search.limits import progress_line
from dugraph.search.result import more_rows
from dugraph.settings import EvaluateSettings, MergeSettings, MineSettings, SparseSettings
from dugraph.significance import testing
from dugraph.sparse.path import path_line
from dugraph.words import LOSSES, MEASURES, SQUARED, Status, and_joined, method_name

_LONG = "this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in advance."
_NEAR = 1e-12  # of 1: rounding error
_TIES = "so they are chosen and ordered only by the tie rule (fewer edges first)"
# The options of the search that the test of --test shares.
_SHARED = ("covariates", "min_expected_frequency", "max_edges", "n_jobs", "time_limit")
_OPEN = "checkpoint.npz"
_NO_TIME = 1e-9  # seconds: a merged search stops after its first part
Column = tuple[str, Sequence[Any]]  # of a table: its head and cells
_MOST_COLUMNS = 8  # of the table of an evaluation: three metrics for two numbers of subgraphs


def mine(settings: MineSettings) -> int:
    """Mine, write the files, print the table."""
    source = open_source(settings, "mining", as_groups=settings.multi_class is not None)
    _hint_at_unused(settings)
    asked = {**settings.arguments(), "checkpoint": checkpoint_of(settings, source), "shard": settings.shard}
    # First: what cannot be tested is refused before a long search.
    tested, unfinished = _test(settings, source) if settings.test else (None, "")
    hint = _LONG if settings.time_limit is None else None
    asked["progress"] = progress("mining", settings.progress, progress_line, hint=hint)
    try:
        result = call(dugraph.mine_subgraphs, source.cohort, dask=settings.dask, **asked)
    except SearchInterrupted as interrupt:  # the best so far are written and shown as after a limit
        result = interrupt.result
    ends = {Status.OPTIMAL: ExitCode.DONE, Status.INTERRUPTED: ExitCode.INTERRUPTED}
    code = ends.get(result.status, ExitCode.LIMIT_REACHED)
    if settings.shard is not None:
        say_shard(settings, result.message)
        return code
    record: SubgraphRecord = record_of(result, source, settings=settings.kept_values())
    if tested is not None:  # of the same subgraphs
        p_values = dict(zip(tested.result.subgraphs, tested.result.p_values.tolist(), strict=True))
        record = dataclasses.replace(record, p_values=[p_values.get(one.edges) for one in record.subgraphs])

    def tables() -> None:
        _print_mined(record)
        if tested is not None:
            print(f"\n{escaped(tested.result.message)}")
        _hint_at_ties(result, source.cohort)

    finish(settings, record, tables, result.seconds, test=tested)
    for note in (unfinished, "" if result.success else result.message):
        if note:
            say(f"dugraph: {note}")
    return ExitCode.LIMIT_REACHED if result.success and unfinished else code


def _print_mined(record: SubgraphRecord) -> None:
    """Print the best subgraphs and the account of the search."""
    result, kind = record.result, record.cohort.kind
    columns: list[Column] = [("value", value_texts([one.value for one in record.subgraphs[:SHOWN_ROWS]]))]
    columns += _frequencies(record)
    if result.contrasts is not None:
        columns.append(("class", result.contrasts))
    if result.effects is not None:
        slope = f"slope per unit of {record.source.phenotype or 'y'}"
        effect = "difference" if kind == CLASSES else slope
        adjusted = "adjusted " if record.parameters["covariates"] else ""
        columns.append((f"{adjusted}{effect}", numbers(result.effects, "+.3g")))
    if record.p_values is not None:
        columns.append(("adjusted p", numbers(record.p_values, ".3g")))
    method = method_name(record.parameters["measure"], record.parameters["score"])
    where = {CLASSES: " in both classes", GROUPS: " in each group"}.get(kind, "")
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency{where}"
    _print_subgraphs(title, columns, record)
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )


def _frequencies(record: SubgraphRecord) -> list[Column]:
    """The columns of the groups: two classes by name, or by role if names are numbers."""
    cohort, shown = record.cohort, record.subgraphs[:SHOWN_ROWS]
    names = [abbreviate(name) for name in (cohort.names if cohort.kind == CLASSES else cohort.group_names)]
    if cohort.kind == CLASSES and not all(any(map(str.isalpha, name)) for name in cohort.names):
        names = ["positive", "negative"]
    if not shown:
        return [(name, ()) for name in names or ["frequency"]]
    values = zip(*(one.by_group or [one.frequency] for one in shown), strict=True)
    return list(zip(names or ["frequency"], values, strict=True))


def _print_subgraphs(title: str, columns: Sequence[Column], record: SubgraphRecord) -> None:
    """Print the first subgraphs with their ranks and edges."""
    shown = record.subgraphs[:SHOWN_ROWS]
    heads = ("rank", *(head for head, _ in columns), "edges")
    rows = [
        (one.rank, *(values[k] for _, values in columns), ", ".join(one.edge_names(record.cohort.graphs)))
        for k, one in enumerate(shown)
    ]
    print_table(title, heads, rows, more_rows(len(record.subgraphs), SHOWN_ROWS))


def _test(settings: MineSettings, source: CohortRef) -> tuple[TestRecord | None, str]:
    """Test the subgraphs that are admitted to the search; if a time limit prevents it, return the reason."""
    shared = {name: getattr(settings, name) for name in _SHARED}
    show = progress("testing", settings.progress, testing.progress_line, hint=LONG)
    try:
        result = call(dugraph.significant_subgraphs, source.cohort, **shared, progress=show)
    except InputError as error:
        if not isinstance(error.__cause__, TimeoutError):
            raise
        return None, in_flags(error, settings.options())
    given = {name: getattr(settings, name) for name in ("phenotype", "target", "where")}
    return record_of(result, source, settings={**shared, **given}), ""


def _hint_at_unused(settings: MineSettings) -> None:
    """Report a parameter that was given for a measure other than the one that ranks."""
    for measure, words in MEASURES.items():
        name = words.parameter
        if name is None or measure == settings.measure:
            continue
        value = getattr(settings, name)
        if value != settings.options()[name].default:
            say(
                f"dugraph: --{name} {value:g} does not affect a ranking by {settings.measure}. "
                f"Add --measure {measure} to rank by it."
            )


def _hint_at_ties(result: MiningResult, cohort: LabelledGraphs) -> None:
    """Report how many listed values are 0, or that all are 1, so that their order is arbitrary."""
    asked, n = result.parameters, len(result)
    zeros = sum(value == 0 for value in result.values)
    by_phi = asked["measure"] == "phi_probability" and cohort.kind == CLASSES
    if zeros:
        which = f"{zeros} of the {n}" if zeros < n else f"all {n}" if n > 1 else "all"
        remedy = f" phi is {asked['phi']:g}. Choose a smaller --phi." if by_phi else ""
        say(f"dugraph: {which} listed values are 0, {_TIES}.{remedy}")
    elif by_phi and n > 1 and all(value >= 1 - _NEAR for value in result.values):
        say(f"dugraph: all {n} listed values are 1, {_TIES}. phi is {asked['phi']:g}. Choose a larger --phi.")


# ---------------------------------------------------------------- sparse


def sparse(settings: SparseSettings) -> int:
    """Fit, write the files, print the table."""
    source = open_source(settings, "a fit")
    cohort = source.cohort
    model = _model(settings, cohort)
    given = (cohort,) if cohort.kind == CLASSES else (cohort.graphs, cohort.y)
    begin = time.perf_counter()
    call(model.fit, *given)
    seconds = time.perf_counter() - begin
    record: SubgraphRecord = record_of(model, source, settings=settings.kept_values())

    def tables() -> None:
        (_print_models if record.models else _print_model)(record, seconds)
        if not record.subgraphs:
            say(
                "dugraph: at this penalty the model uses no subgraph, so all graphs get the same answer. "
                "Lower --alpha, or ask for a number with --n-nonzero."
            )

    finish(settings, record, tables, seconds)
    if record.proof["success"]:
        return ExitCode.DONE
    say(f"dugraph: {record.proof['message']}")
    return ExitCode.LIMIT_REACHED


def _model(
    settings: SparseSettings, cohort: LabelledGraphs
) -> SparseSubgraphClassifier | SparseSubgraphRegressor:
    """Return the unfitted estimator for these labels."""
    asked = settings.arguments()
    if settings.alpha is None and settings.n_nonzero is None:
        asked["alpha"] = "cv"
    asked["progress"] = progress("fitting", settings.progress, path_line)
    loss, is_phenotype = asked.pop("loss"), cohort.kind == PHENOTYPE
    if loss is not None and (loss == SQUARED) != is_phenotype:
        what = "continuous phenotypes" if loss == SQUARED else "classes"
        there = {PHENOTYPE: "continuous", GROUPS: counted(len(cohort.classes), "group")}
        labels = f" is for {what}, but the labels are {there.get(cohort.kind, 'two classes')}."
        raise _inapplicable(Setting("loss", loss), labels)
    if not is_phenotype:
        return SparseSubgraphClassifier(**asked, loss=loss or LOSSES[0])
    if asked.pop("class_weight") is not None:
        raise _inapplicable(Setting("class_weight"), " is for classes, but the labels are continuous.")
    return SparseSubgraphRegressor(**asked)


def _inapplicable(given: Setting, why: str) -> InputError:
    name = given.parameter
    return InputError((given, why), parameter=name, way_out=("Leave ", Setting(name), " out."))


def _print_model(record: SubgraphRecord, seconds: float) -> None:
    model, cohort = record.result, record.cohort
    n = counted(len(record.subgraphs), "subgraph")
    sides = f"favour {cohort.names[0]}; expected frequency in both classes" if cohort.kind == CLASSES else ""
    if cohort.kind == PHENOTYPE:
        sides = f"predict a larger {record.source.phenotype or 'phenotype'}; expected frequency in all graphs"
    title = f"{n} at the penalty {model.alpha_:.4g}; positive coefficients {sides}"
    coefficients = [f"{one.value:+.4g}" for one in record.subgraphs[:SHOWN_ROWS]]
    _print_subgraphs(title, [("coefficient", coefficients), *_frequencies(record)], record)
    _print_covariates([(name, _signed(value)) for name, value in record.covariates], ["coefficient"])
    print(
        f"{model.model_.status.value} in {seconds:.2f} s: penalty {model.alpha_:.6g}, objective "
        f"{model.objective_:.6g}, duality gap {model.duality_gap_:.2g}, {n}; all admitted subgraphs were "
        f"searched {counted(model.n_searches_, 'time')}"
    )


def _print_models(record: SubgraphRecord, seconds: float) -> None:
    """Print the models of several groups, each against the rest."""
    models = record.models
    names = [abbreviate(one.group) for one in models]
    title = (
        f"{counted(len(record.subgraphs), 'subgraph')}; positive coefficients favour a group over the rest"
    )
    columns = [[_signed(value) for value in one.coefficients] for one in models]
    _print_subgraphs(title, list(zip(names, columns, strict=True)), record)
    of_groups = zip(*(one.covariates for one in models), strict=True)
    covariates = [(same[0][0], *(_signed(value) for _, value in same)) for same in of_groups]
    _print_covariates(covariates, names)
    if not covariates:
        print()
    proven = zip(
        names,
        numbers((one.alpha for one in models), ".4g"),
        [sum(value != 0 for value in one.coefficients) for one in models],
        numbers((one.objective for one in models), ".6g"),
        numbers((one.duality_gap for one in models), ".2g"),
        strict=True,
    )
    heads = ("group", "penalty", "subgraphs", "objective", "gap")
    print_table("one model for each group", heads, list(proven))
    print(
        f"\n{record.proof['status']} in {seconds:.2f} s; all admitted subgraphs were searched "
        f"{counted(record.counters['n_searches'], 'time')}"
    )


def _signed(value: float) -> str:
    # Empty for a group whose model does not use the subgraph.
    return f"{value:+.4g}" if value else ""


def _print_covariates(rows: list[Any], headings: list[str]) -> None:
    if rows:
        # Further rows, such as those of many sites, are in the folder.
        print()
        print_table("covariates (not penalised)", ("covariate", *headings), rows[:SHOWN_ROWS])
        print()


# ---------------------------------------------------------------- evaluate


def evaluate(settings: EvaluateSettings) -> int:
    """Evaluate, write the files, print the table."""
    source = open_source(settings, "evaluation")
    cohort, path = source.cohort, Path(settings.data)
    classes = settings.phenotype is None and cohort.kind == CLASSES
    _refuse_unused(settings, classes)
    # Splits and folds are arguments of the splitter.
    elsewhere = {*settings.unused(classes), *settings.of_random_splits, *settings.of_folds} - {"covariates"}
    asked = {name: value for name, value in settings.arguments().items() if name not in elsewhere}
    data: tuple[Any, ...] = (cohort,)
    if classes:
        splits = (settings.n_splits, settings.test_size, settings.stratify, settings.random_state)
        asked["cv"] = RandomSplits(*splits)
    else:
        folds = {"n_folds": settings.n_folds, "n_repeats": settings.n_repeats}
        given = {name: value for name, value in folds.items() if value is not None}
        asked["cv"] = RepeatedFolds(**given, random_state=settings.random_state)
        y, column = cohort.y, settings.phenotype
        if column in (cohort.graphs.participants or {}):
            y = named_columns([column], "phenotype", cohort.graphs)[column]
        # A column of two numbers is a phenotype, and one of two words names groups.
        asked["task"] = "phenotype" if y.dtype.kind in "iuf" and settings.target != "groups" else "groups"
        data = (cohort.graphs, y)
    asked["cache"] = Path(settings.output) / "cache"
    asked["progress"] = progress("evaluating", settings.progress, progress_text, quiet=0.0)
    later = (FewerSubgraphsWarning, LimitReachedWarning)
    result = call(dugraph.evaluate, *data, dask=settings.dask, reported_later=later, **asked)
    title = escaped(f"{path.name}: {_measured(settings, result, classes)}")
    record = record_of(result, source, settings=settings.kept_values())

    def table() -> None:
        _print_evaluation(result, title)
        for note in (*(f"{method}: {why}" for method, why in result.skipped.items()), *result.notes):
            say(f"dugraph: {note}")

    finish(settings, record, table, title=title)
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


def _measured(settings: EvaluateSettings, result: EvaluationResult, classes: bool) -> str:
    if classes:
        metrics = "error rate and F1" if settings.like_paper else "error rate, F1 and AUC"
        splits = counted(result.n_splits, "split")
        return f"{metrics} of {result.parameters['positive_class']} with (rank), mean of {splits}"
    beyond = f" beyond {and_joined(settings.covariates)}" if settings.covariates else ""
    folds = counted(result.n_splits, "fold")
    return f"{settings.phenotype or result.task}{beyond}, with (rank), mean of {folds}"


def _print_evaluation(result: EvaluationResult, title: str) -> None:
    """Print the table; if it is wide, only for the largest number of subgraphs."""
    heads, rows = result.table_cells()
    *others, _ = sorted(result.n_subgraphs)
    left_out = {f"t={t}" for t in others} if len(heads) > _MOST_COLUMNS else set()
    kept = [k for k, head in enumerate(heads) if head.rpartition(" ")[2] not in left_out]
    print_table(result.headline(title), [heads[k] for k in kept], [[row[k] for k in kept] for row in rows])
    if left_out:
        print(f"t={and_joined(map(str, others))}: see table.md")


# ---------------------------------------------------------------- merge


def merge(settings: MergeSettings) -> int:
    """Merge the checkpoints, then run the command from the merged one."""
    began = read_shard_run(settings.shards[0], settings.data)
    again = {"data": str(began.source.path), "output": settings.output, "report": settings.report}
    whole: Any = COMMANDS[began.command].of({**began.settings, **again})
    check_folder(whole)
    checkpoint = make_folder(settings.output) / _OPEN
    merged = merge_shards([Path(folder) / SHARD_FILE for folder in settings.shards], checkpoint)
    limit = None if merged.is_done else _NO_TIME
    code = run(dataclasses.replace(whole, checkpoint=str(checkpoint), time_limit=limit))
    if code == ExitCode.DONE:
        checkpoint.unlink()
    return code
