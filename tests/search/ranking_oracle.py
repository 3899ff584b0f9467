"""The ranking of a small cohort by the definition, and a careful comparison of an answer with it.

Independent of the compiled core: every set of edges, the recursion in NumPy, the measures of the reference. A
value next to a jump (admission, quantile, mode) may fall on either side of it by rounding; only there two
answers are right, and `Ranking` knows both.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from random_cohorts import Cohort, Floats, Problem

from dugraph.probability.containment import support_distribution
from dugraph.probability.measures import JUMP_TOLERANCE, Measure, level_probabilities
from dugraph.probability.scores import default_phi, score_table
from dugraph.search.exhaustive import FREQUENCY_TOLERANCE, Subgraph, connected_subgraphs

# Probabilities so near to a jump may fall on either side. Less than the tolerance of rule 8, so that an exact
# tie, which many cohorts are full of, has one right side.
NEAR = 5e-13
WITHOUT_LOGARITHMS = ("confidence", "hsic")


@lru_cache(maxsize=4096)
def _subgraphs_of(edges, n_edges):
    return connected_subgraphs(np.frombuffer(edges, dtype=np.int32).reshape(n_edges, 2))


def all_subgraphs(edges, max_edges):
    subgraphs = _subgraphs_of(edges.astype(np.int32).tobytes(), len(edges))
    return [g for g in subgraphs if max_edges is None or len(g) <= max_edges]


@dataclass(frozen=True)
class Candidates:
    """The subgraphs of a cohort that are admitted, or nearly so, with their support distributions."""

    subgraphs: list[Subgraph]
    frequency: Floats
    surely: NDArray[np.bool_]
    supports: tuple[Floats, Floats]


def candidates(cohort, problem):
    subgraphs = all_subgraphs(cohort.edges, problem.max_edges)
    containment = np.array([cohort.edge_probability[:, list(g)].prod(axis=1) for g in subgraphs])
    frequency = containment.mean(axis=1)
    limit = problem.min_expected_frequency + FREQUENCY_TOLERANCE
    kept = np.flatnonzero(frequency > limit - NEAR)
    positive = cohort.y == 1
    return Candidates(
        subgraphs=[subgraphs[k] for k in kept],
        frequency=frequency[kept],
        surely=frequency[kept] > limit + NEAR,
        supports=(
            support_distribution(containment[kept][:, positive]),
            support_distribution(containment[kept][:, ~positive]),
        ),
    )


@dataclass(frozen=True)
class Ranking:
    """Possible values of each candidate, from `low` to `high`, which differ by rounding and at jumps only."""

    cohort: Cohort
    problem: Problem
    of: Candidates
    low: Floats
    high: Floats

    def key(self, value, g):
        """Sorts subgraphs from the best to the worst (rule 4)."""
        names = [(*map(int, sorted(self.cohort.edges[e], reverse=True)), self.cohort.layers[e]) for e in g]
        return -value, len(g), sorted(names)


def ranking(cohort, problem, of):
    if problem.measure == "frequency" or not of.subgraphs:
        return Ranking(cohort, problem, of, *_within_rounding(of.frequency, 0.0))
    table = score_table(problem.score, cohort.n_pos, len(cohort.y) - cohort.n_pos, problem.score_cap)
    levels, probabilities = table.levels, level_probabilities(*of.supports, table)
    if problem.measure in ("median", "quantile"):
        wanted = 0.5 if problem.measure == "median" else problem.quantile
        return Ranking(
            cohort, problem, of, *_levels(problem, levels, *_quantiles(levels, probabilities, wanted))
        )
    if problem.measure == "mode":
        return Ranking(cohort, problem, of, *_levels(problem, levels, *_modes(levels, probabilities)))
    is_phi = problem.measure == "phi_probability"
    measure = Measure(problem.measure, phi=default_phi(problem.score, problem.phi) if is_phi else 0.0)
    scale = 0.0 if is_phi else _scale(levels)
    return Ranking(cohort, problem, of, *_within_rounding(measure(levels, probabilities), scale))


def _scale(levels):
    return float(np.abs(levels).max())


def _levels(problem, levels, low, high):
    # NumPy's logarithm need not round as the core's does, and sums of logarithms cancel. Others are exact.
    error = 0.0 if problem.score in WITHOUT_LOGARITHMS else 4 * np.finfo(float).eps * _scale(levels)
    return low - error, high + error


def _within_rounding(values, scale):
    # The scale matters where scores of both signs cancel; phi-probabilities keep their relative accuracy.
    error = 1e-12 * np.abs(values) + 1e-14 * scale
    return values - error, values + error


def _quantiles(levels, probabilities, wanted):
    below = np.cumsum(probabilities, axis=-1)
    ends = []
    for jump in (wanted - JUMP_TOLERANCE - NEAR, wanted - JUMP_TOLERANCE + NEAR):
        reached = below >= jump
        reached[:, -1] = True
        ends.append(levels[np.argmax(reached, axis=-1)])
    return ends[0], ends[1]


def _modes(levels, probabilities):
    most = probabilities.max(axis=-1, keepdims=True)
    ends = []
    for slack in (-NEAR, NEAR):
        ties = probabilities >= most - JUMP_TOLERANCE - slack
        ends.append(levels[levels.size - 1 - np.argmax(ties[:, ::-1], axis=-1)])
    return ends[0], ends[1]


def assert_answers(found, values, truth, wanted=None):
    """The answer is the true top list, up to values that rounding cannot tell apart."""
    of, problem = truth.of, truth.problem
    place = {g: k for k, g in enumerate(of.subgraphs)}
    wanted = problem.n_subgraphs if wanted is None else wanted
    assert len(set(found)) == len(found)
    assert min(wanted, int(of.surely.sum())) <= len(found) <= min(wanted, len(of.subgraphs))
    keys = [truth.key(value, g) for value, g in zip(values.tolist(), found, strict=True)]
    assert keys == sorted(keys), "not in the order of the ranking"
    for g, value in zip(found, values, strict=True):
        assert g in place, f"{g} is not connected or not admitted"
        assert truth.low[place[g]] <= value <= truth.high[place[g]], f"{g} has the wrong value {value}"
    left_out = set(of.subgraphs) - set(found)
    for g in left_out:
        if not of.surely[place[g]]:
            continue
        assert len(found) == wanted, f"{g} is admitted, but was left out"
        # Values within rounding may be in either order; levels and their ties are exact.
        low = float(truth.low[place[g]])
        last = float(truth.high[place[found[-1]]])
        exact = problem.measure in ("median", "quantile", "mode") and low == truth.high[place[g]]
        if exact:
            assert keys[-1] < truth.key(low, g), f"{g} is better than {found[-1]}"
        else:
            assert low <= last, f"{g} is better than {found[-1]}"
