"""Fixtures for all tests with clusters."""

import pytest

from dugraph.cluster import dask


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler on a busy machine may take longer to answer than a user would wait."""
    monkeypatch.setattr(dask, "_PATIENCE", 600)
