"""A cohort of moderate size."""

import pytest

from dugraph import simulate


@pytest.fixture(scope="session")
def hiv():
    graphs, y, _ = simulate("hiv", random_state=0)
    return graphs, y
