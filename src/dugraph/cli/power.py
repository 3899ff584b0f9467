"""`dugraph power` and `dugraph sensitivity`: the size of a study, and one test under several settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import dugraph
from dugraph import PowerResult, SensitivityResult, UncertainGraphs
from dugraph.cli.output import LONG, SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import check_output, drawn_svg, open_labelled, without_warnings
from dugraph.exceptions import InputError, UnfinishedTestError
from dugraph.files.atomic import write_folder
from dugraph.files.text import escaped
from dugraph.plot.significance import plot_power, plot_sensitivity
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.plan import graphs_digest
from dugraph.results.tables import power_files, sensitivity_files
from dugraph.settings import PowerSettings, SensitivitySettings
from dugraph.significance.sensitivity import edge_rows, setting_rows
from dugraph.significance.testing import progress_line

PILOT_GRAPHS = 100
"""Graphs of a simulated pilot."""
Result = TypeVar("Result")


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
    result = _finished(lambda: dugraph.power_analysis(graphs, **asked, progress=show))
    files = []
    if settings.output is not None:
        pictures = {
            "power.svg": drawn_svg(lambda ax: plot_power(result, ax=ax)),
            "detectable.svg": drawn_svg(lambda ax: plot_power(result, detectable=True, ax=ax)),
        }
        contents = {**pictures, **power_files(result, settings.to_toml(), pilot)}
        files = write_folder(settings.output, contents, last="results.json")
    _print_power(result)
    for path in files:
        say(escaped(f"written: {path}"))
    return ExitCode.DONE


def _finished(work: Callable[[], Result]) -> Result:
    try:
        return without_warnings(work)
    except UnfinishedTestError as error:
        raise error.sentence from error


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
        f"power for {asked['n_edges']} edge{'s' * (asked['n_edges'] > 1)}, expected frequencies {positive:g} "
        f"and {negative:g}; detectable with power {asked['power']:g} instead of {positive:g}"
    )
    print_table(title, ("graphs", "power", "admitted", "detectable"), rows)
    print(f"\n{escaped(result.message)}")


def sensitivity(settings: SensitivitySettings) -> int:
    """Test under each setting, write the files, print the tables."""
    check_output(settings.output, "sensitivity")
    source = open_labelled(settings, "a test")
    asked = settings.arguments()
    asked["others"] = {Path(file).name: _other(file, source) for file in settings.also or []}
    asked["progress"] = progress("testing", settings.progress, _progress_line, hint=LONG)
    result = _finished(lambda: dugraph.sensitivity_analysis(source.cohort, **asked))
    files = []
    if settings.output is not None:
        pictures = {"jaccard.svg": drawn_svg(lambda ax: plot_sensitivity(result, ax=ax), (6.5, 5.5))}
        if result.edges:
            edges = drawn_svg(lambda ax: plot_sensitivity(result, edges=True, ax=ax), (7.0, 6.5))
            pictures["edges.svg"] = edges
        contents = {**pictures, **sensitivity_files(result, settings.to_toml(), source)}
        files = write_folder(settings.output, contents, obsolete=["edges.svg"], last="results.json")
    _print_sensitivity(result)
    for path in files:
        say(escaped(f"written: {path}"))
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
        if len(result.edges) > SHOWN_ROWS:
            print(f"... and {len(result.edges) - SHOWN_ROWS} more")
    print(f"\n{escaped(result.message)}")
