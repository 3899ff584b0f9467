"""Replication against its definition on small cohorts: alignment, directions, step-down maxima, parts."""

import itertools

import definition
import numpy as np
import pytest
from definition import Case
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


def first_result(case, **words):
    words = {"alpha": 0.95, "size_classes": 1, "n_permutations": 19, "min_expected_frequency": 0.01, **words}
    return significant_subgraphs(case.X, case.y, **words, **design_settings(case))


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
    for k, g in enumerate(result.subgraphs):
        sign, groups = np.sign(result.effects[k]), sorted(set(case.y.tolist()))
        only = groups.index(result.contrasts[k].split()[0]) if len(groups) > 2 and groups[0] == "a" else 0
        for r, labels in enumerate(permutations):
            up, down = (
                definition.statistics_table(case, [g], [labels], statistic, way, only)[0, 0]
                for way in ("greater", "less")
            )
            table[r, k] = sign * (up - down)
    return table


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("kind", KINDS)
def test_p_values_are_those_of_step_down_maxima_over_all_permutations(kind, statistic):
    random = np.random.default_rng([5, KINDS.index(kind), STATISTICS.index(statistic)])
    done = 0
    while done < 3:
        first, second = (random_case(random, kind, 7, n_blocks=2) for _ in range(2))
        second = Case(
            random.random((7, len(first.edges))), first.edges, second.y, second.blocks, second.covariates
        )
        if set(first.y.tolist()) != set(second.y.tolist()) and kind != "phenotype":
            continue
        try:
            result = first_result(first)
            found = replicate(
                result,
                second.X,
                second.y,
                statistic=statistic,
                subgraphs="all",
                alpha=0.9,
                n_permutations=10_000,
                **{k: v for k, v in design_settings(second).items() if v is not None},
            )
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


def test_step_down_is_the_procedure_by_hand_and_never_less_powerful_than_one_step():
    random = np.random.default_rng(1)
    for _ in range(50):
        table = np.round(random.normal(size=(20, 6)), 1)
        p = step_down_p_values(table)
        np.testing.assert_allclose(p, step_down(table))
        single = (table.max(axis=1)[:, None] >= table[0] - 1e-9 * np.abs(table[0])).mean(axis=0)
        assert (p <= single).all()


def planted(n, seed):
    """Six regions; edges 0 to 2 are more probable in patients."""
    random = np.random.default_rng(seed)
    X, y = random.random((n, 15)), np.array(["control", "patient"])[np.arange(n) % 2]
    X[:, :3] = np.where(y[:, None] == "patient", 1 - X[:, :3] * 0.4, X[:, :3] * 0.6)
    return UncertainGraphs(X, node_labels=list("ABCDEF")), y


def test_regions_and_edges_are_matched_by_name_in_any_order():
    graphs, y = planted(60, 0)
    result = significant_subgraphs(graphs, y)
    other, other_y = planted(40, 1)
    plain = replicate(result, other, other_y)
    nodes = np.random.default_rng(2).permutation(6)
    columns = np.random.default_rng(3).permutation(15)
    moved = UncertainGraphs(
        other.edge_probability[:, columns],
        np.argsort(nodes)[other.edges[columns]],
        node_labels=[other.node_labels[node] for node in nodes],
    )
    again = replicate(result, moved, other_y)
    assert (
        again.names == plain.names == [n for n, k in zip(result.names, result.irreducible, strict=True) if k]
    )
    np.testing.assert_allclose(again.effects, plain.effects, rtol=1e-12)
    np.testing.assert_allclose(again.statistics, plain.statistics, rtol=1e-9)
    for k, g in enumerate(plain.subgraphs):
        x = other.edge_probability[:, list(g)].prod(axis=1)
        wanted = x[other_y == "patient"].mean() - x[other_y == "control"].mean()
        assert plain.effects[k] == pytest.approx(wanted, abs=1e-12)
        assert plain.effect_intervals[k, 0] < wanted < plain.effect_intervals[k, 1]
    assert plain.replicated.all()


def test_an_edge_that_the_second_cohort_does_not_list_is_absent_there():
    graphs, y = planted(60, 0)
    result = significant_subgraphs(graphs, y, max_edges=1)
    other, other_y = planted(40, 1)
    without = UncertainGraphs(other.edge_probability[:, 1:], other.edges[1:], node_labels=other.node_labels)
    found = replicate(result, without, other_y)
    missing = found.subgraphs.index((0,))
    assert found.effects[missing] == 0
    assert not found.replicated[missing]
    assert found.replicated.sum() == len(found) - 1 > 0


