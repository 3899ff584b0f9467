"""`save_result`: the folder of a result."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import check_kind, check_word
from dugraph.data.cohort_file import cohort_bytes
from dugraph.data.labels import CLASSES, PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.files.atomic import check_path, write_folder
from dugraph.results.graph_files import NO_SUBGRAPH, graph_files
from dugraph.results.load import ResultRecord, refuse_other_results
from dugraph.results.mined import mined_files, mined_model, mined_record
from dugraph.results.record import EvaluationRecord, SubgraphRecord
from dugraph.results.source import OWN_FILE, PathLike, Source, cohort_source
from dugraph.results.tested import TestRecord, tested_files, tested_record
from dugraph.search import MiningResult
from dugraph.significance import SignificanceResult

# What a run may have written: left from an older run, it would be taken for part of the new one.
_OURS = (
    *("results.json", "results.csv", "config.toml", "model.json", "features.csv", "features.parquet"),
    *("results.graphml", "brainnet.node", "brainnet.edge", "brainnet.*.edge", "path.csv", "report.html"),
    "null_maxima.csv",
)
# An evaluation always writes the same files, but for this one.
_OF_EVALUATION = ("report.html",)


class FolderFiles(NamedTuple):
    """What belongs into a folder, older files that do not, and a sentence for each that cannot be made."""

    contents: dict[str, bytes]
    obsolete: list[str]
    left_out: list[str]


class SavedFiles(NamedTuple):
    """The files of a folder, and a sentence for each that could not be made."""

    files: list[Path]
    left_out: list[str]


def record_of(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: PathLike | None = None,
    settings: Mapping[str, Any] | None = None,
    seconds: float | None = None,
) -> Any:
    """Join a result with its cohort; parameters as for `save_result`, `X` may be a `Source` too.

    Returns
    -------
    SubgraphRecord, TestRecord or EvaluationRecord
        A record is given back as it is.
    """
    if isinstance(result, (SubgraphRecord, TestRecord, EvaluationRecord)):
        return result
    if settings is not None:
        check_kind(settings, Mapping, "settings")  # type: ignore[type-abstract]
    if isinstance(X, Source):
        source = X
    elif X is not None:
        cohort = _labelled(result)(X, y, pos_label)
        told = cohort.kind == CLASSES and not cohort.assumed
        source = Source.of(cohort, data, cohort.positive_class if told else None)
    elif data is not None:
        named = None if pos_label is None else str(pos_label)
        # That of a test is recorded next to the classes of the cohort.
        phenotype = None if isinstance(result, SignificanceResult) else (settings or {}).get("phenotype")
        source = cohort_source(data, "a result needs", named, phenotype=phenotype, labelled=_labelled(result))
    else:
        raise InputError(
            "A result must come with the graphs that it was found in, but none are given. Give X and y, or "
            "the cohort file as data."
        )
    return _recorded(result, source, dict(settings or {}), seconds)


def _labelled(result: Any) -> Callable[..., LabelledGraphs]:
    """Which labels a result may be about."""
    if isinstance(result, MiningResult) and result.parameters.get("multi_class") is not None:
        return LabelledGraphs.of_groups
    if isinstance(result, MiningResult | SignificanceResult):
        return LabelledGraphs.of_any
    from dugraph.evaluation import EvaluationResult
    from dugraph.results.group_models import is_of_groups
    from dugraph.sparse import SparseSubgraphRegressor

    if is_of_groups(result):
        return LabelledGraphs.of_groups
    other = isinstance(result, EvaluationResult) and result.task != CLASSES
    return (
        LabelledGraphs.of_any if other or isinstance(result, SparseSubgraphRegressor) else LabelledGraphs.of
    )


def _recorded(result: Any, source: Source, settings: dict[str, Any], seconds: float | None) -> ResultRecord:
    if isinstance(result, MiningResult):
        return mined_record(result, source, settings)
    if isinstance(result, SignificanceResult):
        return tested_record(result, source, settings)
    # Late, here and below: what a search alone needs must not wait for scikit-learn.
    from dugraph.evaluation import EvaluationResult
    from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

    if isinstance(result, SparseSubgraphClassifier | SparseSubgraphRegressor):
        from dugraph.results.fitted import fitted_record

        return fitted_record(result, source, seconds)
    if isinstance(result, EvaluationResult):
        return EvaluationRecord(source, result, settings, source.phenotype)
    raise InputError(
        "A result must be a MiningResult, a fitted SparseSubgraphClassifier or SparseSubgraphRegressor, a "
        "SignificanceResult or an EvaluationResult, or be loaded by load_result: got "
        f"{type(result).__name__}."
    )


def save_result(
    result: Any,
    folder: PathLike,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: PathLike | None = None,
    features: str = "csv",
    title: str = "",
    settings: Mapping[str, Any] | None = None,
) -> SavedFiles:
    """Write a result into a folder, as the command line does.

    Parameters
    ----------
    result : MiningResult, fitted sparse model, SignificanceResult or EvaluationResult
        The result of `mine_subgraphs`, a fit, `significant_subgraphs` or `evaluate`.
    folder : path-like
        Created if it is not there; files of an older run that the new one does not have are removed. Results
        of another command are refused.
    X : UncertainGraphs, array-like of shape (n_graphs, n_edges) or LabelledGraphs
        The graphs that the result is about.
    y : array-like of shape (n_graphs,)
        Their classes, or what was mined or tested in place of them; left out with LabelledGraphs.
    pos_label : object, default None
        The positive class; None: the last in sorted order.
    data : path-like, default None
        The cohort file, to which the folder then refers; `X` and `y` may be left out. None: the cohort is
        written into the folder, as ``cohort.npz``.
    features : {"csv", "parquet", "none"}, default "csv"
        The form of the matrix of containment probabilities.
    title : str
        A caption for the tables of an evaluation.
    settings : mapping, default None
        What else the run was given, such as `n_jobs` and `time_limit`, for config.toml; where something else
        than the labels of the cohort was mined or tested, `phenotype` names its column.

    Returns
    -------
    SavedFiles
        ``files``, and in ``left_out`` a sentence for each file that could not be made.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", random_state=0)
    >>> result = dg.mine_subgraphs(graphs, y, n_subgraphs=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = dg.save_result(result, folder, graphs, y)
    ...     dg.load_result(folder).result.subgraphs == result.subgraphs
    True
    """
    record: ResultRecord = record_of(result, X, y, pos_label=pos_label, data=data, settings=settings)
    check_word("features", features, ("csv", "parquet", "none"))
    check_kind(title, str, "title")
    contents, obsolete, left_out = folder_files(record, folder, features=features, title=title)
    return SavedFiles(write_folder(folder, contents, obsolete, last=record_file(record)), left_out)


def folder_files(
    record: ResultRecord, folder: PathLike, *, features: str = "csv", title: str = ""
) -> FolderFiles:
    """Return what `save_result` writes into a folder."""
    refuse_other_results(folder, record.command)
    ours = _OF_EVALUATION if isinstance(record, EvaluationRecord) else _OURS
    present = os.listdir(folder) if os.path.isdir(check_path(folder, "folder")) else []
    older = [name for name in present if any(fnmatch.fnmatch(name, one) for one in ours)]
    if isinstance(record, SubgraphRecord):
        contents, left_out = _subgraph_files(record, folder, features)
    elif isinstance(record, TestRecord):
        contents, left_out = tested_files(record, folder)
    else:
        from dugraph.results.evaluated import FORECASTS_FILE, evaluated_files

        contents, left_out = evaluated_files(record, folder, title), []
        older = [FORECASTS_FILE]
    if record.source.path is None:
        contents[OWN_FILE] = _own_cohort(record.source, Path(folder) / OWN_FILE)
    return FolderFiles(contents, older, left_out)


def record_file(record: ResultRecord) -> str:
    """Name the file that records the result; it is written last."""
    return "evaluation.json" if isinstance(record, EvaluationRecord) else "results.json"


def _own_cohort(source: Source, file: Path) -> bytes:
    if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() != source.sha256:
        raise InputError(
            f"{file}: the cohort of the result would be written here, but another cohort is already here. "
            "Choose another folder, or name the cohort file as data."
        )
    return cohort_bytes(source.cohort.graphs, source.cohort.y)


def _subgraph_files(
    record: SubgraphRecord, folder: PathLike, features: str
) -> tuple[dict[str, bytes], list[str]]:
    from dugraph.estimators.model_file import model_bytes
    from dugraph.results.features import transformed_table
    from dugraph.results.fitted import fitted_files

    cohort = record.cohort
    if record.is_fit:
        contents, model = fitted_files(record, folder, features), record.result
    else:
        contents, model = mined_files(record, folder, features), mined_model(record)
    if model is not None:
        contents["model.json"] = model_bytes(model)
        if features != "none":
            label = PHENOTYPE if cohort.kind == PHENOTYPE else "class"
            contents[f"features.{features}"] = transformed_table(
                features, model, cohort.graphs, cohort.y, label
            )
    if not record.subgraphs:
        return contents, [NO_SUBGRAPH]
    coefficients = [one.value for one in record.subgraphs] if record.is_fit else None
    pictures, left_out = graph_files(cohort, [one.edges for one in record.subgraphs], coefficients)
    return contents | pictures, left_out
