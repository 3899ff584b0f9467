"""`EdgeProbability` against closed forms and its own definitions."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dugraph.estimators import EdgeProbability
from dugraph.exceptions import InputError, OutOfRangeWarning

RNG = np.random.default_rng(0)
R = RNG.uniform(-1, 1, (6, 20))


def mapped(X, *args, **parameters):
    return EdgeProbability(*args, **parameters).fit_transform(np.asarray(X, dtype=float))


def test_positive_part_and_absolute_value():
    np.testing.assert_array_equal(mapped(R), np.where(R > 0, R, 0))
    np.testing.assert_array_equal(mapped(R, "absolute"), np.abs(R))
    assert not np.signbit(mapped(-np.abs(R))).any()


@pytest.mark.parametrize("n_timepoints", [3, 10, 150, 2000])
def test_fisher_is_the_t_test_of_r(n_timepoints):
    t = R * np.sqrt((n_timepoints - 2) / (1 - R**2))
    expected = stats.t.cdf(t, n_timepoints - 2)
    np.testing.assert_allclose(mapped(R, "fisher", n_timepoints=n_timepoints), expected, rtol=1e-10)


def test_fisher_is_one_minus_the_p_value_of_pearson():
    for _ in range(20):
        a, b = RNG.standard_normal((2, 30))
        test = stats.pearsonr(a, b, alternative="greater")
        (value,) = mapped([[test.statistic]], "fisher", n_timepoints=30)[0]
        assert value == pytest.approx(1 - test.pvalue, abs=1e-12)


def test_fisher_at_plus_and_minus_one():
    assert mapped([[-1, 0, 1]], "fisher", n_timepoints=20).tolist() == [[0, 0.5, 1]]


def test_rank_is_the_share_of_positive_entries_not_above():
    assert mapped([[0.1, -2, 0.4, 0.2, 0], [-1, -1, -1, -1, 3]], "rank").tolist() == [
        [1 / 3, 0, 1, 2 / 3, 0],
        [0, 0, 0, 0, 1],
    ]
    assert mapped([[5, 5, 7]], "rank").tolist() == [[0.5, 0.5, 1.0]]
    np.testing.assert_array_equal(mapped(R, "rank"), mapped(np.exp(R) * (R > 0), "rank"))


@given(st.floats(0, 1), st.floats(0.01, 1), st.sampled_from(["positive", "absolute", "fisher", "rank"]))
def test_threshold_and_density_only_remove(threshold, density, method):
    whole = mapped(R, method, n_timepoints=50)
    kept = mapped(R, method, n_timepoints=50, threshold=threshold, density=density)
    strength = np.abs(R) if method == "absolute" else R
    order = np.argsort(-strength, axis=1)
    allowed = np.zeros(R.shape, dtype=bool)
    np.put_along_axis(allowed, order[:, : max(1, round(density * 20))], True, axis=1)
    np.testing.assert_array_equal(kept, np.where(allowed & (whole >= threshold), whole, 0))


def test_ties_are_retained_together():
    assert mapped([[0.5, 0.5, 0.5, 0.1]], density=0.25).tolist() == [[0.5, 0.5, 0.5, 0]]


def test_each_graph_is_mapped_separately():
    for method in ("positive", "absolute", "fisher", "rank"):
        one = EdgeProbability(method, n_timepoints=40, density=0.3)
        rows = np.concatenate([one.transform(R[i : i + 1]) for i in range(6)])
        np.testing.assert_array_equal(one.transform(R), rows)


def test_column_names_are_preserved():
    assert EdgeProbability().fit(R).get_feature_names_out([f"e{i}" for i in range(20)])[3] == "e3"


def test_values_beyond_one_are_reported():
    message = "1 values do not, the first being -1.7 in graph 1, edge 2; they are treated as -1 or 1"
    with pytest.warns(OutOfRangeWarning, match=message):
        assert mapped([[0, 0, 0], [0, 0, -1.7]], "absolute").tolist() == [[0, 0, 0], [0, 0, 1]]
    assert mapped([[1 + 1e-9]]).tolist() == [[1.0]]
    assert mapped([[7.0, 3.0]], "rank").tolist() == [[1.0, 0.5]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "softmax"}, "method must be one of positive, absolute, fisher, rank, but is 'softmax'."),
        (
            {"method": "fisher"},
            'method="fisher" needs n_timepoints, a whole number of at least 3, but it is None.',
        ),
        ({"method": "fisher", "n_timepoints": 2}, "but it is 2. Give the length of the series"),
        ({"method": "fisher", "n_timepoints": 99.5}, "but it is 99.5."),
        ({"threshold": 1.5}, "threshold must be a number from 0 to 1, or None, but is 1.5."),
        ({"threshold": "a"}, "threshold must be a number from 0 to 1, or None, but is 'a'."),
        ({"density": 0}, "density must be a number above 0 to 1, or None, but is 0."),
        ({"density": True}, "density must be a number above 0 to 1, or None, but is True."),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    for call in (EdgeProbability(**parameters).fit, EdgeProbability(**parameters).transform):
        with pytest.raises(InputError, match=re.escape(message)):
            call(R)
