"""`dugraph test`, `plan`, `replicate`, `power` and `sensitivity`: all connected subgraphs, tested at once."""

from __future__ import annotations

import dataclasses
import datetime
import io
import os
import sys
import time
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import dugraph
from dugraph import PowerResult, ReplicationResult, SignificanceResult, UncertainGraphs
from dugraph.cli.cohort import suggestion
from dugraph.cli.output import LONG, ExitCode, print_result, print_table, progress, say
from dugraph.cli.run import call, check_folder, checkpoint_of, finish, open_source, say_shard, write
from dugraph.data.arguments import counted
from dugraph.data.columns import named_columns, select_participants
from dugraph.exceptions import InputError, ShardDone
from dugraph.files.atomic import atomic_file
from dugraph.files.text import escaped
from dugraph.plot.significance import plot_power, plot_sensitivity
from dugraph.plot.style import optional_package
from dugraph.results.cohort_ref import CohortRef, input_record, open_cohort, open_second_cohort
from dugraph.results.load import OWN_REPLICATION, load_discovery
from dugraph.results.plan import Plan, check_plan, graphs_digest, make_plan, read_plan, shown_setting
from dugraph.results.records import replicated_record, tested_record, versions_record
from dugraph.results.tables import power_files, sensitivity_files
from dugraph.search.exhaustive import admitted_table, count_admitted, suggested_limit
from dugraph.settings import (
    PlanSettings,
    PowerSettings,
    ReplicateSettings,
    SensitivitySettings,
    TestSettings,
)
from dugraph.significance.permutations import check_alpha_reachable
from dugraph.significance.statistics import n_size_classes
from dugraph.significance.testing import check_alpha, progress_line
from dugraph.words import NONE, and_joined

PILOT_GRAPHS = 100
"""Graphs of a simulated pilot."""
Tested = TypeVar("Tested", SignificanceResult, ReplicationResult)


def test(settings: TestSettings) -> int:
    """Test, in two parts of the cohort with --holdout; write the files, print the tables and the claim."""
    if settings.phenotype is not None and settings.pos_label is not None:
        raise InputError(
            "--pos-label names one of the two classes, but --phenotype tests something else. Leave one of "
            "them out."
        )
    source = open_source(settings, "a test")
    cohort, graphs = source.cohort, source.cohort.graphs
    if settings.phenotype is not None and settings.output is not None:
        with suppress(InputError):  # the folder describes the classes of the cohort too, if it has two
            needed = "a folder of results needs"
            source = open_cohort(settings.data, needed, settings.pos_label, where=settings.where)
    followed = None if settings.plan is None else _read_plan(settings, settings.plan, graphs)
    for name in ("blocks", "covariates"):
        if (columns := getattr(settings, name)) is not None:
            named_columns(columns, name, graphs)  # raises
    if followed is None:
        _hint_at_limit(settings, graphs)
    asked = {**settings.arguments(), "checkpoint": checkpoint_of(settings, source), "dask": settings.dask}
    asked["progress"] = progress("testing", settings.progress, progress_line, hint=LONG)
    both: ReplicationResult | None = None
    if settings.holdout is not None:
        asked["holdout"] = _share(settings.holdout)
        both = _with_slope(call(dugraph.find_and_replicate, cohort, **asked), settings)
        result = both.discovery
    else:
        try:
            result = call(dugraph.significant_subgraphs, cohort, **asked, shard=settings.shard)
        except ShardDone as done:
            say_shard(settings, str(done))
            return ExitCode.DONE
    result = _with_slope(result, settings)
    if followed is not None:
        result = dataclasses.replace(result, message=f"{result.message} {followed.sentence}")
    record = second = None
    if settings.output is not None:
        first = source if both is None else source.part(~np.asarray(both.holdout))
        record = tested_record(result, first, settings.kept_values())
        record = dataclasses.replace(record, plan=followed.reference if followed else None)
        if both is not None:
            known = input_record(first, Path(settings.output) / OWN_REPLICATION)
            both = dataclasses.replace(both, discovery=result)
            second = replicated_record(both, source, {"phenotype": settings.phenotype}, known)

    def tables() -> None:
        print_result(result)
        if both is not None:
            print()
            print_result(both)

    finish(settings, record, tables, result.seconds, replication=second)
    return ExitCode.DONE


