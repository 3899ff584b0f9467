"""`dugraph test`: which connected subgraphs differ between the classes, as tables and as files."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dugraph.cli.info import suggestion
from dugraph.cli.output import LONG, SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.replicate import print_replication
from dugraph.cli.run import (
    accepted_labels,
    check_folder,
    dask_client,
    say_shard,
    say_written,
    shard_checkpoint,
    without_warnings,
    write_folder,
)
from dugraph.exceptions import InputError, ShardDone, UnfinishedTestError
from dugraph.files.text import escaped
from dugraph.settings import TestSettings

if TYPE_CHECKING:
    from dugraph import LabelledGraphs, ReplicationResult, SignificanceResult, UncertainGraphs
    from dugraph.results import SavedFiles
    from dugraph.results.cohort_ref import CohortRef
    from dugraph.results.plan import Plan

Result = TypeVar("Result")
Tested = TypeVar("Tested", "SignificanceResult", "ReplicationResult")

DESCRIPTION = """\
Test all connected subgraphs at once for differences between the classes.
A permutation test: the probability of listing any subgraph that does not differ is at most --alpha.
Prints tables. With -o, writes a folder with results.json, results.csv, null_maxima.csv, config.toml, text for
a paper (methods.md, results.md, references.bib), and results.graphml and BrainNet Viewer files of the
subgraphs that share no edge: see docs/significance.md.
With --holdout, subgraphs are found in one part of the cohort and tested again in the other; the results of
the second test are in the subfolder replication.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph test cohort.npz -o test
  dugraph test cohort.npz --blocks site --covariates age,sex --report -o test
  dugraph test cohort.npz --phenotype age --blocks site -o age
  dugraph test cohort.npz --blocks site --holdout 0.5 --report -o both"""

SETTINGS = TestSettings


def run(settings: TestSettings) -> int:
    """Test, write the files, print the tables and the claim."""
    if settings.phenotype is not None and settings.pos_label is not None:
        raise InputError(
            "--pos-label names one of the two classes, but --phenotype tests something else. Leave one of "
            "them out."
        )
    check_folder(settings)
    cohort, source = _open(settings)
    plan = _plan(settings, cohort.graphs)
    if plan is None:
        _hint_at_limit(settings, cohort.graphs)
    if settings.holdout is not None:
        return _find_and_replicate(settings, cohort, source, plan)
    checkpoint = shard_checkpoint(settings, source) or settings.checkpoint
    try:
        with dask_client(settings) as client:
            result = _test(cohort, settings, client=client, checkpoint=checkpoint)
            result = _as_planned(result, plan)
    except ShardDone as done:
        say_shard(settings, str(done))
        return ExitCode.DONE
    # Before the tables: if their reader is gone, the files must not be lost.
    saved = _write(settings, result, source, plan)
    print_significant(result)
    say_written(saved)
    return ExitCode.DONE


def _open(settings: TestSettings) -> tuple["LabelledGraphs", "CohortRef | None"]:
    """The cohort to test, and its description for the folder."""
    from dugraph.results.cohort_ref import open_cohort

    labelled, where = accepted_labels(settings), settings.where
    if settings.phenotype is None:
        source = open_cohort(
            settings.data, "a test needs", settings.pos_label, where=where, labelled=labelled
        )
        return source.cohort, source
    source = open_cohort(settings.data, "", phenotype=settings.phenotype, where=where, labelled=labelled)
    if settings.output is None:
        return source.cohort, None
    try:  # the folder describes the classes of the cohort too, if it has two
        classes = open_cohort(settings.data, "a folder of results needs", settings.pos_label, where=where)
    except InputError:
        return source.cohort, source
    return source.cohort, classes


def _test(cohort: "LabelledGraphs", settings: TestSettings, **in_parts: Any) -> "SignificanceResult":
    from dugraph import significant_subgraphs

    return _with_slope(
        _run(significant_subgraphs, cohort, settings, **in_parts, shard=settings.shard), settings
    )


def _run(
    work: Callable[..., Result], cohort: "LabelledGraphs", settings: TestSettings, **asked: Any
) -> Result:
    """Call a function with the cohort and the settings; its errors are phrased in terms of flags."""
    from dugraph.significance.testing import progress_line

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


def _find_and_replicate(
    settings: TestSettings, cohort: "LabelledGraphs", source: "CohortRef | None", plan: "Plan | None"
) -> int:
    """Test one part of the cohort and confirm in the other; both folders are written in one step."""
    from dugraph import find_and_replicate
    from dugraph.results import SavedFiles
    from dugraph.results.cohort_ref import full_input
    from dugraph.results.load import OWN_REPLICATION
    from dugraph.results.records import replicated_record, tested_record

    if settings.shard is not None:
        raise InputError("--holdout tests two parts of a cohort, which a shard cannot do. Leave out --shard.")
    with dask_client(settings) as client:
        result = _run(
            find_and_replicate,
            cohort,
            settings,
            **{"client": client, "checkpoint": settings.checkpoint, "holdout": _share(settings.holdout)},
        )
    found = _as_planned(_with_slope(result.discovery, settings), plan)
    result = _with_slope(dataclasses.replace(result, discovery=found), settings)
    saved = SavedFiles([], [])
    if source is not None and settings.output is not None:
        mask: Any = result.holdout
        first = source.part(~mask)
        record = tested_record(found, first, settings.kept_values())
        record = dataclasses.replace(record, plan=plan.reference if plan else None)
        asked = {"phenotype": settings.phenotype}
        known = full_input(first, Path(settings.output) / OWN_REPLICATION)
        second = replicated_record(result, source, asked, known)
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


def _hint_at_limit(settings: TestSettings, graphs: "UncertainGraphs") -> None:
    """Name the suggested limit before the test, if the default one leaves out most pairs of edges."""
    from dugraph.search.admitted import admitted_table, suggested_limit

    limit = settings.min_expected_frequency
    if limit == settings.options()["min_expected_frequency"].default:
        table = admitted_table(graphs, 2)
        if suggested_limit(table) < limit:
            say(f"dugraph: {suggestion(table)}; this test uses {limit:g}")


def _plan(settings: TestSettings, graphs: "UncertainGraphs") -> "Plan | None":
    """The plan of the test, if it has one; deviations from it are refused."""
    if settings.plan is None:
        return None
    from dugraph.results.plan import check_plan, read_plan
    from dugraph.results.records import versions_record

    plan = read_plan(settings.plan)
    check_plan(plan, settings, graphs)
    for name, version in versions_record().items():
        if plan.versions.get(name) != version:
            say(f"dugraph: planned with {name} {escaped(plan.versions.get(name))}, tested with {version}")
    return plan


def _as_planned(result: "SignificanceResult", plan: "Plan | None") -> "SignificanceResult":
    """The result, whose message also says when it was planned."""
    if plan is None:
        return result
    return dataclasses.replace(result, message=f"{result.message} {plan.sentence}")


def _write(
    settings: TestSettings,
    result: "SignificanceResult",
    source: "CohortRef | None",
    plan: "Plan | None",
) -> "SavedFiles":
    from dugraph.results import SavedFiles, record_of

    if source is None:
        return SavedFiles([], [])
    record = record_of(result, source, settings=settings.kept_values())
    record = dataclasses.replace(record, plan=plan.reference if plan else None)
    return write_folder(settings, record, result.seconds)


def print_significant(result: "SignificanceResult", n_rows: int = SHOWN_ROWS) -> None:
    """Print the significant subgraphs, what each size needed, and the claim.

    Parameters
    ----------
    result : SignificanceResult
    n_rows : int
        Subgraphs to show.
    """
    from dugraph.data.arguments import counted
    from dugraph.significance.result import CLASS_HEADS, class_rows, irreducible_order

    n_tested = int(result.n_admitted.sum())
    title = f"{len(result):,} of {n_tested:,} subgraphs are significant at {result.parameters['alpha']:g}"
    if len(result):
        several = len(set(result.contrasts)) > 1
        heads = ("family", "adjusted p", "effect", "95 % given selection", "edges")
        effect = result.contrasts[0]
        print_table(
            f"{title}; effect: {effect if not several else 'a group against the rest'}",
            (*heads[:2], *(["contrast"] if several else []), *heads[2:]),
            [_row(result, family, k, several) for family, k in irreducible_order(result)[:n_rows]],
        )
        n_irreducible = int(result.irreducible.sum())
        more = f"... and {n_irreducible - n_rows} more\n" if n_irreducible > n_rows else ""
        print(
            f"{more}Irreducible subgraphs: no significant part has a statistic as large. Those of a family "
            "share edges.\n"
        )
    if result.n_blocks > 1:
        n, every = result.n_informative_blocks, counted(result.n_blocks, "block")
        fewer = f"{n} of {every}; the others do not inform the test"
        print(f"Permutations change {f'each of {every}' if n == result.n_blocks else fewer}.\n")
    rows = [(name, *map(NumberText, numbers)) for name, *numbers in class_rows(result)]
    print_table("what each size needed" if len(result) else title, CLASS_HEADS, rows)
    print(f"\n{escaped(result.message)}")


def _row(result: "SignificanceResult", family: int, k: int, several: bool) -> tuple[object, ...]:
    from dugraph.significance.result import interval_text

    return (
        *(family, NumberText(f"{result.p_values[k]:.3g}")),
        *([result.contrasts[k]] if several else []),
        *(NumberText(f"{result.effects[k]:+.3g}"), interval_text(result, k)),
        result.naming.subgraph_name(result.subgraphs[k])[1:-1],
    )
