"""The bounds side by side, one thread: work and time of every score x measure, and their ratios in one run.

python benchmarks/bounds.py age --min-expected-frequency 0.05 --n-subgraphs 100
"""

import argparse
import warnings

import cohorts
import numpy as np

import dugraph as dg


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cohorts", nargs="+", choices=["adhd", "adni", "hiv", "age", "abide"])
    parser.add_argument("--min-expected-frequency", type=float, default=0.05)
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--bounds", nargs="+", default=["worldwise", "mass"])
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=300)
    parser.add_argument("--repeats", type=int, default=3, help="the shortest time of so many counts")
    options = parser.parse_args()
    warnings.simplefilter("ignore", dg.exceptions.FewerSubgraphsWarning)
    warnings.simplefilter("ignore", dg.exceptions.LimitReachedWarning)
    for name, (X, y) in cohorts.named(options.cohorts):
        print(
            f"\n{name}: {X.shape[0]} graphs, t = {options.n_subgraphs}, "
            f"min_expected_frequency = {options.min_expected_frequency}, {options.n_jobs} thread(s)\n"
        )
        print("| variant | bound | status | admitted | candidates | programs | set-up s | seconds | gap |")
        print("|---|---|---|---:|---:|---:|---:|---:|---:|")
        ratios = [_variant(X, y, measure, score, options) for measure, score in cohorts.VARIANTS]
        if len(options.bounds) > 1:
            programs, seconds = np.array(ratios).T
            first, last = options.bounds[0], options.bounds[-1]
            print(
                f"\n{first} / {last}: programs {_mean(programs):.1f} x fewer, time {_mean(seconds):.2f} x "
                f"(geometric means; times between {seconds.min():.2f} and {seconds.max():.2f})"
            )


def _mean(ratios: np.ndarray) -> float:
    return float(np.exp(np.log(ratios).mean()))


def _variant(X, y, measure: str, score: str, options) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    results = {}
    for _ in range(options.repeats):  # interleaved, so that a busy moment does not hit one bound only
        for bound in options.bounds:
            result = dg.mine_subgraphs(
                X,
                y,
                measure=measure,
                score=score,
                bound=bound,
                n_subgraphs=options.n_subgraphs,
                min_expected_frequency=options.min_expected_frequency,
                n_jobs=options.n_jobs,
                time_limit=options.time_limit,
            )
            if bound not in results or result.seconds < results[bound].seconds:
                results[bound] = result
    for bound, r in results.items():
        print(
            f"| {measure} {score} | {bound} | {r.status.value} | {r.n_visited:,} | {r.n_candidates:,} "
            f"| {r.n_evaluated:,} | {r.setup_seconds:.3f} | {r.seconds:.3f} | {r.gap:.3g} |",
            flush=True,
        )
    first, last = results[options.bounds[0]], results[options.bounds[-1]]
    if first.success and last.success and first.subgraphs != last.subgraphs:
        raise AssertionError("the bounds disagree")
    return first.n_evaluated / max(last.n_evaluated, 1), first.seconds / last.seconds


if __name__ == "__main__":
    main()
