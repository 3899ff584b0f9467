"""What models of a path are made of, and how they err on graphs they were fitted to and on others.

The k-th penalty of every split is the same share of its largest one, so rows are averages over splits. The
table of abide is in docs/experiments.md.

python benchmarks/sparse_sizes.py abide --n-splits 20
"""

import argparse

import cohorts
import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

import dugraph as dg

COLUMNS = ("subgraphs", "of several edges", "training error", "test error")


def path_errors(cohort: cohorts.Cohort, train: np.ndarray, test: np.ndarray, **limits: float) -> np.ndarray:
    """A row per model of more than no subgraph: how many, of several edges, error in training and test."""
    X, y = cohort
    rows = []
    for model in dg.sparse_path(X[train], y[train], pos_label=1, **limits)[1:]:
        wrong = (model.decision_function(X) > 0) != y
        several = sum(len(g) > 1 for g in model.subgraphs)
        rows.append((len(model.subgraphs), several, wrong[train].mean(), wrong[test].mean()))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohort", choices=("age", "abide"), nargs="?", default="abide")
    parser.add_argument("--n-nonzero", type=int, default=200)
    parser.add_argument("--min-expected-frequency", type=float, default=0.02)
    parser.add_argument("--n-splits", type=int, default=20)
    options = parser.parse_args()
    cohort = {"age": cohorts.age, "abide": cohorts.abide}[options.cohort]()
    if cohort is None:
        print(f"The file of the {options.cohort} cohort is not in {cohorts.DATA.name}/ beside the project.")
        return
    limits = {
        "n_nonzero": options.n_nonzero,
        "min_expected_frequency": options.min_expected_frequency,
        "n_jobs": -1,
    }
    splitter = StratifiedShuffleSplit(options.n_splits, test_size=0.2, random_state=0)
    tables = [path_errors(cohort, train, test, **limits) for train, test in splitter.split(*cohort)]
    shortest = min(map(len, tables))
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for n, several, training, testing in np.mean([table[:shortest] for table in tables], axis=0):
        print(f"| {n:.0f} | {several:.1f} | {training:.3f} | {testing:.3f} |")


if __name__ == "__main__":
    main()
