"""`dugraph info`: the contents of a cohort file."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dugraph.cli.output import ExitCode, print_table
from dugraph.files.text import escaped
from dugraph.settings import InfoSettings

if TYPE_CHECKING:
    from dugraph.data import UncertainGraphs
    from dugraph.search.admitted import Admitted

DESCRIPTION = """\
Describe a cohort file: graphs, classes, nodes, edges, probabilities and provenance.
The first table is a row of Table 3 of the paper: mean edges counts the edges with positive probability
per graph, mean probability is the mean over these, expected edges is the sum of all probabilities.
The second shows how many connected subgraphs exceed an expected frequency; counting stops at 100,000."""
EXAMPLE = "  dugraph info cohort.npz"

_WIDTH = 90


SETTINGS = InfoSettings


def run(settings: InfoSettings) -> int:
    """Print the summary of a cohort, then its classes."""
    from dugraph import load_cohort
    from dugraph.data.where import select_participants

    graphs, y = load_cohort(settings.data)
    if settings.where is not None:
        chosen = select_participants(graphs.participants or {}, settings.where)
        graphs, y = graphs[chosen], None if y is None else y[chosen]
    print_cohort(settings.data, graphs, y)
    return ExitCode.DONE


def print_cohort(
    title: str, graphs: "UncertainGraphs", y: Any, provenance: Mapping[str, Any] | None = None
) -> None:
    """Print the row of Table 3, the classes and the provenance.

    Parameters
    ----------
    title : str
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
    provenance : mapping, optional
        By default that of the graphs.
    """
    from dugraph.data.arguments import row_sums

    row = graphs.describe()
    # The mean over no edges is NaN.
    probability = row["mean_edge_probability"] if row["mean_edges"] else "no edges"
    expected = float(row_sums(graphs.raw_probability).mean())
    names = ("graphs", "nodes", "mean edges", "mean probability", "possible edges", "expected edges")
    numbers = (row["n_graphs"], row["n_nodes"], row["mean_edges"], probability, graphs.n_edges, expected)
    print_table(title, names, [numbers])
    print()
    if row["mean_edges"]:
        _print_admitted(graphs)
        print()
    if y is None:
        if graphs.participants:
            print("no class labels: `mine --phenotype COLUMN` can still use a column of its participants")
        else:
            print(
                "no class labels: `convert --participants TABLE` adds them, with age, site and other columns"
            )
    else:
        _print_classes(graphs, y)
    if graphs.node_networks:
        from collections import Counter

        sizes = Counter(name or "none" for name in graphs.node_networks)
        networks = ", ".join(f"{name} {n}" for name, n in sizes.items())
        print(
            "\n".join(
                textwrap.wrap(escaped(f"regions by network: {networks}"), _WIDTH, subsequent_indent="  ")
            )
        )
    if graphs.participants:
        columns = f"columns for --blocks, --covariates and --phenotype: {', '.join(graphs.participants)}"
        # Names that are to be typed are not broken at their hyphens.
        lines = textwrap.wrap(escaped(columns), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        print("\n".join(lines))
    if graphs.provenance:
        print()
        print_provenance(graphs.provenance if provenance is None else provenance)
        _print_signs(graphs.provenance)


def _print_admitted(graphs: "UncertainGraphs") -> None:
    from dugraph.search.admitted import admitted_table, suggested_limit

    table = admitted_table(graphs)
    rows = [(f"{limit:g}", *map(str, counts)) for limit, counts in table.items()]
    heading = ("min expected frequency", "1 edge", "2 edges", "3 edges")
    print_table("connected subgraphs that mining would admit", heading, rows)
    limit = suggested_limit(table)
    at_limit = table[limit]
    if at_limit[1].capped:
        print(
            "Even the pairs of edges exceed the counting limit: expect a long search. Add --max-edges, or "
            "choose probabilities that separate edges better (docs/probability.md)."
        )
    elif at_limit[1].number == 0:
        print(
            "No pair of edges is admitted: the probabilities are too small. Mine with a lower "
            "--min-expected-frequency, or choose other probabilities (docs/probability.md)."
        )
    else:
        print(suggestion(table))


def suggestion(table: Mapping[float, Sequence["Admitted"]]) -> str:
    """The limit that is suggested for tests and for mining, with its reason, from `admitted_table`.

    It depends on the graphs alone, so it can be used before a test.
    """
    from dugraph.search.admitted import ENOUGH_PAIRS, suggested_limit

    limit, limits = suggested_limit(table), [f"{one:g}" for one in table]
    enough = table[limit][1].number >= ENOUGH_PAIRS
    pairs = f"{ENOUGH_PAIRS} pairs of edges" if enough else "the most pairs of edges"
    return (
        f"suggested for tests and mining: --min-expected-frequency {limit:g}, the largest of "
        f"{', '.join(limits[:-1])} and {limits[-1]} with {pairs}"
    )


def _print_classes(graphs: "UncertainGraphs", y: Any) -> None:
    import numpy as np

    from dugraph.data import class_names

    classes, sizes = np.unique(y, return_counts=True)
    roles = ["negative", "positive"] if len(classes) == 2 else [""] * len(classes)
    rows = list(zip(map(str, classes.tolist()), sizes.tolist(), roles, strict=True))
    names = class_names(graphs, y)[::-1] if len(classes) == 2 else ()
    if set(names) <= {row[0] for row in rows}:
        print_table("classes", ("class", "graphs", "default role"), rows)
    else:
        named = [(row[0], name, *row[1:]) for row, name in zip(rows, names, strict=True)]
        print_table("classes", ("class", "name", "graphs", "default role"), named)


def _print_signs(provenance: Mapping[str, Any]) -> None:
    """Report how much the map of a new cohort sets to 0, and name the alternatives."""
    signs = provenance.get("signs")
    if isinstance(signs, str) and signs.endswith("become 0"):
        print(
            f"{escaped(signs)}. To keep them, convert with --probability signed (two edges\nfor each pair, "
            "one for each sign) or --probability absolute (the size without the sign)."
        )


def print_provenance(provenance: Mapping[str, Any]) -> None:
    """Print where a cohort came from and how its probabilities were made, one fact per row."""
    rows = []
    for name, value in provenance.items():
        # Lists may name hundreds of subjects: no line is longer than a page is wide.
        lines = textwrap.wrap(_plain(value), _WIDTH) or [""]
        rows += list(zip([name.replace("_", " "), *[""] * (len(lines) - 1)], lines, strict=True))
    print_table("origin", ("what", "value"), rows)


def _plain(value: Any) -> str:
    """Return a value in words; lists are complete, since they name the participants left out."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)
