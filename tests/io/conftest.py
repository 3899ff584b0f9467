"""A process that reads hostile files for tests."""

import pytest
from watched import Watched


@pytest.fixture(scope="session")
def watched():
    process = Watched()
    yield process
    process.close()
