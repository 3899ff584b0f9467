"""Missing values, such as those of regions outside the field of view: refused, absent, or dropped.

Missing values that are more frequent in one class or at one site are a confound, which is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dugraph.data.arguments import abbreviate, counted, edge_label, is_one_of
from dugraph.data.edges import triangle_edges
from dugraph.exceptions import InputError, Part, Setting, either
from dugraph.io.connectomes import Connectomes
from dugraph.words import MISSING, SITE_COLUMNS

Marks = NDArray[np.bool_]

MOST_DROPPED = 0.1
"""The share of subjects or regions that may be dropped by default."""
LEVEL = 0.05
"""The significance level at which a difference between classes or sites is reported as a caution."""
_WORST = 8
_OTHERS = either([Setting("missing", rule) for rule in MISSING[1:]])


@dataclass(frozen=True)
class Places:
    """The edges, regions and files of connectomes, to locate values in messages."""

    edges: NDArray[np.int64]
    labels: tuple[str, ...]
    files: tuple[Path, ...]

    @classmethod
    def of(cls, connectomes: Connectomes, n_edges: int) -> Places:
        """Build from connectomes with `n_edges` edges."""
        if connectomes.edges is not None:
            edges = connectomes.edges
        else:
            edges = triangle_edges(round((1 + (1 + 8 * n_edges) ** 0.5) / 2)).astype(np.int64)
        labels = connectomes.node_labels or tuple(map(str, range(int(edges.max()) + 1)))
        return cls(edges, labels, connectomes.files)

    def first(self, marked: NDArray[np.bool_]) -> str:
        """Name the first marked entry of an array of shape (n_graphs, n_edges)."""
        i, e = (int(k) for k in np.argwhere(marked)[0])
        u, v = (int(node) for node in self.edges[e])
        return f"{edge_label(self.labels, min(u, v), max(u, v))} in {self.files[i]}"

    def whole_regions(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the regions all of whose edges are marked, as an array of shape (n_graphs, n_regions)."""
        n_regions, n_edges = len(self.labels), len(self.edges)
        ends = csr_array(
            (np.ones(2 * n_edges), (np.repeat(np.arange(n_edges), 2), self.edges.ravel())),
            shape=(n_edges, n_regions),
        )
        n_marked = np.asarray(marked.astype(np.float64) @ ends)
        return np.asarray((n_marked == ends.sum(axis=0)) & (n_marked > 0))


@dataclass(frozen=True)
class Kept:
    """The graphs and regions that are kept.

    Attributes
    ----------
    graphs : ndarray of int
        Positions of the graphs.
    regions : ndarray of int
        Positions of the regions.
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
    """How edges without a value (NaN, ``n/a``) are treated.

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
        """Validate the rule and the limit."""
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
        """Decide which graphs and regions are kept, or raise.

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
        first = f"region {abbreviate(places.labels[v])} has none in {places.files[i]}"
    n_graphs = int(missing.any(axis=1).sum())
    return InputError(
        "Every edge must have a value, but there is none (NaN, n/a, a region that never changes), in one "
        f"direction or both, for {counted(int(missing.sum()), 'edge')} in {n_graphs} of "
        f"{counted(len(missing), 'graph')}; {first}.",
        way_out=("Correct the files, or choose how to treat such edges: ", *_OTHERS, "."),
        details=_worst(whole, missing, places, ids) if n_graphs > 1 else (),
    )


def _worst(whole: Marks, missing: Marks, places: Places, ids: tuple[str, ...]) -> list[str]:
    """List the regions missing in most subjects, and the subjects that lack most, one per line."""
    tables = (
        ("region", "subject", whole.sum(axis=0), places.labels),
        ("subject", "region", whole.sum(axis=1), ids),
        ("subject", "value", missing.sum(axis=1) * ~whole.any(axis=1), ids),
    )
    lines = []
    for what, of, counts, names in tables:
        order = [int(k) for k in np.argsort(-counts, kind="stable") if counts[k]]
        rows = [(abbreviate(names[k]), counted(int(counts[k]), of)) for k in order[:_WORST]]
        if len(order) > _WORST:
            rows.append((f"and {len(order) - _WORST} more", ""))
        if rows:
            width = max(len(name) for name, _ in [(what, ""), *rows])
            lines += [f"  {name:<{width}}  {count}".rstrip() for name, count in [(what, "lacks"), *rows]]
    return lines


def missingness_bias(
    incomplete: Marks,
    classes: NDArray[np.str_] | None,
    columns: Mapping[str, NDArray[Any]] | None,
) -> dict[str, Any]:
    """Count the incomplete graphs of each class and each site, and warn if their shares are unequal.

    Parameters
    ----------
    incomplete : ndarray of bool, shape (n_graphs,)
    classes : ndarray of str, shape (n_graphs,), or None
    columns : mapping of str to ndarray of shape (n_graphs,), or None
        The participants table; a column of sites is found by its usual name.

    Returns
    -------
    dict
        For the provenance; empty if no graph is incomplete.
    """
    if not incomplete.any():
        return {}
    groups = {} if classes is None else {"class": classes}
    site = next((name for name in columns or {} if name.lower() in SITE_COLUMNS), None)
    if columns is not None and site is not None:
        groups["site"] = np.asarray(columns[site]).astype(str)
    record: dict[str, Any] = {}
    unequal = []
    for name, values in groups.items():
        sizes = {
            str(one): (int(incomplete[values == one].sum()), int((values == one).sum()))
            for one in np.unique(values)
        }
        parts = [
            f"{abbreviate(one)} {n} of {total}" for one, (n, total) in sizes.items() if n or name == "class"
        ]
        record[f"incomplete_by_{name}"] = ", ".join(parts)
        p_value = _p_value(np.array(list(sizes.values())))
        if p_value < LEVEL:
            unequal.append(f"{'classes' if name == 'class' else 'sites'} (p = {p_value:.2g})")
    if unequal:
        record["caution"] = (
            f"the shares of incomplete subjects differ between {' and '.join(unequal)}: missing values may "
            "be what separates the classes"
        )
    return record


def _p_value(sizes: NDArray[np.int64]) -> float:
    """Test whether all groups have the same share: Fisher's exact test for two, chi-squared for more."""
    from scipy.stats import chi2_contingency, fisher_exact

    table = np.stack([sizes[:, 0], sizes[:, 1] - sizes[:, 0]])
    if len(sizes) < 2 or not table.sum(axis=1).all():
        return 1.0
    return float(fisher_exact(table)[1] if len(sizes) == 2 else chi2_contingency(table)[1])
