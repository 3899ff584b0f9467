"""Should a sparse model penalise subgraphs by their size, or by their spread? Columns are scaled, then L1.

Fixed in advance: a scaling is adopted if, on both real cohorts, its smallest mean test loss over a path is
below that of unscaled columns by more than the standard error, and it is no worse on joint effects. All
admitted subgraphs of up to 2 edges are columns.

python benchmarks/penalties.py --n-splits 5
"""

import argparse
import itertools
import warnings

import cohorts
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import dugraph as dg

SCALINGS = {
    "unscaled": lambda columns, sizes: np.ones(len(sizes)),
    "penalty times size": lambda columns, sizes: 1.0 / sizes,
    "penalty over size": lambda columns, sizes: sizes.astype(float),
    "standardised": lambda columns, sizes: 1.0 / columns.std(axis=0),
}


def joint(random: np.random.Generator) -> cohorts.Cohort:
    """Two edges that occur together in one class only; neither differs by itself."""
    y = np.arange(160) % 2
    X = random.uniform(0.2, 0.9, (160, 45))
    first = random.random(160) < 0.5
    X[:, 0] = np.where(first, 0.9, 0.3)
    X[:, 1] = np.where(first == (y == 1), 0.9, 0.3)
    return X, y


def columns_of(X: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray]:
    graphs = dg.UncertainGraphs(X)
    frequent = np.flatnonzero(X.mean(axis=0) > limit)
    nodes = [set(pair) for pair in graphs.edges.tolist()]
    rows = [X[:, a] * X[:, b] for a, b in itertools.combinations(frequent, 2) if nodes[a] & nodes[b]]
    kept = [row for row in rows if row.mean() > limit]
    edges = X[:, X.std(axis=0) > 1e-6]
    return np.column_stack([edges, *kept]), np.repeat([1, 2], [edges.shape[1], len(kept)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-splits", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| cohort | columns | scaling | smallest mean test loss | minus unscaled |\n|---|---|---|---|---|")
    real = {"joint": (joint(np.random.default_rng(0)), 0.1), "age": (cohorts.age(0.374), 0.1)}
    real["abide"] = cohorts.abide(), 0.2
    for name, (cohort, limit) in real.items():
        if cohort is None:
            continue
        (X, y), losses = cohort, {}
        columns, sizes = columns_of(X, limit)
        for scaling, weights in SCALINGS.items():
            table = []
            for train, test in dg.RandomSplits(options.n_splits).split(None, y):
                spread = columns[train].std(axis=0) > 1e-6
                part = columns[:, spread] * weights(columns[train][:, spread], sizes[spread])
                scale = np.median(part[train].std(axis=0))
                row = []
                for C in np.geomspace(0.02, 2, 7):
                    model = LogisticRegression(C=C, penalty="l1", solver="liblinear", tol=1e-3)
                    model.fit(part[train] / scale / 5, y[train])
                    row.append(log_loss(y[test], model.predict_proba(part[test] / scale / 5)))
                table.append(row)
            best = int(np.mean(table, axis=0).argmin())
            losses[scaling] = np.array(table)[:, best]
            gap = losses[scaling] - losses["unscaled"]
            paired = f"{gap.mean():+.3f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.3f}"
            numbers = f"{losses[scaling].mean():.3f} | {'' if scaling == 'unscaled' else paired}"
            print(f"| {name} | {columns.shape[1]} | {scaling} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
