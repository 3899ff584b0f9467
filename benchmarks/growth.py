"""How the cost of a subgraph grows: with the number of graphs, of regions, and of subgraphs to find.

One table each, with the exponent of a line fitted through the logarithms of cost and size. Costs are seconds
of search by admitted subgraph met; set-up (checks, order, layout of the rows) is given beside them.

python benchmarks/growth.py graphs regions subgraphs
"""

import argparse
import time
from collections.abc import Iterable

import cohorts
import numpy as np
from numpy.typing import NDArray

import dugraph as dg

GRAPHS = (100, 400, 2_000, 10_000, 40_000)
REGIONS = (100, 200, 400, 700, 1_000)
SUBGRAPHS = (10, 100, 1_000, 10_000)
VARIANTS = (
    ("expectation", "hsic"),
    ("expectation", "confidence"),
    ("median", "g_test"),
    ("mode", "hsic"),
    ("phi_probability", "frequency_ratio"),
)

Row = tuple[int, float, dg.MiningResult]


def timed(X: NDArray[np.float64], y: NDArray[np.int64], **settings: object) -> tuple[float, dg.MiningResult]:
    """Seconds of everything but the search itself, and what was found."""
    began = time.perf_counter()
    found = dg.mine_subgraphs(X, y, n_jobs=2, **settings)  # type: ignore[arg-type]
    return time.perf_counter() - began - (found.seconds - found.setup_seconds), found


def show(title: str, name: str, rows: Iterable[Row]) -> None:
    print(f"\n{title}\n\n| {name} | status | met | programs | set-up s | search s | µs per subgraph |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    sizes, costs = [], []
    for size, setup, found in rows:
        search = found.seconds - found.setup_seconds
        sizes.append(size)
        costs.append(search / found.n_visited * 1e6)
        print(
            f"| {size:,} | {found.status.name} | {found.n_visited:,} | {found.n_evaluated:,} "
            f"| {setup:.3f} | {search:.3f} | {costs[-1]:.2f} |",
            flush=True,
        )
    exponent = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    print(f"\nfitted: cost per subgraph ~ {name}^{exponent:.2f}")


def more_graphs(measure: str, score: str) -> Iterable[Row]:
    """Graphs of a simulated cohort drawn with replacement and shaken by 10 %: the subgraphs stay the same."""
    P, y = cohorts.simulated("hiv")
    frequent = P.mean(axis=0) > 0.3
    P, edges = P[:, frequent], np.column_stack(np.tril_indices(90, -1))[frequent]
    for n in GRAPHS:
        rng = np.random.default_rng(0)
        drawn = np.concatenate([rng.choice(np.flatnonzero(y == c), n // 2) for c in (0, 1)])
        X = np.clip(P[drawn] * rng.uniform(0.9, 1.1, (n, P.shape[1])), 0, 1)
        settings = {"edges": edges, "measure": measure, "score": score, "min_expected_frequency": 0.4}
        yield n, *timed(X, y[drawn], **settings)


def more_regions() -> Iterable[Row]:
    """Each region is joined to the eight before it: more regions, but no more edges at any of them."""
    for n_regions in REGIONS:
        rng = np.random.default_rng(0)
        first, second = np.array(
            [(i, j) for i in range(n_regions) for j in range(max(0, i - 8), i)], dtype=np.int64
        ).T
        y = np.arange(200) % 2
        mean = rng.uniform(0.2, 0.75, len(first))
        lift = np.where(rng.random(len(first)) < 0.1, rng.uniform(-0.2, 0.2, len(first)), 0)
        X = np.clip(mean * (1 + lift * y[:, None]) + rng.normal(0, 0.1, (200, len(first))), 0, 1)
        yield n_regions, *timed(X, y, edges=np.column_stack([first, second]), min_expected_frequency=0.2)


def more_subgraphs(measure: str, score: str) -> Iterable[Row]:
    """The simulated adhd cohort, for ever longer lists."""
    X, y = cohorts.simulated("adhd")
    for t in SUBGRAPHS:
        settings = {"measure": measure, "score": score, "min_expected_frequency": 0.1}
        yield t, *timed(X, y, n_subgraphs=t, **settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="+", choices=("graphs", "regions", "subgraphs"))
    options = parser.parse_args()
    X, y = cohorts.simulated("adni")
    dg.mine_subgraphs(X, y, n_subgraphs=1, max_edges=1)  # imports
    if "graphs" in options.tables:
        for measure, score in VARIANTS:
            show(f"{measure}-{score}, t = 100", "graphs", more_graphs(measure, score))
    if "regions" in options.tables:
        show("expectation-hsic, 200 graphs, t = 100", "regions", more_regions())
    if "subgraphs" in options.tables:
        for measure, score in VARIANTS:
            show(f"{measure}-{score}, simulated adhd at 0.1", "subgraphs", more_subgraphs(measure, score))


if __name__ == "__main__":
    main()