def test_the_positive_class_is_that_of_the_first_cohort():
    graphs, y = planted(60, 0)
    other, other_y = planted(40, 1)
    result = significant_subgraphs(dg.LabelledGraphs(graphs, y, "control"))
    assert (result.effects < 0).all()
    found = replicate(result, other, other_y)
    assert found.contrasts[0] == "control against patient"
    assert (found.effects < 0).all()
    assert found.replicated.all()
    halves = find_and_replicate(dg.LabelledGraphs(graphs, y, "control"), max_edges=1)
    assert set(halves.contrasts) == {"control against patient"}
    opposite = replicate(result, other, np.where(other_y == "patient", "control", "patient"))
    assert not opposite.replicated.any()
    assert (opposite.p_values == 1).all()


def test_refusals():
    graphs, y = planted(60, 0)
    result = significant_subgraphs(graphs, y)
    nothing = significant_subgraphs(graphs, np.random.default_rng(0).permutation(y))
    renamed = UncertainGraphs(graphs.edge_probability, node_labels=["A", "b", *"CDEF"])
    for words, message in (
        ((nothing, graphs, y), "The result must have a significant subgraph: there is nothing to replicate."),
        (
            (result, renamed, y),
            "The second cohort must have every region of the subgraphs, but B cannot be found by name. Name "
            "regions and layers as in the first cohort, or choose subgraphs without it.",
        ),
        (
            (result, graphs, np.where(y == "patient", "ill", "well")),
            "y must be labels like those of the result, patient against control, but the second cohort has "
            "well against ill. Name classes and groups as in the first cohort.",
        ),
        (
            (result, graphs, np.arange(60)),
            "y must be labels like those of the result, classes, but the second cohort has phenotype. Name "
            "classes and groups as in the first cohort.",
        ),
        (
            (result, graphs),
            "y must have one label per graph, but y is missing. Give y, or a LabelledGraphs as X.",
        ),
    ):
        assert refusal(replicate, *words) == message
    with pytest.raises(
        InputError, match=r"subgraphs must be significant subgraphs of the result, but \[14\]"
    ):
        replicate(result, graphs, y, subgraphs=[(14,)])
    with pytest.raises(InputError, match="holdout must leave graphs in both parts, but marks none"):
        find_and_replicate(graphs, y, holdout=np.zeros(60, dtype=bool))
    with pytest.raises(InputError, match="holdout must be a share above 0 and below 1"):
        find_and_replicate(graphs, y, holdout=1.5)


