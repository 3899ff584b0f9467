"""`dugraph sparse`: a sparse linear model over all connected subgraphs, as a table and as files."""

from __future__ import annotations

import time
from typing import Any

from dugraph import LabelledGraphs, SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.cli.output import SHOWN_ROWS, ExitCode, NumberText, print_table, progress, say
from dugraph.cli.run import (
    class_headings,
    open_source,
    say_written,
    without_warnings,
    write_folder,
)
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError, Setting
from dugraph.results import SubgraphRecord, record_of
from dugraph.settings import SparseSettings
from dugraph.sparse.path import path_line
from dugraph.words import LOSSES, SQUARED


def sparse(settings: SparseSettings) -> int:
    """Fit, write the files, print the table."""
    source = open_source(settings, "a fit")
    cohort = source.cohort
    model = _model(settings, cohort)
    given = (cohort,) if cohort.kind == CLASSES else (cohort.graphs, cohort.y)
    begin = time.perf_counter()
    without_warnings(lambda: model.fit(*given))
    seconds = time.perf_counter() - begin
    record: SubgraphRecord = record_of(model, source, settings=settings.kept_values())
    # Before the table: a broken pipe on stdout must not lose the files.
    saved = write_folder(settings, record, seconds)
    (_print_groups if record.models else _print_model)(record, seconds)
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
    settings: SparseSettings, cohort: LabelledGraphs
) -> SparseSubgraphClassifier | SparseSubgraphRegressor:
    """Return the unfitted estimator for these labels."""
    asked = settings.arguments()
    if settings.alpha is None and settings.n_nonzero is None:
        asked["alpha"] = "cv"
    asked["progress"] = progress("fitting", settings.progress, path_line)
    loss, is_phenotype = asked.pop("loss"), cohort.kind == PHENOTYPE
    if loss is not None and (loss == SQUARED) != is_phenotype:
        what = "continuous phenotypes" if loss == SQUARED else "classes"
        there = {PHENOTYPE: "continuous", GROUPS: counted(len(cohort.classes), "group")}
        labels = f" is for {what}, but the labels are {there.get(cohort.kind, 'two classes')}."
        raise _inapplicable(Setting("loss", loss), labels)
    if not is_phenotype:
        return SparseSubgraphClassifier(**asked, loss=loss or LOSSES[0])
    if asked.pop("class_weight") is not None:
        raise _inapplicable(Setting("class_weight"), " is for classes, but the labels are continuous.")
    return SparseSubgraphRegressor(**asked)


def _inapplicable(given: Setting, why: str) -> InputError:
    name = given.parameter
    return InputError((given, why), parameter=name, way_out=("Leave ", Setting(name), " out."))


def _print_model(record: SubgraphRecord, seconds: float) -> None:
    model, cohort = record.result, record.cohort
    n = counted(len(record.subgraphs), "subgraph")
    sides = f"favour {cohort.names[0]}; expected frequency in both classes" if cohort.kind == CLASSES else ""
    if cohort.kind == PHENOTYPE:
        sides = f"predict a larger {record.source.phenotype or 'phenotype'}; expected frequency in all graphs"
    title = f"{n} at the penalty {model.alpha_:.4g}; positive coefficients {sides}"
    values = [(f"{s.value:+.4g}", *(s.by_group or [s.frequency])) for s in record.subgraphs]
    _print_ranking(title, ("coefficient", *class_headings(cohort)), values, record)
    _print_covariates([(name, _signed(value)) for name, value in record.covariates], ["coefficient"])
    print(
        f"{model.model_.status.value} in {seconds:.2f} s: penalty {model.alpha_:.6g}, objective "
        f"{model.objective_:.6g}, duality gap {model.duality_gap_:.2g}, {n}; all admitted subgraphs were "
        f"searched {counted(model.n_searches_, 'time')}"
    )


def _print_groups(record: SubgraphRecord, seconds: float) -> None:
    models, n = record.models, len(record.subgraphs)
    names = [abbreviate(one.group) for one in models]
    title = f"{counted(n, 'subgraph')}; positive coefficients favour a group against the rest"
    values = [[_signed(one.coefficients[k]) for one in models] for k in range(n)]
    _print_ranking(title, names, values, record)
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


def _print_ranking(title: str, heads: Any, values: Any, record: SubgraphRecord) -> None:
    graphs, found = record.cohort.graphs, record.subgraphs
    rows = [(s.rank, *cells, ", ".join(s.edge_names(graphs))) for s, cells in zip(found, values, strict=True)]
    print_table(title, ("rank", *heads, "edges"), rows[:SHOWN_ROWS])
    if len(rows) > SHOWN_ROWS:
        print(f"... and {len(rows) - SHOWN_ROWS} more")


def _print_covariates(rows: list[Any], headings: list[str]) -> None:
    if rows:
        # Further rows, such as those of many sites, are in the folder.
        print()
        print_table("covariates (not penalised)", ("covariate", *headings), rows[:SHOWN_ROWS])
        print()
