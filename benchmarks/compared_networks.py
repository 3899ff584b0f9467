"""dugraph beside TFNBS, NBS and single edges on planted subgraphs, modules and diffuse edges.

For each method, over the cohorts of a design:

- any: the share of cohorts in which something significant contains a planted edge.
- whole: the share in which the planted edges are recovered as a whole: a Jaccard index of at least 1/2 with
  one significant subgraph; with an irreducible one; with the union of one family; with the union of all
  irreducible or all significant subgraphs; with a connected component of significant edges (TFNBS, NBS,
  single edges).
- covered: the share of planted edges in the union of what is significant.
- false: the number of other edges in that union, per cohort.
- s: seconds per cohort, one process.

TFNBS is `compute_p_val(method="tfnbs")` of the package `tfnbs` with its default parameters. It tests the two
directions separately, so each is tested at 0.025. NBS is bctpy's, two-sided; it runs on the first cohorts
only, since it takes longest. Needs the extra `bench`.

python benchmarks/compared_networks.py --n-cohorts 100
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from null_cohorts import EDGES, N_NODES
from planted_cohorts import DESIGNS, MODULES, Planted, components, module
from power import Found, edge_max_t, network_based_statistic
from tfnbs import compute_p_val

import dugraph as dg

ALL: dict[str, Callable[[np.random.Generator], Planted]] = {
    **DESIGNS,
    "module of 8 regions, +0.10": lambda random: module(random, 8, 0.10),
    "module of 8 regions, +0.40": lambda random: module(random, 8, 0.40),
    **MODULES,
}
THRESHOLDS = (2.0, 2.5, 3.0)
METHODS = (
    *("dugraph, a subgraph", "dugraph, all significant", "dugraph, an irreducible one", "dugraph, a family"),
    "dugraph, all irreducible",
    "TFNBS",
    *(f"NBS, t > {threshold:g}" for threshold in THRESHOLDS),
    "single edges, max T",
)


def threshold_free(cohort: Planted, n_permutations: int) -> Found:
    """Components of the edges that TFNBS finds significant in either direction."""
    matrices = np.zeros((len(cohort.y), N_NODES, N_NODES))
    matrices[:, EDGES[:, 0], EDGES[:, 1]] = matrices[:, EDGES[:, 1], EDGES[:, 0]] = cohort.X
    p = compute_p_val(
        *(matrices[cohort.y == 1], matrices[cohort.y == 0]),
        n_permutations=n_permutations,
        test_type="two-sample",
        method="tfnbs",
        use_mp=False,
        random_state=0,
    )
    least = np.minimum(p["g1>g2"], p["g2>g1"])[EDGES[:, 0], EDGES[:, 1]]
    return components(np.flatnonzero(least <= 0.025).tolist())


def ours(cohort: Planted, n_permutations: int) -> list[Found]:
    """The significant subgraphs and their union, the irreducible ones, unions of families, and of all."""
    result = dg.significant_subgraphs(cohort.X, cohort.y, n_permutations=n_permutations)
    significant = [frozenset(g) for g in result.subgraphs]
    chosen = [significant[k] for k in np.flatnonzero(result.irreducible)]
    families = [frozenset(family.edges) for family in result.families]
    unions = [[frozenset[int]().union(*some)] if some else [] for some in (significant, chosen)]
    return [significant, unions[0], chosen, families, unions[1]]


def figures(cohort: Planted, found: Found, seconds: float) -> list[float]:
    union = frozenset[int]().union(*found)
    whole = any(2 * len(cohort.edges & one) >= len(cohort.edges | one) for one in found)
    hits = len(union & cohort.edges)
    return [hits > 0, whole, hits / len(cohort.edges), len(union) - hits, seconds]


def measure(job: tuple[str, int, argparse.Namespace]) -> list[list[float]]:
    """For each method: any, whole, covered, false, seconds; NaN where it was not run."""
    name, number, options = job
    n_permutations = options.n_permutations
    cohort = ALL[name](np.random.default_rng([number, 2026]))
    begin = time.perf_counter()
    answers = ours(cohort, n_permutations)
    seconds = time.perf_counter() - begin
    rows = [figures(cohort, found, seconds) for found in answers]
    nbs = partial(network_based_statistic, cohort, n_permutations=options.nbs_permutations)
    others: list[Callable[[], Found] | None] = [
        partial(threshold_free, cohort, options.tfnbs_permutations) if options.tfnbs_permutations else None,
        *(partial(nbs, threshold) if number < options.nbs_cohorts else None for threshold in THRESHOLDS),
        partial(edge_max_t, cohort, n_permutations),
    ]
    for method in others:
        if method is None:
            rows.append([np.nan] * 5)
            continue
        begin = time.perf_counter()
        found = method()
        rows.append(figures(cohort, found, time.perf_counter() - begin))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=100)
    parser.add_argument("--n-permutations", type=int, default=399)
    parser.add_argument("--tfnbs-permutations", type=int, default=299, help="0 leaves TFNBS out")
    parser.add_argument("--nbs-permutations", type=int, default=99)
    parser.add_argument("--nbs-cohorts", type=int, default=50)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[""], help="designs whose name holds one of these texts")
    options = parser.parse_args()
    print(
        f"{options.n_cohorts} cohorts per design, {options.n_permutations} permutations, "
        f"{options.tfnbs_permutations} of TFNBS, {options.nbs_permutations} of NBS on the first "
        f"{options.nbs_cohorts} cohorts."
    )
    print("\n| design | method | any | whole | covered | false | s |\n|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.n_jobs) as pool:
        for name in (name for name in ALL if any(text in name for text in options.only)):
            jobs = [(name, k, options) for k in range(options.n_cohorts)]
            table = np.nanmean(list(pool.map(measure, jobs)), axis=0)
            for method, (found, whole, covered, false, seconds) in zip(METHODS, table, strict=True):
                print(
                    f"| {name} | {method} | {found:.2f} | {whole:.2f} | {covered:.2f} | {false:.1f} | "
                    f"{seconds:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
