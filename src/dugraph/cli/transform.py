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
Apply a saved model to new graphs: compute the probability that each contains each subgraph of the model.
The model is the folder written by `dugraph mine -o`, `sparse -o` or `test -o`, or a model.json. For a test,
the irreducible significant subgraphs are used. Regions, edges, layers and covariates are matched by name,
in any order; if one that the model needs is missing, the error names it and nothing is written. The columns
are the graph ids; the classes, if the cohort has any; for a sparse classifier predicted_class, decision and
the probability of the last class in sorted order (which positive decisions favour); for a sparse regression
forecast; and one column for each subgraph."""
EXAMPLE = """\
  dugraph transform results cohort.npz -o features.csv
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
    """Read a fitted estimator or the subgraphs of a test; name other files, since arguments get swapped."""
    from dugraph.estimators import load_model
    from dugraph.results import tested_subgraphs

    record = Path(path) / "results.json"
    if (Path(path) / "model.json").is_file():
        path = str(Path(path) / "model.json")
    elif record.is_file() and _command(record) == "test":
        return tested_subgraphs(path)
    try:
        return load_model(path)
    except InputError as error:
        instead = _instead(Path(path))
        if instead is None:
            raise
        raise InputError(
            f"{path}: the first argument must be a model.json, or a folder written by `dugraph mine -o`, "
            f"`sparse -o` or `test -o`, but {instead}. The cohort file comes second."
        ) from error


def _instead(path: Path) -> str | None:
    """A description of the file; None if it may be a model."""
    if path.is_dir():
        return "this folder holds neither model.json nor the results of a test"
    if not path.exists():
        if _command(path.parent / "results.json") == "test":
            return f"there is no such file; {path.parent} holds a test and can be given itself"
        return "there is no such file"
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


def _command(file: Path) -> str | None:
    """The command that wrote a results.json."""
    from dugraph.results.schema import command_of

    return command_of(file)
