"""Errors for missing values, which name graph and edge, and for sample weights."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dugraph import EdgeProbability, InputError, SparseSubgraphClassifier, SubgraphSelector
from dugraph.estimators import TimeSeriesEdgeProbability

rng = np.random.default_rng(3)
X = rng.uniform(0.3, 1, (12, 3))
Y = np.arange(12) % 2
ESTIMATORS = [SubgraphSelector(n_subgraphs=2), EdgeProbability(), SparseSubgraphClassifier(alpha=0.1)]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_the_error_of_a_missing_value_names_graph_and_edge(estimator, value, word):
    wrong = X.copy()
    wrong[4, 2] = wrong[5, 0] = value
    message = f"graph 4 has {word} at edge 2, the first of 2 such values. Use 0 for an absent edge"
    with pytest.raises(InputError, match=message) as error:
        estimator.fit(wrong, Y)
    assert "Hist" not in str(error.value)
    with pytest.raises(InputError, match=message):
        estimator.fit(X, Y).transform(wrong)


def test_missing_values_in_data_frames_and_sparse_matrices():
    wrong = pd.DataFrame(X.copy(), columns=["B--A", "C--A", "C--B"])  # pandas before 3 would write into X
    wrong.iloc[3, 1] = np.nan
    with pytest.raises(InputError, match=r"graph 3 has NaN at edge 1 \(C--A\). Use"):
        SubgraphSelector().fit(wrong, Y)
    fitted = SubgraphSelector(n_subgraphs=2).fit(wrong.fillna(0.5), Y)
    with pytest.raises(InputError, match=r"NaN at edge 0 \(C--A\)"):
        fitted.transform(wrong[["C--A", "B--A", "C--B"]])
    with pytest.raises(InputError, match="graph 3 has NaN at edge 1"):
        SubgraphSelector().fit(sparse.csr_matrix(wrong.to_numpy()), Y)


@pytest.mark.parametrize(
    "estimator", [*ESTIMATORS[:2], TimeSeriesEdgeProbability()]
)  # sparse models take them
def test_sample_weights_are_refused(estimator):
    data = rng.normal(size=(12, 20, 3)) if isinstance(estimator, TimeSeriesEdgeProbability) else X
    with pytest.raises(InputError, match="sample_weight must be left out: supports count each graph once"):
        estimator.fit(data, Y, sample_weight=np.ones(12))
    estimator.fit(data, Y, sample_weight=None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        estimator.fit(data, Y, weights=1)
