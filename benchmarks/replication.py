"""Replication in a second cohort: family-wise error where the second is null, and power beside Bonferroni.

First cohorts with planted differences give the families: irreducible or all significant subgraphs. Error: the
share of second cohorts in which a subgraph is confirmed although their labels were permuted. Power: the mean
share of truly different subgraphs (a true effect of at least 0.05 in the direction found) that are confirmed,
by step-down maxima of t and of z, and by Bonferroni with the permutation p-values of t of each subgraph.

python benchmarks/replication.py --n-null 2000 --n-cohorts 100
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from functools import cache

import numpy as np
from populations import POPULATIONS, Truth

import dugraph as dg
from dugraph.significance import replication

WAYS = ("t", "z", "Bonferroni")


@cache
def first_result(name: str, number: int) -> dg.SignificanceResult:
    X, y = POPULATIONS[name].draw(np.random.default_rng([number, 31]), 60)
    return dg.significant_subgraphs(X, y, n_permutations=399)


def confirmed(result, X, y, family: str, seed: int) -> dict[str, np.ndarray]:
    words = {"subgraphs": family, "n_permutations": 999, "random_state": seed}
    by_t = dg.replicate(result, X, y, statistic="t", **words)
    by_z = dg.replicate(result, X, y, statistic="z", **words)
    single = np.array(
        [
            dg.replicate(result, X, y, statistic="t", **{**words, "subgraphs": [g]}).p_values[0]
            for g in by_t.subgraphs
        ]
    )
    return {"t": by_t.replicated, "z": by_z.replicated, "Bonferroni": single * len(single) <= 0.05}


def null_errors(n_null: int) -> None:
    print(f"\n| {n_null} null second cohorts of 60 graphs | subgraphs | t | z |\n|---|---|---|---|")
    for family in ("irreducible", "all"):
        false, sizes = np.zeros(2), []
        for k in range(n_null):
            name = list(POPULATIONS)[k % len(POPULATIONS)]
            number = k % 50
            while not len(first_result(name, number)):
                number += 50
            result, random = first_result(name, number), np.random.default_rng([k, 32])
            X, y = POPULATIONS[name].draw(random, 60)
            y = random.permutation(y)
            for j, statistic in enumerate(("t", "z")):
                one = dg.replicate(
                    result, X, y, statistic=statistic, subgraphs=family, n_permutations=199, random_state=k
                )
                false[j] += one.replicated.any()
            sizes.append(len(one))
        print(
            f"| {family} | {np.mean(sizes):.1f} | {false[0] / n_null:.3f} | {false[1] / n_null:.3f} |",
            flush=True,
        )


def power(n_cohorts: int) -> None:
    print(f"\n| {n_cohorts} pairs of cohorts of 60 graphs | family | subgraphs | {' | '.join(WAYS)} |")
    print("|---|---|---|---|---|---|")
    for name, population in POPULATIONS.items():
        truth = Truth(population)
        for family in ("irreducible", "all"):
            shares: list[list[float]] = []
            sizes = []
            for k in range(n_cohorts):
                result = first_result(name, k)
                if not len(result) or len(result) > 300:
                    continue
                X, y = population.draw(np.random.default_rng([k, 33]), 60)
                found = confirmed(result, X, y, family, k)
                rows = replication._family(result, family)
                real = [truth.effect(result.subgraphs[r]) * np.sign(result.effects[r]) >= 0.05 for r in rows]
                sizes.append(len(rows))
                if any(real):
                    shares.append([float(found[way][real].mean()) for way in WAYS])
            cells = " | ".join(f"{one:.2f}" for one in np.mean(shares, axis=0))
            print(f"| {name} | {family} | {np.mean(sizes):.1f} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-null", type=int, default=2000)
    parser.add_argument("--n-cohorts", type=int, default=100)
    options = parser.parse_args()
    # Intervals take most of the time and are not needed here.
    replication.effect_intervals = lambda containment, *_: np.zeros((len(containment), 2))
    if options.n_null:
        null_errors(options.n_null)
    if options.n_cohorts:
        power(options.n_cohorts)


if __name__ == "__main__":
    main()
