"""Plots of a test, a replication, power and sensitivity show the numbers of the result."""

import dataclasses

import numpy as np
import pytest
from pictures import SIGNED, legend_words, made_power, made_replication, made_sensitivity, made_test

import dugraph as dg
from dugraph.plot.style import NEGATIVE, POSITIVE

REPLICATION = made_replication(*SIGNED)
POWER = made_power()
SENSITIVITY = made_sensitivity(*SIGNED)


def test_representatives_have_the_colour_of_their_sign_and_the_width_of_their_effect(ax):
    graphs, y = SIGNED
    result = made_test(graphs, y)
    dg.plot.plot_significant_subgraphs(result, graphs, ax=ax)
    chosen = {
        edge: float(result.effects[k])
        for k in np.flatnonzero(result.representative)
        for edge in result.subgraphs[k]
    }
    drawn = {int(line.get_label().split()[1]): line for line in ax.lines if "_edge" in line.get_label()}
    assert drawn.keys() == chosen.keys()
    assert min(chosen.values()) < 0 < max(chosen.values())
    for edge, effect in chosen.items():
        assert drawn[edge].get_color() == (POSITIVE if effect >= 0 else NEGATIVE).colour
    widths = sorted(chosen, key=lambda edge: abs(chosen[edge]))
    assert [drawn[e].get_linewidth() for e in widths] == sorted(
        line.get_linewidth() for line in drawn.values()
    )
    words = legend_words(ax)
    n_positive = int((result.effects[result.representative] >= 0).sum())
    n_negative = int(result.representative.sum()) - n_positive
    assert words == [f"more frequent in patient: {n_positive}", f"more frequent in control: {n_negative}"]


@pytest.mark.parametrize(
    ("labels", "contrasts", "words"),
    [
        ("classes", ["asd against td"], ["more frequent in asd: 1", "more frequent in td: 1"]),
        ("classes", ["$a$ against b"], [r"more frequent in \$a\$: 1", "more frequent in b: 1"]),
        ("phenotype", ["per unit of y"], ["rises with the phenotype: 1", "falls with the phenotype: 1"]),
        (
            "groups",
            ["high against the rest", "low against the rest"],
            ["more frequent in a group: 1", "less frequent in a group: 1"],
        ),
    ],
)
def test_the_legend_says_what_a_sign_means(labels, contrasts, words, ax):
    graphs, y = SIGNED
    result = made_test(graphs, y)
    first = [int(np.flatnonzero(result.representative & (sign * result.effects > 0))[0]) for sign in (1, -1)]
    result = dataclasses.replace(
        result,
        representative=np.isin(np.arange(len(result)), first),
        parameters={**result.parameters, "labels": labels},
        contrasts=[contrasts[k % len(contrasts)] for k in range(len(result))],
    )
    dg.plot.plot_significant_subgraphs(result, graphs, ax=ax)
    assert legend_words(ax) == words
    # Within sites, or given covariates, plain frequencies may say something else.
    given = dataclasses.replace(result, parameters={**result.parameters, "covariates": ["age"]})
    dg.plot.plot_significant_subgraphs(given, graphs, ax=ax)
    adjusted = [word.replace(":", ", adjusted:") for word in words]
    assert legend_words(ax) == adjusted


def rows_of(ax):
    """The dots and the ends of the intervals, from the first row to the last."""
    dots = {line.get_ydata()[0]: line for line in ax.lines if line.get_marker() not in ("None", None, "")}
    bars = {line.get_ydata()[0]: line.get_xdata() for line in ax.lines if line.get_ydata()[0] in dots}
    rows = sorted(dots, reverse=True)
    intervals = {
        line.get_ydata()[0]: tuple(line.get_xdata())
        for line in ax.lines
        if len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]
    }
    assert bars.keys() == intervals.keys()
    return [(dots[row].get_xdata()[0], *intervals[row]) for row in rows], [dots[row] for row in rows]


