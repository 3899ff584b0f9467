"""Subjects by the hundred: what is only needed on the way is never there for a whole cohort at once."""

from collections.abc import Iterator

_BLOCK = 200  # subjects


def blocks(n_graphs: int) -> Iterator[slice]:
    """Divide so many subjects into blocks, in their order."""
    return (slice(first, first + _BLOCK) for first in range(0, n_graphs, _BLOCK))
