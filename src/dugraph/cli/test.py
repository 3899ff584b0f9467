"""`dugraph test`, `plan` and `replicate`: test all connected subgraphs, plan this, repeat it."""

from __future__ import annotations

import dataclasses
import datetime
import os
import sys
import time
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any, TypeVar

import dugraph
from dugraph import LabelledGraphs, PowerResult, ReplicationResult, SignificanceResult, UncertainGraphs
from dugraph.cli.cohort import suggestion
from dugraph.cli.output import LONG, SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import (
    check_folder,
    dask_client,
    open_source,
    say_shard,
    say_written,
    shard_checkpoint,
    without_warnings,
    write_folder,
)
from dugraph.data.arguments import counted
from dugraph.data.where import select_participants
from dugraph.exceptions import InputError, ShardDone, UnfinishedTestError
from dugraph.files.atomic import atomic_file
from dugraph.files.text import escaped
from dugraph.results import SavedFiles, record_of
from dugraph.results.cohort_ref import CohortRef, full_input, open_cohort, open_second_cohort
from dugraph.results.load import OWN_REPLICATION, load_discovery
from dugraph.results.plan import Plan, check_plan, make_plan, read_plan, shown_setting
from dugraph.results.records import replicated_record, tested_record, versions_record
from dugraph.search.admitted import admitted_table, count_admitted, suggested_limit
from dugraph.settings import PlanSettings, ReplicateSettings, TestSettings
from dugraph.significance.permutations import check_alpha_reachable
from dugraph.significance.result import CLASS_HEADS, class_rows, interval_text, irreducible_order
from dugraph.significance.statistics import n_size_classes
from dugraph.significance.testing import check_alpha, progress_line
from dugraph.words import NONE

Result = TypeVar("Result")
Tested = TypeVar("Tested", SignificanceResult, ReplicationResult)


def test(settings: TestSettings) -> int:
    """Test, write the files, print the tables and the claim."""
    if settings.phenotype is not None and settings.pos_label is not None:
        raise InputError(
            "--pos-label names one of the two classes, but --phenotype tests something else. Leave one of "
            "them out."
        )
    cohort, source = _open(settings)
    plan_to_follow = _read_plan(settings, cohort.graphs)
    if plan_to_follow is None:
        _hint_at_limit(settings, cohort.graphs)
    if settings.holdout is not None:
        return _find_and_replicate(settings, cohort, source, plan_to_follow)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    in_parts = {"checkpoint": checkpoint, "shard": settings.shard}
    try:
        with dask_client(settings) as client:
            result = _run(dugraph.significant_subgraphs, cohort, settings, client=client, **in_parts)
    except ShardDone as done:
        say_shard(settings, str(done))
        return ExitCode.DONE
    result = _as_planned(_with_slope(result, settings), plan_to_follow)
    # Before the tables: if their reader is gone, the files must not be lost.
    saved = SavedFiles([], [])
    if source is not None:
        record = record_of(result, source, settings=settings.kept_values())
        saved = write_folder(settings, _with_plan(record, plan_to_follow), result.seconds)
    print_significant(result)
    say_written(saved)
    return ExitCode.DONE


def _open(settings: TestSettings) -> tuple[LabelledGraphs, CohortRef | None]:
    """The cohort to test, and its description for the folder."""
    source = open_source(settings, "a test")
    if settings.phenotype is None or settings.output is None:
        return source.cohort, source if settings.phenotype is None else None
    needed, where = "a folder of results needs", settings.where
    try:  # the folder describes the classes of the cohort too, if it has two
        return source.cohort, open_cohort(settings.data, needed, settings.pos_label, where=where)
    except InputError:
        return source.cohort, source


def _run(work: Callable[..., Result], cohort: LabelledGraphs, settings: TestSettings, **asked: Any) -> Result:
    """Call a function with the cohort and the settings; its errors are phrased in terms of flags."""
    show = progress("testing", settings.progress, progress_line, hint=LONG)
    try:
        return without_warnings(lambda: work(cohort, **settings.arguments(), **asked, progress=show))
    except ShardDone:
        raise
    except UnfinishedTestError as error:
        raise error.sentence from error
    except InputError as error:
        raise (error.renamed("phenotype") if error.parameter == "y" else error) from error


