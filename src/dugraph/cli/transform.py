"""`dugraph transform`: the features of new graphs by a saved model, and the predictions of a sparse model."""

import json
from pathlib import Path
from typing import Any

from dugraph.cli.output import ExitCode
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.settings import TransformSettings
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


SETTINGS = TransformSettings


def run(settings: TransformSettings) -> int:
    """Read the model and the graphs, write the table."""
    from dugraph import load_cohort
    from dugraph.data.arguments import counted
    from dugraph.estimators import aligned_graphs
    from dugraph.files.atomic import atomic_file
    from dugraph.io.writers import check_table_format
    from dugraph.results.tables import transformed_table

    kind = Path(settings.output).suffix.lower().removeprefix(".")
    if kind not in TABLE_FORMATS:
        raise InputError(
            f"{settings.output}: the name of the table must end in .csv or .parquet, which sets its format."
        )
    check_table_format(kind)
    model = _load_model(settings.model)
    graphs, y = load_cohort(settings.data)
    try:
        table = transformed_table(kind, model, aligned_graphs(model, graphs), y)
    except InputError as error:
        raise error.placed(settings.data) from error
    with atomic_file(settings.output) as file:
        file.write(table)
    n_graphs, n_subgraphs = counted(graphs.n_graphs, "graph"), counted(len(model.subgraphs_), "subgraph")
    print(f"{escaped(settings.output)}: {n_graphs}, {n_subgraphs}")
    return ExitCode.DONE


def _load_model(path: str) -> Any:
    """Read a fitted estimator; a file of another kind is called by its name, since arguments get swapped."""
    from dugraph.estimators import load_model

    try:
        return load_model(path)
    except InputError as error:
        instead = _instead(Path(path))
        if instead is None:
            raise
        raise InputError(
            f"{path}: the first argument must be a model, a model.json written by `dugraph mine -o` or "
            f"`sparse -o`, but {instead}. The cohort file comes second."
        ) from error


def _instead(path: Path) -> str | None:
    """What the file is, in words; None if it may be a model."""
    if path.is_dir():
        model = path / "model.json"
        return f"this is a folder; the model in it is {model}" if model.is_file() else "this is a folder"
    if not path.exists():
        return f"there is no such file{_command_without_model(path.parent)}"
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if content.startswith(b"PK"):
        return "this is a cohort file or another zip archive"
    if not content:
        return "this is an empty file"
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        return None if content.startswith(b"{") else "this is not JSON"
    if not isinstance(record, dict):
        return "this is JSON of another kind"
    if str(record.get("format")).startswith("dugraph."):
        return None
    if record.get("command") in ("mine", "sparse"):
        name = record["command"]
        return f"this is the record results.json of `dugraph {name}`; the model is in the same folder"
    return "this is JSON of another kind"


def _command_without_model(folder: Path) -> str:
    """Say so if the folder holds a test, which has no model."""
    try:
        record = json.loads((folder / "results.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    tested = isinstance(record, dict) and record.get("command") == "test"
    return ": `dugraph test` writes no model" if tested else ""
