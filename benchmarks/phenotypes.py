"""Cost of a search by expected HSIC for a phenotype, adjusted labels and groups, relative to two classes.

The labels: the two classes; the same by weights, through a covariate that never varies; the classes (1 and 0)
with normal noise of a third of their distance; age, where the cohort has it, unadjusted and adjusted for site
and sex; three groups, one class divided in two; and as controls, shuffled classes and normal noise.
Runs are interleaved, and the shortest of each counts; ratios are those to the classes, of noise to the
shuffled ones.

python benchmarks/phenotypes.py
"""

import argparse
from typing import Any

import cohorts
import numpy as np

import dugraph as dg

LIMITS = {"age": 0.05, "abide": 0.02, "adhd": 0.1}


def labels_of(name: str, y: np.ndarray) -> dict[str, tuple[Any, dict[str, Any], str]]:
    """Labels, covariates and the reference of the time, by name."""
    random = np.random.default_rng(0)
    n, classes = len(y), (y == y.max()).astype(float)
    found: dict[str, tuple[Any, dict[str, Any], str]] = {
        "two classes": (y, {}, "two classes"),
        "two classes by weights": (y, {"covariates": np.ones(n)}, "two classes"),
        "classes with noise": (classes + random.normal(scale=1 / 3, size=n), {}, "two classes"),
    }
    if name == "abide":
        table = np.load(cohorts.DATA / "abide_aal116.npz", allow_pickle=False)
        site = {"site": table["site"], "sex": table["sex"].astype(str)}
        found["age"] = (table["age"].astype(float), {}, "two classes")
        found["age, adjusted for site and sex"] = (
            table["age"].astype(float),
            {"covariates": site},
            "two classes",
        )
    half = np.where(random.random(n) < 0.5, "a", "b")
    found["three groups"] = (np.where(classes == 1, "c", half), {}, "two classes")
    found["shuffled classes"] = (random.permutation(y), {}, "shuffled classes")
    found["normal noise"] = (random.normal(size=n), {}, "shuffled classes")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohorts", nargs="*", default=["adhd", "age", "abide"])
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    print("| cohort | labels | admitted | candidates | seconds | ratio |\n|---|---|---:|---:|---:|---:|")
    for name, (X, y) in cohorts.named(options.cohorts):
        kinds = labels_of(name, y)
        asked = {"n_subgraphs": 100, "min_expected_frequency": LIMITS[name]}
        runs: dict[str, list[dg.MiningResult]] = {kind: [] for kind in kinds}
        for _ in range(options.repeats):
            for kind, (labels, covariates, _) in kinds.items():
                runs[kind].append(dg.mine_subgraphs(X, labels, **covariates, **asked))
        seconds = {kind: min(run.seconds for run in done) for kind, done in runs.items()}
        for kind, (_, _, beside) in kinds.items():
            first = runs[kind][0]
            cells = (name, kind, f"{first.n_visited:,}", f"{first.n_candidates:,}", f"{seconds[kind]:.3f}")
            print(f"| {' | '.join(cells)} | {seconds[kind] / seconds[beside]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