def _with_slope(result: Tested, settings: TestSettings) -> Tested:
    """The result with slopes named by the column of the phenotype."""
    if settings.phenotype is None or result.parameters["labels"] != "phenotype":
        return result
    return dataclasses.replace(result, contrasts=[f"per unit of {escaped(settings.phenotype)}"] * len(result))


def _share(text: str) -> float | str:
    """A share of graphs, or a condition."""
    try:
        return float(text)
    except ValueError:
        if any(sign in text for sign in ("=", "<", ">", " in ")):
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


def _read_plan(settings: TestSettings, path: str, graphs: UncertainGraphs) -> Plan:
    """Read the plan of the test; deviations from it are refused."""
    found = read_plan(path)
    check_plan(found, settings, graphs)
    for name, version in versions_record().items():
        if found.versions.get(name) != version:
            say(f"dugraph: planned with {name} {found.versions.get(name)}, tested with {version}")
    return found


# ---------------------------------------------------------------- replicate


def replicate(settings: ReplicateSettings) -> int:
    """Test the subgraphs in the second cohort, write the files, print the table and the claim."""
    check_folder(settings)
    begin = time.monotonic()
    first = load_discovery(settings.result)
    phenotype = settings.phenotype or first.phenotype
    source = open_second_cohort(settings.data, first.result, phenotype, settings.where)
    settings = _as_in_test(settings, first.result.parameters, source.cohort.graphs.participants or {})
    result = call(dugraph.replicate, first.result, source.cohort, **settings.arguments())
    if source.shares_graphs(first.input):
        say(
            "dugraph: the second cohort has graphs in which the subgraphs were found, so this confirms "
            "nothing. Take other participants, or find and confirm with `dugraph test --holdout`."
        )
    kept = {**settings.kept_values(), "phenotype": phenotype}
    record = replicated_record(result, source, kept, first.input)
    finish(settings, record, lambda: print_result(result), time.monotonic() - begin)
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
        said = f"{name} taken from the test: {and_joined(of_test)} (--{name} none turns them off)"
        if missing:
            said = (
                f"the test used the {name} {and_joined(of_test)}, but the second cohort has no column "
                f"{missing[0]}: replicating without {name}"
            )
        elif name == "blocks" and settings.permute == settings.options()["permute"].default:
            used["permute"] = tested["permute"]
        say(f"dugraph: {said}.")
    return dataclasses.replace(settings, **used)


# ---------------------------------------------------------------- power


def power(settings: PowerSettings) -> int:
    """Compute the power, write the files, print the table."""
    if settings.n_edges is None or settings.frequencies is None:
        raise InputError(
            "The power depends on the subgraph to detect: give --n-edges and --frequencies, for example "
            "--n-edges 2 --frequencies 0.5,0.3."
        )
    check_folder(settings)
    graphs, pilot = _pilot(settings)
    show = progress("testing random labels", settings.progress, progress_line, hint=LONG)
    result = call(dugraph.power_analysis, graphs, **settings.arguments(), progress=show)
    if settings.output is None:
        print_result(result)
        return ExitCode.DONE
    contents = {
        "power.svg": _svg(lambda ax: plot_power(result, ax=ax)),
        "detectable.svg": _svg(lambda ax: plot_power(result, detectable=True, ax=ax)),
        **power_files(result, settings.to_toml(), pilot),
    }
    write(settings.output, contents, lambda: print_result(result))
    return ExitCode.DONE


def _pilot(settings: PowerSettings) -> tuple[UncertainGraphs, dict[str, Any]]:
    """The pilot cohort and its description."""
    if (settings.data is None) == (settings.like is None):
        raise InputError(
            "A pilot is needed, either a cohort or a simulated one, but "
            f"{'both were' if settings.data else 'none was'} given. Name a cohort file, or use --like adhd."
        )
    if settings.data is None:
        asked = {"n_graphs": PILOT_GRAPHS, "n_planted": 0, "random_state": settings.random_state}
        graphs = dugraph.simulate(str(settings.like), **asked).graphs
        return graphs, {"simulated_like": settings.like, "n_graphs": PILOT_GRAPHS}
    graphs, _ = dugraph.load_cohort(settings.data)
    file = Path(settings.data).name
    return graphs, {"file": file, "n_graphs": graphs.n_graphs, "graphs_sha256": graphs_digest(graphs)}


def _svg(draw: Callable[[Any], object], size: tuple[float, float] = (5.0, 3.75)) -> bytes:
    """Draw into the axes of a new figure; return it as SVG, the same bytes in every run."""
    figures = optional_package("matplotlib.figure", "Pictures need")
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "dugraph", "svg.fonttype": "none"}):
        figure = figures.Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


