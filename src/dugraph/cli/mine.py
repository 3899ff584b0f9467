"""`dugraph mine`: the best subgraphs of a cohort, as a table and as files."""

import dataclasses
from typing import TYPE_CHECKING, Any

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
    accepted_labels,
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
from dugraph.files.text import escaped
from dugraph.settings import MineSettings
from dugraph.words import MEASURES, Status, method_name

if TYPE_CHECKING:
    from dugraph import LabelledGraphs, MiningResult, UncertainGraphs
    from dugraph.results import SubgraphRecord, TestRecord
    from dugraph.results.cohort_ref import CohortRef

DESCRIPTION = """\
Find the connected subgraphs with the largest measure of their score, exactly.
The labels are two classes; expected HSIC, the default, also supports several groups, a phenotype, and
covariates. Prints a table. With -o, writes a folder with results.json, results.csv, results.graphml,
BrainNet Viewer files (if the regions have coordinates), the features of all graphs, model.json for
`dugraph transform`, and config.toml: see docs/results.md. With --test, the subfolder test contains the
output of `dugraph test`.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph mine cohort.npz --score hsic --measure expectation --n-subgraphs 10 -o results
  dugraph mine cohort.npz --n-subgraphs 10 --max-correlation 0.5
  dugraph mine cohort.npz --min-expected-frequency 0.1 --checkpoint search.npz -o results
  dugraph mine cohort.npz --shard 3/16 -o shards/3
  dugraph mine cohort.npz --phenotype age --covariates site,sex -o age
  dugraph mine cohort.npz --score frequency_ratio --measure phi_probability --phi 1 --time-limit 60"""

SETTINGS = MineSettings

_LONG = "this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in advance."
_MANY = 25  # frequent edges: subsets by the million
_NEAR = 1e-12  # of 1: rounding error
_TIES = "chosen and ordered only by the tie rule, fewer edges first"
# Those of the search that the test of --test shares.
_SHARED = ("covariates", "min_expected_frequency", "max_edges", "n_jobs", "time_limit")


def run(settings: MineSettings) -> int:
    """Mine, write the files, print the table."""
    from dugraph import LabelledGraphs, mine_subgraphs
    from dugraph.results import record_of
    from dugraph.search.progress import progress_line

    labelled = accepted_labels(settings) if settings.multi_class is None else LabelledGraphs.of_groups
    source = open_source(settings, "mining", phenotype=settings.phenotype, labelled=labelled)
    _hint_at_unused(settings)
    _hint_at_certain_edges(settings, source.cohort.graphs)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    # First: what cannot be tested is refused before a long search.
    tested, unfinished = _test(settings, source) if settings.test else (None, "")
    hint = _LONG if settings.time_limit is None else None
    show = progress("mining", settings.progress, progress_line, hint=hint)
    with dask_client(settings) as client:
        in_parts = {"client": client, "checkpoint": checkpoint, "shard": settings.shard}
        try:
            result = without_warnings(
                lambda: mine_subgraphs(source.cohort, **settings.arguments(), **in_parts, progress=show)
            )
        except SearchInterrupted as interrupt:  # the best so far are written and shown as after a limit
            result = interrupt.result
    if settings.shard is not None:
        say_shard(settings, result.message)
        return _exit_code(result.status)
    record = _with_p_values(record_of(result, source, settings=settings.kept_values()), tested)
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


def _print_ranking(record: "SubgraphRecord") -> None:
    """Print the best subgraphs and the account of the search."""
    result, graphs = record.result, record.cohort.graphs
    method = method_name(record.parameters["measure"], record.parameters["score"])
    listed = record.subgraphs[:SHOWN_ROWS]
    rows = [
        (
            *(s.rank, value, *(s.by_group or [s.frequency]), *_more(record, s.rank)),
            ", ".join(s.edge_names(graphs)),
        )
        for s, value in zip(listed, value_texts([s.value for s in listed]), strict=True)
    ]
    columns = [] if result.contrasts is None else ["class"]
    columns += [] if result.effects is None else [_effect_heading(record)]
    columns += [] if record.p_values is None else ["adjusted p"]
    where = {"classes": "in both classes", "groups": "in each group"}.get(record.cohort.kind, "")
    title = f"{method}: {len(result)} subgraphs, best first, and their expected frequency {where}".rstrip()
    print_table(title, ("rank", "value", *class_headings(record.cohort), *columns, "edges"), rows)
    if len(result) > SHOWN_ROWS:
        print(f"... and {len(result) - SHOWN_ROWS} more")
    print(
        f"{result.status.value} in {result.seconds:.2f} s: {result.n_visited:,} subgraphs admitted, "
        f"{result.n_evaluated:,} evaluated"
    )


