"""Permutations given covariates: their distribution, their slopes, and that the observed is one of them."""

import itertools
import os

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom, chi2
from test_permutations import design_of

from dugraph.significance import permutations
from dugraph.significance.permutations import ConditionalPermutations, pairwise_slopes

N_TRIALS = 2_000 if os.environ.get("DUGRAPH_SOAK") else 200


def exact_probabilities(design, lean, values):
    """The probability of each arrangement of the labels within cells, by going through all of them."""
    units = design.units
    rows = set()
    for order in itertools.permutations(range(units.n_units)):
        if (units.cells[list(order)] == units.cells).all():
            rows.add(tuple(units.codes[list(order)].tolist()))
    weight = {row: np.exp((values[list(row)] * lean).sum()) for row in rows}
    total = sum(weight.values())
    return {row: one / total for row, one in weight.items()}


@pytest.mark.parametrize("codes", [[0, 1, 1, 0, 1, 0, 1], [0, 1, 2, 0, 3, 4, 3]])
def test_draws_follow_the_probability_given_the_covariates(codes, monkeypatch):
    z = np.array([[0.3], [-1.0], [1.4], [0.1], [0.9], [-0.4], [-1.1]])
    monkeypatch.setattr("dugraph.significance.design.LEAST_DEGREES_OF_FREEDOM", 1)
    monkeypatch.setattr(permutations, "pairwise_slopes", lambda *_: np.array([[0.7]]))
    design = design_of(codes, [0, 0, 0, 0, 1, 1, 1], z)
    drawn = ConditionalPermutations(design, 1)
    wanted = exact_probabilities(design, drawn._lean, drawn._values)
    n = 20_000
    rows, counts = np.unique(drawn.codes(1, n + 1), axis=0, return_counts=True)
    seen = dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))
    assert set(seen) <= set(wanted)
    assert max(wanted.values()) > 5 * min(wanted.values())  # far from uniform
    distance = sum((seen.get(row, 0) - n * p) ** 2 / (n * p) for row, p in wanted.items())
    assert distance < chi2.isf(1e-6, len(wanted) - 1)


def test_after_few_steps_draws_are_still_exchangeable_with_the_observed(monkeypatch):
    """The rank of the observed labels among draws is uniform although walks are short and draws alike."""
    monkeypatch.setattr(permutations, "N_STEPS", 2)
    monkeypatch.setattr(permutations, "pairwise_slopes", lambda *_: np.array([[0.4]]))
    random = np.random.default_rng(8)
    first = 0
    for trial in range(N_TRIALS):
        z = random.normal(size=(20, 1))
        y = np.concatenate([[0, 1], random.random(18) < 0.5]).astype(int)
        design = design_of(y.tolist(), [0] * 20, z)
        lean, values = ConditionalPermutations(design, 0)._lean, ConditionalPermutations(design, 0)._values
        # Labels drawn from the model by many single swaps, so that they are what the test assumes.
        for i, j in random.integers(0, 20, (600, 2)):
            if random.random() < expit(-((values[y[i]] - values[y[j]]) * (lean[i] - lean[j])).sum()):
                y[i], y[j] = y[j], y[i]
        rows = ConditionalPermutations(design_of(y.tolist(), [0] * 20, z), trial).codes(0, 20)
        along = rows @ z[:, 0]
        first += (along > along[0]).sum() + random.integers((along == along[0]).sum()) == 0
    assert first < binom.isf(1e-6, N_TRIALS, 1 / 20)
    assert first > binom.ppf(1e-6, N_TRIALS, 1 / 20)


def test_slopes_maximise_the_pairwise_likelihood():
    random = np.random.default_rng(2)
    z, cells = random.normal(size=(30, 2)), np.repeat([0, 1], 15)
    labels = np.column_stack([z @ [1.0, -0.5] + random.normal(size=30), random.normal(size=30)])

    def loss(flat):
        slopes, total, n_pairs = flat.reshape(2, 2), 0.0, 0
        for i, j in itertools.combinations(range(30), 2):
            if cells[i] == cells[j]:
                total += np.log1p(np.exp(-(labels[i] - labels[j]) @ slopes.T @ (z[i] - z[j])))
                n_pairs += 1
        return 30 / n_pairs * total + 0.005 * (flat**2).sum()

    wanted = minimize(loss, np.zeros(4), tol=1e-10).x.reshape(2, 2)
    np.testing.assert_allclose(pairwise_slopes(labels, z, cells), wanted, atol=1e-4)


def test_slopes_find_the_truth_in_a_large_cohort_with_intercepts_per_block():
    random = np.random.default_rng(3)
    n = 20_000
    cells = np.repeat(np.arange(2_000), 10)
    z = random.normal(size=(n, 1)) + random.normal(size=2_000)[cells, None]
    y = (random.random(n) < expit(0.8 * z[:, 0] + 2 * random.normal(size=2_000)[cells])).astype(float)
    assert pairwise_slopes(y[:, None], z, cells)[0, 0] == pytest.approx(0.8, abs=0.06)


def test_slopes_stay_finite_where_the_covariate_separates_the_labels():
    z = np.linspace(-1, 1, 20)[:, None]
    slopes = pairwise_slopes((z > 0).astype(float), z, np.zeros(20, dtype=int))
    assert 5 < slopes[0, 0] < 200


def test_the_observed_labels_and_a_draw_can_change_places(monkeypatch):
    """The law of walks of two given steps is symmetric only if the way to the hub takes them backwards."""
    pairs = np.array([[[0], [1]], [[1], [2]]])
    monkeypatch.setattr(permutations, "N_STEPS", 2)
    monkeypatch.setattr(permutations, "_matching", lambda cells, random_state, step: pairs[step])
    monkeypatch.setattr(permutations, "pairwise_slopes", lambda *_: np.array([[0.3]]))
    monkeypatch.setattr("dugraph.significance.design.LEAST_DEGREES_OF_FREEDOM", 0)
    z = np.array([[0.0], [1.0], [-0.5]])
    design = design_of([0, 1, 2], [0, 0, 0], z)
    start = ConditionalPermutations(design, 0)
    wanted = exact_probabilities(design, start._lean, start._values)
    random, rows = np.random.default_rng(4), list(wanted)
    seen = np.zeros((6, 6))
    for trial, k in enumerate(random.choice(6, 3_000, p=list(wanted.values()))):
        draw = ConditionalPermutations(design_of(list(rows[k]), [0, 0, 0], z), trial).codes(1, 2)[0]
        seen[k, rows.index(tuple(draw.tolist()))] += 1
    above = np.triu_indices(6, 1)
    both = (seen + seen.T)[above]
    distance = ((seen - seen.T)[above] ** 2 / np.maximum(both, 1)).sum()
    assert distance < chi2.isf(1e-6, len(both))
