"""The test against its definition: exhaustive families, every permutation, formulas written a second time."""

import os

import definition
import numpy as np
import pytest
from small_cases import design_settings, random_case

from dugraph import InputError, significant_subgraphs
from dugraph.data import check_cohort
from dugraph.significance.design import make_setup
from dugraph.significance.permutations import Permutations

KINDS = ("classes", "phenotype", "groups")
STATISTICS = ("z", "difference", "t")
ALTERNATIVES = ("two-sided", "greater", "less")
N_TRIALS = 90 if os.environ.get("DUGRAPH_SOAK") else 9
# Sizes at which going through every permutation stays quick.
DESIGNS = {
    "one block": {"n_graphs": 6},
    "blocks": {"n_graphs": 9, "n_blocks": 3},
    "whole blocks": {"n_graphs": 9, "whole": True},
}


def same_list(case, subgraphs, table, result, alpha):
    p = definition.p_values(subgraphs, table, len(result.size_classes))
    wanted = {g: k for k, g in enumerate(subgraphs) if p[k] <= alpha * (1 + 1e-9)}
    assert set(result.subgraphs) == set(wanted)
    rows = [wanted[g] for g in result.subgraphs]
    np.testing.assert_allclose(result.p_values, p[rows], rtol=1e-12)
    np.testing.assert_allclose(result.statistics, table[rows, 0], rtol=1e-12, atol=1e-13)
    assert (np.diff(result.p_values) >= 0).all()


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", KINDS)
def test_all_permutations_give_the_exact_test(kind, design):
    random = np.random.default_rng([KINDS.index(kind), len(design)])
    n_tested = 0
    for trial in range(N_TRIALS):
        case = random_case(random, kind, **DESIGNS[design])
        statistic, alpha = STATISTICS[trial % 3], float(random.choice([0.2, 0.5, 0.9]))
        alternative = ALTERNATIVES[(trial + trial // 3) % 3]
        limit, n_classes = float(random.choice([0.0, 0.1, 0.3])), int(random.integers(1, 5))
        max_edges = None if trial % 2 else 3
        try:
            result = significant_subgraphs(
                case.X,
                case.y,
                statistic=statistic,
                alternative=alternative,
                alpha=alpha,
                size_classes=n_classes,
                min_expected_frequency=limit,
                max_edges=max_edges,
                n_permutations=100_000,
                **design_settings(case),
            )
        except InputError:  # nothing moves, or alpha cannot be reached: tested with the other messages
            continue
        subgraphs = definition.family(case, limit, max_edges)
        permutations = definition.distinct_permutations(case)
        table = definition.statistics_table(case, subgraphs, permutations, statistic, alternative)
        n_classes = len(result.size_classes)
        assert result.exact
        assert result.n_permutations == result.n_distinct_permutations == len(permutations)
        assert result.n_admitted.sum() == len(subgraphs)
        maxima = definition.size_maxima(subgraphs, table, n_classes)
        np.testing.assert_allclose(result.null_maxima[0], maxima[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(
            np.sort(result.null_maxima, axis=0), np.sort(maxima, axis=0), rtol=1e-11, atol=1e-12
        )
        same_list(case, subgraphs, table, result, alpha)
        n_tested += 1
    assert n_tested >= N_TRIALS // 3


@pytest.mark.parametrize(
    "design", ["covariates", "blocks and covariates", "one block", "whole with covariates"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_random_permutations_agree_with_the_formulas(kind, design):
    random = np.random.default_rng([7, KINDS.index(kind), len(design)])
    sizes = {
        "covariates": {"n_graphs": 16, "n_covariates": 2},
        "blocks and covariates": {"n_graphs": 24, "n_blocks": 2, "n_covariates": 1},
        "one block": {"n_graphs": 17},
        "whole with covariates": {"n_graphs": 30, "n_covariates": 1, "whole": True},
    }[design]
    for trial in range(9):
        case = random_case(random, kind, **sizes)
        statistic, alternative = STATISTICS[trial % 3], ALTERNATIVES[trial // 3]
        settings = {"min_expected_frequency": 0.05, "max_edges": 3}
        result = significant_subgraphs(
            case.X,
            case.y,
            statistic=statistic,
            alternative=alternative,
            n_permutations=19,
            alpha=0.6,
            size_classes=2,
            random_state=trial,
            **settings,
            **design_settings(case),
        )
        setup = make_setup(
            check_cohort(case.X, case.edges),
            case.y,
            case.blocks,
            case.covariates if case.covariates.shape[1] else None,
            case.permute,
            n_classes=2,
            **settings,
        )
        distinct = np.unique(case.y)
        permutations = []
        for codes in Permutations(setup.design, 19, trial).codes(0, 20):
            labels = case.y.copy()
            of_graph = setup.design.units.of_graph
            moved = np.flatnonzero(of_graph >= 0)
            labels[setup.graphs[moved]] = distinct[codes[of_graph[moved]]]
            assert sorted(labels.tolist()) == sorted(case.y.tolist())
            permutations.append(labels)
        assert (permutations[0] == case.y).all()
        subgraphs = definition.family(case, 0.05, 3)
        table = definition.statistics_table(case, subgraphs, permutations, statistic, alternative)
        maxima = definition.size_maxima(subgraphs, table, 2)
        np.testing.assert_allclose(result.null_maxima, maxima, rtol=1e-11, atol=1e-12)
        same_list(case, subgraphs, table, result, 0.6)


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
    random = np.random.default_rng(5)
    case = random_case(random, "classes", 14)
    one = significant_subgraphs(case.X, case.y, edges=case.edges, alpha=0.5)
    other = significant_subgraphs(case.X, np.where(case.y == 1, "z", "a"), edges=case.edges, alpha=0.5)
    assert one.null_maxima.tobytes() == other.null_maxima.tobytes()
    assert one.subgraphs == other.subgraphs


def test_on_certain_graphs_z_is_the_cochran_mantel_haenszel_statistic():
    random = np.random.default_rng(11)
    site = np.repeat([0, 1, 2], [10, 14, 7])
    y = random.integers(0, 2, 31)
    x = random.integers(0, 2, (31, 1)) * 1.0
    result = significant_subgraphs(x, y, edges=[[0, 1]], blocks=site, max_edges=1)
    difference, variance = 0.0, 0.0
    for s in range(3):
        table = np.array([[((y == a) & (x[:, 0] == b) & (site == s)).sum() for b in (1, 0)] for a in (1, 0)])
        n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
        difference += table[0, 0] - rows[0] * columns[0] / n
        variance += rows.prod() * columns.prod() / (n**2 * (n - 1))
    assert result.null_maxima[0, 0] == pytest.approx(abs(difference) / np.sqrt(variance), rel=1e-12)
