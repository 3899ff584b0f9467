"""The scores are normalised as docs/measures.md says, by definitions that do not count supports."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr
from sklearn.metrics import mutual_info_score

from dugraph.probability.scores import SCORES

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")

worlds = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 1), min_size=n, max_size=n),
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)),
    )
)


def score(name, presence, y):
    presence, y = np.array(presence), np.array(y)
    a, b = float(presence[y == 1].sum()), float(presence[y == 0].sum())
    return float(SCORES[name](np.array(a), np.array(b), int(y.sum()), int((1 - y).sum())))


@given(worlds)
def test_hsic_is_the_trace_of_centred_linear_kernels(world):
    presence, y = map(np.array, world)
    n = len(y)
    H = np.eye(n) - 1 / n

    def trace(labels):
        K, L = np.outer(presence, presence), np.outer(labels, labels)
        return np.trace(K @ H @ L @ H) / (n - 1) ** 2

    assert score("hsic", *world) == pytest.approx(trace(y), abs=1e-12)
    assert 4 * score("hsic", *world) == pytest.approx(trace(2 * y - 1), abs=1e-12)
    p, q = y.sum(), n - y.sum()
    difference = presence[y == 1].mean() - presence[y == 0].mean()
    assert score("hsic", *world) == pytest.approx((p * q / (n * (n - 1))) ** 2 * difference**2, abs=1e-12)


@given(worlds)
def test_information_gain_is_the_mutual_information_in_nats(world):
    assert score("information_gain", *world) == pytest.approx(mutual_info_score(*world), abs=1e-12)


@given(worlds)
def test_the_g_test_is_a_divergence_of_the_shares(world):
    presence, y = map(np.array, world)
    inside, outside = presence[y == 1].mean(), presence[y == 0].mean()
    divergence = rel_entr(inside, outside) + rel_entr(1 - inside, 1 - outside)
    assert score("g_test", *world) == pytest.approx(2 * y.sum() * divergence, abs=1e-9)


@pytest.mark.parametrize("name", SCORES)
def test_the_page_has_a_formula_of_every_score(name):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")]
    assert len(row.split(" | ")) == 6
