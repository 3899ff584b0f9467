"""Measures: the median (rule 2), ties of the mode (rule 3), tolerances at jumps (rule 8), refusals."""

import math

import numpy as np
import pytest
from refusals import refusal

from dugraph import score_distribution
from dugraph.exceptions import InputError
from dugraph.probability import ScoreDistribution, measure_subgraph
from dugraph.probability.measures import MEASURES, Measure, check_measure

LEVELS = np.array([0.0, 1.0, 3.0])


def distribution(*probabilities):
    return ScoreDistribution(LEVELS[: len(probabilities)], np.array(probabilities))


def test_expectation_by_hand():
    assert distribution(0.5, 0.25, 0.25).expectation() == 1.0


class TestQuantile:
    def test_the_median_is_the_smallest_score_whose_cdf_reaches_one_half(self):
        assert distribution(0.25, 0.25, 0.5).median() == 1.0
        assert distribution(0.25, 0.125, 0.625).median() == 3.0

    def test_the_median_exists_where_the_lowest_score_has_most_of_the_mass(self):
        # Here no score has a CDF of at most one half, as the paper's wording would ask.
        assert distribution(0.75, 0.125, 0.125).median() == 0.0

    def test_the_median_of_one_score_is_that_score(self):
        assert distribution(1.0).median() == 0.0

    @pytest.mark.parametrize(
        ("shortfall", "median"), [(0.0, 0.0), (0.9e-12, 0.0), (2e-12, 1.0), (-2e-12, 0.0)]
    )
    def test_the_cdf_may_fall_short_of_the_quantile_by_the_tolerance(self, shortfall, median):
        assert distribution(0.5 - shortfall, 0.5 + shortfall).median() == median

    def test_other_quantiles(self):
        spread = distribution(0.25, 0.5, 0.25)
        assert [spread.quantile(q) for q in (0.1, 0.25, 0.26, 0.75, 0.76, 0.9)] == [0, 0, 1, 1, 3, 3]

    def test_rounding_never_moves_the_expectation_outside_the_scores(self):
        assert ScoreDistribution(LEVELS, np.full(3, 0.333)).quantile(0.9999) == 3.0

    @pytest.mark.parametrize("quantile", [0, 1, -0.5, 1.5, math.nan, 1e-13, 1 - 1e-13])
    def test_a_quantile_outside_the_open_interval_is_refused(self, quantile):
        message = f"quantile must lie strictly between 0 and 1, but is {quantile}. The median is 0.5."
        for refuse in (
            lambda: distribution(0.5, 0.5).quantile(quantile),
            lambda: measure_subgraph([[0.5], [0.5]], [0, 1], (0,), measure="quantile", quantile=quantile),
        ):
            assert refusal(refuse) == message

    def test_a_score_that_cannot_occur_is_never_the_quantile(self):
        levels, masses = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 0.5])
        assert Measure("quantile", quantile=1e-9)(levels, masses) == 1.0


class TestMode:
    def test_the_most_likely_score(self):
        assert distribution(0.25, 0.5, 0.25).mode() == 1.0

    def test_of_equally_likely_scores_the_higher_wins(self):
        assert distribution(0.375, 0.375, 0.25).mode() == 1.0
        assert distribution(0.4, 0.2, 0.4).mode() == 3.0

    @pytest.mark.parametrize(("less", "mode"), [(0.9e-12, 1.0), (4e-12, 0.0)])
    def test_within_the_tolerance_scores_tie(self, less, mode):
        assert distribution(0.5, 0.5 - less).mode() == mode


class TestPhiProbability:
    def test_by_hand(self):
        spread = distribution(0.5, 0.25, 0.25)
        found = [spread.phi_probability(phi) for phi in (-1, 0, 0.5, 1, 2, 3, 4)]
        assert found == [1, 1, 0.5, 0.5, 0.25, 0.25, 0]

    def test_a_score_below_phi_by_the_tolerance_reaches_it(self):
        spread = distribution(0.5, 0.25, 0.25)
        assert spread.phi_probability(1 + 0.9e-12) == 0.5
        assert spread.phi_probability(1 + 2e-12) == 0.25
        # The tolerance grows with phi, not below 1.
        assert spread.phi_probability(3 + 2.7e-12) == 0.25
        assert spread.phi_probability(3 + 4e-12) == 0.0
        assert spread.phi_probability(0.9e-12) == 1.0

    def test_tiny_tails_keep_their_relative_accuracy(self):
        assert distribution(1.0, 1e-300).phi_probability(1.0) == 1e-300
        found = measure_subgraph(
            [[1e-150], [1e-150], [0.0]], [1, 1, 0], (0,), score="hsic", measure="phi_probability", phi=0.1
        )
        assert math.isclose(found, 1e-300, rel_tol=1e-12)

    def test_above_one_half_it_is_one_minus_the_rest(self):
        spread = distribution(0.6, 0.3, 0.1)
        assert spread.probabilities.sum() < 1.0  # summed directly, they are 0.9999999999999999
        assert spread.phi_probability(0.0) == 1.0
        assert distribution(1e-20, 1.0).phi_probability(1.0) == 1.0


def test_a_batch_is_measured_row_by_row():
    masses = np.random.default_rng(1).dirichlet(np.ones(3), size=(4, 2))
    for name in MEASURES:
        measure = Measure(name, quantile=0.7, phi=1.0)
        batch = measure(LEVELS, masses)
        assert batch.shape == (4, 2)
        rows = [[measure(LEVELS, masses[i, j]) for j in range(2)] for i in range(4)]
        np.testing.assert_allclose(batch, np.array(rows, dtype=float), rtol=1e-15)


def test_measures_of_a_subgraph_are_those_of_its_distribution():
    X, y = np.random.default_rng(2).random((7, 3)), [0, 1, 0, 1, 1, 0, 1]
    for score in ("hsic", "frequency_ratio"):
        spread = score_distribution(X, y, (0, 2), score)
        ask = {"score": score, "phi": 0.5, "quantile": 0.8}
        found = [measure_subgraph(X, y, (0, 2), measure=m, **ask) for m in MEASURES]
        tail = spread.phi_probability(0.5)
        assert found == [spread.expectation(), spread.median(), spread.quantile(0.8), spread.mode(), tail]


def test_only_scores_that_can_occur_are_listed():
    spread = score_distribution([[1.0], [0.5], [0.0]], [1, 1, 0], (0,), "confidence")
    assert spread.values.tolist() == [1.0]
    assert spread.probabilities.tolist() == [1.0]


def test_the_positive_class_is_the_greater_one_unless_named():
    X, y = [[0.9], [0.1]], ["patient", "control"]
    assert measure_subgraph(X, y, (0,), score="confidence") > 0.8
    assert measure_subgraph(X, y, (0,), score="confidence", pos_label="control") < 0.2


def test_an_unknown_measure_is_refused():
    known = "expectation, median, quantile, mode, phi_probability"
    assert refusal(check_measure, "mean") == f"measure must be one of {known}, but is 'mean'."
    with pytest.raises(InputError, match="phi_probability, frequency, but is 'x'"):
        check_measure("x", more=("frequency",))
