"""Prediction on real cohorts: subgraphs, edges, signed matrices and tangent space on the same splits.

abide: correlations above .315, min_expected_frequency .2. age: above .374, .1; the time series serve nilearn.
Finished cells stay in the output folder, so that methods and splits can be added. The tables are in
docs/experiments.md.

python benchmarks/prediction.py abide age --n-splits 10
"""

import argparse
from pathlib import Path

import cohorts
from experiments import COHORTS, difference

import dugraph as dg
from dugraph.evaluation.cells import progress_text

METHODS = ("exp-hsic", "exp-hsic+div", "sparse", "baselines", "signed-edges", "signed-edges-logistic")


def table(result: dg.EvaluationResult, to: str) -> str:
    """Error, F1 and AUC of each method, and its error minus that of one of them, split by split."""
    error = dict(zip(result.methods, result.values("error")[:, 0], strict=True))
    f1, auc = (dict(zip(result.methods, result.mean(m)[:, 0], strict=True)) for m in ("f1", "auc"))
    lines = [f"| method | error rate | F1 | AUC | error minus {to} | seconds per split |", "|---" * 6 + "|"]
    for method in sorted(result.methods, key=lambda one: error[one].mean()):
        paired = "" if method == to else difference(error[method] - error[to])
        seconds = sum(result.seconds()[method]) / result.n_splits
        numbers = f"{error[method].mean():.3f} | {f1[method]:.3f} | {auc[method]:.3f}"
        lines.append(f"| {method} | {numbers} | {paired} | {seconds:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohorts", choices=("age", "abide"), nargs="+")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--to", default="all-edges", help="the method whose error is subtracted")
    parser.add_argument("--n-subgraphs", type=int, default=100)
    parser.add_argument("--n-splits", type=int, default=20)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("experiments/prediction"))
    options = parser.parse_args()
    for name in options.cohorts:
        make, limit = COHORTS[name]
        cohort, series = make(), cohorts.time_series() if name == "age" else None
        if cohort is None:
            print(f"The file of the {name} cohort is not in {cohorts.DATA.name}/ beside the project.")
            continue
        result = dg.evaluate(
            *cohort,
            methods=[*options.methods, *(["nilearn-correlation", "nilearn-tangent"] if series else [])],
            n_subgraphs=[options.n_subgraphs],
            cv=dg.RandomSplits(options.n_splits),
            min_expected_frequency=limit,
            series=series,
            signed=cohorts.signed(name),
            n_jobs=options.n_jobs,
            cache=options.output / name,
            progress=lambda now: now["done"] % 10 or print(progress_text(now), flush=True),
        )
        print(
            f"{name}, t = {options.n_subgraphs}, {options.n_splits} splits\n\n{table(result, options.to)}\n"
        )


if __name__ == "__main__":
    main()
