"""Results in memory: what was found, in which cohort, how, and what is proven about it."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dugraph._version import __version__
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, check_kind, counted, listed
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.data.subgraphs import check_subgraph
from dugraph.exceptions import InputError
from dugraph.files.text import finite
from dugraph.probability.containment import containment_columns
from dugraph.results.cohort_ref import LABELLED, CohortRef, PathLike, open_cohort
from dugraph.results.schema import Input, PlanRef
from dugraph.search import MiningResult, Status
from dugraph.search.result import COUNTERS
from dugraph.settings import METHOD, SparseSettings
from dugraph.significance import ReplicationResult, SignificanceResult
from dugraph.words import SQUARED

if TYPE_CHECKING:
    from dugraph.evaluation import EvaluationResult
    from dugraph.sparse.path import Choice

Settings = Mapping[str, Any]


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
        return [self._described(k) for k in places] if isinstance(places, range) else self._described(places)

    def _described(self, k: int) -> RankedSubgraph:
        if k in self._known:
            return self._known[k]
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


class Penalty(NamedTuple):
    """A penalty of a path: the model there, and the held-out loss if it was cross-validated."""

    alpha: float
    n_nonzero: int
    objective: float
    duality_gap: float
    loss: float | None
    spread: float | None


class GroupModel(NamedTuple):
    """The sparse model of one of several groups against the rest.

    `coefficients` are those of the record's subgraphs, 0 where only other groups have one; `covariates` and
    `path` are as in the record of one model.
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
        What else the run was given, for config.toml.
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

    @property
    def asked(self) -> dict[str, Any]:
        """The parameters, as in results.json."""
        return dict(self.result.parameters)


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
    def asked(self) -> dict[str, Any]:
        """The parameters, as in results.json."""
        return self.parameters

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
    settings: Settings | None = None,
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
    given, kind = dict(settings or {}), _labels_of(result)
    if isinstance(X, CohortRef):
        source = X
    elif X is not None:
        cohort = LABELLED[kind](X, y, pos_label)
        is_chosen = cohort.kind == CLASSES and not cohort.assumed
        source = CohortRef.of(cohort, data, cohort.positive_class if is_chosen else None)
    elif data is not None:
        named = None if pos_label is None else str(pos_label)
        # That of a test is recorded next to the classes of the cohort.
        apart = isinstance(result, SignificanceResult | ReplicationResult)
        phenotype = None if apart else given.get("phenotype")
        source = open_cohort(data, "a result needs", named, phenotype=phenotype, labelled=LABELLED[kind])
    else:
        raise InputError(
            "A result must come with the graphs that it was found in, but none are given. Give X and y, or "
            "the cohort file as data."
        )
    if isinstance(result, MiningResult):
        return mined_record(result, source, settings=given)
    if isinstance(result, SignificanceResult):
        return tested_record(result, source, given)
    if isinstance(result, ReplicationResult):
        return replicated_record(result, source, given)
    if hasattr(result, "models_"):
        return fitted_record(result, source, seconds=seconds, target=given.get("target"))
    return EvaluationRecord(source=source, result=result, settings=given, phenotype=source.phenotype)


def _labels_of(result: Any) -> str:
    """The kind of labels that a result is about."""
    if isinstance(result, MiningResult | SignificanceResult | ReplicationResult):
        return str(result.parameters.get("labels", CLASSES))
    # Imported here, so that a search does not wait for scikit-learn.
    from dugraph.evaluation import EvaluationResult
    from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

    if isinstance(result, EvaluationResult):
        return result.task
    if isinstance(result, SparseSubgraphRegressor):
        return PHENOTYPE
    if isinstance(result, SparseSubgraphClassifier):
        return GROUPS if len(result.models_) > 1 else CLASSES
    raise InputError(
        "A result must be a MiningResult, a fitted SparseSubgraphClassifier or SparseSubgraphRegressor, a "
        "SignificanceResult, a ReplicationResult or an EvaluationResult, or be loaded by load_result: got "
        f"{type(result).__name__}."
    )


