"""`dugraph mine` and `dugraph merge`: the best subgraphs of a cohort, and the shards of a job array."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dugraph
from dugraph import LabelledGraphs, MiningResult, UncertainGraphs
from dugraph.cli.options import in_flags
from dugraph.cli.output import (
    LONG,
    SHOWN_ROWS,
    ExitCode,
    NumberText,
    print_table,
    progress,
    say,
    value_texts,
)
from dugraph.cli.run import (
    check_folder,
    class_headings,
    dask_client,
    open_source,
    say_shard,
    say_written,
    shard_checkpoint,
    without_warnings,
    write_folder,
)
from dugraph.exceptions import SearchInterrupted, UnfinishedTestError
from dugraph.files.atomic import make_folder
from dugraph.files.text import escaped
from dugraph.results import SubgraphRecord, TestRecord, record_of
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.shards import SHARD_FILE, merge_shards, read_shard_run
from dugraph.search.distribution import scores_of
from dugraph.search.progress import progress_line
from dugraph.settings import MergeSettings, MineSettings
from dugraph.significance import testing
from dugraph.words import MEASURES, Status, method_name

_LONG = "this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in advance."
_MANY = 25  # frequent edges: subsets by the million
_NEAR = 1e-12  # of 1: rounding error
_TIES = "chosen and ordered only by the tie rule, fewer edges first"
# Those of the search that the test of --test shares.
_SHARED = ("covariates", "min_expected_frequency", "max_edges", "n_jobs", "time_limit")
_OPEN = "checkpoint.npz"
_NO_TIME = 1e-9  # seconds: a merged search stops after its first part


def mine(settings: MineSettings) -> int:
    """Mine, write the files, print the table."""
    source = open_source(settings, "mining", as_groups=settings.multi_class is not None)
    _hint_at_unused(settings)
    _hint_at_certain_edges(settings, source.cohort.graphs)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    # First: what cannot be tested is refused before a long search.
    tested, unfinished = _test(settings, source) if settings.test else (None, "")
    hint = _LONG if settings.time_limit is None else None
    show = progress("mining", settings.progress, progress_line, hint=hint)
    with dask_client(settings) as client:
        asked = {**settings.arguments(), "client": client, "checkpoint": checkpoint, "shard": settings.shard}
        try:
            result = without_warnings(lambda: dugraph.mine_subgraphs(source.cohort, **asked, progress=show))
        except SearchInterrupted as interrupt:  # the best so far are written and shown as after a limit
            result = interrupt.result
    if settings.shard is not None:
        say_shard(settings, result.message)
        return _exit_code(result.status)
    record: SubgraphRecord = record_of(result, source, settings=settings.kept_values())
    if tested is not None:  # of the same subgraphs
        significant = zip(tested.result.subgraphs, tested.result.p_values.tolist(), strict=True)
        p_values = dict(significant)
        record = dataclasses.replace(record, p_values=[p_values.get(one.edges) for one in record.subgraphs])
    # Before the table: if its reader is gone, the files must not be lost.
    saved = write_folder(settings, record, result.seconds, tested)
    _print_ranking(record)
    if tested is not None:
        print(f"\n{escaped(tested.result.message)}")
    _hint_at_ties(result, source.cohort)
    say_written(saved)
    if unfinished:
        say(f"dugraph: {unfinished}")
    if not result.success:
        say(f"dugraph: {result.message}")
    return ExitCode.LIMIT_REACHED if result.success and unfinished else _exit_code(result.status)


def _exit_code(status: Status) -> ExitCode:
    ends = {Status.OPTIMAL: ExitCode.DONE, Status.INTERRUPTED: ExitCode.INTERRUPTED}
    return ends.get(status, ExitCode.LIMIT_REACHED)


def _print_ranking(record: SubgraphRecord) -> None:
    """Print the best subgraphs and the account of the search."""
    result, graphs, kind = record.result, record.cohort.graphs, record.cohort.kind
    shown = record.subgraphs[:SHOWN_ROWS]
    heads = ["rank", "value", *class_headings(record.cohort)]
    columns: list[Sequence[object]] = [[s.rank for s in shown], value_texts([s.value for s in shown])]
    columns += zip(*(s.by_group or [s.frequency] for s in shown), strict=True)
    if result.contrasts is not None:
        heads.append("class")
        columns.append(result.contrasts)
    if result.effects is not None:
        effect = f"slope per unit of {escaped(record.source.phenotype or 'y')}"
        effect = "difference" if kind == "classes" else effect
        heads.append(f"adjusted {effect}" if record.parameters["covariates"] else effect)
        columns.append([NumberText(f"{one:+.3g}") for one in result.effects])
    if record.p_values is not None:
        heads.append("adjusted p")
        columns.append([NumberText("-" if p is None else f"{p:.3g}") for p in record.p_values])
    names = [", ".join(s.edge_names(graphs)) for s in shown]
    method = method_name(record.parameters["measure"], record.parameters["score"])
    where = {"classes": "in both classes", "groups": "in each group"}.get(kind, "")
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency {where}".rstrip()
    n = len(shown)
    print_table(title, (*heads, "edges"), list(zip(*(one[:n] for one in columns), names, strict=True)))
    if len(result) > SHOWN_ROWS:
        print(f"... and {len(result) - SHOWN_ROWS} more")
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )


def _test(settings: MineSettings, source: CohortRef) -> tuple[TestRecord | None, str]:
    """Test the subgraphs that are admitted to the search; if a time limit prevents it, return the reason."""
    shared = {name: getattr(settings, name) for name in _SHARED}
    show = progress("testing", settings.progress, testing.progress_line, hint=LONG)
    try:
        result = without_warnings(
            lambda: dugraph.significant_subgraphs(source.cohort, **shared, progress=show)
        )
    except UnfinishedTestError as error:
        return None, in_flags(error.sentence, settings.options())
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


def _hint_at_certain_edges(settings: MineSettings, graphs: UncertainGraphs) -> None:
    """Warn before the search if it may not end: with certain edges, larger subgraphs need not be rarer."""
    if settings.max_edges is not None or not ((graphs.edge_probability % 1) == 0).all():
        return
    n_frequent = int((graphs.edge_means > settings.min_expected_frequency).sum())
    if n_frequent >= _MANY:
        say(
            f"dugraph: all edges are certain (0 or 1), and {n_frequent} occur in more than "
            f"{settings.min_expected_frequency:g} of the graphs. All connected sets of edges that enough "
            "graphs share are admitted, which may be astronomically many. If the search does not end, add "
            "--max-edges 3 or raise --min-expected-frequency; in Python, a larger binarize_at of "
            "SubgraphSelector leaves fewer edges."
        )


def _hint_at_ties(result: MiningResult, cohort: LabelledGraphs) -> None:
    """Report how many listed values are 0, or that all are 1, so that their order is arbitrary."""
    asked, n = result.parameters, len(result)
    zeros = sum(value == 0 for value in result.values)
    by_phi = asked["measure"] == "phi_probability" and cohort.kind == "classes"
    if zeros:
        which = f"{zeros} of the {n}" if zeros < n else f"all {n}" if n > 1 else "all"
        reach = ""
        if by_phi:
            reach = f" phi is {asked['phi']:g}, {_largest(asked, cohort)}. Choose a smaller --phi."
        say(f"dugraph: {which} listed values are 0, {_TIES}.{reach}")
    elif by_phi and n > 1 and all(value >= 1 - _NEAR for value in result.values):
        say(
            f"dugraph: all {n} listed values are 1, {_TIES}. Their scores are certain to reach phi = "
            f"{asked['phi']:g}; {_largest(asked, cohort)}. Choose a larger --phi."
        )


def _largest(asked: dict[str, Any], cohort: LabelledGraphs) -> str:
    n_pos, n_neg = cohort.n_pos, cohort.n_neg
    largest = scores_of(asked["score"], n_pos, n_neg, asked["score_cap"]).largest
    return f"the largest {asked['score']} that {n_pos} and {n_neg} graphs can have is {largest:.4g}"


def merge(settings: MergeSettings) -> int:
    """Merge the checkpoints, then run the command from the merged one."""
    from dugraph.cli.commands import COMMANDS

    began = read_shard_run(settings.shards[0], settings.data)
    command: Any = COMMANDS[began.command]
    data, output = str(began.source.path), settings.output
    whole = command.settings.of({**began.settings, "data": data, "output": output, "report": settings.report})
    check_folder(whole)
    checkpoint = make_folder(output) / _OPEN
    merged = merge_shards([Path(folder) / SHARD_FILE for folder in settings.shards], checkpoint)
    limit = None if merged.is_done else _NO_TIME
    code = command.run(dataclasses.replace(whole, checkpoint=str(checkpoint), time_limit=limit))
    if code == ExitCode.DONE:
        checkpoint.unlink()
    return int(code)
