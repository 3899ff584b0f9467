"""`dugraph demo`: the whole way in one command, on a simulated cohort with known answers."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.json_text import json_bytes
from dugraph.cli.progress import say
from dugraph.cli.table import print_table
from dugraph.cli.wording import escaped, method_name

if TYPE_CHECKING:
    from dugraph import MiningResult
    from dugraph.cli.demo_study import Accuracy, Method
    from dugraph.cli.ranking import RankedSubgraph
    from dugraph.data import SimulatedCohort

DESCRIPTION = """\
Simulate a cohort, mine it, cross-validate a classifier, write the results: under a minute.
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
    from dugraph.cli.result_files import file_digest
    from dugraph.cli.simulate import planted_file, planted_record
    from dugraph.data.atomic import make_folder, write_files

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
    accuracies = _cross_validate(cohort, options)
    say("[4/4] drawing ...")
    files += _draw(folder / "subgraphs.png", cohort, results[METHODS[0]])
    print("files:")
    for file in files:
        print(f"  {escaped(file)}")
    _sum_up(cohort, results[METHODS[0]], accuracies, time.perf_counter() - begin)
    return ExitCode.DONE


def _mine(
    method: "Method", cohort: "SimulatedCohort", cohort_file: Path, digest: str, n_jobs: int
) -> tuple["MiningResult", list[Path]]:
    from dugraph import mine_subgraphs
    from dugraph.cli.demo_study import proven
    from dugraph.cli.mine import SEARCH_OPTIONS
    from dugraph.cli.ranking import ranked_subgraphs
    from dugraph.cli.result_folder import write_result_folder

    graphs, y, _ = cohort
    asked = {**method._asdict(), "n_subgraphs": N_LISTED, "n_jobs": n_jobs}
    result = proven(mine_subgraphs(graphs, y, **asked))
    ranked = ranked_subgraphs(result, graphs, y)
    _print_best(method_name(method.measure, method.score), result, ranked, cohort)
    settings = {**dict.fromkeys(SEARCH_OPTIONS), **asked}
    folder = cohort_file.parent / method_name(method.measure, method.score)
    files, _ = write_result_folder(folder, str(cohort_file), digest, graphs, y, settings, result, ranked)
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


def _cross_validate(cohort: "SimulatedCohort", options: argparse.Namespace) -> "list[Accuracy]":
    from dugraph.cli.demo_study import ALL_EDGES, METHODS, SIZES, cross_validate, mean_and_spread

    graphs, y, _ = cohort
    accuracies = list(cross_validate(graphs, y, N_SPLITS, options.random_state, options.n_jobs))
    rows = []
    for method, size in [(m, s) for m in METHODS for s in SIZES] + [(ALL_EDGES, graphs.n_edges)]:
        name = method if isinstance(method, str) else method_name(method.measure, method.score)
        rows.append((name, size, *(f"{x:.3f}" for x in mean_and_spread(accuracies, method, size))))
    title = f"accuracy of a linear SVM on unseen graphs, {N_SPLITS} splits 80/20"
    print_table(title, ("features", "number", "mean", "sd"), rows)
    print()
    return accuracies


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


def _sum_up(
    cohort: "SimulatedCohort", result: "MiningResult", accuracies: "list[Accuracy]", seconds: float
) -> None:
    from dugraph.cli.demo_study import ALL_EDGES, METHODS, SIZES, mean_and_spread

    found = [result.subgraphs.index(g) + 1 for g in cohort.planted if g in result.subgraphs]
    where = f" at ranks {', '.join(map(str, sorted(found)))}" if found else ""
    few, many = (mean_and_spread(accuracies, METHODS[0], size)[0] for size in SIZES)
    edges = mean_and_spread(accuracies, ALL_EDGES, cohort.graphs.n_edges)[0]
    print(f"\n{len(found)} of {len(cohort.planted)} planted subgraphs recovered by exp-hsic{where}.")
    print(
        f"Accuracy on unseen graphs: {few:.3f} with {SIZES[0]} subgraphs, {many:.3f} with {SIZES[1]}, "
        f"{edges:.3f} with all {cohort.graphs.n_edges} edges."
    )
    print(f"Every list is proven to be the best there is; all together took {seconds:.1f} s.")
