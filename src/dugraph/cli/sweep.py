"""`dugraph sweep`: the paper's parameter, pruning and scaling studies on a cohort file."""

import argparse
import warnings
from typing import Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.lists import numbers, whole_numbers, words
from dugraph.cli.progress import say
from dugraph.cli.table import print_table
from dugraph.exceptions import FewerSubgraphsWarning, InputError
from dugraph.files.plain_text import escaped
from dugraph.words import PAPER_DATASETS, STUDIES

DESCRIPTION = """\
Repeat the paper's studies: phi against error and F1, time against min_sup, time against the number of graphs.
phi: phi-hsic under the protocol of `dugraph evaluate`. pruning: exp-hsic without pruning, with the paper's
and with ours. scaling: mod-hsic, next to brute force over possible worlds as far as it gets. Each study
writes a CSV file and, if matplotlib is installed, pictures."""
EXAMPLE = """\
  dugraph sweep cohort.npz --studies phi,pruning -o studies
  dugraph sweep cohort.npz --studies phi --like-paper adhd -o studies
  dugraph sweep cohort.npz --studies scaling --time-limit 10 -o studies"""

ARGUMENTS = (
    *("phis", "n_splits", "n_subgraphs", "min_expected_frequency", "min_expected_frequencies", "n_graphs"),
    *("time_limit", "random_state", "n_jobs"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add(
        "--studies",
        type=words,
        default=list(STUDIES),
        metavar="NAMES",
        help=f"of {', '.join(STUDIES)}, with commas between them (default: all)",
    )
    add(
        "--phis",
        type=numbers,
        default=[0.01, 0.02, 0.03, 0.04, 0.05, 0.06],
        metavar="NUMBERS",
        help="(default: 0.01,0.02,0.03,0.04,0.05,0.06)",
    )
    add("--n-splits", type=int, default=20, metavar="N", help="random splits, for phi (default: 20)")
    add(
        "--n-subgraphs",
        type=whole_numbers,
        default=[100, 200, 300, 400, 500],
        metavar="NUMBERS",
        help="numbers of features, for phi; the others take the first (default: 100,200,300,400,500)",
    )
    add(
        "--min-expected-frequency",
        type=float,
        metavar="F",
        help="for phi and scaling (default: 0.2, or that of --like-paper)",
    )
    add(
        "--like-paper",
        choices=PAPER_DATASETS,
        help="the paper's min_sup of 20, 40, 40 %%; for adhd 100 + 100 graphs are drawn",
    )
    add(
        "--min-expected-frequencies",
        type=numbers,
        default=[0.6, 0.5, 0.4, 0.3, 0.2],
        metavar="NUMBERS",
        help="for pruning (default: 0.6,0.5,0.4,0.3,0.2)",
    )
    add(
        "--n-graphs", type=whole_numbers, metavar="NUMBERS", help="for scaling (default: 4,8,12,16,20,40,...)"
    )
    add(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="for each search and brute force (default: 60)",
    )
    add("--pos-label", metavar="CLASS", help="the positive class (default: the last in sorted order)")
    add("--random-state", type=int, default=0, metavar="SEED", help="seed (default: 0)")
    add("--n-jobs", type=int, default=1, metavar="N", help="processes, for phi (default: 1)")
    add("-o", "--output", required=True, metavar="FOLDER", help="where to write")


def run(options: argparse.Namespace) -> int:
    """Run the studies one after the other; print and write each as soon as it is done."""
    from dugraph.evaluation.checks import check_seed
    from dugraph.evaluation.paper_settings import like_paper_graphs
    from dugraph.evaluation.protocol import MIN_EXPECTED_FREQUENCY
    from dugraph.evaluation.sweep_checks import check_studies
    from dugraph.files.atomic import make_folder
    from dugraph.files.one_folder import write_files
    from dugraph.results.source import cohort_source

    unknown = [name for name in options.studies if name not in STUDIES]
    if unknown:
        raise InputError(f"A study must be one of {', '.join(STUDIES)}; got {unknown[0]!r}.")
    cohort = cohort_source(options.data, "the studies need", options.pos_label).cohort
    check_seed(options.random_state)
    cohort, limit = like_paper_graphs(cohort, options.like_paper, options.random_state)
    if options.min_expected_frequency is None:
        options.min_expected_frequency = MIN_EXPECTED_FREQUENCY if limit is None else limit
    check_studies(options.studies, cohort, **{name: getattr(options, name) for name in ARGUMENTS})
    folder = make_folder(options.output)
    for name in options.studies:
        say(f"study {name} ...")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", FewerSubgraphsWarning)
            study = _study(name, cohort, options)
        # Before the table: if its reader is gone, the files must not be lost.
        written = write_files(folder, {f"{study.name}.csv": study.csv().encode(), **_pictures(study)})
        print_table(study.title, study.columns, [["" if v is None else v for v in row] for row in study.rows])
        print()
        for note in dict.fromkeys(str(warning.message) for warning in told):
            say(f"dugraph: {escaped(note)}")
        for path in written:
            say(f"written: {escaped(path)}")
    return ExitCode.DONE


def _study(name: str, cohort: Any, options: argparse.Namespace) -> Any:
    from dugraph.evaluation import phi_study, pruning_study, scaling_study

    if name == "phi":
        names = ("phis", "n_splits", "n_subgraphs", "min_expected_frequency", "random_state", "n_jobs")
        cache = f"{options.output}/cache"
        asked = {name: getattr(options, name) for name in names}
        return phi_study(cohort, cache=cache, **asked)
    common = {"time_limit": options.time_limit}
    first = options.n_subgraphs[0]
    if name == "pruning":
        limits = options.min_expected_frequencies
        return pruning_study(cohort, min_expected_frequencies=limits, n_subgraphs=first, **common)
    return scaling_study(
        cohort,
        n_graphs=options.n_graphs,
        n_subgraphs=first,
        min_expected_frequency=options.min_expected_frequency,
        random_state=options.random_state,
        **common,
    )


def _pictures(study: Any) -> dict[str, bytes]:
    from dugraph.plot.study import study_picture

    columns = {"phi": ("error", "f1")}.get(study.name, (study.y,))
    try:
        return {f"{study.name}_{column}.png": study_picture(study, column) for column in columns}
    except InputError as error:
        say(f"No pictures were drawn. {error}")
        return {}
