"""The summary of a score's distribution in results, against the readable reference."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dugraph.data import LabelledGraphs
from dugraph.probability import measures as reference
from dugraph.probability.measures import phi_probability
from dugraph.probability.scores import SCORES
from dugraph.results.tables import score_summaries
from dugraph.search import distribution


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


@pytest.mark.parametrize("score", SCORES)
def test_without_a_table_the_summaries_are_the_same(monkeypatch, score):
    random = np.random.default_rng(3)
    cohort = LabelledGraphs.of(random.beta(4, 2, (160, 6)), np.arange(160) % 2)
    subgraphs = [(e,) for e in range(6)] * 6  # more than are looked at together
    found = []
    for most_cells in (2**62, 0):
        monkeypatch.setattr(distribution, "MOST_CELLS", most_cells)
        found.append(score_summaries(subgraphs, cohort, score, None, None))
    assert len(found[1]) == 36
    for by_table, by_window in zip(*found, strict=True):
        quantiles = by_table.pop("quantiles"), by_window.pop("quantiles")
        assert quantiles[0] == pytest.approx(quantiles[1], rel=1e-12)
        # The level of 0 has the largest of its scores as its value: sums of logarithms, a rounding of 1.
        assert by_window.pop("mode") == pytest.approx(by_table.pop("mode"), rel=1e-9, abs=1e-15)
        assert by_window == pytest.approx(by_table, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("mean", "counts"), [(0.5, (1, 16)), (1e-4, (16, 160))])
def test_memory_does_not_grow_with_the_subgraphs(monkeypatch, mean, counts):
    # Large distributions of the score for each subgraph, or small ones of many graphs.
    monkeypatch.setattr(distribution, "MOST_CELLS", 0)
    random = np.random.default_rng(4)
    X = random.uniform(0, 2 * mean, (1600, 3)).astype(np.float32)
    cohort = LabelledGraphs.of(X, np.arange(1600) % 2)
    peaks = []
    for n_subgraphs in counts:
        tracemalloc.start()
        score_summaries([(0,)] * n_subgraphs, cohort, "confidence", None, None)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
