"""scikit-learn's estimator checks; those with values above 1 are expected to fail in strict mode."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dugraph.estimators import Deconfound, EdgeProbability, SubgraphSelector
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

# Data of the checks have any number of columns, any values, and few subgraphs.
pytestmark = [
    pytest.mark.filterwarnings("ignore::dugraph.exceptions.AssumedEdgesWarning"),
    pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning"),
    pytest.mark.filterwarnings("ignore::dugraph.exceptions.OutOfRangeWarning"),
    # The checks skip what needs a package that is not installed.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

REASON = "feeds values above 1, which are no probabilities and must not pass in silence"
REFUSED = dict.fromkeys(
    (
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_readonly_memmap_input",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    ),
    REASON,
)


# The checks fit some hundred models: short paths in the suite, those of the defaults behind `make soak`.
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
PATH = {} if SOAK else {"n_alphas": 3, "cv": 2, "max_edges": 1}
NEVER_FAILING = [
    SubgraphSelector(on_invalid="clip"),
    SubgraphSelector(on_invalid="clip", score_func="g_test", multi_class="ovr"),
    EdgeProbability(),
    EdgeProbability(layers="signed"),
    SparseSubgraphClassifier(on_invalid="clip", **PATH),
    SparseSubgraphRegressor(on_invalid="clip", **PATH),
    Deconfound(),
]
if SOAK:
    NEVER_FAILING += [
        SubgraphSelector(on_invalid="clip", max_correlation=0.5, measure="median"),  # of two classes only
        SubgraphSelector(on_invalid="clip", max_correlation=0.5),
        SubgraphSelector(on_invalid="clip", measure="median"),
    ]


@parametrize_with_checks(NEVER_FAILING)
def test_no_check_fails(estimator, check):
    check(estimator)


# Expected failures are strict (pyproject.toml): a check that passes in spite of the list fails here.
@parametrize_with_checks([SubgraphSelector()], expected_failed_checks=lambda _: REFUSED)
def test_only_checks_with_impossible_values_fail(estimator, check):
    check(estimator)
