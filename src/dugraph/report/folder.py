"""What a report is made of: subgraphs that were found, an evaluation, and the cohort of both."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError, Setting
from dugraph.results import EvaluationRecord, SubgraphRecord, load_result, record_of
from dugraph.results.load import load_evaluation
from dugraph.results.source import Source

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Parts:
    """All that a report is made of."""

    source: Source
    found: SubgraphRecord | None
    evaluation: EvaluationResult | None


def gather(result: Any, evaluation: Any, data: PathLike | None, cohort: dict[str, Any]) -> Parts:
    """Join a result, and an evaluation of the same cohort, each in memory or in a folder.

    Parameters
    ----------
    result : path-like or a result
    evaluation : path-like, EvaluationResult, EvaluationRecord or None
    data : path-like or None
        The cohort file.
    cohort : dict
        X, y and pos_label of a result in memory, as for `record_of`.
    """
    if isinstance(result, (str, os.PathLike)):
        first = load_result(result, data=data)
        if isinstance(first, SubgraphRecord) and evaluation is None:
            both = (Path(result) / "evaluation.json").is_file()
            evaluation = result if both else None
    else:
        first = record_of(result, data=data, **cohort)
    if isinstance(first, EvaluationRecord):
        if evaluation is not None:
            home = result if isinstance(result, (str, os.PathLike)) else "the first result"
            raise InputError(
                (
                    *(f"{home}: with ", Setting("evaluation", "FOLDER"), " a report is of subgraphs and an "),
                    "evaluation, but this is an evaluation itself.",
                ),
                parameter="evaluation",
                way_out=(
                    f"Name the folder of `dugraph mine -o` or `sparse -o` first, and {home} with ",
                    *(Setting("evaluation"), "."),
                ),
            )
        return Parts(first.source, None, first.result)
    if isinstance(evaluation, (str, os.PathLike)):
        evaluation = load_evaluation(Path(evaluation), source=first.source)
    judged = evaluation.result if isinstance(evaluation, EvaluationRecord) else evaluation
    return Parts(first.source, first, judged)
