"""Family-wise error of the test on null cohorts, with and without the design that the hazard asks for.

A table per kind of claim: exact, approximate (continuous covariates), and cohorts that break the null by more
than a difference in means. Standard errors are those of shares of independent cohorts.

python benchmarks/calibration.py --n-cohorts 2000 --n-jobs 2
"""

import argparse
import math
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from concurrent.futures import ProcessPoolExecutor

import null_cohorts
import numpy as np

import dugraph as dg

KINDS = {
    "exact": null_cohorts.EXACT,
    "approximate": null_cohorts.APPROXIMATE,
    "not the null": null_cohorts.NOT_THE_NULL,
}
COLUMNS = ("z", "difference", "t", "z, step-down", "z, design ignored")


def false_discoveries(job: tuple[str, str, int, int]) -> list[bool]:
    """Whether each column's test lists a subgraph without a truly different edge, in one cohort."""
    kind, name, number, n_permutations = job
    cohort = KINDS[kind][name](np.random.default_rng([number, 2024]))
    asked = {"n_permutations": n_permutations, "min_expected_frequency": 0.1, "random_state": number}
    found = []
    for column in COLUMNS:
        statistic, _, change = column.partition(", ")
        design = {} if change == "design ignored" else cohort.design
        result = dg.significant_subgraphs(
            cohort.X, cohort.y, statistic=statistic, step_down=change == "step-down", **design, **asked
        )
        found.append(any(set(cohort.differs).isdisjoint(g) for g in result.subgraphs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=2000)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[""], help="designs whose name holds one of these texts")
    options = parser.parse_args()
    worst = math.sqrt(0.05 * 0.95 / options.n_cohorts)
    print(f"{options.n_cohorts} cohorts, {options.n_permutations} permutations; 0.05 has SE {worst:.4f}.")
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for kind, designs in KINDS.items():
            print(f"\n| {kind} | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
            for name in designs:
                if any(text in name for text in options.only):
                    jobs = [(kind, name, k, options.n_permutations) for k in range(options.n_cohorts)]
                    share = np.mean(list(pool.map(false_discoveries, jobs, chunksize=5)), axis=0)
                    print(f"| {name} | {' | '.join(f'{one:.3f}' for one in share)} |", flush=True)


if __name__ == "__main__":
    main()
