"""What a search says about its answer: a sentence, a warning, or the error that nothing was admitted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.wording import shown
from dugraph.exceptions import AssumedClassWarning, FewerSubgraphsWarning, LimitReachedWarning
from dugraph.probability.scores import ONE_SIDED, Score
from dugraph.search.answer import Answer
from dugraph.search.limits import none_admitted
from dugraph.search.result import MiningResult, Status

_CAUSES = {
    Status.TIME_LIMIT: "The time limit was reached",
    Status.NODE_LIMIT: "The node limit was reached",
    Status.INTERRUPTED: "The search was interrupted",
    Status.MEMORY_LIMIT: "The ranking is too long for memory",
}


def result_message(answer: Answer, parameters: dict[str, Any]) -> str:
    """Say what is proven of an answer to what was asked for."""
    status, limit = answer.status, parameters["max_correlation"]
    n_found, n_ranked = answer.listing.n_subgraphs, answer.n_ranked
    if status is Status.OPTIMAL and limit in (None, 1):
        return f"Proven: no other admitted connected subgraph is better than the {n_found} listed."
    if status is Status.OPTIMAL:
        return (
            f"Proven: going down the {n_ranked} best admitted connected subgraphs, the {n_found} listed are "
            f"those that do not correlate above {limit:g} with an earlier one."
        )
    # Without a full list, anything admitted could still enter it.
    worst = f", the worst listed has {answer.threshold:.6g}" if math.isfinite(answer.threshold) else ""
    return (
        f"{_CAUSES[status]}: the {n_found} subgraphs listed are the best so far, not proven; an unseen one "
        f"has a value of at most {answer.best_open_bound:.6g}{worst}."
    )


def warn_of_guessed_class(scores: Iterable[Score], cohort: LabelledGraphs, stacklevel: int = 3) -> None:
    """Warn if a one-sided score has to guess the positive class; 1 against 0 or -1 is clear.

    Parameters
    ----------
    scores : iterable of str or callable
        Those in use.
    cohort : LabelledGraphs
        Which knows whether its positive class was given.
    stacklevel : int, default 3
        How far up the line is that the warning is about.
    """
    one_sided = [score for score in scores if isinstance(score, str) and score in ONE_SIDED]
    negative, positive = cohort.classes.tolist()
    if not one_sided or not cohort.assumed or [negative, positive] in ([0, 1], [-1, 1]):
        return
    warnings.warn(
        f"{one_sided[0]} is large for subgraphs typical of the positive class, which was not given. It is "
        f"assumed to be {shown(repr(positive))}, the last in sorted order, and not {shown(repr(negative))}. "
        "Give pos_label.",
        AssumedClassWarning,
        stacklevel=stacklevel,
    )


def warn_about(result: MiningResult, cohort: UncertainGraphs) -> None:
    """Warn of a limit or of too few subgraphs; refuse an answer without any."""
    asked = result.parameters["n_subgraphs"]
    if not result.success:
        warnings.warn(result.message, LimitReachedWarning, stacklevel=3)
    elif result.success and not result.subgraphs:
        raise none_admitted(cohort, result.parameters["min_expected_frequency"])
    elif result.success and len(result) < asked:
        warnings.warn(_too_few(result, asked), FewerSubgraphsWarning, stacklevel=3)


def _too_few(result: MiningResult, asked: int) -> str:
    limit = result.parameters["max_correlation"]
    if limit in (None, 1):
        return (
            f"{asked} subgraphs were requested, but only {len(result)} are admitted; all are returned. "
            "Lower min_expected_frequency for more."
        )
    return (
        f"{asked} subgraphs were requested, but of all admitted ones only {len(result)} can be kept "
        f"without a correlation above {limit:g}. Raise max_correlation, or lower min_expected_frequency, for "
        "more."
    )
