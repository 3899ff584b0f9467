"""Random small cohorts and problems for the tests of the search: full of ties, zeros, ones and odd shapes."""

import os
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dugraph import UncertainGraphs
from dugraph.probability.scores import SCORES, Score, score_table

Floats = NDArray[np.float64]
Random = np.random.Generator

MEASURES = ("expectation", "median", "quantile", "mode", "phi_probability", "frequency")
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))


def share_difference(a, b, p, q):
    """Signed and one-sided."""
    return a / p - b / q


def penalty(a, b, p, q):
    """Never positive, best where the subgraph is nowhere."""
    return -1e6 * (a + 2 * b)


def remainder(a, b, p, q):
    """Neither monotone nor symmetric, with few levels."""
    return (7 * a + 3 * b) % 5 - 2


def lopsided(a, b, p, q):
    """Infinite on one side, negative on the other."""
    return np.where(a * q > b * p + p * q / 2, np.inf, -b)


def constant(a, b, p, q):
    """Everything ties."""
    return np.full_like(a, -0.25)


SCORE_CHOICES = (*SCORES, share_difference, penalty, remainder, lopsided, constant)


@dataclass(frozen=True)
class Cohort:
    """A cohort in one order of its graphs and edges, with the order in which it was made."""

    edge_probability: Floats
    edges: NDArray[np.int64]
    layers: tuple[str, ...]
    y: NDArray[np.int64]
    made_as: NDArray[np.int64]  # the index of each edge when the cohort was made

    @property
    def graphs(self):
        return UncertainGraphs(self.edge_probability, edges=self.edges, edge_layers=self.layers)

    @property
    def n_pos(self):
        return int(self.y.sum())

    def shuffled(self, random, rows=None):
        """The same cohort with graphs, edges and the two ends of each edge in another order."""
        rows = random.permutation(len(self.y)) if rows is None else rows
        columns = random.permutation(len(self.edges))
        edges = self.edges[columns]
        turned = random.random(len(edges)) < 0.5
        edges[turned] = edges[turned, ::-1]
        return Cohort(
            self.edge_probability[np.ix_(rows, columns)],
            edges,
            tuple(self.layers[e] for e in columns),
            self.y[rows],
            self.made_as[columns],
        )


@dataclass(frozen=True)
class Problem:
    """The settings of a search, except the bound and the number of threads."""

    score: Score
    measure: str
    phi: float | None
    quantile: float
    n_subgraphs: int
    min_expected_frequency: float
    max_edges: int | None
    score_cap: float | None

    def keywords(self):
        return dict(self.__dict__)


def random_edges(random):
    """Up to 9 edges, connected or in pieces, sometimes in two layers."""
    n_nodes = int(random.integers(2, 9))
    pairs = np.column_stack(np.tril_indices(n_nodes, -1)).astype(np.int64)
    layers = ("",) if random.random() < 0.7 else ("bold", "dti")
    choices = [(pair, layer) for pair in pairs for layer in layers]
    n_edges = min(len(choices), int(random.integers(1, 10)))
    chosen = [choices[k] for k in np.sort(random.choice(len(choices), n_edges, replace=False))]
    # The nodes that no edge touches stay: a cohort may hold isolated nodes.
    return np.array([pair for pair, _ in chosen]), tuple(layer for _, layer in chosen)


def random_probabilities(random, n_graphs, n_edges):
    shape = (n_graphs, n_edges)
    kind = random.integers(9)
    uniform = random.random(shape)
    probability = (
        random.integers(0, 5, shape) / 4,
        random.integers(2, 5, shape) / 4,
        random.integers(0, 2, shape) * 1.0,
        uniform,
        1 - uniform**4,
        np.where(random.random(shape) < 0.4, 0.0, uniform),
        np.where(random.random(shape) < 0.4, 1.0, uniform),
        np.full(shape, 0.5) + random.integers(0, 2, (1, n_edges)) * 0.25,
        np.sqrt(uniform),
    )[kind]
    if random.random() < 0.3:  # duplicated graphs
        probability = probability[random.integers(0, max(1, n_graphs // 2), n_graphs)]
    return np.asarray(probability)


def random_cohort(random):
    edges, layers = random_edges(random)
    largest = 25 if random.random() < 0.15 else 6  # from 16 graphs on the core's loops run in blocks
    n_pos, n_neg = (int(random.integers(1, largest)) for _ in range(2))
    if random.random() < 0.2:
        n_neg = n_pos  # many more ties
    probability = random_probabilities(random, n_pos + n_neg, len(edges))
    if n_pos == n_neg and random.random() < 0.2:
        probability[n_pos:] = probability[:n_pos]  # nothing discriminates
    y = np.repeat([1, 0], [n_pos, n_neg])
    return Cohort(probability, edges, layers, y, np.arange(len(edges)))


def random_limit(random, probability):
    """A limit of the expected frequency: round, zero, or exactly that of some edges together."""
    if random.random() < 0.3:
        some = random.random(probability.shape[1]) < 0.4
        return min(0.999, float(probability[:, some].prod(axis=1).mean()))
    return float(random.choice([0.0, 0.0, 0.05, 0.1, 0.125, 0.2, 0.25, 1 / 3, 0.5]))


def random_problem(random, cohort, limit):
    score = SCORE_CHOICES[random.integers(len(SCORE_CHOICES))]
    score_cap = None if random.random() < 0.8 else float(random.choice([0.01, 0.5, 5.0]))
    if score_cap is not None:  # above the lowest score
        lowest = score_table(score, cohort.n_pos, len(cohort.y) - cohort.n_pos).levels[0]
        score_cap = max(score_cap, float(lowest) + 0.01)
    levels = score_table(score, cohort.n_pos, len(cohort.y) - cohort.n_pos, score_cap).levels
    level = float(levels[random.integers(len(levels))])
    phi = (level, level + 1e-9, float(levels[-1]) * 2 + 1, 0.5)[random.choice(4, p=[0.7, 0.1, 0.1, 0.1])]
    return Problem(
        score=score,
        measure=MEASURES[random.integers(len(MEASURES))],
        phi=None if isinstance(score, str) and random.random() < 0.3 else phi,
        quantile=float(random.choice([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999])),
        n_subgraphs=int(random.choice([1, 2, 3, 5, 10, 30, 1000])),
        min_expected_frequency=limit,
        max_edges=None if random.random() < 0.7 else int(random.integers(1, 5)),
        score_cap=score_cap,
    )


def random_problems(random, cohort, count):
    """Several problems with one limit of the frequency and of the size, so that an oracle can share work."""
    limit = random_limit(random, cohort.edge_probability)
    problems = [random_problem(random, cohort, limit) for _ in range(count)]
    return [replace(problem, max_edges=problems[0].max_edges) for problem in problems]
