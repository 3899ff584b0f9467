"""Age in ABIDE by cccpm, on the folds of benchmarks/phenotype.py, with the same figures beyond site and sex.

Needs the cohort described in docs/experiments.md and `pip install cccpm`, best in an environment of its own.

    python benchmarks/cccpm_age.py --n-repeats 20
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from cccpm import CPMAnalysis, PThreshold, UnivariateEdgeSelection
from cohorts import DATA, abide
from sklearn.model_selection import KFold


class SameFolds:
    """The folds of `RepeatedFolds`: in every repeat the graphs are shuffled by another seed."""

    def __init__(self, n_repeats: int) -> None:
        self.n_repeats = n_repeats

    def get_n_splits(self, *_: object) -> int:
        return 5 * self.n_repeats

    def split(self, X: Any, *_: object) -> Iterator[Any]:
        for repeat in range(self.n_repeats):
            yield from KFold(5, shuffle=True, random_state=repeat).split(X)


def predicted(edges: Any, age: Any, covariates: Any, selection: str, n_repeats: int) -> pd.DataFrame:
    """The predictions of cccpm for the test graphs: a row for each graph, fold, model and network.

    Its pictures and its report are left out: one panel for each pair of the 18 covariates takes minutes.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("cccpm.cpm_analysis.generate_data_insights"),
        patch("cccpm.cpm_analysis.HTMLReporter"),
    ):
        CPMAnalysis(
            results_directory=folder,
            cv=SameFolds(n_repeats),
            edge_selection=UnivariateEdgeSelection(
                selection_statistic="pearson",
                selection_input=selection,
                edge_selection=[PThreshold(threshold=[0.01], correction=[None])],
            ),
        ).run(X=edges, y=age, covariates=covariates)
        return pd.read_csv(Path(folder) / "cv_predictions.csv")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threshold", type=float, default=0.315, help="keep correlations above it")
    parser.add_argument("--n-repeats", type=int, default=20)
    asked = parser.parse_args()
    cohort = abide(asked.threshold)
    if cohort is None:
        raise SystemExit(f"abide_aal116.npz is not in {DATA.name}/ beside the project")
    about = np.load(DATA / "abide_aal116.npz", allow_pickle=False)
    age = about["age"].astype(float)
    columns = pd.DataFrame({"site": about["site"], "sex": about["sex"].astype(str)})
    covariates = pd.get_dummies(columns, drop_first=True, dtype=float)
    print(f"cccpm {version('cccpm')}: {asked.n_repeats} times 5 folds, p < .01, means (sd over folds)")
    print("| edges chosen | r | R2 | mean absolute error, years | s per fold |")
    print("|---|---|---|---|---|")
    for selection in ("raw", "residualized"):
        begin = time.perf_counter()
        rows = predicted(cohort[0], age, covariates, selection, asked.n_repeats)
        seconds = (time.perf_counter() - begin) / (5 * asked.n_repeats)
        rows = rows[rows["network"] == "both"]
        keys = ["fold", "sample_index"]
        full = rows[rows["model"] == "full"].set_index(keys)
        alone = rows[rows["model"] == "covariates"].set_index(keys)["y_pred"]
        left = full["y_true"] - alone
        found = full["y_pred"] - alone
        folds = pd.DataFrame({"left": left, "found": found}).groupby(level="fold")
        figures = [
            (
                np.corrcoef(f["left"], f["found"])[0, 1],
                1 - ((f["left"] - f["found"]) ** 2).sum() / (f["left"] ** 2).sum(),
                (f["left"] - f["found"]).abs().mean(),
            )
            for _, f in folds
        ]
        told = " | ".join(
            f"{mean:.3f} ({sd:.3f})"
            for mean, sd in zip(np.mean(figures, axis=0), np.std(figures, axis=0), strict=True)
        )
        print(f"| {selection} | {told} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
