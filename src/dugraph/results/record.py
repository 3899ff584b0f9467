"""What was found, in which cohort, how, and what is proven: in memory, and as results.json holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate, as_list
from dugraph.data.labels import CLASSES
from dugraph.exceptions import InputError
from dugraph.results.edges import edges_json
from dugraph.results.ranking import RankedSubgraph, group_titles
from dugraph.results.rules import (
    COUNT,
    FLAG,
    NUMBER,
    PLAIN,
    POSITIVE,
    SHARE,
    TEXT,
    TEXTS,
    Rule,
    check_object,
    check_value,
    damaged,
    one_of,
)
from dugraph.results.source import PathLike, Source, full_input
from dugraph.search.result import COUNTERS
from dugraph.words import FREQUENCY, MEASURES, RANKINGS, Status

if TYPE_CHECKING:
    from dugraph.evaluation import EvaluationResult


class Kind(NamedTuple):
    """What the record of a command holds besides its input and its subgraphs.

    Attributes
    ----------
    value_name : str
        What the value of a subgraph is called.
    parts : dict
        The fields of each part with their rules, and the rule of what else is in it.
    needed : callable
        Gives the name of a parameter that must not be null, for the parameters; or None.
    """

    value_name: str
    parts: dict[str, tuple[dict[str, Rule], Rule | None]]
    needed: Callable[[Mapping[str, Any]], str | None] = lambda parameters: None


_STATUS = one_of([status.value for status in Status])
_SETTING = Rule(f"{PLAIN.words}, or a list of texts", lambda value: PLAIN.holds(value) or TEXTS.holds(value))


def _needed_by_measure(parameters: Mapping[str, Any]) -> str | None:
    measure = parameters["measure"]
    return None if measure == FREQUENCY else MEASURES[measure].parameter


KINDS = {
    "mine": Kind(
        "value",
        {
            "parameters": (
                {
                    "measure": one_of(RANKINGS),
                    "score": TEXT,
                    "phi": NUMBER.or_null(),
                    "quantile": SHARE.or_null(),
                    "score_cap": POSITIVE.or_null(),
                },
                _SETTING,
            ),
            "proof": (
                {
                    "success": FLAG,
                    "status": _STATUS,
                    "message": TEXT,
                    **dict.fromkeys(("gap", "threshold", "best_open_bound"), NUMBER.or_null()),
                },
                None,
            ),
            "counters": (dict.fromkeys(COUNTERS, COUNT), COUNT),
            "versions": ({}, TEXT),
        },
        _needed_by_measure,
    ),
    "sparse": Kind(
        "coefficient",
        {
            # Groups may have a penalty each.
            "parameters": ({"alpha_in_use": POSITIVE.or_null(), "loss": TEXT}, _SETTING),
            "proof": ({"success": FLAG, "message": TEXT, "objective": NUMBER, "duality_gap": NUMBER}, None),
            "counters": ({"n_searches": COUNT}, COUNT),
            "versions": ({}, TEXT),
        },
    ),
}
"""By command. Each that finds subgraphs has an entry here, and a module that makes its record and files."""


class Penalty(NamedTuple):
    """A penalty of a path: what it leaves, and the held-out loss where there is one."""

    alpha: float
    n_nonzero: int
    objective: float
    duality_gap: float
    loss: float | None = None
    spread: float | None = None


class GroupModel(NamedTuple):
    """The sparse model that tells one of several groups from the rest.

    Attributes
    ----------
    group : str
    alpha, objective, duality_gap, intercept : float
    coefficients : tuple of float
        Of the subgraphs of the record; 0 of those that other groups alone have.
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


