"""`dugraph transform`: new graphs by a saved model, their features and what a sparse model makes of them."""

import argparse
from pathlib import Path

from dugraph.cli.exit_code import ExitCode
from dugraph.exceptions import InputError
from dugraph.files.plain_text import escaped
from dugraph.words import TABLE_FORMATS

DESCRIPTION = """\
Apply a saved model to new graphs: the probability that each contains each subgraph of the model.
The model is the model.json of `dugraph mine -o` or `dugraph sparse -o`, or a file written by to_json of
SubgraphSelector or a sparse model. Regions, edges, layers and covariates are matched by name, in any order;
if one that the model needs is missing, the error names it and nothing is written. The columns are the graph
ids; the classes, if the cohort has any; for a sparse classifier predicted_class, decision and the
probability of the last class in sorted order (which positive decisions favour); for a sparse regression
forecast; and one column for each subgraph."""
EXAMPLE = """\
  dugraph transform results/model.json cohort.npz -o features.csv
  dugraph transform results/model.json cohort.npz -o features.parquet"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="saved model: model.json")
    parser.add_argument("data", metavar="DATA", help="cohort file (.npz)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="table to write (.csv or .parquet)"
    )


def run(options: argparse.Namespace) -> int:
    """Read the model and the graphs, write the table."""
    from dugraph import load_cohort
    from dugraph.cli.inputs import model_of
    from dugraph.data.wording import counted
    from dugraph.estimators import aligned_graphs
    from dugraph.files.atomic import atomic_file
    from dugraph.io.writers import check_table_format
    from dugraph.results.features import transformed_table

    kind = Path(options.output).suffix.lower().removeprefix(".")
    if kind not in TABLE_FORMATS:
        raise InputError(
            f"{options.output}: the name of the table must end in .csv or .parquet, which sets its format."
        )
    check_table_format(kind)
    model = model_of(options.model)
    graphs, y = load_cohort(options.data)
    try:
        table = transformed_table(kind, model, aligned_graphs(model, graphs), y)
    except InputError as error:
        raise error.placed(options.data) from error
    with atomic_file(options.output) as file:
        file.write(table)
    n_graphs, n_subgraphs = counted(graphs.n_graphs, "graph"), counted(len(model.subgraphs_), "subgraph")
    print(f"{escaped(options.output)}: {n_graphs}, {n_subgraphs}")
    return ExitCode.DONE
