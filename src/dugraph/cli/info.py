"""`dugraph info`: what a cohort file holds."""

import argparse

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.table import print_table

DESCRIPTION = """\
Describe a cohort file: graphs, classes, nodes, edges, probabilities.
The first table is a row of Table 3 of the paper: mean edges counts the edges with positive probability
per graph, mean probability is the mean over these."""
EXAMPLE = "  dugraph info cohort.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("data", metavar="DATA", help="cohort file (.npz)")


def run(options: argparse.Namespace) -> int:
    """Print the summary of a cohort, then its classes."""
    import numpy as np

    from dugraph import load_cohort

    graphs, y = load_cohort(options.data)
    row = graphs.describe()
    names = ("graphs", "nodes", "mean edges", "mean probability")
    print_table(
        f"{options.data}",
        (*names, "possible edges"),
        [(row["n_graphs"], row["n_nodes"], row["mean_edges"], row["mean_edge_probability"], graphs.n_edges)],
    )
    print()
    if y is None:
        print("no class labels: the file can be described, but not mined")
        return ExitCode.DONE
    classes, sizes = np.unique(y, return_counts=True)
    roles = ["negative", "positive"] if len(classes) == 2 else [""] * len(classes)
    rows = list(zip(classes.tolist(), sizes.tolist(), roles, strict=True))
    print_table("classes", ("class", "graphs", "default role"), [(str(c), n, role) for c, n, role in rows])
    return ExitCode.DONE
