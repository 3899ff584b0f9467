"""Replication against its definition on small cohorts: alignment, directions, step-down maxima, parts."""

import itertools

import definition
import numpy as np
import pytest
from refusals import refusal
from scipy.special import stdtrit
from scipy.stats import binom, ttest_ind
from small_cases import design_settings, random_case

import dugraph as dg
from dugraph import InputError, UncertainGraphs, find_and_replicate, replicate, significant_subgraphs
from dugraph.data import LabelledGraphs
from dugraph.significance.design import phenotype_of
from dugraph.significance.replication import holdout_mask
from dugraph.significance.statistics import step_down_p_values

KINDS = ("classes", "phenotype", "groups")
STATISTICS = ("z", "difference", "t")
FIRST = {"alpha": 0.95, "size_classes": 1, "n_permutations": 19, "min_expected_frequency": 0.01}


def step_down(table):
    """Westfall and Young's procedure, hypothesis by hypothesis; row 0 is observed."""
    left, p_values, floor = list(range(table.shape[1])), {}, 0.0
    while left:
        best = max(left, key=lambda k: (table[0, k], -k))
        least = table[0, best] - 1e-9 * abs(table[0, best])
        floor = max(floor, float(np.mean([row[left].max() >= least for row in table])))
        p_values[best] = floor
        left.remove(best)
    return [p_values[k] for k in range(table.shape[1])]


