"""The summary of a score's distribution in results, against the readable reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dugraph.data import LabelledGraphs
from dugraph.probability import score_distribution as reference
from dugraph.probability.measures import phi_probability
from dugraph.results.ranking import score_summaries


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.sampled_from(["confidence", "g_test", "hsic"]))
def test_every_number_is_that_of_the_reference_however_rare_phi(random, score):
    n = random.choice((60, 450))
    common = random.choice((0.02, 0.5, 0.97))
    X = np.clip(common + 0.03 * np.array([random.uniform(-1, 1) for _ in range(2 * n)]), 0, 1).reshape(n, 2)
    y = np.arange(n) % 2
    truth = reference.score_distribution(X, y, (0, 1), score)
    # From what is likely to what happens once in 10^200 worlds.
    phi = float(random.choice(truth.values.tolist()))
    cohort = LabelledGraphs.of(X, y, edges=[(0, 1), (1, 2)])
    [ours] = score_summaries([(0, 1)], cohort, score, phi, None)
    expected = phi_probability(truth.values, truth.probabilities, phi)
    assert ours["phi_probability"] == pytest.approx(float(expected), rel=1e-11, abs=1e-250)
    assert ours["expectation"] == pytest.approx(truth.expectation(), rel=1e-11)
    assert ours["standard_deviation"] == pytest.approx(truth.standard_deviation(), rel=1e-7)
    assert (ours["median"], ours["mode"]) == (truth.median(), truth.mode())
    for level, value in ours["quantiles"].items():
        assert value == truth.quantile(float(level))
