"""Does `power_analysis` predict how often a planted subgraph is found? Five populations, four sizes.

Prediction: from one pilot of 60 graphs without labels, the true expected frequencies of the subgraph and its
true variances in both classes. Observation: the share of cohorts in which the subgraph itself is significant.

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


def predicted(name: str, subgraph: tuple[int, ...], ratios: bool) -> dg.PowerResult:
    a, b, var_a, var_b = Truth(POPULATIONS[name]).moments(subgraph)
    pilot, _ = POPULATIONS[name].draw(np.random.default_rng(42), 60)
    true = (var_a / (a * (1 - a)), var_b / (b * (1 - b))) if ratios else None
    words = {"n_edges": len(subgraph), "frequencies": (a, b), "n_graphs": SIZES, "ratios": true}
    return dg.power_analysis(pilot, **words, **{**WORDS, "n_permutations": 9999})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts per cell, {WORDS['n_permutations']} permutations.")
    print(
        f"\n| predicted / observed | m | {' | '.join(f'n = {n}' for n in SIZES)} |\n|---|---|---|---|---|---|"
    )
    off = []
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name, population in POPULATIONS.items():
            subgraph = subgraph_of(population)
            plan = predicted(name, subgraph, ratios=True)
            rough = predicted(name, subgraph, ratios=False)
            cells = []
            for k, n in enumerate(SIZES):
                jobs = [(name, subgraph, n, number) for number in range(options.n_cohorts)]
                share = np.mean(list(pool.map(found, jobs, chunksize=4)))
                off.append(abs(plan.power[k] - share))
                cells.append(f"{plan.power[k]:.2f} ({rough.power[k]:.2f}) / {share:.2f}")
            m = np.mean(plan.parameters["frequencies"])
            print(f"| {name} | {m:.3f} | {' | '.join(cells)} |", flush=True)
    print(f"\nLargest difference {max(off):.3f}, mean {np.mean(off):.3f}. In brackets: ratios of the pilot.")


if __name__ == "__main__":
    main()
