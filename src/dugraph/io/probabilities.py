"""The step from the values of files to edge probabilities, and what becomes of missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dugraph.data.arguments import abbreviate, counted, is_one_of, listed
from dugraph.data.edges import signed_edges
from dugraph.estimators import EdgeProbability
from dugraph.estimators.probabilities import check_n_timepoints, map_connectivity
from dugraph.exceptions import InputError, Part, Setting, either
from dugraph.io.connectomes import Connectomes, Floats, row_blocks
from dugraph.io.series import bootstrap_probability, correlations_of_all
from dugraph.words import MISSING, PROBABILITIES

Marks = NDArray[np.bool_]

_BY_CORRELATION = ("positive", "signed", "absolute", "fisher", "rank")
# Kind of values -> the methods that make sense for it; the first is the default.
METHODS = {
    "correlation": (*_BY_CORRELATION, "none"),
    "fisher_z": _BY_CORRELATION,
    "count": ("fraction", "largest", "rank"),
    "probability": ("none",),
    "series": (*_BY_CORRELATION, "bootstrap"),
}
# Correlations computed in floating point may exceed 1 by so much.
_ROUNDING = 1e-6
# The share of subjects or regions that may be dropped by default.
_MOST_DROPPED = 0.1
_WORST = 8


class Kept(NamedTuple):
    """Positions of the graphs and regions that stay, and which graphs lack some value, dropped or not."""

    graphs: NDArray[np.intp]
    regions: NDArray[np.intp]
    incomplete: Marks
    record: dict[str, Any]


@dataclass(frozen=True)
class ProbabilityStep:
    """How values become probabilities."""

    method: str | None = None  # of `words.PROBABILITIES`; None: the default for the kind of values
    threshold: float | None = None  # probabilities below it become 0; "bootstrap": the least correlation
    density: float | None = None  # the share of edges to keep in each graph, strongest first
    n_timepoints: int | None = None  # for "fisher" on correlations; series know their length
    missing: str = "refuse"
    max_missing: float | None = None  # the largest share absent or dropped; None: 1 and 0.1
    random_state: int = 0

    def __post_init__(self) -> None:
        """Validate the rule for missing values."""
        if not is_one_of(self.missing, MISSING):
            raise InputError(
                f"missing must be {', '.join(MISSING[:-1])} or {MISSING[-1]}, but is {self.missing!r}.",
                parameter="missing",
            )
        if self.max_missing is None:
            return
        if self.missing == "refuse":
            raise InputError(
                "max_missing must be left out unless something may be dropped or absent.",
                parameter="max_missing",
                way_out=("Add ", *self._other_rules(), "."),
            )
        if not 0 <= self.max_missing <= 1:
            raise InputError(
                f"max_missing must be a share from 0 to 1, but is {self.max_missing!r}.",
                parameter="max_missing",
            )

    def applied(self, connectomes: Connectomes) -> tuple[Connectomes, Kept, Floats, dict[str, Any]]:
        """Return the connectomes that stay, which they are, their probabilities, and a record of the rules.

        So that there is one copy only, probabilities take the place of the values.
        """
        method = self._method(connectomes)
        values = self._values(connectomes, method)
        kept = self._kept(np.isnan(values), connectomes)
        if len(kept.graphs) < len(values):
            values = values[kept.graphs]
        connectomes = connectomes.subset(kept.graphs.tolist())
        if len(kept.regions) < len(connectomes.region_names):
            values = values[:, np.isin(connectomes.pairs, kept.regions).all(axis=1)]
            connectomes = connectomes.within(kept.regions)
        record: dict[str, Any] = {
            "values": connectomes.kind,
            "probability": method,
            "rule": PROBABILITIES[method],
        }
        record |= kept.record
        if method == "bootstrap":
            values[np.isnan(values)] = 0.0
            record["random_state"] = self.random_state
        else:
            values, signs = self._mapped(connectomes, method, values)
            record |= signs
            if method == "signed":
                edges, layers = signed_edges(connectomes.pairs)
                connectomes = replace(connectomes, edges=edges.astype(np.int64), edge_layers=layers)
        for name in ("threshold", "density", "n_timepoints"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        return connectomes, kept, values, record

    def _method(self, connectomes: Connectomes) -> str:
        kind = connectomes.kind
        method = METHODS[kind][0] if self.method is None else self.method
        if self.n_timepoints is not None:
            check_n_timepoints(self.n_timepoints)
        if not is_one_of(method, METHODS[kind]):
            raise InputError(
                f"probability must fit the values: for {kind} it may be {listed(METHODS[kind], 8)}, but is "
                f"{method!r}.",
                parameter="probability",
                way_out=("If the files hold something else, state it (", Setting("values"), ")."),
            )
        if method == "signed" and connectomes.edge_layers is not None:
            raise InputError(
                "probability must not be signed for edges that have layers, because signs are layers too.",
                parameter="probability",
                way_out=("Choose another, such as ", Setting("probability", "positive"), "."),
            )
        if method == "fraction":
            _check_waytotal(connectomes)
        if method == "fisher" and connectomes.lengths is None and self.n_timepoints is None:
            behind = ", the length of the time series behind the correlations."
            raise InputError(
                (Setting("probability", "fisher"), " needs ", Setting("n_timepoints"), behind),
                parameter="n_timepoints",
            )
        if method == "bootstrap" and self.density is not None:
            bootstrap = Setting("probability", "bootstrap")
            raise InputError(
                ("density must be left out with ", bootstrap, "; raise the ", Setting("threshold"), "."),
                parameter="density",
            )
        return method

    def _values(self, connectomes: Connectomes, method: str) -> Floats:
        if connectomes.series is not None:
            if method == "bootstrap":
                return bootstrap_probability(connectomes, self.threshold or 0.0, self.random_state)
            return correlations_of_all(connectomes)
        values = connectomes.fraction if method == "fraction" else connectomes.values
        assert values is not None  # Connectomes holds the one or the other
        if not values.flags.writeable:
            values = values.copy()
        if connectomes.kind == "count":
            _check_counts(values, connectomes)
        if connectomes.kind == "fisher_z":
            return np.tanh(values, out=values)
        if method == "largest":
            largest = np.nanmax(values, axis=1, keepdims=True, initial=0.0)
            # A graph without any streamline has no edges.
            values /= np.where(largest > 0, largest, 1.0)
        return values

    def _mapped(self, connectomes: Connectomes, method: str, values: Floats) -> tuple[Floats, dict[str, Any]]:
        """Replace values by probabilities, some graphs at a time; count the negative values."""
        lowest = _check_range(values, connectomes, method)
        layers = "signed" if method == "signed" else None
        result = values if layers is None else np.empty((len(values), 2 * values.shape[1]))
        # Values that are probabilities already are not changed by "positive".
        named = method if method in _BY_CORRELATION and layers is None else "positive"
        lengths = np.array(connectomes.lengths or [self.n_timepoints or 0] * len(values))
        n_negative = 0
        for rows in row_blocks(values):
            block, its_lengths = values[rows], lengths[rows]
            absent = np.isnan(block)
            block[absent] = 0.0
            n_negative += int((block < 0).sum())
            if lowest is not None:
                np.clip(block, lowest, 1.0, out=block)
            for length in np.unique(its_lengths).tolist():
                step = EdgeProbability(named, length or None, self.threshold, self.density, layers)
                some = slice(None) if (its_lengths == length).all() else its_lengths == length
                result[rows][some] = map_connectivity(step, block[some])
            if layers is None:
                block[absent] = 0.0
        if not n_negative or method not in ("positive", "rank", "signed"):
            return result, {}
        share = f"{100 * n_negative / values.size:.2g} % of the values are negative and become"
        fate = "negative links" if method == "signed" else "0"
        return result, {"negative_values": n_negative, "signs": f"{share} {fate}"}

    def _kept(self, missing: Marks, connectomes: Connectomes) -> Kept:
        """Decide which graphs and regions stay, or raise."""
        ids, names = connectomes.graph_ids, connectomes.region_names
        incomplete = np.asarray(missing.any(axis=1))
        kept = Kept(np.arange(len(ids)), np.arange(len(names)), incomplete, {})
        if not incomplete.any():
            return kept
        whole = _whole_regions(missing, connectomes)
        if self.missing == "refuse":
            raise _refused(missing, whole, connectomes)
        record: dict[str, Any] = {
            "missing": self.missing,
            "n_missing": int(missing.sum()),
            "n_graphs_with_missing": int(incomplete.sum()),
        }
        share, most, what = missing.mean(), 1.0, "absent values"
        if self.missing == "drop-subjects":
            share, most, what = incomplete.mean(), _MOST_DROPPED, "dropped subjects"
            record["dropped_subjects"] = [ids[i] for i in np.flatnonzero(incomplete)]
            kept = kept._replace(graphs=np.flatnonzero(~incomplete))
        elif self.missing == "drop-regions":
            dropped = np.asarray(whole.any(axis=0))
            share, most, what = dropped.mean(), _MOST_DROPPED, "dropped regions"
            record["dropped_regions"] = [names[v] for v in np.flatnonzero(dropped)]
            kept = kept._replace(regions=np.flatnonzero(~dropped))
        limit = most if self.max_missing is None else self.max_missing
        if share > limit or (share == 1 and self.missing != "absent"):
            raise InputError(
                f"The share of {what} must be at most {limit:g}, but would be {share:.3g}.",
                parameter="max_missing",
                way_out=("Raise it, or choose another rule: ", *self._other_rules(), "."),
                details=_worst(whole, whole, connectomes),
            )
        if self.missing != "drop-regions":
            return kept._replace(record=record)
        rest = missing[:, ~dropped[connectomes.pairs].any(axis=1)]
        if rest.shape[1] == 0 or rest.any():
            problem = "at least one edge must remain, but none does."
            if rest.shape[1]:
                problem = (
                    f"every edge must have a value, but {counted(int(rest.sum()), 'edge')} in "
                    f"{counted(int(rest.any(axis=1).sum()), 'subject')} still "
                    f"{'has' if rest.sum() == 1 else 'have'} none."
                )
            raise InputError(
                f"Without the {counted(int(dropped.sum()), 'region')} that some subject lacks entirely, "
                f"{problem}",
                way_out=("Choose another rule: ", *self._other_rules(), "."),
                details=_worst(whole, missing, connectomes),
            )
        return kept._replace(record=record)

    def _other_rules(self) -> tuple[Part, ...]:
        return either([Setting("missing", rule) for rule in MISSING[1:] if rule != self.missing])


# --- Missing values -----------------------------------------------------------------------------------------


def _whole_regions(missing: Marks, connectomes: Connectomes) -> Marks:
    """Mark the regions all of whose edges are missing, as an array of shape (n_graphs, n_regions)."""
    pairs = connectomes.pairs
    rows = np.repeat(np.arange(len(pairs)), 2)
    shape = len(pairs), len(connectomes.region_names)
    ends = csr_array((np.ones(pairs.size), (rows, pairs.ravel())), shape=shape)
    n_missing = np.asarray(missing.astype(np.float64) @ ends)
    return np.asarray((n_missing == ends.sum(axis=0)) & (n_missing > 0))


def _refused(missing: Marks, whole: Marks, connectomes: Connectomes) -> InputError:
    first = f"the first is {connectomes.first(missing)}"
    if whole.any():
        i, v = (int(k) for k in np.argwhere(whole)[0])
        name = abbreviate(connectomes.region_names[v])
        first = f"region {name} has none in {connectomes.files[i]}"
    n_graphs = int(missing.any(axis=1).sum())
    return InputError(
        "Every edge must have a value, but there is none (NaN, n/a, a region that never changes), in one "
        f"direction or both, for {counted(int(missing.sum()), 'edge')} in {n_graphs} of "
        f"{counted(len(missing), 'graph')}; {first}.",
        way_out=(
            "Correct the files, or choose how to treat such edges: ",
            *(*either([Setting("missing", rule) for rule in MISSING[1:]]), "."),
        ),
        details=_worst(whole, missing, connectomes) if n_graphs > 1 else (),
    )


def _worst(whole: Marks, missing: Marks, connectomes: Connectomes) -> list[str]:
    """List the regions missing in most subjects, and the subjects that lack most, one per line."""
    ids = connectomes.graph_ids
    tables = (
        ("region", "subject", whole.sum(axis=0), connectomes.region_names),
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


# --- Values that cannot be what they are taken for ----------------------------------------------------------


def _check_waytotal(connectomes: Connectomes) -> None:
    without = np.ones(len(connectomes.files), dtype=np.bool_)
    if connectomes.fraction is not None:
        without = np.asarray(np.isnan(connectomes.fraction).all(axis=1))
    if without.any():
        raise InputError(
            "Streamline counts become probabilities when divided by the number sent (waytotal), but "
            f"{connectomes.files[int(np.argmax(without))]} comes without ({int(without.sum())} of "
            f"{counted(len(without), 'graph')}).",
            way_out=(
                *("Choose ", Setting("probability", "largest"), ", which divides by the largest "),
                *("count of the graph, or ", Setting("probability", "rank"), "."),
            ),
        )


def _marked(values: Floats, wrong: Callable[[Floats], Marks]) -> Marks | None:
    """Mark wrong values, or return None: all marks are in memory together only if a value is wrong."""
    return wrong(values) if any(wrong(values[rows]).any() for rows in row_blocks(values)) else None


def _check_counts(values: Floats, connectomes: Connectomes) -> None:
    wrong = _marked(values, lambda some: (some < 0) | np.isinf(some))
    if wrong is not None:
        n_wrong = int(wrong.sum())
        raise InputError(
            f"Counts of streamlines must be finite and not negative, but {counted(n_wrong, 'value')} "
            f"{'is' if n_wrong == 1 else 'are'} not: {connectomes.first(wrong)}.",
            way_out=("Copy the file again, or state what the numbers are (", Setting("values"), ")."),
        )


def _check_range(values: Floats, connectomes: Connectomes, method: str) -> float | None:
    """Return the least value that is possible, None if any is; refuse values beyond it, or beyond 1."""
    if connectomes.kind == "count" and method == "rank":
        return None
    lowest = 0.0 if method in ("none", "fraction", "largest") else -1.0
    beyond = _marked(values, lambda some: (some > 1.0 + _ROUNDING) | (some < lowest - _ROUNDING))
    if beyond is not None:
        n_beyond = int(beyond.sum())
        what = "Correlations must lie in [-1, 1]" if lowest else "Probabilities must lie in [0, 1]"
        raise InputError(
            f"{what}, but {counted(n_beyond, 'value')} {'does' if n_beyond == 1 else 'do'} not, the first "
            f"being {float(values[beyond][0])!r}: {connectomes.first(beyond)}.",
            way_out=_other_values(connectomes.kind, method),
        )
    return lowest


def _other_values(kind: str, method: str) -> tuple[Part, ...]:
    if kind == "probability":
        return (
            *("So they are not probabilities: leave out ", Setting("values", "probability")),
            *(", or state what they are (", Setting("values"), ": correlation, fisher_z or count)."),
        )
    if method == "fraction":
        scaled = "The waytotal belongs to other files, or the counts were scaled; use "
        return (scaled, Setting("probability", "rank"), ".")
    if method == "none":
        return ("State how they become probabilities, e.g. ", Setting("probability", "positive"), ".")
    return (
        *("If they are Fisher z values, add ", Setting("values", "fisher_z")),
        *("; if counts of streamlines, ", Setting("values", "count"), "."),
    )
