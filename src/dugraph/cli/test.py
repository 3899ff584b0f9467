"""`dugraph test` and `replicate`: test all connected subgraphs, and those found in another cohort."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any, TypeVar

import dugraph
from dugraph import LabelledGraphs, ReplicationResult, SignificanceResult, UncertainGraphs
from dugraph.cli.cohort import suggestion
from dugraph.cli.output import (
    LONG,
    SHOWN_ROWS,
    ExitCode,
    NumberText,
    print_more,
    print_table,
    progress,
    say,
)
from dugraph.cli.run import (
    check_folder,
    computed,
    dask_client,
    finish,
    open_source,
    say_shard,
    shard_checkpoint,
)
from dugraph.data.columns import named_columns
from dugraph.exceptions import InputError, ShardDone
from dugraph.files.text import escaped
from dugraph.results.cohort_ref import CohortRef, input_record, open_cohort, open_second_cohort
from dugraph.results.load import OWN_REPLICATION, load_discovery
from dugraph.results.plan import Plan, check_plan, read_plan
from dugraph.results.records import replicated_record, tested_record, versions_record
from dugraph.search.exhaustive import admitted_table, suggested_limit
from dugraph.settings import ReplicateSettings, TestSettings
from dugraph.significance.result import CLASS_HEADS, class_rows, interval_text, irreducible_order
from dugraph.significance.testing import progress_line
from dugraph.words import NONE, and_joined

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
    followed = _read_plan(settings, cohort.graphs)
    for name in ("blocks", "covariates"):
        if (columns := getattr(settings, name)) is not None:
            named_columns(columns, name, cohort.graphs)  # raises
    if followed is None:
        _hint_at_limit(settings, cohort.graphs)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    if settings.holdout is not None:
        return _find_and_replicate(settings, cohort, source, followed)
    try:
        asked = {"checkpoint": checkpoint, "shard": settings.shard}
        result = _run(dugraph.significant_subgraphs, cohort, settings, **asked)
    except ShardDone as done:
        say_shard(settings, str(done))
        return ExitCode.DONE
    result = _described(result, settings, followed)
    record = None if source is None else _record(result, source, settings, followed)
    finish(settings, record, lambda: print_significant(result), result.seconds)
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
    asked |= settings.arguments() | {
        "progress": progress("testing", settings.progress, progress_line, hint=LONG)
    }
    with dask_client(settings) as client:
        return computed(lambda: work(cohort, **asked, client=client))


def _described(
    result: SignificanceResult, settings: TestSettings, followed: Plan | None
) -> SignificanceResult:
    """The result with slopes named by the column of the phenotype, and a message that names its plan."""
    if followed is not None:
        result = dataclasses.replace(result, message=f"{result.message} {followed.sentence}")
    return _with_slope(result, settings)


def _with_slope(result: Tested, settings: TestSettings) -> Tested:
    if settings.phenotype is None or result.parameters["labels"] != "phenotype":
        return result
    slope = f"per unit of {escaped(settings.phenotype)}"
    return dataclasses.replace(result, contrasts=[slope] * len(result))


def _record(
    result: SignificanceResult, source: CohortRef, settings: TestSettings, followed: Plan | None
) -> Any:
    record = tested_record(result, source, settings.kept_values())
    return dataclasses.replace(record, plan=followed.reference if followed else None)


def _find_and_replicate(
    settings: TestSettings, cohort: LabelledGraphs, source: CohortRef | None, followed: Plan | None
) -> int:
    """Test one part of the cohort and confirm in the other; both folders are written in one step."""
    asked = {"checkpoint": settings.checkpoint, "holdout": _share(settings.holdout)}
    result = _run(dugraph.find_and_replicate, cohort, settings, **asked)
    found = _described(result.discovery, settings, followed)
    result = _with_slope(dataclasses.replace(result, discovery=found), settings)
    record = second = None
    if source is not None and settings.output is not None:
        mask: Any = result.holdout
        first = source.part(~mask)
        record = _record(found, first, settings, followed)
        known = input_record(first, Path(settings.output) / OWN_REPLICATION)
        second = replicated_record(result, source, {"phenotype": settings.phenotype}, known)

    def tables() -> None:
        print_significant(found)
        print()
        print_replication(result)

    finish(settings, record, tables, found.seconds, replication=second)
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
            say(f"dugraph: planned with {name} {found.versions.get(name)}, tested with {version}")
    return found


def print_significant(result: SignificanceResult, n_rows: int = SHOWN_ROWS) -> None:
    """Print the significant subgraphs, the critical value of each size, and the claim."""
    title = f"{len(result):,} of {int(result.n_admitted.sum()):,} subgraphs are significant"
    title += f" at {result.parameters['alpha']:g}"
    if len(result):
        several, effect = _contrast(result)
        heads = [*("family", "adjusted p"), *(["contrast"] if several else []), "effect"]
        rows = [
            (
                *(family, NumberText(f"{result.p_values[k]:.3g}")),
                *([result.contrasts[k]] if several else []),
                *(NumberText(f"{result.effects[k]:+.3g}"), interval_text(result, k)),
                result.naming.subgraph_name(result.subgraphs[k])[1:-1],
            )
            for family, k in irreducible_order(result)[:n_rows]
        ]
        print_table(f"{title}; effect: {effect}", (*heads, "95 % given selection", "edges"), rows)
        print_more(int(result.irreducible.sum()), n_rows)
        print(
            "Irreducible subgraphs: no significant part has a statistic as large. Those of a family "
            "share edges.\n"
        )
    if result.n_blocks > 1:
        n = result.n_informative_blocks
        unchanged = " (permutations leave the others unchanged)" if n < result.n_blocks else ""
        print(f"Informative blocks: {n} of {result.n_blocks}{unchanged}.\n")
    sizes = [(name, *map(NumberText, numbers)) for name, *numbers in class_rows(result)]
    print_table("critical values" if len(result) else title, CLASS_HEADS, sizes)
    print(f"\n{escaped(result.message)}")


def _contrast(result: SignificanceResult | ReplicationResult) -> tuple[bool, str]:
    """Whether there are several contrasts, and what the effects are differences of."""
    several = len(set(result.contrasts)) > 1
    return several, "a group against the rest" if several else result.contrasts[0]


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
    result = computed(lambda: dugraph.replicate(first.result, source.cohort, **asked))
    if source.shares_graphs(first.input):
        say(
            "dugraph: the second cohort has graphs in which the subgraphs were found, so this confirms "
            "nothing. Take other participants, or find and confirm with `dugraph test --holdout`."
        )
    kept = {**settings.kept_values(), "phenotype": phenotype}
    record = replicated_record(result, source, kept, first.input)
    finish(settings, record, lambda: print_replication(result), time.monotonic() - begin)
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
        said = f"{name} as in the test: {and_joined(of_test)} (--{name} none: without them)"
        if missing:
            said = (
                f"the test used the {name} {and_joined(of_test)}, but the second cohort has no column "
                f"{missing[0]}: it is replicated without {name}"
            )
        elif name == "blocks" and settings.permute == settings.options()["permute"].default:
            used["permute"] = tested["permute"]
        say(f"dugraph: {said}.")
    return dataclasses.replace(settings, **used)


def print_replication(result: ReplicationResult) -> None:
    """Print the subgraphs with the effects of both cohorts, and the claim."""
    if len(result):
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
            for k in range(min(SHOWN_ROWS, len(result)))
        ]
        title = f"{int(result.replicated.sum())} of {len(result)} subgraphs are confirmed"
        title += f" at {result.parameters['alpha']:g}; effect: {_contrast(result)[1]}"
        print_table(title, heads, rows)
        print_more(len(result))
        print()
    print(escaped(result.message))
