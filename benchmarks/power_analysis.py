"""Does `power_analysis` predict how often a planted subgraph is found? Five populations, four sizes.

Prediction: from pilots of 60 graphs without labels (the mean of four, and the range), the true expected
frequencies of the subgraph and its true variances in both classes. Observation: the share of cohorts in which
the subgraph itself is significant.

python benchmarks/power_analysis.py --n-cohorts 200
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from concurrent.futures import ProcessPoolExecutor

import numpy as np
from populations import POPULATIONS, Population, Truth

import dugraph as dg

SIZES = (40, 60, 120, 240)
WORDS = {"max_edges": 3, "n_permutations": 399}
N_PILOTS, N_SAMPLES = 4, 8


def subgraph_of(population: Population) -> tuple[int, ...]:
    """The planted edges if they are three, else the strongest edge of the module."""
    if len(population.edges) == 3:
        return tuple(sorted(population.edges))
    X, _ = population.draw(np.random.default_rng(3), 2_000)
    return (population.edges[int(X[:, population.edges].mean(axis=0).argmax())],)


def found(job: tuple[str, tuple[int, ...], int, int]) -> bool:
    name, subgraph, n, number = job
    X, y = POPULATIONS[name].draw(np.random.default_rng([number, n, 41]), n)
    return subgraph in dg.significant_subgraphs(X, y, **WORDS).subgraphs


def predicted(name: str, subgraph: tuple[int, ...]) -> np.ndarray:
    """The power predicted from each of some pilots, shape (n_pilots, n_sizes)."""
    samples = [Truth(POPULATIONS[name], seed).moments(subgraph) for seed in range(N_SAMPLES)]
    a, b, var_a, var_b = np.mean(samples, axis=0)
    ratios = (var_a / (a * (1 - a)), var_b / (b * (1 - b)))
    words = {"n_edges": len(subgraph), "frequencies": (a, b), "n_graphs": SIZES, "ratios": ratios}
    pilots = (POPULATIONS[name].draw(np.random.default_rng([k, 42]), 60)[0] for k in range(N_PILOTS))
    plans = [dg.power_analysis(pilot, **words, **{**WORDS, "n_permutations": 1999}) for pilot in pilots]
    return np.array([plan.power for plan in plans])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts per cell, {WORDS['n_permutations']} permutations.")
    print(
        f"\n| predicted (range) / observed | {' | '.join(f'n = {n}' for n in SIZES)} |\n|---|---|---|---|---|"
    )
    off: list[float] = []
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name, population in POPULATIONS.items():
            subgraph = subgraph_of(population)
            power = predicted(name, subgraph)
            cells = []
            for k, n in enumerate(SIZES):
                jobs = [(name, subgraph, n, number) for number in range(options.n_cohorts)]
                share = np.mean(list(pool.map(found, jobs, chunksize=4)))
                one = power[:, k]
                off += np.abs(one - share).tolist()
                cells.append(f"{one.mean():.2f} ({one.min():.2f}-{one.max():.2f}) / {share:.2f}")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    within = np.mean(np.array(off) <= 0.05)
    print(f"\nLargest difference {max(off):.3f}, mean {np.mean(off):.3f}, at most 0.05 in {within:.0%}.")


if __name__ == "__main__":
    main()
