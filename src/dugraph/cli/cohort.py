"""`dugraph info`, `simulate` and `transform`: describe a cohort file, simulate one, apply a model to one."""

from __future__ import annotations

import hashlib
import json
import os
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import dugraph
from dugraph import UncertainGraphs, load_cohort
from dugraph.cli.convert import check_npz_name
from dugraph.cli.output import ExitCode, print_table
from dugraph.data import class_names
from dugraph.data.arguments import counted, row_sums
from dugraph.data.cohort_file import cohort_bytes
from dugraph.data.where import select_participants
from dugraph.estimators import aligned_graphs, load_model
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, write_folder
from dugraph.files.text import escaped, json_bytes
from dugraph.io.writers import check_table_format
from dugraph.results import tested_subgraphs
from dugraph.results.schema import command_of
from dugraph.results.tables import transformed_table
from dugraph.search.admitted import ENOUGH_PAIRS, Admitted, admitted_table, suggested_limit
from dugraph.settings import InfoSettings, SimulateSettings, TransformSettings
from dugraph.simulation import SimulatedCohort
from dugraph.words import TABLE_FORMATS

_WIDTH = 90


def info(settings: InfoSettings) -> int:
    """Print the summary of a cohort, then its classes."""
    graphs, y = load_cohort(settings.data)
    if settings.where is not None:
        chosen = select_participants(graphs.participants or {}, settings.where)
        graphs, y = graphs[chosen], None if y is None else y[chosen]
    print_cohort(settings.data, graphs, y)
    return ExitCode.DONE


def print_cohort(
    title: str, graphs: UncertainGraphs, y: Any, provenance: Mapping[str, Any] | None = None
) -> None:
    """Print the row of Table 3, the classes and the provenance, by default that of the graphs."""
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
    if y is not None:
        _print_classes(graphs, y)
    elif graphs.participants:
        print("no class labels: `mine --phenotype COLUMN` can still use a column of its participants")
    else:
        print("no class labels: `convert --participants TABLE` adds them, with age, site and other columns")
    if graphs.node_networks:
        sizes = Counter(name or "none" for name in graphs.node_networks)
        _print_wrapped(f"regions by network: {', '.join(f'{name} {n}' for name, n in sizes.items())}")
    if graphs.participants:
        _print_wrapped(
            f"columns for --blocks, --covariates and --phenotype: {', '.join(graphs.participants)}"
        )
    if graphs.provenance:
        print()
        _print_provenance(graphs.provenance if provenance is None else provenance)
        signs = graphs.provenance.get("signs")
        if isinstance(signs, str) and signs.endswith("become 0"):
            print(
                f"{escaped(signs)}. To keep them, convert with --probability signed (two edges\nfor each "
                "pair, one for each sign) or --probability absolute (the size without the sign)."
            )


def _print_wrapped(text: str) -> None:
    # Names that are to be typed are not broken at their hyphens.
    lines = textwrap.wrap(escaped(text), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    print("\n".join(lines))


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
    limit, limits = suggested_limit(table), [f"{one:g}" for one in table]
    enough = table[limit][1].number >= ENOUGH_PAIRS
    pairs = f"at least {ENOUGH_PAIRS} pairs of edges" if enough else "the most pairs of edges"
    return (
        f"suggested for tests and mining: --min-expected-frequency {limit:g}, the largest of "
        f"{', '.join(limits[:-1])} and {limits[-1]} with {pairs}"
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


def _print_provenance(provenance: Mapping[str, Any]) -> None:
    """Print where a cohort came from and how its probabilities were made, one fact per row."""
    rows = []
    for name, value in provenance.items():
        # Lists may name hundreds of subjects: no line is longer than a page is wide.
        lines = textwrap.wrap(_plain(value), _WIDTH) or [""]
        rows += list(zip([name.replace("_", " "), *[""] * (len(lines) - 1)], lines, strict=True))
    print_table("origin", ("what", "value"), rows)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def simulate(settings: SimulateSettings) -> int:
    """Simulate, then write the cohort and the planted subgraphs."""
    check_npz_name(settings.output)
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
    """Read a fitted estimator or the subgraphs of a test; name other files, since arguments get swapped."""
    record = path / "results.json"
    if (path / "model.json").is_file():
        path = path / "model.json"
    elif record.is_file() and command_of(record) == "test":
        return tested_subgraphs(path)
    try:
        return load_model(path)
    except InputError as error:
        instead = _instead(path)
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
        if command_of(path.parent / "results.json") == "test":
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
    if isinstance(record, dict) and str(record.get("format")).startswith("dugraph."):
        return None
    if isinstance(record, dict) and (name := record.get("command")) in ("mine", "sparse"):
        return f"this is the record results.json of `dugraph {name}`; the model is in the same folder"
    return "this is JSON of another kind"
