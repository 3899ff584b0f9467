"""A full path of sparse models over all connected subgraphs, beside one search for the best 100 of them.

python benchmarks/sparse_path.py 0.02 --n-jobs 1
"""

import argparse
import time

import cohorts
import numpy as np

import dugraph as dg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("min_expected_frequency", type=float, nargs="?", default=0.02)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cohort = cohorts.age()
    if cohort is None:
        print(f"The file of the age cohort is not in {cohorts.DATA.name}/ beside the project.")
        return
    limits = {"min_expected_frequency": options.min_expected_frequency, "n_jobs": options.n_jobs}
    print(
        "| 30 penalties down to | mine_subgraphs, s | path, s | ratio | subgraphs at the end | "
        "of several edges | largest gap |"
    )
    print("|---|---|---|---|---|---|---|")
    for ratio in (0.1, 0.01):
        mining, path_time = [], []
        for _ in range(options.rounds):
            begin = time.perf_counter()
            dg.mine_subgraphs(*cohort, **limits)
            middle = time.perf_counter()
            path = dg.sparse.sparse_path(*cohort, alpha_min_ratio=ratio, **limits)
            path_time.append(time.perf_counter() - middle)
            mining.append(middle - begin)
        ratios = np.divide(path_time, mining)
        gap = max(model.duality_gap for model in path)
        print(
            f"| {ratio:g} of the largest | {min(mining):.2f} | {min(path_time):.2f} | "
            f"{np.median(ratios):.1f} ({ratios.min():.1f} - {ratios.max():.1f}) | "
            f"{len(path[-1].subgraphs)} | {sum(len(g) > 1 for g in path[-1].subgraphs)} | {gap:.1e} |"
        )


if __name__ == "__main__":
    main()
