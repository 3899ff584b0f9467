"""HSIC of any labels by its definition, world by world; without closed forms."""

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from random_cohorts import Cohort, Floats, random_cohort

from dugraph.search.exhaustive import connected_subgraphs


@dataclass(frozen=True)
class Phenotyped:
    """A small cohort with labels of any kind."""

    cohort: Cohort
    y: Any
    covariates: Any
    label_kernel: Floats  # centred and adjusted

    def shuffled(self, random):
        """The same in another order of graphs and edges."""
        rows = random.permutation(len(self.y))
        adjusted = None if self.covariates is None else self.covariates[rows]
        cohort = self.cohort.shuffled(random, rows)
        return Phenotyped(cohort, self.y[rows], adjusted, self.label_kernel[np.ix_(rows, rows)])


def label_kernel(y, covariates):
    """R L R: the linear kernel of the labels, with everything taken out that covariates explain."""
    n = len(y)
    distinct = np.unique(y)
    if y.dtype.kind == "U" or len(distinct) == 2:
        labels = (y[:, None] == distinct) / np.sqrt(2)
    else:
        labels = y[:, None] - y.mean()  # for the sake of digits: the intercept takes it out anyway
    known = np.ones((n, 1)) if covariates is None else np.column_stack([np.ones(n), covariates])
    left = np.eye(n) - known @ np.linalg.pinv(known)
    adjusted = left @ (left @ labels)
    return np.asarray(adjusted @ adjusted.T)


def random_labels(random, n):
    """Numbers with and without ties, small and large, or names of groups, twelve at most."""
    kind = random.integers(6)
    if kind == 0:
        return random.normal(size=n)
    if kind == 1:
        return random.integers(0, 4, n) * 1.5 + 100
    if kind == 2:
        return 1e4 * random.random(n) ** 3
    if kind == 3:
        return random.integers(0, 2, n)
    most = random.integers(9, 13) if n > 12 else random.integers(3, 6)  # beyond eight the bound is another
    return np.array([f"group {k}" for k in random.integers(0, most, n)])


def random_phenotyped(random, largest=None):
    """A cohort with labels, some adjusted; None where there is nothing to rank by."""
    cohort = random_cohort(random)
    if largest is not None and len(cohort.y) > largest:
        cohort = replace(cohort, edge_probability=cohort.edge_probability[:largest], y=cohort.y[:largest])
    n = len(cohort.y)
    y = random_labels(random, n)
    covariates = None
    if random.random() < 0.5 or len(np.unique(y)) == 2:
        covariates = random.normal(size=(n, int(random.integers(1, 3))))
        if random.random() < 0.3:
            covariates[:, -1] = 7.0  # constant, like the intercept
    kernel = label_kernel(y, covariates)
    centred = label_kernel(y, None)
    distinct = np.unique(y, return_counts=True)[1]
    groups_of_one = y.dtype.kind == "U" and len(distinct) > 2 and distinct.max() == 1
    if n < 2 or len(distinct) < 2 or groups_of_one or np.abs(kernel).max() <= 1e-10 * np.abs(centred).max():
        return None
    return Phenotyped(cohort, y, covariates, kernel)


def expectation_by_worlds(x, kernel):
    """Mean of tr(K R L R) / (n - 1)^2 over all worlds, K the kernel of the presence of a subgraph."""
    n = len(x)
    worlds = np.array(list(itertools.product([0.0, 1.0], repeat=n)))
    probability = np.where(worlds == 1, x, 1 - x).prod(axis=1)
    scores = ((worlds @ kernel) * worlds).sum(axis=1) / (n - 1) ** 2
    return float(probability @ scores)


def subgraphs_with_presence(case):
    """Containment probabilities of all connected subgraphs, in the edge indices of the cohort."""
    subgraphs = connected_subgraphs(case.cohort.edges.astype(np.int32))
    return {g: np.prod(case.cohort.edge_probability[:, list(g)], axis=1) for g in subgraphs}


def quadratic(x, kernel):
    """E sum_ij I_i I_j k_ij: I_i and I_j are independent unless they are the same."""
    pairs = np.outer(x, x)
    np.fill_diagonal(pairs, x)
    return float((pairs * kernel).sum()) / (len(x) - 1) ** 2