def test_a_holdout_is_the_same_as_two_cohorts():
    graphs, y = planted(80, 4)
    site = np.array(["A", "B"])[np.arange(80) // 40]
    mask = site == "B"
    found = find_and_replicate(graphs, y, holdout=mask, max_edges=2, random_state=3)
    first = significant_subgraphs(graphs[~mask], y[~mask], max_edges=2, random_state=3)
    second = replicate(first, graphs[mask], y[mask], random_state=3)
    assert found.discovery.subgraphs == first.subgraphs
    assert found.p_values.tolist() == second.p_values.tolist()
    assert found.effects.tolist() == second.effects.tolist()
    assert found.holdout.tolist() == mask.tolist()
    blocked = find_and_replicate(graphs, y, holdout=0.5, blocks=site, covariates=np.arange(80.0), max_edges=1)
    assert blocked.n_blocks == 2
    nothing = find_and_replicate(graphs, np.random.default_rng(1).permutation(y), max_edges=1)
    assert len(nothing) == 0
    assert nothing.message.startswith("The first part has no significant subgraph, so nothing was tested in ")
    assert "0 of 0 subgraphs replicated" in repr(nothing)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_share_is_taken_of_every_block_and_class(share):
    graphs, y = planted(90, 5)
    site = np.repeat([0, 1, 2], 30)
    phenotype = phenotype_of(LabelledGraphs.of_phenotype(graphs, y))
    mask = holdout_mask(share, phenotype, site, "within", 7)
    for block, label in itertools.product(range(3), ("patient", "control")):
        inside = (site == block) & (y == label)
        assert abs(mask[inside].sum() - share * inside.sum()) < 1
    assert mask.tolist() == holdout_mask(share, phenotype, site, "within", 7).tolist()
    assert mask.tolist() != holdout_mask(share, phenotype, site, "within", 8).tolist()
    pairs = np.arange(90) // 2
    for permute in ("within", "whole"):
        together = holdout_mask(share, phenotype, pairs, permute, 7)
        assert (together[::2] == together[1::2]).all()
        assert abs(together.sum() - share * 90) < 2


def test_null_second_cohorts_confirm_nothing():
    """The family-wise error, by a bound that a valid test breaks once in a million runs."""
    graphs, y = planted(60, 0)
    result = significant_subgraphs(graphs, y)
    assert len(result) > 3
    false = 0
    for seed in range(200):
        other, _ = planted(24, seed + 100)
        labels = np.random.default_rng([seed, 9]).permutation(np.repeat(["control", "patient"], 12))
        found = replicate(result, other, labels, subgraphs="all", n_permutations=99, random_state=seed)
        false += bool(found.replicated.any())
    assert false <= binom.isf(1e-6, 200, 0.05)


def test_views_escape_names():
    graphs, y = planted(60, 0)
    named = UncertainGraphs(graphs.edge_probability, node_labels=["<b>", "B\n", *"CDEF"])
    found = find_and_replicate(named, y)
    assert "&lt;b&gt;--" in found._repr_html_()
    assert "<b>-" not in found._repr_html_()
    assert repr(found).endswith(found.message)
    frame = found.to_frame()
    assert frame["effect"].tolist() == found.effects.tolist()


def test_effects_within_blocks_are_those_of_each_block_alone():
    """Without covariates their standard errors are Welch's."""
    graphs, y = planted(90, 5)
    site = np.array(["a", "b", "c"])[np.arange(90) // 40]
    result = significant_subgraphs(*planted(60, 0))
    found = replicate(result, graphs, y, blocks=site)
    assert found.block_names == ["a", "b", "c"]
    assert found.block_sizes.tolist() == [40, 40, 10]
    ill = y == "patient"
    for k, g in enumerate(found.subgraphs):
        x = graphs.edge_probability[:, g].prod(axis=1)
        for b, name in enumerate(found.block_names):
            sides = x[ill & (site == name)], x[~ill & (site == name)]
            welch = ttest_ind(*sides, equal_var=False)
            effect = sides[0].mean() - sides[1].mean()
            half = stdtrit(len(sides[0]) + len(sides[1]) - 2, 0.975) * effect / welch.statistic
            assert found.block_effects[k, b] == pytest.approx(effect)
            assert found.block_intervals[k, b] == pytest.approx([effect - half, effect + half])


def test_effects_within_blocks_are_adjusted_for_covariates():
    graphs, y = planted(80, 6)
    age = np.random.default_rng(1).normal(size=80) + (y == "patient")
    site = np.arange(80) // 2 % 2
    result = significant_subgraphs(*planted(60, 0))
    found = replicate(result, graphs, y, blocks=site, covariates=age)
    x = graphs.edge_probability[:, found.subgraphs[0]].prod(axis=1)
    for b in range(2):
        inside = site == b
        Z = np.column_stack([y == "patient", np.ones(80), age])[inside].astype(float)
        slope, *_ = np.linalg.lstsq(Z, x[inside], rcond=None)[0]
        assert found.block_effects[0, b] == pytest.approx(slope)
        # HC2 by its definition
        inverse, residual = np.linalg.inv(Z.T @ Z), x[inside] - Z @ np.linalg.solve(Z.T @ Z, Z.T @ x[inside])
        leverage = np.einsum("ij,jk,ik->i", Z, inverse, Z)
        covariance = inverse @ (Z.T * (residual**2 / (1 - leverage))) @ Z @ inverse
        half = stdtrit(len(Z) - 3, 0.975) * np.sqrt(covariance[0, 0])
        assert found.block_intervals[0, b] == pytest.approx([slope - half, slope + half])


def test_small_blocks_and_blocks_of_one_class_have_no_effect_of_their_own():
    graphs, y = planted(60, 7)
    site = np.array(["big"] * 40 + ["tiny"] * 4 + ["well"] * 16)
    y = np.where(site == "well", "control", y)
    result = significant_subgraphs(*planted(60, 0))
    assert replicate(result, graphs, y, blocks=site).block_names == ["big"]
    assert replicate(result, graphs, y).block_names == []


def test_the_second_part_can_be_a_condition():
    graphs, y = planted(80, 8)
    site = np.array(["Oslo", "Lyon"])[np.arange(80) // 40]
    graphs = UncertainGraphs(
        graphs.edge_probability, node_labels=graphs.node_labels, participants={"site": site}
    )
    found = find_and_replicate(graphs, y, holdout="site == 'Lyon'")
    assert found.holdout.tolist() == (site == "Lyon").tolist()
    with pytest.raises(InputError, match=r"^holdout must name columns .* 'age' is not one of site"):
        find_and_replicate(graphs, y, holdout="age > 3")
