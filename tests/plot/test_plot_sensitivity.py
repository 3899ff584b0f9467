"""Plots of a sensitivity analysis show its matrices."""

import numpy as np
import pytest
from pictures import SIGNED, made_sensitivity

import dugraph as dg

RESULT = made_sensitivity(*SIGNED)


def test_the_jaccard_matrix_with_its_numbers(ax):
    dg.plot.plot_sensitivity(RESULT, ax=ax)
    shown = ax.images[0].get_array()
    np.testing.assert_array_equal(shown.filled(np.nan), RESULT.jaccard)
    numbers = [text.get_text() for text in ax.texts]
    assert numbers == ["-" if np.isnan(one) else f"{one:.2f}" for one in RESULT.jaccard.ravel()]
    assert [label.get_text() for label in ax.get_yticklabels()] == RESULT.names


def test_the_effects_of_the_edges(ax):
    dg.plot.plot_sensitivity(RESULT, edges=True, ax=ax)
    np.testing.assert_array_equal(ax.images[0].get_array().filled(np.nan), RESULT.effects[:30])
    assert {bool(one > 0) for one in RESULT.effects[RESULT.found]} == {True, False}


def test_nothing_to_draw_is_refused():
    with pytest.raises(dg.InputError, match="result must be a SensitivityResult, got 3"):
        dg.plot.plot_sensitivity(3)
    nothing = dg.sensitivity_analysis(
        *(np.random.default_rng(0).random((40, 3)), np.arange(40) % 2), n_permutations=99
    )
    with pytest.raises(dg.InputError, match="no setting found one"):
        dg.plot.plot_sensitivity(nothing, edges=True)
