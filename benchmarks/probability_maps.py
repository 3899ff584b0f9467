"""Which probability? Maps from correlations to edge probabilities, on planted and real cohorts.

`python benchmarks/probability_maps.py` prints the tables of docs/probability.md; real cohorts only where
their files are (see `cohorts.py`). `--quick` takes 3 planted cohorts instead of 20.
"""

import argparse
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import cohorts
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import dugraph as dg
from dugraph.estimators import EdgeProbability, TimeSeriesEdgeProbability
from dugraph.search.exhaustive import count_admitted
from dugraph.search.mining import mine_within

Floats = NDArray[np.float64]
N_NODES, N_GRAPHS, N_TIMES = 30, 60, 150
EDGES = np.column_stack(np.tril_indices(N_NODES, -1))
LIMITS = (0.2, 0.1, 0.05)
# Limit of a search, because searches under maps that make all edges certain would never end.
NODE_LIMIT, MAX_EDGES = 600_000, 3


@dataclass(frozen=True)
class Cohort:
    """Series or correlations with classes, and the planted edges if known."""

    r: Floats
    y: NDArray[np.int64]
    series: list[Floats] | None = None
    planted: frozenset[int] = frozenset()


def planted_cohort(seed: int) -> Cohort:
    """30 + 30 subjects, 30 regions in 5 modules, 150 time points; 4 connected edges are stronger in patients.

    Correlations within modules are near .4, others near .1, and vary between subjects; the planted edges, a
    path of 5 regions of different modules, are near .3 in controls and .45 in patients.
    """
    random = np.random.default_rng(seed)
    module = random.permutation(np.arange(N_NODES) % 5)
    base = np.where(module[:, None] == module[None, :], 0.4, 0.1)
    path = [int(random.choice(np.flatnonzero(module == m))) for m in random.permutation(5)]
    y = random.permutation(np.arange(N_GRAPHS) % 2)
    series = [_series(random, base, path, 0.45 if one else 0.3) for one in y]
    place = {(int(u), int(v)): e for e, (u, v) in enumerate(EDGES)}
    steps = itertools.pairwise(path)
    planted = frozenset(place[max(u, v), min(u, v)] for u, v in steps)
    return Cohort(_correlations(series), y, series, planted)


def _series(random: np.random.Generator, base: Floats, path: list[int], strength: float) -> Floats:
    noise = random.normal(0, 0.12, base.shape)
    target = base + np.tril(noise, -1) + np.tril(noise, -1).T
    for u, v in itertools.pairwise(path):
        target[u, v] = target[v, u] = strength + random.normal(0, 0.12)
    np.fill_diagonal(target, 1.0)
    values, vectors = np.linalg.eigh(target)
    root = vectors * np.sqrt(np.maximum(values, 0.05))
    white = random.normal(size=(N_TIMES, N_NODES))
    for t in range(1, N_TIMES):  # as slow as a haemodynamic response makes them
        white[t] += 0.5 * white[t - 1]
    return white @ root.T


