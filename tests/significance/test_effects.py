"""Effects against closed forms and least squares; intervals against a bootstrap written a second time."""

import numpy as np
import pytest
from definition import presence
from small_cases import asked, random_case

from dugraph import significant_subgraphs
from dugraph.data import check_cohort
from dugraph.significance.design import make_setup
from dugraph.significance.effects import effect_intervals, effects


def setup_of(case):
    limits = {"min_expected_frequency": 0.0, "max_edges": 2, "n_classes": 1}
    covariates = case.covariates if case.covariates.shape[1] else None
    cohort = check_cohort(case.X, case.edges)
    return make_setup(cohort, case.y, case.blocks, covariates, case.permute, **limits)


def test_without_blocks_the_effect_is_the_difference_in_expected_frequency():
    case = random_case(np.random.default_rng(2), "classes", 15)
    result = significant_subgraphs(case.X, case.y, edges=case.edges, alpha=0.99, size_classes=1)
    assert len(result) > 0
    for subgraph, effect in zip(result.subgraphs, result.effects, strict=True):
        x = presence(case, subgraph)
        assert effect == pytest.approx(x[case.y == 1].mean() - x[case.y == 0].mean(), abs=1e-12)


@pytest.mark.parametrize("kind", ["classes", "phenotype"])
def test_with_blocks_and_covariates_the_effect_is_the_coefficient_of_y_in_a_regression(kind: str):
    case = random_case(np.random.default_rng(3), kind, 40, n_blocks=3, n_covariates=2)
    result = significant_subgraphs(case.X, case.y, alpha=0.99, size_classes=1, **asked(case))
    assert len(result) > 0
    blocks = (case.blocks[:, None] == np.unique(case.blocks)).astype(float)
    known = np.column_stack([case.y, blocks, case.covariates])
    for subgraph, effect in zip(result.subgraphs, result.effects, strict=True):
        coefficient = np.linalg.lstsq(known, presence(case, subgraph), rcond=None)[0][0]
        assert effect == pytest.approx(coefficient, abs=1e-10)


@pytest.mark.parametrize("n_covariates", [0, 1])
def test_intervals_are_percentiles_of_effects_of_resampled_graphs(n_covariates: int):
    case = random_case(np.random.default_rng(4), "classes", 60, n_blocks=2, n_covariates=n_covariates)
    design = setup_of(case).design
    order = setup_of(case).graphs
    x = presence(case, (0,))[order]
    interval = effect_intervals(x[None], np.array([0]), design, 0, 20_000)[0]
    random = np.random.default_rng(99)
    slopes = []
    for _ in range(4_000):
        rows = np.concatenate(
            [random.choice(rows, len(rows)) for rows in (np.flatnonzero(case.blocks == b) for b in (0, 1))]
        )
        known = np.column_stack([case.y, case.blocks == 0, case.blocks == 1, case.covariates])[rows].astype(
            float
        )
        slopes.append(np.linalg.lstsq(known, presence(case, (0,))[rows], rcond=None)[0][0])
    wanted = np.percentile(slopes, [2.5, 97.5])
    np.testing.assert_allclose(interval, wanted, atol=0.1 * (wanted[1] - wanted[0]))
    assert interval[0] < effects(x[None], np.array([0]), design)[0] < interval[1]


def test_the_critical_effect_of_difference_is_its_critical_value():
    case = random_case(np.random.default_rng(6), "classes", 30)
    result = significant_subgraphs(case.X, case.y, edges=case.edges, statistic="difference", max_edges=2)
    np.testing.assert_allclose(result.critical_effects, result.critical_values, rtol=1e-12)


def test_groups_are_compared_with_the_rest():
    X = np.full((30, 1), 0.2)
    y = np.repeat(["a", "b", "c"], 10)
    X[y == "b"] = 0.9
    X[0] = 0.3
    result = significant_subgraphs(X, y, edges=[[0, 1]])
    assert result.contrasts == ["b against the rest"]
    assert result.effects[0] == pytest.approx(0.9 - X[y != "b"].mean())
