"""Random numbers as a pure function of (random_state, index): any range can be drawn anywhere."""

from __future__ import annotations

import numbers

import numpy as np

from dugraph.exceptions import InputError

RELABELING, MATCHING, BOOTSTRAP = range(3)
"""What random numbers are drawn for; each purpose has streams of its own."""


def check_random_state(random_state: object) -> int:
    """The seed, if it is one that the same relabelings can be drawn from again."""
    whole = isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)
    seed = int(random_state) if whole else -1  # type: ignore[call-overload]
    if not 0 <= seed < 2**63:
        raise InputError(
            f"random_state must be a whole number of at least 0 and below 2**63, but is {random_state!r}: "
            "every relabeling is drawn from it and its own number, so that the test can be repeated.",
            parameter="random_state",
        )
    return seed


def stream(random_state: int, purpose: int, index: int) -> np.random.Generator:
    """The random numbers number `index` of a purpose: streams of a counter-based generator never overlap."""
    return np.random.Generator(np.random.Philox(key=[random_state, purpose], counter=[0, 0, index, 0]))
