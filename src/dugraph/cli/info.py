"""`dugraph info`: what a cohort file holds."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.table import print_table

if TYPE_CHECKING:
    from dugraph.data import UncertainGraphs

DESCRIPTION = """\
Describe a cohort file: graphs, classes, nodes, edges, probabilities, and where it came from.
The first table is a row of Table 3 of the paper: mean edges counts the edges with positive probability
per graph, mean probability is the mean over these."""
EXAMPLE = "  dugraph info cohort.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("data", metavar="DATA", help="cohort file (.npz)")


def run(options: argparse.Namespace) -> int:
    """Print the summary of a cohort, then its classes."""
    from dugraph import load_cohort

    graphs, y = load_cohort(options.data)
    print_cohort(options.data, graphs, y)
    return ExitCode.DONE


def print_cohort(title: str, graphs: "UncertainGraphs", y: Any) -> None:
    """Print the row of Table 3, the classes, and where the cohort came from.

    Parameters
    ----------
    title : str
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,), or None
    """
    row = graphs.describe()
    names = ("graphs", "nodes", "mean edges", "mean probability")
    print_table(
        title,
        (*names, "possible edges"),
        [(row["n_graphs"], row["n_nodes"], row["mean_edges"], row["mean_edge_probability"], graphs.n_edges)],
    )
    print()
    if y is None:
        print("no class labels: the file can be described, but not mined")
    else:
        _print_classes(y)
    if graphs.provenance:
        print()
        print_provenance(graphs.provenance)


def _print_classes(y: Any) -> None:
    import numpy as np

    classes, sizes = np.unique(y, return_counts=True)
    roles = ["negative", "positive"] if len(classes) == 2 else [""] * len(classes)
    rows = list(zip(classes.tolist(), sizes.tolist(), roles, strict=True))
    print_table("classes", ("class", "graphs", "default role"), [(str(c), n, role) for c, n, role in rows])


def print_provenance(provenance: Mapping[str, Any]) -> None:
    """Print where a cohort came from and how its probabilities were made, one fact per row."""
    rows = [(name.replace("_", " "), _plain(value)) for name, value in provenance.items()]
    print_table("origin", ("what", "value"), rows)


def _plain(value: Any) -> str:
    """Give a value in words; lists are complete, since they name who was left out."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)
