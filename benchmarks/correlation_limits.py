"""Error of exp-hsic on the real age cohort for several limits of the correlation and numbers of subgraphs.

All positive correlations, min_expected_frequency 0.02, the splits of `evaluate`. The table is in
docs/experiments.md.

python benchmarks/correlation_limits.py
"""

import argparse
import warnings

import cohorts
import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC

import dugraph as dg


def errors(X: np.ndarray, y: np.ndarray, limit: float, sizes: list[int], n_splits: int) -> np.ndarray:
    """Error rates on training and test graphs, shape (2, n_sizes, n_splits)."""
    found = np.empty((2, len(sizes), n_splits))
    splits = StratifiedShuffleSplit(n_splits, test_size=0.2, random_state=0).split(X, y)
    for number, (train, test) in enumerate(splits):
        selector = dg.SubgraphSelector(
            n_subgraphs=max(sizes), min_expected_frequency=0.02, max_correlation=limit
        ).fit(X[train], y[train])
        features = selector.transform(X)
        for row, t in enumerate(sizes):
            machine = SVC(kernel="linear").fit(features[train, :t], y[train])
            found[:, row, number] = [1 - machine.score(features[part, :t], y[part]) for part in (train, test)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--limits", type=float, nargs="+", default=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    parser.add_argument("--n-subgraphs", type=int, nargs="+", default=[25, 50, 100, 200])
    parser.add_argument("--n-splits", type=int, default=20)
    options = parser.parse_args()
    cohort = cohorts.age()
    if cohort is None:
        print(f"The file of the age cohort is not in {cohorts.DATA.name}/ beside the project.")
        return
    print("| max_correlation | " + " | ".join(f"t = {t}" for t in options.n_subgraphs) + " |")
    print("|---|" + "---|" * len(options.n_subgraphs))
    warnings.simplefilter("ignore", dg.exceptions.FewerSubgraphsWarning)
    for limit in options.limits:
        train, test = errors(*cohort, limit, options.n_subgraphs, options.n_splits).mean(axis=2)
        cells = [f"{b:.3f} ({a:.3f})" for a, b in zip(train, test, strict=True)]
        print(f"| {limit:g} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
