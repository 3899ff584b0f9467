"""`dugraph demo`: the whole analysis in one command, on a simulated cohort with known answers."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

import dugraph
from dugraph import EvaluationResult, LabelledGraphs, MiningResult, SignificanceResult, UncertainGraphs
from dugraph.cli.cohort import simulated_files
from dugraph.cli.output import ExitCode, print_table, say
from dugraph.cli.test import print_significant
from dugraph.exceptions import InputError
from dugraph.files.atomic import make_folder, write_folder
from dugraph.files.text import escaped
from dugraph.results import EvaluationRecord, SubgraphRecord, TestRecord, record_of
from dugraph.results.cohort_ref import CohortRef
from dugraph.settings import DemoSettings
from dugraph.simulation import SimulatedCohort
from dugraph.words import method_name

N_LISTED, N_SHOWN, N_SPLITS = 100, 10, 10
MIN_EXPECTED_FREQUENCY = 0.2  # the default of a search
Subgraph = tuple[int, ...]

METHODS = (("hsic", "expectation"), ("confidence", "median"), ("frequency_ratio", "phi_probability"))
"""Scores and measures."""
SIZES = (20, 100)  # numbers of subgraphs that the classifier gets
ALL_EDGES = "all-edges"  # the comparison of `dugraph evaluate`


def demo(settings: DemoSettings) -> int:
    """Simulate, mine, test, cross-validate, draw; list the files and summarise."""
    settings.check()
    begin = time.perf_counter()
    folder = make_folder(settings.output)
    say("[1/5] simulating 200 brain networks ...")
    simulated: dict[str, Any] = {"like": "adhd", "random_state": settings.random_state}
    cohort = dugraph.simulate(**simulated)
    files = write_folder(folder, simulated_files("cohort.npz", cohort, simulated))
    source = CohortRef.of(LabelledGraphs(cohort.graphs, cohort.y), files[0])
    say("[2/5] mining the best subgraphs ...")
    records = []
    for score, measure in METHODS:
        asked: dict[str, Any] = {"score": score, "measure": measure, "n_subgraphs": N_LISTED}
        asked["n_jobs"] = settings.n_jobs
        mined = record_of(dugraph.mine_subgraphs(source.cohort, **asked), source, settings=asked)
        name = method_name(measure, score)
        _print_best(name, mined, cohort)
        files += dugraph.save_result(mined, folder / name).files
        records.append(mined)
    best: MiningResult = records[0].result
    say("[3/5] testing which differences are real ...")
    tested = _test(source, settings)
    files += dugraph.save_result(tested, folder / "test").files
    say(f"[4/5] cross-validating on {N_SPLITS} splits, mining in each training set ...")
    evaluation, title = _cross_validate(source, settings)
    files += dugraph.save_result(evaluation, folder / "evaluation", title=title).files
    say("[5/5] drawing and writing the report ...")
    files += _draw(folder / "subgraphs.png", tested.result)
    print("files:")
    for file in files:
        print(f"  {escaped(file)}")
    _report(folder / "report.html", records[0], evaluation, tested)
    _sum_up(cohort, best, tested.result, evaluation.result, time.perf_counter() - begin)
    print(f"To look at the results in the app: dugraph app {shlex.quote(escaped(folder))}")
    return ExitCode.DONE


def _print_best(name: str, record: SubgraphRecord, cohort: SimulatedCohort) -> None:
    result = record.result
    rows = [
        (
            *(s.rank, s.value, s.frequency_positive, s.frequency_negative),
            _relation_to_planted(s.edges, cohort.graphs, cohort.planted),
            ", ".join(s.edge_names(cohort.graphs)),
        )
        for s in record.subgraphs[:N_SHOWN]
    ]
    title = f"{name}: the best {N_SHOWN} of {len(result)}, {result.status.value} in {result.seconds:.2f} s"
    print_table(title, ("rank", "value", "patients", "controls", "planted", "edges"), rows)
    print()


def _test(source: CohortRef, settings: DemoSettings) -> TestRecord:
    # As frequent as the mined ones, so that every listed subgraph is among those tested.
    asked: dict[str, Any] = {
        "min_expected_frequency": MIN_EXPECTED_FREQUENCY,
        "random_state": settings.random_state,
        "n_jobs": settings.n_jobs,
    }
    result = dugraph.significant_subgraphs(source.cohort, **asked)
    print_significant(result, N_SHOWN)
    print()
    record: TestRecord = record_of(result, source, settings=asked)
    return record


def _cross_validate(source: CohortRef, settings: DemoSettings) -> tuple[EvaluationRecord, str]:
    asked: dict[str, Any] = {
        "methods": [*(method_name(measure, score) for score, measure in METHODS), ALL_EDGES],
        "n_subgraphs": list(SIZES),
        "n_jobs": settings.n_jobs,
    }
    splits = dugraph.RandomSplits(N_SPLITS, random_state=settings.random_state)
    result = dugraph.evaluate(source.cohort, **asked, cv=splits)
    title = f"accuracy of a tuned ridge classifier on unseen graphs, {N_SPLITS} splits 80/20"
    rows = []
    for i, method in enumerate(result.methods):
        for j, size in enumerate(SIZES):
            accuracy = 1 - result.values("error")[i, j]
            # All edges are all of them, whatever number is asked for.
            if method != ALL_EDGES or j == 0:
                number = source.cohort.graphs.n_edges if method == ALL_EDGES else size
                rows.append((method, number, f"{accuracy.mean():.3f}", f"{accuracy.std():.3f}"))
    print_table(title, ("features", "number", "mean", "sd"), rows)
    print()
    kept = {**asked, "n_splits": N_SPLITS, "random_state": settings.random_state}
    record: EvaluationRecord = record_of(result, source, settings=kept)
    return record, title


def _draw(path: Path, result: SignificanceResult) -> list[Path]:
    try:
        figure = dugraph.plot.subgraph_figure(result, family="all", width="two")
    except InputError as error:  # nothing is significant, or matplotlib is missing
        say(f"No picture was drawn. {error}")
        return []
    return [dugraph.plot.save_figure(figure, path, dpi=150)]


def _report(page: Path, record: SubgraphRecord, evaluation: EvaluationRecord, test: TestRecord) -> None:
    dugraph.write_report(record, evaluation=evaluation, test=test, output=page)
    print(f"\nreport, to open in a browser:\n  {escaped(page)}")


def _sum_up(
    cohort: SimulatedCohort,
    result: MiningResult,
    test: SignificanceResult,
    evaluation: EvaluationResult,
    seconds: float,
) -> None:
    found = [result.subgraphs.index(g) + 1 for g in cohort.planted if g in result.subgraphs]
    where = f" at ranks {', '.join(map(str, sorted(found)))}" if found else ""
    accuracy = 1 - evaluation.mean("error")
    (few, many), edges = accuracy[0], accuracy[-1, 0]
    print(f"\n{len(found)} of {len(cohort.planted)} planted subgraphs recovered by exp-hsic{where}.")
    p_values = dict(zip(test.subgraphs, test.p_values.tolist(), strict=True))
    real = [f"{p_values[g]:.3g}" for g in cohort.planted if g in p_values]
    values = f": adjusted p = {', '.join(real)}" if real else ""
    print(f"{len(real)} of {len(cohort.planted)} planted subgraphs are significant{values}.")
    print(
        f"Accuracy on unseen graphs: {few:.3f} with {SIZES[0]} subgraphs, {many:.3f} with {SIZES[1]}, "
        f"{edges:.3f} with all {cohort.graphs.n_edges:,} edges."
    )
    print(f"Every list is proven optimal. The whole demo took {seconds:.1f} s.")


def _relation_to_planted(subgraph: Subgraph, graphs: UncertainGraphs, planted: list[Subgraph]) -> str:
    """Describe how a mined subgraph relates to the planted ones."""
    if subgraph in planted:
        return "yes"
    if any(set(subgraph) < set(truth) for truth in planted):
        return "part"
    nodes = set(graphs.edges[list(subgraph)].ravel().tolist())
    # Edges among the regions of one planted subgraph carry its signal, too.
    if any(nodes <= set(graphs.edges[list(truth)].ravel().tolist()) for truth in planted):
        return "its regions"
    return "no"
