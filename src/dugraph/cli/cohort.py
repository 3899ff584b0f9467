"""`dugraph convert`, `info`, `simulate` and `transform`: cohort files, and a model applied to one."""

from __future__ import annotations

import hashlib
import os
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import dugraph
from dugraph import UncertainGraphs, load_cohort
from dugraph.cli.output import ExitCode, print_table, progress
from dugraph.data import class_names
from dugraph.data.arguments import counted
from dugraph.data.cohort_file import cohort_bytes
from dugraph.data.columns import select_participants
from dugraph.estimators import aligned_graphs, load_model
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import atomic_file, write_folder
from dugraph.files.text import escaped, json_bytes
from dugraph.io.input_files import table_in
from dugraph.io.participants import first_few
from dugraph.io.read import reading_line
from dugraph.io.writers import check_table_format, left_out_table
from dugraph.results import tested_subgraphs
from dugraph.results.schema import command_of
from dugraph.results.tables import transformed_table
from dugraph.search.exhaustive import ENOUGH_PAIRS, Admitted, admitted_table, suggested_limit
from dugraph.search.limits import clear_line
from dugraph.settings import ConvertSettings, InfoSettings, SimulateSettings, TransformSettings
from dugraph.simulation import SimulatedCohort
from dugraph.words import NONE, TABLE_FORMATS, and_joined

_WIDTH = 90


def info(settings: InfoSettings) -> int:
    """Print the summary of a cohort, then its classes."""
    graphs, y = load_cohort(settings.data)
    if settings.where is not None:
        chosen = select_participants(graphs.participants or {}, settings.where)
        graphs, y = graphs[chosen], None if y is None else y[chosen]
    print_cohort(settings.data, graphs, y, graphs.provenance or {})
    return ExitCode.DONE


