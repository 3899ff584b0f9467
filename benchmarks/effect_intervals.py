"""Do intervals of the effects of significant subgraphs cover the true effects? Four ways, known truth.

- bootstrap: percentiles of the effect in resamples of graphs, ignoring that the subgraph was selected.
- reselected: resamples are tested too; the errors of the effects of what is significant in a resample, in
  standard errors, give the quantiles (by size class).
- conditional: the effect is normal, given that the statistic exceeded the critical value of its size class.
- halves: found in one half of the cohort, estimated in the other (t interval), both ways round.

For each: the share of 95 % intervals that cover the truth, their median width, and how many there were per
cohort; of irreducible subgraphs, and of representatives only.

Two designs have blocks or a covariate that goes along with the class. There only the intervals that dugraph
gives are measured: given selection, and those of `find_and_replicate`, both ways round, as halves. The true
effect is the same adjusted slope in a large sample.

python benchmarks/effect_intervals.py --n-cohorts 200
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from null_cohorts import Floats, Random, connectivity
from numpy.typing import NDArray
from populations import N_LARGE, POPULATIONS, Population, Truth, every_edge, shift
from scipy.special import expit
from scipy.stats import norm, t

import dugraph as dg
from dugraph.data import check_cohort
from dugraph.significance.design import make_setup
from dugraph.significance.maxima import TestProblem, list_subgraphs
from dugraph.significance.statistics import make_denominator, scaled_weights

WAYS = ("bootstrap", "reselected", "conditional", "halves")
N_RESAMPLES = 200
Interval = tuple[tuple[int, ...], bool, float, float]  # subgraph, representative, lower, upper
Designed = tuple[Floats, NDArray[np.int64], dict[str, Any]]  # graphs, classes, blocks or covariates


def three_sites(random: Random, n: int) -> Designed:
    """Three sites with other scanners, and 20, 50 and 80 % patients; each of three edges differs."""
    site, population = np.arange(n) % 3, every_edge(0.75, 0.40)
    y = (random.random(n) < np.array([0.2, 0.5, 0.8])[site]).astype(np.int64)
    X = connectivity(random, n, 0.5 * (site[:, None] - 1))
    X[:, population.edges] = population.change(random, X[:, population.edges], y)
    return X, y, {"blocks": site}


def older_patients(random: Random, n: int) -> Designed:
    """Patients are older, age moves every edge, and three common edges are stronger in patients."""
    years, population = random.normal(size=n), shift(0.3, 1.8)
    y = (random.random(n) < expit(years)).astype(np.int64)
    X = connectivity(random, n, 0.3 * years[:, None])
    X[:, population.edges] = population.change(random, X[:, population.edges], y)
    return X, y, {"covariates": years}


DESIGNED: dict[str, Callable[[Random, int], Designed]] = {
    "every edge differs, sites as blocks": three_sites,
    "shift, age as covariate": older_patients,
}


ALL = (*POPULATIONS, *DESIGNED)


class AdjustedTruth:
    """The slope on the class, adjusted for site or age, in a large sample of a design."""

    def __init__(self, name: str) -> None:
        self._X, y, given = DESIGNED[name](np.random.default_rng(11), N_LARGE)
        known = (
            np.eye(3)[given["blocks"]] if "blocks" in given else np.c_[np.ones(N_LARGE), given["covariates"]]
        )
        self._w = y - known @ np.linalg.lstsq(known, y, rcond=None)[0]

    def effect(self, subgraph: tuple[int, ...]) -> float:
        """The adjusted difference in expected frequency."""
        return float(self._w @ self._X[:, list(subgraph)].prod(axis=1) / (self._w @ self._w))


@cache
def truth_of(name: str) -> Truth | AdjustedTruth:
    return AdjustedTruth(name) if name in DESIGNED else Truth(POPULATIONS[name])


def containment(X: Floats, subgraphs: list[tuple[int, ...]]) -> Floats:
    return np.array([X[:, list(g)].prod(axis=1) for g in subgraphs]).reshape(len(subgraphs), len(X))


def effect_and_error(x: Floats, y: NDArray[np.int64]) -> tuple[Floats, Floats]:
    ill, well = x[:, y == 1], x[:, y == 0]
    variance = ill.var(axis=1, ddof=1) / ill.shape[1] + well.var(axis=1, ddof=1) / well.shape[1]
    return ill.mean(axis=1) - well.mean(axis=1), np.sqrt(variance)


def z_per_effect(x: Floats, y: NDArray[np.int64]) -> Floats:
    """z divided by the effect."""
    n, m, w = len(y), x.mean(axis=1), y - y.mean()
    return np.asarray((w**2).sum() / np.sqrt((w**2).sum() / (n - 1) * n * m * (1 - m)))


def conditional(effect: float, error: float, least: float) -> tuple[float, float]:
    """The effects under which an estimate beyond +-least is at most this with probability 0.975, 0.025."""
    d = abs(effect)

    def share_below(mu: float) -> float:
        upper, lower = norm.sf((least - mu) / error), norm.cdf((-least - mu) / error)
        return float(1 - norm.sf((d - mu) / error) / (upper + lower))

    ends = []
    for wanted in (0.975, 0.025):
        low, high = d - 12 * error - least, d + 8 * error
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if share_below(middle) > wanted else (low, middle)
        ends.append(low)
    return (ends[0], ends[1]) if effect > 0 else (-ends[1], -ends[0])


def all_admitted(X: Floats, y: NDArray[np.int64]) -> list[tuple[int, ...]]:
    setup = make_setup(
        check_cohort(X, None),
        y,
        None,
        None,
        "within",
        min_expected_frequency=0.1,
        max_edges=None,
        n_classes=4,
    )
    weights = scaled_weights(setup.design.residual_weights(setup.design.units.codes[None]), "z")
    problem = TestProblem(setup.family, make_denominator(setup.design, "z"))
    listed = list_subgraphs(problem, weights, np.full(4, 1e-12))
    return [tuple(sorted(setup.edges[list(g)].tolist())) for g in listed.subgraphs]


def reselected_errors(
    X: Floats, y: NDArray[np.int64], critical: Floats, random: np.random.Generator
) -> list[Floats]:
    """Errors in standard errors, in the direction of the effect, of what resamples select, per size class."""
    family = all_admitted(X, y)
    x, classes = containment(X, family), np.minimum([len(g) for g in family], 4) - 1
    here = effect_and_error(x, y)[0]
    found: list[list[Floats]] = [[] for _ in range(4)]
    for _ in range(N_RESAMPLES):
        rows = np.concatenate([random.choice(np.flatnonzero(y == k), (y == k).sum()) for k in (0, 1)])
        effect, error = effect_and_error(x[:, rows], y[rows])
        with np.errstate(all="ignore"):
            z = np.abs(effect) * z_per_effect(x[:, rows], y[rows])
        reached = (z > critical[classes]) & (error > 0)
        off = np.sign(effect) * (effect - here) / np.where(error > 0, error, 1)
        for k in range(4):
            found[k].append(off[reached & (classes == k)])
    return [np.concatenate(one) for one in found]


def intervals(X: Floats, y: NDArray[np.int64], seed: int, n_permutations: int) -> dict[str, list[Interval]]:
    random = np.random.default_rng([seed, 5])
    found: dict[str, list[Interval]] = {way: [] for way in WAYS}
    result = dg.significant_subgraphs(X, y, n_permutations=n_permutations)
    chosen = np.flatnonzero(result.irreducible)
    if len(chosen):
        x = containment(X, [result.subgraphs[k] for k in chosen])
        effect, error = effect_and_error(x, y)
        least = np.array([result.critical_values[min(len(result.subgraphs[k]), 4) - 1] for k in chosen])
        least = least / z_per_effect(x, y)
        errors = reselected_errors(X, y, result.critical_values, random)
        for j, k in enumerate(chosen.tolist()):
            g, first = result.subgraphs[k], bool(result.representative[k])
            found["bootstrap"].append((g, first, *result.effect_intervals[k].tolist()))
            off = errors[min(len(g), 4) - 1]
            low, high = np.percentile(off, [2.5, 97.5]) if len(off) else (-2.0, 2.0)
            ends = sorted(effect[j] - np.sign(effect[j]) * error[j] * np.array([low, high]))
            found["reselected"].append((g, first, *ends))
            found["conditional"].append((g, first, *conditional(effect[j], error[j], least[j])))
    half = np.zeros(len(y), dtype=bool)
    for k in (0, 1):
        half[random.permutation(np.flatnonzero(y == k))[: (y == k).sum() // 2]] = True
    for part in (half, ~half):
        one = dg.significant_subgraphs(X[part], y[part], n_permutations=n_permutations)
        for k in np.flatnonzero(one.irreducible).tolist():
            g = one.subgraphs[k]
            effect, error = effect_and_error(containment(X[~part], [g]), y[~part])
            reach = t.ppf(0.975, (~part).sum() - 2) * error[0]
            found["halves"].append((g, bool(one.representative[k]), effect[0] - reach, effect[0] + reach))
    return found


def intervals_in_design(
    X: Floats, y: NDArray[np.int64], given: dict[str, Any], seed: int, n_permutations: int
) -> dict[str, list[Interval]]:
    """The intervals that dugraph gives: of one cohort, and of either half for what the other one found."""
    asked: dict[str, Any] = {**given, "n_permutations": n_permutations}
    result = dg.significant_subgraphs(X, y, **asked)
    chosen = np.flatnonzero(result.irreducible)
    found: dict[str, list[Interval]] = {
        "conditional": [
            (result.subgraphs[k], bool(result.representative[k]), *result.effect_intervals[k].tolist())
            for k in chosen.tolist()
        ],
        "halves": [],
    }
    random, half = np.random.default_rng([seed, 5]), np.zeros(len(y), dtype=bool)
    stratum = 2 * given.get("blocks", np.zeros(len(y), dtype=np.int64)) + y
    for one in np.unique(stratum):
        inside = random.permutation(np.flatnonzero(stratum == one))
        half[inside[: len(inside) // 2]] = True
    for mask in (half, ~half):
        try:
            both = dg.find_and_replicate(X, y, holdout=mask, **asked)
        except dg.InputError:  # in a small half the covariate may nearly determine the class
            continue
        first = {both.discovery.subgraphs[k] for k in np.flatnonzero(both.discovery.representative)}
        for g, (low, high) in zip(both.subgraphs, both.effect_intervals.tolist(), strict=True):
            found["halves"].append((g, g in first, low, high))
    return found


def measure(job: tuple[str, int, int, int]) -> dict[str, list[tuple[bool, bool, float]]]:
    """For each way, of each interval: whether it is of a representative, whether it covers, its width."""
    name, number, n, n_permutations = job
    random = np.random.default_rng([number, 2027])
    if name in DESIGNED:
        found = intervals_in_design(*DESIGNED[name](random, n), number, n_permutations)
    else:
        population: Population = POPULATIONS[name]
        found = intervals(*population.draw(random, n), number, n_permutations)
    return {
        way: [(first, low <= truth_of(name).effect(g) <= high, high - low) for g, first, low, high in listed]
        for way, listed in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-graphs", type=int, default=60)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[""], help="designs whose name holds one of these texts")
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts of {options.n_graphs} graphs, {options.n_permutations} permutations.")
    print(f"\n| coverage / width / per cohort | {' | '.join(WAYS)} |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name in (name for name in ALL if any(text in name for text in options.only)):
            jobs = [(name, k, options.n_graphs, options.n_permutations) for k in range(options.n_cohorts)]
            measured = list(pool.map(measure, jobs, chunksize=2))
            for which in ("irreducible", "representatives"):
                cells = []
                for way in WAYS:
                    rows = [
                        row
                        for one in measured
                        for row in one.get(way, ())
                        if row[0] or which == "irreducible"
                    ]
                    _, covers, width = np.array(rows).reshape(-1, 3).T
                    cells.append(
                        f"{covers.mean():.2f} / {np.median(width):.2f} / {len(rows) / len(jobs):.1f}"
                        if rows
                        else "none"
                    )
                print(f"| {name}, {which} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
