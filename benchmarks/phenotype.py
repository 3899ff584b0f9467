"""Age in ABIDE, adjusted for site and sex: methods compared in repeated folds.

Needs the cohort described in docs/experiments.md; prints the table and writes it into a folder.

    python benchmarks/phenotype.py --n-repeats 20 -o phenotype
"""

import argparse
import time

import numpy as np
from cohorts import DATA, abide, signed

import dugraph as dg

COVARIATES = ("site", "sex")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threshold", type=float, default=0.315, help="keep correlations above it")
    parser.add_argument("--min-expected-frequency", type=float, default=0.2)
    parser.add_argument("--max-edges", type=int, default=None)
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--n-repeats", type=int, default=20)
    parser.add_argument("--methods", default="all")
    parser.add_argument("--groups", default=None, help="site: whole sites train or test")
    parser.add_argument("--unadjusted", action="store_true", help="leave site and sex in")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("-o", "--output", required=True)
    asked = parser.parse_args()
    cohort = abide(asked.threshold)
    if cohort is None:
        raise SystemExit(f"abide_aal116.npz is not in {DATA.name}/ beside the project")
    about = np.load(DATA / "abide_aal116.npz", allow_pickle=False)
    participants = {name: about[name] for name in ("site", "sex")}
    graphs = dg.UncertainGraphs(cohort[0], participants=participants)
    begin = time.perf_counter()
    result = dg.evaluate(
        graphs,
        about["age"].astype(float),
        methods=asked.methods.split(","),
        covariates=None if asked.unadjusted else list(COVARIATES),
        groups=asked.groups,
        signed=signed("abide"),
        n_subgraphs=[asked.n_subgraphs],
        cv=dg.RepeatedFolds(n_repeats=asked.n_repeats),
        min_expected_frequency=asked.min_expected_frequency,
        max_edges=asked.max_edges,
        n_jobs=asked.n_jobs,
        cache=f"{asked.output}/cache",
        progress=True,
    )
    result.save(asked.output)
    print(result.table())
    for method in result.methods:
        spread = {m: float(result.values(m)[result.methods.index(method), 0].std()) for m in result.metrics}
        found = [cell.n_found for cell in result.cells if cell.method == method and cell.n_found is not None]
        subgraphs = f", {np.median(found):.0f} subgraphs (median)" if found else ""
        mining, _ = result.seconds()[method]
        told = ", ".join(f"sd of {m} {value:.3f}" for m, value in spread.items())
        print(f"{method}: {told}{subgraphs}, {mining / result.n_splits:.1f} s per fold")
    print(f"{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
