"""Three ways to permute labels that are correlated with age: freely, by residuals (Smith), and given age.

Family-wise error of the largest z over 200 features that depend on age but not on the label, in 60 graphs;
then the power to find one that depends on the label.

python benchmarks/covariate_methods.py --n-cohorts 1000
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import dugraph as dg
from dugraph.significance.design import make_setup
from dugraph.significance.permutations import Permutations

Floats = NDArray[np.float64]
METHODS = ("free", "Smith", "given age")
N_GRAPHS, N_FEATURES, N_PERMUTATIONS = 60, 200, 199


def labels(kind: str, age: Floats, random: np.random.Generator) -> Floats:
    if kind == "phenotype":
        return age + random.normal(size=N_GRAPHS)
    lean = {"no confound": 0 * age, "curved log odds": np.sign(age) * age**2}.get(kind, 1.5 * age)
    y = (random.random(N_GRAPHS) < expit(lean)).astype(float)
    y[:2] = 0, 1
    return y


def rejected(kind: str, effect: float, seed: int) -> list[bool]:
    random = np.random.default_rng([seed, 2026])
    age = random.standard_t(3, N_GRAPHS) if kind == "heavy tails" else random.normal(size=N_GRAPHS)
    y = labels(kind, age, random)
    level = np.outer(age, random.normal(size=N_FEATURES) * 0.5) + random.normal(size=(N_GRAPHS, N_FEATURES))
    level[:, 0] += effect * (y - y.mean()) / y.std()
    x = expit(level - 0.5)
    adjusted = make_setup(
        dg.UncertainGraphs(x, edges=[(0, k + 1) for k in range(N_FEATURES)]),
        y,
        None,
        age,
        "within",
        min_expected_frequency=0.0,
        max_edges=1,
        n_classes=1,
    )
    order, design = adjusted.graphs, adjusted.design
    codes = Permutations(design, N_PERMUTATIONS, seed).codes(0, N_PERMUTATIONS + 1)
    centred = y[order] - y.mean()
    residual = design.residual_weights(codes[:1])[0, 0]
    basis = design.basis

    def project(weights: Floats) -> Floats:
        return weights - (weights @ basis) @ basis.T

    shuffles = [np.arange(N_GRAPHS), *(random.permutation(N_GRAPHS) for _ in range(N_PERMUTATIONS))]
    weights = {
        "free": centred[np.array(shuffles)],
        "Smith": project(residual[np.array(shuffles)]),
        "given age": design.residual_weights(codes)[:, 0],
    }
    mean = x.mean(axis=0)
    scale = np.sqrt(mean * (1 - mean))
    largest = {method: (np.abs(weights[method] @ x[order]) / scale).max(axis=1) for method in METHODS}
    return [bool((one >= one[0] * (1 - 1e-10)).mean() <= 0.05) for one in largest.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--n-cohorts", type=int, default=1000)
    options = parser.parse_args()
    print(f"{options.n_cohorts} cohorts.\n")
    print(f"| rejected | {' | '.join(METHODS)} |\n|{'---|' * (len(METHODS) + 1)}")
    kinds = ("no confound", "log odds 1.5 per SD", "heavy tails", "curved log odds", "phenotype")
    for effect in (0.0, 0.6):
        for kind in kinds:
            share = np.mean([rejected(kind, effect, seed) for seed in range(options.n_cohorts)], axis=0)
            name = f"{kind}, one feature differs" if effect else kind
            print(f"| {name} | {' | '.join(f'{one:.3f}' for one in share)} |", flush=True)


if __name__ == "__main__":
    main()
