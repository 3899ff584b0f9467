"""Score functions: values by hand, capping (rule 1), levels (rule 3), functions of the user's, refusals."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refusal
from worlds_by_definition import FORMULAS

from dugraph.exceptions import InputError
from dugraph.probability import measure_subgraph
from dugraph.probability.scores import DEFAULT_PHI, SCORES, default_phi, score_table
from dugraph.words import PAPER_SCORES

LN = math.log


@pytest.mark.parametrize(
    ("score", "supports", "sizes", "by_hand"),
    [
        ("odds_ratio", (3, 1), (4, 4), 49 / 9),
        ("odds_ratio", (0, 2), (3, 2), 1 / 35),
        ("confidence", (0, 0), (3, 2), 0.0),
        ("confidence", (3, 1), (3, 2), 0.75),
        ("confidence", (0, 2), (3, 2), 0.0),
        ("frequency_ratio", (0, 0), (3, 2), 0.0),
        ("frequency_ratio", (3, 1), (3, 2), LN(2)),
        ("frequency_ratio", (1, 2), (3, 2), LN(3)),
        ("frequency_ratio", (3, 2), (3, 2), 0.0),
        ("frequency_ratio", (0, 1), (3, 2), 1000.0),
        ("frequency_ratio", (1, 0), (3, 2), 1000.0),
        ("g_test", (0, 0), (3, 2), 0.0),
        ("g_test", (1, 1), (3, 2), 2 * LN(2 / 3) + 4 * LN(4 / 3)),
        ("g_test", (3, 1), (3, 2), 6 * LN(2)),
        ("g_test", (0, 1), (3, 2), 6 * LN(2)),
        ("g_test", (1, 0), (3, 2), 1000.0),  # divided by b = 0
        ("g_test", (2, 2), (3, 2), 1000.0),  # divided by q - b = 0
        ("hsic", (3, 0), (3, 2), 36 / 400),
        ("hsic", (0, 2), (3, 2), 36 / 400),
        ("hsic", (2, 1), (3, 2), 1 / 400),
        ("information_gain", (0, 0), (3, 2), 0.0),
        ("information_gain", (2, 0), (2, 2), LN(2)),
        ("information_gain", (1, 0), (2, 2), LN(2) - 0.75 * (LN(3) - 2 / 3 * LN(2))),
        ("information_gain", (1, 1), (2, 2), 0.0),
    ],
)
def test_values_by_hand(score, supports, sizes, by_hand):
    assert math.isclose(score_table(score, *sizes).values[supports], by_hand, rel_tol=1e-14, abs_tol=1e-15)


@pytest.mark.parametrize("score", ["frequency_ratio", "hsic", "information_gain"])
def test_two_sided_scores_do_not_depend_on_the_positive_class(score):
    one, other = score_table(score, 5, 8).values, score_table(score, 8, 5).values
    np.testing.assert_allclose(one, other.T, rtol=1e-12, atol=1e-15)


def test_the_g_test_is_two_sided_but_divides_by_the_negative_class():
    values = score_table("g_test", 5, 8).values
    assert values[5, 1] > 1
    assert values[0, 7] > 1
    assert values[0, 8] == values[5, 0] == values[1, 0] == 1000.0
    assert values[0, 1] < 1000.0


class TestCap:
    """Rule 1."""

    def test_infinite_scores_become_1000(self):
        assert score_table("frequency_ratio", 4, 4).levels[-1] == 1000.0

    def test_a_given_cap_flattens_all_that_is_above(self):
        values = score_table("frequency_ratio", 4, 4, score_cap=1.0).values
        assert values.max() == values[4, 1] == values[1, 0] == 1.0
        assert values[1, 2] == pytest.approx(LN(2), rel=1e-15)

    def test_no_finite_score_is_flattened(self):
        # ln(aq / bp) is at most ln 2000, but 2a ln(aq / bp) passes 1000 in larger cohorts.
        table = score_table("g_test", 300, 300)
        by_hand = 2 * 299 * LN(299 / 1) + 2 * LN(1 / 299)
        assert by_hand > 1000
        assert table.values[299, 1] == pytest.approx(by_hand, rel=1e-13)
        assert table.levels[-1] == table.values[300, 0] >= by_hand

    def test_no_finite_score_of_a_function_is_flattened(self):
        table = score_table(lambda a, b, p, q: np.where(b > 0, 5000.0 * a, np.inf), 3, 1)
        assert table.values[:, 1].tolist() == [0.0, 5000.0, 10000.0, 15000.0]
        assert table.values[:, 0].tolist() == [15000.0] * 4


class TestLevels:
    """Rule 3."""

    def test_values_within_the_tolerance_are_one_level_with_the_largest_value(self):
        near, far = 1.0 + 0.9e-12, 1.0 + 5e-12
        scores = np.array([[0.0, 1.0], [near, far], [0.5, 1.0]])
        table = score_table(lambda a, b, p, q: scores, 2, 1)
        assert table.levels.tolist() == [0.0, 0.5, near, far]
        assert table.level_of.tolist() == [[0, 2], [2, 3], [1, 2]]

    def test_the_tolerance_grows_with_the_largest_score(self):
        def score(a, b, p, q):
            return np.where(b > 0, 100.0, 50.0 + 4e-11 * a)

        assert score_table(score, 2, 1).levels.tolist() == [50.0 + 8e-11, 100.0]

    def test_a_table_of_zeros_is_one_level(self):
        assert score_table(lambda a, b, p, q: 0.0 * a, 2, 3).levels.tolist() == [0.0]

    @pytest.mark.parametrize("score", SCORES)
    def test_named_scores_are_never_below_zero_and_zero_is_plus_zero(self, score):
        levels = score_table(score, 21, 35).levels
        lowest = min(FORMULAS[score](a, b, 21, 35)[0] for a in range(22) for b in range(36))
        assert levels[0] == pytest.approx(round(lowest, 14), rel=1e-10, abs=0)
        assert not np.signbit(levels[0])
        assert (np.diff(levels) > 0).all()

    @pytest.mark.parametrize("score", ["g_test", "information_gain"])
    def test_equal_shares_are_level_zero_despite_rounding(self, score):
        table = score_table(score, 21, 35)
        shares = [(3 * k, 5 * k) for k in range(8)]
        assert {int(table.level_of[pair]) for pair in shares} == {0}

    def test_scores_of_a_function_may_be_negative(self):
        assert score_table(lambda a, b, p, q: a - b, 1, 1).levels.tolist() == [-1.0, 0.0, 1.0]

    def test_hsic_has_one_level_per_distance(self):
        assert score_table("hsic", 4, 4).levels.size == 5


class TestFunctionsOfTheUser:
    def test_a_score_function_equals_the_named_score(self):
        X, y = [[0.8], [0.5], [0.1], [0.3]], [1, 1, 0, 0]
        for name, function in SCORES.items():
            for measure in ("expectation", "median", "mode"):
                by_name = measure_subgraph(X, y, (0,), score=name, measure=measure)
                assert measure_subgraph(X, y, (0,), score=function, measure=measure) == by_name

    def test_it_sees_all_supports_and_the_class_sizes(self):
        seen = []

        def score(a, b, p, q):
            seen.append((a.tolist(), b.tolist(), p, q))
            return a

        score_table(score, 1, 2)
        assert seen == [([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]], 1, 2)]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        *[
            (
                value,
                "A score function gets arrays of shape (4, 2) and must return that shape, but returned "
                f"{np.shape(value)}. Write it with NumPy operations on a and b.",
            )
            for value in (1.0, np.zeros(4), np.zeros((2, 4)))
        ],
        *[
            (
                np.where(np.arange(8).reshape(4, 2) == 5, wrong, 0.0),
                f"A score must be a number or +inf for all supports, but f(2, 1, 3, 1) is {wrong}. "
                "Define it there, for instance as 0.",
            )
            for wrong in (math.nan, -math.inf)
        ],
    ],
)
def test_what_a_score_function_must_not_return(returned, message):
    assert refusal(score_table, lambda a, b, p, q: returned, 3, 1) == message


@pytest.mark.parametrize(
    "scalar", [lambda a, b, p, q: 0.0 if b == 0 else a / b, lambda a, b, p, q: math.log(a + b + 1)]
)
def test_the_error_for_a_scalar_function_says_that_scores_receive_arrays(scalar):
    with pytest.raises(InputError, match=r"arrays of shape \(4, 2\) .* it failed: .* np\.where for cases"):
        score_table(scalar, 3, 1)


def test_wrong_names_caps_and_phi_are_refused():
    known = ", ".join(SCORES)
    assert refusal(score_table, "gtest", 2, 2) == (
        f"score must be one of {known} or a function f(a, b, p, q), but is 'gtest'."
    )
    for cap in (math.inf, -math.inf, math.nan):
        assert refusal(score_table, "hsic", 2, 2, score_cap=cap) == (
            f"score_cap must be finite, but is {cap}. Use None for the default."
        )
    for phi in (math.nan, math.inf):
        assert refusal(default_phi, "hsic", phi) == (
            f"phi must be a finite number, but is {phi}. Give the score that counts as discriminative."
        )
    own = {"score": lambda a, b, p, q: a, "measure": "phi_probability"}
    assert refusal(measure_subgraph, [[0.5], [0.5]], [0, 1], (0,), **own) == (
        "Your own score function has no default phi, but phi is None. Give phi=..."
    )


def test_the_page_of_measures_lists_every_score_with_its_default_phi():
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    table = page.partition("| default φ |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \|$", table, re.MULTILINE)
    assert {name: float(phi) for name, phi in rows} == DEFAULT_PHI


def test_default_phi():
    paper = {"confidence": 0.5, "frequency_ratio": 1.0, "g_test": 200.0, "hsic": 0.03}
    assert {name: DEFAULT_PHI[name] for name in PAPER_SCORES} == paper
    assert default_phi("hsic", None) == 0.03
    assert default_phi("hsic", 0) == 0.0
