"""Edges without a value, as regions out of the scanner's view have: refused, or absent by explicit wish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError, Setting
from dugraph.io.places import Places
from dugraph.words import MISSING


@dataclass(frozen=True)
class Missing:
    """What becomes of edges whose value is NaN or ``n/a``.

    Attributes
    ----------
    rule : {"refuse", "absent"}
    """

    rule: str

    def __post_init__(self) -> None:
        """Refuse an unknown rule."""
        if self.rule not in MISSING:
            raise InputError(
                f"missing must be {' or '.join(MISSING)}, but is {self.rule!r}.", parameter="missing"
            )

    def edges(self, values: NDArray[np.float64], places: Places) -> NDArray[np.bool_]:
        """Mark the missing edges of an array of shape (n_graphs, n_edges), or refuse them."""
        missing = np.isnan(values)
        if self.rule == "refuse" and missing.any():
            region = places.common_region(missing)
            first = (
                f"the first is {places.first(missing)}"
                if region is None
                else f"region {shown(region[0])} has none in {region[1]}"
            )
            raise InputError(
                "Every edge must have a value, but there is none (NaN, n/a, a region that never changes), in "
                f"one direction or both, for {counted(int(missing.sum()), 'edge')} in "
                f"{int(missing.any(axis=1).sum())} of {counted(len(values), 'graph')}; {first}.",
                way_out=(
                    "Drop the region from all files or the subject, or make such edges absent with ",
                    *(Setting("missing", "absent"), "."),
                ),
            )
        return missing

    def record(self, missing: NDArray[np.bool_]) -> dict[str, Any]:
        """Say how many edges were made absent, and in how many graphs."""
        if not missing.any():
            return {}
        graphs = int(missing.any(axis=1).sum())
        return {"missing": self.rule, "n_missing": int(missing.sum()), "n_graphs_with_missing": graphs}
