"""Levels of subgraphs: what a search has reached, so that nothing below it need be looked at."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dugraph.search.core import NO_LIMIT

Level = tuple[float, int]
"""Value and number of edges of a subgraph; less than all others: `NO_LEVEL`."""
NO_LEVEL: Level = (-math.inf, NO_LIMIT)


def height(level: Level) -> tuple[float, int]:
    """By this levels are compared: at equal value, fewer edges are better."""
    return level[0], -level[1]


def level_array(level: Level) -> NDArray[np.float64]:
    """A level for a file."""
    return np.array([level[0], math.inf if level[1] == NO_LIMIT else level[1]])


def level_of(array: NDArray[np.float64]) -> Level:
    """The same back; none if it is no level."""
    value, size = array.tolist() if array.shape == (2,) else (math.nan, math.nan)
    return (value, int(size)) if value == value and 1 <= size < NO_LIMIT else NO_LEVEL