def _correlations(series: list[Floats]) -> Floats:
    lower = np.tril_indices(series[0].shape[1], -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.array([np.nan_to_num(np.corrcoef(one.T))[lower] for one in series])


def _bootstrap(threshold: float) -> Callable[[Cohort], Floats | None]:
    def mapped(cohort: Cohort) -> Floats | None:
        if cohort.series is None:
            return None
        step = TimeSeriesEdgeProbability("bootstrap", threshold=threshold, n_resamples=50, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return step.fit_transform(cohort.series)

    return mapped


def _fisher(cohort: Cohort) -> Floats | None:
    if cohort.series is None:
        return None
    rows = [
        EdgeProbability("fisher", n_timepoints=len(one)).fit_transform(r[None])
        for one, r in zip(cohort.series, cohort.r, strict=True)
    ]
    return np.vstack(rows)


def _by(**parameters: object) -> Callable[[Cohort], Floats | None]:
    return lambda cohort: EdgeProbability(**parameters).fit_transform(cohort.r)


def _logistic(threshold: float, width: float) -> Callable[[Cohort], Floats | None]:
    return lambda cohort: expit((cohort.r - threshold) / width)


MAPS: dict[str, Callable[[Cohort], Floats | None]] = {
    "positive": _by(method="positive"),
    "positive, density 0.1": _by(method="positive", density=0.1),
    "rank": _by(method="rank"),
    "rank, density 0.1": _by(method="rank", density=0.1),
    "fisher": _fisher,
    "bootstrap, r > 0": _bootstrap(0.0),
    "bootstrap, r > 0.3": _bootstrap(0.3),
    "bootstrap, r > 0.5": _bootstrap(0.5),
    "logistic, 0.3 ± 0.1": _logistic(0.3, 0.1),
    "logistic, 0.5 ± 0.1": _logistic(0.5, 0.1),
}


def described(X: Floats, edges: NDArray[np.int64] | None = None) -> dict[str, str]:
    """Mean probability of the edges that are there, expected edges, admitted subgraphs of 1, 2, 3 edges."""
    graphs = dg.UncertainGraphs(X, edges=edges)
    row = {"p": f"{X[X > 0].mean():.2f}", "edges": f"{X.sum(axis=1).mean():.0f}"}
    for limit in LIMITS:
        row[f"admitted at {limit:g}"] = " / ".join(map(str, count_admitted(graphs, limit, 3)))
    return row


def auto_limit(X: Floats) -> float:
    """The expected frequency that three edges per node exceed: a limit that adapts to the map."""
    n_nodes = (1 + np.sqrt(1 + 8 * X.shape[1])) / 2
    frequency = np.sort(X.mean(axis=0))[::-1]
    return float(frequency[int(3 * n_nodes)])


def recovered(X: Floats, cohort: Cohort, limit: float) -> tuple[float, int]:
    """Recovery of the planted edges by a list of 50 subgraphs.

    The share of planted edges among the ten edges that come first, and how many of them the largest listed
    subgraph of nothing but planted edges joins.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            asked = {"n_subgraphs": 50, "min_expected_frequency": limit, "max_edges": MAX_EDGES}
            result = mine_within(NODE_LIMIT, X, cohort.y, **asked)
        except dg.InputError:
            return 0.0, 0
    first: list[int] = []
    for subgraph in result.subgraphs:
        first.extend(edge for edge in subgraph if edge not in first)
    joined = max((len(g) for g in result.subgraphs if cohort.planted.issuperset(g)), default=0)
    return len(cohort.planted & set(first[:10])) / len(cohort.planted), joined


def accuracy(X: Floats, y: NDArray[np.int64], limit: float, n_splits: int = 5) -> float:
    """Mean accuracy of a linear SVM on the 50 best subgraphs, mined in the training graphs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = dg.evaluate(
                X,
                y,
                methods=["exp-hsic"],
                n_subgraphs=[50],
                cv=dg.RandomSplits(n_splits),
                min_expected_frequency=limit,
                max_edges=MAX_EDGES,
            )
        except dg.InputError:
            return np.nan
    return 1 - float(result.mean("error")[0, 0])


def accuracy_of_correlations(cohort: Cohort, n_splits: int = 5) -> float:
    """The same splits and classifier with all correlations as they are."""
    splits = dg.RandomSplits(n_splits).split(None, cohort.y)
    scores = cross_val_score(SVC(kernel="linear"), cohort.r, cohort.y, cv=splits)
    return float(scores.mean())


def print_rows(rows: list[dict[str, str]]) -> None:
    """Print as Markdown."""
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")


def _percent(values: list[float]) -> str:
    finite = [value for value in values if np.isfinite(value)]
    return f"{np.mean(finite):.0%}" if finite else "none admitted"


def planted_table(n_cohorts: int) -> None:
    """Recovery and accuracy on planted cohorts; counts are those of the first."""
    made = [planted_cohort(seed) for seed in range(n_cohorts)]
    print(f"\n{n_cohorts} planted cohorts: 60 graphs, 30 nodes, 435 edges, 4 of them planted\n")
    counts, rows = [], []
    for name, mapped in MAPS.items():
        X = [mapped(cohort) for cohort in made]
        counts.append({"map": name, **described(X[0])})
        row = {"map": name}
        pairs = list(zip(X, made, strict=True))
        for limit in (0.2, 0.05, None):
            at = "auto" if limit is None else f"{limit:g}"
            limits = [auto_limit(x) if limit is None else limit for x in X]
            shown = [recovered(x, c, f) for (x, c), f in zip(pairs, limits, strict=True)]
            row[f"found at {at}"] = _percent([share for share, _ in shown])
            row[f"joined at {at}"] = f"{np.mean([joined for _, joined in shown]):.1f}"
            scores = [accuracy(x, c.y, f) for (x, c), f in zip(pairs, limits, strict=True)]
            row[f"accuracy at {at}"] = _percent(scores)
        rows.append(row)
    print_rows(counts)
    print()
    print_rows(rows)
    print(f"\nall correlations as they are: {_percent([accuracy_of_correlations(c) for c in made])}")


def real_table(name: str, cohort: Cohort) -> None:
    """Accuracy and counts on a real cohort."""
    n_nodes = int((1 + np.sqrt(1 + 8 * cohort.r.shape[1])) / 2)
    print(f"\n{name}: {len(cohort.y)} graphs, {n_nodes} nodes\n")
    counts, rows = [], []
    for label, mapped in MAPS.items():
        X = mapped(cohort)
        if X is None:
            continue
        counts.append({"map": label, **described(X)})
        row = {"map": label}
        for limit in (0.2, 0.05, None):
            at = "auto" if limit is None else f"{limit:g}"
            used = auto_limit(X) if limit is None else limit
            row[f"accuracy at {at}"] = _percent([accuracy(X, cohort.y, used)])
        rows.append(row)
    print_rows(counts)
    print()
    print_rows(rows)
    print(f"\nall correlations as they are: {_percent([accuracy_of_correlations(cohort)])}")


def real_cohorts() -> dict[str, Cohort]:
    """The cohorts beside the project, if they exist."""
    found = {}
    file = cohorts.DATA / "age_aal116_timeseries.npz"
    if file.exists():
        data = np.load(file, allow_pickle=False)
        series = [s.astype(np.float64) for s in np.split(data["ts"], np.cumsum(data["length"])[:-1])]
        found["age"] = Cohort(_correlations(series), data["y"].astype(int), series)
    file = cohorts.DATA / "schizo_ic28.npz"
    if file.exists():
        data = np.load(file, allow_pickle=False)
        lower = np.tril_indices(28, -1)
        corr = data["corr"].astype(np.float64)
        r = corr if corr.ndim == 2 else corr[:, lower[0], lower[1]]
        found["schizo"] = Cohort(np.clip(r, -1, 1), data["y"].astype(int))
    return found


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 planted cohorts, no real one")
    quick = parser.parse_args().quick
    planted_table(3 if quick else 20)
    for name, cohort in ({} if quick else real_cohorts()).items():
        real_table(name, cohort)


if __name__ == "__main__":
    main()
