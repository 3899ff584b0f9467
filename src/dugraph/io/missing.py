"""Values that are missing, as of regions out of the scanner's view: refused, absent, or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted, is_one_of, shown
from dugraph.exceptions import InputError, Part, Setting, either
from dugraph.io.places import Places
from dugraph.words import MISSING

Marks = NDArray[np.bool_]

# The share of subjects or regions that may be dropped unless the user says otherwise.
MOST_DROPPED = 0.1
_WORST = 8
_OTHERS = either([Setting("missing", rule) for rule in MISSING[1:]])


@dataclass(frozen=True)
class Kept:
    """Who and what stays.

    Attributes
    ----------
    graphs : ndarray of int
        Positions of the graphs that stay.
    regions : ndarray of int
        Positions of the regions that stay.
    incomplete : ndarray of bool, shape (n_graphs,)
        Which graphs lack some value, dropped or not.
    record : dict
        What was done, for the provenance.
    """

    graphs: NDArray[np.intp]
    regions: NDArray[np.intp]
    incomplete: Marks
    record: dict[str, Any]


@dataclass(frozen=True)
class Missing:
    """What becomes of edges whose value is NaN or ``n/a``.

    Attributes
    ----------
    rule : {"refuse", "absent", "drop-regions", "drop-subjects"}
    limit : float, or None
        The largest share that may be made absent (of values) or dropped (of regions or subjects). By default
        there is no limit for the former, and `MOST_DROPPED` for the latter.
    """

    rule: str
    limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown rule, and a limit that is no share."""
        if not is_one_of(self.rule, MISSING):
            raise InputError(
                f"missing must be {', '.join(MISSING[:-1])} or {MISSING[-1]}, but is {self.rule!r}.",
                parameter="missing",
            )
        if self.limit is None:
            return
        if self.rule == "refuse":
            raise InputError(
                "max_missing must be left out unless something may be dropped or absent.",
                parameter="max_missing",
                way_out=("Add ", *_OTHERS, "."),
            )
        if not 0 <= self.limit <= 1:
            raise InputError(
                f"max_missing must be a share from 0 to 1, but is {self.limit!r}.", parameter="max_missing"
            )

    def kept(self, missing: Marks, places: Places, graph_ids: tuple[str, ...]) -> Kept:
        """Decide what stays, or refuse.

        Parameters
        ----------
        missing : ndarray of bool, shape (n_graphs, n_edges)
        places : Places
        graph_ids : tuple of str

        Returns
        -------
        Kept
        """
        n_graphs, n_regions = len(missing), len(places.labels)
        everyone, everywhere = np.arange(n_graphs), np.arange(n_regions)
        incomplete = np.asarray(missing.any(axis=1))
        if not incomplete.any():
            return Kept(everyone, everywhere, incomplete, {})
        record: dict[str, Any] = {
            "missing": self.rule,
            "n_missing": int(missing.sum()),
            "n_graphs_with_missing": int(incomplete.sum()),
        }
        whole = places.whole_regions(missing)
        if self.rule == "refuse":
            raise _refused(missing, whole, places, graph_ids)
        if self.rule == "absent":
            self._check(missing.mean(), "absent values", whole, places, graph_ids)
            return Kept(everyone, everywhere, incomplete, record)
        if self.rule == "drop-subjects":
            self._check(incomplete.mean(), "dropped subjects", whole, places, graph_ids)
            record["dropped_subjects"] = [graph_ids[i] for i in np.flatnonzero(incomplete)]
            return Kept(np.flatnonzero(~incomplete), everywhere, incomplete, record)
        dropped = np.asarray(whole.any(axis=0))
        self._check(dropped.mean(), "dropped regions", whole, places, graph_ids)
        rest = missing[:, ~dropped[places.edges].any(axis=1)]
        if rest.shape[1] == 0:
            raise InputError(
                f"Without the {counted(int(dropped.sum()), 'region')} that some subject lacks entirely, at "
                "least one edge must remain, but none does.",
                way_out=("Choose another rule: ", *self._others(), "."),
                details=_worst(whole, missing, places, graph_ids),
            )
        if rest.any():
            raise InputError(
                f"Without the {counted(int(dropped.sum()), 'region')} that some subject lacks entirely, "
                f"every edge must have a value, but {counted(int(rest.sum()), 'edge')} in "
                f"{counted(int(rest.any(axis=1).sum()), 'subject')} still {_have(rest)} none.",
                way_out=("Choose another rule: ", *self._others(), "."),
                details=_worst(whole, missing, places, graph_ids),
            )
        record["dropped_regions"] = [places.labels[v] for v in np.flatnonzero(dropped)]
        return Kept(everyone, np.flatnonzero(~dropped), incomplete, record)

    def _check(self, share: float, what: str, whole: Marks, places: Places, ids: tuple[str, ...]) -> None:
        limit = self.limit
        if limit is None:
            limit = 1.0 if self.rule == "absent" else MOST_DROPPED
        if share > limit or (share == 1 and self.rule != "absent"):
            raise InputError(
                f"The share of {what} must be at most {limit:g}, but would be {share:.3g}.",
                parameter="max_missing",
                way_out=("Raise it, or choose another rule: ", *self._others(), "."),
                details=_worst(whole, whole, places, ids),
            )

    def _others(self) -> tuple[Part, ...]:
        return either([Setting("missing", rule) for rule in MISSING[1:] if rule != self.rule])


def _have(marks: Marks) -> str:
    return "has" if marks.sum() == 1 else "have"


def _refused(missing: Marks, whole: Marks, places: Places, ids: tuple[str, ...]) -> InputError:
    first = f"the first is {places.first(missing)}"
    if whole.any():
        i, v = (int(k) for k in np.argwhere(whole)[0])
        first = f"region {shown(places.labels[v])} has none in {places.files[i]}"
    n_graphs = int(missing.any(axis=1).sum())
    return InputError(
        "Every edge must have a value, but there is none (NaN, n/a, a region that never changes), in one "
        f"direction or both, for {counted(int(missing.sum()), 'edge')} in {n_graphs} of "
        f"{counted(len(missing), 'graph')}; {first}.",
        way_out=("Correct the files, or choose how to treat such edges: ", *_OTHERS, "."),
        details=_worst(whole, missing, places, ids) if n_graphs > 1 else (),
    )


def _worst(whole: Marks, missing: Marks, places: Places, ids: tuple[str, ...]) -> list[str]:
    """List the regions that most subjects lack, and the subjects that lack most, one in each line."""
    tables = (
        ("region", "subject", whole.sum(axis=0), places.labels),
        ("subject", "region", whole.sum(axis=1), ids),
        ("subject", "value", missing.sum(axis=1) * ~whole.any(axis=1), ids),
    )
    lines = []
    for what, of, counts, names in tables:
        order = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k]]
        rows = [(shown(names[k]), counted(int(counts[k]), of)) for k in order[:_WORST]]
        if len(order) > _WORST:
            rows.append((f"and {len(order) - _WORST} more", ""))
        if rows:
            width = max(len(name) for name, _ in [(what, ""), *rows])
            lines += [f"  {name:<{width}}  {count}".rstrip() for name, count in [(what, "lacks"), *rows]]
    return lines
