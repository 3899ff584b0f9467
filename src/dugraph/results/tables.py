"""The tables and pictures of a result: CSV with exact numbers, features, score distributions, graph files."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.labels import CLASSES
from dugraph.exceptions import InputError
from dugraph.files.text import escaped, json_bytes
from dugraph.probability.scores import default_phi
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.records import RankedSubgraph, group_titles, versions_record
from dugraph.results.schema import rows
from dugraph.search.distribution import (
    ScoreWindows,
    phi_probabilities,
    score_distributions,
    scored_supports,
    scores_of,
)
from dugraph.significance import PowerResult, SensitivityResult
from dugraph.significance.sensitivity import Variant

_QUANTILES = (0.05, 0.25, 0.75, 0.95)
# Mass of supports that is ignored: even times the square of a capped score, it is below rounding error.
_TAIL = 1e-24
# Probabilities below this are computed from all supports, since the ignored mass may be a visible part.
_RARE = 1e-9
# Subgraphs processed together if classes are large.
_AT_ONCE = 16
NO_SUBGRAPH = "results.graphml and BrainNet Viewer files not written: there is no subgraph."


def csv_bytes(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table by rows; numbers are written exactly, None as an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([repr(one) if isinstance(one, float) else one for one in row] for row in rows)
    return text.getvalue().encode()


def table_bytes(columns: Mapping[str, Sequence[object]]) -> bytes:
    """A table by columns."""
    return csv_bytes(tuple(columns), zip(*columns.values(), strict=True))


def in_braces(text: str) -> str:
    """A name as a cell: a spreadsheet would take one that begins with = for a formula."""
    return "{" + escaped(text) + "}"


def cell(text: str) -> str:
    """A name as a cell, in braces only if a spreadsheet could take it for a formula."""
    return escaped(text) if text[:1].isalnum() else in_braces(text)


def frequency_columns(ranked: Sequence[RankedSubgraph], cohort: LabelledGraphs) -> dict[str, list[float]]:
    """The expected frequencies of the subgraphs, in all graphs and in each group."""
    joint = "_" if cohort.kind == CLASSES else " of "
    titles = [f"expected_frequency{joint}{escaped(title)}" for title in group_titles(cohort)]
    of_groups = {title: [one.by_group[k] for one in ranked] for k, title in enumerate(titles)}
    return {"expected_frequency": [one.frequency for one in ranked], **of_groups}


def edge_set(names: Iterable[str]) -> str:
    """The names of the edges of a subgraph as a cell."""
    return "{" + ", ".join(map(escaped, names)) + "}"


def ranking_columns(
    ranked: Sequence[RankedSubgraph],
    cohort: LabelledGraphs,
    first: Mapping[str, Sequence[Any]],
    more: Mapping[str, Sequence[Any]],
) -> dict[str, Sequence[Any]]:
    """results.csv: a row for each subgraph; `first` columns precede the frequencies, and `more` follow."""
    return {
        "rank": [one.rank for one in ranked],
        **first,
        **frequency_columns(ranked, cohort),
        **more,
        "edge_index": [" ".join(map(str, one.edges)) for one in ranked],
        "subgraph": [edge_set(one.edge_names(cohort.graphs)) for one in ranked],
    }


def score_summaries(
    subgraphs: Sequence[tuple[int, ...]],
    cohort: LabelledGraphs,
    score: str,
    phi: float | None,
    score_cap: float | None,
) -> list[dict[str, Any]]:
    """Summarise the distribution of the score of every subgraph; parameters as for `mine_subgraphs`."""
    phi, held, positive = default_phi(score, phi), cohort.graphs.raw_probability, cohort.positive
    table = scores_of(score, cohort.n_pos, cohort.n_neg, score_cap)
    # Windows are scored for each subgraph anyway; only a table serves many of them at a time.
    at_once = _AT_ONCE if isinstance(table, ScoreWindows) else max(1, len(subgraphs))
    summaries: list[dict[str, Any]] = []
    for begin in range(0, len(subgraphs), at_once):
        some = subgraphs[begin : begin + at_once]
        supports = scored_supports(held, positive, some, table, _TAIL)
        reached = phi_probabilities(supports, phi)
        rare = np.flatnonzero(reached < _RARE)
        if len(rare):
            whole = scored_supports(held, positive, [some[i] for i in rare.tolist()], table)
            reached[rare] = phi_probabilities(whole, phi)
        summaries += [
            {
                "score": score,
                "expectation": one.expectation(),
                "standard_deviation": one.standard_deviation(),
                "median": one.median(),
                "mode": one.mode(),
                "phi": phi,
                "phi_probability": phi_probability,
                "quantiles": {str(level): one.quantile(level) for level in _QUANTILES},
            }
            for one, phi_probability in zip(
                score_distributions(supports, _TAIL), reached.tolist(), strict=True
            )
        ]
    return summaries


def transformed_table(
    kind: str, model: Any, graphs: UncertainGraphs, y: NDArray[Any] | None, label: str = "class"
) -> bytes:
    """The table of features; predictions of a sparse model precede the columns of its subgraphs.

    The graphs have the nodes and edges of the fit, in its order; `label` is the name of the column of `y`.
    """
    from dugraph.io.writers import feature_table

    with warnings.catch_warnings():
        # scikit-learn warns if only the columns of the fit had names; those of graphs are known by nodes.
        warnings.simplefilter("ignore", UserWarning)
        features = model.transform(graphs)
        decided = _decided(model, graphs)
    ids, names = list(graphs.graph_ids), model.get_feature_names_out().tolist()
    if kind == "csv":  # people print it: control characters would reach their terminals
        ids, names = ([escaped(text) for text in texts] for texts in (ids, names))
        decided = {key: [_printable(one) for one in values] for key, values in decided.items()}
        if y is not None and y.dtype.kind not in "biuf":
            y = np.array(
                [_printable(one) for one in y.tolist()], dtype=y.dtype if y.dtype == object else None
            )
    return feature_table(kind, ids, names, features, y, decided, label)


def _printable(value: Any) -> Any:
    return escaped(value) if isinstance(value, str) else value


def _decided(model: Any, graphs: UncertainGraphs) -> dict[str, list[Any]]:
    """The predictions of a sparse model for each graph."""
    from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

    if isinstance(model, SparseSubgraphRegressor):
        return {"forecast": model.predict(graphs).tolist()}
    if not isinstance(model, SparseSubgraphClassifier):
        return {}
    decision, classes = model.decision_function(graphs), [escaped(one) for one in model.classes_]
    decided = {"predicted_class": model.predict(graphs).tolist()}
    if decision.ndim == 1:
        decided["decision"] = decision.tolist()
    else:
        decided |= {f"decision for {name}": decision[:, k].tolist() for k, name in enumerate(classes)}
    if hasattr(model, "predict_proba"):
        chance = model.predict_proba(graphs)
        # With two classes, one probability determines both.
        shown = [1] if len(classes) == 2 else range(len(classes))
        decided |= {f"probability of {classes[k]}": chance[:, k].tolist() for k in shown}
    return decided


def graph_files(
    cohort: LabelledGraphs,
    subgraphs: Sequence[tuple[int, ...]],
    values: Sequence[float] | None,
    called: str = "coefficients",
) -> tuple[dict[str, bytes], list[str]]:
    """Files for graph viewers, and a sentence for each that cannot be made.

    An empty subgraph keeps its rank and is not drawn. Edges are weighted by `values`, named `called`.
    """
    from dugraph.io.writers import brainnet_files, graphml_bytes

    files, left_out = {}, []
    try:
        files["results.graphml"] = graphml_bytes(cohort, None, subgraphs, coefficients=values, called=called)
    except InputError as error:
        left_out.append(f"results.graphml not written: {error}")
    try:
        files |= brainnet_files(cohort.graphs, subgraphs, values)
    except InputError as error:
        left_out.append(f"brainnet.node and .edge not written: {error}")
    return files, left_out


# ---------------------------------------------------------------- folders that are not loaded again


def power_files(result: PowerResult, config: bytes, pilot: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a power analysis; `pilot` describes the pilot cohort."""
    names = ("n_graphs", "power", "admitted", "detectable")
    columns = {name: _without_infinite(getattr(result, name)) for name in names}
    record = {
        "command": "power",
        "input": dict(pilot),
        "parameters": result.parameters,
        "message": result.message,
        "n_needed": result.n_needed,
        "critical_values": _without_infinite(result.critical_values),
        "ratios": list(result.ratios),
        "sizes": rows(columns),
        "versions": versions_record(),
    }
    return {"results.csv": table_bytes(columns), "config.toml": config, "results.json": json_bytes(record)}


