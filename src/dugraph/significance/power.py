"""`power_analysis`: the number of graphs that a test needs, from a pilot cohort without labels.

The critical z of a size class hardly depends on the number of graphs, because the z statistics of all
subgraphs are jointly normal with correlations that do not depend on it. One test of random labels on a pilot
cohort therefore gives the critical values for any number. The statistic of a subgraph with given expected
frequencies in two classes is then nearly normal too; it counts only if the subgraph is admitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import (
    check_fraction,
    check_positive_int,
    check_word,
    counted,
    is_real,
    resolve_seed,
)
from dugraph.exceptions import InputError, Setting
from dugraph.probability.containment import containment_columns
from dugraph.search.limits import check_min_expected_frequency
from dugraph.search.result import ROWS, ResultTable, TabularResult
from dugraph.significance.design import Setup, make_setup
from dugraph.significance.maxima import TestProblem, list_subgraphs
from dugraph.significance.permutations import PILOT, stream
from dugraph.significance.statistics import make_denominator, scaled_weights
from dugraph.significance.testing import check_alpha, significant_subgraphs
from dugraph.words import ALTERNATIVES

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]
N_GRAPHS = (40, 60, 80, 120, 160, 240, 320, 480)
_MOST_GRAPHS = 1_000_000
_MOST_SUBGRAPHS = 2_000  # of the pilot, for the variance between graphs
_NODES, _NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


@dataclass(frozen=True)
class Planned:
    """A subgraph to detect, and the test.

    The critical value is that of z in the size class of the subgraph, which is admitted if its expected
    frequency exceeds the limit. `share` is that of the positive class. `ratios` are the variances of the
    containment probability between graphs divided by m (1 - m), in the positive and in the negative class,
    where m is the expected frequency in the class.
    """

    critical_value: float
    limit: float
    share: float
    ratios: tuple[float, float]
    alternative: str

    def power(self, positive: float, negative: float, n_graphs: float) -> tuple[float, float]:
        """The probability that the subgraph is significant, and that it is admitted.

        The means of the two classes are normal. Given the mean of the whole cohort, which decides on
        admission and scales z, so is their difference; the former is integrated out.
        """
        share = self.share
        means = np.array([positive, negative])
        spread = np.array(self.ratios) * means * (1 - means) / (n_graphs * np.array([share, 1 - share]))
        whole = share * positive + (1 - share) * negative
        whole_variance = share**2 * spread[0] + (1 - share) ** 2 * spread[1]
        covariance = share * spread[0] - (1 - share) * spread[1]
        slope = covariance / whole_variance if whole_variance > 0 else 0.0
        left = math.sqrt(max(spread.sum() - slope * covariance, 1e-300))
        root = math.sqrt(whole_variance) or 1e-150
        # Quadrature nodes for the normal distribution above the limit.
        admitted = float(ndtr((whole - self.limit) / root))
        if admitted < 1e-12:
            return 0.0, admitted
        quantiles = 1 - admitted * (1 - ndtr(_NODES))
        mean = whole + root * np.clip(ndtri(np.clip(quantiles, 1e-300, 1 - 1e-16)), -40, 40)
        mean = np.clip(mean, 1e-12, 1 - 1e-12)
        least = self.critical_value * np.sqrt(mean * (1 - mean) / (share * (1 - share) * (n_graphs - 1)))
        centre = positive - negative + slope * (mean - whole)
        above, below = ndtr((centre - least) / left), ndtr((-least - centre) / left)
        found = {"two-sided": above + below, "greater": above, "less": below}[self.alternative]
        return float(admitted * (found @ _NODE_WEIGHTS) / _NODE_WEIGHTS.sum()), admitted


@dataclass(frozen=True, repr=False)
class PowerResult(TabularResult):
    """The power of a test to detect a subgraph, by number of graphs.

    Attributes
    ----------
    n_graphs : ndarray of int, shape (n_sizes,)
        Numbers of graphs, both classes together.
    power : ndarray of shape (n_sizes,)
        The probability that the subgraph is significant.
    admitted : ndarray of shape (n_sizes,)
        The probability that it is admitted; only admitted subgraphs are tested.
    detectable : ndarray of shape (n_sizes,)
        The expected frequency in the positive class that is detected with the target power, given that of the
        negative class; NaN where no frequency is.
    n_needed : int or None
        The smallest number of graphs that reaches the target power; None if no number does.
    critical_values : ndarray of shape (n_classes,)
        Of z per size class, from the pilot.
    ratios : tuple of float
        The variance of the containment probability between graphs divided by m (1 - m), in both classes.
    message : str
        The main numbers and assumptions.
    parameters : dict
        The parameters of the call.
    """

    n_graphs: NDArray[np.int64]
    power: Floats
    admitted: Floats
    detectable: Floats
    n_needed: int | None
    critical_values: Floats
    ratios: tuple[float, float]
    message: str
    parameters: dict[str, Any]

    def to_frame(self) -> pandas.DataFrame:
        """One row per number of graphs, as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(
            {
                "n_graphs": self.n_graphs,
                "power": self.power,
                "admitted": self.admitted,
                "detectable": self.detectable,
            }
        )

    def _summary(self) -> str:
        asked = self.parameters
        return (
            f"power to find {_planned_subgraph(asked)}; detectable with a power of {asked['power']:g} "
            f"instead of {asked['frequencies'][0]:g}"
        )

    def _tables(self, n_rows: int = ROWS) -> list[ResultTable]:
        rows = [
            (f"{n:,}", f"{power:.3f}", f"{admitted:.3f}", "-" if math.isnan(found) else f"{found:.3f}")
            for n, power, admitted, found in zip(
                self.n_graphs.tolist(), self.power, self.admitted, self.detectable, strict=True
            )
        ]
        return [ResultTable(("graphs", "power", "admitted", "detectable"), rows)]