def signed_table(case, result, statistic):
    """Statistics in the direction found under all permutations, by the definition of one-sided tests."""
    permutations = definition.distinct_permutations(case)
    table = np.empty((len(permutations), len(result)))
    groups = sorted(set(case.y.tolist()))
    for k, g in enumerate(result.subgraphs):
        only = groups.index(result.contrasts[k].split()[0]) if len(groups) > 2 and groups[0] == "a" else 0
        for r, labels in enumerate(permutations):
            up, down = (
                definition.statistics_table(case, [g], [labels], statistic, way, only)[0, 0]
                for way in ("greater", "less")
            )
            table[r, k] = np.sign(result.effects[k]) * (up - down)
    return table


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("kind", KINDS)
def test_p_values_are_those_of_step_down_maxima_over_all_permutations(kind, statistic):
    random = np.random.default_rng([5, KINDS.index(kind), STATISTICS.index(statistic)])
    done = 0
    while done < 3:
        first, second = (random_case(random, kind, 7, n_blocks=2) for _ in range(2))
        X = random.random((7, len(first.edges)))
        second = definition.Case(X, first.edges, second.y, second.blocks, second.covariates)
        if set(first.y.tolist()) != set(second.y.tolist()) and kind != "phenotype":
            continue
        words = {"statistic": statistic, "subgraphs": "all", "alpha": 0.9, "n_permutations": 10_000}
        try:
            result = significant_subgraphs(first.X, first.y, **FIRST, **design_settings(first))
            found = replicate(result, second.X, second.y, **words, **design_settings(second))
        except InputError:
            continue
        table = signed_table(second, result, statistic)
        assert found.exact
        assert found.n_permutations == len(table)
        np.testing.assert_allclose(found.statistics, table[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.p_values, step_down(table), rtol=1e-12)
        np.testing.assert_array_equal(found.conjunction_p_values, np.maximum(result.p_values, found.p_values))
        assert found.replicated.tolist() == (found.p_values <= 0.9 + 1e-9).tolist()
        done += 1


def test_step_down_is_the_procedure_by_hand():
    random = np.random.default_rng(1)
    for _ in range(50):
        table = np.round(random.normal(size=(20, 6)), 1)
        np.testing.assert_allclose(step_down_p_values(table), step_down(table))


def planted(n, seed):
    """Six regions; edges 0 to 2 are more probable in patients."""
    random = np.random.default_rng(seed)
    X, y = random.random((n, 15)), np.array(["control", "patient"])[np.arange(n) % 2]
    X[:, :3] = np.where(y[:, None] == "patient", 1 - X[:, :3] * 0.4, X[:, :3] * 0.6)
    return UncertainGraphs(X, node_labels=list("ABCDEF")), y


GRAPHS, Y = planted(60, 0)
OTHER, OTHER_Y = planted(40, 1)


@pytest.fixture(scope="module")
def result():
    return significant_subgraphs(GRAPHS, Y)


def test_regions_and_edges_are_matched_by_name_in_any_order(result):
    plain = replicate(result, OTHER, OTHER_Y)
    nodes, columns = np.random.default_rng(2).permutation(6), np.random.default_rng(3).permutation(15)
    moved = UncertainGraphs(
        OTHER.edge_probability[:, columns],
        np.argsort(nodes)[OTHER.edges[columns]],
        node_labels=[OTHER.node_labels[node] for node in nodes],
    )
    again = replicate(result, moved, OTHER_Y)
    irreducible = [n for n, k in zip(result.names, result.irreducible, strict=True) if k]
    assert again.names == plain.names == irreducible
    np.testing.assert_allclose(again.effects, plain.effects, rtol=1e-12)
    np.testing.assert_allclose(again.statistics, plain.statistics, rtol=1e-9)
    for k, g in enumerate(plain.subgraphs):
        x = OTHER.edge_probability[:, list(g)].prod(axis=1)
        wanted = x[OTHER_Y == "patient"].mean() - x[OTHER_Y == "control"].mean()
        assert plain.effects[k] == pytest.approx(wanted, abs=1e-12)
        assert plain.effect_intervals[k, 0] < wanted < plain.effect_intervals[k, 1]
    assert plain.replicated.all()
    # An edge that the second cohort does not list is absent there.
    without = UncertainGraphs(OTHER.edge_probability[:, 1:], OTHER.edges[1:], node_labels=OTHER.node_labels)
    found = replicate(significant_subgraphs(GRAPHS, Y, max_edges=1), without, OTHER_Y)
    missing = found.subgraphs.index((0,))
    assert found.effects[missing] == 0
    assert not found.replicated[missing]
    assert found.replicated.sum() == len(found) - 1 > 0


def test_the_positive_class_is_that_of_the_first_cohort():
    result = significant_subgraphs(dg.LabelledGraphs(GRAPHS, Y, "control"))
    assert (result.effects < 0).all()
    found = replicate(result, OTHER, OTHER_Y)
    assert found.contrasts[0] == "control against patient"
    assert (found.effects < 0).all()
    assert found.replicated.all()
    halves = find_and_replicate(dg.LabelledGraphs(GRAPHS, Y, "control"), max_edges=1)
    assert set(halves.contrasts) == {"control against patient"}
    opposite = replicate(result, OTHER, np.where(OTHER_Y == "patient", "control", "patient"))
    assert not opposite.replicated.any()
    assert (opposite.p_values == 1).all()


NOTHING = significant_subgraphs(GRAPHS, np.random.default_rng(0).permutation(Y))
RENAMED = UncertainGraphs(GRAPHS.edge_probability, node_labels=["A", "b", *"CDEF"])
SECOND = "y must be labels like those of the result, {}. Name classes and groups as in the first cohort."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"result": NOTHING},
            "The result must have a significant subgraph: there is nothing to replicate.",
        ),
        (
            {"X": RENAMED},
            "The second cohort must have every region of the subgraphs, but B cannot be found by name. Name "
            "regions and layers as in the first cohort, or choose subgraphs without it.",
        ),
        (
            {"y": np.where(Y == "patient", "ill", "well")},
            SECOND.format("patient against control, but the second cohort has well against ill"),
        ),
        ({"y": np.arange(60)}, SECOND.format("classes, but the second cohort has phenotype")),
        ({"y": None}, "y must have one label per graph, but y is missing. Give y, or a LabelledGraphs as X."),
        (
            {"subgraphs": [(14,)]},
            "subgraphs must be significant subgraphs of the result, but [14] is not one. Choose from "
            "result.subgraphs.",
        ),
    ],
)
def test_refusals(result, words, message):
    assert refusal(replicate, **{"result": result, "X": GRAPHS, "y": Y, **words}) == message


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (np.zeros(60, dtype=bool), "holdout must leave graphs in both parts, but marks none"),
        (1.5, "holdout must be a share above 0 and below 1"),
        ("age > 3", r"^holdout must name columns .* 'age' is not one of site"),
    ],
)
def test_wrong_holdouts_are_refused(holdout, message):
    sites = {"site": np.array(["Oslo", "Lyon"])[np.arange(60) // 30]}
    with pytest.raises(InputError, match=message):
        find_and_replicate(UncertainGraphs(GRAPHS.edge_probability, participants=sites), Y, holdout=holdout)


def test_a_holdout_is_the_same_as_two_cohorts():
    graphs, y = planted(80, 4)
    site = np.array(["A", "B"])[np.arange(80) // 40]
    mask = site == "B"
    graphs = UncertainGraphs(
        graphs.edge_probability, node_labels=graphs.node_labels, participants={"site": site}
    )
    first = significant_subgraphs(graphs[~mask], y[~mask], max_edges=2, random_state=3)
    second = replicate(first, graphs[mask], y[mask], random_state=3)
    for holdout in (mask, "site == 'B'"):
        found = find_and_replicate(graphs, y, holdout=holdout, max_edges=2, random_state=3)
        assert found.discovery.subgraphs == first.subgraphs
        assert found.p_values.tolist() == second.p_values.tolist()
        assert found.effects.tolist() == second.effects.tolist()
        assert found.holdout.tolist() == mask.tolist()
    blocked = find_and_replicate(graphs, y, holdout=0.5, blocks=site, covariates=np.arange(80.0), max_edges=1)
    assert blocked.n_blocks == 2
    nothing = find_and_replicate(graphs, np.random.default_rng(1).permutation(y), max_edges=1)
    assert len(nothing) == 0
    assert nothing.message.startswith("The first part has no significant subgraph, so nothing was tested in ")
    assert "0 of 0 subgraphs are confirmed at 0.05" in repr(nothing)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_share_is_taken_of_every_block_and_class(share):
    graphs, y = planted(90, 5)
    site = np.repeat([0, 1, 2], 30)
    phenotype = phenotype_of(LabelledGraphs.of_any(graphs, y, numbers="phenotype"))
    mask, same, other = (holdout_mask(share, phenotype, site, "within", seed) for seed in (7, 7, 8))
    for block, label in itertools.product(range(3), ("patient", "control")):
        inside = (site == block) & (y == label)
        assert abs(mask[inside].sum() - share * inside.sum()) < 1
    assert mask.tolist() == same.tolist() != other.tolist()
    for permute in ("within", "whole"):
        together = holdout_mask(share, phenotype, np.arange(90) // 2, permute, 7)
        assert (together[::2] == together[1::2]).all()
        assert abs(together.sum() - share * 90) < 2


def test_null_second_cohorts_confirm_nothing(result):
    """The family-wise error, by a bound that a valid test breaks once in a million runs."""
    assert len(result) > 3
    false = 0
    for seed in range(200):
        other, _ = planted(24, seed + 100)
        labels = np.random.default_rng([seed, 9]).permutation(np.repeat(["control", "patient"], 12))
        found = replicate(result, other, labels, subgraphs="all", n_permutations=99, random_state=seed)
        false += bool(found.replicated.any())
    assert false <= binom.isf(1e-6, 200, 0.05)


def test_views_escape_names():
    named = UncertainGraphs(GRAPHS.edge_probability, node_labels=["<b>", "B\n", *"CDEF"])
    found = find_and_replicate(named, Y)
    assert "&lt;b&gt;--" in found._repr_html_()
    assert "<b>-" not in found._repr_html_()
    assert repr(found).endswith(found.message)
    assert found.to_frame()["effect"].tolist() == found.effects.tolist()


def test_effects_within_blocks_are_those_of_each_block_alone(result):
    """Without covariates their standard errors are Welch's."""
    graphs, y = planted(90, 5)
    site, ill = np.array(["a", "b", "c"])[np.arange(90) // 40], y == "patient"
    found = replicate(result, graphs, y, blocks=site)
    assert found.block_names == ["a", "b", "c"]
    assert found.block_sizes.tolist() == [40, 40, 10]
    for k, g in enumerate(found.subgraphs):
        x = graphs.edge_probability[:, g].prod(axis=1)
        for b, name in enumerate(found.block_names):
            sides = x[ill & (site == name)], x[~ill & (site == name)]
            welch = ttest_ind(*sides, equal_var=False)
            effect = sides[0].mean() - sides[1].mean()
            half = stdtrit(len(sides[0]) + len(sides[1]) - 2, 0.975) * effect / welch.statistic
            assert found.block_effects[k, b] == pytest.approx(effect)
            assert found.block_intervals[k, b] == pytest.approx([effect - half, effect + half])


def test_effects_within_blocks_are_adjusted_for_covariates(result):
    graphs, y = planted(80, 6)
    age = np.random.default_rng(1).normal(size=80) + (y == "patient")
    site = np.arange(80) // 2 % 2
    found = replicate(result, graphs, y, blocks=site, covariates=age)
    x = graphs.edge_probability[:, found.subgraphs[0]].prod(axis=1)
    for b in range(2):
        Z = np.column_stack([y == "patient", np.ones(80), age])[site == b].astype(float)
        # HC2 by its definition
        inverse = np.linalg.inv(Z.T @ Z)
        coefficients = inverse @ Z.T @ x[site == b]
        residual, leverage = x[site == b] - Z @ coefficients, np.einsum("ij,jk,ik->i", Z, inverse, Z)
        covariance = inverse @ (Z.T * (residual**2 / (1 - leverage))) @ Z @ inverse
        half = stdtrit(len(Z) - 3, 0.975) * np.sqrt(covariance[0, 0])
        slope = coefficients[0]
        assert found.block_effects[0, b] == pytest.approx(slope)
        assert found.block_intervals[0, b] == pytest.approx([slope - half, slope + half])


def test_small_blocks_and_blocks_of_one_class_have_no_effect_of_their_own(result):
    graphs, y = planted(60, 7)
    site = np.array(["big"] * 40 + ["tiny"] * 4 + ["well"] * 16)
    y = np.where(site == "well", "control", y)
    assert replicate(result, graphs, y, blocks=site).block_names == ["big"]
    assert replicate(result, graphs, y).block_names == []
