"""A cohort whose age depends on a subgraph and on the site, and the three groups it falls into."""

import numpy as np
from sklearn.model_selection import KFold

import dugraph as dg
from dugraph import RepeatedFolds

RNG = np.random.default_rng(1)
N = 60
X = RNG.uniform(0.1, 1.0, (N, 10))
SITE = np.array(["A", "B", "C"])[np.arange(N) % 3]
AGE = 20 + 12 * X[:, 0] * X[:, 1] + 4.0 * (SITE == "B") + RNG.normal(size=N)
GROUPS = np.array(["low", "middle", "high"])[np.digitize(AGE, np.quantile(AGE, [1 / 3, 2 / 3]))]
GRAPHS = dg.UncertainGraphs(X, participants={"site": SITE, "age": AGE, "stage": GROUPS})
QUICK = {"n_subgraphs": [3], "cv": RepeatedFolds(3, n_repeats=1)}
LIMITS = {"min_expected_frequency": 0.1, "max_edges": 2, "time_limit": None}


def folds(seed: int = 0):
    return list(KFold(3, shuffle=True, random_state=seed).split(X))
