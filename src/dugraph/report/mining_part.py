"""How the subgraphs were found, and the command that finds them again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dugraph.data.phenotype import CLASSES
from dugraph.results import SubgraphRecord
from dugraph.results.record import GroupModel
from dugraph.settings import OF_RESULTS, flag_word, option_text
from dugraph.words import FREQUENCY, MEASURES, score_title

_WORK = {
    "n_searches": "searches over all admitted subgraphs",
    "n_visited": "admitted subgraphs seen",
    "n_candidates": "extensions tested",
    "n_evaluated": "dynamic programs run",
    "n_pruned_by_frequency": "extensions too rare",
    "n_pruned_by_bound": "subgraphs whose supergraphs a bound excluded",
}


@dataclass(frozen=True)
class MiningPart:
    """What the template needs; `fit` has the numbers of a sparse fit, None for a search.

    `thinned` is the correlation above which subgraphs were left out, None if none were. `effect_words` says
    what an effect is, where there are any; `covariates` are those of a fit with their coefficients, one for
    each group where there are models of several; `models` are these.
    """

    value_name: str
    parameters: list[tuple[str, str, str]]
    work: list[tuple[str, int]]
    proven: bool
    message: str
    gap: float | None
    seconds: float | None
    command: str
    fit: list[tuple[str, float]] | None
    thinned: float | None
    effect_words: str = ""
    covariates: Sequence[tuple[str, Sequence[float]]] = ()
    models: Sequence[GroupModel] = ()

    @property
    def claim(self) -> str:
        """What is proven of the list, in a few words."""
        if self.fit is not None:
            return (
                "proven optimum over all admitted subgraphs"
                if self.proven
                else "not proven to be the optimum"
            )
        if not self.proven:
            return "best so far, not proven"
        if self.thinned is None:
            return "proven to be the best"
        return (
            f"proven: each is the best of those that correlate at most {self.thinned:g} with those before it"
        )


def thinned_at(record: SubgraphRecord) -> float | None:
    """The correlation above which subgraphs were left out; None if none were, as no correlation exceeds 1."""
    limit = record.parameters.get("max_correlation")
    return None if limit is None or limit >= 1 else float(limit)


def describe_mining(record: SubgraphRecord, seconds: float | None) -> MiningPart:
    """Put the record of a search or of a fit into words."""
    asked, proof, work = record.parameters, record.proof, record.counters
    fitted = record.is_fit
    return MiningPart(
        value_name="coefficient" if fitted else _measured(asked),
        parameters=_described(record),
        work=[(said, int(work[name])) for name, said in _WORK.items() if name in work],
        proven=bool(proof["success"]),
        message=str(proof["message"]),
        gap=None if fitted else proof["gap"],
        seconds=seconds,
        command=_command(record),
        fit=_fit(record) if fitted else None,
        thinned=thinned_at(record),
        effect_words=_effect_words(record) if "covariates" in asked and not fitted else "",
        covariates=_covariates(record),
        models=record.models,
    )


def _described(record: SubgraphRecord) -> list[tuple[str, str, str]]:
    """The parameters of the method, their values and what they are."""
    options, asked = OF_RESULTS[record.command].options().values(), record.parameters
    described = [*((one.name, one.report) for one in options if one.report), ("alpha_in_use", "the penalty")]
    return [(name, _shown(asked[name]), said) for name, said in described if asked.get(name) is not None]


def _covariates(record: SubgraphRecord) -> list[tuple[str, Sequence[float]]]:
    if not record.models:
        return [(name, [value]) for name, value in record.covariates]
    of_groups = zip(*(one.covariates for one in record.models), strict=True)
    return [(same[0][0], [value for _, value in same]) for same in of_groups]


def _effect_words(record: SubgraphRecord) -> str:
    adjusted = "adjusted " if record.parameters["covariates"] else ""
    if record.cohort.kind == CLASSES:
        return f"{adjusted}difference in expected frequency"
    return f"{adjusted}slope per unit of {record.source.phenotype or 'the phenotype'}"


def _fit(record: SubgraphRecord) -> list[tuple[str, Any]]:
    proof = record.proof
    if record.models:  # each has a line of its own in another table
        return [("sum of the objectives of all groups", float(proof["objective"]))]
    return [
        ("objective: mean loss + penalty × sum of the sizes of the coefficients", float(proof["objective"])),
        ("duality gap: no model's objective is lower by more than this", float(proof["duality_gap"])),
        ("intercept", record.intercept),
    ]


def _measured(asked: dict[str, Any]) -> str:
    measure = asked["measure"]
    titled = {**asked, "score": score_title(asked.get("score"))}
    return "expected frequency" if measure == FREQUENCY else MEASURES[measure].said.format(**titled)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(option_text(value))


def _command(record: SubgraphRecord) -> str:
    positive = record.cohort.positive_class if record.cohort.kind == CLASSES else None
    flags = {**record.parameters, "alpha_in_use": None, "labels": None, "pos_label": positive}
    flags["phenotype"] = record.source.phenotype
    words = [flag_word(name, value) for name, value in flags.items() if value is not None]
    lines = [
        shlex.join(["dugraph", record.command, record.source.file]),
        *map(shlex.quote, words),
        "-o results",
    ]
    return " \\\n  ".join(lines)
