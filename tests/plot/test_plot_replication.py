"""Forest plots show the effects and intervals of a replication."""

import numpy as np
import pytest
from pictures import BRAIN, SIGNED, made_replication, made_test

import dugraph as dg
from dugraph.plot.style import NEGATIVE, POSITIVE

RESULT = made_replication(*SIGNED)


def drawn(ax):
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
    dg.plot.plot_replication(RESULT, ax=ax)
    numbers, dots = drawn(ax)
    first, second = numbers[::2], numbers[1::2]
    n = min(len(RESULT), 12)
    assert len(first) == len(second) == n
    rows = [RESULT.discovery.subgraphs.index(g) for g in RESULT.subgraphs[:n]]
    np.testing.assert_allclose([one[0] for one in first], RESULT.first_effects[:n])
    np.testing.assert_allclose([one[1:] for one in first], RESULT.discovery.effect_intervals[rows])
    np.testing.assert_allclose([one[0] for one in second], RESULT.effects[:n])
    np.testing.assert_allclose([one[1:] for one in second], RESULT.effect_intervals[:n])
    for k, dot in enumerate(dots[1::2]):
        if RESULT.replicated[k]:
            side = POSITIVE if RESULT.first_effects[k] >= 0 else NEGATIVE
            assert dot.get_color() == side.colour
    assert {bool(one >= 0) for one in RESULT.first_effects[RESULT.replicated][:n]} == {True, False}
    assert ax.get_xlabel() == "effect: patient against control"


def test_a_subgraph_has_a_row_for_each_block(ax):
    dg.plot.plot_replication(RESULT, 1, ax=ax)
    numbers, _ = drawn(ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["first cohort", "a (n = 10)", "b (n = 10)", "second cohort"]
    np.testing.assert_allclose([one[0] for one in numbers[1:3]], RESULT.block_effects[1])
    np.testing.assert_allclose([one[1:] for one in numbers[1:3]], RESULT.block_intervals[1])
    assert numbers[3][0] == RESULT.effects[1]


def test_wrong_arguments_are_refused():
    with pytest.raises(dg.InputError, match="result must be a ReplicationResult, got "):
        dg.plot.plot_replication(made_test(*BRAIN))
    with pytest.raises(dg.InputError, match="subgraph must be a position from 0 to"):
        dg.plot.plot_replication(RESULT, len(RESULT))
    nothing = dg.find_and_replicate(np.random.default_rng(0).random((40, 6)), np.arange(40) % 2)
    with pytest.raises(dg.InputError, match="no subgraph was tested in the second cohort"):
        dg.plot.plot_replication(nothing)
