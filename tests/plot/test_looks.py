"""Looks that carry meaning: three edges are three, a class has one colour, names do not overprint."""

import dataclasses
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import BRAIN, LAYERED, evaluation

import dugraph as dg
from dugraph import InputError
from dugraph.plot.bows import bows
from dugraph.plot.colours import NEGATIVE, PALE, POSITIVE
from dugraph.plot.subgraph_view import stacked_names
from dugraph.report.subgraph_svg import Line, draw_lines

CSS = Path(dg.__file__).parent / "report" / "templates" / "report.css"
MIDLINE = np.array([[0.0, -60, 40], [1, -20, 30], [0, 40, 20]])


@pytest.fixture
def ax():
    figure, ax = plt.subplots(figsize=(4, 3))
    yield ax
    plt.close(figure)


def midline():
    return dg.UncertainGraphs(np.full((2, 3), 0.5), node_coordinates=MIDLINE, node_labels=["A", "B", "C"])


def test_three_edges_of_the_midline_are_three(ax):
    dg.plot.plot_subgraph(midline(), (0, 1, 2), view="above", ax=ax)
    lines = [line.get_xydata() for line in ax.lines if line.get_label().startswith("_edge")]
    bowed = [line for line in lines if len(line) > 2]
    assert (len(lines), len(bowed)) == (3, 1)
    assert np.ptp(bowed[0][:, 0]) > 10  # millimetres beside the node in between
    # The same in the report.
    places = {node: MIDLINE[node, :2] for node in range(3)}
    drawn = str(draw_lines(midline(), [Line(0), Line(1), Line(2)], places))
    assert len(re.findall(r'd="M[-\d ]+Q', drawn)) == 1
    assert len(re.findall(r'd="M[-\d ]+L', drawn)) == 2


@settings(max_examples=50, deadline=None)
@given(st.floats(-1, 2), st.floats(-0.5, 0.5))
def test_an_edge_bows_if_a_node_of_the_drawing_lies_on_it_and_only_then(along, beside):
    places = np.array([[0.0, 0.0], [10.0, 0.0], [10 * along, 10 * beside], [5.0, 0.0]])
    on_it = abs(beside) < 0.07 and 0.07 < along < 0.93
    pairs = [(0, 1), (1, 2)]  # node 3 is not drawn
    assert (bows(pairs, places)[0] > 0) == on_it
    assert bows(pairs, places)[0] == bows([(1, 0), (1, 2)], places)[0]


def test_classes_look_the_same_in_plots_and_report():
    text = CSS.read_text().lower()
    light = text.split("@media")[0]
    assert f"--pos: {POSITIVE.colour.lower()};" in light
    assert f"--neg: {NEGATIVE.colour.lower()};" in light
    # Circles and squares: those of the report are round and square swatches.
    assert (POSITIVE.marker, NEGATIVE.marker) == ("o", "s")
    assert ".swatch.neg { background: var(--neg); border-radius: 1px;" in text


def test_differences_are_in_the_colours_of_the_classes_around_white(ax):
    dg.plot.plot_group_difference(*BRAIN, [(0, 1)], ax=ax)
    image = ax.images[0]
    from matplotlib.colors import to_hex

    low, high = image.get_clim()
    assert low == -high
    tints = [to_hex(image.cmap(value)).upper() for value in (0.0, 1.0)]
    assert tints == [NEGATIVE.colour, POSITIVE.colour]
    assert min(image.cmap(0.5)[:3]) > 0.98
    assert to_hex(image.cmap(np.ma.masked_all(1))[0]).upper() == PALE


def test_a_legend_tells_marks_and_missing_edges(ax):
    X = np.full((4, 3), 0.5)
    X[:, 2] = 0
    dg.plot.plot_group_difference(X, [0, 1, 0, 1], [(0,)], ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "edge of the subgraphs",
        "no such edge",
    ]
    ax.clear()
    dg.plot.plot_group_difference(np.full((4, 3), 0.5), [0, 1, 0, 1], ax=ax)
    assert ax.get_legend() is None
    ax.clear()
    dg.plot.plot_group_difference(*LAYERED, [(0,)], ax=ax)
    assert ax.get_legend() is None
    assert "grey: no such edge" in ax.get_xlabel()


def many(n=22):
    return evaluation(tuple(f"method-{i:02d}" for i in range(n)))


def names_of(ax):
    return [text.get_text().strip() for text in ax.texts]


def test_of_many_methods_the_best_are_highlighted(ax):
    result = many()
    dg.plot.plot_metric(result, metric="f1", ax=ax)
    means = np.nanmean(result.mean("f1"), axis=1)
    drawn = [m for m, mean in zip(result.methods, means, strict=True) if np.isfinite(mean)]
    best = sorted(drawn, key=lambda m: -means[result.methods.index(m)])[:5]
    assert sorted(names_of(ax)) == sorted(best)
    grey = [line for line in ax.lines if line.get_color() == PALE]
    assert len(grey) == len(drawn) - 5
    assert f"grey: {len(drawn) - 5} other methods" in ax.get_xlabel()


def test_the_reader_chooses_what_is_highlighted(ax):
    result = many()
    dg.plot.plot_metric(result, highlight=["method-03", "method-01"], ax=ax)
    assert sorted(names_of(ax)) == ["method-01", "method-03"]
    with pytest.raises(InputError, match="highlight must name methods of the result"):
        dg.plot.plot_metric(result, highlight=["other"], ax=ax)


def test_unproven_values_have_hollow_markers(ax):
    result = evaluation()
    first = result.methods[0]
    cells = [dataclasses.replace(cell, proven=cell.method != first) for cell in result.cells]
    dg.plot.plot_metric(dataclasses.replace(result, cells=cells), ax=ax)
    faces = {line.get_label(): line.get_markerfacecolor() for line in ax.lines}
    assert faces.pop(first) == "white"
    assert "white" not in faces.values()
    assert "hollow: not proven" in ax.get_xlabel()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-60, 60)] * 3), min_size=1, max_size=12))
def test_every_name_is_shown_once_and_none_over_another(points):
    places = np.array(points, dtype=float)
    labels = [f"n{i}" for i in range(len(points))]
    names = stacked_names(labels, places)
    assert sorted("<br>".join(name for name in names if name).split("<br>")) == sorted(labels)
    at = [i for i, name in enumerate(names) if name]
    for i in at:
        for j in at:
            across, up = np.hypot(*(places[i] - places[j])[:2]), abs(places[i][2] - places[j][2])
            assert i == j or up >= 8 or across >= 45
