"""Labels linked to graphs only through the site: found unadjusted, not found adjusted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import dugraph as dg
from dugraph import RepeatedFolds

N, M = 200, 15
LIMITS = {"min_expected_frequency": 0.1, "max_edges": 2}


@pytest.fixture(scope="module")
def cohort():
    """The second site strengthens four edges and has older people and more patients; that is all."""
    random = np.random.default_rng(0)
    second = random.random(N) < 0.5
    X = random.uniform(0.1, 0.6, (N, M))
    X[:, :4] += 0.4 * second[:, None]
    age = np.where(second, 45.0, 30.0) + random.normal(0, 8, N)
    patient = random.random(N) < np.where(second, 0.8, 0.2)
    site = np.where(second, "Zurich", "Boston")
    return dg.UncertainGraphs(X, participants={"site": site}), age, patient


@pytest.mark.parametrize("which", ["age", "patient"])
def test_without_adjustment_the_best_subgraph_is_a_scanner_effect(cohort, which):
    graphs, age, patient = cohort
    y = age if which == "age" else patient
    plain = dg.mine_subgraphs(graphs, y, n_subgraphs=4, **LIMITS)
    assert all(set(g) <= {0, 1, 2, 3} for g in plain.subgraphs)
    adjusted = dg.mine_subgraphs(graphs, y, covariates="site", n_subgraphs=1, **LIMITS)
    assert adjusted.values[0] < 0.2 * plain.values[0]
    tested = {"n_permutations": 199, "random_state": 0, **LIMITS}
    assert dg.significant_subgraphs(graphs, y, **tested).subgraphs
    assert not dg.significant_subgraphs(graphs, y, covariates="site", **tested).subgraphs


def test_a_sparse_model_selects_site_subgraphs_unless_site_is_a_covariate(cohort):
    graphs, age, patient = cohort
    for kind, y in ((dg.SparseSubgraphRegressor, age), (dg.SparseSubgraphClassifier, patient)):
        plain = kind(alpha=None, n_nonzero=3, n_alphas=10, **LIMITS).fit(graphs, y)
        penalty = plain.alpha_  # the price that three subgraphs of the scanner were worth
        honest = kind(alpha=penalty, covariates="site", **LIMITS).fit(graphs, y)
        assert set(plain.subgraphs_[0]) <= {0, 1, 2, 3}
        assert np.abs(honest.subgraph_coef_).sum() < 0.2 * np.abs(plain.subgraph_coef_).sum()


def test_a_class_is_not_predicted_after_the_site_is_removed_from_the_edges(cohort):
    graphs, _, patient = cohort
    names = [f"{a}--{b}" for b in "ABCDEF" for a in "ABCDEF" if a < b]
    frame = pd.DataFrame(graphs.edge_probability, columns=names)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    machine = dg.SparseSubgraphClassifier(alpha=0.03, on_invalid="clip", **LIMITS)
    steps = make_pipeline(dg.Deconfound("site"), machine)
    site = graphs.participants["site"]
    assert cross_val_score(machine, frame, patient, cv=folds).mean() > 0.7
    assert cross_val_score(steps, frame.assign(site=site), patient, cv=folds).mean() < 0.6


@pytest.mark.parametrize(
    ("metric", "found", "beyond", "methods"),
    [
        ("r", 0.5, 0.15, ["exp-hsic", "sparse", "all-edges", "cpm"]),
        ("balanced_accuracy", 0.6, 0.45, ["exp-hsic", "all-edges"]),
    ],
)
def test_what_follows_the_site_is_not_predicted_beyond_it(metric, found, beyond, methods):
    """Sites shift edges, and a phenotype or the shares of three groups, which have nothing else in common."""
    asked = {"n_subgraphs": [5], "cv": RepeatedFolds(3, n_repeats=1), "max_edges": 2}
    asked |= {"min_expected_frequency": 0.05, "methods": methods}
    plain, adjusted, saved = [], [], []
    for seed in range(2):
        random = np.random.default_rng(seed)
        site = random.integers(0, 3, 100)
        names = np.array(["A", "B", "C"])
        edges = random.uniform(0.2, 0.5, (100, 10))
        edges[:, :3] += 0.4 * (site[:, None] == np.arange(3))
        y = names[np.where(random.random(100) < 0.8, site, random.integers(0, 3, 100))]
        if metric == "r":
            y = 3.0 * site + random.normal(size=100)
        graphs = dg.UncertainGraphs(edges, participants={"site": names[site]})
        plain.append(dg.evaluate(graphs, y, **asked).mean(metric)[:, 0])
        result = dg.evaluate(graphs, y, covariates="site", **asked)
        adjusted.append(result.mean(metric)[:, 0])
        saved.append(result.mean("r2")[:, 0] if metric == "r" else 0.0)
    assert np.mean(plain, axis=0).min() > found
    assert np.mean(adjusted, axis=0).max() < beyond
    assert np.mean(saved, axis=0).max() < 0.02
