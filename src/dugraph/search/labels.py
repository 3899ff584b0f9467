"""What a search may ask of which labels: any of two classes, the expected HSIC of all others."""

from __future__ import annotations

from dugraph.data import LabelledGraphs
from dugraph.data.phenotype import CLASSES, GROUPS
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.probability.scores import Score, check_score_name
from dugraph.words import FREQUENCY


def check_two_classes_needed(
    cohort: LabelledGraphs, adjusted: bool, score: Score, measure: str, score_cap: float | None
) -> bool:
    """Whether the closed form of any labels is asked for; refuses what only two classes have.

    Parameters
    ----------
    cohort : LabelledGraphs
    adjusted : bool
        Whether there are covariates.
    score, measure, score_cap
        As for `mine_subgraphs`; the measure has been checked.
    """
    if cohort.kind == CLASSES and not adjusted:
        return False
    if measure == FREQUENCY and not adjusted:  # which looks at no labels
        return False
    if isinstance(score, str) and check_score_name(score) == "hsic" and measure == "expectation":
        if score_cap is None:
            return True
        asked: Setting = Setting("score_cap", score_cap)
    elif measure != "expectation":
        asked = Setting("measure", measure)
    else:
        asked = Setting("score", score if isinstance(score, str) else getattr(score, "__name__", repr(score)))
    why = {
        "groups": (Spoken("y", "the cohort"), f" has {len(cohort.classes)} groups"),
        "phenotype": (Spoken("y", "the phenotype"), " is continuous"),
    }.get(cohort.kind, (Setting("covariates"), " are given"))
    more = (", or compare each group with the rest by ", Setting("multi_class", "ovr"))
    raise InputError(
        (asked, " needs two classes without covariates, but ", *why, "."),
        parameter=asked.parameter,
        way_out=(
            *("Use ", Setting("score", "hsic"), " with ", Setting("measure", "expectation")),
            *(
                ", which is exact for any labels",
                *(more if cohort.kind == GROUPS and not adjusted else ()),
                ".",
            ),
        ),
    )