def _with_slope(result: Tested, settings: TestSettings) -> Tested:
    """The result with slopes named by the column of the phenotype."""
    if settings.phenotype is None or result.parameters["labels"] != "phenotype":
        return result
    slope = f"per unit of {escaped(settings.phenotype)}"
    return dataclasses.replace(result, contrasts=[slope] * len(result))


def _with_plan(record: Any, followed: Plan | None) -> Any:
    return dataclasses.replace(record, plan=followed.reference if followed else None)


def _find_and_replicate(
    settings: TestSettings, cohort: LabelledGraphs, source: CohortRef | None, followed: Plan | None
) -> int:
    """Test one part of the cohort and confirm in the other; both folders are written in one step."""
    if settings.shard is not None:
        raise InputError("--holdout tests two parts of a cohort, which a shard cannot do. Leave out --shard.")
    asked = {"checkpoint": settings.checkpoint, "holdout": _share(settings.holdout)}
    with dask_client(settings) as client:
        result = _run(dugraph.find_and_replicate, cohort, settings, client=client, **asked)
    found = _as_planned(_with_slope(result.discovery, settings), followed)
    result = _with_slope(dataclasses.replace(result, discovery=found), settings)
    saved = SavedFiles([], [])
    if source is not None and settings.output is not None:
        mask: Any = result.holdout
        first = source.part(~mask)
        record = _with_plan(tested_record(found, first, settings.kept_values()), followed)
        known = full_input(first, Path(settings.output) / OWN_REPLICATION)
        second = replicated_record(result, source, {"phenotype": settings.phenotype}, known)
        saved = write_folder(settings, record, found.seconds, replication=second)
    print_significant(found)
    print()
    print_replication(result)
    say_written(saved)
    return ExitCode.DONE


def _share(text: str | None) -> Any:
    """A share of graphs, or a condition."""
    try:
        return float(text or "")
    except ValueError:
        if text and any(sign in text for sign in ("=", "<", ">", " in ")):
            return text
        raise InputError(
            "--holdout must be the share of graphs to hold out, such as 0.5, or a condition on the "
            f"participants, such as \"site == 'NYU'\", but is {text!r}."
        ) from None


def _hint_at_limit(settings: TestSettings, graphs: UncertainGraphs) -> None:
    """Name the suggested limit before the test, if the default one leaves out most pairs of edges."""
    limit = settings.min_expected_frequency
    if limit == settings.options()["min_expected_frequency"].default:
        table = admitted_table(graphs, 2)
        if suggested_limit(table) < limit:
            say(f"dugraph: {suggestion(table)}; this test uses {limit:g}")


def _read_plan(settings: TestSettings, graphs: UncertainGraphs) -> Plan | None:
    """The plan of the test, if it has one; deviations from it are refused."""
    if settings.plan is None:
        return None
    found = read_plan(settings.plan)
    check_plan(found, settings, graphs)
    for name, version in versions_record().items():
        if found.versions.get(name) != version:
            say(f"dugraph: planned with {name} {escaped(found.versions.get(name))}, tested with {version}")
    return found


def _as_planned(result: SignificanceResult, followed: Plan | None) -> SignificanceResult:
    """The result, whose message also says when it was planned."""
    if followed is None:
        return result
    return dataclasses.replace(result, message=f"{result.message} {followed.sentence}")


def print_significant(result: SignificanceResult, n_rows: int = SHOWN_ROWS) -> None:
    """Print the significant subgraphs, the critical value of each size, and the claim."""
    n_tested = int(result.n_admitted.sum())
    title = f"{len(result):,} of {n_tested:,} subgraphs are significant at {result.parameters['alpha']:g}"
    if len(result):
        several = len(set(result.contrasts)) > 1
        effect = "a group against the rest" if several else result.contrasts[0]
        heads = [*("family", "adjusted p"), *(["contrast"] if several else []), "effect"]
        rows = [_row(result, family, k, several) for family, k in irreducible_order(result)[:n_rows]]
        print_table(f"{title}; effect: {effect}", (*heads, "95 % given selection", "edges"), rows)
        n_irreducible = int(result.irreducible.sum())
        more = f"... and {n_irreducible - n_rows} more\n" if n_irreducible > n_rows else ""
        print(
            f"{more}Irreducible subgraphs: no significant part has a statistic as large. Those of a family "
            "share edges.\n"
        )
    if result.n_blocks > 1:
        n = result.n_informative_blocks
        unchanged = " (permutations leave the others unchanged)" if n < result.n_blocks else ""
        print(f"Informative blocks: {n} of {result.n_blocks}{unchanged}.\n")
    sizes = [(name, *map(NumberText, numbers)) for name, *numbers in class_rows(result)]
    print_table("critical values" if len(result) else title, CLASS_HEADS, sizes)
    print(f"\n{escaped(result.message)}")


