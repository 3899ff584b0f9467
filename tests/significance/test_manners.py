"""How the test behaves: order, step-down, size classes, seeds, the claim, views, ways to name columns."""

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from small_cases import design_settings, random_case

from dugraph import UncertainGraphs, significant_subgraphs
from dugraph.significance.statistics import adjusted_p_values, critical_values, size_class_names

FEW = {"n_permutations": 99, "max_edges": 2}


def planted(n=40, seed=0):
    """Ten edges over five nodes; the first three are more probable in class 1."""
    random = np.random.default_rng(seed)
    X, y = random.random((n, 10)), np.arange(n) % 2
    X[:, :3] = np.where(y[:, None] == 1, 1 - X[:, :3] ** 3 * 0.5, X[:, :3] * 0.7)
    return X, y


X, Y = planted()


@pytest.mark.parametrize("kind", ["classes", "phenotype", "groups"])
def test_the_order_of_graphs_and_edges_does_not_matter(kind):
    random = np.random.default_rng(1)
    case = random_case(random, kind, 40, n_blocks=3, n_covariates=1)
    words = {"alpha": 0.5, "n_permutations": 99}
    first = significant_subgraphs(case.X, case.y, **words, **design_settings(case))
    rows, columns = random.permutation(40), random.permutation(len(case.edges))
    moved = {"edges": case.edges[columns][:, ::-1], "covariates": case.covariates[rows]}
    other = significant_subgraphs(
        case.X[rows][:, columns], case.y[rows], blocks=case.blocks[rows], **moved, **words
    )
    assert [tuple(sorted(columns[list(g)].tolist())) for g in other.subgraphs] == first.subgraphs
    for name in ("null_maxima", "p_values", "statistics", "effects", "effect_intervals", "critical_values"):
        assert getattr(other, name).tobytes() == getattr(first, name).tobytes(), name


def test_step_down_finds_at_least_as_much():
    one, more = (significant_subgraphs(X, Y, step_down=s, n_permutations=199) for s in (False, True))
    assert set(one.subgraphs) < set(more.subgraphs)
    assert (more.critical_values <= one.critical_values).all()
    p = dict(zip(more.subgraphs, more.p_values, strict=True))
    assert [p[g] for g in one.subgraphs] == one.p_values.tolist()


def test_critical_values_separate_significant_subgraphs():
    random = np.random.default_rng(3)
    maxima = np.round(random.exponential(size=(200, 3)), 1)
    statistics, classes = np.round(random.exponential(2, 500), 1), random.integers(0, 3, 500)
    p_values = adjusted_p_values(statistics, classes, maxima)
    critical = critical_values(maxima, 0.1)
    assert ((p_values <= 0.1) == (statistics > critical[classes] + 1e-6)).all()
    assert (p_values <= 0.1).any()


def test_size_classes_have_names_and_no_more_than_there_are_sizes():
    assert size_class_names(4, None) == ("1 edge", "2 edges", "3 edges", "4 or more edges")
    assert size_class_names(2, 2) == ("1 edge", "2 edges")
    assert size_class_names(1, None) == ("any number of edges",)
    assert significant_subgraphs(X, Y, max_edges=2).null_maxima.shape == (1000, 2)


def test_classes_without_subgraphs_keep_their_share_of_alpha():
    result = significant_subgraphs(X[:, :3], Y, edges=[[0, 1], [2, 3], [4, 5]])
    assert result.n_admitted.tolist() == [3, 0, 0]
    assert result.p_values.min() == 3 / 1000
    assert np.isnan(result.critical_values[1:]).all()
    assert result.best_subgraphs[1:] == [None, None]


@pytest.mark.parametrize("statistic", ["z", "difference", "t"])
def test_a_constant_edge_is_never_significant(statistic):
    constant = X.copy()
    constant[:, 8:] = 1.0, 0.5
    result = significant_subgraphs(constant, Y, statistic=statistic, max_edges=1, alpha=0.9)
    assert not {(8,), (9,)} & set(result.subgraphs)


def test_columns_can_be_named_in_many_ways_and_blocks_are_crossed():
    random = np.random.default_rng(2)
    site, half = np.arange(40) // 20, np.arange(40) // 10 % 2
    table = {"age": random.normal(size=40), "sex": np.array(["f", "m"])[random.integers(0, 2, 40)]}
    graphs = UncertainGraphs(X, participants={**table, "site": site})
    numbers = np.column_stack([table["age"], table["sex"] == "m"]).astype(float)
    ways = [
        (graphs, {"covariates": ["age", "sex"], "blocks": "site"}),
        (graphs, {"covariates": table, "blocks": ["site"]}),
        (X, {"covariates": pd.DataFrame(table), "blocks": site.tolist()}),
        (X, {"covariates": numbers, "blocks": pd.Series(site)}),
        (X, {"covariates": list(zip(table["age"], table["sex"], strict=True)), "blocks": site}),
    ]
    maxima = [significant_subgraphs(one, Y, n_permutations=99, **design).null_maxima for one, design in ways]
    assert {one.tobytes() for one in maxima} == {maxima[0].tobytes()}
    crossed, coded = (
        significant_subgraphs(X, Y, blocks=b) for b in (np.column_stack([site, half]), 2 * site + half)
    )
    assert crossed.n_blocks == 4
    assert ", 4 of 4 blocks informative, " in repr(crossed)
    assert crossed.null_maxima.tobytes() == coded.null_maxima.tobytes()


