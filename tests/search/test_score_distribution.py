"""Compiled score distributions against the readable reference, from windows as from tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError, score_distribution
from dugraph.data.labels import check_labels
from dugraph.probability.measures import phi_probability
from dugraph.probability.measures import score_distribution as reference
from dugraph.probability.scores import SCORES, level_table, score_values
from dugraph.search import distribution
from dugraph.search.core import ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.search.distribution import (
    ScoreWindows,
    phi_probabilities,
    score_distributions,
    scored_supports,
    scores_of,
)

COMPILED = [name for name in SCORES if hasattr(ScoreName, name)]
RANDOM = st.randoms(use_true_random=False)
SUBGRAPHS = [(0,), (1, 2), (0, 1, 2)]


def supports_of(X, y, subgraphs, score="hsic", *, score_cap=None, pos_label=None):
    positive, _ = check_labels(y, len(X), pos_label)
    table = scores_of(score, int(positive.sum()), int((~positive).sum()), score_cap)
    return scored_supports(np.asarray(X, dtype=float), positive, subgraphs, table)


def cohort(random, n_graphs=(2, 40)):
    n = random.randint(*n_graphs)
    cells = [random.choice((0.0, 1e-120, 0.3, random.random(), 1.0)) for _ in range(3 * n)]
    return np.array(cells).reshape(n, 3), np.array([1, 0, *(random.randint(0, 1) for _ in range(n - 2))])


@given(RANDOM, st.sampled_from(sorted(SCORES)), st.floats(0, 2))
def test_distributions_are_those_of_the_reference_alone_or_together(random, score, phi):
    X, y = cohort(random)
    ask = {"score_cap": 50.0, "pos_label": 0}
    supports = supports_of(X, y, SUBGRAPHS, score, **ask)
    reached = phi_probabilities(supports, phi)
    for subgraph, ours, exceeding in zip(SUBGRAPHS, score_distributions(supports), reached, strict=True):
        alone, theirs = (f(X, y, subgraph[::-1], score, **ask) for f in (score_distribution, reference))
        assert ours.values.tolist() == alone.values.tolist() == theirs.values.tolist()
        assert ours.probabilities.tobytes() == alone.probabilities.tobytes()
        np.testing.assert_allclose(ours.probabilities, theirs.probabilities, rtol=1e-12)
        expected = phi_probability(alone.values, alone.probabilities, phi)
        assert exceeding == pytest.approx(expected, rel=1e-12, abs=0)


@given(RANDOM, st.sampled_from(sorted(SCORES)))
def test_without_tails_every_measure_is_the_same(random, score):
    supports = supports_of(*cohort(random, (60, 120)), [(0,), (1, 2)], score)
    both = zip(score_distributions(supports, 1e-24), score_distributions(supports), strict=True)
    for trimmed, whole in both:
        assert len(trimmed.values) <= len(whole.values)
        assert whole.probabilities.sum() - trimmed.probabilities.sum() < 1e-15
        assert trimmed.expectation() == pytest.approx(whole.expectation(), rel=1e-12)
        assert trimmed.standard_deviation() == pytest.approx(whole.standard_deviation(), rel=1e-9, abs=1e-12)
        for measure in (lambda one: one.quantile(0.05), lambda one: one.median(), lambda one: one.mode()):
            assert measure(trimmed) == measure(whole)


def test_tails_are_left_out_at_both_ends():
    supports = supports_of(np.full((400, 1), 0.5), [0, 1] * 200, [(0,)])
    whole, trimmed = (next(score_distributions(supports, tail)) for tail in (0.0, 1e-24))
    assert len(trimmed.values) < 0.7 * len(whole.values)
    assert trimmed.values[0] == whole.values[0] == 0


def test_wrong_subgraphs_are_refused():
    with pytest.raises(InputError, match="column indices from 0 to 2, but 3 was given"):
        score_distribution(np.full((4, 3), 0.5), [0, 1, 0, 1], (3,))


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_scores_are_the_readable_ones(name):
    for sizes in [*np.ndindex(8, 8), (300, 211)]:
        n_pos, n_neg = (int(size) + 1 for size in sizes)
        compiled = compiled_values(getattr(ScoreName, name), n_pos, n_neg)
        readable = score_values(name, n_pos, n_neg)
        # The G-test is a difference of terms of the size of the classes.
        np.testing.assert_allclose(compiled, readable, rtol=1e-13, atol=1e-15 * (n_pos + n_neg))
        assert level_table(compiled).levels[-1] == pytest.approx(level_table(readable).levels[-1], rel=1e-14)


@pytest.mark.parametrize("score", COMPILED)
def test_windows_give_what_tables_give(monkeypatch, score):
    random = np.random.default_rng(6)
    X, y = random.beta(3, 2, (150, 3)), (np.arange(150) < 60).astype(int)
    levels = level_table(score_values(score, 60, 90)).levels
    phis = [-1.0, 0.0, *levels[:: len(levels) // 40], levels[-1], 2 * levels[-1]]
    summaries, reached = [], []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(distribution, "MOST_CELLS", most_cells)
        supports = supports_of(X, y, SUBGRAPHS, score)
        summaries.append(
            [
                (one.expectation(), one.median(), one.mode(), one.quantile(0.9), one.standard_deviation())
                for one in score_distributions(supports)
            ]
        )
        reached.append(np.array([phi_probabilities(supports, float(phi)) for phi in phis]))
    assert isinstance(supports.table, ScoreWindows)
    np.testing.assert_allclose(*summaries, rtol=1e-9, atol=1e-15)
    # From what is certain to what happens once in 10^20 worlds, or never.
    assert (reached[0].max(), reached[0].min()) == (1, 0)
    assert reached[0][reached[0] > 0].min() < 1e-20
    np.testing.assert_allclose(*reached, rtol=1e-12)
    assert ((reached[0] == 1) == (reached[1] == 1)).all()


@pytest.mark.parametrize("score", COMPILED)
def test_edges_of_scores_part_the_supports_as_levels_do(score):
    random = np.random.default_rng(11)
    for _ in range(12):
        n_pos, n_neg = (int(n) for n in random.integers(1, 60, 2))
        cap = float(random.uniform(0.1, 3)) if random.random() < 0.3 else None
        table = level_table(compiled_values(getattr(ScoreName, score), n_pos, n_neg), cap)
        windows = ScoreWindows(getattr(ScoreName, score), n_pos, n_neg, cap)
        levels = random.choice(table.levels, 6)
        for least in [*levels, *levels * (1 - 1e-14), *levels * 1.001, -1.0, 0.0, table.levels[-1] * 2]:
            ends = [np.sort(random.choice(n + 2, 2, replace=False)).tolist() for n in (n_pos, n_neg)]
            a, b = (slice(*two) for two in ends)
            left, right = windows.edges(windows.level_start(float(least)), a, b)
            column = np.arange(b.start, b.stop)
            reached = (column < left[:, None]) | (column >= right[:, None])
            np.testing.assert_array_equal(reached, (table.values >= least)[a, b], str((n_pos, n_neg, least)))
