"""Results in memory: what was found, in which cohort, how, and what is proven about it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dugraph._version import __version__
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, check_kind, counted
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.data.subgraphs import check_subgraph
from dugraph.exceptions import InputError
from dugraph.files.text import finite
from dugraph.probability.containment import containment_columns
from dugraph.results.cohort_ref import CohortRef, PathLike, open_cohort
from dugraph.results.schema import Input, Penalty, PlanRef
from dugraph.search import MiningResult
from dugraph.search.result import COUNTERS
from dugraph.significance import ReplicationResult, SignificanceResult

if TYPE_CHECKING:
    from dugraph.evaluation import EvaluationResult


@dataclass(frozen=True)
class RankedSubgraph:
    """One subgraph of a result.

    Attributes
    ----------
    rank : int
        1 for the best.
    value : float
        Its measure, coefficient or p-value.
    edges : tuple of int
        Sorted edge indices.
    frequency : float
        Expected frequency in all graphs.
    by_group : tuple of float
        Expected frequency in each group, with two classes in the positive one first; empty for a phenotype.
    """

    rank: int
    value: float
    edges: tuple[int, ...]
    frequency: float
    by_group: tuple[float, ...]

    @property
    def frequency_positive(self) -> float:
        """Expected frequency in the graphs of the positive of two classes."""
        return self.by_group[0]

    @property
    def frequency_negative(self) -> float:
        """Expected frequency in the graphs of the negative class."""
        return self.by_group[1]

    def edge_names(self, graphs: UncertainGraphs) -> list[str]:
        """Names of the edges, as they are in the cohort: escape them before showing."""
        return [graphs.edge_name(edge) for edge in self.edges]


class RankedSubgraphs(Sequence[RankedSubgraph]):
    """Subgraphs with their values, best first. Their frequencies are computed lazily."""

    def __init__(
        self, subgraphs: Sequence[tuple[int, ...]], values: Sequence[float], cohort: LabelledGraphs
    ) -> None:
        self._subgraphs, self._values = subgraphs, values
        self._probability = cohort.graphs.raw_probability  # a whole float64 copy would be large
        self._groups = group_rows(cohort)
        self._known: dict[int, RankedSubgraph] = {}

    def __len__(self) -> int:
        return len(self._subgraphs)

    @overload
    def __getitem__(self, index: int) -> RankedSubgraph: ...
    @overload
    def __getitem__(self, index: slice) -> list[RankedSubgraph]: ...
    def __getitem__(self, index: int | slice) -> RankedSubgraph | list[RankedSubgraph]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self._described(k) for k in places]
        return self._described(places)

    def _described(self, k: int) -> RankedSubgraph:
        if k not in self._known:
            edges = check_subgraph(self._subgraphs[k], self._probability.shape[1])
            contained = containment_columns(self._probability, [edges], np.float64)[:, 0]
            self._known[k] = RankedSubgraph(
                rank=k + 1,
                value=float(self._values[k]),
                edges=self._subgraphs[k],
                frequency=float(np.mean(contained)),
                by_group=tuple(float(np.mean(contained[rows])) for rows in self._groups),
            )
        return self._known[k]


def group_rows(cohort: LabelledGraphs) -> list[NDArray[np.bool_]]:
    """The graphs of each group, with two classes those of the positive one first; empty for a phenotype."""
    if cohort.kind == CLASSES:
        return [cohort.positive, ~cohort.positive]
    return [cohort.y == group for group in cohort.classes]


def group_titles(cohort: LabelledGraphs) -> tuple[str, ...]:
    """Names of the groups of `group_rows` in files: positive and negative, or those of the cohort."""
    return ("positive", "negative") if cohort.kind == CLASSES else cohort.group_names


class GroupModel(NamedTuple):
    """The sparse model of one of several groups against the rest.

    Attributes
    ----------
    group : str
    alpha, objective, duality_gap, intercept : float
    coefficients : tuple of float
        Those of the record's subgraphs; 0 if only other groups have a subgraph.
    covariates, path
        As in the record of one model.
    """

    group: str
    alpha: float
    objective: float
    duality_gap: float
    intercept: float
    coefficients: tuple[float, ...]
    covariates: Sequence[tuple[str, float]]
    path: Sequence[Penalty]


def versions_record() -> dict[str, str]:
    """The releases that a result depends on."""
    return {"dugraph": __version__, "numpy": np.__version__, "python": platform.python_version()}


@dataclass(frozen=True, kw_only=True)
class Record:
    """A result and its cohort.

    Attributes
    ----------
    command : str
        The command that makes such a result.
    source : CohortRef
        The cohort and its file.
    result : object
        What the function returned, or the fitted model.
    settings : mapping
        What else the run was given, for config.toml; empty if it was read from a folder.
    phenotype : str or None
        The column tested or predicted in place of the labels of the cohort.
    versions : mapping
        As in results.json.
    """

    command: ClassVar[str]
    source: CohortRef
    result: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    phenotype: str | None = None
    versions: Mapping[str, str] = field(default_factory=versions_record)

    @property
    def cohort(self) -> LabelledGraphs:
        """The graphs and their classes."""
        return self.source.cohort


@dataclass(frozen=True, kw_only=True)
class SubgraphRecord(Record):
    """The subgraphs of a search or a sparse model, and what is proven about them.

    Attributes
    ----------
    command : {"mine", "sparse"}
    result : MiningResult or fitted sparse model
    subgraphs : sequence of RankedSubgraph
        Best first.
    parameters, proof, counters : dict
        As in results.json; see docs/results.md.
    intercept : float or None
        Of a sparse model.
    covariates : sequence of (name, coefficient)
        Of a sparse model, without a penalty.
    path : list of Penalty
        Of a sparse model, from large to small.
    models : sequence of GroupModel
        Of sparse models of several groups, each with intercept, covariates and path of its own. The value of
        a subgraph is then its coefficient of the largest size.
    seconds : float or None
        The time that it took; None if it was read from a folder.
    p_values : sequence of (float or None), or None
        Of a test of the same cohort, for each subgraph; None: not significant there, or no test was made.
    """

    command: str  # type: ignore[misc]
    subgraphs: Sequence[RankedSubgraph]
    parameters: dict[str, Any]
    proof: dict[str, Any]
    counters: dict[str, int]
    intercept: float | None = None
    covariates: Sequence[tuple[str, float]] = ()
    path: Sequence[Penalty] = ()
    models: Sequence[GroupModel] = ()
    seconds: float | None = None
    p_values: Sequence[float | None] | None = None

    @property
    def is_fit(self) -> bool:
        """Whether values are coefficients of a sparse model."""
        return self.command == "sparse"


@dataclass(frozen=True, kw_only=True)
class TestRecord(Record):
    """A test of significance; `plan` is the plan that it carried out, or None."""

    __test__ = False  # not a test case of pytest
    command = "test"
    result: SignificanceResult
    plan: PlanRef | None = None

    @cached_property
    def subgraphs(self) -> Sequence[RankedSubgraph]:
        """The significant subgraphs; their value is the p-value."""
        return RankedSubgraphs(self.result.subgraphs, self.result.p_values.tolist(), self.cohort)


@dataclass(frozen=True, kw_only=True)
class EvaluationRecord(Record):
    """An evaluation."""

    command = "evaluate"
    result: EvaluationResult


@dataclass(frozen=True, kw_only=True)
class ReplicationRecord(Record):
    """A replication in the cohort `source`; `first` describes the first cohort, if it is known."""

    command = "replicate"
    result: ReplicationResult
    first: Input | None = None


ResultRecord = SubgraphRecord | TestRecord | ReplicationRecord | EvaluationRecord


# ---------------------------------------------------------------- records of results


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
    """Combine a result with its cohort; parameters as for `save_result`, `X` may be a `CohortRef` too.

    Returns
    -------
    SubgraphRecord, TestRecord, ReplicationRecord or EvaluationRecord
        A record is returned unchanged.
    """
    if isinstance(result, ResultRecord):
        return result
    if settings is not None:
        check_kind(settings, Mapping, "settings")  # type: ignore[type-abstract]
    if isinstance(X, CohortRef):
        source = X
    elif X is not None:
        cohort = _labelled(result)(X, y, pos_label)
        is_chosen = cohort.kind == CLASSES and not cohort.assumed
        source = CohortRef.of(cohort, data, cohort.positive_class if is_chosen else None)
    elif data is not None:
        named = None if pos_label is None else str(pos_label)
        # That of a test is recorded next to the classes of the cohort.
        apart = isinstance(result, SignificanceResult | ReplicationResult)
        phenotype = None if apart else (settings or {}).get("phenotype")
        source = open_cohort(data, "a result needs", named, phenotype=phenotype, labelled=_labelled(result))
    else:
        raise InputError(
            "A result must come with the graphs that it was found in, but none are given. Give X and y, or "
            "the cohort file as data."
        )
    given = dict(settings or {})
    if isinstance(result, MiningResult):
        return mined_record(result, source, given)
    if isinstance(result, SignificanceResult):
        return tested_record(result, source, given)
    if isinstance(result, ReplicationResult):
        return replicated_record(result, source, given)
    # Imported here, so that a search does not wait for scikit-learn.
    from dugraph.evaluation import EvaluationResult
    from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

    if isinstance(result, SparseSubgraphClassifier | SparseSubgraphRegressor):
        from dugraph.results.fitted import fitted_record

        return fitted_record(result, source, seconds, given)
    if isinstance(result, EvaluationResult):
        return EvaluationRecord(source=source, result=result, settings=given, phenotype=source.phenotype)
    raise InputError(
        "A result must be a MiningResult, a fitted SparseSubgraphClassifier or SparseSubgraphRegressor, a "
        "SignificanceResult, a ReplicationResult or an EvaluationResult, or be loaded by load_result: got "
        f"{type(result).__name__}."
    )


def _labelled(result: Any) -> Callable[..., LabelledGraphs]:
    """Which labels a result may be about."""
    of_kind = {GROUPS: LabelledGraphs.of_groups}
    if isinstance(result, MiningResult) and result.parameters.get("multi_class") is not None:
        return LabelledGraphs.of_groups
    if isinstance(result, MiningResult | SignificanceResult | ReplicationResult):
        return of_kind.get(result.parameters.get("labels", CLASSES), LabelledGraphs.of_phenotype)
    from dugraph.evaluation import EvaluationResult
    from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

    if isinstance(result, SparseSubgraphClassifier) and len(result.models_) > 1:
        return LabelledGraphs.of_groups
    if isinstance(result, EvaluationResult) and result.task != CLASSES:
        return of_kind.get(result.task, LabelledGraphs.of_phenotype)
    return LabelledGraphs.of_phenotype if isinstance(result, SparseSubgraphRegressor) else LabelledGraphs.of


def mined_record(result: MiningResult, source: CohortRef, settings: Mapping[str, Any]) -> SubgraphRecord:
    """Make the record of a search; `settings` are the options that it was given, as far as they are known."""
    cohort = source.cohort
    _check_edges(result, cohort.graphs)
    positive = cohort.positive_class if cohort.kind == CLASSES else None
    asked = result.parameters.get("labels", CLASSES)
    if asked != cohort.kind:
        raise InputError(
            f"The labels of the cohort must be those of the search, which were {asked}, but these are "
            f"{cohort.kind}. Pass as y what was mined."
        )
    if result.positive_class != positive:
        raise InputError(
            f"The positive class must be that of the search, {abbreviate(repr(result.positive_class))}, but "
            f"is {abbreviate(repr(positive))}. Give it as pos_label."
        )
    return SubgraphRecord(
        command="mine",
        source=source,
        result=result,
        subgraphs=RankedSubgraphs(result.subgraphs, result.values.tolist(), cohort),
        parameters=dict(sorted(result.parameters.items())),  # as they come back from a file
        proof={
            **{name: finite(getattr(result, name)) for name in ("best_open_bound", "gap", "threshold")},
            **{"message": result.message, "status": result.status.value, "success": result.success},
        },
        counters={name: getattr(result, name) for name in COUNTERS},
        settings=settings,
        seconds=result.seconds,
    )


def _check_edges(result: MiningResult | SignificanceResult, graphs: UncertainGraphs) -> None:
    """Raise InputError unless the indices of a result are those of these graphs."""
    if result.naming != graphs.naming and not result.naming.same_positions(graphs.naming):
        raise InputError(
            f"The cohort must be the one of the result, which has {counted(result.naming.n_edges, 'edge')}, "
            f"but these graphs have {graphs.n_edges}, between other regions or in another order. Give the "
            "graphs that the result was computed from."
        )


def tested_record(result: SignificanceResult, source: CohortRef, settings: Mapping[str, Any]) -> TestRecord:
    """Make the record of a test; `settings` are the options that it was given, as far as they are known."""
    _check_edges(result, source.cohort.graphs)
    phenotype = settings.get("phenotype")
    if result.parameters["labels"] == "classes" and phenotype is None and result.contrasts:
        ours = " against ".join(map(abbreviate, source.cohort.names))
        if result.contrasts[0] != ours:
            raise InputError(
                f"The positive class must be that of the test, {result.contrasts[0]}, but this is {ours}. "
                "Give it as pos_label."
            )
    phenotype = None if phenotype is None else str(phenotype)
    return TestRecord(source=source, result=result, settings=settings, phenotype=phenotype)


def replicated_record(
    result: ReplicationResult,
    source: CohortRef,
    settings: Mapping[str, Any],
    first: Input | None = None,
) -> ReplicationRecord:
    """Make the record of a replication; of a cohort in two parts, `source` is the whole."""
    if result.holdout is not None:
        source = source.part(result.holdout)
    phenotype = settings.get("phenotype")
    phenotype = None if phenotype is None else str(phenotype)
    return ReplicationRecord(
        source=source, result=result, settings=settings, phenotype=phenotype, first=first
    )
