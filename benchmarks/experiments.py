"""The paper's qualitative findings, on simulated and on real cohorts: the tables of docs/experiments.md.

Every cohort goes through the paper's protocol with all 22 methods, all edges and SelectKBest. Finished cells
are kept in the output folder, so that a run can be stopped and taken up again. Real cohorts are read from
../shared/data and left out, saying so, where they are not there.

python benchmarks/experiments.py age --n-splits 20 --n-jobs 2 -o experiments
"""

import argparse
import time
from pathlib import Path

import cohorts
import numpy as np

import dugraph as dg
from dugraph.evaluation.progress import progress_text

# min_sup: the paper's for its datasets; for the others about as many subgraphs.
COHORTS = {
    "adhd": (lambda: cohorts.simulated("adhd"), 0.2),
    "adni": (lambda: cohorts.simulated("adni"), 0.4),
    "hiv": (lambda: cohorts.simulated("hiv"), 0.4),
    "age": (lambda: cohorts.age(0.374), 0.1),
    "abide": (cohorts.abide, 0.2),
    "schizo": (cohorts.schizo, 0.05),
}
BASELINES = ("exp-freq", "freq", "hsic", "frequency_ratio", "g_test", "confidence")
COMPARISONS = ("all-edges", "select-k-best")


def is_dug(method: str) -> bool:
    """Whether a method is one of the paper's own: a measure of a score in uncertain graphs."""
    return "-" in method and method not in (*BASELINES, *COMPARISONS)


def findings(name: str, result: dg.EvaluationResult) -> str:
    """What holds of the paper's findings, in lines of Markdown."""
    error, f1 = (
        dict(zip(result.methods, result.mean(metric).mean(axis=1).round(3), strict=True))
        for metric in ("error", "f1")
    )
    dug = sorted((m for m in result.methods if is_dug(m)), key=lambda m: (error[m], m))
    best, others = dug[0], [m for m in (*BASELINES, *COMPARISONS) if m in error]
    lines = [
        f"{name}: error rate and F1, mean over t = {', '.join(map(str, result.n_subgraphs))} and "
        f"{result.n_splits} splits; best of {len(dug)} variants of DUG: {best}, worst: {dug[-1]}",
        "",
        "| method | error rate | F1 | best variant better by | variants that are better |",
        "|---|---|---|---|---|",
    ]
    for method in (best, dug[len(dug) // 2], dug[-1]):
        lines.append(f"| {method} | {error[method]:.3f} | {f1[method]:.3f} | | |")
    for method in others:
        better = sum(error[m] < error[method] for m in dug)
        gain = error[method] - error[best]
        lines.append(
            f"| {method} | {error[method]:.3f} | {f1[method]:.3f} | {gain:+.3f} | {better} of {len(dug)} |"
        )
    return "\n".join(lines) + "\n"


def times(result: dg.EvaluationResult, seconds: float) -> str:
    """How long it took."""
    mining, svm = np.array(list(result.seconds().values())).sum(axis=0)
    slowest = sorted(result.seconds().items(), key=lambda item: -item[1][0])[:5]
    most = ", ".join(f"{method} {spent[0]:.0f} s" for method, spent in slowest)
    return f"{seconds / 60:.1f} min in all; mining {mining:.0f} s, SVM {svm:.0f} s; longest: {most}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cohorts", nargs="+", choices=(*COHORTS, "all"))
    parser.add_argument("--methods", nargs="+", default=["all"])
    parser.add_argument("--n-splits", type=int, default=20)
    parser.add_argument("--n-subgraphs", type=int, nargs="+", default=[100, 200, 300, 400, 500])
    parser.add_argument("--max-edges", type=int)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path("experiments"))
    options = parser.parse_args()
    for name in COHORTS if "all" in options.cohorts else options.cohorts:
        make, limit = COHORTS[name]
        cohort = make()
        if cohort is None:
            print(f"{name}: its file is not in {cohorts.DATA.name}/ beside the project, skipped")
            continue
        begin = time.perf_counter()
        result = dg.evaluate_methods(
            *cohort,
            methods=options.methods,
            n_subgraphs=options.n_subgraphs,
            n_splits=options.n_splits,
            min_expected_frequency=limit,
            max_edges=options.max_edges,
            time_limit=options.time_limit,
            n_jobs=options.n_jobs,
            cache=options.output / name / "cache",
            progress=lambda now: now["done"] % 20 or print(progress_text(now), flush=True),
        )
        spent = time.perf_counter() - begin
        result.save(options.output / name, f"Results on the cohort {name}")
        print(findings(name, result), times(result, spent), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
