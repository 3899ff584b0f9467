"""Measures, one number for a score's distribution: expectation, quantile (median), mode, phi-probability.

Each takes the score levels, ascending, and their probabilities along the last axis; leading axes are a batch.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import real_number
from dugraph.exceptions import InputError
from dugraph.words import MEASURES

Floats = NDArray[np.float64]

# Where a measure jumps, probabilities and scores this close count as equal (rules 3 and 8).
JUMP_TOLERANCE = 1e-12


def expectation(levels: Floats, probabilities: Floats) -> Floats:
    """The paper's Mean-Score: the sum of score times probability."""
    return np.asarray(probabilities @ levels)


def quantile(levels: Floats, probabilities: Floats, quantile: float = 0.5) -> Floats:
    """The smallest score s with Pr[F <= s] >= quantile; at 1/2 the paper's Median-Score (rule 2)."""
    reached = np.cumsum(probabilities, axis=-1) >= quantile - JUMP_TOLERANCE
    reached[..., -1] = True
    return np.asarray(levels[np.argmax(reached, axis=-1)])


def mode(levels: Floats, probabilities: Floats) -> Floats:
    """The paper's Mode-Score: the most likely score, the higher one of a tie (rule 3)."""
    ties = probabilities >= probabilities.max(axis=-1, keepdims=True) - JUMP_TOLERANCE
    return np.asarray(levels[levels.size - 1 - np.argmax(ties[..., ::-1], axis=-1)])


def phi_probability(levels: Floats, probabilities: Floats, phi: float) -> Floats:
    """The paper's phi-probability Pr[F >= phi].

    Above one half it is computed from the complement, so that it is exactly 1 within rounding.
    """
    phi = real_number(phi, "phi")
    discriminative = levels >= phi - JUMP_TOLERANCE * max(1.0, abs(phi))
    tail = probabilities[..., discriminative].sum(axis=-1)
    rest = probabilities[..., ~discriminative].sum(axis=-1)
    return np.asarray(np.where(tail > 0.5, 1.0 - rest, tail))


@dataclass(frozen=True)
class Measure:
    """A measure chosen by name, with its parameter."""

    name: str
    quantile: float = 0.5
    phi: float = 0.0

    def __call__(self, levels: Floats, probabilities: Floats) -> Floats:
        """The measure of each distribution in a batch."""
        return _MEASURES[self.name](self, levels, probabilities)


_MEASURES: dict[str, Callable[[Measure, Floats, Floats], Floats]] = {
    "expectation": lambda m, levels, pr: expectation(levels, pr),
    "median": lambda m, levels, pr: quantile(levels, pr, 0.5),
    "quantile": lambda m, levels, pr: quantile(levels, pr, m.quantile),
    "mode": lambda m, levels, pr: mode(levels, pr),
    "phi_probability": lambda m, levels, pr: phi_probability(levels, pr, m.phi),
}


def check_measure(measure: str, more: tuple[str, ...] = ()) -> str:
    """Return the name; raise InputError unless it is a measure or one of `more`."""
    if not isinstance(measure, str) or measure not in (*MEASURES, *more):
        raise InputError(
            f"measure must be one of {', '.join((*MEASURES, *more))}, but is {measure!r}.",
            parameter="measure",
        )
    return measure


def check_quantile(quantile: float) -> float:
    """Return the quantile; raise InputError unless it lies strictly between 0 and 1.

    It must differ from both by more than the tolerance at jumps: closer to 0, a score of probability 0 could
    be taken for the quantile.
    """
    if not isinstance(quantile, numbers.Real) or not JUMP_TOLERANCE < quantile < 1 - JUMP_TOLERANCE:
        raise InputError(
            f"quantile must lie strictly between 0 and 1, but is {quantile!r}. The median is 0.5.",
            parameter="quantile",
        )
    return float(quantile)
