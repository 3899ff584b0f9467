"""What `dugraph sparse` prints: the chosen subgraphs, covariates, and what is proven."""

from typing import TYPE_CHECKING, Any

from dugraph.cli.folder_run import SHOWN_ROWS
from dugraph.cli.table import NumberText, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dugraph.results import SubgraphRecord


def print_fit(record: "SubgraphRecord", seconds: float) -> None:
    """Print a model, or those of several groups."""
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
    told = [(same[0][0], *(_signed(value) for _, value in same)) for same in of_groups]
    _print_covariates(told, names)
    if not told:
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
    # Groups whose model does not use the subgraph are left out.
    return NumberText(f"{value:+.4g}" if value else "")


def _print_ranking(
    title: str, headings: tuple[str, ...], rows: "Sequence[Any]", record: "SubgraphRecord"
) -> None:
    print_table(title, headings, rows)
    if len(record.subgraphs) > SHOWN_ROWS:
        print(f"... and {len(record.subgraphs) - SHOWN_ROWS} more")


def _print_covariates(told: "Sequence[Any]", headings: "Sequence[str]") -> None:
    if told:
        # Further ones, such as those of many sites, are in the folder.
        print()
        print_table("covariates (not penalised)", ("covariate", *headings), told[:SHOWN_ROWS])
        print()