def test_the_claim_states_its_assumptions():
    assert significant_subgraphs(X, Y, blocks=np.arange(40) // 10, max_edges=1).message == (
        "3 of 10 connected subgraphs differ between the classes (1 against 0); 3 of them are irreducible, "
        "in 3 families. "
        "The probability of listing any subgraph whose presence is independent of the labels within blocks "
        "is at most 0.05, provided that labels are exchangeable within blocks, and that the test and the "
        "probabilities were fixed without looking at the labels. A subgraph is significant as a whole; "
        "single edges in it may contribute nothing."
    )
    noise = np.random.default_rng(1).normal(size=40)
    assert significant_subgraphs(X, noise, covariates=Y, max_edges=1).message.startswith(
        "None of 10 connected subgraphs is shown to vary with the phenotype; the smallest adjusted p-value "
        "is "
    )


@pytest.mark.parametrize(
    ("y", "alternative", "finding"),
    [
        (Y, "greater", "3 of 10 connected subgraphs occur more often in the first class (1 against 0); "),
        (Y, "less", "None of 10 connected subgraphs is shown to occur less often in the first class (1 "),
        (Y + np.arange(40) % 3 / 9, "greater", "3 of 10 connected subgraphs increase with the phenotype; "),
        (
            np.where(Y == 1, "a", np.repeat(["b", "c"], 20)),
            "greater",
            "3 of 10 connected subgraphs occur more often in one of the 3 groups than in the ",
        ),
    ],
)
def test_the_claim_names_the_direction(y, alternative, finding):
    assert significant_subgraphs(X, y, alternative=alternative, max_edges=1).message.startswith(finding)


def test_views_show_the_claim_and_escape_names():
    graphs = UncertainGraphs(X, node_labels=["<b>A</b>", "B", "C", "D", "E\n"])
    result = significant_subgraphs(graphs, Y)
    text, html = repr(result), result._repr_html_()
    assert text.splitlines()[0].startswith(f"SignificanceResult: {len(result)} of ")
    assert text.endswith(result.message)
    assert "4 or more edges" in text
    assert "Irreducible: no significant part has a statistic at least as large." in text
    assert "<b>A</b>" not in html
    assert "&lt;b&gt;A&lt;/b&gt;" in html
    assert repr(significant_subgraphs(X, np.random.default_rng(0).permutation(Y))).count("None of") == 1


def test_progress_is_reported():
    seen = []
    significant_subgraphs(X, Y, progress=seen.append)
    assert set(seen[0]) == {"n_visited", "seconds"}


def test_last_digits_of_the_probabilities_do_not_change_which_labels_are_drawn():
    noise = np.random.default_rng(5).uniform(-1e-15, 1e-15, X.shape)
    one, other = significant_subgraphs(X, Y), significant_subgraphs(np.clip(X + noise, 0, 1), Y)
    assert other.subgraphs == one.subgraphs
    assert other.p_values.tolist() == one.p_values.tolist()
    np.testing.assert_allclose(other.null_maxima, one.null_maxima, rtol=1e-9)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_draws_the_seed_of_the_test(make):
    generator = make(5)
    one, same, other = (
        significant_subgraphs(X, Y, random_state=g, **FEW) for g in (make(5), generator, generator)
    )
    seed = one.parameters["random_state"]
    again = significant_subgraphs(X, Y, random_state=seed, **FEW)
    assert one.null_maxima.tobytes() == same.null_maxima.tobytes() == again.null_maxima.tobytes()
    assert other.parameters["random_state"] != seed


def test_a_seed_of_none_is_new_in_every_call_and_excludes_a_checkpoint(tmp_path):
    words = {**FEW, "random_state": None}
    assert len({significant_subgraphs(X, Y, **words).parameters["random_state"] for _ in range(2)}) == 2
    assert refusal(significant_subgraphs, X, Y, **words, checkpoint=tmp_path / "test.npz") == (
        "random_state must be a whole number of at least 0 and below 2**63 with a checkpoint, but is None. "
        "Give a number for a result that can be computed again."
    )
