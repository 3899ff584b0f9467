"""`dugraph sparse`: a sparse linear model over all connected subgraphs, as a table and as files."""

import argparse
import time
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.folder_run import (
    SHOWN_ROWS,
    add_covariates_argument,
    add_folder_arguments,
    add_phenotype_argument,
    open_source,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.cli.progress import path_progress, say
from dugraph.cli.table import NumberText, print_table
from dugraph.exceptions import InputError, Setting
from dugraph.words import LOSSES, SQUARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dugraph import LabelledGraphs, SparseSubgraphClassifier, SparseSubgraphRegressor
    from dugraph.results import SubgraphRecord

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
    # Before the table: a broken pipe on stdout must not lose the files.
    saved = write_folder(options, record, seconds)
    _print_fit(record, seconds)
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
    """Return the unfitted estimator for these labels."""
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


def _print_fit(record: "SubgraphRecord", seconds: float) -> None:
    """Print the model, or the models of several groups."""
    (_print_groups if record.models else _print_model)(record, seconds)


def _print_model(record: "SubgraphRecord", seconds: float) -> None:
    from dugraph.cli.inputs import class_headings
    from dugraph.data.phenotype import PHENOTYPE
    from dugraph.data.wording import counted

    model, cohort = record.result, record.cohort
    n = counted(len(record.subgraphs), "subgraph")
    title = f"{n} at the penalty {model.alpha_:.4g}; positive coefficients "
    if cohort.kind == PHENOTYPE:
        title += (
            f"predict a larger {record.source.phenotype or 'phenotype'}; expected frequency in all graphs"
        )
    else:
        title += f"favour {cohort.names[0]}; expected frequency in both classes"
    rows = [
        (
            *(s.rank, f"{s.value:+.4g}", *(s.by_group or [s.frequency])),
            ", ".join(s.edge_names(cohort.graphs)),
        )
        for s in record.subgraphs[:SHOWN_ROWS]
    ]
    _print_ranking(title, ("rank", "coefficient", *class_headings(cohort), "edges"), rows, record)
    _print_covariates([(name, _signed(value)) for name, value in record.covariates], ("coefficient",))
    print(
        f"{model.model_.status.value} in {seconds:.2f} s: penalty {model.alpha_:.6g}, objective "
        f"{model.objective_:.6g}, duality gap {model.duality_gap_:.2g}, {n}; all admitted subgraphs were "
        f"searched {counted(model.n_searches_, 'time')}"
    )


def _print_groups(record: "SubgraphRecord", seconds: float) -> None:
    from dugraph.data.wording import counted, shown

    models, graphs = record.models, record.cohort.graphs
    names = [shown(one.group) for one in models]
    n = counted(len(record.subgraphs), "subgraph")
    rows = [
        (
            *(s.rank, *(_signed(one.coefficients[k]) for one in models)),
            ", ".join(s.edge_names(graphs)),
        )
        for k, s in enumerate(record.subgraphs[:SHOWN_ROWS])
    ]
    title = f"{n}; positive coefficients favour a group against the rest"
    _print_ranking(title, ("rank", *names, "edges"), rows, record)
    of_groups = zip(*(one.covariates for one in models), strict=True)
    covariates = [(same[0][0], *(_signed(value) for _, value in same)) for same in of_groups]
    _print_covariates(covariates, names)
    if not covariates:
        print()
    proven = [
        (
            name,
            NumberText(f"{one.alpha:.4g}"),
            sum(value != 0 for value in one.coefficients),
            NumberText(f"{one.objective:.6g}"),
            NumberText(f"{one.duality_gap:.2g}"),
        )
        for name, one in zip(names, models, strict=True)
    ]
    print_table("one model for each group", ("group", "penalty", "subgraphs", "objective", "gap"), proven)
    print(
        f"\n{record.proof['status']} in {seconds:.2f} s; all admitted subgraphs were searched "
        f"{counted(record.counters['n_searches'], 'time')}"
    )


def _signed(value: float) -> str:
    # Empty for a group whose model does not use the subgraph.
    return NumberText(f"{value:+.4g}" if value else "")


def _print_ranking(
    title: str, headings: tuple[str, ...], rows: "Sequence[Any]", record: "SubgraphRecord"
) -> None:
    print_table(title, headings, rows)
    if len(record.subgraphs) > SHOWN_ROWS:
        print(f"... and {len(record.subgraphs) - SHOWN_ROWS} more")


def _print_covariates(rows: "Sequence[Any]", headings: "Sequence[str]") -> None:
    if rows:
        # Further rows, such as those of many sites, are in the folder.
        print()
        print_table("covariates (not penalised)", ("covariate", *headings), rows[:SHOWN_ROWS])
        print()
