"""Power against sampling by definition, and against tests of cohorts with a known difference."""

import re

import numpy as np
import pytest
from refusals import refusal

from dugraph import LabelledGraphs, power_analysis, significant_subgraphs
from dugraph.significance.power import Planned

RANDOM = np.random.default_rng(0)
PILOT = RANDOM.random((60, 10))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("case", [(0.5, 0.25, 60, 0.1), (0.27, 0.06, 90, 0.15), (0.1, 0.3, 40, 0.22)])
def test_power_is_that_of_normal_means_of_two_classes(case, alternative):
    a, b, n, limit = case
    share, ratios, critical = 0.4, (0.9, 0.5), 2.2
    plan = Planned(critical, limit, share, ratios, alternative)
    random = np.random.default_rng(1)
    one = a + np.sqrt(ratios[0] * a * (1 - a) / (share * n)) * random.normal(size=400_000)
    other = b + np.sqrt(ratios[1] * b * (1 - b) / ((1 - share) * n)) * random.normal(size=400_000)
    whole = share * one + (1 - share) * other
    admitted = whole > limit
    with np.errstate(invalid="ignore"):
        z = (one - other) * np.sqrt(share * (1 - share) * (n - 1) / (whole * (1 - whole)))
    reached = {"two-sided": np.abs(z) > critical, "greater": z > critical, "less": z < -critical}
    power, chance = plan.power(a, b, n)
    assert chance == pytest.approx(admitted.mean(), abs=0.005)
    assert power == pytest.approx((admitted & reached[alternative]).mean(), abs=0.005)


def test_z_of_the_formula_is_that_of_the_test():
    X, y = (RANDOM.random((30, 1)) < 0.5).astype(float), np.arange(30) % 3 == 0
    z = significant_subgraphs(X, y, edges=[[0, 1]]).null_maxima[0, 0]
    m, share = X.mean(), y.mean()
    formula = abs(X[y].mean() - X[~y].mean()) * np.sqrt(share * (1 - share) * 29 / (m * (1 - m)))
    assert z == pytest.approx(formula, rel=1e-12)


def certain(random, n, a, b):
    """Ten edges, present in half of the graphs; the first one in shares a and b of the classes."""
    X, y = (random.random((n, 10)) < 0.5).astype(float), np.arange(n) % 2
    X[:, 0] = random.random(n) < np.where(y == 1, a, b)
    return X, y


def share_found(n, a, b, n_cohorts=150):
    found = 0
    for seed in range(n_cohorts):
        X, y = certain(np.random.default_rng([seed, n]), n, a, b)
        found += (0,) in significant_subgraphs(X, y, max_edges=1, n_permutations=199).subgraphs
    return found / n_cohorts


@pytest.mark.parametrize("n", [40, 80])
def test_predictions_agree_with_tests_of_known_differences(n):
    pilot, _ = certain(np.random.default_rng(5), 60, 0.5, 0.5)
    words = {"n_edges": 1, "frequencies": (0.7, 0.35), "max_edges": 1, "n_graphs": [n]}
    result = power_analysis(pilot, **words)
    # Four standard errors of the observed share, and 0.05.
    assert result.power[0] == pytest.approx(share_found(n, 0.7, 0.35), abs=0.05 + 4 * np.sqrt(0.25 / 150))
    assert min(result.ratios) > 0.99  # certain graphs


def test_a_null_result_states_what_it_could_have_found():
    X, y = certain(np.random.default_rng(6), 60, 0.5, 0.5)
    message = significant_subgraphs(X, y, max_edges=1).message
    sentence = r"power was about 0\.8 for a difference in expected frequency of ([\d.]+) \(1 edge\)"
    difference = float(re.search(sentence, message)[1])
    found = share_found(60, 0.5 + difference / 2, 0.5 - difference / 2)
    assert found == pytest.approx(0.8, abs=0.05 + 4 * np.sqrt(0.16 / 150))


def test_numbers_of_graphs_and_detectable_frequencies_are_where_the_power_is_reached():
    words = {"n_edges": 2, "frequencies": (0.5, 0.3), "n_permutations": 199}
    result = power_analysis(PILOT, **words)
    assert (np.diff(result.power) > 0).all()
    near = power_analysis(PILOT, **words, n_graphs=[result.n_needed - 1, result.n_needed]).power
    assert near[0] < 0.8 <= near[1]
    for n, frequency in zip(result.n_graphs, result.detectable, strict=True):
        one = power_analysis(PILOT, **{**words, "frequencies": (frequency, 0.3)}, n_graphs=[int(n)])
        assert one.power[0] == pytest.approx(0.8, abs=1e-6)
    assert result.to_frame()["power"].tolist() == result.power.tolist()
    assert repr(result).endswith(result.message)
    assert f"{result.n_needed:,} graphs are needed" in result._repr_html_()


def test_labels_of_the_pilot_are_not_used():
    words = {"n_edges": 1, "frequencies": (0.6, 0.4), "n_permutations": 99}
    with_labels = power_analysis(LabelledGraphs(PILOT, np.arange(60) < 20), **words)
    assert with_labels.power.tolist() == power_analysis(PILOT, **words).power.tolist()


def test_a_subgraph_below_the_limit_is_rarely_admitted_and_the_message_says_so():
    result = power_analysis(PILOT, n_edges=1, frequencies=(0.3, 0.1), min_expected_frequency=0.25)
    assert result.n_needed is None
    assert (np.diff(result.admitted) < 0).all()
    assert (result.power <= result.admitted * (1 + 1e-9)).all()
    assert (
        "Its expected frequency over both classes, 0.2, is not above min_expected_frequency = 0.25, so it is "
        "rarely admitted: lower this limit before looking at the labels."
    ) in result.message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"frequencies": (0.5, 0.5)},
            "frequencies must be two different expected frequencies from 0 to 1, of the positive and of the "
            "negative class; got (0.5, 0.5).",
        ),
        ({"power": 1.0}, "power must be a number above 0 and below 1, but is 1.0."),
        ({"power": 80}, "power must be a number above 0 and below 1, but is 80. Write 0.8 for 80 %."),
        ({"ratios": 2}, "ratios must be a number from 0 to 1, or one for each class, but is 2."),
        ({"n_graphs": [2]}, "n_graphs must be numbers of at least 4 graphs, but is [2]."),
        (
            {"max_edges": 1},
            "n_edges must be at most max_edges = 1, but is 2: larger subgraphs are not tested.",
        ),
        (
            {"min_expected_frequency": 0.45},
            "The pilot must have subgraphs of 2 edges, but has none above an expected frequency of 0.45. Use "
            "a smaller min_expected_frequency.",
        ),
    ],
)
def test_refusals(words, message):
    assert refusal(power_analysis, PILOT, **{"n_edges": 2, "frequencies": (0.6, 0.3), **words}) == message
