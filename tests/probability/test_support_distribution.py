"""Support distributions: the compiled core and the NumPy reference against exact arithmetic and SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from dugraph.exceptions import InputError
from dugraph.probability.containment import support_distribution as reference
from dugraph.search import support_distribution

SMALLEST = 1e-250  # below this mass no relative accuracy is promised

# Lengths around which the core changes its ways: sweeps of 4, registers of 8, pieces from 193, up to 128.
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 50, 100, 191, 192, 193, 200, 257, 1000, 1025, 2049]


def exact(probabilities):
    # Integers over one power of two: reducing fractions would take most of the time.
    pmf, whole = [1], 1
    for success, of in map(float.as_integer_ratio, probabilities.tolist()):
        pmf = [(of - success) * a + success * b for a, b in zip([*pmf, 0], [0, *pmf], strict=True)]
        whole *= of
    return [Fraction(mass, whole) for mass in pmf]


def exact_binomial(n, probability, supports):
    # Integers over one power of two; the quotient of two integers is rounded once.
    success, whole = probability.as_integer_ratio()
    return [math.comb(n, i) * success**i * (whole - success) ** (n - i) / whole**n for i in supports]


def assert_relatively_close(pmf, truth, tolerance=1e-12):
    truth = np.array([float(mass) for mass in truth])
    seen = truth > SMALLEST
    np.testing.assert_allclose(pmf[seen], truth[seen], rtol=tolerance, atol=0)
    np.testing.assert_allclose(pmf[~seen], truth[~seen], rtol=0, atol=SMALLEST * 1e-10)


def hard_vectors(n, seed=0):
    random = np.random.default_rng(seed)
    uniform = random.random(n)
    return [
        uniform,
        np.where(uniform < 0.3, 0.0, np.where(uniform > 0.7, 1.0, random.random(n))),
        np.where(uniform < 0.5, 1e-300, random.random(n)),
        10.0 ** random.uniform(-300, 0, n),
        1.0 - 10.0 ** random.uniform(-16, 0, n),
        np.full(n, 0.3),
        np.full(n, np.nextafter(0.5, 0)),  # 1 - x is a tie: the worst rounding there is
        np.zeros(n),
        np.ones(n),
        np.full(n, 1e-300),
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 33, 60])
def test_against_rational_arithmetic(n):
    for probabilities in hard_vectors(n):
        truth = exact(probabilities)
        assert_relatively_close(support_distribution(probabilities), truth)
        assert_relatively_close(reference(probabilities), truth)


@pytest.mark.parametrize("n", [60, 192, 193, 1000, 5000])
@pytest.mark.parametrize("probability", [0.3, np.nextafter(0.5, 0), 1e-4, 1.5 * 2.0**-53, 0.999, 1e-300])
def test_against_exact_binomials(n, probability):
    pmf = support_distribution(np.full(n, probability))
    supports = [i for i in range(n + 1) if pmf[i] > SMALLEST]
    some = sorted({*supports[:3], *supports[:: max(1, len(supports) // 25)], *supports[-3:]})
    np.testing.assert_allclose(pmf[some], exact_binomial(n, float(probability), some), rtol=1e-12, atol=0)


@pytest.mark.parametrize("n", LENGTHS)
def test_against_the_reference(n):
    for probabilities in hard_vectors(n):
        assert_relatively_close(support_distribution(probabilities), reference(probabilities), 1e-13)


@pytest.mark.skipif(not hasattr(stats, "poisson_binom"), reason="SciPy has it since 1.15")
@pytest.mark.parametrize("n", [1, 10, 100, 500, 2000])
def test_against_scipy(n):
    # SciPy's masses come from a Fourier transform: they have an absolute accuracy, no relative one.
    for probabilities in hard_vectors(n)[:3]:
        truth = stats.poisson_binom(probabilities).pmf(np.arange(n + 1))
        np.testing.assert_allclose(support_distribution(probabilities), truth, rtol=0, atol=2e-14)


@pytest.mark.parametrize("n", [*LENGTHS, 5000, 10_000])
def test_a_tail_neglects_no_more_than_it_may(n):
    for probabilities in [*hard_vectors(n), np.full(n, 1e-4), np.full(n, 1 / n)]:
        full = support_distribution(probabilities)
        windowed = support_distribution(probabilities, tail=1e-16)
        np.testing.assert_allclose(windowed, full, rtol=0, atol=1e-15)
        for tail in (1e-16, 1e-6, 0.1):
            pmf = support_distribution(probabilities, tail=tail)
            assert full[pmf == 0].sum() <= tail * (1 + 1e-9)
            assert np.all(pmf <= full * (1 + 1e-12))
            assert full.sum() - pmf.sum() <= tail * (1 + 1e-9) + 1e-12


def test_a_tail_opens_a_window():
    pmf = support_distribution(np.full(10_000, 0.5), tail=1e-16)
    kept = np.flatnonzero(pmf)
    assert 8 * 50 < len(kept) < 20 * 50  # 50 is the standard deviation
    assert len(kept) == kept[-1] - kept[0] + 1


@pytest.mark.parametrize("n", [0, *LENGTHS])
@pytest.mark.parametrize("tail", [0.0, 1e-16])
def test_a_batch_gives_the_results_of_single_vectors(n, tail):
    batch = np.array(hard_vectors(n) + hard_vectors(n, seed=1) + hard_vectors(n, seed=2))
    singles = [support_distribution(row, tail=tail).tobytes() for row in batch]
    for count in (1, 2, 3, 7, 8, 9, 16, 29):
        rows = support_distribution(batch[:count], tail=tail)
        assert [row.tobytes() for row in rows] == singles[:count]


@pytest.mark.parametrize("function", [support_distribution, reference])
def test_shapes(function):
    random = np.random.default_rng(3)
    np.testing.assert_array_equal(function([]), [1.0])
    assert function(np.zeros((0, 5))).shape == (0, 6)
    assert function(np.zeros((2, 0))).tolist() == [[1.0], [1.0]]
    cube = random.random((2, 3, 4))
    np.testing.assert_array_equal(function(cube)[1, 2], function(cube[1, 2]))
    np.testing.assert_array_equal(function(cube.transpose(2, 1, 0))[3, 1], function(cube[:, 1, 3].copy()))
    np.testing.assert_array_equal(function(np.array([True, False])), [0.0, 1.0, 0.0])
    assert function(np.zeros(3, dtype=np.float32)).dtype == np.float64


vectors = arrays(
    np.float64,
    array_shapes(min_dims=1, max_dims=2, max_side=300),
    elements=st.floats(0, 1),
    fill=st.floats(0, 1),
)


@settings(max_examples=150)
@given(vectors)
def test_properties(probabilities):
    pmf = support_distribution(probabilities)
    n = probabilities.shape[-1]
    assert np.all(pmf >= 0)
    np.testing.assert_allclose(pmf.sum(axis=-1), 1.0, rtol=1e-12)
    mean = probabilities.sum(axis=-1)
    np.testing.assert_allclose(pmf @ np.arange(n + 1), mean, rtol=1e-12, atol=1e-300)
    variance = (probabilities * (1 - probabilities)).sum(axis=-1)
    spread = (pmf * (np.arange(n + 1) - mean[..., np.newaxis]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(spread, variance, rtol=1e-9, atol=1e-9)


@settings(max_examples=100)
@given(arrays(np.int64, st.integers(1, 300), elements=st.integers(0, 2**40), fill=st.integers(0, 2**40)))
def test_reversal(numerators):
    probabilities = numerators / 2.0**40  # 1 - x is exact, so that absence can stand for presence
    absences = 1.0 - probabilities
    assert_relatively_close(support_distribution(absences), support_distribution(probabilities)[::-1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"probabilities": [0.2, 1.5]}, r"lie in \[0, 1\]; probabilities\[1\] is 1\.5\. Rescale"),
        ({"probabilities": [[0.2, 0.1], [0.3, -1e-9]]}, r"probabilities\[1, 1\] is -1e-09\. Rescale"),
        ({"probabilities": [0.2, np.inf]}, r"probabilities\[1\] is inf"),
        ({"probabilities": [[0.2, np.nan, 2.0]]}, r"be missing; probabilities\[0, 1\] is nan\. Leave out"),
        ({"probabilities": 0.5}, r"at least one axis.*received the single number 0\.5\. Pass \[0\.5\]"),
        ({"probabilities": ["a"]}, r"real numbers; received list .*Pass one row"),
        ({"probabilities": [[0.1], [0.2, 0.3]]}, r"real numbers; received list .*rows of equal length"),
        ({"probabilities": [0.5 + 0.1j]}, r"real numbers; received list \(complex numbers\)"),
        ({"probabilities": None}, r"received the single number nan|real numbers; received NoneType"),
        ({"probabilities": [0.5], "tail": 1.0}, r"0 <= tail < 1; received 1\.0\. Use 0"),
        ({"probabilities": [0.5], "tail": -1e-3}, r"0 <= tail < 1; received -0\.001"),
        ({"probabilities": [0.5], "tail": math.nan}, r"received nan"),
        ({"probabilities": [0.5], "tail": "wide"}, r"received 'wide'"),
    ],
)
def test_errors_state_rule_value_and_remedy(arguments, message):
    with pytest.raises(InputError, match=message):
        support_distribution(**arguments)
