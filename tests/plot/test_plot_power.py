"""Plots of power show the numbers of the result."""

import numpy as np
import pytest
from pictures import made_power

import dugraph as dg

RESULT = made_power()


def line(ax, label):
    return next(one for one in ax.lines if one.get_label() == label)


def test_curves(ax):
    dg.plot.plot_power(RESULT, ax=ax)
    assert line(ax, "significant").get_xdata().tolist() == RESULT.n_graphs.tolist()
    assert line(ax, "significant").get_ydata().tolist() == RESULT.power.tolist()
    assert line(ax, "admitted").get_ydata().tolist() == RESULT.admitted.tolist()
    assert [text.get_text() for text in ax.texts] == [f"{RESULT.n_needed} graphs"]


def test_frequencies_that_can_be_found(ax):
    dg.plot.plot_power(RESULT, detectable=True, ax=ax)
    known = np.isfinite(RESULT.detectable)
    assert not known.all()
    shown = line(ax, "positive class, found with power 0.8")
    assert shown.get_xdata().tolist() == RESULT.n_graphs[known].tolist()
    assert shown.get_ydata().tolist() == RESULT.detectable[known].tolist()
    assert set(line(ax, "negative class").get_ydata()) == {0.3}


def test_other_results_are_refused():
    with pytest.raises(dg.InputError, match="result must be a PowerResult, got "):
        dg.plot.plot_power(0.8)


def test_no_tick_is_beyond_a_power_of_one():
    ax = dg.plot.plot_power(RESULT)
    assert max(ax.get_yticks()) == 1
