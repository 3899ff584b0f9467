"""The named step from the values of files to edge probabilities, recorded in the cohort."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import counted, is_one_of, listed
from dugraph.data.edges import signed_edges
from dugraph.estimators import EdgeProbability
from dugraph.estimators.probabilities import check_n_timepoints
from dugraph.exceptions import InputError, Part, Setting
from dugraph.io.connectomes import Connectomes, row_blocks
from dugraph.io.matrices import Floats
from dugraph.io.missing import Kept, Missing, Places
from dugraph.io.series import bootstrap_probability, correlations_of_all
from dugraph.words import PROBABILITIES

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


@dataclass(frozen=True)
class ProbabilityStep:
    """How values become probabilities.

    Attributes
    ----------
    method : str, or None
        One of `words.PROBABILITIES`; None: the default for the kind of values.
    threshold : float, or None
        Probabilities below it become 0; for "bootstrap", the correlation to exceed.
    density : float, or None
        The share of edges to keep in each graph, strongest first.
    n_timepoints : int, or None
        For "fisher" on correlations; series know their length.
    missing : Missing
        What becomes of edges without a value.
    random_state : int
        For "bootstrap".
    """

    method: str | None = None
    threshold: float | None = None
    density: float | None = None
    n_timepoints: int | None = None
    missing: Missing = field(default_factory=lambda: Missing("refuse"))
    random_state: int = 0

    def applied(self, connectomes: Connectomes) -> tuple[Connectomes, Kept, Floats, dict[str, Any]]:
        """Turn the values of a cohort into probabilities.

        Parameters
        ----------
        connectomes : Connectomes
            Used up: so that there is one copy only, probabilities take the place of the values.

        Returns
        -------
        connectomes : Connectomes
            Those that stay.
        kept : Kept
            Which graphs and regions these are.
        probability : ndarray of shape (n_graphs, n_edges)
        record : dict
            What was done, in plain values.
        """
        method = self._method(connectomes)
        values = self._values(connectomes, method)
        places = Places.of(connectomes, values.shape[1])
        kept = self.missing.kept(np.isnan(values), places, connectomes.graph_ids)
        inside = np.isin(places.edges, kept.regions).all(axis=1)
        if len(kept.graphs) < len(values):
            values = values[kept.graphs]
        connectomes = connectomes.subset(kept.graphs.tolist())
        if not inside.all() or len(kept.regions) < len(places.labels):
            values = values[:, inside]
            connectomes = connectomes.within(kept.regions, places.edges, places.labels)
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
            pairs = Places.of(connectomes, values.shape[1]).edges
            values, signs = self._map(connectomes, method, values)
            record |= signs
            if method == "signed":
                edges, layers = signed_edges(pairs)
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
            raise InputError(
                (
                    *(Setting("probability", "fisher"), " needs ", Setting("n_timepoints")),
                    ", the length of the time series behind the correlations.",
                ),
                parameter="n_timepoints",
            )
        if method == "bootstrap" and self.density is not None:
            raise InputError(
                (
                    *("density must be left out with ", Setting("probability", "bootstrap")),
                    *("; raise the ", Setting("threshold"), "."),
                ),
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
            _check_counts(values, Places.of(connectomes, values.shape[1]))
        if connectomes.kind == "fisher_z":
            return np.tanh(values, out=values)
        if method == "largest":
            largest = np.nanmax(values, axis=1, keepdims=True, initial=0.0)
            # A graph without any streamline has no edges.
            values /= np.where(largest > 0, largest, 1.0)
        return values

    def _map(self, connectomes: Connectomes, method: str, values: Floats) -> tuple[Floats, dict[str, Any]]:
        """Replace values by probabilities, some graphs at a time; count the negative values."""
        lowest = _check_range(values, connectomes.kind, method, Places.of(connectomes, values.shape[1]))
        layers = "signed" if method == "signed" else None
        result = values if layers is None else np.empty((len(values), 2 * values.shape[1]))
        # Values that are probabilities already are not changed by "positive".
        named = method if method in _BY_CORRELATION and layers is None else "positive"
        lengths = [self.n_timepoints] * len(values)
        if connectomes.lengths is not None:
            lengths = list(connectomes.lengths)
        n_negative = 0
        for rows in row_blocks(values):
            block, its_lengths, target = values[rows], lengths[rows], result[rows]
            absent = np.isnan(block)
            block[absent] = 0.0
            n_negative += int((block < 0).sum())
            if lowest is not None:
                np.clip(block, lowest, 1.0, out=block)
            for n_timepoints in dict.fromkeys(its_lengths):
                some = (
                    slice(None)
                    if len({*its_lengths}) == 1
                    else [i for i, length in enumerate(its_lengths) if length == n_timepoints]
                )
                step = EdgeProbability(named, n_timepoints, self.threshold, self.density, layers)
                target[some] = step.fit_transform(block[some])
            if layers is None:
                block[absent] = 0.0
        if not n_negative or method not in ("positive", "rank", "signed"):
            return result, {}
        share = f"{100 * n_negative / values.size:.2g} % of the values are negative and become"
        fate = "negative links" if method == "signed" else "0"
        return result, {"negative_values": n_negative, "signs": f"{share} {fate}"}


def _check_waytotal(connectomes: Connectomes) -> None:
    if connectomes.fraction is None:
        without = np.ones(len(connectomes.files), dtype=np.bool_)
    else:
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


def _check_counts(values: Floats, places: Places) -> None:
    def marked(some: Floats) -> NDArray[np.bool_]:
        return np.asarray((some < 0) | np.isinf(some))

    if any(marked(values[rows]).any() for rows in row_blocks(values)):
        wrong = marked(values)
        n_wrong = int(wrong.sum())
        raise InputError(
            f"Counts of streamlines must be finite and not negative, but {counted(n_wrong, 'value')} "
            f"{'is' if n_wrong == 1 else 'are'} not: {places.first(wrong)}.",
            way_out=("Copy the file again, or state what the numbers are (", Setting("values"), ")."),
        )


def _check_range(values: Floats, kind: str, method: str, places: Places) -> float | None:
    """Refuse values that cannot be what they are taken for.

    Returns the least that they may be, rounding aside: what is beyond it, or beyond 1, is to be cut off. None
    if they may be anything.
    """
    lowest = 0.0 if method in ("none", "fraction", "largest") else -1.0
    if kind == "count" and method == "rank":
        return None

    def marked(some: Floats) -> NDArray[np.bool_]:
        return np.asarray((some > 1.0 + _ROUNDING) | (some < lowest - _ROUNDING))

    # All marks together only once something is wrong.
    if any(marked(values[rows]).any() for rows in row_blocks(values)):
        beyond = marked(values)
        n_beyond = int(beyond.sum())
        i, e = (int(k) for k in np.argwhere(beyond)[0])
        what = "Correlations must lie in [-1, 1]" if lowest else "Probabilities must lie in [0, 1]"
        raise InputError(
            f"{what}, but {counted(n_beyond, 'value')} {'does' if n_beyond == 1 else 'do'} not, the first "
            f"being {float(values[i, e])!r}: "
            f"{places.first(beyond)}.",
            way_out=_way_out(kind, method),
        )
    return lowest


def _way_out(kind: str, method: str) -> tuple[Part, ...]:
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
