"""Gains of a linear model, searched in parts."""

import math
from functools import partial

import pytest

from dugraph.cluster.checkpoint import Checkpoint
from dugraph.search.canonical import canonical_graphs
from dugraph.search.core import NO_LIMIT, Goal
from dugraph.search.parts import PartedSearch
from dugraph.search.problem import SearchProblem

MIN_FREQUENCY = 0.5


def gain_goal(weights):
    return Goal.gain(weights)


def gain_problem(weights, graphs):
    """What `GainSearch` looks for, for weights of the graphs in canonical order."""
    ordered = canonical_graphs(graphs, MIN_FREQUENCY)
    return SearchProblem(ordered, MIN_FREQUENCY, partial(gain_goal, weights), graphs.n_edges, "worldwise", 1)


def found_gains(problem, pool):
    """The twenty best, by whoever is in the pool."""
    kept = Checkpoint(None, lambda: pytest.fail("no file, no identity"))
    return PartedSearch(problem, kept, pool)(20, math.inf, NO_LIMIT, None).listing