def test_both_cohorts_stand_below_each_other(ax):
    dg.plot.plot_replication(REPLICATION, ax=ax)
    numbers, dots = rows_of(ax)
    first, second = numbers[::2], numbers[1::2]
    n = min(len(REPLICATION), 12)
    assert len(first) == len(second) == n
    rows = [REPLICATION.discovery.subgraphs.index(g) for g in REPLICATION.subgraphs[:n]]
    np.testing.assert_allclose([one[0] for one in first], REPLICATION.first_effects[:n])
    np.testing.assert_allclose([one[1:] for one in first], REPLICATION.discovery.effect_intervals[rows])
    np.testing.assert_allclose([one[0] for one in second], REPLICATION.effects[:n])
    np.testing.assert_allclose([one[1:] for one in second], REPLICATION.effect_intervals[:n])
    for k, dot in enumerate(dots[1::2]):
        if REPLICATION.replicated[k]:
            side = POSITIVE if REPLICATION.first_effects[k] >= 0 else NEGATIVE
            assert dot.get_color() == side.colour
    assert {bool(one >= 0) for one in REPLICATION.first_effects[REPLICATION.replicated][:n]} == {True, False}
    assert ax.get_xlabel() == "effect: patient against control"


def test_a_subgraph_has_a_row_for_each_block(ax):
    dg.plot.plot_replication(REPLICATION, 1, ax=ax)
    numbers, _ = rows_of(ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["first cohort", "a (n = 10)", "b (n = 10)", "second cohort"]
    np.testing.assert_allclose([one[0] for one in numbers[1:3]], REPLICATION.block_effects[1])
    np.testing.assert_allclose([one[1:] for one in numbers[1:3]], REPLICATION.block_intervals[1])
    assert numbers[3][0] == REPLICATION.effects[1]


def line(ax, label):
    return next(one for one in ax.lines if one.get_label() == label)


def test_curves(ax):
    dg.plot.plot_power(POWER, ax=ax)
    assert line(ax, "significant").get_xdata().tolist() == POWER.n_graphs.tolist()
    assert line(ax, "significant").get_ydata().tolist() == POWER.power.tolist()
    assert line(ax, "admitted").get_ydata().tolist() == POWER.admitted.tolist()
    assert [text.get_text() for text in ax.texts] == [f"{POWER.n_needed} graphs"]


def test_frequencies_that_can_be_found(ax):
    dg.plot.plot_power(POWER, detectable=True, ax=ax)
    known = np.isfinite(POWER.detectable)
    assert not known.all()
    shown = line(ax, "positive class, found with power 0.8")
    assert shown.get_xdata().tolist() == POWER.n_graphs[known].tolist()
    assert shown.get_ydata().tolist() == POWER.detectable[known].tolist()
    assert set(line(ax, "negative class").get_ydata()) == {0.3}


def test_no_tick_is_beyond_a_power_of_one():
    ax = dg.plot.plot_power(POWER)
    assert max(ax.get_yticks()) == 1


def test_the_jaccard_matrix_with_its_numbers(ax):
    dg.plot.plot_sensitivity(SENSITIVITY, ax=ax)
    shown = ax.images[0].get_array()
    np.testing.assert_array_equal(shown.filled(np.nan), SENSITIVITY.jaccard)
    numbers = [text.get_text() for text in ax.texts]
    assert numbers == ["-" if np.isnan(one) else f"{one:.2f}" for one in SENSITIVITY.jaccard.ravel()]
    assert [label.get_text() for label in ax.get_yticklabels()] == SENSITIVITY.names


def test_the_effects_of_the_edges(ax):
    dg.plot.plot_sensitivity(SENSITIVITY, edges=True, ax=ax)
    np.testing.assert_array_equal(ax.images[0].get_array().filled(np.nan), SENSITIVITY.effects[:30])
    assert {bool(one > 0) for one in SENSITIVITY.effects[SENSITIVITY.found]} == {True, False}
