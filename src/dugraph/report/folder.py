"""What goes into a report: subgraphs that were found, a test, an evaluation, and their cohort."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.data.arguments import check_kind
from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import check_path
from dugraph.results import EvaluationRecord, SubgraphRecord, TestRecord, load_result, record_of
from dugraph.results.load import load_evaluation, load_test
from dugraph.results.source import Source
from dugraph.results.tested import OWN_TEST

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Parts:
    """Everything in a report; `forecast` is the column that was evaluated, None if it is the labels."""

    source: Source
    found: SubgraphRecord | None
    evaluation: EvaluationResult | None
    test: TestRecord | None = None
    forecast: str | None = None


def gather(result: Any, evaluation: Any, test: Any, data: PathLike | None, cohort: dict[str, Any]) -> Parts:
    """Join a result, an evaluation and a test of the same cohort, each in memory or in a folder.

    Parameters
    ----------
    result : path-like or a result
    evaluation : path-like, EvaluationResult, EvaluationRecord or None
    test : path-like, SignificanceResult, TestRecord or None
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
        if isinstance(first, SubgraphRecord) and test is None:
            test = _own_test(Path(result), first.source)
    else:
        first = record_of(result, data=data, **cohort)
    home = result if isinstance(result, (str, os.PathLike)) else "the first result"
    if isinstance(first, EvaluationRecord):
        if evaluation is not None:
            raise _twice(home, "evaluation", "an evaluation")
        return Parts(first.source, None, first.result, _same_test(test, first.source), first.phenotype)
    if isinstance(evaluation, (str, os.PathLike)):
        evaluation = load_evaluation(Path(check_path(evaluation, "folder")), source=first.source)
    column = None
    if isinstance(evaluation, EvaluationRecord):
        evaluation, column = evaluation.result, evaluation.phenotype
    if evaluation is not None:
        check_kind(evaluation, EvaluationResult, "evaluation", "Take it from evaluate, or name its folder.")
    if isinstance(first, TestRecord):
        if test is not None:
            raise _twice(home, "test", "a test")
        return Parts(first.source, None, evaluation, first, column)
    return Parts(first.source, first, evaluation, _same_test(test, first.source), column)


def _twice(home: object, parameter: str, what: str) -> InputError:
    return InputError(
        (
            *(f"{home}: with ", Setting(parameter, "FOLDER"), f" a report is of subgraphs and {what}, "),
            f"but this is {what} itself.",
        ),
        parameter=parameter,
        way_out=(
            f"Name the folder of `dugraph mine -o` or `sparse -o` first, and {home} with ",
            *(Setting(parameter), "."),
        ),
    )


def _own_test(home: Path, source: Source) -> TestRecord | None:
    """The test that `dugraph mine --test` put into the folder, if it is of this cohort still."""
    if not (home / OWN_TEST / "results.json").is_file():
        return None
    record = load_result(home / OWN_TEST)
    if isinstance(record, TestRecord) and record.source.sha256 == source.sha256:
        return record
    return None


def _same_test(test: Any, source: Source) -> TestRecord | None:
    """The test as a record; it must be of the cohort of the other result."""
    if test is None:
        return None
    if isinstance(test, (str, os.PathLike)):
        return load_test(Path(check_path(test, "folder")), source)
    record = record_of(test, source)
    if not isinstance(record, TestRecord):
        raise InputError(f"test must be a SignificanceResult or its folder: got {type(test).__name__}.")
    if record.source.sha256 != source.sha256:
        raise InputError(
            "The subgraphs and the test must come from the same cohort, but do not. Write separate reports."
        )
    return record
