"""`dugraph transform`: the features of new graphs by a saved selection."""

import argparse
import warnings
from pathlib import Path

from dugraph.cli.exit_code import ExitCode
from dugraph.cli.wording import escaped
from dugraph.exceptions import InputError

DESCRIPTION = """\
Apply a saved selection to new graphs: the probability that each contains each subgraph of the model.
The model is a model.json of `dugraph mine -o`, or what SubgraphSelector.to_json wrote. Regions, edges and
layers are found by name, in any order; if one of a subgraph is missing, it is named and nothing is written.
The table has the ids of the graphs first, then their classes if the cohort has any, then a column for each
subgraph."""
EXAMPLE = """\
  dugraph transform results/model.json cohort.npz -o features.csv
  dugraph transform results/model.json cohort.npz -o features.parquet"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="saved selection (.json)")
    parser.add_argument("data", metavar="DATA", help="cohort file (.npz)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="table to write (.csv or .parquet)"
    )


def run(options: argparse.Namespace) -> int:
    """Read the model and the graphs, write the table."""
    from dugraph import SubgraphSelector, load_cohort
    from dugraph.data.atomic import atomic_file
    from dugraph.estimators import aligned_probability
    from dugraph.io.feature_table import FORMATS, check_table_format, feature_table

    kind = Path(options.output).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InputError(f"{options.output}: the table must end in .csv or .parquet, which tells its form.")
    check_table_format(kind)
    selector = SubgraphSelector.from_json(options.model)
    graphs, y = load_cohort(options.data)
    try:
        with warnings.catch_warnings():
            # scikit-learn warns if only the columns of the fit had names; ours were found by theirs.
            warnings.simplefilter("ignore", UserWarning)
            features = selector.transform(aligned_probability(selector, graphs))
    except InputError as error:
        raise InputError(f"{options.data}: {error}") from error
    table = feature_table(kind, graphs.graph_ids, selector.get_feature_names_out().tolist(), features, y)
    with atomic_file(options.output) as file:
        file.write(table)
    print(f"{escaped(options.output)}: {features.shape[0]} graphs, {features.shape[1]} subgraphs")
    return ExitCode.DONE