def _effect_heading(record: "SubgraphRecord") -> str:
    """The kind of effect of a subgraph."""
    adjusted = "adjusted " if record.parameters["covariates"] else ""
    if record.cohort.kind == "classes":
        return f"{adjusted}difference"
    return f"{adjusted}slope per unit of {escaped(record.source.phenotype or 'y')}"


def _more(record: "SubgraphRecord", rank: int) -> list[object]:
    """What else is shown about a subgraph: class, effect, and p-value, a dash if not significant."""
    result = record.result
    cells: list[object] = []
    if result.contrasts is not None:
        cells.append(result.contrasts[rank - 1])
    if result.effects is not None:
        cells.append(NumberText(f"{result.effects[rank - 1]:+.3g}"))
    if record.p_values is not None:
        p = record.p_values[rank - 1]
        cells.append(NumberText("-" if p is None else f"{p:.3g}"))
    return cells


def _test(settings: MineSettings, source: "CohortRef") -> tuple["TestRecord | None", str]:
    """Test the subgraphs that are admitted to the search; if a time limit prevents it, return the reason."""
    from dugraph import significant_subgraphs
    from dugraph.results import record_of
    from dugraph.significance.testing import progress_line

    shared = {name: getattr(settings, name) for name in _SHARED}
    show = progress("testing", settings.progress, progress_line, hint=LONG)
    try:
        result = without_warnings(lambda: significant_subgraphs(source.cohort, **shared, progress=show))
    except UnfinishedTestError as error:
        return None, in_flags(error.sentence, settings.options())
    return record_of(result, source, settings={**shared, **_given(settings)}), ""


def _given(settings: MineSettings) -> dict[str, Any]:
    """The options that say which graphs and labels are used."""
    return {name: getattr(settings, name) for name in ("phenotype", "target", "where")}


def _with_p_values(record: "SubgraphRecord", tested: "TestRecord | None") -> "SubgraphRecord":
    """The record with the p-values of the test, which covers the same subgraphs."""
    if tested is None:
        return record
    found = tested.result
    p_values = dict(zip(found.subgraphs, found.p_values.tolist(), strict=True))
    return dataclasses.replace(record, p_values=[p_values.get(one.edges) for one in record.subgraphs])


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


def _hint_at_certain_edges(settings: MineSettings, graphs: "UncertainGraphs") -> None:
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


def _hint_at_ties(result: "MiningResult", cohort: "LabelledGraphs") -> None:
    """Report how many listed values are 0, or that all are 1, so that their order is arbitrary.

    Parameters
    ----------
    result : MiningResult
    cohort : LabelledGraphs
        The sizes of its classes determine the largest possible score.
    """
    asked, n = result.parameters, len(result)
    zeros = sum(value == 0 for value in result.values)
    by_phi = asked["measure"] == "phi_probability"
    if zeros:
        which = f"{zeros} of the {n}" if zeros < n else f"all {n}" if n > 1 else "all"
        reach = ""
        if by_phi and cohort.kind == "classes":
            reach = f" phi is {asked['phi']:g}, {_largest(asked, cohort)}. Choose a smaller --phi."
        say(f"dugraph: {which} listed values are 0, {_TIES}.{reach}")
    elif by_phi and cohort.kind == "classes" and n > 1 and all(value >= 1 - _NEAR for value in result.values):
        say(
            f"dugraph: all {n} listed values are 1, {_TIES}. Their scores are certain to reach phi = "
            f"{asked['phi']:g}; {_largest(asked, cohort)}. Choose a larger --phi."
        )


def _largest(asked: dict[str, Any], cohort: "LabelledGraphs") -> str:
    from dugraph.search.distribution import scores_of

    n_pos, n_neg = cohort.n_pos, cohort.n_neg
    largest = scores_of(asked["score"], n_pos, n_neg, asked["score_cap"]).largest
    return f"the largest {asked['score']} that {n_pos} and {n_neg} graphs can have is {largest:.4g}"
