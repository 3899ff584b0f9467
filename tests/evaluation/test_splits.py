"""Splits: no graph in both parts, groups stay whole, wrong arguments are refused before any computation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from dugraph import InputError, RandomSplits, RepeatedFolds, UncertainGraphs, evaluate
from dugraph.evaluation.splits import check_groups

Y = np.arange(30) % 2
QUICK = {"methods": ["all-edges"], "n_subgraphs": [2]}


@settings(max_examples=50, deadline=None)
@given(
    groups=st.lists(st.sampled_from("abcdef"), min_size=30, max_size=30),
    test_size=st.sampled_from([0.2, 0.4, 0.5]),
    seed=st.integers(0, 10),
)
def test_groups_stay_whole(groups, test_size, seed):
    try:
        numbers = check_groups(groups, UncertainGraphs(np.full((30, 3), 0.5)))
        splits = RandomSplits(3, test_size, random_state=seed).split(None, Y, numbers)
    except InputError:
        return  # one group, or training graphs of one class
    names = np.array(groups)
    for train, test in splits:
        assert not set(names[train]) & set(names[test])
        assert sorted([*train, *test]) == list(range(30))
        assert len(set(Y[train])) == 2


def test_splitters_pairs_and_numbers_of_folds(small):
    X, y = small
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    pairs = list(folds.split(X, y))
    by_splitter = evaluate(X, y, cv=folds, **QUICK)
    by_pairs = evaluate(X, y, cv=iter(pairs), **QUICK)
    masks = [tuple(np.isin(np.arange(30), part) for part in pair) for pair in pairs]
    by_masks = evaluate(X, y, cv=masks, **QUICK)
    assert by_splitter.n_splits == 3
    for other in (by_pairs, by_masks):
        assert np.array_equal(by_splitter.values("error"), other.values("error"))
        assert other.parameters["splits"] == by_splitter.parameters["splits"]
    assert by_splitter.parameters["cv"].startswith("StratifiedKFold(n_splits=3")
    assert evaluate(X, y, cv=4, **QUICK).n_splits == 4


def test_groups_are_a_column_of_participants_or_an_array_and_reach_the_splitter(small):
    X, y = small
    site = np.repeat(["A", "B", "C"], 10)
    graphs = UncertainGraphs(X, participants={"site": site})
    by_name = evaluate(graphs, y, groups="site", cv=LeaveOneGroupOut(), **QUICK)
    by_array = evaluate(X, y, groups=site, cv=LeaveOneGroupOut(), **QUICK)
    assert by_name.n_splits == 3
    assert np.array_equal(by_name.values("error"), by_array.values("error"))
    assert by_name.parameters["groups"] == "site"
    assert by_array.parameters["groups"] is None
    drawn = evaluate(graphs, y, groups="site", cv=RandomSplits(2), **QUICK)
    assert drawn.n_splits == 2


def test_repeated_folds_test_every_graph_once_in_each_repeat():
    for y, groups in ((Y.astype(str), None), (np.arange(30.0), None), (np.arange(30.0), np.arange(30) // 3)):
        splits = RepeatedFolds(5, n_repeats=2).split(None, y, groups)
        assert len(splits) == RepeatedFolds(5, n_repeats=2).get_n_splits() == 10
        for repeat in (splits[:5], splits[5:]):
            assert sorted(np.concatenate([test for _, test in repeat])) == list(range(30))
        assert any(not np.array_equal(a[1], b[1]) for a, b in zip(splits[:5], splits[5:], strict=True))


NOT_SPLIT = "cv must split these 30 graphs, but does not"
ONE_CLASS = "both classes, but those of split 0 are all of one"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cv": "five"}, f"{NOT_SPLIT}: .*Give a splitter"),
        ({"cv": 1}, NOT_SPLIT),
        ({"cv": []}, "cv must give at least one split"),
        ({"cv": [([0, 1, 2], [2, 3])]}, "No graph may be in both parts of a split, but cv has graph 2"),
        ({"cv": [([0, 1], [30])]}, "positions of graphs from 0 to 29"),
        ({"cv": [([0, 1], [])]}, "at least one"),
        ({"cv": [([0.5, 1], [2])]}, "positions of graphs"),
        ({"cv": [([0, 1], [2], [3])]}, "does not: .* or pairs of positions"),
        ({"cv": [([0, 2, 4], [1])]}, ONE_CLASS),
        ({"cv": GroupKFold(3)}, f"{NOT_SPLIT}: .*groups"),
        (
            {"groups": "site"},
            "groups must name columns of participants: there is no site. The columns are age",
        ),
        ({"groups": np.zeros(30)}, "groups must have at least two different values"),
        ({"groups": np.arange(29)}, "one value per graph"),
        ({"groups": np.arange(30) % 2}, ONE_CLASS),
        (
            {"groups": np.repeat([0, 1], 15), "cv": RandomSplits(test_size=0.9)},
            "of 2 groups test_size = 0.9 leaves none",
        ),
        ({"cv": [([0, 1], [2])], "like_paper": "adhd"}, "positions would refer to other graphs"),
        *(
            ({"cv": RandomSplits(test_size=size)}, message)
            for size, message in (
                (20.0, r"above 0 and below 1, but is 20.0. For 20 of 30 graphs give 0.667\."),
                (0.0, r"above 0 and below 1, but is 0.0. Give 0.2 for 20 %"),
                (40, "but is 40. Give 0.2"),
                (float("nan"), "but is nan"),
                (None, "but is None"),
                (0.99, "30 graphs test_size = 0.99 leaves 0 and 30. Give test_size = 0.5"),
                (0.01, "least 2 graphs for training and 2 for testing, but .* leaves 29 and 1"),
            )
        ),
        ({"cv": RandomSplits(test_size=0.99, stratify=False)}, "30 graphs test_size = 0.99 leaves 0 and 30"),
        *(({"cv": RandomSplits(n)}, f"n_splits must be .* of at least 1 .*{n!r}") for n in (0, 2.5, "3")),
        (
            {"random_state": -1},
            r"random_state must be a whole number of at least 0 and below 2\*\*32, a Generator, "
            "a RandomState or None, but is -1",
        ),
        ({"random_state": 2**32}, "random_state must be a whole number"),
        ({"n_subgraphs": 1.5}, r"a whole number or a list of them, such as \[100, 200\]; got 1\.5"),
        ({"n_subgraphs": 0}, r"Each of n_subgraphs must be"),
        ({"n_subgraphs": [2.5]}, "Each of n_subgraphs must be a whole number of at least 1"),
        ({"n_subgraphs": []}, "different positive numbers"),
        ({"n_subgraphs": [5, 5]}, "different positive numbers"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or a whole number"),
        ({"min_expected_frequency": 2}, "a number of at least 0 and below 1, but is 2"),
        ({"max_edges": 0}, "max_edges must be a whole number of at least 1"),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds"),
        ({"phi": float("nan")}, "phi must be a finite number"),
        ({"phi": {"chi": 1}}, "got 'chi'"),
        ({"methods": ["exp-hsci"]}, "got 'exp-hsci'"),
        ({"like_paper": "abide"}, "adhd, adni, hiv, but is 'abide'"),
        ({"scoring": "accuracy"}, "scoring must be .* but is 'accuracy'"),
        ({"scoring": []}, "scoring must be different metrics, at least one"),
        ({"task": "regression"}, "task must be"),
        ({"task": "classes", "covariates": np.arange(30)}, "covariates apply to groups and phenotypes"),
        ({"task": "phenotype", "phi": 0.1}, "phi applies to two classes only"),
        ({"regions": 90}, "from 2 to the number of nodes, 6; got 90"),
    ],
)
def test_wrong_settings_are_refused_before_a_cache_is_begun(small, tmp_path, wrong, message):
    graphs = UncertainGraphs(small[0], participants={"age": np.arange(30.0)})
    with pytest.raises(InputError, match=message):
        evaluate(graphs, Y, cache=tmp_path / "cache", **{"methods": ["all-edges"], **wrong})
    assert not (tmp_path / "cache").exists()


def test_too_few_graphs_of_a_class_are_refused_with_the_way_out(small):
    X, y = small
    with pytest.raises(InputError, match=r"at least 2 graphs, .* but ill has 1 graph. Add graphs"):
        evaluate(X, ["ill"] + ["well"] * 29)
    graphs = UncertainGraphs(X, provenance={"positive": "ADHD", "negative": "control"})
    with pytest.raises(InputError, match="but control has 1 graph"):
        evaluate(graphs, [0] + [1] * 29)
    with pytest.raises(InputError, match=r"of 4 graphs test_size = 0.2 leaves 3 and 1. Give test_size = 0.5"):
        evaluate(X[:4], y[:4])
    for train, test in RandomSplits(5, test_size=0.5).split(None, y[:4]):
        assert sorted(y[train]) == sorted(y[test]) == [0, 1]
    y = np.array([1, 1] + [0] * 98)
    for stratify, way_out in ((True, "Lower test_size"), (False, "Use stratify=True")):
        with pytest.raises(
            InputError,
            match=f"must include both classes, but those .* one. {way_out}, .*: patient has 2 graphs",
        ):
            RandomSplits(test_size=0.9, stratify=stratify).split(None, y, names=("control", "patient"))


def test_random_splits_of_phenotypes_and_groups(small):
    X, _ = small
    age, groups = np.arange(30.0), np.array(["a", "b", "c"])[np.arange(30) % 3]
    for y, splitter in ((age, ShuffleSplit), (groups, StratifiedShuffleSplit)):
        ours = RandomSplits(3, 0.3, random_state=2).split(None, y)
        for pair, other in zip(ours, splitter(3, test_size=0.3, random_state=2).split(X, y), strict=True):
            assert [part.tolist() for part in pair] == [part.tolist() for part in other]
        assert evaluate(X, y, cv=RandomSplits(3), **QUICK).n_splits == 3
