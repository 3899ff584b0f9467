"""A small cohort on which every method is quick."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def small():
    """30 graphs of 6 nodes; edges 0 and 1 are frequent in the class 1."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.uniform(0.2, 0.8, (30, 15))
    X[:, :2] = np.where(y[:, None] == 1, rng.uniform(0.6, 1, (30, 2)), rng.uniform(0, 0.6, (30, 2)))
    X.flags.writeable = y.flags.writeable = False  # all tests have the same
    return X, y
