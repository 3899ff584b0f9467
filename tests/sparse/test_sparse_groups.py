"""Groups of participants reach the inner folds, directly and by metadata routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from dugraph import (
    EdgeProbability,
    InputError,
    SparseSubgraphClassifier,
    SparseSubgraphRegressor,
    SubgraphSelector,
    UncertainGraphs,
    signed_edges,
)

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = RNG.random((40, 6)) * 0.6 + 0.3 * Y[:, None] * (np.arange(6) == 3)
SITE = np.arange(40) // 4


class Watched(GroupKFold):
    """Records the groups that it receives."""

    seen: list[np.ndarray] = []  # noqa: RUF012

    def split(self, X, y=None, groups=None):
        self.seen.append(np.asarray(groups))
        return super().split(X, y, groups)


@pytest.mark.parametrize("kind", [SparseSubgraphClassifier, SparseSubgraphRegressor])
def test_inner_folds_receive_the_groups_of_the_training_graphs(kind):
    model = kind(cv=Watched(3), n_alphas=3, max_edges=1)
    Watched.seen.clear()
    model.fit(X, Y, groups=SITE)
    np.testing.assert_array_equal(Watched.seen[-1], SITE)
    with pytest.raises(InputError, match="cv must be able to split these graphs: The 'groups' parameter"):
        kind(cv=GroupKFold(3), n_alphas=3).fit(X, Y)
    with sklearn.config_context(enable_metadata_routing=True):
        Watched.seen.clear()
        routed = model.set_fit_request(groups=True)
        outer = [(np.arange(8, 40), np.arange(8))]
        cross_validate(routed, X, Y, cv=outer, params={"groups": SITE}, error_score="raise")
        np.testing.assert_array_equal(Watched.seen[-1], SITE[8:])


def test_repeated_columns_are_refused():
    frame = pd.DataFrame(X, columns=["A--B", "A--C", "B--C", "A--D", "B--D", "A--B"])
    for model in (SubgraphSelector(), SparseSubgraphClassifier()):
        with pytest.raises(InputError, match="Every edge must have one column, but A--B has several"):
            model.fit(frame, Y)


def test_weights_are_routed_to_the_fit():
    model = SparseSubgraphClassifier(alpha=0.02, max_edges=1)
    weights = RNG.exponential(size=40)
    outer = [(np.arange(8, 40), np.arange(8))]
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(
            routed, X, Y, cv=outer, params={"sample_weight": weights}, return_estimator=True
        )["estimator"][0]
    by_hand = model.fit(X[8:], Y[8:], sample_weight=weights[8:])
    np.testing.assert_array_equal(found.subgraph_coef_, by_hand.subgraph_coef_)
    assert not np.array_equal(by_hand.subgraph_coef_, model.fit(X[8:], Y[8:]).subgraph_coef_)


@pytest.mark.parametrize("kind", [SparseSubgraphClassifier, SparseSubgraphRegressor])
def test_sparse_models_of_signed_layers(kind):
    """Correlations of both signs: the model uses both layers, and equals one with the edges given."""
    R = np.clip(RNG.normal(0, 0.3, (40, 6)) + 0.4 * Y[:, None] * np.array([1, -1, 0, 0, 0, 0]), -1, 1)
    probabilities = EdgeProbability(layers="signed")
    model = make_pipeline(probabilities, kind(edge_layers="signed", alpha=0.01)).fit(R, Y)
    edges, layers = signed_edges(np.column_stack(np.tril_indices(4, -1)))
    graphs = UncertainGraphs(probabilities.fit_transform(R), edges, edge_layers=layers)
    given = kind(alpha=0.01).fit(graphs, Y)
    assert given.subgraphs_ == model[1].subgraphs_
    assert {layers[edge] for g in given.subgraphs_ for edge in g} == {"positive", "negative"}
    np.testing.assert_allclose(model.predict(R), given.predict(graphs))