def _without_infinite(numbers: Any) -> list[Any]:
    """Numbers as lists, with None for infinite ones and NaN."""
    found = np.array(numbers, dtype=object)
    found[~np.isfinite(np.asarray(numbers))] = None
    return list(found.tolist())


def sensitivity_files(result: SensitivityResult, config: bytes, source: CohortRef) -> dict[str, bytes]:
    """The files of a sensitivity analysis."""
    tests = result.results
    counts = {
        "n_admitted": [0 if one is None else int(one.n_admitted.sum()) for one in tests],
        "n_significant": [0 if one is None else len(one) for one in tests],
        "n_irreducible": [0 if one is None else int(one.irreducible.sum()) for one in tests],
        "n_families": [0 if one is None else len(one.families) for one in tests],
        "n_edges": result.found.sum(axis=0).tolist(),
    }
    variants = {name: [getattr(one, name) for one in result.variants] for name in Variant._fields}
    effects, jaccard = _without_infinite(result.effects), _without_infinite(result.jaccard)
    n_settings = result.found.sum(axis=1).tolist()
    record = {
        "command": "sensitivity",
        "input": {"file": source.file, "sha256": source.sha256, "phenotype": source.phenotype},
        "parameters": result.parameters,
        "message": result.message,
        "settings": rows({"name": result.names, **variants, **counts}),
        "edges": rows({"name": result.edges, "n_settings": n_settings, "effects": effects}),
        "jaccard": jaccard,
        "versions": versions_record(),
    }
    graphs, names = variants.pop("graphs"), [in_braces(name) for name in result.names]
    columns = {**variants, **counts}
    if len(set(graphs)) > 1:
        columns["graphs"] = [in_braces(one) for one in graphs]
    heads = ("edge", "n_settings", "share", *(f"effect at {escaped(name)}" for name in result.names))
    edges = zip(map(in_braces, result.edges), n_settings, result.shares.tolist(), effects, strict=True)
    return {
        "results.csv": csv_bytes(heads, [(*row, *by_setting) for *row, by_setting in edges]),
        "settings.csv": table_bytes({"setting": names, **columns}),
        "jaccard.csv": csv_bytes(
            ("setting", *names), [(name, *row) for name, row in zip(names, jaccard, strict=True)]
        ),
        "config.toml": config,
        "results.json": json_bytes(record),
    }