def _row(result: SignificanceResult, family: int, k: int, several: bool) -> tuple[object, ...]:
    return (
        *(family, NumberText(f"{result.p_values[k]:.3g}")),
        *([result.contrasts[k]] if several else []),
        *(NumberText(f"{result.effects[k]:+.3g}"), interval_text(result, k)),
        result.naming.subgraph_name(result.subgraphs[k])[1:-1],
    )


# ---------------------------------------------------------------- plan


def today() -> datetime.date:
    """The date of a plan, in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def plan(settings: PlanSettings) -> int:
    """Check the settings against the graphs, write the plan and print it."""
    if os.path.lexists(settings.output):
        raise InputError(
            f"{settings.output}: a plan must be a new file, but this one exists. Choose another name; "
            "plans are not replaced."
        )
    graphs, _ = dugraph.load_cohort(settings.data)
    if settings.where is not None:
        graphs = graphs[select_participants(graphs.participants or {}, settings.where)]
    _check_possible(settings, graphs)
    power = _power(settings, graphs)
    made = make_plan(settings, graphs, Path(settings.data).name, today(), power)
    with atomic_file(settings.output) as file:
        file.write(made.to_toml())
    rows = [(name, shown_setting(made.settings.get(name))) for name in TestSettings.planned()]
    print_table(f"planned on {made.date.isoformat()}", ("setting", "value"), rows)
    _print_tested(settings, graphs)
    if power is not None:
        asked = power.parameters
        positive, negative = asked["frequencies"]
        print(
            f"\nExpected power: {power.power[0]:.2f} for a subgraph of {counted(asked['n_edges'], 'edge')} "
            f"with expected frequencies of {positive:g} and {negative:g} in {power.n_graphs[0]:,} graphs, "
            "without blocks and covariates."
        )
    say(escaped(f"written: {settings.output}"))
    return ExitCode.DONE


def _check_possible(settings: PlanSettings, graphs: UncertainGraphs) -> None:
    """Refuse settings with which no test is possible for any labels."""
    n_classes = n_size_classes(settings.size_classes, settings.max_edges, graphs.n_edges)
    most = sys.maxsize  # how many distinct ones there are depends on the labels
    check_alpha_reachable(check_alpha(settings.alpha), n_classes, settings.n_permutations + 1, most)
    if (settings.n_edges is None) != (settings.frequencies is None):
        raise InputError(
            "--n-edges and --frequencies describe an expected subgraph together, but only one is given. Add "
            "the other, or leave both out."
        )
    if settings.n_edges is not None and settings.statistic != "z":
        raise InputError(
            f"The power is known for --statistic z, but the statistic is {settings.statistic}. Leave out "
            "--n-edges and --frequencies, or plan a test of z."
        )


def _power(settings: PlanSettings, graphs: UncertainGraphs) -> PowerResult | None:
    if settings.n_edges is None or settings.frequencies is None:
        return None
    shared = ("alternative", "alpha", "size_classes", "min_expected_frequency", "max_edges", "random_state")
    return dugraph.power_analysis(
        graphs,
        n_edges=settings.n_edges,
        frequencies=settings.frequencies,  # type: ignore[arg-type]  # their number is checked there
        n_graphs=[graphs.n_graphs],
        positive_share=settings.positive_share,
        progress=progress("testing random labels", None, progress_line),
        **{name: getattr(settings, name) for name in shared},
    )


def _print_tested(settings: PlanSettings, graphs: UncertainGraphs) -> None:
    """Print the number of subgraphs to be tested, which depends on the graphs alone."""
    counts = count_admitted(graphs, settings.min_expected_frequency, min(settings.max_edges or 3, 3))
    rows = [(f"{size} edge{'s' * (size > 1)}", NumberText(count)) for size, count in enumerate(counts, 1)]
    print()
    print_table("connected subgraphs that would be tested", ("size", "number"), rows)
    print(suggestion(admitted_table(graphs, 2)))
    if counts[0].number == 0:
        say(
            "dugraph: no subgraph is frequent enough: the test would have nothing to do. Plan it with a "
            "smaller --min-expected-frequency."
        )


# ---------------------------------------------------------------- replicate


def replicate(settings: ReplicateSettings) -> int:
    """Test the subgraphs in the second cohort, write the files, print the table and the claim."""
    check_folder(settings)
    begin = time.monotonic()
    first = load_discovery(settings.result)
    phenotype = settings.phenotype or first.phenotype
    source = open_second_cohort(settings.data, first.result, phenotype, settings.where)
    settings = _as_in_test(settings, first.result.parameters, source.cohort.graphs.participants or {})
    asked = settings.arguments()
    result = without_warnings(lambda: dugraph.replicate(first.result, source.cohort, **asked))
    if source.shares_graphs(first.input):
        say(
            "dugraph: the second cohort has graphs in which the subgraphs were found, so this confirms "
            "nothing. Take other participants, or find and confirm with `dugraph test --holdout`."
        )
    kept = {**settings.kept_values(), "phenotype": phenotype}
    record = replicated_record(result, source, kept, first.input)
    # Before the table: if its reader is gone, the files must not be lost.
    saved = write_folder(settings, record, time.monotonic() - begin)
    print_replication(result)
    say_written(saved)
    return ExitCode.DONE


def _as_in_test(
    settings: ReplicateSettings, tested: Mapping[str, Any], columns: Container[str]
) -> ReplicateSettings:
    """The settings with the blocks and covariates of the test, unless others, or none, are given."""
    used: dict[str, Any] = {}
    for name in ("blocks", "covariates"):
        given, of_test = getattr(settings, name), tested[name] or []
        if given is not None or not of_test:
            used[name] = None if given == [NONE] else given
            continue
        missing = [one for one in of_test if one not in columns]
        used[name] = None if missing else list(of_test)
        said = f"{name} as in the test: {', '.join(of_test)} (--{name} none: without them)"
        if missing:
            said = (
                f"the test used the {name} {', '.join(of_test)}, but the second cohort has no column "
                f"{missing[0]}: it is replicated without {name}"
            )
        elif name == "blocks" and settings.permute == settings.options()["permute"].default:
            used["permute"] = tested["permute"]
        say(escaped(f"dugraph: {said}."))
    return dataclasses.replace(settings, **used)


def print_replication(result: ReplicationResult, n_rows: int = SHOWN_ROWS) -> None:
    """Print the subgraphs with the effects of both cohorts, and the claim."""
    if len(result):
        several = len(set(result.contrasts)) > 1
        effect = "a group against the rest" if several else result.contrasts[0]
        heads = ["confirmed", "adjusted p", "both cohorts", "first effect", "effect"]
        heads += ["95 % interval", "edges"]
        rows = [
            (
                "yes" if result.replicated[k] else "no",
                *(NumberText(f"{p[k]:.3g}") for p in (result.p_values, result.conjunction_p_values)),
                *(NumberText(f"{one[k]:+.3g}") for one in (result.first_effects, result.effects)),
                f"{result.effect_intervals[k, 0]:+.2g} to {result.effect_intervals[k, 1]:+.2g}",
                result.names[k][1:-1],
            )
            for k in range(min(n_rows, len(result)))
        ]
        confirmed = f"{int(result.replicated.sum())} of {len(result)} subgraphs are confirmed"
        print_table(f"{confirmed} at {result.parameters['alpha']:g}; effect: {effect}", heads, rows)
        if len(result) > n_rows:
            print(f"... and {len(result) - n_rows} more")
        print()
    print(escaped(result.message))