# ---------------------------------------------------------------- plan


def today() -> datetime.date:
    """The date of a plan, in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def plan(settings: PlanSettings) -> int:
    """Check the settings against the graphs, write the plan and print it."""
    settings.check()  # no function is called that does
    if os.path.lexists(settings.output):
        raise InputError(
            f"{settings.output}: a plan must be a new file, but this one exists. Choose another name; "
            "plans are not replaced."
        )
    graphs, _ = dugraph.load_cohort(settings.data)
    if settings.where is not None:
        graphs = graphs[select_participants(graphs.participants or {}, settings.where)]
    _check_possible(settings, graphs)
    expected = _expected_power(settings, graphs)
    made = make_plan(settings, graphs, Path(settings.data).name, today(), expected)
    with atomic_file(settings.output) as file:
        file.write(made.to_toml())
    rows = [(name, shown_setting(made.settings.get(name))) for name in TestSettings.planned()]
    print_table(f"planned on {made.date.isoformat()}", ("setting", "value"), rows)
    counts = count_admitted(graphs, settings.min_expected_frequency, min(settings.max_edges or 3, 3))
    sizes = [(counted(size, "edge"), count) for size, count in enumerate(counts, 1)]
    print()
    print_table("connected subgraphs that would be tested", ("size", "number"), sizes)
    print(suggestion(admitted_table(graphs, 2)))
    if counts[0].number == 0:
        say(
            "dugraph: no subgraph is frequent enough: the test would have nothing to do. Plan it with a "
            "smaller --min-expected-frequency."
        )
    if expected is not None:
        asked = expected.parameters
        positive, negative = asked["frequencies"]
        print(
            f"\nExpected power: {expected.power[0]:.2f} for a subgraph of "
            f"{counted(asked['n_edges'], 'edge')} with expected frequencies of {positive:g} and {negative:g} "
            f"in {expected.n_graphs[0]:,} graphs, without blocks and covariates."
        )
    say(f"written: {settings.output}")
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


def _expected_power(settings: PlanSettings, graphs: UncertainGraphs) -> PowerResult | None:
    if settings.n_edges is None:
        return None
    shared = (
        *("n_edges", "frequencies", "positive_share", "alternative", "alpha", "size_classes"),
        *("min_expected_frequency", "max_edges", "random_state"),
    )
    asked: dict[str, Any] = {name: getattr(settings, name) for name in shared}
    show = progress("testing random labels", None, progress_line)
    return dugraph.power_analysis(graphs, **asked, n_graphs=[graphs.n_graphs], progress=show)


# ---------------------------------------------------------------- sensitivity


def sensitivity(settings: SensitivitySettings) -> int:
    """Test under each setting, write the files, print the tables."""
    source = open_source(settings, "a test")
    asked = settings.arguments()
    asked["others"] = {Path(file).name: _other(file, source) for file in settings.also or []}
    asked["progress"] = progress("testing", settings.progress, _progress_line, hint=LONG)
    result = call(dugraph.sensitivity_analysis, source.cohort, **asked)
    if settings.output is None:
        print_result(result)
        return ExitCode.DONE
    contents = {"jaccard.svg": _svg(lambda ax: plot_sensitivity(result, ax=ax), (6.5, 5.5))}
    if result.edges:
        contents["edges.svg"] = _svg(lambda ax: plot_sensitivity(result, edges=True, ax=ax), (7.0, 6.5))
    contents |= sensitivity_files(result, settings.to_toml(), source)
    write(settings.output, contents, lambda: print_result(result), obsolete=["edges.svg"])
    return ExitCode.DONE


def _other(file: str, source: CohortRef) -> UncertainGraphs:
    """The graphs of another cohort file, in the order of the first."""
    graphs, _ = dugraph.load_cohort(file)
    place = {name: row for row, name in enumerate(graphs.graph_ids)}
    ids = source.cohort.graphs.graph_ids
    missing = [name for name in ids if name not in place]
    if missing:
        raise InputError(
            f"{file}: a cohort with other probabilities must have all participants of {source.file}, but "
            f"{len(missing)} are missing, such as {escaped(missing[0])}. Convert it from the same table."
        )
    return graphs[np.array([place[name] for name in ids])]


def _progress_line(now: dict[str, Any]) -> str:
    return f"setting {now['variant']} of {now['n_variants']}: {progress_line(now)}"
