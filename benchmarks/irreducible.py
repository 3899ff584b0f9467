"""Which of the significant subgraphs to show first: rules that leave out idle edges, on planted differences.

A rule selects from the significant subgraphs of a cohort; all rejections hold at once, so every selection is
valid. For each rule: the share of edges in the union of its selection that were not planted, the share of
planted edges in the union, and how many subgraphs are left. Cohorts without a significant subgraph count as
0 planted edges found, and not towards the false share.

- irreducible: no significant part of g has a statistic at least as large.
- penalty c: no significant part h of g has T(h) >= T(g) - c (edges of g - edges of h).
- increment c: g adds to each of its significant parts h: the t statistic of x(g) in a regression of the
  labels on x(g) and x(h) exceeds c. Permuting labels given x(h) has this t as its statistic and, at these
  sizes, its normal quantiles as critical values: 1.645 is a one-sided test at 0.05.
- both c: irreducible, and increment c.
- representatives: the edge-disjoint ones, down the list.

python benchmarks/irreducible.py --n-cohorts 200
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from concurrent.futures import ProcessPoolExecutor

import numpy as np
from null_cohorts import Floats
from planted_cohorts import DESIGNS, MODULES, Planted

import dugraph as dg
from dugraph.significance.result import edge_disjoint

ALL = DESIGNS | MODULES
PENALTIES = (0.1, 0.2, 0.4)
INCREMENTS = (1.0, 1.645)
RULES = (
    *("all", "representatives", "irreducible", *(f"penalty {c:g}" for c in PENALTIES)),
    *(f"increment {c:g}" for c in INCREMENTS),
    *(f"both {c:g}" for c in INCREMENTS),
)
_MOST = 1500  # subgraphs; the comparison of all pairs takes too long beyond


def containment(X: Floats, subgraph: tuple[int, ...]) -> Floats:
    return np.asarray(X[:, list(subgraph)].prod(axis=1))


def increment(y: Floats, x: Floats, part: Floats, sign: float) -> float:
    """t of x in a regression of y on x, part and a constant, positive in the direction of the effect."""
    known = np.column_stack([np.ones(len(y)), part])
    left = np.column_stack([y, x])
    left = left - known @ np.linalg.lstsq(known, left, rcond=None)[0]
    y_left, x_left = left.T
    scale = np.sqrt((y_left**2).sum() * (x_left**2).sum())
    r = (y_left * x_left).sum() / scale if scale > 1e-12 else 0.0
    return float(sign * r * np.sqrt((len(y) - 3) / max(1 - r * r, 1e-12)))


def selections(cohort: Planted, n_permutations: int) -> list[list[tuple[int, ...]]]:
    result = dg.significant_subgraphs(cohort.X, cohort.y, n_permutations=n_permutations)
    subgraphs, T = result.subgraphs[:_MOST], result.statistics[:_MOST]
    sets, y = [frozenset(g) for g in subgraphs], cohort.y.astype(float)
    x = [containment(cohort.X, g) for g in subgraphs]
    kept = {rule: np.ones(len(sets), dtype=bool) for rule in RULES}
    kept["representatives"] = edge_disjoint(subgraphs)
    for k, g in enumerate(sets):
        for j, h in enumerate(sets):
            if not h < g:
                continue
            kept["irreducible"][k] &= T[j] < T[k] * (1 - 1e-10)
            for c in PENALTIES:
                kept[f"penalty {c:g}"][k] &= T[j] < T[k] - c * (len(g) - len(h))
            t = increment(y, x[k], x[j], float(np.sign(result.effects[k])))
            for c in INCREMENTS:
                kept[f"increment {c:g}"][k] &= t > c
    for c in INCREMENTS:
        kept[f"both {c:g}"] = kept["irreducible"] & kept[f"increment {c:g}"]
    return [[g for g, yes in zip(subgraphs, kept[rule], strict=True) if yes] for rule in RULES]


def measure(job: tuple[str, int, int]) -> list[tuple[float, float, int]]:
    name, number, n_permutations = job
    cohort = ALL[name](np.random.default_rng([number, 2026]))
    found = []
    for chosen in selections(cohort, n_permutations):
        union = {edge for g in chosen for edge in g}
        false = len(union - cohort.edges) / len(union) if union else np.nan
        found.append((false, len(union & cohort.edges) / len(cohort.edges), len(chosen)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=200)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts, {options.n_permutations} permutations, z.")
    print(
        f"\n| false edges / planted edges / subgraphs | {' | '.join(RULES)} |\n|{'---|' * (len(RULES) + 1)}"
    )
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name in ALL:
            jobs = [(name, k, options.n_permutations) for k in range(options.n_cohorts)]
            table = np.array(list(pool.map(measure, jobs, chunksize=2)))
            false = np.nanmean(table[table[:, 0, 2] > 0, :, 0], axis=0)
            found, count = table[:, :, 1:].mean(axis=0).T
            cells = [f"{f:.2f} / {p:.2f} / {n:.1f}" for f, p, n in zip(false, found, count, strict=True)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
