"""A sensitivity analysis is the union of single tests, and compares sets of edges by definition."""

import itertools

import numpy as np
import pytest

import dugraph as dg
from dugraph.significance.sensitivity import THESE

LIMITS, STATISTICS = (0.3, 0.1), ("z", "t")


def make_cohort(seed=0, n=40, labels="ABCDE"):
    random = np.random.default_rng(seed)
    X, ill = random.uniform(0.1, 0.7, (n, 10)), np.arange(n) % 2
    X[:, :2] += 0.28 * ill[:, None]
    X[:, 5] += np.where(ill == 1, 0.02, 0.22)
    site = np.array(["a", "b"])[np.arange(n) // 2 % 2]
    graphs = dg.UncertainGraphs(X, node_labels=list(labels), participants={"site": site})
    return graphs, np.array(["control", "patient"])[ill]


@pytest.fixture(scope="module")
def result():
    graphs, y = make_cohort()
    return dg.sensitivity_analysis(
        graphs,
        y,
        min_expected_frequencies=LIMITS,
        statistics=STATISTICS,
        thresholds=[0, 0.4],
        blocks="site",
        n_permutations=199,
    )


def edges_of(test):
    """Names of the edges of irreducible subgraphs."""
    chosen = [g for g, yes in zip(test.subgraphs, test.irreducible, strict=True) if yes]
    return {test.naming.edge_name(edge) for g in chosen for edge in g}


def test_each_setting_is_a_test_of_its_own(result):
    graphs, y = make_cohort()
    settings = list(itertools.product((0.0, 0.4), STATISTICS, LIMITS))
    assert [tuple(one[1:]) for one in result.variants] == settings
    assert {one.graphs for one in result.variants} == {THESE}
    for k, (threshold, statistic, limit) in enumerate(settings):
        X = np.where(graphs.edge_probability < threshold, 0, graphs.edge_probability)
        cohort = dg.UncertainGraphs(X, node_labels=graphs.node_labels, participants=graphs.participants)
        test = dg.significant_subgraphs(
            *(cohort, y), blocks="site", n_permutations=199, statistic=statistic, min_expected_frequency=limit
        )
        assert result.results[k].subgraphs == test.subgraphs
        assert {e for e, yes in zip(result.edges, result.found[:, k], strict=True) if yes} == edges_of(test)
    assert result.names[0] == "p >= 0, z, 0.3"
    assert result.parameters["blocks"] == ["site"]
    assert "statistic" not in result.parameters


def test_counts_and_jaccard_indices_by_definition(result):
    sets = [edges_of(test) for test in result.results]
    assert 0 < len(set.intersection(*sets)) < len(set.union(*sets))
    assert set(result.edges) == set.union(*sets)
    for i, j in np.ndindex(result.jaccard.shape):
        assert result.jaccard[i, j] == pytest.approx(len(sets[i] & sets[j]) / len(sets[i] | sets[j]))
    counts = [sum(name in one for one in sets) for name in result.edges]
    assert counts == sorted(counts, reverse=True)
    assert result.shares.tolist() == [count / len(sets) for count in counts]
    common = counts.count(len(sets))
    assert result.message.startswith(f"{common} of {len(counts)} edges ")
    assert "not for a setting chosen from these" in result.message
    frame = result.to_frame()
    assert frame["n_settings"].tolist() == counts
    assert list(frame.columns[3:]) == result.names
    assert "SensitivityResult" in repr(result)
    assert "<table>" in result._repr_html_()


def test_effects_are_those_of_the_first_subgraph_with_the_edge(result):
    for k, test in enumerate(result.results):
        for e, name in enumerate(result.edges):
            with_it = [
                test.effects[row]
                for row in np.flatnonzero(test.irreducible)
                if name in {test.naming.edge_name(edge) for edge in test.subgraphs[row]}
            ]
            expected = with_it[0] if with_it else np.nan
            np.testing.assert_equal(result.effects[e, k], expected)


def test_other_graphs_of_the_same_participants_are_matched_by_name():
    graphs, y = make_cohort()
    order = np.random.default_rng(1).permutation(10)
    nodes = list("EDCBA")
    place = np.array([nodes.index(label) for label in "ABCDE"])
    other = dg.UncertainGraphs(
        graphs.edge_probability[:, order], place[graphs.edges[order]], node_labels=nodes
    )
    result = dg.sensitivity_analysis(
        dg.LabelledGraphs(graphs, y),
        others={"moved": other},
        blocks="site",  # a column that only the first cohort has
        min_expected_frequencies=[0.1],
        statistics=["z"],
        n_permutations=199,
    )
    assert result.names == [f"{THESE}, 0.1", "moved, 0.1"]
    assert result.found.all()
    assert result.jaccard.tolist() == [[1, 1], [1, 1]]


def test_settings_without_findings_and_without_subgraphs():
    random = np.random.default_rng(3)
    X, y = random.uniform(0.1, 0.5, (40, 6)), np.arange(40) % 2
    result = dg.sensitivity_analysis(X, y, min_expected_frequencies=[0.2, 0.9], n_permutations=99)
    assert [one is None for one in result.results] == [False, True, False, True]
    assert result.edges == []
    assert np.isnan(result.jaccard).all()
    assert result.message.startswith("No edge is in a significant subgraph under any of 4 settings.")
    assert "0.9" in repr(result)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"statistics": ["f"]}, "statistics must be"),
        ({"statistics": "z"}, "statistics must be a list of at least one value"),
        ({"min_expected_frequencies": [1.5]}, "min_expected_frequencies must be"),
        ({"thresholds": [1]}, "thresholds must be probabilities from 0 to below 1, but one is 1"),
        ({"statistic": "z"}, "statistic must not be an option of all settings"),
        ({"others": {"few": make_cohort(n=20)[0]}}, "others must be graphs of the same participants"),
    ],
)
def test_wrong_arguments_are_refused(words, message):
    with pytest.raises(dg.InputError, match=message):
        dg.sensitivity_analysis(*make_cohort(), **words)


def test_a_time_limit_holds_for_all_settings():
    with pytest.raises(dg.exceptions.UnfinishedTestError):
        dg.sensitivity_analysis(*make_cohort(), time_limit=1e-9)


def test_progress_counts_the_settings():
    seen = []
    dg.sensitivity_analysis(*make_cohort(), n_permutations=99, statistics=["z"], progress=seen.append)
    assert {(now["variant"], now["n_variants"]) for now in seen} <= {(k, 3) for k in (1, 2, 3)}
    assert seen
