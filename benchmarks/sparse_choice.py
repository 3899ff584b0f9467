"""Candidates for the default of the sparse model, on development splits of real cohorts.

The candidates and the rule of decision are in docs/benchmarks.md and were fixed before the first run. A line
of JSON for each split is added to the output file, so that a run can be continued.

python benchmarks/sparse_choice.py age --seed 100 --n-splits 5 -o choice.jsonl
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import cohorts
import numpy as np
from experiments import COHORTS
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

import dugraph as dg
from dugraph.data import UncertainGraphs
from dugraph.evaluation.adjusted import TunedRidge
from dugraph.evaluation.methods import make_method
from dugraph.sparse.column_generation import PathFinder, SparseModel
from dugraph.sparse.losses import Logistic, signs
from dugraph.sparse.path import RIDGE_PENALTIES, _few_enough, _refined

MOST = 100
LAYERS = {"age": 0.374, "abide": 0.315}
N_SAMPLES = 20
Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def finder_of(
    graphs: UncertainGraphs, target: Floats, limit: float, l1: float, size: int | None
) -> PathFinder:
    return PathFinder(
        graphs, target, np.zeros((len(target), 0)), np.ones(len(target)),
        loss=Logistic, l1_ratio=l1, min_expected_frequency=limit, max_edges=size, tol=1e-3, n_threads=1,
        deadline=math.inf,
    )  # fmt: skip


def chosen_by(losses: Floats, path: list[SparseModel], grid: set[float]) -> dict[str, tuple[int, int]]:
    """Model and ridge penalty by each rule; losses have the shape (n_models, n_ridge, n_folds)."""
    best = losses.mean(axis=2).argmin(axis=1)
    means = losses.mean(axis=2)[np.arange(len(path)), best]
    on_grid = np.array([model.alpha in grid for model in path])
    least = int(np.where(on_grid, means, np.inf).argmin())
    spread = losses[least, best[least]].std(ddof=1) / np.sqrt(losses.shape[2])
    within = int(np.flatnonzero(on_grid & (means <= means[least] + spread)).max())
    return {"least": (least, best[least]), "one-se": (within, best[within]), "hundred": (-1, best[-1])}


def path_rules(
    graphs: UncertainGraphs, target: Floats, limit: float, l1: float, size: int | None, n_repeats: int
) -> Iterator[tuple[str, SparseModel, float]]:
    """The models of the rules least, one-se and hundred, and least with repeated folds."""
    finder = finder_of(graphs, target, limit, l1, size)
    grid = finder.grid(20, 0.02)
    path = _few_enough(_refined(finder, finder.models_up_to(MOST, grid), MOST), MOST)
    alphas, losses = [model.alpha for model in path], []
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=0)
    for train, test in folds.split(target, target):
        part, loss = finder_of(graphs[train], target[train], limit, l1, size), Logistic(
            target[test], np.ones(len(test))
        )  # fmt: skip
        hidden = graphs.edge_probability[test]
        losses.append(
            [
                [loss.value(fit.decision_function(hidden)) for fit in part.ridge(model, RIDGE_PENALTIES)]
                for model in part.models(alphas)
            ]
        )
    table = np.moveaxis(np.array(losses), 0, 2)
    rules = chosen_by(table[:, :, :5], path, set(grid.tolist()))
    if n_repeats > 1:
        rules["repeated"] = chosen_by(table, path, set(grid.tolist()))["least"]
    for rule, (model, k) in rules.items():
        yield rule, next(finder.ridge(path[model], [RIDGE_PENALTIES[k]])), RIDGE_PENALTIES[k]


def resampled(
    graphs: UncertainGraphs, target: Floats, limit: float
) -> tuple[dict[tuple[int, ...], int], dict[tuple[int, ...], float]]:
    """How often each subgraph is chosen in half of the graphs, and its mean absolute coefficient."""
    random, counts, sizes = np.random.default_rng(0), {}, {}
    for _ in range(N_SAMPLES):
        half = np.sort(
            np.concatenate(
                [random.choice(np.flatnonzero(target == one), int((target == one).sum()) // 2, replace=False)
                 for one in (-1, 1)]
            )
        )  # fmt: skip
        finder = finder_of(graphs[half], target[half], limit, 1.0, None)
        model = _few_enough(finder.models_up_to(MOST // 2, finder.grid(20, 0.02)), MOST // 2)[-1]
        for subgraph, coef in zip(model.subgraphs, model.coef, strict=True):
            counts[subgraph] = counts.get(subgraph, 0) + 1
            sizes[subgraph] = sizes.get(subgraph, 0.0) + abs(float(coef)) / N_SAMPLES
    return counts, sizes


def columns(graphs: UncertainGraphs, subgraphs: list[tuple[int, ...]]) -> Floats:
    return np.column_stack([graphs.edge_probability[:, list(one)].prod(axis=1) for one in subgraphs])


def one_split(
    name: str,
    graphs: UncertainGraphs,
    signed: UncertainGraphs,
    y: NDArray[np.int64],
    limit: float,
    split: Split,
) -> dict[str, list[float]]:
    """Error, number of features and seconds of each candidate."""
    train, test = split
    target, found = signs(y[train] == 1), {}
    runs = {
        "": (graphs, limit, 1.0, None, 3 if name == "age" else 1),
        "l1 .5 ": (graphs, limit, 0.5, None, 1),
        "half limit ": (graphs, limit / 2, 1.0, None, 1),
        "edges ": (graphs, 0.0, 1.0, 1, 1),
        "edges l1 .5 ": (graphs, 0.0, 0.5, 1, 1),
        "signed ": (signed, limit, 1.0, None, 1),
    }
    for prefix, (one, least, l1, size, n_repeats) in runs.items():
        begin = time.perf_counter()
        rules = list(path_rules(one[train], target, least, l1, size, n_repeats))
        seconds = time.perf_counter() - begin
        for rule, model, _ in rules:
            error = float(
                ((model.decision_function(one.edge_probability[test]) > 0) != (y[test] == 1)).mean()
            )
            found[prefix + rule] = [error, len(model.coef), seconds]
    begin = time.perf_counter()
    counts, sizes = resampled(graphs[train], target, limit)
    seconds = time.perf_counter() - begin
    for rule, key in (
        ("stability", lambda one: (-counts[one], -sizes[one], one)),
        ("bagging", lambda one: (-sizes[one], -counts[one], one)),
    ):
        chosen = sorted(counts, key=key)[:MOST]
        machine = TunedRidge().fit(columns(graphs[train], chosen), y[train])
        error = float((machine.predict(columns(graphs[test], chosen)) != y[test]).mean())
        found[rule] = [error, len(chosen), seconds]
    for method in ("all-edges", "select-k-best", "exp-hsic", "exp-hsic+div"):
        begin = time.perf_counter()
        machine = make_method(method, n_subgraphs=MOST, min_expected_frequency=limit).fit(
            graphs[train], y[train]
        )
        error = float((machine.predict(graphs[test]) != y[test]).mean())
        found[method] = [error, MOST, time.perf_counter() - begin]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cohort", choices=("age", "abide"))
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--n-splits", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("sparse_choice.jsonl"))
    options = parser.parse_args()
    make, limit = COHORTS[options.cohort]
    X, y = make()
    r = cohorts.signed(options.cohort)
    r = np.where(np.abs(r) > LAYERS[options.cohort], r, 0.0)
    graphs = UncertainGraphs(X)
    layers = ["positive"] * X.shape[1] + ["negative"] * X.shape[1]
    signed = UncertainGraphs(
        np.hstack([np.maximum(r, 0), np.maximum(-r, 0)]), np.vstack([graphs.edges] * 2), edge_layers=layers
    )
    splits = dg.RandomSplits(options.n_splits, random_state=options.seed).split(None, y)
    for number, split in list(enumerate(splits))[options.first :]:
        found = one_split(options.cohort, graphs, signed, y, limit, split)
        row = {"cohort": options.cohort, "seed": options.seed, "split": number, "found": found}
        with options.output.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)


if __name__ == "__main__":
    main()
