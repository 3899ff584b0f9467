"""A sensitivity analysis is the union of single tests, and compares sets of edges by definition."""

import itertools

import numpy as np
import pytest

import dugraph as dg
from dugraph.significance.sensitivity import THESE

LIMITS, STATISTICS, THRESHOLDS = (0.3, 0.1), ("z", "t"), (0.0, 0.4)
SHARED = {"blocks": "site", "n_permutations": 199}


def make_cohort(n=40):
    random = np.random.default_rng(0)
    X, ill = random.uniform(0.1, 0.7, (n, 10)), np.arange(n) % 2
    X[:, :2] += 0.28 * ill[:, None]
    X[:, 5] += np.where(ill == 1, 0.02, 0.22)
    site = np.array(["a", "b"])[np.arange(n) // 2 % 2]
    graphs = dg.UncertainGraphs(X, node_labels=list("ABCDE"), participants={"site": site})
    return graphs, np.array(["control", "patient"])[ill]


GRAPHS, Y = make_cohort()


@pytest.fixture(scope="module")
def result():
    varied = {"min_expected_frequencies": LIMITS, "statistics": STATISTICS, "thresholds": THRESHOLDS}
    return dg.sensitivity_analysis(GRAPHS, Y, **varied, **SHARED)


def edges_of(test):
    """Names of the edges of irreducible subgraphs, each with the effect of the first of these."""
    found = {}
    for row in np.flatnonzero(test.irreducible):
        for edge in test.subgraphs[row]:
            found.setdefault(test.naming.edge_name(edge), test.effects[row])
    return found


def test_each_setting_is_a_test_of_its_own(result):
    settings = list(itertools.product(THRESHOLDS, STATISTICS, LIMITS))
    assert [tuple(one) for one in result.variants] == [(THESE, *one) for one in settings]
    for k, (threshold, statistic, limit) in enumerate(settings):
        X = np.where(GRAPHS.edge_probability < threshold, 0, GRAPHS.edge_probability)
        cohort = dg.UncertainGraphs(X, node_labels=GRAPHS.node_labels, participants=GRAPHS.participants)
        own = {"statistic": statistic, "min_expected_frequency": limit}
        test = dg.significant_subgraphs(cohort, Y, **own, **SHARED)
        assert result.results[k].subgraphs == test.subgraphs
        effects = edges_of(test)
        assert {e for e, yes in zip(result.edges, result.found[:, k], strict=True) if yes} == set(effects)
        np.testing.assert_equal(result.effects[:, k], [effects.get(name, np.nan) for name in result.edges])
    assert result.names[0] == "p >= 0, z, 0.3"
    assert result.parameters["blocks"] == ["site"]
    assert "statistic" not in result.parameters


def test_counts_and_jaccard_indices_by_definition(result):
    sets = [set(edges_of(test)) for test in result.results]
    assert 0 < len(set.intersection(*sets)) < len(set.union(*sets))
    assert set(result.edges) == set.union(*sets)
    for i, j in np.ndindex(result.jaccard.shape):
        assert result.jaccard[i, j] == pytest.approx(len(sets[i] & sets[j]) / len(sets[i] | sets[j]))
    counts = [sum(name in one for one in sets) for name in result.edges]
    assert counts == sorted(counts, reverse=True)
    assert result.shares.tolist() == [count / len(sets) for count in counts]
    assert result.message.startswith(f"{counts.count(len(sets))} of {len(counts)} edges ")
    assert "not for a setting chosen from these" in result.message
    frame = result.to_frame()
    assert frame["n_settings"].tolist() == counts
    assert list(frame.columns[3:]) == result.names
    assert "SensitivityResult" in repr(result)
    assert "<table>" in result._repr_html_()


def test_other_graphs_of_the_same_participants_are_matched_by_name():
    order, nodes = np.random.default_rng(1).permutation(10), list("EDCBA")
    place = np.array([nodes.index(label) for label in "ABCDE"])
    other = dg.UncertainGraphs(
        GRAPHS.edge_probability[:, order], place[GRAPHS.edges[order]], node_labels=nodes
    )
    result = dg.sensitivity_analysis(
        dg.LabelledGraphs(GRAPHS, Y),
        others={"moved": other},
        min_expected_frequencies=[0.1],
        statistics=["z"],
        **SHARED,  # the site is a column that only the first cohort has
    )
    assert result.names == [f"{THESE}, 0.1", "moved, 0.1"]
    assert result.found.all()
    assert result.jaccard.tolist() == [[1, 1], [1, 1]]


def test_settings_without_findings_and_without_subgraphs():
    random, seen = np.random.default_rng(3), []
    X, y = random.uniform(0.1, 0.5, (40, 6)), np.arange(40) % 2
    words = {"min_expected_frequencies": [0.2, 0.9], "n_permutations": 99}
    result = dg.sensitivity_analysis(X, y, **words, progress=seen.append)
    assert [one is None for one in result.results] == [False, True, False, True]
    assert result.edges == []
    assert np.isnan(result.jaccard).all()
    assert result.message.startswith("No edge is in a significant subgraph under any of 4 settings.")
    assert "0.9" in repr(result)
    assert {(now["variant"], now["n_variants"]) for now in seen} <= {(k, 4) for k in (1, 2, 3, 4)}
    assert seen


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"statistics": ["f"]}, "statistics must be"),
        ({"statistics": "z"}, "statistics must be a list of at least one value"),
        ({"min_expected_frequencies": [1.5]}, "min_expected_frequencies must be"),
        ({"thresholds": [1]}, "thresholds must be probabilities from 0 to below 1, but one is 1"),
        ({"statistic": "z"}, "statistic must not be an option of all settings"),
        ({"others": {"few": make_cohort(20)[0]}}, "others must be graphs of the same participants"),
    ],
)
def test_wrong_arguments_are_refused(words, message):
    with pytest.raises(dg.InputError, match=message):
        dg.sensitivity_analysis(GRAPHS, Y, **words)


def test_a_time_limit_holds_for_all_settings():
    with pytest.raises(dg.exceptions.UnfinishedTestError):
        dg.sensitivity_analysis(GRAPHS, Y, time_limit=1e-9)
