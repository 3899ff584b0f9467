"""Groups of participants reach the inner folds, directly and by metadata routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate

from dugraph import InputError, SparseSubgraphClassifier, SparseSubgraphRegressor, SubgraphSelector

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
