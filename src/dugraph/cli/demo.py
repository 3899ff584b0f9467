"""`dugraph demo`: the whole analysis in one command, on a simulated cohort with known answers."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

import dugraph
from dugraph import EvaluationResult, LabelledGraphs, MiningResult, SignificanceResult, UncertainGraphs
from dugraph.cli.cohort import simulated_files
from dugraph.cli.output import ExitCode, numbers, print_result, print_table, say
from dugraph.exceptions import InputError
from dugraph.files.atomic import make_folder, write_folder
from dugraph.files.text import escaped
from dugraph.results import SubgraphRecord, record_of
from dugraph.results.cohort_ref import CohortRef
from dugraph.settings import DemoSettings
from dugraph.simulation import SimulatedCohort
from dugraph.words import method_name

N_LISTED, N_SHOWN, N_SPLITS = 100, 10, 10
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
    seed = {"random_state": settings.random_state}
    cohort = dugraph.simulate("adhd", **seed)
    files = write_folder(folder, simulated_files("cohort.npz", cohort, {"like": "adhd", **seed}))
    source = CohortRef.of(LabelledGraphs(cohort.graphs, cohort.y), files[0])

    def save(result: Any, name: str, asked: dict[str, Any], title: str = "") -> Any:
        record = record_of(result, source, settings=asked)
        files.extend(dugraph.save_result(record, folder / name, title=title).files)
        return record

    say("[2/5] mining the best subgraphs ...")
    records = []
    for score, measure in METHODS:
        name = method_name(measure, score)
        asked: dict[str, Any] = {"score": score, "measure": measure, "n_subgraphs": N_LISTED}
        asked["n_jobs"] = settings.n_jobs
        records.append(save(dugraph.mine_subgraphs(source.cohort, **asked), name, asked))
        _print_best(name, records[-1], cohort)
    best: MiningResult = records[0].result
    say("[3/5] testing which differences are real ...")
    # As frequent as the mined ones, so that every listed subgraph is among those tested.
    asked = {"min_expected_frequency": 0.2, **seed, "n_jobs": settings.n_jobs}
    tested = save(dugraph.significant_subgraphs(source.cohort, **asked), "test", asked)
    print_result(tested.result, N_SHOWN)
    print()
    say(f"[4/5] cross-validating on {N_SPLITS} splits, mining in each training set ...")
    methods = [*(method_name(measure, score) for score, measure in METHODS), ALL_EDGES]
    asked = {"methods": methods, "n_subgraphs": list(SIZES), "n_jobs": settings.n_jobs}
    splits = dugraph.RandomSplits(N_SPLITS, random_state=settings.random_state)
    compared = dugraph.evaluate(source.cohort, **asked, cv=splits)
    title = f"accuracy of a tuned ridge classifier on unseen graphs, {N_SPLITS} splits 80/20"
    _print_accuracy(compared, title, cohort.graphs.n_edges)
    evaluation = save(compared, "evaluation", {**asked, "n_splits": N_SPLITS, **seed}, title)
    say("[5/5] drawing and writing the report ...")
    files += _draw(folder / "subgraphs.png", tested.result)
    print("files:")
    for file in files:
        print(f"  {escaped(file)}")
    page = folder / "report.html"
    dugraph.write_report(records[0], evaluation=evaluation, test=tested, output=page)
    print(f"\nreport, to open in a browser:\n  {escaped(page)}")
    _sum_up(cohort, best, tested.result, compared, time.perf_counter() - begin)
    print(f"To look at the results in the app: dugraph app {shlex.quote(escaped(folder))}")
    return ExitCode.DONE


def _print_best(name: str, record: SubgraphRecord, cohort: SimulatedCohort) -> None:
    result = record.result
    rows = [
        (
            *(one.rank, one.value, one.frequency_positive, one.frequency_negative),
            _relation_to_planted(one.edges, cohort.graphs, cohort.planted),
            ", ".join(one.edge_names(cohort.graphs)),
        )
        for one in record.subgraphs[:N_SHOWN]
    ]
    title = f"{name}: the best {N_SHOWN} of {len(result)}, {result.status.value} in {result.seconds:.2f} s"
    print_table(title, ("rank", "value", "patients", "controls", "planted", "edges"), rows)
    print()


def _print_accuracy(result: EvaluationResult, title: str, n_edges: int) -> None:
    accuracy = 1 - result.values("error")
    rows = []
    for i, method in enumerate(result.methods):
        # All edges are all of them, whatever number is asked for.
        for j, size in enumerate((n_edges,) if method == ALL_EDGES else SIZES):
            rows.append((method, size, f"{accuracy[i, j].mean():.3f}", f"{accuracy[i, j].std():.3f}"))
    print_table(title, ("features", "number", "mean", "sd"), rows)
    print()


def _draw(path: Path, result: SignificanceResult) -> list[Path]:
    try:
        figure = dugraph.plot.subgraph_figure(result, family="all", width="two")
    except InputError as error:  # nothing is significant, or matplotlib is missing
        say(f"No picture was drawn. {error}")
        return []
    return [dugraph.plot.save_figure(figure, path, dpi=150)]


def _sum_up(
    cohort: SimulatedCohort,
    result: MiningResult,
    test: SignificanceResult,
    evaluation: EvaluationResult,
    seconds: float,
) -> None:
    planted, n = cohort.planted, len(cohort.planted)
    ranks = sorted(result.subgraphs.index(one) + 1 for one in planted if one in result.subgraphs)
    where = f" at ranks {', '.join(map(str, ranks))}" if ranks else ""
    print(f"\n{len(ranks)} of {n} planted subgraphs recovered by exp-hsic{where}.")
    p_values = dict(zip(test.subgraphs, test.p_values.tolist(), strict=True))
    real = numbers([p_values[one] for one in planted if one in p_values], ".3g")
    values = f": adjusted p = {', '.join(real)}" if real else ""
    print(f"{len(real)} of {n} planted subgraphs are significant{values}.")
    accuracy = 1 - evaluation.mean("error")
    (few, many), edges = accuracy[0], accuracy[-1, 0]
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
