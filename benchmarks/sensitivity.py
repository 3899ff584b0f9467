"""Dependence of the edges found in a real cohort on the settings of the test.

Every setting: labels permuted within sites, 999 permutations, four size classes. The cohorts are those of
cohorts.py; where their files are absent they are left out.

python benchmarks/sensitivity.py
"""

import cohorts
import numpy as np

import dugraph as dg

FILE = "abide_aal116.npz"


def main() -> None:
    for _, (X, y) in cohorts.named(["abide"]):
        site = np.load(cohorts.DATA / FILE, allow_pickle=False)["site"]
        result = dg.sensitivity_analysis(X, y, blocks=site, statistics=["z", "difference", "t"])
        heads = ("statistic, limit", "tested", "significant", "irreducible", "edges", *result.names)
        print(f"| {' | '.join(heads)} |\n|---{'|---:' * (len(heads) - 1)}|")
        for k, (name, test) in enumerate(zip(result.names, result.results, strict=True)):
            counts = (test.n_admitted.sum(), len(test), test.irreducible.sum(), result.found[:, k].sum())
            row = [f"{one:.2f}" for one in result.jaccard[k]]
            print(f"| {name} | {' | '.join(f'{n:,}' for n in counts)} | {' | '.join(row)} |")
        print(result.message)


if __name__ == "__main__":
    main()
