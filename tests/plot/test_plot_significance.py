"""Plots of a test show the numbers of the result."""

import dataclasses

import numpy as np
import pytest
from pictures import BRAIN, SIGNED, made_test

import dugraph as dg
from dugraph.plot.style import NEGATIVE, POSITIVE


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
    words = [text.get_text() for text in ax.get_legend().get_texts()]
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
    assert [text.get_text() for text in ax.get_legend().get_texts()] == words
    # Within sites, or given covariates, plain frequencies may say something else.
    given = dataclasses.replace(result, parameters={**result.parameters, "covariates": ["age"]})
    dg.plot.plot_significant_subgraphs(given, graphs, ax=ax)
    adjusted = [word.replace(":", ", adjusted:") for word in words]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == adjusted


def test_what_cannot_be_drawn_is_refused(ax):
    graphs, y = BRAIN
    noise = dg.UncertainGraphs(np.random.default_rng(0).random((20, 45)))
    nothing = made_test(noise, y)
    assert len(nothing) == 0
    with pytest.raises(dg.InputError, match="the test found no significant subgraph"):
        dg.plot.plot_significant_subgraphs(nothing, noise, ax=ax)
    with pytest.raises(dg.InputError, match="result must be a SignificanceResult, got "):
        dg.plot.plot_null_maxima([], ax=ax)
    with pytest.raises(
        dg.InputError, match="The subgraph was found among other edges, and its regions cannot be matched"
    ):
        dg.plot.plot_significant_subgraphs(made_test(graphs, y), [[0.5]] * 20, ax=ax)