def print_cohort(title: str, graphs: UncertainGraphs, y: Any, provenance: Mapping[str, Any]) -> None:
    """Print the row of Table 3, the subgraphs that mining would admit, the classes and the provenance."""
    row = graphs.describe()
    # The mean over no edges is NaN.
    probability = row["mean_edge_probability"] if row["mean_edges"] else "no edges"
    expected = float(graphs.edge_means.sum())
    names = ("graphs", "nodes", "mean edges", "mean probability", "possible edges", "expected edges")
    numbers = (row["n_graphs"], row["n_nodes"], row["mean_edges"], probability, graphs.n_edges, expected)
    print_table(title, names, [numbers])
    print()
    if row["mean_edges"]:
        _print_admitted(graphs)
        print()
    if y is not None:
        _print_classes(graphs, y)
    elif graphs.participants:
        print("no class labels: `mine --phenotype COLUMN` can still use a column of its participants")
    else:
        print("no class labels: `convert --participants TABLE` adds them, with age, site and other columns")
    sizes = Counter(name or "none" for name in graphs.node_networks or ())
    for what, listed in (
        ("regions by network", [f"{name} {n}" for name, n in sizes.items()]),
        ("columns for --blocks, --covariates and --phenotype", list(graphs.participants or ())),
    ):
        if listed:
            # Names that are to be typed are not broken at their hyphens.
            text = escaped(f"{what}: {', '.join(listed)}")
            print(textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    if not provenance:
        return
    rows = []
    for name, value in provenance.items():
        # Lists may name hundreds of subjects: no line is longer than a page is wide.
        lines = textwrap.wrap(_plain(value), _WIDTH) or [""]
        rows += list(zip([name.replace("_", " "), *[""] * (len(lines) - 1)], lines, strict=True))
    print()
    print_table("origin", ("what", "value"), rows)
    signs = provenance.get("signs")
    if isinstance(signs, str) and signs.endswith("become 0"):
        print(
            f"{escaped(signs)}. To keep them, convert with --probability signed (two edges\nfor each "
            "pair, one for each sign) or --probability absolute (the size without the sign)."
        )


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def _print_admitted(graphs: UncertainGraphs) -> None:
    table = admitted_table(graphs)
    rows = [(f"{limit:g}", *map(str, counts)) for limit, counts in table.items()]
    heading = ("min expected frequency", "1 edge", "2 edges", "3 edges")
    print_table("connected subgraphs that mining would admit", heading, rows)
    pairs = table[suggested_limit(table)][1]
    if pairs.capped:
        print(
            "Even the pairs of edges exceed the counting limit: expect a long search. Add --max-edges, or "
            "choose probabilities that separate edges better (docs/probability.md)."
        )
    elif pairs.number == 0:
        print(
            "No pair of edges is admitted: the probabilities are too small. Mine with a lower "
            "--min-expected-frequency, or choose other probabilities (docs/probability.md)."
        )
    else:
        print(suggestion(table))


def suggestion(table: Mapping[float, Sequence[Admitted]]) -> str:
    """The limit that is suggested for tests and for mining, with its reason, from `admitted_table`.

    It depends on the graphs alone, so it can be used before a test.
    """
    limit = suggested_limit(table)
    enough = table[limit][1].number >= ENOUGH_PAIRS
    pairs = f"at least {ENOUGH_PAIRS} pairs of edges" if enough else "the most pairs of edges"
    return (
        f"suggested for tests and mining: --min-expected-frequency {limit:g}, the largest of "
        f"{and_joined(f'{one:g}' for one in table)} with {pairs}"
    )


def _print_classes(graphs: UncertainGraphs, y: Any) -> None:
    classes, sizes = np.unique(y, return_counts=True)
    two = len(classes) == 2
    roles = ["negative", "positive"] if two else [""] * len(classes)
    rows = list(zip(map(str, classes.tolist()), sizes.tolist(), roles, strict=True))
    names = class_names(graphs, y)[::-1] if two else ()
    if set(names) <= {row[0] for row in rows}:
        print_table("classes", ("class", "graphs", "default role"), rows)
    else:
        named = [(row[0], name, *row[1:]) for row, name in zip(rows, names, strict=True)]
        print_table("classes", ("class", "name", "graphs", "default role"), named)


# ---------------------------------------------------------------- convert


def convert(settings: ConvertSettings) -> int:
    """Read, write the cohort file, then print its contents and provenance."""
    _check_npz_name(settings.output)
    show = progress("reading", settings.progress, reading_line, quiet=0.0)
    found = table_in(settings.path) if settings.participants is None else None
    table = found or (None if settings.participants == NONE else settings.participants)
    asked = {**settings.arguments(), "select": settings.select or {}, "participants": table}
    try:
        graphs, y = dugraph.read_cohort(settings.path, **asked, progress=show)
    except InputError as error:
        if found is None or found.name not in str(error):
            raise
        way_out = ("The files are read without this table by ", Setting("participants", NONE), ".")
        raise error.followed_by(way_out) from error
    finally:
        clear_line()
    dugraph.save_cohort(settings.output, graphs, y)
    print_cohort(settings.output, graphs, y, _with_summary(graphs.provenance or {}, settings.output))
    return ExitCode.DONE


def _with_summary(provenance: Mapping[str, Any], output: str) -> dict[str, Any]:
    """Summarise the participants left out; long lists are written to a file beside the cohort."""
    left_out = dict(provenance.get("left_out", {}))
    if "not_of_the_pattern" in provenance:
        left_out["not of the pattern"] = provenance["not_of_the_pattern"]
    if max(map(len, left_out.values()), default=0) <= 5:
        return dict(provenance)
    file = Path(output).with_suffix(".left_out.csv")
    with atomic_file(file) as stream:
        stream.write(left_out_table(left_out))
    counts = (f"{why}: {len(ids):,} ({first_few(ids)})" for why, ids in left_out.items())
    shorter = {name: value for name, value in provenance.items() if name != "not_of_the_pattern"}
    return shorter | {"left_out": "; ".join(counts), "left_out_file": file.name}


def _check_npz_name(path: str) -> None:
    """Refuse as -o a folder, a file in a missing folder, and a name that does not end in .npz."""
    if os.path.isdir(path):
        raise InputError(f"{path}: -o must name a file, but it names a folder. Add a file name.")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise InputError(f"{path}: -o must name a file in an existing folder. Create the folder first.")
    # Under another ending, other programs would take the file for something else.
    stem, ending = os.path.splitext(path)
    if ending.lower() != ".npz":
        raise InputError(f"{path}: the name of a cohort file must end in .npz. Write -o {stem}.npz.")


# ---------------------------------------------------------------- simulate


def simulate(settings: SimulateSettings) -> int:
    """Simulate, then write the cohort and the planted subgraphs."""
    _check_npz_name(settings.output)
    cohort = dugraph.simulate(**settings.arguments())
    place = Path(settings.output)
    place = Path(os.path.realpath(place)) if place.is_symlink() else place
    target, beside = write_folder(place.parent, simulated_files(place.name, cohort, settings.arguments()))
    print(f"{escaped(target)}: {counted(cohort.graphs.n_graphs, 'graph')}, {cohort.graphs.n_nodes} nodes")
    print(f"{escaped(beside)}: {counted(len(cohort.planted), 'planted subgraph')}")
    return ExitCode.DONE


def simulated_files(name: str, cohort: SimulatedCohort, settings: dict[str, object]) -> dict[str, bytes]:
    """The cohort file and, next to it, the planted subgraphs and how the cohort was made."""
    content = cohort_bytes(cohort.graphs, cohort.y)
    record = {
        "cohort_sha256": hashlib.sha256(content).hexdigest(),
        "planted": [
            {"edge_index": list(subgraph), "edges": [cohort.graphs.edge_name(edge) for edge in subgraph]}
            for subgraph in cohort.planted
        ],
        "simulated_with": settings,
    }
    return {name: content, f"{name.removesuffix('.npz')}.planted.json": json_bytes(record)}


# ---------------------------------------------------------------- transform


def transform(settings: TransformSettings) -> int:
    """Read the model and the graphs, write the table."""
    kind = Path(settings.output).suffix.lower().removeprefix(".")
    if kind not in TABLE_FORMATS:
        raise InputError(
            f"{settings.output}: the name of the table must end in .csv or .parquet, which sets its format."
        )
    check_table_format(kind)
    model = _read_model(Path(settings.model))
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


def _read_model(path: Path) -> Any:
    """Read a fitted estimator or the subgraphs of a test; refuse other files, such as swapped arguments."""
    model, record = path / "model.json" if path.is_dir() else path, path / "results.json"
    if record.is_file() and command_of(record) == "test":
        return tested_subgraphs(path)
    if not model.is_file() or model.suffix == ".npz" or model.name == record.name:
        found = (
            "this folder contains neither a model nor a test"
            if path.is_dir()
            else "this is a different kind of file"
        )
        raise InputError(
            f"{path}: the first argument must be a model.json, or a folder written by `dugraph mine -o`, "
            f"`sparse -o` or `test -o`, but {found if path.exists() else 'there is no such file'}. The "
            "cohort file comes second."
        )
    return load_model(model)
