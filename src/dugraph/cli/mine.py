"""`dugraph mine`, `sparse` and `merge`: the best subgraphs, a sparse model, merged shards."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dugraph
from dugraph import LabelledGraphs, MiningResult, SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.cli.output import (
    LONG,
    SHOWN_ROWS,
    ExitCode,
    NumberText,
    print_more,
    print_table,
    progress,
    say,
    value_texts,
)
from dugraph.cli.program import in_flags, run
from dugraph.cli.run import (
    check_folder,
    class_headings,
    computed,
    dask_client,
    finish,
    open_source,
    say_shard,
    shard_checkpoint,
)
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError, SearchInterrupted, Setting
from dugraph.files.atomic import make_folder
from dugraph.files.text import escaped
from dugraph.results import SubgraphRecord, TestRecord, record_of
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.shards import SHARD_FILE, merge_shards, read_shard_run
from dugraph.search.limits import progress_line
from dugraph.settings import MergeSettings, MineSettings, SparseSettings
from dugraph.significance import testing
from dugraph.sparse.path import path_line
from dugraph.words import LOSSES, MEASURES, SQUARED, Status, method_name

_LONG = "this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in advance."
_NEAR = 1e-12  # of 1: rounding error
_TIES = "chosen and ordered only by the tie rule, fewer edges first"
# The options of the search that the test of --test shares.
_SHARED = ("covariates", "min_expected_frequency", "max_edges", "n_jobs", "time_limit")
_OPEN = "checkpoint.npz"
_NO_TIME = 1e-9  # seconds: a merged search stops after its first part


def mine(settings: MineSettings) -> int:
    """Mine, write the files, print the table."""
    source = open_source(settings, "mining", as_groups=settings.multi_class is not None)
    _hint_at_unused(settings)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    # First: what cannot be tested is refused before a long search.
    tested, unfinished = _test(settings, source) if settings.test else (None, "")
    hint = _LONG if settings.time_limit is None else None
    show = progress("mining", settings.progress, progress_line, hint=hint)
    with dask_client(settings) as client:
        asked = {**settings.arguments(), "client": client, "checkpoint": checkpoint, "shard": settings.shard}
        try:
            result = computed(lambda: dugraph.mine_subgraphs(source.cohort, **asked, progress=show))
        except SearchInterrupted as interrupt:  # the best so far are written and shown as after a limit
            result = interrupt.result
    if settings.shard is not None:
        say_shard(settings, result.message)
        return _exit_code(result.status)
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
    return ExitCode.LIMIT_REACHED if result.success and unfinished else _exit_code(result.status)


def _exit_code(status: Status) -> ExitCode:
    ends = {Status.OPTIMAL: ExitCode.DONE, Status.INTERRUPTED: ExitCode.INTERRUPTED}
    return ends.get(status, ExitCode.LIMIT_REACHED)


def _print_mined(record: SubgraphRecord) -> None:
    """Print the best subgraphs and the account of the search."""
    result, kind = record.result, record.cohort.kind
    shown = record.subgraphs[:SHOWN_ROWS]
    heads = ["value", *class_headings(record.cohort)]
    columns: list[Sequence[object]] = [value_texts([s.value for s in shown])]
    columns += zip(*(s.by_group or [s.frequency] for s in shown), strict=True)
    if result.contrasts is not None:
        heads.append("class")
        columns.append(result.contrasts)
    if result.effects is not None:
        slope = f"slope per unit of {record.source.phenotype or 'y'}"
        effect = "difference" if kind == CLASSES else slope
        heads.append(f"adjusted {effect}" if record.parameters["covariates"] else effect)
        columns.append([NumberText(f"{one:+.3g}") for one in result.effects])
    if record.p_values is not None:
        heads.append("adjusted p")
        columns.append([NumberText("-" if p is None else f"{p:.3g}") for p in record.p_values])
    method = method_name(record.parameters["measure"], record.parameters["score"])
    where = {CLASSES: " in both classes", GROUPS: " in each group"}.get(kind, "")
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency{where}"
    n = len(shown)
    _print_subgraphs(title, heads, list(zip(*(one[:n] for one in columns), strict=True)), record)
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )


def _print_subgraphs(
    title: str, heads: Sequence[str], values: Sequence[Sequence[object]], record: SubgraphRecord
) -> None:
    """Print the first subgraphs with their ranks and edges."""
    shown = record.subgraphs[:SHOWN_ROWS]
    names = (", ".join(s.edge_names(record.cohort.graphs)) for s in shown)
    rows = [(s.rank, *cells, name) for s, cells, name in zip(shown, values, names, strict=True)]
    print_table(title, ("rank", *heads, "edges"), rows)
    print_more(len(record.subgraphs))


def _test(settings: MineSettings, source: CohortRef) -> tuple[TestRecord | None, str]:
    """Test the subgraphs that are admitted to the search; if a time limit prevents it, return the reason."""
    shared = {name: getattr(settings, name) for name in _SHARED}
    show = progress("testing", settings.progress, testing.progress_line, hint=LONG)
    try:
        result = computed(lambda: dugraph.significant_subgraphs(source.cohort, **shared, progress=show))
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
    computed(lambda: model.fit(*given))
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
    values = [(f"{s.value:+.4g}", *(s.by_group or [s.frequency])) for s in record.subgraphs[:SHOWN_ROWS]]
    _print_subgraphs(title, ("coefficient", *class_headings(cohort)), values, record)
    _print_covariates([(name, _signed(value)) for name, value in record.covariates], ["coefficient"])
    print(
        f"{model.model_.status.value} in {seconds:.2f} s: penalty {model.alpha_:.6g}, objective "
        f"{model.objective_:.6g}, duality gap {model.duality_gap_:.2g}, {n}; all admitted subgraphs were "
        f"searched {counted(model.n_searches_, 'time')}"
    )


def _print_models(record: SubgraphRecord, seconds: float) -> None:
    """Print the models of several groups, each against the rest."""
    models, n = record.models, len(record.subgraphs)
    names = [abbreviate(one.group) for one in models]
    title = f"{counted(n, 'subgraph')}; positive coefficients favour a group against the rest"
    values = [[_signed(one.coefficients[k]) for one in models] for k in range(min(n, SHOWN_ROWS))]
    _print_subgraphs(title, names, values, record)
    of_groups = zip(*(one.covariates for one in models), strict=True)
    covariates = [(same[0][0], *(_signed(value) for _, value in same)) for same in of_groups]
    _print_covariates(covariates, names)
    if not covariates:
        print()
    proven = [
        (
            name,
            NumberText(f"{one.alpha:.4g}"),
            sum(value != 0 for value in one.coefficients),
            NumberText(f"{one.objective:.6g}"),
            NumberText(f"{one.duality_gap:.2g}"),
        )
        for name, one in zip(names, models, strict=True)
    ]
    print_table("one model for each group", ("group", "penalty", "subgraphs", "objective", "gap"), proven)
    print(
        f"\n{record.proof['status']} in {seconds:.2f} s; all admitted subgraphs were searched "
        f"{counted(record.counters['n_searches'], 'time')}"
    )


def _signed(value: float) -> str:
    # Empty for a group whose model does not use the subgraph.
    return NumberText(f"{value:+.4g}" if value else "")


def _print_covariates(rows: list[Any], headings: list[str]) -> None:
    if rows:
        # Further rows, such as those of many sites, are in the folder.
        print()
        print_table("covariates (not penalised)", ("covariate", *headings), rows[:SHOWN_ROWS])
        print()


# ---------------------------------------------------------------- merge


def merge(settings: MergeSettings) -> int:
    """Merge the checkpoints, then run the command from the merged one."""
    from dugraph.cli.program import COMMANDS

    began = read_shard_run(settings.shards[0], settings.data)
    data, output = str(began.source.path), settings.output
    command: Any = COMMANDS[began.command]
    whole = command.of({**began.settings, "data": data, "output": output, "report": settings.report})
    check_folder(whole)
    checkpoint = make_folder(output) / _OPEN
    merged = merge_shards([Path(folder) / SHARD_FILE for folder in settings.shards], checkpoint)
    limit = None if merged.is_done else _NO_TIME
    code = run(dataclasses.replace(whole, checkpoint=str(checkpoint), time_limit=limit))
    if code == ExitCode.DONE:
        checkpoint.unlink()
    return code