def _check_cohort(result: Any, naming: SubgraphNaming, cohort: LabelledGraphs) -> None:
    """Raise InputError unless edges and kind of labels are those of the result, whose edges have `naming`."""
    if naming != cohort.graphs.naming and not naming.same_positions(cohort.graphs.naming):
        raise InputError(
            f"The graphs must be those of the result, with {counted(naming.n_edges, 'edge')}, but these have "
            f"{cohort.graphs.n_edges}, or other regions, or another order. Pass the graphs from which the "
            "result was computed."
        )
    asked, spoken = _labels_of(result), {CLASSES: "classes", GROUPS: "groups", PHENOTYPE: "a phenotype"}
    if asked != cohort.kind and not isinstance(result, SignificanceResult):
        raise InputError(
            f"The labels of the cohort must be those of the result, which were {spoken[asked]}, but these "
            f"are {spoken[cohort.kind]}. Pass the labels that were mined or fitted as y.",
            parameter="y",
        )


def mined_record(result: MiningResult, source: CohortRef, **more: Any) -> SubgraphRecord:
    """Make the record of a search; `more` are further fields."""
    cohort = source.cohort
    _check_cohort(result, result.naming, cohort)
    positive = cohort.positive_class if cohort.kind == CLASSES else None
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
        seconds=result.seconds or None,  # 0 if it was read from a folder
        **more,
    )


def tested_record(result: SignificanceResult, source: CohortRef, settings: Settings) -> TestRecord:
    """Make the record of a test; `settings` are the options that it was given, as far as they are known."""
    _check_cohort(result, result.naming, source.cohort)
    phenotype = settings.get("phenotype")
    if result.parameters["labels"] == CLASSES and phenotype is None and result.contrasts:
        ours = " against ".join(map(abbreviate, source.cohort.names))
        if result.contrasts[0] != ours:
            raise InputError(
                f"The positive class must be that of the test, {result.contrasts[0]}, but this is {ours}. "
                "Give it as pos_label."
            )
    phenotype = None if phenotype is None else str(phenotype)
    return TestRecord(source=source, result=result, settings=settings, phenotype=phenotype)


def replicated_record(
    result: ReplicationResult, source: CohortRef, settings: Settings, first: Input | None = None
) -> ReplicationRecord:
    """Make the record of a replication; of a cohort in two parts, `source` is the whole."""
    if result.holdout is not None:
        source = source.part(result.holdout)
    phenotype = settings.get("phenotype")
    phenotype = None if phenotype is None else str(phenotype)
    return ReplicationRecord(
        source=source, result=result, settings=settings, phenotype=phenotype, first=first
    )


# ---------------------------------------------------------------- sparse models


def fitted_record(model: Any, source: CohortRef, *, target: object = None, **more: Any) -> SubgraphRecord:
    """Make the record of a fit; positive coefficients favour the positive class, or a larger phenotype.

    With several groups there is a model for each, whose positive coefficients favour the group; the subgraph
    of the largest coefficient comes first. `more` are further fields.
    """
    cohort, of_groups = source.cohort, source.cohort.kind == GROUPS
    _check_cohort(model, model.subgraphs_.naming, cohort)
    status = next((one.status for one in model.models_ if one.status is not Status.OPTIMAL), Status.OPTIMAL)
    recorded = sorted(one.name for one in SparseSettings.options().values() if one.group == METHOD)
    asked = {name: _asked(model, name) for name in recorded}
    if asked["covariates"] is None:  # as in records of earlier releases
        del asked["covariates"]
    penalties = {one.alpha for one in model.models_}
    order = list(range(len(model.subgraphs_)))
    if of_groups:
        order = np.argsort(-np.abs(model.subgraph_coef_).max(axis=0), kind="stable").tolist()
    models = _models(model, cohort, order)
    largest = [max(column, key=abs) for column in zip(*(one.coefficients for one in models), strict=True)]
    one = {name: getattr(models[0], name) for name in ("intercept", "covariates", "path")}
    return SubgraphRecord(
        command="sparse",
        source=source,
        result=model,
        subgraphs=RankedSubgraphs([model.subgraphs_[k] for k in order], largest, cohort),
        parameters={**asked, "alpha_in_use": penalties.pop() if len(penalties) == 1 else None},
        proof={
            # Sums over the groups, which are fitted one by one.
            "duality_gap": sum(one.duality_gap for one in model.models_),
            "message": _fit_message(model, status),
            "objective": sum(one.objective for one in model.models_),
            "status": status.value,
            "success": model.finished_ and status is Status.OPTIMAL,
        },
        counters={"n_searches": model.n_searches_},
        settings={**{name: _asked(model, name) for name in ("n_jobs", "time_limit")}, "target": target},
        **({"models": models} if of_groups else one),
        **more,
    )


