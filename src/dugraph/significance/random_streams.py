"""Random numbers as a pure function of (random_state, index): any range can be drawn anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from dugraph.data.arguments import is_whole
from dugraph.exceptions import InputError

RELABELING, MATCHING, BOOTSTRAP = range(3)
"""What random numbers are drawn for; each purpose has streams of its own."""


def check_random_state(random_state: object) -> int:
    """The seed, if it is one that the same relabelings can be drawn from again."""
    seed = int(random_state) if is_whole(random_state) else -1
    if not 0 <= seed < 2**63:
        raise InputError(
            f"random_state must be a whole number of at least 0 and below 2**63, but is {random_state!r}: "
            "every relabeling is drawn from it and its own number, so the test can be repeated.",
            parameter="random_state",
        )
    return seed


def streams(random_state: int, purpose: int, numbers: Iterable[int]) -> Iterator[np.random.Generator]:
    """The random numbers of these numbers of a purpose: streams of a counter-based generator never overlap.

    Each generator serves until the next one is asked for.
    """
    bits = np.random.Philox(key=[random_state, purpose])
    generator, state = np.random.Generator(bits), bits.state
    for number in numbers:
        state["state"]["counter"][:] = 0, 0, number, 0
        bits.state = state  # much quicker than a new generator
        yield generator


def stream(random_state: int, purpose: int, number: int) -> np.random.Generator:
    """The random numbers of one number of a purpose."""
    return next(streams(random_state, purpose, [number]))
