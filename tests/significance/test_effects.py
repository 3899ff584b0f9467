"""Effects against closed forms and least squares; intervals against a bootstrap written a second time."""

import numpy as np
import pytest
import scipy.stats
from definition import presence
from small_cases import design_settings, random_case, setup_of

from dugraph import significant_subgraphs
from dugraph.significance.statistics import conditional_intervals, effect_errors, effect_intervals, effects


def known_columns(case):
    """The label, an indicator of each block, and the covariates."""
    blocks = (case.blocks[:, None] == np.unique(case.blocks)).astype(float)
    return np.column_stack([case.y, blocks, case.covariates])


def test_without_blocks_the_effect_is_the_difference_in_expected_frequency():
    case = random_case(np.random.default_rng(2), "classes", 15)
    result = significant_subgraphs(case.X, case.y, edges=case.edges, alpha=0.99, size_classes=1)
    assert len(result) > 0
    for subgraph, effect in zip(result.subgraphs, result.effects, strict=True):
        x = presence(case, subgraph)
        assert effect == pytest.approx(x[case.y == 1].mean() - x[case.y == 0].mean(), abs=1e-12)


@pytest.mark.parametrize("kind", ["classes", "phenotype"])
def test_with_blocks_and_covariates_effects_are_those_of_a_regression(kind):
    """Effects are coefficients of y; partial correlations are those of residuals; errors are HC2."""
    case = random_case(np.random.default_rng(3), kind, 40, n_blocks=3, n_covariates=2)
    result = significant_subgraphs(case.X, case.y, alpha=0.99, size_classes=1, **design_settings(case))
    assert len(result) > 0
    known = known_columns(case)
    for k, subgraph in enumerate(result.subgraphs):
        x = presence(case, subgraph)
        assert result.effects[k] == pytest.approx(np.linalg.lstsq(known, x, rcond=None)[0][0], abs=1e-10)
        both = np.column_stack([x, case.y])
        left = both - known[:, 1:] @ np.linalg.lstsq(known[:, 1:], both, rcond=None)[0]
        assert result.partial_correlations[k] == pytest.approx(np.corrcoef(left.T)[0, 1], abs=1e-9)
    x, setup = presence(case, (0,)), setup_of(case)
    error = effect_errors(x[None, setup.graphs], np.array([0]), setup.design)[0]
    inverse = np.linalg.inv(known.T @ known)
    residual = x - known @ inverse @ known.T @ x
    leverage = np.diag(known @ inverse @ known.T)
    meat = (known * (residual**2 / (1 - leverage))[:, None]).T @ known
    assert error == pytest.approx(np.sqrt((inverse @ meat @ inverse)[0, 0]), rel=1e-9)


@pytest.mark.parametrize("n_covariates", [0, 1])
def test_intervals_are_percentiles_of_effects_of_resampled_graphs(n_covariates):
    case = random_case(np.random.default_rng(4), "classes", 60, n_blocks=2, n_covariates=n_covariates)
    setup = setup_of(case)
    x = presence(case, (0,))[setup.graphs]
    interval = effect_intervals(x[None], np.array([0]), setup.design, 0, 20_000)[0]
    random, slopes = np.random.default_rng(99), []
    members = [np.flatnonzero(case.blocks == b) for b in (0, 1)]
    for _ in range(4_000):
        rows = np.concatenate([random.choice(inside, len(inside)) for inside in members])
        slopes.append(
            np.linalg.lstsq(known_columns(case)[rows], presence(case, (0,))[rows], rcond=None)[0][0]
        )
    wanted = np.percentile(slopes, [2.5, 97.5])
    np.testing.assert_allclose(interval, wanted, atol=0.1 * (wanted[1] - wanted[0]))
    assert interval[0] < effects(x[None], np.array([0]), setup.design)[0] < interval[1]


def test_the_critical_effect_of_difference_is_its_critical_value():
    case = random_case(np.random.default_rng(6), "classes", 30)
    result = significant_subgraphs(case.X, case.y, edges=case.edges, statistic="difference", max_edges=2)
    np.testing.assert_allclose(result.critical_effects, result.critical_values, rtol=1e-12)


def test_groups_are_compared_with_the_rest():
    X, y = np.full((30, 1), 0.2), np.repeat(["a", "b", "c"], 10)
    X[y == "b"] = 0.9
    X[0] = 0.3
    result = significant_subgraphs(X, y, edges=[[0, 1]])
    assert result.contrasts == ["b against the rest"]
    assert result.effects[0] == pytest.approx(0.9 - X[y != "b"].mean())


def test_without_blocks_standard_errors_are_those_of_welch():
    case = random_case(np.random.default_rng(12), "classes", 25)
    setup = setup_of(case)
    x = np.array([presence(case, (e,)) for e in range(len(case.edges))])
    errors = effect_errors(x[:, setup.graphs], np.zeros(len(x), dtype=int), setup.design)
    parts = [x[:, case.y == c].var(axis=1, ddof=1) / (case.y == c).sum() for c in (0, 1)]
    np.testing.assert_allclose(errors, np.sqrt(sum(parts)), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("true_effect", [-0.1, 0.0, 0.3])
def test_conditional_intervals_cover_what_was_selected(one_sided, true_effect):
    """Normal estimates, selected beyond a limit: 95 % of the intervals of the selected ones cover."""
    estimates = true_effect + 0.15 * np.random.default_rng(7).normal(size=60_000)
    listed = estimates if one_sided else np.abs(estimates)
    chosen = estimates[listed > 0.25]
    same = np.full(len(chosen), 0.15), np.full(len(chosen), 0.25)
    low, high = conditional_intervals(chosen, *same, one_sided).T
    assert len(chosen) > 400
    assert np.mean((low <= true_effect) & (true_effect <= high)) == pytest.approx(0.95, abs=0.035)
    assert (low <= high).all()


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_intervals_of_a_test_are_conditional_on_the_critical_value_of_the_size(alternative):
    random = np.random.default_rng(2)
    X, y = random.random((40, 3)), np.arange(40) % 2
    X[y == 1] *= 0.6
    words = {"statistic": "difference", "alternative": alternative, "size_classes": 2, "alpha": 0.5}
    result = significant_subgraphs(X, y, **words)
    assert {1, 2} <= set(result.sizes.tolist())
    for k, subgraph in enumerate(result.subgraphs):
        x = X[:, list(subgraph)].prod(axis=1)
        error = np.sqrt(sum(x[y == c].var(ddof=1) / (y == c).sum() for c in (0, 1)))
        least, size = result.critical_values[min(len(subgraph), 2) - 1], -result.effects[k]
        assert size > least
        for mean, share in zip(-result.effect_intervals[k], (0.025, 0.975), strict=True):
            law = scipy.stats.norm(mean, error)
            other_side = law.cdf(-least) if alternative == "two-sided" else 0.0
            below = 1 - law.sf(size) / (law.sf(least) + other_side)
            assert below == pytest.approx(share, abs=1e-6)