def _models(model: Any, cohort: LabelledGraphs, order: Sequence[int]) -> list[GroupModel]:
    """The fitted models in the order of the cohort's groups, or the only one; `order` sorts the subgraphs."""
    groups, names, sign = [""], [""], 1.0
    if cohort.kind == GROUPS:
        groups, names = list(cohort.group_names), [str(one) for one in model.classes_.tolist()]
    elif cohort.kind == CLASSES and cohort.positive_class != model.classes_[1]:
        sign = -1.0  # a positive coefficient favours the negative class of the cohort
    if sorted(names) != sorted(groups):
        raise InputError(
            f"The groups of the cohort must be those of the fit, {listed(names)}, but are {listed(groups)}. "
            "Pass the labels that were fitted as y.",
            parameter="y",
        )
    models = []
    for name, k in ((name, names.index(name)) for name in groups):
        fitted, choice = model.models_[k], model.choices_[k]
        covariates = (sign * fitted.covariate_coef).tolist()
        models.append(
            GroupModel(
                group=name,
                alpha=fitted.alpha,
                objective=fitted.objective,
                duality_gap=fitted.duality_gap,
                intercept=sign * float(fitted.intercept),
                coefficients=tuple((sign * np.atleast_2d(model.subgraph_coef_)[k, list(order)]).tolist()),
                covariates=list(zip(model.covariate_names_, covariates, strict=True)),
                path=_penalties(choice),
            )
        )
    return models


def _penalties(choice: Choice) -> list[Penalty]:
    """The path of one model, with the held-out losses where there are any."""
    losses = np.empty((0, 0)) if choice.cv_losses is None else choice.cv_losses
    path = []
    for i, one in enumerate(choice.path):
        # Held-out losses are those of the first models, as far as n_nonzero and the time limit allowed.
        tried = i < len(losses) and bool(np.isfinite(losses[i]).all())
        held_out = (float(losses[i].mean()), float(losses[i].std())) if tried else (None, None)
        path.append(Penalty(one.alpha, len(one.coef), one.objective, one.duality_gap, *held_out))
    return path


def _fit_message(model: Any, status: Status) -> str:
    """The proof, in one or two sentences."""
    gap = f"{max(one.duality_gap for one in model.models_):.3g}"
    of_groups = len(model.models_) > 1
    if status is not Status.OPTIMAL:
        imprecise = status is Status.PRECISION_LIMIT
        limit = "tol is below rounding error" if imprecise else "The time limit was reached"
        return (
            f"{limit}: the {'models are' if of_groups else 'model is'} valid, but another one over the "
            f"admitted subgraphs may have an objective lower by up to {gap}."
        )
    proven = (
        f"Proven{', for each group against the rest' if of_groups else ''}: no model over the admitted "
        f"subgraphs has an objective lower by more than {gap} at {'its' if of_groups else 'this'} penalty."
    )
    if model.finished_:
        return proven
    return f"{proven} The time limit was reached before all penalties and folds were tried."


def _asked(model: Any, name: str) -> Any:
    """A parameter of a fit as JSON has it."""
    if name == "loss" and _labels_of(model) == PHENOTYPE:
        return SQUARED
    value = getattr(model, name, None)  # a regressor has no class_weight
    if name == "covariates" and value is not None:
        return [value] if isinstance(value, str) else [str(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    # An object that splits is recorded by its text.
    return value if value is None or isinstance(value, (int, float, str)) else str(value)
