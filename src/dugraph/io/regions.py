"""Regions of several subjects: each named once, and brought into one order by name."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError
from dugraph.io.guards import check_length


class Named(Protocol):
    """A file whose values have regions as columns."""

    @property
    def file(self) -> Path:
        """Where it came from."""

    @property
    def values(self) -> NDArray[np.float64]:
        """Values with one column per region."""

    @property
    def node_labels(self) -> tuple[str, ...] | None:
        """Names of the regions."""


def check_regions(labels: tuple[str, ...] | None, file: object, n_regions: int) -> None:
    """Refuse fewer than two regions, names that are empty or absurd, and regions that share a name."""
    if n_regions < 2:
        raise InputError(f"{file}: a network needs at least two regions, but it has {n_regions}.")
    if labels is None:
        return
    if len(labels) != n_regions:
        raise InputError(
            f"{file}: every region needs one name, but there are {counted(len(labels), 'name')} for "
            f"{counted(n_regions, 'region')}."
        )
    seen: set[str] = set()
    for label in labels:
        check_length(label, file, "region name")
        if not label:
            raise InputError(f"{file}: a region must have a name, but one is empty. Fill it in.")
        if label in seen:
            raise InputError(
                f"{file}: regions must have different names, but {shown(label)!r} appears twice. Rename or "
                "drop one in all files."
            )
        seen.add(label)


def order_like(sample: Named, first: Named) -> NDArray[np.intp] | None:
    """Tell in which order the regions of a file are those of the first file; None if in the same.

    Parameters
    ----------
    sample, first : objects with file, values and node_labels

    Returns
    -------
    ndarray of int, shape (n_regions,), or None
    """
    here, there = sample.node_labels, first.node_labels
    if here is None or there is None:
        if (here is None) != (there is None):
            raise InputError(
                f"Either all files name their regions or none: {sample.file} and {first.file} differ. "
                "Write them all with one program."
            )
        n_here, n_there = sample.values.shape[1], first.values.shape[1]
        if n_here != n_there:
            raise InputError(
                f"All subjects must have the same regions: {sample.file} has {n_here}, but {first.file} has "
                f"{n_there}. Extract them with one atlas."
            )
        return None
    if here == there:
        return None
    missing, extra = [n for n in there if n not in set(here)], [n for n in here if n not in set(there)]
    if missing or extra:
        parts = [
            f"{word} {counted(len(names), 'region')} ({listed(names, 8)})"
            for word, names in (("lacks", missing), ("adds", extra))
            if names
        ]
        raise InputError(
            f"All subjects must have the same regions: {sample.file} {' and '.join(parts)}, compared with "
            f"{first.file}. Drop these regions from all files, or leave out the subject."
        )
    position = {name: i for i, name in enumerate(here)}
    return np.array([position[name] for name in there], dtype=np.intp)
