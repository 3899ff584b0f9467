"""The test against its definition: exhaustive families, every permutation, formulas written a second time."""

import os

import definition
import numpy as np
import pytest
from small_cases import design_settings, random_case, setup_of

from dugraph import InputError, significant_subgraphs
from dugraph.significance.permutations import Permutations

KINDS = ("classes", "phenotype", "groups")
STATISTICS = ("z", "difference", "t")
ALTERNATIVES = ("two-sided", "greater", "less")
N_TRIALS = 90 if os.environ.get("DUGRAPH_SOAK") else 9
# Sizes at which going through every permutation stays quick, and larger ones for random permutations.
ALL = {"one block": (6, {}), "blocks": (9, {"n_blocks": 3}), "whole blocks": (9, {"whole": True})}
SOME = {
    "one block": (17, {}),
    "covariates": (16, {"n_covariates": 2}),
    "blocks and covariates": (24, {"n_blocks": 2, "n_covariates": 1}),
    "whole with covariates": (30, {"n_covariates": 1, "whole": True}),
}


def assert_is_the_test(case, result, permutations):
    """Maxima, list, p-values and statistics are those of the definition; permutations in any order."""
    asked = result.parameters
    subgraphs = definition.family(case, asked["min_expected_frequency"], asked["max_edges"])
    how = asked["statistic"], asked["alternative"]
    table = definition.statistics_table(case, subgraphs, permutations, *how)
    n_classes = len(result.size_classes)
    assert result.n_admitted.sum() == len(subgraphs)
    maxima = definition.size_maxima(subgraphs, table, n_classes)
    np.testing.assert_allclose(result.null_maxima[0], maxima[0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        np.sort(result.null_maxima, axis=0), np.sort(maxima, axis=0), rtol=1e-11, atol=1e-12
    )
    alpha = asked["alpha"]
    p = definition.p_values(subgraphs, table, n_classes, alpha if asked["step_down"] else None)
    wanted = {g: k for k, g in enumerate(subgraphs) if p[k] <= alpha * (1 + 1e-9)}
    assert set(result.subgraphs) == set(wanted)
    rows = [wanted[g] for g in result.subgraphs]
    np.testing.assert_allclose(result.p_values, p[rows], rtol=1e-12)
    np.testing.assert_allclose(result.statistics, table[rows, 0], rtol=1e-12, atol=1e-13)
    assert (np.diff(result.p_values) >= 0).all()


@pytest.mark.parametrize("design", ALL)
@pytest.mark.parametrize("kind", KINDS)
def test_all_permutations_give_the_exact_test(kind, design):
    random = np.random.default_rng([KINDS.index(kind), len(design)])
    n_tested = 0
    for trial in range(N_TRIALS):
        case = random_case(random, kind, ALL[design][0], **ALL[design][1])
        settings = {
            "statistic": STATISTICS[trial % 3],
            "alternative": ALTERNATIVES[(trial + trial // 3) % 3],
            "alpha": float(random.choice([0.2, 0.5, 0.9])),
            "step_down": trial % 4 < 2,
            "size_classes": int(random.integers(1, 5)),
            "min_expected_frequency": float(random.choice([0.0, 0.1, 0.3])),
            "max_edges": None if trial % 2 else 3,
        }
        try:
            result = significant_subgraphs(
                case.X, case.y, n_permutations=100_000, **settings, **design_settings(case)
            )
        except InputError:  # nothing moves, or alpha cannot be reached: tested with the other messages
            continue
        permutations = definition.distinct_permutations(case)
        assert result.exact
        assert result.n_permutations == result.n_distinct_permutations == len(permutations)
        assert_is_the_test(case, result, permutations)
        n_tested += 1
    assert n_tested >= N_TRIALS // 3


@pytest.mark.parametrize("design", SOME)
@pytest.mark.parametrize("kind", KINDS)
def test_random_permutations_agree_with_the_formulas(kind, design):
    random = np.random.default_rng([7, KINDS.index(kind), len(design)])
    for trial in range(N_TRIALS):
        case = random_case(random, kind, SOME[design][0], **SOME[design][1])
        settings = {
            "statistic": STATISTICS[trial % 3],
            "alternative": ALTERNATIVES[trial // 3 % 3],
            "step_down": trial % 2 == 0,
            "alpha": 0.6,
            "size_classes": 2,
            "min_expected_frequency": 0.05,
            "max_edges": 3,
            "n_permutations": 19,
            "random_state": trial,
            **design_settings(case),
        }
        result, again = (significant_subgraphs(case.X, case.y, **settings, n_jobs=n) for n in (1, 3))
        setup = setup_of(case, min_expected_frequency=0.05, max_edges=3, n_classes=2)
        of_graph = setup.design.units.of_graph
        moved, distinct = np.flatnonzero(of_graph >= 0), np.unique(case.y)
        permutations = []
        for codes in Permutations(setup.design, 19, trial).codes(0, 20):
            labels = case.y.copy()
            labels[setup.graphs[moved]] = distinct[codes[of_graph[moved]]]
            assert sorted(labels.tolist()) == sorted(case.y.tolist())
            permutations.append(labels)
        assert (permutations[0] == case.y).all()
        assert_is_the_test(case, result, permutations)
        assert again.null_maxima.tobytes() == result.null_maxima.tobytes()
        assert again.subgraphs == result.subgraphs
        assert again.statistics.tobytes() == result.statistics.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_less_finds_what_greater_finds_with_labels_of_the_opposite_sign(kind):
    case = random_case(np.random.default_rng(21), kind, 20, n_blocks=2, n_covariates=1)
    words = {"alpha": 0.9, "size_classes": 1, "n_permutations": 49, **design_settings(case)}
    two, greater, less = (
        significant_subgraphs(case.X, case.y, alternative=one, **words) for one in ALTERNATIVES
    )
    assert len(two)
    assert (greater.effects > 0).all()
    assert (less.effects < 0).all()
    if kind != "groups":  # with groups, the largest contrast of either sign counts
        both = np.maximum(greater.null_maxima, less.null_maxima)
        assert both.tobytes() == two.null_maxima.tobytes()
    if kind == "phenotype":
        mirrored = significant_subgraphs(case.X, -case.y, alternative="greater", **words)
        np.testing.assert_allclose(mirrored.null_maxima[0], less.null_maxima[0], rtol=1e-12)


def test_two_groups_as_text_are_the_two_classes():
    case = random_case(np.random.default_rng(5), "classes", 14)
    one, other = (
        significant_subgraphs(case.X, y, edges=case.edges, alpha=0.5)
        for y in (case.y, np.where(case.y == 1, "z", "a"))
    )
    assert one.null_maxima.tobytes() == other.null_maxima.tobytes()
    assert one.subgraphs == other.subgraphs


def test_on_certain_graphs_z_is_the_cochran_mantel_haenszel_statistic():
    random = np.random.default_rng(11)
    site, y = np.repeat([0, 1, 2], [10, 14, 7]), random.integers(0, 2, 31)
    x = random.integers(0, 2, (31, 1)) * 1.0
    result = significant_subgraphs(x, y, edges=[[0, 1]], blocks=site, max_edges=1)
    difference, variance = 0.0, 0.0
    for s in range(3):
        table = np.array([[((y == a) & (x[:, 0] == b) & (site == s)).sum() for b in (1, 0)] for a in (1, 0)])
        n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
        difference += table[0, 0] - rows[0] * columns[0] / n
        variance += rows.prod() * columns.prod() / (n**2 * (n - 1))
    assert result.null_maxima[0, 0] == pytest.approx(abs(difference) / np.sqrt(variance), rel=1e-12)
