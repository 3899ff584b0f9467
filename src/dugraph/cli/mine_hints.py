"""What `dugraph mine` says on stderr about settings that do not do what they seem to do."""

from typing import TYPE_CHECKING, Any

from dugraph.cli.progress import say
from dugraph.words import MEASURES

if TYPE_CHECKING:
    from dugraph import LabelledGraphs, MiningResult

_DEFAULTS = {"quantile": 0.5, "phi": None}
_NEAR = 1e-12  # of 1: what rounding leaves of it
_TIES = "chosen and ordered only by the tie rule, fewer edges first"


def hint_at_unused(settings: dict[str, Any]) -> None:
    """Say which parameter of a measure was given although another measure ranks."""
    measure = settings["measure"]
    for its_measure, words in MEASURES.items():
        name = words.parameter
        if name is None or measure == its_measure or settings[name] == _DEFAULTS[name]:
            continue
        say(
            f"dugraph: --{name} {settings[name]:g} does not affect a ranking by {measure}. "
            f"Add --measure {its_measure} to rank by it."
        )


def hint_at_ties(result: "MiningResult", cohort: "LabelledGraphs") -> None:
    """Say how many of the listed values are 0, or that all are 1, so that their order means nothing.

    Parameters
    ----------
    result : MiningResult
    cohort : LabelledGraphs
        Whose classes tell how large a score can be.
    """
    asked, n = result.parameters, len(result)
    zeros = sum(value == 0 for value in result.values)
    by_phi = asked["measure"] == "phi_probability"
    if zeros:
        which = f"{zeros} of the {n}" if zeros < n else f"all {n}" if n > 1 else "all"
        reach = ""
        if by_phi and cohort.kind == "classes":
            reach = f" phi is {asked['phi']:g}, {_largest(asked, cohort)}. Choose a smaller --phi."
        say(f"dugraph: {which} listed values are 0, {_TIES}.{reach}")
    elif by_phi and cohort.kind == "classes" and n > 1 and all(value >= 1 - _NEAR for value in result.values):
        say(
            f"dugraph: all {n} listed values are 1, {_TIES}. Their scores are certain to reach phi = "
            f"{asked['phi']:g}; {_largest(asked, cohort)}. Choose a larger --phi."
        )


def _largest(asked: dict[str, Any], cohort: "LabelledGraphs") -> str:
    from dugraph.search.distribution import scores_of

    n_pos, n_neg = cohort.n_pos, cohort.n_neg
    largest = scores_of(asked["score"], n_pos, n_neg, asked["score_cap"]).largest
    return f"the largest {asked['score']} that {n_pos} and {n_neg} graphs can have is {largest:.4g}"
