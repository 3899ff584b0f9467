"""How the subgraphs were found, and the command that finds them again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from dugraph.report.folder import Cohort

_SAID = {
    "score": "score function, how a subgraph's presence is compared between the classes",
    "measure": "the number taken of the score's distribution",
    "phi": "score that counts as discriminative (φ)",
    "quantile": "which quantile",
    "n_subgraphs": "subgraphs asked for (t)",
    "min_expected_frequency": "a subgraph is admitted above this expected frequency",
    "max_edges": "most edges of a subgraph",
    "max_correlation": "subgraphs that correlate more with a better one are left out",
    "score_cap": "larger scores become this",
    "bound": "pruning, which changes the work and not the answer",
}
_WORK = {
    "n_visited": "admitted subgraphs met",
    "n_candidates": "extensions tested",
    "n_evaluated": "dynamic programs run",
    "n_pruned_by_frequency": "extensions too rare",
    "n_pruned_by_bound": "subgraphs whose supergraphs a bound excluded",
}
_MEASURED = {
    "expectation": "expected {score}",
    "median": "median {score}",
    "quantile": "{quantile:g}-quantile of {score}",
    "mode": "most likely {score}",
    "phi_probability": "probability of {score} ≥ {phi:g}",
    "frequency": "expected frequency",
}


@dataclass(frozen=True)
class MiningPart:
    """What the template needs."""

    value_name: str
    parameters: list[tuple[str, str, str]]
    work: list[tuple[str, int]]
    proven: bool
    message: str
    gap: float | None
    seconds: float | None
    command: str


def describe_mining(record: dict[str, Any], cohort: Cohort, seconds: float | None) -> MiningPart:
    """Put the record of a search into words."""
    asked = record["parameters"]
    proof = record["proof"]
    return MiningPart(
        value_name=_MEASURED.get(asked["measure"], asked["measure"]).format(**asked),
        parameters=[
            (name, _shown(asked[name]), said) for name, said in _SAID.items() if asked.get(name) is not None
        ],
        work=[(said, int(record["counters"][name])) for name, said in _WORK.items()],
        proven=bool(proof["success"]),
        message=str(proof["message"]),
        gap=proof["gap"],
        seconds=seconds,
        command=_command(asked, cohort),
    )


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _command(asked: dict[str, Any], cohort: Cohort) -> str:
    flags = {**asked, "pos_label": cohort.positive_class}
    # One word, so that a class such as "-1" is not taken for a flag.
    words = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items() if value is not None]
    lines = [shlex.join(["dugraph", "mine", cohort.file]), *map(shlex.quote, words), "-o results"]
    return " \\\n  ".join(lines)
