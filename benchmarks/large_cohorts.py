"""Cost of a visited subgraph from 100 to 10,000 graphs, and the set-up, in one run.

Graphs are drawn with replacement from a simulated cohort and shaken by 10 %, so that the subgraphs to visit
stay about the same while the number of graphs grows.

python benchmarks/large_cohorts.py
"""

import cohorts
import numpy as np

import dugraph as dg

SIZES = (100, 300, 1_000, 3_000, 10_000)
VARIANTS = [
    ("expectation", "hsic"),
    ("expectation", "confidence"),
    ("median", "g_test"),
    ("mode", "hsic"),
    ("phi_probability", "frequency_ratio"),
]


def main() -> None:
    P, y = cohorts.simulated("hiv")
    frequent = P.mean(axis=0) > 0.3
    P, edges = P[:, frequent], np.column_stack(np.tril_indices(90, -1))[frequent]
    print("| variant | graphs | admitted | programs | set-up s | search s | µs per admitted | growth |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for measure, score in VARIANTS:
        first = 0.0
        for n in SIZES:
            rng = np.random.default_rng(0)
            drawn = np.concatenate([rng.choice(np.flatnonzero(y == c), n // 2) for c in (0, 1)])
            X = np.clip(P[drawn] * rng.uniform(0.9, 1.1, (n, P.shape[1])), 0, 1)
            r = dg.mine_subgraphs(
                X,
                y[drawn],
                edges=edges,
                measure=measure,
                score=score,
                n_subgraphs=100,
                min_expected_frequency=0.35,
            )
            search = r.seconds - r.setup_seconds
            cost = search / r.n_visited * 1e6
            first = first or cost
            growth = "" if n == SIZES[0] else f"n^{np.log(cost / first) / np.log(n / SIZES[0]):.2f}"
            print(
                f"| {measure} {score} | {n:,} | {r.n_visited:,} | {r.n_evaluated:,} | {r.setup_seconds:.3f} "
                f"| {search:.3f} | {cost:.2f} | {growth} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
