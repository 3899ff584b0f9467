"""Named scores on windows of supports: the same bytes as from tables of all supports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_cohorts import SOAK, Floats, Random

from dugraph import InputError, mine_subgraphs
from dugraph.probability.scores import SCORES, level_table, score_values
from dugraph.search import goals
from dugraph.search.core import ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.search.distribution import (
    ScoreWindows,
    phi_probabilities,
    score_distributions,
    support_distributions,
)
from dugraph.words import DEFAULT_PHI, MEASURES

N_COHORTS = 3000 if SOAK else 60
LARGEST = 2000 if SOAK else 400


def ring_cohort(random: Random, n_graphs: int) -> tuple[Floats, Any, Any]:
    """Graphs of a ring with a chord, one edge of which may differ between the classes."""
    edges = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    y = np.arange(n_graphs) < max(1, min(n_graphs - 1, round(n_graphs * random.uniform(0.1, 0.9))))
    kind = random.integers(4)
    if kind == 0:  # certain
        X = (random.random((n_graphs, 5)) < 0.8).astype(float)
    elif kind == 1:  # as near to certain as a program can tell
        X = random.choice([0.0, 1e-9, 1 - 1e-9, 1.0], (n_graphs, 5), p=[0.1, 0.1, 0.1, 0.7])
    else:
        X = random.beta(*random.uniform(0.5, 20, 2), (n_graphs, 5)) ** random.uniform(0.1, 1)
    if random.random() < 0.6:
        X[y, 0] *= random.uniform(0, 1)
    return X, y.astype(int), edges


@pytest.fixture
def both_ways(monkeypatch):
    """Search with tables and with windows."""

    def search(*args: Any, **asked: Any) -> list[Any]:
        found = []
        for most_cells in (2**62, 0):
            monkeypatch.setattr(goals, "MOST_CELLS", most_cells)
            found.append(mine_subgraphs(*args, **asked))
        return found

    return search


@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
@pytest.mark.parametrize("block", range(N_COHORTS // 20))
def test_windows_give_the_bytes_of_tables(both_ways: Any, block: int) -> None:
    random = np.random.default_rng([17, block])
    for _ in range(20):
        n_graphs = int(np.exp(random.uniform(np.log(2), np.log(LARGEST))))
        X, y, edges = ring_cohort(random, n_graphs)
        score = str(random.choice(list(SCORES)))
        measure = str(random.choice(list(MEASURES)))
        asked: dict[str, Any] = {
            "score": score,
            "measure": measure,
            "n_subgraphs": int(random.integers(1, 12)),
            "min_expected_frequency": float(random.uniform(0, X.mean(axis=0).max() * 0.9)),
            "bound": str(random.choice(["frequency", "worldwise", "mass", "mass"])),
            "n_jobs": int(random.integers(1, 3)),
        }
        if measure == "quantile":
            asked["quantile"] = float(random.uniform(0.01, 0.99))
        n_pos = int(y.sum())
        levels = level_table(score_values(score, n_pos, n_graphs - n_pos)).levels
        if measure == "phi_probability" and random.random() < 0.7:  # a level, or beside one
            asked["phi"] = float(levels[random.integers(levels.size)] * random.choice([1, 1 + 1e-13, 0.999]))
        if random.random() < 0.2:
            asked["score_cap"] = float(levels[-1] * random.uniform(0.05, 1.5))
        by_table, by_window = both_ways(X, y, edges=edges, **asked)
        assert by_window.success
        assert by_table.subgraphs == by_window.subgraphs, (n_graphs, asked)
        assert by_table.values.tobytes() == by_window.values.tobytes(), (n_graphs, asked)


@pytest.mark.parametrize("name", SCORES)
def test_compiled_scores_are_the_readable_ones(name: str) -> None:
    for sizes in [*np.ndindex(8, 8), (300, 211)]:
        n_pos, n_neg = (int(size) + 1 for size in sizes)
        compiled = compiled_values(getattr(ScoreName, name), n_pos, n_neg)
        reference = score_values(name, n_pos, n_neg)
        # The G-test is a difference of terms of the size of the classes.
        np.testing.assert_allclose(compiled, reference, rtol=1e-13, atol=1e-15 * (n_pos + n_neg))
        assert level_table(compiled).levels[-1] == pytest.approx(level_table(reference).levels[-1], rel=1e-14)


@pytest.mark.parametrize("cap", [0.0, -1.0, np.inf, np.nan])
def test_invalid_caps_are_refused_with_and_without_a_table(
    monkeypatch: pytest.MonkeyPatch, cap: float
) -> None:
    X, y, edges = ring_cohort(np.random.default_rng(0), 20)
    told = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(goals, "MOST_CELLS", most_cells)
        with pytest.raises(InputError, match="score_cap must") as refused:
            mine_subgraphs(X, y, edges=edges, score_cap=cap, measure="mode")
        told.append(str(refused.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("score", SCORES)
def test_distributions_from_windows_are_those_of_tables(monkeypatch: pytest.MonkeyPatch, score: str) -> None:
    random = np.random.default_rng(5)
    X, y = random.beta(4, 2, (90, 4)), (np.arange(90) < 35).astype(int)
    phi = DEFAULT_PHI[score] if score != "g_test" else 20.0
    found = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(goals, "MOST_CELLS", most_cells)
        supports = support_distributions(X, y, [(0,), (1, 2), (0, 1, 2, 3)], score)
        summaries = [
            (one.expectation(), one.median(), one.mode(), one.quantile(0.9), one.standard_deviation())
            for one in score_distributions(supports)
        ]
        found.append((np.array(summaries), phi_probabilities(supports, phi)))
    assert isinstance(supports.table, ScoreWindows)
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)


def test_every_named_score_is_compiled() -> None:
    assert {name for name in DEFAULT_PHI if not goals.needs_table(name, 20_000, 20_000)} == set(SCORES)
    assert goals.needs_table(lambda a, b, p, q: a, 20_000, 20_000)
    assert goals.needs_table("hsic", 50, 50)


@pytest.mark.parametrize("score", SCORES)
def test_edges_of_scores_part_the_supports_as_levels_do(score: str) -> None:
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


@pytest.mark.parametrize("score", SCORES)
def test_any_phi_has_the_probability_of_the_table(monkeypatch: pytest.MonkeyPatch, score: str) -> None:
    random = np.random.default_rng(6)
    X, y = random.beta(3, 2, (150, 3)), (np.arange(150) < 60).astype(int)
    subgraphs = [(0,), (1, 2), (0, 1, 2)]
    levels = level_table(score_values(score, 60, 90)).levels
    found = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(goals, "MOST_CELLS", most_cells)
        supports = support_distributions(X, y, subgraphs, score)
        asked = [-1.0, 0.0, *levels[:: len(levels) // 40], levels[-1], 2 * levels[-1]]
        found.append(np.array([phi_probabilities(supports, float(phi)) for phi in asked]))
    # From what is certain to what happens once in 10^20 worlds, or never.
    assert found[0].max() == 1
    assert found[0].min() == 0
    assert found[0][found[0] > 0].min() < 1e-20
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert ((found[0] == 1) == (found[1] == 1)).all()
