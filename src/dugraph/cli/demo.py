"""`dugraph demo`: the whole way in one command, on a simulated cohort with known answers."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.progress import say
from dugraph.cli.table import print_table
from dugraph.cli.wording import escaped
from dugraph.exceptions import InputError
from dugraph.files.json_text import json_bytes
from dugraph.words import method_name

if TYPE_CHECKING:
    from dugraph import EvaluationResult, MiningResult
    from dugraph.cli.demo_study import Method
    from dugraph.cli.ranking import RankedSubgraph
    from dugraph.simulation import SimulatedCohort

DESCRIPTION = """\
Simulate a cohort, mine it, cross-validate a classifier, write a report: under a minute.
The cohort resembles the paper's ADHD data: 200 brain networks of 116 regions, half of them patients,
with three planted subgraphs to be found again."""
EXAMPLE = "  dugraph demo -o dugraph-demo"

N_LISTED, N_SHOWN, N_SPLITS = 100, 10, 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "-o",
        "--output",
        default="dugraph-demo",
        metavar="FOLDER",
        help="where to write (default: ./dugraph-demo)",
    )
    # With this seed the planted subgraphs lie apart, which makes the picture clear.
    parser.add_argument("--random-state", type=int, default=3, metavar="SEED", help="seed (default: 3)")
    parser.add_argument("--n-jobs", type=int, default=1, metavar="N", help="threads (default: 1)")


def run(options: argparse.Namespace) -> int:
    """Simulate, mine, cross-validate, draw; name the files and sum up."""
    from dugraph import save_cohort, simulate
    from dugraph.cli.demo_study import METHODS
    from dugraph.cli.result_record import file_digest
    from dugraph.cli.simulate import planted_file, planted_record
    from dugraph.files.atomic import make_folder, write_files

    begin = time.perf_counter()
    folder = make_folder(options.output)
    say("[1/4] simulating 200 brain networks ...")
    settings: dict[str, Any] = {"like": "adhd", "random_state": options.random_state}
    cohort = simulate(**settings)
    cohort_file = folder / "cohort.npz"
    save_cohort(cohort_file, cohort.graphs, cohort.y)
    planted = write_files(
        folder, {planted_file(cohort_file).name: json_bytes(planted_record(cohort, settings))}
    )
    files = [cohort_file, *planted]
    digest = file_digest(cohort_file)
    say("[2/4] mining the best subgraphs ...")
    results = {}
    for method in METHODS:
        results[method], written = _mine(method, cohort, cohort_file, digest, options.n_jobs)
        files += written
    say(f"[3/4] cross-validating on {N_SPLITS} splits, mining in each training part ...")
    evaluation, written = _cross_validate(cohort, cohort_file, options)
    say("[4/4] drawing and writing the report ...")
    files += written + _draw(folder / "subgraphs.png", cohort, results[METHODS[0]])
    print("files:")
    for file in files:
        print(f"  {escaped(file)}")
    _report(folder, cohort_file, results[METHODS[0]].seconds)
    _sum_up(cohort, results[METHODS[0]], evaluation, time.perf_counter() - begin)
    return ExitCode.DONE


def _mine(
    method: "Method", cohort: "SimulatedCohort", cohort_file: Path, digest: str, n_jobs: int
) -> tuple["MiningResult", list[Path]]:
    from dugraph import mine_subgraphs
    from dugraph.cli.demo_study import proven
    from dugraph.cli.mine import SEARCH_OPTIONS, write_mined
    from dugraph.cli.ranking import ranked_subgraphs
    from dugraph.cli.result_record import Source

    graphs, y, _ = cohort
    asked = {**method._asdict(), "n_subgraphs": N_LISTED, "n_jobs": n_jobs}
    result = proven(mine_subgraphs(graphs, y, **asked))
    ranked = ranked_subgraphs(result.subgraphs, result.values, graphs, y)
    _print_best(method_name(method.measure, method.score), result, ranked, cohort)
    settings = {**dict.fromkeys(SEARCH_OPTIONS), **asked}
    folder = cohort_file.parent / method_name(method.measure, method.score)
    files, _ = write_mined(folder, Source(str(cohort_file), digest, graphs, y), settings, result, ranked)
    return result, files


def _print_best(
    name: str, result: "MiningResult", ranked: "list[RankedSubgraph]", cohort: "SimulatedCohort"
) -> None:
    from dugraph.cli.demo_study import relation_to_planted

    rows = [
        (
            s.rank,
            s.value,
            s.frequency_positive,
            s.frequency_negative,
            relation_to_planted(s.edges, cohort.graphs, cohort.planted),
            ", ".join(s.edge_names),
        )
        for s in ranked[:N_SHOWN]
    ]
    title = f"{name}: the best {N_SHOWN} of {len(result)}, {result.status.value} in {result.seconds:.2f} s"
    print_table(title, ("rank", "value", "patients", "controls", "planted", "edges"), rows)
    print()


def _cross_validate(
    cohort: "SimulatedCohort", cohort_file: Path, options: argparse.Namespace
) -> tuple["EvaluationResult", list[Path]]:
    from dugraph import evaluate_methods
    from dugraph.cli.demo_study import ALL_EDGES, METHODS, SIZES
    from dugraph.cli.evaluate import OPTIONS, write_record

    graphs, y, _ = cohort
    asked: dict[str, Any] = {
        "methods": [*(method_name(method.measure, method.score) for method in METHODS), ALL_EDGES],
        "n_subgraphs": list(SIZES),
        "n_splits": N_SPLITS,
        "random_state": options.random_state,
        "n_jobs": options.n_jobs,
    }
    result = evaluate_methods(graphs, y, **asked)
    title = f"accuracy of a linear SVM on unseen graphs, {N_SPLITS} splits 80/20"
    rows = []
    for i, method in enumerate(result.methods):
        for j, size in enumerate(SIZES):
            accuracy = 1 - result.values("error")[i, j]
            # All edges are all of them, whatever number is asked for.
            if method != ALL_EDGES or j == 0:
                number = graphs.n_edges if method == ALL_EDGES else size
                rows.append((method, number, f"{accuracy.mean():.3f}", f"{accuracy.std():.3f}"))
    print_table(title, ("features", "number", "mean", "sd"), rows)
    print()
    folder = cohort_file.parent / "evaluation"
    written = result.save(folder, title)
    return result, written + write_record(folder, str(cohort_file), y, {**dict.fromkeys(OPTIONS), **asked})


def _draw(path: Path, cohort: "SimulatedCohort", result: "MiningResult") -> list[Path]:
    from dugraph.plot import draw_subgraphs

    graphs, y, planted = cohort
    title = (
        f"The best subgraphs by expected HSIC: {(y == 1).sum()} simulated patients, {(y == 0).sum()} controls"
    )
    best = result.subgraphs[:N_SHOWN]
    classes = ("patients", "controls")
    try:
        draw_subgraphs(path, graphs, best, y == 1, title=title, class_names=classes, planted=planted)
    except ImportError:
        say("The picture was left out, since matplotlib is missing: pip install 'dugraph[report]'.")
        return []
    return [path]


def _report(folder: Path, cohort_file: Path, seconds: float) -> None:
    from dugraph import write_report
    from dugraph.cli.demo_study import METHODS

    mined = folder / method_name(METHODS[0].measure, METHODS[0].score)
    page = folder / "report.html"
    try:
        write_report(mined, data=cohort_file, evaluation=folder / "evaluation", output=page, seconds=seconds)
    except InputError as error:
        say(f"The report was left out. {error}")
    else:
        print(f"\nreport, to be opened in a browser:\n  {escaped(page)}")


def _sum_up(
    cohort: "SimulatedCohort", result: "MiningResult", evaluation: "EvaluationResult", seconds: float
) -> None:
    from dugraph.cli.demo_study import SIZES

    found = [result.subgraphs.index(g) + 1 for g in cohort.planted if g in result.subgraphs]
    where = f" at ranks {', '.join(map(str, sorted(found)))}" if found else ""
    accuracy = 1 - evaluation.mean("error")
    (few, many), edges = accuracy[0], accuracy[-1, 0]
    print(f"\n{len(found)} of {len(cohort.planted)} planted subgraphs recovered by exp-hsic{where}.")
    print(
        f"Accuracy on unseen graphs: {few:.3f} with {SIZES[0]} subgraphs, {many:.3f} with {SIZES[1]}, "
        f"{edges:.3f} with all {cohort.graphs.n_edges} edges."
    )
    print(f"Every list is proven to be the best there is; all together took {seconds:.1f} s.")
