"""`TimeSeriesEdgeProbability`: closed forms, properties of the bootstrap, errors."""

import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from dugraph.estimators import EdgeProbability, SubgraphSelector, TimeSeriesEdgeProbability
from dugraph.estimators.probabilities import stationary_indices
from dugraph.exceptions import ConstantRegionWarning, InputError

RNG = np.random.default_rng(5)
SERIES = [RNG.standard_normal((T, 4)) + 0.8 * RNG.standard_normal((T, 1)) for T in (60, 80, 50)]


def mapped(series, method="bootstrap", **parameters):
    options = {"n_resamples": 100, "random_state": 0} | parameters
    return TimeSeriesEdgeProbability(method, **options).fit_transform(series)


def pearson(series):
    return np.array([np.corrcoef(one.T)[np.tril_indices(4, -1)] for one in series])


def test_correlation_is_pearson_above_the_threshold():
    r = pearson(SERIES)
    np.testing.assert_allclose(mapped(SERIES, "correlation"), np.where(r > 0, r, 0), atol=1e-14)
    np.testing.assert_allclose(
        mapped(SERIES, "correlation", threshold=0.4), np.where(r > 0.4, r, 0), atol=1e-14
    )


def test_fisher_agrees_with_edge_probability():
    for one, r in zip(SERIES, pearson(SERIES), strict=True):
        expected = EdgeProbability("fisher", n_timepoints=len(one)).transform([r])
        np.testing.assert_allclose(mapped([one], "fisher"), np.where(r > 0, expected, 0), rtol=1e-9)


def test_blocks_have_geometric_lengths_and_run_in_a_circle():
    rng = np.random.default_rng(0)
    draws = [stationary_indices(200, 5.0, rng) for _ in range(300)]
    assert all(draw.min() >= 0 and draw.max() < 200 for draw in draws)
    continued = np.concatenate([(np.diff(draw) % 200) == 1 for draw in draws])
    # A block goes on with probability 1 - 1/5, or by chance begins where the last one ended.
    assert continued.mean() == pytest.approx(0.8 + 0.2 / 200, abs=0.01)
    counts = np.bincount(np.concatenate(draws), minlength=200)
    assert counts.min() > 200
    assert counts.max() < 400


@pytest.mark.xdist_group("joblib")
def test_the_bootstrap_does_not_depend_on_n_jobs_or_other_series():
    whole = mapped(SERIES)
    np.testing.assert_array_equal(mapped(SERIES, n_jobs=2), whole)
    np.testing.assert_array_equal(mapped(SERIES[::-1]), whole[::-1])
    np.testing.assert_array_equal(mapped(SERIES[1:2]), whole[1:2])
    assert (mapped(SERIES, random_state=1) != whole).any()
    assert (mapped(SERIES, block_length=1) != whole).any()


def test_types_of_random_state():
    for make in (np.random.RandomState, np.random.default_rng):
        first, second = (mapped(SERIES, random_state=make(4)) for _ in range(2))
        np.testing.assert_array_equal(first, second)
    assert mapped(SERIES, random_state=None).shape == (3, 6)


def test_the_share_matches_the_spread_of_independent_samples():
    # For white noise, r of n = 400 is normal about 0.5 with deviation (1 - r^2) / sqrt(n) = 0.0375.
    rng = np.random.default_rng(7)
    a, b = (v - v.mean() for v in rng.standard_normal((2, 400)))
    b -= a * (a @ b) / (a @ a)
    series = np.stack([a / a.std(), 0.5 * a / a.std() + np.sqrt(0.75) * b / b.std()], axis=1)
    share = mapped([series], threshold=0.5, n_resamples=2000, block_length=1)[0, 0]
    assert share == pytest.approx(0.5, abs=0.07)
    assert mapped([series], threshold=0.2, n_resamples=500)[0, 0] == 1.0
    assert mapped([series], threshold=0.8, n_resamples=500)[0, 0] == 0.0


@pytest.mark.parametrize("method", ["correlation", "fisher", "bootstrap"])
def test_constant_regions_get_no_edges_and_a_warning(method):
    flat = SERIES[1].copy()
    flat[:, 2] = 0.1
    message = "in 1 of 2 series some are constant; in series 1: region 2. Their edges were set to 0."
    with pytest.warns(ConstantRegionWarning, match=message):
        probability = mapped([SERIES[0], flat], method, threshold=-1.0)
    touches = np.array([2 in pair for pair in zip(*np.tril_indices(4, -1), strict=True)])
    assert (probability[1, touches] == 0).all()
    assert (probability[0] > 0).any()


def test_a_pipeline_from_time_series_to_classes():
    rng = np.random.default_rng(2)
    y = np.arange(20) % 2
    series = [rng.standard_normal((50, 4)) + label * rng.standard_normal((50, 1)) for label in y]
    pipeline = make_pipeline(
        TimeSeriesEdgeProbability("fisher"), SubgraphSelector(n_subgraphs=5), SVC(kernel="linear")
    )
    assert pipeline.fit(series, y).score(series, y) > 0.9
    names = pipeline[0].set_output(transform="pandas").transform(series).columns
    assert list(names) == ["0--1", "0--2", "1--2", "0--3", "1--3", "2--3"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "partial"}, "method must be one of correlation, fisher, bootstrap, but is 'partial'."),
        ({"threshold": 2}, "threshold must be a correlation from -1 to 1, but is 2."),
        ({"threshold": None}, "threshold must be a correlation from -1 to 1, but is None."),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
        ({"block_length": 0.5}, "block_length must be a number of time points of at least 1, or None"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0"),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    with pytest.raises(InputError, match=re.escape(message)):
        mapped(SERIES, **({"method": "bootstrap"} | parameters))


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ("text", "X must be a list of series of shape (n_timepoints, n_regions), but is of type str."),
        (7, "but is of type int."),
        ([], "X must contain at least one series, but is empty."),
        ([[1, 2, 3]], "X[0] must have shape (n_timepoints, n_regions): got 1 dimension"),
        ([np.ones((2, 4))], "at least 3 time points and 2 regions: X[0] has shape (2, 4)."),
        ([SERIES[0], SERIES[1][:, :3]], "X[1] has 3, X[0] had 4. Extract them with one atlas."),
        ([SERIES[0], SERIES[1] * np.inf], "Series must be finite: X[1] is"),
    ],
)
def test_invalid_series_are_refused(series, message):
    with pytest.raises(InputError, match=re.escape(message)):
        TimeSeriesEdgeProbability().fit(series)
    with pytest.raises(InputError, match="X\\[0\\] has 3, fit had 4"):
        TimeSeriesEdgeProbability().fit(SERIES).transform([SERIES[0][:, :3]])
