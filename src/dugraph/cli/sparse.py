"""`dugraph sparse`: a sparse linear model over all connected subgraphs, as a table and as files."""

import time
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import (
    accepted_labels,
    class_headings,
    open_source,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.exceptions import InputError, Setting
from dugraph.settings import SparseSettings
from dugraph.words import LOSSES, SQUARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dugraph import LabelledGraphs, SparseSubgraphClassifier, SparseSubgraphRegressor
    from dugraph.results import SubgraphRecord

DESCRIPTION = """\
Fit a linear model over ALL connected subgraphs, with an L1 penalty that selects a few complementary ones.
With two classes it is a classifier, and positive coefficients favour the positive class; with several groups
there is one model for each group against the rest; for a numeric phenotype (more than two values) it is a
regression. Covariates are not penalised and are needed for prediction too.
Prints a table. With -o, writes a folder with the files of `dugraph mine`, and path.csv with all penalties:
see docs/sparse.md and docs/results.md.
`--config FOLDER/config.toml` repeats a run; flags on the command line override the file."""
EXAMPLE = """\
  dugraph sparse cohort.npz --n-nonzero 10 --min-expected-frequency 0.3 -o model
  dugraph sparse cohort.npz --alpha 0.02
  dugraph sparse cohort.npz --alpha cv --cv 3 --n-alphas 10 --report -o model
  dugraph sparse cohort.npz --phenotype age --covariates site,sex -o age
  dugraph sparse cohort.npz --phenotype diagnosis --n-nonzero 5 -o diagnoses"""

SETTINGS = SparseSettings


def run(settings: SparseSettings) -> int:
    """Fit, write the files, print the table."""
    from dugraph.data.labels import CLASSES
    from dugraph.results import record_of

    source = open_source(settings, "a fit", phenotype=settings.phenotype, labelled=accepted_labels(settings))
    cohort = source.cohort
    model = _model(settings, cohort)
    given = (cohort,) if cohort.kind == CLASSES else (cohort.graphs, cohort.y)
    begin = time.perf_counter()
    without_warnings(lambda: model.fit(*given))
    seconds = time.perf_counter() - begin
    record = record_of(model, source, settings=settings.kept_values())
    # Before the table: a broken pipe on stdout must not lose the files.
    saved = write_folder(settings, record, seconds)
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
    settings: SparseSettings, cohort: "LabelledGraphs"
) -> "SparseSubgraphClassifier | SparseSubgraphRegressor":
    """Return the unfitted estimator for these labels."""
    from dugraph import SparseSubgraphClassifier, SparseSubgraphRegressor
    from dugraph.data.arguments import counted
    from dugraph.data.labels import GROUPS, PHENOTYPE
    from dugraph.sparse.path import path_line

    asked = settings.arguments()
    if settings.alpha is None and settings.n_nonzero is None:
        asked["alpha"] = "cv"
    asked["progress"] = progress("fitting", settings.progress, path_line)
    loss = asked.pop("loss")
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
        if asked.pop("class_weight") is not None:
            raise InputError(
                (Setting("class_weight"), " is for classes, but the labels are continuous."),
                parameter="class_weight",
                way_out=("Leave ", Setting("class_weight"), " out."),
            )
        return SparseSubgraphRegressor(**asked)
    return SparseSubgraphClassifier(**asked, loss=loss or LOSSES[0])


def _print_fit(record: "SubgraphRecord", seconds: float) -> None:
    """Print the model, or the models of several groups."""
    (_print_groups if record.models else _print_model)(record, seconds)


def _print_model(record: "SubgraphRecord", seconds: float) -> None:
    from dugraph.data.arguments import counted
    from dugraph.data.labels import PHENOTYPE

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
    from dugraph.data.arguments import abbreviate, counted

    models, graphs = record.models, record.cohort.graphs
    names = [abbreviate(one.group) for one in models]
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
