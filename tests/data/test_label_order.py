"""Labels whose index names the graphs in another order would mix up subjects: they are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from dugraph import (
    InputError,
    LabelledGraphs,
    RandomSplits,
    SparseSubgraphClassifier,
    SubgraphSelector,
    UncertainGraphs,
    evaluate,
    load_cohort,
    mine_subgraphs,
    save_cohort,
)
from dugraph.search import enumerate_subgraphs
from dugraph.sparse import sparse_path

IDS = [f"sub-{i:02}" for i in range(20)]
GRAPHS = UncertainGraphs(np.random.default_rng(0).uniform(0.3, 1, (20, 6)), graph_ids=IDS)
Y = pd.Series(np.tile(["patient", "control"], 10), index=IDS)


@pytest.mark.parametrize(
    "take",
    [
        lambda graphs, y: mine_subgraphs(graphs, y, n_subgraphs=2),
        lambda graphs, y: enumerate_subgraphs(graphs, y, max_edges=1),
        lambda graphs, y: sparse_path(graphs, y, n_alphas=2),
        lambda graphs, y: SubgraphSelector(n_subgraphs=2).fit(graphs, y),
        lambda graphs, y: SparseSubgraphClassifier(alpha=0.1).fit(graphs, y),
        lambda graphs, y: evaluate(graphs, y, ["exp-hsic"], n_subgraphs=[2], cv=RandomSplits(1)),
    ],
)
def test_the_order_of_named_labels_is_checked(take):
    take(GRAPHS, Y)
    with pytest.raises(InputError, match=r"position 3 belongs to sub-04, while the graph there is sub-03\."):
        take(GRAPHS, Y.iloc[[0, 1, 2, 4, 3, *range(5, 20)]])
    take(GRAPHS[::-1], Y[::-1])


def test_codes_of_groups_are_checked_before_they_become_text():
    codes = pd.Series(np.arange(20) % 3, index=IDS)
    assert LabelledGraphs.of_any(GRAPHS, codes, target="groups").kind == "groups"
    with pytest.raises(InputError, match="y must be in the order of the graphs"):
        LabelledGraphs.of_any(GRAPHS, codes[::-1], target="groups")


def test_what_says_nothing_about_graphs_is_taken_by_position():
    wanted = mine_subgraphs(GRAPHS, Y.tolist(), n_subgraphs=2).values.tobytes()
    turned = Y.reset_index(drop=True)
    turned.index = turned.index[::-1]
    for y in (Y.to_numpy(), turned, Y.rename(lambda name: name.removeprefix("sub-"))):
        assert mine_subgraphs(GRAPHS, y, n_subgraphs=2).values.tobytes() == wanted
    array = GRAPHS.edge_probability  # which knows no ids
    turned = mine_subgraphs(array, Y[::-1], n_subgraphs=2)
    assert turned.values.tobytes() == mine_subgraphs(array, Y.tolist()[::-1], n_subgraphs=2).values.tobytes()


def test_a_file_keeps_only_labels_in_order(tmp_path):
    with pytest.raises(InputError, match="y must be in the order of the graphs"):
        save_cohort(tmp_path / "c.npz", GRAPHS, Y[::-1])
    assert not list(tmp_path.iterdir())
    save_cohort(tmp_path / "c.npz", GRAPHS, Y.loc[list(GRAPHS.graph_ids)])
    assert load_cohort(tmp_path / "c.npz")[1].tolist() == Y.tolist()


def test_folds_and_other_subjects_are_noticed():
    turned = Y.iloc[np.random.default_rng(1).permutation(20)]
    model = SparseSubgraphClassifier(alpha=0.1)
    assert cross_val_score(model, GRAPHS, Y, cv=3).shape == (3,)
    with pytest.raises(InputError, match="y must be in the order of the graphs"):
        cross_val_score(model, GRAPHS, turned, cv=3, error_score="raise")
    shifted = pd.Series(Y.tolist(), index=[*IDS[1:], "sub-99"])
    with pytest.raises(InputError, match=r"position 0 belongs to sub-01, while the graph there is sub-00\."):
        mine_subgraphs(GRAPHS, shifted)
    fitted = model.fit(GRAPHS, Y)
    assert fitted.score(GRAPHS, Y) == (fitted.predict(GRAPHS) == Y).mean()
    with pytest.raises(InputError, match="y must be in the order of the graphs"):
        fitted.score(GRAPHS, turned)
