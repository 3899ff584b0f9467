"""Splits of the user's own: no leak between training and testing, groups stay whole, errors in our words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, StratifiedKFold

from dugraph import InputError, UncertainGraphs, evaluate_methods
from dugraph.evaluation.given_splits import check_groups, given_splits, group_splits, splits_digest

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
        splits = group_splits(Y, numbers, 3, test_size, seed)
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
    by_splitter = evaluate_methods(X, y, cv=folds, **QUICK)
    by_pairs = evaluate_methods(X, y, cv=iter(pairs), **QUICK)
    masks = [tuple(np.isin(np.arange(30), part) for part in pair) for pair in pairs]
    by_masks = evaluate_methods(X, y, cv=masks, **QUICK)
    assert by_splitter.n_splits == 3
    for other in (by_pairs, by_masks):
        assert np.array_equal(by_splitter.values("error"), other.values("error"))
        assert other.parameters["splits"] == by_splitter.parameters["splits"]
    assert by_splitter.parameters["cv"].startswith("StratifiedKFold(n_splits=3")
    assert evaluate_methods(X, y, cv=4, **QUICK).n_splits == 4


def test_groups_are_a_column_of_participants_or_an_array_and_reach_the_splitter(small):
    X, y = small
    site = np.repeat(["A", "B", "C"], 10)
    graphs = UncertainGraphs(X, participants={"site": site})
    by_name = evaluate_methods(graphs, y, groups="site", cv=LeaveOneGroupOut(), **QUICK)
    by_array = evaluate_methods(X, y, groups=site, cv=LeaveOneGroupOut(), **QUICK)
    assert by_name.n_splits == 3
    assert np.array_equal(by_name.values("error"), by_array.values("error"))
    assert by_name.parameters["groups"] == "site"
    assert by_array.parameters["groups"] is None
    drawn = evaluate_methods(graphs, y, groups="site", n_splits=2, **QUICK)
    assert drawn.n_splits == 2


def test_a_cache_of_other_splits_is_refused(small, tmp_path):
    X, y = small
    evaluate_methods(X, y, cv=3, cache=tmp_path, **QUICK)
    again = evaluate_methods(X, y, cv=3, cache=tmp_path, **QUICK)
    assert again.n_splits == 3
    for other in ({"cv": 5}, {"groups": np.arange(30) % 5}, {}):
        with pytest.raises(InputError, match="a cache must hold cells of the same data"):
            evaluate_methods(X, y, cache=tmp_path, **other, **QUICK)


def test_every_position_is_in_the_digest():
    one = [(np.arange(4), np.arange(4, 6))]
    assert splits_digest(one) != splits_digest([(np.arange(5), np.arange(5, 6))])
    assert splits_digest(one) != splits_digest([*one, *one])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cv": "five"}, "cv must split these 30 graphs, but does not: .*Give a splitter"),
        ({"cv": 1}, "cv must split these 30 graphs, but does not"),
        ({"cv": []}, "cv must give at least one split"),
        ({"cv": [([0, 1, 2], [2, 3])]}, "No graph may be in both parts of a split, but cv has graph 2"),
        ({"cv": [([0, 1], [30])]}, "positions of graphs from 0 to 29"),
        ({"cv": [([0, 1], [])]}, "at least one"),
        ({"cv": [([0.5, 1], [2])]}, "positions of graphs"),
        ({"cv": [([0, 1], [2], [3])]}, "does not: .* or pairs of positions"),
        ({"cv": [([0, 2, 4], [1])]}, "both classes, but those of split 0 are all of one"),
        ({"cv": GroupKFold(3)}, "cv must split these 30 graphs, but does not: .*groups"),
        ({"groups": "site"}, "groups must name a column of participants, but there is no 'site'"),
        ({"groups": np.zeros(30)}, "groups must have at least two different values"),
        ({"groups": np.arange(29)}, "one value per graph"),
        ({"groups": np.arange(30) % 2}, "both classes, but those of split 0 are all of one"),
        ({"groups": np.repeat([0, 1], 15), "test_size": 0.9}, "of 2 groups test_size = 0.9 leaves none"),
        ({"cv": [([0, 1], [2])], "like_paper": "adhd"}, "positions would refer to other graphs"),
    ],
)
def test_wrong_splits_are_named_before_anything_is_computed(small, tmp_path, wrong, message):
    X, _ = small
    with pytest.raises(InputError, match=message):
        evaluate_methods(X, Y, cache=tmp_path / "cache", **wrong, **QUICK)
    assert not (tmp_path / "cache").exists()


def test_the_columns_there_are_are_listed(small):
    graphs = UncertainGraphs(small[0], participants={"age": np.arange(30.0)})
    with pytest.raises(InputError, match=r"no 'site'\. The columns are age"):
        evaluate_methods(graphs, small[1], groups="site", **QUICK)


def test_given_splits_keep_their_order():
    pairs = [([3, 0, 1], [5, 2]), ([0, 1], [2])]
    assert [[list(part) for part in pair] for pair in given_splits(Y[:6], pairs, None)] == [
        [list(part) for part in pair] for pair in pairs
    ]
