"""The compiled score distribution against the readable reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from supports import support_distributions

from dugraph import InputError, score_distribution
from dugraph.probability import score_distribution as reference
from dugraph.probability.measures import phi_probability
from dugraph.probability.scores import SCORES
from dugraph.search.distribution import phi_probabilities, score_distributions


def cohort(random, n_graphs=(2, 40)):
    n = random.randint(*n_graphs)
    cells = [random.choice((0.0, 1e-120, 0.3, random.random(), 1.0)) for _ in range(3 * n)]
    X = np.array(cells).reshape(n, 3)
    y = np.array([1, 0, *(random.randint(0, 1) for _ in range(n - 2))])
    return X, y


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCORES)))
def test_distributions_equal_the_reference(random, score):
    X, y = cohort(random)
    ours = score_distribution(X, y, (2, 0), score)
    theirs = reference.score_distribution(X, y, (0, 2), score)
    assert ours.values.tolist() == theirs.values.tolist()
    np.testing.assert_allclose(ours.probabilities, theirs.probabilities, rtol=1e-12)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCORES)), st.floats(0, 2))
def test_several_distributions_equal_single_ones(random, score, phi):
    X, y = cohort(random)
    subgraphs = [(0,), (1, 2), (0, 1, 2)]
    supports = support_distributions(X, y, subgraphs, score, score_cap=50.0, pos_label=0)
    reached = phi_probabilities(supports, phi)
    for subgraph, ours, exceeding in zip(subgraphs, score_distributions(supports), reached, strict=True):
        alone = score_distribution(X, y, subgraph, score, score_cap=50.0, pos_label=0)
        assert ours.values.tobytes() == alone.values.tobytes()
        assert ours.probabilities.tobytes() == alone.probabilities.tobytes()
        expected = phi_probability(alone.values, alone.probabilities, phi)
        assert exceeding == pytest.approx(expected, rel=1e-12, abs=0)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCORES)))
def test_without_tails_every_measure_is_the_same(random, score):
    X, y = cohort(random, (60, 120))
    supports = support_distributions(X, y, [(0,), (1, 2)], score)
    for i, trimmed in enumerate(score_distributions(supports, 1e-24)):
        whole = list(score_distributions(supports))[i]
        assert len(trimmed.values) <= len(whole.values)
        assert whole.probabilities.sum() - trimmed.probabilities.sum() < 1e-15
        assert trimmed.expectation() == pytest.approx(whole.expectation(), rel=1e-12)
        assert trimmed.standard_deviation() == pytest.approx(whole.standard_deviation(), rel=1e-9, abs=1e-12)
        assert trimmed.median() == whole.median()
        assert trimmed.mode() == whole.mode()
        assert trimmed.quantile(0.05) == whole.quantile(0.05)
        assert trimmed.quantile(0.95) == whole.quantile(0.95)


def test_tails_are_left_out_at_both_ends():
    supports = support_distributions(np.full((400, 1), 0.5), [0, 1] * 200, [(0,)])
    whole, trimmed = (next(score_distributions(supports, tail)) for tail in (0.0, 1e-24))
    assert len(trimmed.values) < 0.7 * len(whole.values)
    assert trimmed.values[0] == whole.values[0] == 0


def test_wrong_subgraphs_are_refused():
    with pytest.raises(InputError, match="column indices from 0 to 2, but 3 was given"):
        score_distribution(np.full((4, 3), 0.5), [0, 1, 0, 1], (3,))
