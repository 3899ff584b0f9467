"""`dugraph sparse`: a sparse linear model over all connected subgraphs, as a table and as files."""

import argparse
import time
from typing import TYPE_CHECKING

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import (
    add_covariates_argument,
    add_folder_arguments,
    add_phenotype_argument,
    open_source,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.cli.progress import path_progress, say
from dugraph.cli.sparse_table import print_fit
from dugraph.exceptions import InputError, Setting
from dugraph.words import LOSSES, SQUARED

if TYPE_CHECKING:
    from dugraph import LabelledGraphs, SparseSubgraphClassifier, SparseSubgraphRegressor

DESCRIPTION = """\
Fit a linear model over ALL connected subgraphs; its penalty keeps a few that complement each other.
With two classes it is a classifier, and positive coefficients favour the positive class; with several groups
there is one for each group against the rest; with numbers (more than two values) it is a regression.
Covariates are not penalised, and prediction needs them too.
Prints a table. With -o, a folder gets the files of `dugraph mine`, and path.csv with every penalty tried:
see docs/sparse.md and docs/results.md.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph sparse cohort.npz --n-nonzero 10 --min-expected-frequency 0.3 -o model
  dugraph sparse cohort.npz --alpha 0.02
  dugraph sparse cohort.npz --alpha cv --cv 3 --n-alphas 10 --report -o model
  dugraph sparse cohort.npz --phenotype age --covariates site,sex -o age
  dugraph sparse cohort.npz --phenotype diagnosis --n-nonzero 5 -o diagnoses"""

FIT_OPTIONS = (
    *("alpha", "n_nonzero", "loss", "covariates", "min_expected_frequency", "max_edges", "n_alphas"),
    *("alpha_min_ratio", "cv", "tol", "n_jobs", "time_limit"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command: the words of `dugraph.SparseSubgraphClassifier`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="cohort file (.npz)")
    add(
        "--alpha",
        type=_penalty,
        metavar="A",
        help="the penalty, or cv to choose it by cross-validation (default: cv, or by --n-nonzero if given)",
    )
    add("--n-nonzero", type=int, metavar="N", help="at most this many subgraphs")
    add_phenotype_argument(parser, "fit")
    add_covariates_argument(parser)
    add(
        "--loss",
        choices=(*LOSSES, SQUARED),
        help="default: logistic for classes, which gives probabilities; squared for a phenotype",
    )
    add(
        "--min-expected-frequency",
        type=float,
        default=0.2,
        metavar="F",
        help="admit subgraphs above this expected frequency (default: 0.2)",
    )
    add("--max-edges", type=int, metavar="N", help="only subgraphs of at most N edges (default: any)")
    add("--n-alphas", type=int, default=30, metavar="N", help="penalties on the path (default: 30)")
    add(
        "--alpha-min-ratio",
        type=float,
        default=0.01,
        metavar="R",
        help="smallest penalty as a share of the largest (default: 0.01)",
    )
    add("--cv", type=int, default=5, metavar="N", help="folds for --alpha cv (default: 5)")
    add(
        "--tol",
        type=float,
        default=1e-4,
        metavar="T",
        help="duality gap to reach, as a share of the loss without subgraphs (default: 0.0001)",
    )
    add_folder_arguments(parser)


def _penalty(text: str) -> float | str:
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or cv, but is {text!r}") from None


def run(options: argparse.Namespace) -> int:
    """Fit, write the files, print the table."""
    from dugraph import LabelledGraphs
    from dugraph.data.phenotype import CLASSES
    from dugraph.results import record_of

    source = open_source(options, "a fit", phenotype=options.phenotype, labelled=LabelledGraphs.of_any)
    cohort = source.cohort
    model = _model(options, cohort)
    given = (cohort,) if cohort.kind == CLASSES else (cohort.graphs, cohort.y)
    begin = time.perf_counter()
    without_warnings(lambda: model.fit(*given))
    seconds = time.perf_counter() - begin
    record = record_of(model, source)
    # Before the table: if its reader is gone, the files must not be lost.
    saved = write_folder(options, record, seconds)
    print_fit(record, seconds)
    if not record.subgraphs:
        say(
            "dugraph: at this penalty the model uses no subgraph, so all graphs get the same answer. Lower "
            "--alpha, or ask for a number with --n-nonzero."
        )
    say_written(saved)
    if record.proof["success"]:
        return ExitCode.DONE
    say(f"dugraph: {record.proof['message']}")
    return ExitCode.LIMIT_REACHED


def _model(
    options: argparse.Namespace, cohort: "LabelledGraphs"
) -> "SparseSubgraphClassifier | SparseSubgraphRegressor":
    """The estimator of these labels, not yet fitted."""
    from dugraph import SparseSubgraphClassifier, SparseSubgraphRegressor
    from dugraph.data.phenotype import GROUPS, PHENOTYPE
    from dugraph.data.wording import counted

    settings = {name: getattr(options, name) for name in FIT_OPTIONS}
    if settings["alpha"] is None and settings["n_nonzero"] is None:
        settings["alpha"] = "cv"
    settings["progress"] = path_progress("fitting", options.progress)
    loss = settings.pop("loss")
    if loss is not None and (loss == SQUARED) != (cohort.kind == PHENOTYPE):
        what = "continuous phenotypes" if loss == SQUARED else "classes"
        there = {PHENOTYPE: "continuous", GROUPS: counted(len(cohort.classes), "group")}
        raise InputError(
            (
                Setting("loss", loss),
                f" is for {what}, but the labels are {there.get(cohort.kind, 'two classes')}.",
            ),
            parameter="loss",
            way_out=("Leave ", Setting("loss"), " out."),
        )
    if cohort.kind == PHENOTYPE:
        return SparseSubgraphRegressor(**settings)
    return SparseSubgraphClassifier(**settings, loss=loss or LOSSES[0])