@dataclass(frozen=True)
class SubgraphRecord:
    """Subgraphs that were found, in which cohort, how, and what is proven about them.

    Attributes
    ----------
    command : {"mine", "sparse"}
    source : Source
        The cohort and its file.
    subgraphs : sequence of RankedSubgraph
        Best first.
    parameters, proof, counters, versions : dict
        As in results.json; see docs/results.md.
    settings : mapping
        What else the run was given, for config.toml; empty if it was read from a folder.
    intercept : float or None
        Of a sparse model.
    covariates : sequence of (name, coefficient)
        Of a sparse model, without a penalty.
    path : list of Penalty
        Of a sparse model, from large to small.
    models : sequence of GroupModel
        Of sparse models of several groups, which have intercept, covariates and path of their own. The value
        of a subgraph is then its coefficient of the largest size.
    seconds : float or None
        How long it took, which files do not tell.
    p_values : sequence of (float or None), or None
        Of a test of the same cohort, for each subgraph; None: not significant there, or no test was made.
    """

    command: str
    source: Source
    subgraphs: Sequence[RankedSubgraph]
    parameters: dict[str, Any]
    proof: dict[str, Any]
    counters: dict[str, int]
    versions: dict[str, str]
    make_result: Callable[[], Any] = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    intercept: float | None = None
    covariates: Sequence[tuple[str, float]] = ()
    path: Sequence[Penalty] = ()
    models: Sequence[GroupModel] = ()
    seconds: float | None = None
    p_values: Sequence[float | None] | None = None

    @property
    def cohort(self) -> LabelledGraphs:
        """The graphs and their classes."""
        return self.source.cohort

    @property
    def is_fit(self) -> bool:
        """Whether values are coefficients of a sparse model."""
        return self.command == "sparse"

    @cached_property
    def result(self) -> Any:
        """The `MiningResult` or the fitted sparse model itself."""
        return self.make_result()

    def to_json(self, folder: PathLike, more: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What results.json in this folder holds; `more` is what else is recorded about each subgraph."""
        name = KINDS[self.command].value_name
        told = as_list(more, "more", "mappings")
        if len(told) != len(self.subgraphs) or not all(isinstance(one, Mapping) for one in told):
            raise InputError(
                f"more must be one mapping for each of {len(self.subgraphs)} subgraphs, but is "
                f"{abbreviate(repr(more))}.",
                parameter="more",
            )
        return {
            "command": self.command,
            "counters": self.counters,
            "input": full_input(self.source, folder),
            "parameters": self.parameters,
            "proof": self.proof,
            "subgraphs": [
                {**subgraph_json(subgraph, self.cohort, name), **other}
                for subgraph, other in zip(self.subgraphs, told, strict=True)
            ],
            "versions": self.versions,
            **({} if self.intercept is None else {"intercept": self.intercept}),
            **({"covariates": [covariate_json(*one) for one in self.covariates]} if self.covariates else {}),
        }


@dataclass(frozen=True)
class EvaluationRecord:
    """An evaluation and its cohort.

    Attributes
    ----------
    source : Source
        The cohort and its file.
    result : EvaluationResult
    settings : mapping
        The arguments of `evaluate`, for config.toml; empty if it was read from a folder.
    phenotype : str or None
        The column that was forecast; None: the labels of the cohort.
    """

    source: Source
    result: EvaluationResult
    settings: Mapping[str, Any] = field(default_factory=dict)
    phenotype: str | None = None
    command: str = "evaluate"

    @property
    def cohort(self) -> LabelledGraphs:
        """The graphs and their classes."""
        return self.source.cohort


def covariate_json(name: str, coefficient: float) -> dict[str, Any]:
    """A covariate of a sparse model as results.json holds it."""
    return {"name": name, "coefficient": coefficient, "coefficient_hex": coefficient.hex()}


def subgraph_json(subgraph: RankedSubgraph, cohort: LabelledGraphs, name: str) -> dict[str, Any]:
    """A subgraph as results.json holds it; `name` is what its value is called."""
    titles = zip(group_titles(cohort), subgraph.by_group, strict=True)
    groups: dict[str, Any] = dict(titles)
    if cohort.kind == CLASSES:
        groups = {f"expected_frequency_{title}": frequency for title, frequency in groups.items()}
    elif groups:
        groups = {"expected_frequency_by_group": groups}
    return {
        "edges": edges_json(subgraph.edges, cohort.graphs),
        "expected_frequency": subgraph.frequency,
        **groups,
        "rank": subgraph.rank,
        name: subgraph.value,
        f"{name}_hex": subgraph.value.hex(),
    }


def check_parts(file: Path, record: dict[str, Any]) -> Kind:
    """Check all of a record but its input and its subgraphs; gives its kind."""
    kind = KINDS[record["command"]]
    for part, (fields, others) in kind.parts.items():
        check_object(file, part, record.get(part), fields, others)
    asked = record["parameters"]
    check_value(file, "max_correlation", asked.get("max_correlation"), NUMBER.or_null())
    needed = kind.needed(asked)
    if needed is not None and asked[needed] is None:
        raise damaged(file, f"the measure {asked['measure']} has no {needed}")
    return kind