def power_analysis(
    X: ArrayLike | UncertainGraphs | LabelledGraphs,
    *,
    n_edges: int,
    frequencies: tuple[float, float],
    n_graphs: Sequence[int] = N_GRAPHS,
    power: float = 0.8,
    positive_share: float = 0.5,
    ratios: float | tuple[float, float] | None = None,
    edges: ArrayLike | None = None,
    alternative: str = "two-sided",
    n_permutations: int = 9999,
    alpha: float = 0.05,
    size_classes: int = 4,
    min_expected_frequency: float = 0.1,
    max_edges: int | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = 0,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> PowerResult:
    """Compute the power of `significant_subgraphs` for two classes, by z, from an unlabelled pilot cohort.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        A pilot cohort, real or simulated. Labels are not used.
    n_edges : int
        The number of edges in the subgraph to detect.
    frequencies : tuple of float
        Its expected frequencies in the positive and in the negative class. Do not take those of a subgraph
        that is significant in the pilot itself: they are inflated by selection. `find_and_replicate` gives
        frequencies that are not.
    n_graphs : sequence of int
        Numbers of graphs, both classes together.
    power : float, default 0.8
        The target power, for `n_needed` and `detectable`.
    positive_share : float, default 0.5
        The share of graphs in the positive class.
    ratios : float or tuple of two floats, optional
        The variance of the containment probability between graphs of a class divided by m (1 - m), where m is
        the expected frequency in the class: 1 for certain graphs, 0 if all graphs have the same probability.
        Default: the median over the pilot's subgraphs of this size.
    edges, alternative, n_permutations, alpha, size_classes, min_expected_frequency, max_edges, random_state
        Those of the test, as in `significant_subgraphs`.
    n_jobs, time_limit, progress
        As in `significant_subgraphs`, for the test of random labels.

    Returns
    -------
    PowerResult

    Notes
    -----
    A subgraph counts as found if it is itself significant. The critical values come from one test of random
    labels on the pilot, which should have at least 40 graphs. Blocks and covariates are not modelled.

    Examples
    --------
    >>> from dugraph import simulate
    >>> pilot, _, _ = simulate("adhd", n_graphs=60, random_state=1)
    >>> result = power_analysis(pilot, n_edges=2, frequencies=(0.5, 0.25), min_expected_frequency=0.25)
    >>> result.n_graphs[:4].tolist(), result.power[:4].round(2).tolist()
    ([40, 60, 80, 120], [0.01, 0.09, 0.33, 0.87])
    """
    parameters: dict[str, Any] = {
        "n_edges": check_positive_int("n_edges", n_edges),
        "frequencies": _check_frequencies(frequencies),
        "power": _check_share("power", power),
        "positive_share": _check_share("positive_share", positive_share),
        "alternative": check_word("alternative", alternative, ALTERNATIVES),
        "n_permutations": check_positive_int("n_permutations", n_permutations),
        "alpha": check_alpha(alpha),
        "size_classes": check_positive_int("size_classes", size_classes),
        "min_expected_frequency": check_min_expected_frequency(min_expected_frequency),
        "max_edges": None if max_edges is None else check_positive_int("max_edges", max_edges),
        "random_state": resolve_seed(random_state),
    }
    if max_edges is not None and n_edges > max_edges:
        raise InputError(
            f"n_edges must be at most max_edges = {max_edges}, but is {n_edges}: larger subgraphs are not "
            "tested.",
            parameter="n_edges",
        )
    sizes = [check_positive_int("n_graphs", n) for n in n_graphs]
    if not sizes or min(sizes) < 4:
        raise InputError(
            f"n_graphs must be numbers of at least 4 graphs, but is {sizes}.", parameter="n_graphs"
        )
    pilot = X.graphs if isinstance(X, LabelledGraphs) else check_cohort(X, edges)
    between = None if ratios is None else _check_ratios(ratios)
    parameters |= {"n_graphs": sizes, "ratios": between}
    labels = _random_labels(pilot.n_graphs, positive_share, parameters["random_state"])
    test = significant_subgraphs(
        pilot,
        labels,
        alternative=alternative,
        n_permutations=n_permutations,
        alpha=alpha,
        size_classes=size_classes,
        min_expected_frequency=min_expected_frequency,
        max_edges=max_edges,
        random_state=parameters["random_state"],
        n_jobs=n_jobs,
        time_limit=time_limit,
        progress=progress,
    )
    size_class = min(n_edges, len(test.size_classes)) - 1
    critical = float(test.critical_values[size_class])
    if math.isnan(critical):
        raise InputError(
            f"The pilot must have subgraphs of {test.size_classes[size_class]}, but has none above an "
            f"expected frequency of {min_expected_frequency:g}.",
            parameter="min_expected_frequency",
            way_out=("Use a smaller ", Setting("min_expected_frequency"), "."),
        )
    between = between or _pilot_ratios(pilot, labels, parameters)
    plan = Planned(critical, min_expected_frequency, positive_share, between, alternative)
    positive, negative = parameters["frequencies"]
    found = np.array([plan.power(positive, negative, n) for n in sizes])
    n_needed = _n_needed(plan, positive, negative, power)
    return PowerResult(
        n_graphs=np.array(sizes, dtype=np.int64),
        power=found[:, 0],
        admitted=found[:, 1],
        detectable=np.array([_detectable(plan, negative, power, n) for n in sizes]),
        n_needed=n_needed,
        critical_values=test.critical_values,
        ratios=between,
        message=_message(plan, parameters, n_needed),
        parameters=parameters,
    )


def _check_share(name: str, value: object) -> float:
    percent = f"Write {value / 100:g} for {value:g} %." if is_real(value) and 1 < value < 100 else ""
    return check_fraction(name, value, percent)


def _two_shares(values: object) -> tuple[float, float] | None:
    """Two numbers from 0 to 1, or None for anything else."""
    given = list(values) if isinstance(values, list | tuple | np.ndarray) else []
    if len(given) != 2 or not all(is_real(one) and 0 <= one <= 1 for one in given):
        return None
    return float(given[0]), float(given[1])


def _check_frequencies(frequencies: object) -> tuple[float, float]:
    given = _two_shares(frequencies)
    if given is None or given[0] == given[1]:
        raise InputError(
            "frequencies must be two different expected frequencies from 0 to 1, of the positive and of the "
            f"negative class; got {frequencies!r}.",
            parameter="frequencies",
        )
    return given


def _check_ratios(ratios: Any) -> tuple[float, float]:
    given = _two_shares([ratios, ratios] if is_real(ratios) else ratios)
    if given is None:
        raise InputError(
            f"ratios must be a number from 0 to 1, or one for each class, but is {ratios!r}.",
            parameter="ratios",
        )
    return given


def _random_labels(n_graphs: int, share: float, seed: int) -> NDArray[np.int64]:
    """Random labels with the planned share of positive ones, at least one of each."""
    n_positive = min(max(round(share * n_graphs), 1), n_graphs - 1)
    labels = np.zeros(n_graphs, dtype=np.int64)
    labels[stream(seed, PILOT, 0).permutation(n_graphs)[:n_positive]] = 1
    return labels


def _pilot_ratios(
    pilot: UncertainGraphs, labels: NDArray[np.int64], parameters: dict[str, Any]
) -> tuple[float, float]:
    """The median variance ratio over the pilot's subgraphs of the planned size, or the next size below."""
    limit, most = parameters["min_expected_frequency"], parameters["n_edges"]
    setup: Setup = make_setup(
        pilot, labels, None, None, "within", min_expected_frequency=limit, max_edges=most, n_classes=1
    )
    weights = scaled_weights(setup.design.residual_weights(setup.design.units.codes[None]), "z")
    problem = TestProblem(setup.family, make_denominator(setup.design, "z"))
    listed = list_subgraphs(problem, weights, np.array([1e-300]))
    size = max(map(len, listed.subgraphs), default=0)
    chosen = [g for g in listed.subgraphs if len(g) == size][:_MOST_SUBGRAPHS]
    if not chosen:
        return 1.0, 1.0
    x = containment_columns(setup.family.edge_probability.T, chosen)
    mean = x.mean(axis=0)
    ratio = float(np.median(x.var(axis=0, ddof=1) / (mean * (1 - mean))))
    return min(ratio, 1.0), min(ratio, 1.0)


def _n_needed(plan: Planned, positive: float, negative: float, wanted: float) -> int | None:
    """The smallest number of graphs from which on the power is reached, or None."""
    if plan.power(positive, negative, _MOST_GRAPHS)[0] < wanted:
        return None
    low, high = 3, _MOST_GRAPHS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if plan.power(positive, negative, middle)[0] >= wanted else (middle, high)
    return high


def _detectable(plan: Planned, negative: float, wanted: float, n_graphs: int) -> float:
    """The frequency of the positive class nearest to that of the negative class with the target power."""
    end = 0.0 if plan.alternative == "less" else 1.0 - 1e-9
    if plan.power(end, negative, n_graphs)[0] < wanted:
        return math.nan
    near, far = negative, end
    for _ in range(40):
        middle = (near + far) / 2
        near, far = (near, middle) if plan.power(middle, negative, n_graphs)[0] >= wanted else (middle, far)
    return far


def _planned_subgraph(parameters: dict[str, Any]) -> str:
    positive, negative = parameters["frequencies"]
    return (
        f"a subgraph of {counted(parameters['n_edges'], 'edge')} with expected frequencies of {positive:g} "
        f"and {negative:g}"
    )


def _message(plan: Planned, parameters: dict[str, Any], n_needed: int | None) -> str:
    positive, negative = parameters["frequencies"]
    whole = plan.share * positive + (1 - plan.share) * negative
    what = _planned_subgraph(parameters)
    if n_needed is not None:
        found = f"{n_needed:,} graphs are needed to find {what} with a power of {parameters['power']:g}."
    else:
        found = f"No number of graphs finds {what} with a power of {parameters['power']:g}."
    if whole <= plan.limit:
        found += (
            f" Its expected frequency over both classes, {whole:.3g}, is not above min_expected_frequency = "
            f"{plan.limit:g}, so it is rarely admitted: lower this limit before looking at the labels."
        )
    return (
        f"{found} It is significant if z exceeds {plan.critical_value:.3g}, by a test of random labels on "
        "the pilot. Blocks and covariates are not modelled."
    )
