"""Distributions of named scores from windows of supports: as from tables of all supports."""

import numpy as np
import pytest
from supports import support_distributions

from dugraph.probability.scores import SCORES, level_table, score_values
from dugraph.search import distribution
from dugraph.search.core import ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.search.distribution import ScoreWindows, phi_probabilities, score_distributions
from dugraph.words import DEFAULT_PHI

COMPILED = [name for name in SCORES if hasattr(ScoreName, name)]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_scores_are_the_readable_ones(name):
    for sizes in [*np.ndindex(8, 8), (300, 211)]:
        n_pos, n_neg = (int(size) + 1 for size in sizes)
        compiled = compiled_values(getattr(ScoreName, name), n_pos, n_neg)
        reference = score_values(name, n_pos, n_neg)
        # The G-test is a difference of terms of the size of the classes.
        np.testing.assert_allclose(compiled, reference, rtol=1e-13, atol=1e-15 * (n_pos + n_neg))
        assert level_table(compiled).levels[-1] == pytest.approx(level_table(reference).levels[-1], rel=1e-14)


@pytest.mark.parametrize("score", COMPILED)
def test_distributions_from_windows_are_those_of_tables(monkeypatch, score):
    random = np.random.default_rng(5)
    X, y = random.beta(4, 2, (90, 4)), (np.arange(90) < 35).astype(int)
    phi = DEFAULT_PHI[score] if score != "g_test" else 20.0
    found = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(distribution, "MOST_CELLS", most_cells)
        supports = support_distributions(X, y, [(0,), (1, 2), (0, 1, 2, 3)], score)
        summaries = [
            (one.expectation(), one.median(), one.mode(), one.quantile(0.9), one.standard_deviation())
            for one in score_distributions(supports)
        ]
        found.append((np.array(summaries), phi_probabilities(supports, phi)))
    assert isinstance(supports.table, ScoreWindows)
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)


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


@pytest.mark.parametrize("score", COMPILED)
def test_any_phi_has_the_probability_of_the_table(monkeypatch, score):
    random = np.random.default_rng(6)
    X, y = random.beta(3, 2, (150, 3)), (np.arange(150) < 60).astype(int)
    subgraphs = [(0,), (1, 2), (0, 1, 2)]
    levels = level_table(score_values(score, 60, 90)).levels
    found = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(distribution, "MOST_CELLS", most_cells)
        supports = support_distributions(X, y, subgraphs, score)
        settings = [-1.0, 0.0, *levels[:: len(levels) // 40], levels[-1], 2 * levels[-1]]
        found.append(np.array([phi_probabilities(supports, float(phi)) for phi in settings]))
    # From what is certain to what happens once in 10^20 worlds, or never.
    assert found[0].max() == 1
    assert found[0].min() == 0
    assert found[0][found[0] > 0].min() < 1e-20
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert ((found[0] == 1) == (found[1] == 1)).all()
