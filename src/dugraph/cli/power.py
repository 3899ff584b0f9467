"""`dugraph power`, `plan` and `sensitivity`: the size of a study, a planned test, variants of a test."""

from __future__ import annotations

import datetime
import math
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import dugraph
from dugraph import PowerResult, SensitivityResult, UncertainGraphs
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
from dugraph.cli.run import check_output, computed, drawn_svg, finish_files, open_labelled
from dugraph.data.arguments import counted
from dugraph.data.where import select_participants
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.files.text import escaped
from dugraph.plot.significance import plot_power, plot_sensitivity
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.plan import graphs_digest, make_plan, shown_setting
from dugraph.results.tables import power_files, sensitivity_files
from dugraph.search.exhaustive import admitted_table, count_admitted
from dugraph.settings import PlanSettings, PowerSettings, SensitivitySettings, TestSettings
from dugraph.significance.permutations import check_alpha_reachable
from dugraph.significance.sensitivity import edge_rows, setting_rows
from dugraph.significance.statistics import n_size_classes
from dugraph.significance.testing import check_alpha, progress_line

PILOT_GRAPHS = 100
"""Graphs of a simulated pilot."""


def power(settings: PowerSettings) -> int:
    """Compute the power, write the files, print the table."""
    if settings.n_edges is None or settings.frequencies is None:
        raise InputError(
            "The power depends on the subgraph to detect: give --n-edges and --frequencies, for example "
            "--n-edges 2 --frequencies 0.5,0.3."
        )
    check_output(settings.output, "power")
    graphs, pilot = _pilot(settings)
    show = progress("testing random labels", settings.progress, progress_line, hint=LONG)
    asked = settings.arguments()
    result = computed(lambda: dugraph.power_analysis(graphs, **asked, progress=show))
    contents: dict[str, bytes] = {}
    if settings.output is not None:
        contents["power.svg"] = drawn_svg(lambda ax: plot_power(result, ax=ax))
        contents["detectable.svg"] = drawn_svg(lambda ax: plot_power(result, detectable=True, ax=ax))
        contents |= power_files(result, settings.to_toml(), pilot)
    finish_files(settings.output, contents, lambda: _print_power(result))
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


def _print_power(result: PowerResult) -> None:
    """Print a row for each number of graphs, and the main numbers in words."""
    asked = result.parameters
    positive, negative = asked["frequencies"]
    numbers = zip(result.n_graphs, result.power, result.admitted, result.detectable, strict=True)
    rows = [
        (
            int(n),
            *(NumberText(f"{share:.3f}") for share in (found, admitted)),
            NumberText("-" if math.isnan(detectable) else f"{detectable:.3f}"),
        )
        for n, found, admitted, detectable in numbers
    ]
    title = (
        f"power for {counted(asked['n_edges'], 'edge')}, expected frequencies {positive:g} "
        f"and {negative:g}; detectable with power {asked['power']:g} instead of {positive:g}"
    )
    print_table(title, ("graphs", "power", "admitted", "detectable"), rows)
    print(f"\n{escaped(result.message)}")


# ---------------------------------------------------------------- plan


def today() -> datetime.date:
    """The date of a plan, in UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def plan(settings: PlanSettings) -> int:
    """Check the settings against the graphs, write the plan and print it."""
    settings.check()  # since no function that does is called with all of them
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
    _print_tested(settings, graphs)
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
    rows = [(counted(size, "edge"), NumberText(count)) for size, count in enumerate(counts, 1)]
    print()
    print_table("connected subgraphs that would be tested", ("size", "number"), rows)
    print(suggestion(admitted_table(graphs, 2)))
    if counts[0].number == 0:
        say(
            "dugraph: no subgraph is frequent enough: the test would have nothing to do. Plan it with a "
            "smaller --min-expected-frequency."
        )


# ---------------------------------------------------------------- sensitivity


def sensitivity(settings: SensitivitySettings) -> int:
    """Test under each setting, write the files, print the tables."""
    check_output(settings.output, "sensitivity")
    source = open_labelled(settings, "a test")
    asked = settings.arguments()
    asked["others"] = {Path(file).name: _other(file, source) for file in settings.also or []}
    asked["progress"] = progress("testing", settings.progress, _progress_line, hint=LONG)
    result = computed(lambda: dugraph.sensitivity_analysis(source.cohort, **asked))
    contents: dict[str, bytes] = {}
    if settings.output is not None:
        contents["jaccard.svg"] = drawn_svg(lambda ax: plot_sensitivity(result, ax=ax), (6.5, 5.5))
        if result.edges:
            edges = drawn_svg(lambda ax: plot_sensitivity(result, edges=True, ax=ax), (7.0, 6.5))
            contents["edges.svg"] = edges
        contents |= sensitivity_files(result, settings.to_toml(), source)
    finish_files(settings.output, contents, lambda: _print_sensitivity(result), obsolete=["edges.svg"])
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


def _print_sensitivity(result: SensitivityResult) -> None:
    """Print the findings of each setting, the edges found by most settings, and the main numbers in words."""
    rows = [(name, *map(NumberText, numbers)) for name, *numbers in setting_rows(result)]
    heads = ("setting", "tested", "significant", "irreducible", "edges")
    print_table("what each setting finds", heads, rows)
    if result.edges:
        print()
        title = f"edges by the number of settings that find them, of {len(result.names)}"
        table = [(*map(NumberText, numbers), name) for *numbers, name in edge_rows(result, SHOWN_ROWS)]
        print_table(title, ("settings", "share", "mean effect", "edge"), table)
        print_more(len(result.edges))
    print(f"\n{escaped(result.message)}")
