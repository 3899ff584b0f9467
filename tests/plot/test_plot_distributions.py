"""Distributions and dots: what is drawn is what was computed."""

import numpy as np
import pytest
from pictures import ARMS, BRAIN, DOSE, few_levels, many_levels

import dugraph as dg
from dugraph import InputError
from dugraph.plot import (
    plot_containment,
    plot_phenotype,
    plot_score_distribution,
    plot_support_distributions,
)
from dugraph.probability.support import support_distribution


def bars(ax):
    """Middles and heights of the bars, from left to right."""
    found = sorted((bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches)
    return np.array([bar for bar in found if bar[1] > 0]).T


def marks(ax):
    return {line.get_label().split()[0]: line.get_xdata()[0] for line in ax.lines}


def test_stems_are_the_distribution_and_lines_its_measures(ax):
    distribution = few_levels()
    plot_score_distribution(distribution, phi=0.03, ax=ax)
    seen = distribution.probabilities > 1e-3 * distribution.probabilities.max()
    np.testing.assert_allclose(bars(ax), [distribution.values[seen], distribution.probabilities[seen]])
    found = marks(ax)
    assert found["expectation"] == pytest.approx(distribution.expectation())
    assert (found["median"], found["mode"]) == (distribution.median(), distribution.mode())
    tail = [bar for bar in ax.patches if bar.get_hatch() and bar.get_height() > 0]
    assert sum(bar.get_height() for bar in tail) == pytest.approx(
        distribution.phi_probability(0.03), rel=1e-3
    )
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"Pr[F ≥ 0.03] = {distribution.phi_probability(0.03):.3g}" in legend


def test_thousands_of_levels_become_bins_that_hold_their_mass(ax):
    distribution = many_levels()
    plot_score_distribution(distribution, ax=ax)
    places, heights = bars(ax)
    assert len(places) <= 60
    assert heights.sum() == pytest.approx(1, abs=2e-3)
    width = places[1] - places[0]
    inside = np.abs(distribution.values - places[30]) <= width / 2
    assert heights[30] == pytest.approx(distribution.probabilities[inside].sum(), rel=0.05)
    assert ax.get_ylabel() == "probability of a bin"


def test_a_rare_capped_score_leaves_room_for_the_others(ax):
    distribution = dg.ScoreDistribution(np.array([0.01, 0.02, 1000.0]), np.array([0.5, 0.49, 0.01]))
    plot_score_distribution(distribution, phi=500, ax=ax)
    assert ax.get_xlim()[1] < 1
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "expectation 10 →" in legend
    assert "beyond: 0.01, F up to 1000" in legend
    assert "Pr[F ≥ 500] = 0.01" in legend


@pytest.mark.parametrize("values", [[0.0], [5.0], [-1.0, 3.0]])
def test_single_and_negative_scores_can_be_drawn(values, ax):
    n = len(values)
    plot_score_distribution(dg.ScoreDistribution(np.array(values), np.full(n, 1 / n)), phi=0.0, ax=ax)
    low, high = ax.get_xlim()
    assert low < min(values)
    assert high > max(values)


def test_supports_are_poisson_binomial(ax):
    graphs, y = BRAIN
    plot_support_distributions(graphs, y, (0, 1), ax=ax)
    x = dg.containment_probability(graphs, (0, 1))
    for line, label in zip(ax.lines, ("patient", "control"), strict=True):
        np.testing.assert_allclose(line.get_ydata(), support_distribution(x[y == label]), rtol=1e-9)
        assert line.get_label().startswith(f"{label}: {x[y == label].sum():.3g} of 10")
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


@pytest.mark.parametrize("positive", ["patient", "control"])
def test_dots_are_the_containment_probabilities(positive, ax):
    graphs, y = BRAIN
    plot_containment(graphs.edge_probability, y, (0, 1), pos_label=positive, ax=ax)
    x = dg.containment_probability(graphs, (0, 1))
    order = [positive, "control" if positive == "patient" else "patient"]
    dots, means = ax.lines[::2], ax.lines[1::2]
    for dot, mean, label in zip(dots, means, order, strict=True):
        np.testing.assert_array_equal(dot.get_ydata(), x[y == label])
        assert mean.get_ydata()[0] == x[y == label].mean()
    assert [text.get_text() for text in ax.texts] == [f"mean\n{x[y == label].mean():.2f}" for label in order]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [f"{label}\n(n = 10)" for label in order]
    assert dots[0].get_marker() != dots[1].get_marker()


def test_dots_of_many_graphs_stand_apart_and_always_alike(ax):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(1000, 1)) ** 3, np.arange(1000) % 2
    plot_containment(X, y, (0,), ax=ax)
    places = ax.lines[0].get_xdata().copy()
    assert np.abs(places).max() < 0.5
    assert len(np.unique(np.column_stack([places, ax.lines[0].get_ydata()]), axis=0)) == 500
    ax.clear()
    plot_containment(X, y, (0,), ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), places)


def test_groups_stand_side_by_side(ax):
    plot_containment(BRAIN[0], ARMS, (0, 1), ax=ax)
    x = dg.containment_probability(BRAIN[0], (0, 1))
    for dot, mean, group in zip(ax.lines[::2], ax.lines[1::2], ("high", "low", "none"), strict=True):
        np.testing.assert_array_equal(dot.get_ydata(), x[group == ARMS])
        assert mean.get_ydata()[0] == x[group == ARMS].mean()
    assert len({line.get_marker() for line in ax.lines[::2]}) == 3


def test_the_slope_is_the_effect_of_the_search(ax):
    site = np.arange(20) % 3
    for covariates in (None, site):
        ax.clear()
        found = dg.mine_subgraphs(BRAIN[0], DOSE, covariates=covariates, n_subgraphs=3)
        plot_phenotype(BRAIN[0], DOSE, found.subgraphs[0], covariates=covariates, ax=ax)
        dots, line = ax.lines
        (x0, x1), (y0, y1) = line.get_data()
        assert (y1 - y0) / (x1 - x0) == pytest.approx(found.effects[0])
        assert np.polyfit(*dots.get_data(), 1)[0] == pytest.approx(found.effects[0])
    assert ax.get_xlabel() == "phenotype, adjusted"


def test_a_subgraph_that_covariates_explain_has_no_slope(ax):
    """Rounding is neither shown as a slope nor stretched over the whole axis."""
    site = np.arange(20) % 2
    graphs = dg.UncertainGraphs(np.where(site == 1, 0.9, 0.3)[:, None])
    plot_phenotype(graphs, DOSE, (0,), covariates=site, ax=ax)
    assert ax.lines[1].get_label() == "slope 0 per unit"
    low, high = ax.get_ylim()
    assert low <= 0
    assert high >= 1


def test_what_is_wrong_is_said(ax):
    with pytest.raises(InputError, match="numbers with more than two values, but has classes"):
        plot_phenotype(BRAIN[0], ARMS, (0,), ax=ax)
    with pytest.raises(InputError, match="A ScoreDistribution is needed: got list"):
        plot_score_distribution([0.1], ax=ax)
    for phi in (float("nan"), "a"):
        with pytest.raises(InputError, match=f"phi must be a finite number: got {phi!r}"):
            plot_score_distribution(few_levels(), phi=phi, ax=ax)
    with pytest.raises(InputError, match="y must have exactly two classes"):
        plot_containment(BRAIN[0], np.zeros(20), (0,), ax=ax)
