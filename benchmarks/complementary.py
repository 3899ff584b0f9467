"""Subgraphs that complement each other against the ranking as it is, on a real cohort.

age: all positive correlations, so that all-edges is the full matrix; abide: r > 0.315. Finished cells stay
in the output folder, so that methods and splits can be added. The tables are in docs/experiments.md.

python benchmarks/complementary.py age --methods exp-hsic exp-hsic+div exp-freq exp-freq+div comparisons
"""

import argparse
from pathlib import Path

import cohorts
import numpy as np
from experiments import difference

import dugraph as dg


def table(result: dg.EvaluationResult, to: str) -> str:
    """Error and F1 of each method, and the difference of its error to one of them, split by split."""
    lines = [
        f"| method | error rate | F1 | error minus {to} | mining, seconds beside {to} |",
        "|---|---|---|---|---|",
    ]
    error = dict(zip(result.methods, result.values("error")[:, 0], strict=True))
    f1 = dict(zip(result.methods, result.mean("f1")[:, 0], strict=True))
    mining = {method: seconds[0] for method, seconds in result.seconds().items()}
    for method in result.methods:
        paired = "" if method == to else difference(error[method] - error[to])
        mined = any(cell.n_found for cell in result.cells if cell.method == method)
        share = f"{mining[method] / mining[to]:.1f}" if mined else ""
        lines.append(f"| {method} | {np.mean(error[method]):.3f} | {f1[method]:.3f} | {paired} | {share} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohort", choices=("age", "abide"), nargs="?", default="age")
    parser.add_argument("--methods", nargs="+", default=["exp-hsic", "exp-hsic+div"])
    parser.add_argument("--to", help="the method whose error is subtracted (default: the first)")
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--min-expected-frequency", type=float, default=0.02)
    parser.add_argument("--n-splits", type=int, default=20)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path("experiments/complementary"))
    options = parser.parse_args()
    cohort = {"age": cohorts.age, "abide": cohorts.abide}[options.cohort]()
    if cohort is None:
        print(f"The file of the {options.cohort} cohort is not in {cohorts.DATA.name}/ beside the project.")
        return
    result = dg.evaluate(
        *cohort,
        methods=options.methods,
        n_subgraphs=[options.n_subgraphs],
        cv=dg.RandomSplits(options.n_splits),
        min_expected_frequency=options.min_expected_frequency,
        n_jobs=options.n_jobs,
        cache=options.output / options.cohort / f"t{options.n_subgraphs}",
    )
    print(table(result, options.to or result.methods[0]))


if __name__ == "__main__":
    main()
