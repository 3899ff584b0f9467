"""`load_result`: a folder of results, checked and read back; and the command that wrote a folder."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import listed
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, PHENOTYPE
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import check_path
from dugraph.probability.containment import containment_columns
from dugraph.results import schema
from dugraph.results.cohort_ref import CohortRef, PathLike, recorded_cohort
from dugraph.results.records import (
    EvaluationRecord,
    ReplicationRecord,
    ResultRecord,
    SubgraphRecord,
    TestRecord,
    fitted_record,
    mined_record,
)
from dugraph.results.schema import command_of, damaged, read_results
from dugraph.search import MiningResult, Status
from dugraph.search.exhaustive import is_connected
from dugraph.significance import ReplicationResult, SignificanceResult
from dugraph.words import TASKS

if TYPE_CHECKING:
    import pandas

    from dugraph.evaluation.cells import Cell
    from dugraph.evaluation.result import EvaluationResult, HeldOut

OWN_TEST = "test"
"""The folder within that of a search which holds the test made with it."""
OWN_REPLICATION = "replication"
"""The folder within that of a test with `--holdout` which holds the replication in the other part."""
MAXIMA_FILE = "null_maxima.csv"
FORECASTS_FILE = "forecasts.csv"
BLOCKS_FILE = "blocks.csv"
TABLES_ONLY = ("power", "sensitivity")
"""Commands whose folders have tables and a picture, and are not loaded again."""
# Edges and nodes of a first cohort, of which there are arrays: a larger number would fill the memory.
_MOST_NUMBERED = 2**24
_SPLIT_COLUMNS = ["method", "split", "t", "n_found", "proven"]


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
    file = home / "results.json"
    if file.is_file():
        if (command := command_of(file)) in TABLES_ONLY:
            raise InputError(
                f"{home}: results to load or report must be of one cohort and its subgraphs, but this is "
                f"what `dugraph {command}` wrote. Read its results.csv or results.json; its figures are SVG "
                "files."
            )
        results = read_results(file)
        load: Any = {schema.MinedFile: _search, schema.FittedFile: _fit, schema.TestedFile: _test}
        source = recorded_cohort(file, results.input, data)
        loaded: ResultRecord = load.get(type(results), _replication)(file, results, source)
        schema.check_run_id(file, results.run_id)
        return loaded
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

    `edges_`, `node_labels_` and `edge_layers_` are those of all significant subgraphs.
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


def _edges(
    file: Path, which: str, entries: Sequence[schema.Edge], ends: NDArray[np.integer[Any]]
) -> tuple[int, ...]:
    """The edges of a subgraph, which must be connected; `ends` are the nodes of all edges of the cohort."""
    edges = tuple(one.index for one in entries)
    if not all(edge < len(ends) for edge in edges):
        raise damaged(file, f"{which} has an edge beyond the {len(ends)} of the cohort")
    if len(set(edges)) != len(edges) or not is_connected(ends[list(edges)].tolist()):
        raise damaged(file, f"{which} is not a connected set of edges")
    return edges


def _subgraphs(
    file: Path, entries: Sequence[schema.Subgraph], ends: NDArray[np.integer[Any]]
) -> list[tuple[int, ...]]:
    return [_edges(file, f"subgraph {rank}", one.edges, ends) for rank, one in enumerate(entries, 1)]


def _search(file: Path, results: schema.MinedFile, source: CohortRef) -> SubgraphRecord:
    """The record of a search; times are 0, since files have none."""
    proof, entries, cohort = results.proof, results.subgraphs, source.cohort
    status = Status(proof.status)
    # Infinite numbers are null: nothing is open if the answer is proven, else no bound is known.
    nothing = -math.inf if status is Status.OPTIMAL else math.inf
    result = MiningResult(
        subgraphs=_subgraphs(file, entries, cohort.graphs.edges),
        **schema.arrays(entries, schema.MinedSubgraph, MiningResult),
        status=status,
        message=proof.message,
        threshold=-math.inf if proof.threshold is None else proof.threshold,
        best_open_bound=nothing if proof.best_open_bound is None else proof.best_open_bound,
        **msgspec.structs.asdict(results.counters),
        seconds=0.0,
        setup_seconds=0.0,
        parameters=dict(sorted(results.parameters.items())),
        naming=cohort.graphs.naming,
        positive_class=cohort.positive_class if cohort.kind == CLASSES else None,
    )
    tested = any(one.p_value is not UNSET for one in entries)
    p_values = [None if one.p_value is UNSET else one.p_value for one in entries]
    return mined_record(result, source, versions=results.versions, p_values=p_values if tested else None)


def _fit(file: Path, results: schema.FittedFile, source: CohortRef) -> SubgraphRecord:
    """The record of a sparse model, which is in a file of its own."""
    from dugraph.estimators import load_model

    place = file.with_name("model.json")
    model, found = load_model(place), _subgraphs(file, results.subgraphs, source.cohort.graphs.edges)
    if sorted(model.subgraphs_) != sorted(found):
        raise damaged(place, f"its subgraphs are not those of {file.name}")
    return fitted_record(model, source, versions=results.versions)


# ---------------------------------------------------------------- tests and replications


def _read_test(file: Path, otherwise: str) -> schema.TestedFile:
    """Read the results.json of a test; `otherwise` is the error if it is not one."""
    if command_of(file) != "test":
        raise InputError(f"{file.parent}: {otherwise}")
    results: Any = read_results(file)
    schema.check_run_id(file, results.run_id)
    return results  # type: ignore[no-any-return]


def load_test(home: Path, source: CohortRef) -> TestRecord:
    """Read the folder of a test, which must be of the same cohort as another result."""
    file = home / "results.json"
    results = _read_test(file, "the folder must contain what `dugraph test` writes, but does not.")
    if results.input.sha256 != source.sha256:
        raise InputError(
            f"{home}: subgraphs and test must use the same cohort file, but their hashes differ. Write "
            "separate reports."
        )
    return _test(file, results, source)


def _test(file: Path, results: schema.TestedFile, source: CohortRef) -> TestRecord:
    result = _significance(file, results, source.cohort.graphs.naming)
    more: dict[str, Any] = {
        "phenotype": results.phenotype,
        "versions": results.versions,
        "plan": results.plan,
    }
    return TestRecord(source=source, result=result, **more)


def _significance(file: Path, results: schema.Test, naming: SubgraphNaming) -> SignificanceResult:
    """The result of a test, in a cohort with these edges; times are 0, since they are not saved."""
    classes, entries, ends = results.size_classes, results.subgraphs, naming.edges
    subgraphs, counts = _subgraphs(file, entries, ends), results.permutations.arguments()
    of_classes = schema.arrays(classes, schema.SizeClass, SignificanceResult)
    names = of_classes.pop("size_classes")
    return SignificanceResult(
        subgraphs=subgraphs,
        **schema.arrays(entries, schema.DiscoveredSubgraph, SignificanceResult),
        sizes=np.array([len(one) for one in subgraphs], dtype=np.int64),
        size_classes=tuple(names),
        **of_classes,
        best_subgraphs=[
            None if one.best_subgraph is None else _edges(file, "a best subgraph", one.best_subgraph, ends)
            for one in classes
        ],
        null_maxima=_maxima(file.with_name(MAXIMA_FILE), names, counts["n_permutations"]),
        message=results.message,
        seconds=0.0,
        parameters=results.parameters,
        naming=naming,
        **counts,
    )


def _maxima(file: Path, names: list[str], n_used: int) -> NDArray[np.float64]:
    table = _read_table(file)
    # Earlier versions called permutations relabelings.
    if [*table.columns[1:]] != names or table.columns[0] not in ("permutation", "relabeling"):
        raise damaged(file, "its columns must be permutation and the size classes of results.json")
    if table.iloc[:, 0].tolist() != [str(k) for k in range(n_used)]:
        raise damaged(file, f"it must have a row for each of {n_used} permutations, in their order")
    return _numbers(file, table.iloc[:, 1:], 0, 1e100)


class Discovery(NamedTuple):
    """A test without its cohort: the result, how its files describe the cohort, and the phenotype tested."""

    result: SignificanceResult
    input: schema.Input
    phenotype: str | None


def load_discovery(folder: PathLike) -> Discovery:
    """Read the folder of a test for a replication, which does not need the cohort of the test."""
    home = Path(check_path(folder, "folder"))
    remedy = "Check the path."
    if (home / OWN_TEST / "results.json").is_file():
        remedy = f"Its folder {OWN_TEST} is one: name {home / OWN_TEST}."
    elif home.is_file():
        remedy = "It is a file: name the folder of the result first, then the new cohort."
    file = home / "results.json"
    results = _read_test(
        file,
        f"the first result must be a folder that `dugraph test -o` wrote, but this is not one. {remedy}",
    )
    return Discovery(_without_cohort(file, results), results.input, results.phenotype)


def _without_cohort(file: Path, results: schema.Test) -> SignificanceResult:
    """The result of a test whose edges are named by its own files."""
    best = (one.best_subgraph for one in results.size_classes if one.best_subgraph is not None)
    named = [edge for g in (*(one.edges for one in results.subgraphs), *best) for edge in g]
    if any(len(edge.nodes) != 2 or len(edge.node_labels) != 2 for edge in named):
        raise damaged(file, "an edge must have two nodes with their labels")
    if any(not 0 <= number < _MOST_NUMBERED for edge in named for number in (edge.index, *edge.nodes)):
        raise damaged(file, f"the index of an edge or node is negative or at least {_MOST_NUMBERED:,}")
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
    return _significance(
        file, results, SubgraphNaming(ends, tuple(labels), tuple(layers) if layered else None)
    )


def _replication(file: Path, results: schema.ReplicatedFile, source: CohortRef) -> ReplicationRecord:
    found, entries, blocks = _without_cohort(file, results.discovery), results.subgraphs, results.blocks
    if any(one.first_rank > len(found) for one in entries):
        raise damaged(file, f"a first_rank is beyond the {len(found)} subgraphs of the discovery")
    if any(len(one.effects) != len(entries) for one in blocks):
        raise damaged(file, "a block must have an effect for each subgraph")
    subgraphs = [found.subgraphs[one.first_rank - 1] for one in entries]
    # [effect, lower, upper] of each subgraph in each block.
    in_blocks = np.array([one.effects for one in blocks], dtype=np.float64)
    in_blocks = in_blocks.reshape(len(blocks), len(entries), 3).transpose(1, 0, 2)
    first, holdout = results.first_input, None
    if first is not None and first.sha256 == source.sha256 and first.graphs and source.graphs:
        holdout = np.isin(sorted((*first.graphs, *source.graphs)), source.graphs)
    result = ReplicationResult(
        subgraphs=subgraphs,
        names=found.naming.subgraph_names(subgraphs),
        **schema.arrays(entries, schema.ReplicatedSubgraph, ReplicationResult),
        block_names=[one.name for one in blocks],
        block_sizes=np.array([one.n_graphs for one in blocks], dtype=np.int64),
        block_effects=in_blocks[:, :, 0].copy(),
        block_intervals=in_blocks[:, :, 1:].copy(),
        message=results.message,
        seconds=0.0,
        parameters=results.parameters,
        discovery=found,
        holdout=holdout,
        **results.permutations.arguments(),
    )
    more: dict[str, Any] = {"phenotype": results.phenotype, "versions": results.versions, "first": first}
    return ReplicationRecord(source=source, result=result, **more)


# ---------------------------------------------------------------- tables


def _read_table(file: Path) -> pandas.DataFrame:
    """A CSV file with its cells as text."""
    import pandas

    try:
        table = pandas.read_csv(file, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise schema.missing(file) from None
    except ValueError as error:
        raise InputError(
            f"{file}: the file must be a CSV table in UTF-8, but is damaged ({error}). Run it again."
        ) from error
    if table.empty or not isinstance(table.index, pandas.RangeIndex):  # rows longer than the heading
        raise damaged(file, "it must have a row for each number, as long as the heading")
    return table


def _numbers(
    file: Path, table: pandas.DataFrame, least: float = -1e308, most: float = 1e308, *, empty: bool = False
) -> NDArray[np.float64]:
    """The cells as numbers of a range; with `empty`, an empty one is NaN."""
    try:
        numbers = np.asarray(table.replace("", "nan") if empty else table).astype(np.float64)
    except ValueError as error:
        raise damaged(file, f"it has a cell without a number: {str(error)[:100]}") from error
    if not ((numbers >= least) & (numbers <= most) | (empty & np.isnan(numbers))).all():
        raise damaged(file, f"its numbers must be finite and from {least:g} to {most:g}")
    return numbers


# ---------------------------------------------------------------- evaluations


def load_evaluation(
    home: Path, data: PathLike | None = None, source: CohortRef | None = None
) -> EvaluationRecord:
    """Read the folder of an evaluation; with the source of another result it must be of the same cohort."""
    if not (home / "evaluation.json").is_file():
        raise InputError(f"{home}: the folder must contain what `dugraph evaluate` writes, but does not.")
    result, file = _evaluation(home / "evaluation.json"), home / "input.json"
    # Evaluations of earlier versions that are reported with other results may have no input.json.
    record = None if source is not None and not file.is_file() else schema.read_json(file, schema.Input)
    if source is None:
        assert record is not None
        source = recorded_cohort(file, record, data)
    elif record is not None and record.sha256 != source.sha256:
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
    known: schema.EvaluationParameters = schema.convert(
        file, content.parameters, schema.EvaluationParameters, "parameters"
    )
    metrics = list(TASKS[known.task].metrics)
    if not {*known.scoring} <= {*metrics}:
        raise damaged(file, f"scoring must be metrics, of {', '.join(metrics)}")
    place = file.with_name(schema.TABLE)
    table = _read_table(place)
    if [*table.columns] != [*_SPLIT_COLUMNS, *metrics]:
        raise InputError(
            f"{place}: the file must come from an evaluation, but does not; `dugraph mine -o` writes one of "
            "the same name.",
            way_out=(
                "Evaluate into a folder of its own and name it with ",
                *(Setting("evaluation", "FOLDER"), "."),
            ),
        )
    counts = ["split", "t", "n_found"]
    table[counts] = _numbers(place, table[counts], 0, 2**31, empty=True)
    if table[["split", "t"]].isna().any(axis=None) or (table[counts] % 1 > 0).any(axis=None):
        raise damaged(place, f"{listed(counts)} must be whole numbers")
    table[["split", "t"]] = table[["split", "t"]].astype(np.int64)
    limits = (-1e308, 1e308) if known.task == PHENOTYPE else (0, 1)
    table[metrics] = _numbers(place, table[metrics], *limits, empty=True)
    methods, sizes = (tuple(dict.fromkeys(table[name].tolist())) for name in ("method", "t"))
    n_cells = len(methods) * table["split"].nunique()
    if table.duplicated(["method", "split", "t"]).any() or len(table) != n_cells * len(sizes):
        raise damaged(place, "not every method has one row for each split and number of subgraphs")
    by_cell = dict(iter(table.groupby(["method", "split"], sort=False)))
    cells = [
        _cell(by_cell[method, split], metrics, content.failures.get(method))
        for method, split in itertools.product(methods, sorted(set(table["split"])))
    ]
    forecasts = _forecasts(file.with_name(FORECASTS_FILE), methods, sizes)
    schema.check_run_id(file, content.run_id)
    return EvaluationResult(cells, methods, sizes, content.parameters, content.skipped, forecasts)


def _cell(rows: pandas.DataFrame, metrics: list[str], failure: str | None) -> Cell:
    """A method in a split; without features there, it has no metrics but a reason."""
    from dugraph.evaluation.cells import Cell

    failed = failure is not None and bool(rows[metrics].isna().all(axis=None))
    found = rows["n_found"].min()
    return Cell(
        method=rows["method"].iloc[0],
        split=int(rows["split"].iloc[0]),
        metrics={} if failed else rows.set_index("t")[metrics].to_dict("index"),
        n_found=None if math.isnan(found) else int(found),
        proven=bool((rows["proven"] == "True").all()),
        failure=(failure or "") if failed else "",
        mining_seconds=0.0,
        svm_seconds=0.0,
    )


def _forecasts(file: Path, methods: Sequence[str], sizes: Sequence[int]) -> HeldOut | None:
    from dugraph.evaluation.result import HeldOut

    if not file.is_file():
        return None
    table = _read_table(file)
    known = {f"{method} t={t}": (method, t) for method in methods for t in sizes}
    if [*table.columns[:2]] != ["graph_id", "observed"] or not {*table.columns[2:]} <= known.keys():
        raise damaged(file, "its columns must be graph_id, observed, and the methods of results.csv")
    observed, *forecasts = _numbers(file, table.iloc[:, 1:]).T
    named = [known[name] for name in table.columns[2:]]
    return HeldOut(tuple(table["graph_id"]), observed, dict(zip(named, forecasts, strict=True)))
