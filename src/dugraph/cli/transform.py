"""`dugraph transform`: new graphs by a saved model, their features and what a classifier makes of them."""

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.wording import escaped
from dugraph.exceptions import InputError
from dugraph.words import TABLE_FORMATS

if TYPE_CHECKING:
    from dugraph import UncertainGraphs

DESCRIPTION = """\
Apply a saved model to new graphs: the probability that each contains each subgraph of the model.
The model is a model.json of `dugraph mine -o` or `dugraph sparse -o`, or what to_json of SubgraphSelector or
SparseSubgraphClassifier wrote. Regions, edges and layers are found by name, in any order; if one of a
subgraph is missing, it is named and nothing is written. The table has the ids of the graphs first, then their
classes if the cohort has any, then, of a sparse classifier, predicted_class, decision and the probability of
the greater class (positive decisions speak for it), then a column for each subgraph."""
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
    from dugraph.files.atomic import atomic_file
    from dugraph.io.writers.feature_table import check_table_format

    kind = Path(options.output).suffix.lower().removeprefix(".")
    if kind not in TABLE_FORMATS:
        raise InputError(f"{options.output}: the table must end in .csv or .parquet, which tells its form.")
    check_table_format(kind)
    model = model_of(options.model)
    graphs, y = load_cohort(options.data)
    try:
        table = transformed_table(kind, model, graphs, y)
    except InputError as error:
        raise error.placed(options.data) from error
    with atomic_file(options.output) as file:
        file.write(table)
    n_graphs, n_subgraphs = counted(graphs.n_graphs, "graph"), counted(len(model.subgraphs_), "subgraph")
    print(f"{escaped(options.output)}: {n_graphs}, {n_subgraphs}")
    return ExitCode.DONE


def transformed_table(kind: str, model: Any, graphs: "UncertainGraphs", y: Any) -> bytes:
    """The table of features, in which a classifier has columns of its own before those of its subgraphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    model : fitted SubgraphSelector or SparseSubgraphClassifier
    graphs : UncertainGraphs
        Joined with the model by the names of regions.
    y : ndarray of shape (n_graphs,), or None
        Their classes, if they are known.
    """
    from dugraph import SparseSubgraphClassifier
    from dugraph.estimators import aligned_probability
    from dugraph.io.writers.feature_table import feature_table

    X = aligned_probability(model, graphs)
    decided: dict[str, list[Any]] = {}
    with warnings.catch_warnings():
        # scikit-learn warns if only the columns of the fit had names; ours were found by theirs.
        warnings.simplefilter("ignore", UserWarning)
        features = model.transform(X)
        if isinstance(model, SparseSubgraphClassifier):
            decided = {
                "predicted_class": model.predict(X).tolist(),
                "decision": model.decision_function(X).tolist(),
            }
            if hasattr(model, "predict_proba"):
                name = f"probability of {escaped(model.classes_[1])}"
                decided[name] = model.predict_proba(X)[:, 1].tolist()
    names = model.get_feature_names_out().tolist()
    return feature_table(kind, graphs.graph_ids, names, features, y, decided)
