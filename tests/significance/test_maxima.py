"""The compiled engine against the definition in NumPy; bounds, threads and ranges give the same bytes."""

import os

import numpy as np
import pytest
import reference_engine

from dugraph.significance.design import LEAST_DEGREES_OF_FREEDOM, Family, Phenotype, make_design, make_units
from dugraph.significance.maxima import TestProblem, list_subgraphs, null_maxima
from dugraph.significance.statistics import make_denominator, scaled_weights

N_COHORTS = 20_000 if os.environ.get("DUGRAPH_SOAK") else 160
STATISTICS = ("z", "difference", "t")


def random_family(random):
    n_nodes, n_graphs = int(random.integers(3, 8)), int(random.integers(16, 40))
    pairs = np.column_stack(np.tril_indices(n_nodes, -1))
    edges = pairs[np.sort(random.permutation(len(pairs))[: random.integers(2, 13)])]
    shape = (len(edges), n_graphs)
    kind = random.integers(4)
    probability = random.random(shape) ** random.choice([0.2, 1.0, 3.0])
    if kind == 1:  # certain graphs
        probability = probability.round()
    elif kind == 2:  # many zeros and ones, and edges that are always there
        probability = np.where(random.random(shape) < 0.4, probability.round(), probability)
        probability[random.random(len(edges)) < 0.3] = 1.0
    elif kind == 3:  # a factor common to all edges, and equal columns
        probability = np.clip(probability * random.random(n_graphs) * 1.5, 0, 1)
        probability[-1] = probability[0]
    return Family(
        edges=edges.astype(np.int32),
        edge_probability=np.ascontiguousarray(probability),
        min_expected_frequency=float(random.choice([0.02, 0.1, 0.3])),
        max_edges=None if random.random() < 0.7 else int(random.integers(1, 5)),
        n_classes=int(random.integers(1, 5)),
    )


def random_design(random, n_graphs):
    kind = random.choice(["classes", "phenotype", "groups"])
    if kind == "phenotype":
        values, codes = random.normal(size=(n_graphs, 1)), np.arange(n_graphs)
        contrasts = ("slope",)
    else:
        n_labels = 2 if kind == "classes" else 3
        codes = random.permutation(np.arange(n_graphs) % n_labels)
        values = np.array([[0.0], [1.0]]) if kind == "classes" else np.eye(3)
        contrasts = ("b - a",) if kind == "classes" else ("a", "b", "c")
    _, blocks = np.unique(random.integers(0, random.choice([1, 2, 3]), n_graphs), return_inverse=True)
    units = make_units(
        Phenotype(kind, codes, values, contrasts), blocks, [str(b) for b in range(3)], "within"
    )
    n_covariates = int(random.choice([0, 0, 1]))
    if units.n_units - units.n_cells - n_covariates < LEAST_DEGREES_OF_FREEDOM:
        n_covariates = 0
    covariates = random.normal(size=(n_graphs, n_covariates))
    return make_design(Phenotype(kind, codes, values, contrasts), units, covariates)


def random_case(seed):
    random = np.random.default_rng(seed)
    family = random_family(random)
    design = random_design(random, family.edge_probability.shape[1])
    statistic = STATISTICS[seed % 3]
    codes = np.array(
        [design.units.codes, *(_moved(random, design) for _ in range(int(random.integers(1, 30))))]
    )
    alternative = ("two-sided", "greater", "less")[seed // 3 % 3]
    weights = scaled_weights(design.residual_weights(codes), statistic, alternative)
    return family, weights, make_denominator(design, statistic, alternative)


def _moved(random, design):
    codes = design.units.codes.copy()
    for cell in range(design.units.n_cells):
        members = np.flatnonzero(design.units.cells == cell)
        codes[members] = codes[random.permutation(members)]
    return codes


@pytest.mark.parametrize("part", range(4))
def test_maxima_and_lists_are_those_of_the_definition(part):
    listed = 0
    for seed in range(part, N_COHORTS, 4):
        family, weights, denominator = random_case(seed)
        truth = reference_engine.null_maxima(family, weights, denominator)
        problem = TestProblem(family, denominator)
        found = null_maxima(problem, weights)
        np.testing.assert_array_equal(found.n_admitted, truth.n_admitted)
        np.testing.assert_allclose(found.maxima, truth.maxima, rtol=1e-12, atol=1e-13)
        thresholds = found.maxima[0] * np.random.default_rng(seed).choice([0.3, 0.7, 1.0])
        thresholds = np.where(thresholds > 0, thresholds * (1 - 1e-12), np.inf)
        expected = reference_engine.list_subgraphs(family, weights[:1], denominator, thresholds)
        got = list_subgraphs(problem, weights[:1], thresholds)
        # Subgraphs within rounding of the threshold may be in either list.
        clear = np.abs(expected.statistics / thresholds[_classes(family, expected)] - 1) > 1e-11
        assert {g for g, c in zip(expected.subgraphs, clear, strict=True) if c} <= set(got.subgraphs)
        values = dict(zip(expected.subgraphs, expected.statistics, strict=True))
        for subgraph, value in zip(got.subgraphs, got.statistics, strict=True):
            assert value == pytest.approx(
                values.get(subgraph, thresholds[_class(family, subgraph)]), rel=1e-11
            )
        assert got.subgraphs == sorted(got.subgraphs, key=lambda g: (len(g), g))
        listed += len(got.subgraphs)
    assert listed > N_COHORTS / 4


def _class(family, subgraph):
    return family.size_class(len(subgraph))


def _classes(family, listed):
    return np.array([_class(family, g) for g in listed.subgraphs], dtype=int)


def test_threads_and_ranges_give_identical_results():
    for seed in range(N_COHORTS // 2):
        family, weights, denominator = random_case(seed)
        problem, threads = (TestProblem(family, denominator, n_jobs) for n_jobs in (1, 3))
        found = null_maxima(problem, weights)
        assert null_maxima(threads, weights).maxima.tobytes() == found.maxima.tobytes()
        half = len(weights) // 2
        parts = [null_maxima(problem, part).maxima for part in (weights[:half], weights[half:]) if len(part)]
        assert np.concatenate(parts).tobytes() == found.maxima.tobytes()
        thresholds = np.where(found.maxima[0] > 0, found.maxima[0] * 0.5, np.inf)
        lists = [list_subgraphs(one, weights[:1], thresholds) for one in (problem, threads)]
        assert (
            len({(str(one.subgraphs), one.statistics.tobytes(), one.contrasts.tobytes()) for one in lists})
            == 1
        )


def test_excluded_subgraphs_are_counted_but_not_among_the_maxima():
    for seed in range(N_COHORTS // 4):
        family, weights, denominator = random_case(seed)
        problem = TestProblem(family, denominator)
        most = null_maxima(problem, weights).maxima[0]
        thresholds = np.where(most > 0, most * 0.8, np.inf)
        best = list_subgraphs(problem, weights[:1], thresholds).subgraphs
        truth = reference_engine.null_maxima(family, weights, denominator, best)
        found = null_maxima(problem, weights, best)
        np.testing.assert_array_equal(found.n_admitted, truth.n_admitted)
        np.testing.assert_allclose(found.maxima, truth.maxima, rtol=1e-12, atol=1e-13)
