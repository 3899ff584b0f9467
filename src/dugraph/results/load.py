"""`load_result`: a folder of results, checked and read back; and the command that wrote a folder."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_word
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.atomic import check_path
from dugraph.probability.containment import containment_columns
from dugraph.results import schema
from dugraph.results.cohort_ref import CohortRef, PathLike, recorded_cohort
from dugraph.results.records import (
    EvaluationRecord,
    GroupModel,
    RankedSubgraph,
    ReplicationRecord,
    ResultRecord,
    SubgraphRecord,
    TestRecord,
    group_titles,
)
from dugraph.results.schema import (
    Penalty,
    as_numbers,
    convert,
    damaged,
    read_results,
    read_rows,
    read_table,
)
from dugraph.results.tables import in_braces
from dugraph.search import MiningResult, Status
from dugraph.search.exhaustive import is_connected
from dugraph.search.result import COUNTERS
from dugraph.settings import OF_RESULTS
from dugraph.significance import ReplicationResult, SignificanceResult
from dugraph.words import PHENOTYPE_METRICS, TASKS

if TYPE_CHECKING:
    from dugraph.evaluation.cells import Cell
    from dugraph.evaluation.result import EvaluationResult, HeldOut

OWN_TEST = "test"
"""The folder within that of a search which holds the test made with it."""
MAXIMA_FILE = "null_maxima.csv"
FORECASTS_FILE = "forecasts.csv"
BLOCKS_FILE = "blocks.csv"
TABLES_ONLY = ("power", "sensitivity")
"""Commands whose folders have tables and a picture, and are not loaded again."""
OWN_REPLICATION = "replication"
"""The folder within that of a test with `--holdout` which holds the replication in the other part."""
_SPLIT_COLUMNS = ["method", "split", "t", "n_found", "proven"]

# The beginning of results.json: its keys are sorted.
_RECORD = re.compile(rb'\{\s*"command":\s*"([a-z]+)"')


def load_result(folder: PathLike, *, data: PathLike | None = None) -> ResultRecord:
    """Read what `save_result` or the command line wrote into a folder, and its cohort.

    Parameters
    ----------
    folder : path-like
        Written by `save_result`, ``dugraph mine -o``, ``sparse -o``, ``test -o``, ``replicate -o`` or
        ``evaluate -o``, of this release or an older one.
    data : path-like, default None
        The cohort file; None: where the results say that it is. Its SHA-256 must be that of the results.

    Returns
    -------
    SubgraphRecord, TestRecord, ReplicationRecord or EvaluationRecord
        ``result`` is what was saved, without times; ``cohort`` the `LabelledGraphs` that it is about.

    Raises
    ------
    InputError
        If there are no results, or if they or their cohort are damaged, altered or missing.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> cohort = dg.LabelledGraphs([[0.9, 0.8, 0.1], [0.8, 0.7, 0.1], [0.2, 0.3, 0.1]], [1, 1, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = dg.save_result(dg.mine_subgraphs(cohort, n_subgraphs=1), folder, cohort)
    ...     record = dg.load_result(folder)
    >>> record.result.subgraphs, record.cohort
    ([(0,)], LabelledGraphs: 3 graphs, 3 edges over 3 nodes; positive: 1 (2), negative: 0 (1))
    """
    home = Path(check_path(folder, "folder"))
    if not home.is_dir():
        found = (
            "this is a file. Name the folder that `dugraph mine -o`, `sparse -o`, `test -o` or `evaluate -o` "
            "wrote."
            if home.exists()
            else "there is no such folder. Check the path; `dugraph mine -o` and `test -o` write one."
        )
        raise InputError(f"{folder}: results must be in a folder, but {found}")
    if (home / "results.json").is_file():
        if (command := schema.command_of(home / "results.json")) in TABLES_ONLY:
            raise InputError(
                f"{home}: results to load or report must be of one cohort and its subgraphs, but this is "
                f"what `dugraph {command}` wrote. Read its results.csv or results.json; its figures are SVG "
                "files."
            )
        return _load_record(home, data)
    if (home / "evaluation.json").is_file():
        return load_evaluation(home, data)
    inner = sorted(path.parent.name for path in home.glob("*/results.json"))
    hint = f" Its folders {', '.join(inner)} do: name one of them." if inner else ""
    raise InputError(
        f"{home}: results are in a folder written by `dugraph mine -o`, `sparse -o`, `test -o` or "
        f"`evaluate -o`, but it holds neither results.json nor evaluation.json.{hint}"
    )


class TestedSubgraphs:
    """The irreducible significant subgraphs of a test, as a model of new graphs for `aligned_graphs`.

    Attributes
    ----------
    subgraphs_ : list of tuple of int
    edges_ : ndarray of int, shape (n_edges, 2)
        The edges of all significant subgraphs.
    node_labels_ : tuple of str
    edge_layers_ : tuple of str, or None
    """

    def __init__(self, result: SignificanceResult) -> None:
        naming = result.naming
        used = list(dict.fromkeys(edge for subgraph in result.subgraphs for edge in subgraph))
        nodes, ends = np.unique(naming.edges[used], return_inverse=True)
        self.edges_ = ends.reshape(-1, 2).astype(np.int32)
        self.node_labels_ = tuple(naming.node_labels[node] for node in nodes)
        layers = naming.edge_layers
        self.edge_layers_ = None if layers is None else tuple(layers[edge] for edge in used)
        chosen = [g for g, kept in zip(result.subgraphs, result.irreducible, strict=True) if kept]
        self.subgraphs_ = [tuple(sorted(used.index(edge) for edge in subgraph)) for subgraph in chosen]

    def transform(self, graphs: UncertainGraphs) -> NDArray[np.float64]:
        """Containment probabilities in graphs with these edges, shape (n_graphs, n_subgraphs)."""
        return containment_columns(graphs.edge_probability, self.subgraphs_)

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Names of the subgraphs."""
        naming = SubgraphNaming(self.edges_, self.node_labels_, self.edge_layers_)
        return np.array(naming.subgraph_names(self.subgraphs_), dtype=object)


def tested_subgraphs(folder: PathLike) -> TestedSubgraphs:
    """Read the irreducible significant subgraphs from the folder of a test; its cohort is not needed."""
    file = Path(check_path(folder, "folder")) / "results.json"
    results = read_results(file)
    if not isinstance(results, schema.TestedFile):
        raise InputError(f"{file}: this is not the result of a test. Give the folder of `dugraph test -o`.")
    if not results.subgraphs:
        raise InputError(f"{file}: the test found no significant subgraph, so there are no features.")
    return TestedSubgraphs(_without_cohort(file, results))


def _load_record(home: Path, data: PathLike | None) -> SubgraphRecord | TestRecord | ReplicationRecord:
    file = home / "results.json"
    results = read_results(file)
    source = recorded_cohort(file, results.input, data)
    loaded: SubgraphRecord | TestRecord | ReplicationRecord
    if isinstance(results, schema.TestedFile):
        loaded = _test(file, results, source)
    elif isinstance(results, schema.ReplicatedFile):
        loaded = _replication(file, results, source)
    elif isinstance(results, schema.FittedFile):
        loaded = _fit(file, results, source)
    else:
        loaded = _search(file, results, source)
    schema.check_run_id(file, results.run_id)
    return loaded


def _subgraphs(
    file: Path,
    entries: Sequence[schema.Subgraph],
    values: Sequence[float],
    cohort: LabelledGraphs,
) -> list[RankedSubgraph]:
    """The subgraphs of a record, whose edges must be those of this cohort."""
    titles, found = group_titles(cohort), []
    for rank, (one, value) in enumerate(zip(entries, values, strict=True), start=1):
        edges = _edges(file, f"subgraph {rank}", one.edges, cohort.graphs.edges)
        groups: dict[str, float | None] = {**(one.expected_frequency_by_group or {})}
        if cohort.kind == CLASSES:
            pair = one.expected_frequency_positive, one.expected_frequency_negative
            groups = dict(zip(titles, pair, strict=True))
        frequencies = [one.expected_frequency, *(groups.get(title) for title in titles)]
        known = [frequency for frequency in frequencies if frequency is not None]
        if len(known) < len(frequencies):
            raise damaged(file, f"subgraph {rank} must have an expected frequency in each group")
        found.append(RankedSubgraph(rank, value, edges, known[0], tuple(known[1:])))
    return found


def _edges(
    file: Path, which: str, entries: Sequence[schema.Edge], ends: np.ndarray[Any, np.dtype[Any]]
) -> tuple[int, ...]:
    """The edges of a subgraph, which must be connected; `ends` are the nodes of all edges of the cohort."""
    edges = tuple(one.index for one in entries)
    if not all(edge < len(ends) for edge in edges):
        raise damaged(file, f"{which} has an edge beyond the {len(ends)} of the cohort")
    if len(set(edges)) != len(edges) or not is_connected(ends[list(edges)].tolist()):
        raise damaged(file, f"{which} is not a connected set of edges")
    return edges


def _search(file: Path, results: schema.MinedFile, source: CohortRef) -> SubgraphRecord:
    """The record of a search; times are 0, since files have none."""
    proof, entries, cohort = results.proof, results.subgraphs, source.cohort
    found = _subgraphs(file, entries, [one.value for one in entries], cohort)
    status = Status(proof.status)
    # Infinite numbers are null: nothing is open if the answer is proven, else no bound is known.
    nothing = -math.inf if status is Status.OPTIMAL else math.inf
    missing = next((name for name in COUNTERS if name not in results.counters), None)
    if missing is not None:
        raise damaged(file, f"counters has no {missing}")
    result = MiningResult(
        subgraphs=[one.edges for one in found],
        values=as_numbers([one.value for one in found]),
        status=status,
        message=proof.message,
        threshold=-math.inf if proof.threshold is None else proof.threshold,
        best_open_bound=nothing if proof.best_open_bound is None else proof.best_open_bound,
        **{name: results.counters[name] for name in COUNTERS},
        seconds=0.0,
        setup_seconds=0.0,
        parameters=dict(sorted(results.parameters.items())),
        naming=cohort.graphs.naming,
        positive_class=cohort.positive_class if cohort.kind == CLASSES else None,
        effects=_of_all(file, "effect", [one.effect for one in entries], np.array),
        contrasts=_of_all(file, "contrast", [one.contrast for one in entries], list),
    )
    tested = any(one.p_value is not UNSET for one in entries)
    p_values = [None if one.p_value is UNSET else one.p_value for one in entries]
    return SubgraphRecord(
        **_common("mine", results, source),
        result=result,
        subgraphs=found,
        p_values=p_values if tested else None,
    )


def _common(command: str, results: schema.MinedFile | schema.FittedFile, source: CohortRef) -> dict[str, Any]:
    return {
        "command": command,
        "source": source,
        "parameters": dict(sorted(results.parameters.items())),
        "proof": schema.as_json(results.proof),
        "counters": results.counters,
        "versions": results.versions,
    }


def _of_all(file: Path, name: str, values: Sequence[Any], make: Callable[[Any], Any]) -> Any:
    """The values of all subgraphs; None if none of them has one."""
    if all(value is None for value in values):
        return None
    if None in values:
        raise damaged(file, f"subgraph {list(values).index(None) + 1} has no {name}")
    return make(values)


def _fit(file: Path, results: schema.FittedFile, source: CohortRef) -> SubgraphRecord:
    """The record of a sparse model, or of the models of several groups."""
    from dugraph.estimators import load_model

    cohort, entries = source.cohort, results.subgraphs
    found = _subgraphs(file, entries, [one.coefficient for one in entries], cohort)
    common = _common("sparse", results, source) | {"subgraphs": found}
    paths = _paths(file.with_name("path.csv"))
    if not results.models:
        if cohort.kind == GROUPS:
            raise damaged(file, "there are no models of the groups")
        if results.intercept is None:
            raise damaged(file, "intercept: expected `float`, got `null`")
        return SubgraphRecord(
            **common,
            result=load_model(file.with_name("model.json")),
            intercept=results.intercept,
            covariates=_covariates(results.covariates),
            path=paths.get(None, []),
        )
    if cohort.kind != GROUPS or [one.group for one in results.models] != list(cohort.group_names):
        raise damaged(file, "there must be a model for each group of the cohort, in their order")
    rows = [one.coefficient_by_group or {} for one in entries]
    for rank, row in enumerate(rows, start=1):
        if not row.keys() >= set(cohort.group_names):
            raise damaged(file, f"subgraph {rank} must have a coefficient in the model of each group")
    models = [
        GroupModel(
            *(one.group, one.alpha, one.objective, one.duality_gap, one.intercept),
            coefficients=tuple(row[one.group] for row in rows),
            covariates=_covariates(one.covariates),
            path=paths.get(in_braces(one.group), []),
        )
        for one in results.models
    ]
    return SubgraphRecord(**common, result=load_model(file.with_name("model.json")), models=models)


def _covariates(entries: Sequence[schema.Covariate]) -> list[tuple[str, float]]:
    return [(one.name, one.coefficient) for one in entries]


def _paths(file: Path) -> dict[str | None, list[Penalty]]:
    """The penalties of path.csv by group, from large to small; empty if there is no such file."""
    if not file.is_file():
        return {}
    paths: dict[str | None, list[Penalty]] = {}
    for row in read_rows(file, Penalty, read_table(file)[1]):
        paths.setdefault(row.group, []).append(row)
    return paths


# ---------------------------------------------------------------- tests


def load_test(home: Path, source: CohortRef) -> TestRecord:
    """Read the folder of a test, which must be of the same cohort as another result."""
    file = home / "results.json"
    if not file.is_file() or schema.command_of(file) != "test":
        raise InputError(f"{home}: the folder must contain what `dugraph test` writes, but does not.")
    results = read_results(file)
    assert isinstance(results, schema.TestedFile)
    if results.input.sha256 != source.sha256:
        raise InputError(
            f"{home}: subgraphs and test must use the same cohort file, but their hashes differ. Write "
            "separate reports."
        )
    loaded = _test(file, results, source)
    schema.check_run_id(file, results.run_id)
    return loaded


def _test(file: Path, results: schema.TestedFile, source: CohortRef) -> TestRecord:
    """The record of a test; times are 0, since files have none."""
    graphs, entries = source.cohort.graphs, results.subgraphs
    _subgraphs(file, entries, [one.p_value for one in entries], source.cohort)
    result = _significance(file, results, graphs.edges, graphs.naming)
    return TestRecord(
        source=source,
        result=result,
        phenotype=results.phenotype,
        versions=results.versions,
        plan=results.plan,
    )


def _significance(
    file: Path, results: schema.Test, ends: np.ndarray[Any, np.dtype[Any]], naming: SubgraphNaming
) -> SignificanceResult:
    """The result of a test, in a cohort with these edges."""
    moved, classes, entries = results.permutations, results.size_classes, results.subgraphs
    subgraphs = [_edges(file, f"subgraph {rank}", one.edges, ends) for rank, one in enumerate(entries, 1)]
    names = [one.name for one in classes]
    return SignificanceResult(
        subgraphs=subgraphs,
        **schema.number_arrays(entries, schema.TEST_NUMBERS),
        contrasts=[one.contrast for one in entries],
        sizes=np.array([len(one.edges) for one in entries], dtype=np.int64),
        representative=np.array([one.representative for one in entries], dtype=np.bool_),
        size_classes=tuple(names),
        critical_values=as_numbers([one.critical_value for one in classes]),
        critical_effects=as_numbers([one.critical_effect for one in classes]),
        best_subgraphs=[
            None
            if one.best_subgraph is None
            else _edges(file, f"the best subgraph of size class {k}", one.best_subgraph, ends)
            for k, one in enumerate(classes, 1)
        ],
        best_p_values=as_numbers([one.best_p_value for one in classes]),
        null_maxima=_maxima(file.with_name(MAXIMA_FILE), names, moved.n_used),
        n_admitted=np.array([one.n_admitted for one in classes], dtype=np.int64),
        message=results.message,
        seconds=0.0,
        parameters=results.parameters,
        naming=naming,
        **_counts(moved),
    )


def _counts(moved: schema.PermutationCounts) -> dict[str, Any]:
    n_distinct = moved.n_distinct
    return {
        "n_permutations": moved.n_used,
        "n_distinct_permutations": int(n_distinct, 16) if isinstance(n_distinct, str) else n_distinct,
        "exact": moved.exact,
        "n_blocks": moved.n_blocks,
        "n_informative_blocks": moved.n_informative_blocks,
    }


class Discovery(NamedTuple):
    """A test without its cohort: the result, how its files describe the cohort, and the phenotype tested."""

    result: SignificanceResult
    input: schema.Input
    phenotype: str | None


def load_discovery(folder: PathLike) -> Discovery:
    """Read the folder of a test for a replication, which does not need the cohort of the test."""
    home = Path(check_path(folder, "folder"))
    file = home / "results.json"
    if not file.is_file() or schema.command_of(file) != "test":
        remedy = "Check the path."
        if (home / OWN_TEST / "results.json").is_file():
            remedy = f"Its folder {OWN_TEST} is: name {home / OWN_TEST}."
        elif home.is_file():
            remedy = "It is a file: name the folder of the result first, then the new cohort."
        raise InputError(
            f"{home}: the first result must be a folder that `dugraph test -o` wrote, but this is not one. "
            f"{remedy}"
        )
    results = read_results(file)
    assert isinstance(results, schema.TestedFile)
    schema.check_run_id(file, results.run_id)
    return Discovery(_without_cohort(file, results), results.input, results.phenotype)


def _without_cohort(file: Path, results: schema.Test) -> SignificanceResult:
    """The result of a test whose edges are named by its own files."""
    best = (one.best_subgraph for one in results.size_classes if one.best_subgraph is not None)
    named = [edge for g in (*(one.edges for one in results.subgraphs), *best) for edge in g]
    if any(len(edge.nodes) != 2 or len(edge.node_labels) != 2 for edge in named):
        raise damaged(file, "an edge must have two nodes with their labels")
    # Other edges of the cohort are unknown and not needed; they join a node without a name.
    n_nodes = max((node for edge in named for node in edge.nodes), default=-1) + 2
    ends = np.full((max((edge.index for edge in named), default=-1) + 1, 2), n_nodes - 1, dtype=np.int32)
    labels, layers = [""] * n_nodes, [""] * len(ends)
    for edge in named:
        ends[edge.index] = sorted(edge.nodes, reverse=True)
        for node, label in zip(edge.nodes, edge.node_labels, strict=True):
            labels[node] = label
        layers[edge.index] = edge.layer or ""
    layered = any(edge.layer is not None for edge in named)
    naming = SubgraphNaming(ends, tuple(labels), tuple(layers) if layered else None)
    return _significance(file, results, ends, naming)


def _replication(file: Path, results: schema.ReplicatedFile, source: CohortRef) -> ReplicationRecord:
    """The record of a replication."""
    found, entries, blocks = _without_cohort(file, results.discovery), results.subgraphs, results.blocks
    if any(one.first_rank > len(found) for one in entries):
        raise damaged(file, f"a first_rank is beyond the {len(found)} subgraphs of the discovery")
    if any(len(one.effects) != len(entries) for one in blocks):
        raise damaged(file, "a block must have an effect for each subgraph")
    subgraphs = [found.subgraphs[one.first_rank - 1] for one in entries]
    in_blocks = np.array([one.effects for one in blocks], dtype=np.float64).reshape(
        len(blocks), len(entries), 3
    )
    first, holdout = results.first_input, None
    if first is not None and first.sha256 == source.sha256 and first.graphs and source.graphs:
        holdout = np.isin(sorted((*first.graphs, *source.graphs)), source.graphs)
    result = ReplicationResult(
        subgraphs=subgraphs,
        names=found.naming.subgraph_names(subgraphs),
        **schema.number_arrays(entries, schema.REPLICATION_NUMBERS),
        replicated=np.array([one.replicated for one in entries], dtype=np.bool_),
        contrasts=[one.contrast for one in entries],
        block_names=[one.name for one in blocks],
        block_sizes=np.array([one.n_graphs for one in blocks], dtype=np.int64),
        block_effects=in_blocks[:, :, 0].T.copy(),
        block_intervals=in_blocks[:, :, 1:].transpose(1, 0, 2).copy(),
        message=results.message,
        seconds=0.0,
        parameters=results.parameters,
        discovery=found,
        holdout=holdout,
        **_counts(results.permutations),
    )
    return ReplicationRecord(
        source=source, result=result, first=first, phenotype=results.phenotype, versions=results.versions
    )


def _maxima(file: Path, names: list[str], n_used: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    heading, rows = read_table(file)
    first = heading[0] if heading[:1] == ["relabeling"] else "permutation"  # of earlier versions
    if heading != [first, *names] or len(set(heading)) != len(heading):
        raise damaged(file, "its columns must be permutation and the size classes of results.json")
    if len(rows) != n_used or not rows:
        raise damaged(file, f"it must have a row for each of {n_used} permutations, but has {len(rows)}")
    for number, row in enumerate(rows):
        if row[first] != str(number):
            raise damaged(file, f"permutation {number} is not in its row")
    numbers = [[convert(file, row[n], schema.Statistic, n, text=True) for n in names] for row in rows]
    return np.array(numbers, dtype=np.float64)


# ---------------------------------------------------------------- evaluations


def load_evaluation(
    home: Path, data: PathLike | None = None, source: CohortRef | None = None
) -> EvaluationRecord:
    """Read the folder of an evaluation; with the source of another result it must be of the same cohort."""
    if not (home / "evaluation.json").is_file():
        raise InputError(f"{home}: the folder must contain what `dugraph evaluate` writes, but does not.")
    file = home / "input.json"
    result = _evaluation(home / "evaluation.json")
    if source is None:
        source = recorded_cohort(file, schema.read_json(file, schema.Input), data)
        return EvaluationRecord(source=source, result=result, phenotype=source.phenotype)
    record = schema.read_json(file, schema.Input) if file.is_file() else None
    if record is not None and record.sha256 != source.sha256:
        raise InputError(
            f"{home}: mining and evaluation must use the same cohort file, but their hashes differ. Write "
            "separate reports."
        )
    phenotype = None if record is None else record.phenotype
    return EvaluationRecord(source=source, result=result, phenotype=phenotype)


def _evaluation(file: Path) -> EvaluationResult:
    """Read evaluation.json and results.csv; times are 0, since they are not part of a result."""
    from dugraph.evaluation.result import EvaluationResult

    content = schema.read_json(file, schema.EvaluationFile)
    known: schema.EvaluationParameters = convert(
        file, content.parameters, schema.EvaluationParameters, "parameters"
    )
    metrics = TASKS[known.task].metrics
    if not {*known.scoring} <= {*metrics}:
        raise damaged(file, f"scoring must be metrics, of {', '.join(metrics)}")
    table = file.with_name(schema.TABLE)
    heading, texts = read_table(table)
    if heading != [*_SPLIT_COLUMNS, *metrics] or not texts:
        raise InputError(
            f"{table}: the file must come from an evaluation, but does not; `dugraph mine -o` writes one of "
            "the same name.",
            way_out=(
                "Evaluate into a folder of its own and name it with ",
                *(Setting("evaluation", "FOLDER"), "."),
            ),
        )
    rows = read_rows(table, schema.SplitRow, texts)
    by_place = {(row.method, row.split, row.t): (row, text) for row, text in zip(rows, texts, strict=True)}
    methods = tuple(dict.fromkeys(row.method for row in rows))
    sizes = tuple(dict.fromkeys(row.t for row in rows))
    places = list(itertools.product(methods, sorted({row.split for row in rows})))
    if len(rows) != len(places) * len(sizes) or len(by_place) != len(rows):
        raise damaged(table, "not every method has one row for each split and number of subgraphs")
    cells = [
        _cell(table, [by_place[method, split, t] for t in sizes], content.failures, tuple(metrics))
        for method, split in places
    ]
    forecasts = _forecasts(file.with_name(FORECASTS_FILE), methods, sizes)
    schema.check_run_id(file, content.run_id)
    return EvaluationResult(cells, methods, sizes, content.parameters, content.skipped, forecasts)


def _cell(
    table: Path,
    rows: Sequence[tuple[schema.SplitRow, dict[str, str]]],
    failures: Mapping[str, str],
    names: tuple[str, ...],
) -> Cell:
    from dugraph.evaluation.cells import Cell

    first = rows[0][0]
    metrics = {row.t: {name: _metric(table, name, text[name]) for name in names} for row, text in rows}
    # A method without features in a split has no metrics there, and a reason.
    failed = first.method in failures and all(math.isnan(v) for row in metrics.values() for v in row.values())
    return Cell(
        method=first.method,
        split=first.split,
        metrics={} if failed else metrics,
        n_found=min((row.n_found for row, _ in rows if row.n_found is not None), default=None),
        proven=all(row.proven for row, _ in rows),
        failure=failures[first.method] if failed else "",
        mining_seconds=0.0,
        svm_seconds=0.0,
    )


def _metric(table: Path, name: str, text: str) -> float:
    if text in ("", "nan"):
        return math.nan
    kind = schema.Number if name in PHENOTYPE_METRICS else schema.Share
    return float(convert(table, text, kind, name, text=True))


def _forecasts(table: Path, methods: Sequence[str], sizes: Sequence[int]) -> HeldOut | None:
    from dugraph.evaluation.result import HeldOut

    if not table.is_file():
        return None
    heading, rows = read_table(table)
    known = {f"{method} t={t}": (method, t) for method in methods for t in sizes}
    if heading[:2] != ["graph_id", "observed"] or not set(heading[2:]) <= set(known) or not rows:
        raise damaged(table, "its columns must be graph_id, observed, and the methods of results.csv")
    numbers = {
        name: as_numbers([convert(table, row[name], schema.Number, name, text=True) for row in rows])
        for name in heading[1:]
    }
    ids = tuple(row["graph_id"] for row in rows)
    return HeldOut(ids, numbers["observed"], {known[name]: numbers[name] for name in heading[2:]})


# ---------------------------------------------------------------- the command of a folder


def refuse_other_results(folder: PathLike, command: str) -> None:
    """Refuse a folder with results of another command than `command`, whose files would be overwritten."""
    check_word("command", command, (*OF_RESULTS, *TABLES_ONLY))
    for other in _commands_of(Path(check_path(folder, "folder"))):
        if other != command:
            raise InputError(
                f"{folder}: a folder holds the results of one command, but this one has those of `dugraph "
                f"{other}`, whose files have the same names as those of `dugraph {command}`.",
                way_out=("Choose another folder", Spoken("", " with -o"), "."),
            )


def _commands_of(folder: Path) -> list[str]:
    # An interrupted run has left only its cells, from which it can resume.
    marks = (folder / "evaluation.json", folder / "cache" / "cells")
    found = ["evaluate"] if any(mark.exists() for mark in marks) else []
    record = folder / "results.json"
    if record.is_file():
        with open(record, "rb") as file:
            begin = _RECORD.match(file.read(100))
        found += [begin[1].decode()] if begin else []
    return found
