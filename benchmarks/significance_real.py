"""Findings of the test in real cohorts: distinct edges in significant subgraphs, by statistic and design.

Settings were fixed beforehand: min_expected_frequency 0.05, 999 permutations, four size classes. The cohorts
are those of cohorts.py; where their files are absent they are left out.

python benchmarks/significance_real.py
"""

import argparse

import cohorts
import numpy as np

import dugraph as dg

FILES = {"abide": "abide_aal116.npz", "age": "age_aal116_timeseries.npz"}
DESIGNS = {"abide": [["site"], ["site", "age", "sex"]], "age": [["site"]]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-jobs", type=int, default=2)
    n_jobs = parser.parse_args().n_jobs
    heads = "| cohort | blocks; covariates | statistic | tested | significant | irreducible | families |"
    heads += " distinct edges | of irreducible | single edges alone (max_edges=1) |"
    print(f"{heads}\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, designs in DESIGNS.items():
        for _, (X, y) in cohorts.named([name]):
            table = np.load(cohorts.DATA / FILES[name], allow_pickle=False)
            for site, *others in designs:
                covariates = [_numbers(table[other]) for other in others]
                words = {"blocks": table[site], "min_expected_frequency": 0.05, "n_jobs": n_jobs}
                if covariates:
                    words["covariates"] = np.column_stack(covariates)
                for statistic in ("z", "difference", "t"):
                    found = dg.significant_subgraphs(X, y, statistic=statistic, **words)
                    alone = dg.significant_subgraphs(X, y, statistic=statistic, max_edges=1, **words)
                    cells = (
                        *(name, f"{site}; {', '.join(others) or 'none'}", statistic),
                        *(f"{found.n_admitted.sum():,}", f"{len(found):,}", found.irreducible.sum()),
                        *(len(found.families), len({edge for g in found.subgraphs for edge in g})),
                        *(len({edge for one in found.families for edge in one.edges}), len(alone)),
                    )
                    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def _numbers(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "U":
        return (column == column[0]).astype(float)
    return column.astype(float)


if __name__ == "__main__":
    main()
