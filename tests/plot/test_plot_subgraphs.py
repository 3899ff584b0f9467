"""Drawings of subgraphs: their edges, their layers, their brain, and the view that can be turned."""

import html
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import BRAIN, HOSTILE, LAYERED, PATHS, edges_of, layered, legend_words

import dugraph as dg
from dugraph.plot import plot_subgraph, plot_subgraph_union, view_subgraph
from dugraph.plot.brain import VIEWS, brain_views, edge_curvature
from dugraph.plot.style import FAINT, NEGATIVE, POSITIVE
from dugraph.report.pictures import canvases, subgraph_picture

COORDINATES = BRAIN[0].node_coordinates


@pytest.mark.parametrize(
    ("view", "columns", "sign"),
    [
        (None, [0, 1], 1),
        ("left", [1, 2], -1),
        ("right", [1, 2], 1),
        ("front", [0, 2], -1),
        ("behind", [0, 2], 1),
    ],
)
def test_edges_join_their_regions(view, columns, sign, ax):
    graphs, _ = BRAIN
    plot_subgraph(graphs, (0, 2, 5), view=view, ax=ax)
    drawn = edges_of(ax)
    assert set(drawn) == {0, 2, 5}
    for edge, line in drawn.items():
        expected = COORDINATES[graphs.edges[edge]][:, columns] * (sign, 1)
        np.testing.assert_allclose(line.get_xydata(), expected)
    names = {text.get_text() for text in ax.texts}
    assert names >= {graphs.node_labels[node] for node in np.unique(graphs.edges[[0, 2, 5]])}


def test_arrays_are_drawn_as_networks(ax):
    X = np.full((3, 6), 0.5)
    plot_subgraph(X, (0, 1, 5), ax=ax)
    drawn = edges_of(ax)
    assert set(drawn) == {0, 1, 5}
    # Edges 0 and 1 share node 0 in np.tril_indices order.
    ends = [set(map(tuple, drawn[edge].get_xydata().round(9))) for edge in (0, 1)]
    assert len(ends[0] & ends[1]) == 1


def test_a_network_is_always_laid_out_alike():
    pictures = []
    for _ in range(2):
        ax = plot_subgraph(LAYERED[0], range(6))
        pictures.append([line.get_xydata() for line in edges_of(ax).values()])
    for one, other in zip(*pictures, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("coordinates", [None, COORDINATES[:5]])
def test_parallel_edges_of_layers_are_told_apart(coordinates, ax):
    graphs, _ = layered("abcde", coordinates)
    plot_subgraph(graphs, range(6), ax=ax)
    drawn = edges_of(ax)
    plus, minus = drawn[0], drawn[1]
    np.testing.assert_allclose(plus.get_xydata()[[0, -1]], minus.get_xydata()[[0, -1]])
    middles = plus.get_xydata()[12] - minus.get_xydata()[12]
    length = np.linalg.norm(np.subtract(*plus.get_xydata()[[0, -1]]))
    assert np.linalg.norm(middles) == pytest.approx(0.22 * length)
    assert plus.get_color() != minus.get_color()
    assert plus.get_linestyle() != minus.get_linestyle()
    assert len(drawn[2].get_xydata()) == 2
    assert legend_words(ax) == ["plus", "minus"]


def test_the_union_weighs_edges_by_how_often_they_occur(ax):
    plot_subgraph_union(BRAIN[0], PATHS, top=4, ax=ax)
    drawn = edges_of(ax)
    widths = {edge: line.get_linewidth() for edge, line in drawn.items()}
    assert set(widths) == {0, 1, 2, 5}
    assert widths[0] > widths[1] == widths[2] > widths[5]
    assert drawn[0].get_color() != drawn[5].get_color()
    assert legend_words(ax) == [
        "in 1 of 4",
        "in 2 of 4",
        "in 4 of 4",
    ]


def test_more_names_than_room_are_counted(ax):
    graphs = dg.UncertainGraphs(np.full((2, 4950), 0.5))
    ax.figure.set_size_inches(2, 1.5)
    plot_subgraph(graphs, [i * (i + 1) // 2 for i in range(99)], ax=ax)
    assert re.fullmatch(r"and \d\d more nodes", ax.texts[-1].get_text())
    assert len(ax.texts) + int(ax.texts[-1].get_text().split()[1]) == 101


@pytest.mark.parametrize("atlas", [90, 116])
def test_regions_of_an_atlas_lie_within_the_outline_of_the_brain(atlas):
    brain, elsewhere = (brain_views(dg.aal_atlas(atlas).coordinates * scale) for scale in (1, 100))
    assert [view.key for view in brain] == list(VIEWS)
    for view, off in zip(brain, elsewhere, strict=True):
        assert len(view.inner) > len(off.inner) == 0
        for one in (view, off):  # the outline is all around
            assert (one.places > one.box[0]).all()
            assert (one.places < one.box[1]).all()


def midline():
    coordinates = np.array([[0.0, -60, 40], [1, -20, 30], [0, 40, 20]])
    return dg.UncertainGraphs(np.full((2, 3), 0.5), node_coordinates=coordinates, node_labels=list("ABC"))


def test_three_edges_of_the_midline_are_three_in_plots_and_in_the_report(ax):
    plot_subgraph(midline(), (0, 1, 2), view="above", ax=ax)
    lines = [line.get_xydata() for line in edges_of(ax).values()]
    curved = [line for line in lines if len(line) > 2]
    assert (len(lines), len(curved)) == (3, 1)
    assert np.ptp(curved[0][:, 0]) > 10  # millimetres beside the node in between
    drawn = str(subgraph_picture(midline(), (0, 1, 2), canvases(midline())[0], "pos", title="title"))
    (curve,) = re.findall(r'd="M([-\d ]+)Q([-\d ]+)"', drawn)
    assert len(re.findall(r'd="M[-\d ]+L[-\d ]+"', drawn)) == 2
    # The same place on a page, which counts downwards.
    (start, control, end) = np.array(" ".join(curve).split(), float).reshape(3, 2) * (1, -1)
    np.testing.assert_allclose(curved[0][12], (start + 2 * control + end) / 4, atol=1)


@settings(max_examples=50, deadline=None)
@given(st.floats(-1, 2), st.floats(-0.5, 0.5))
def test_an_edge_is_curved_if_a_node_of_the_drawing_lies_on_it_and_only_then(along, beside):
    places = np.array([[0.0, 0.0], [10.0, 0.0], [10 * along, 10 * beside], [5.0, 0.0]])
    on_it = abs(beside) < 0.07 and 0.07 < along < 0.93
    pairs = [(0, 1), (1, 2)]  # node 3 is not drawn
    assert (edge_curvature(pairs, places)[0] > 0) == on_it
    assert edge_curvature(pairs, places)[0] == edge_curvature([(1, 0), (1, 2)], places)[0]


@pytest.mark.parametrize(
    ("subgraph", "pos_label", "name", "style"),
    [
        ((0, 1), None, "patient", POSITIVE),
        ((0, 1), "control", "patient", NEGATIVE),
        ((13,), None, "control", NEGATIVE),
        ((13,), "control", "control", POSITIVE),
    ],
)
def test_a_subgraph_has_the_colour_of_the_class_in_which_it_is_more_frequent(
    subgraph, pos_label, name, style, ax
):
    graphs, y = BRAIN
    x = dg.containment_probability(graphs, subgraph)
    assert (x[y == "patient"].mean() > x[y == "control"].mean()) == (name == "patient")
    plot_subgraph(graphs, subgraph, y, pos_label=pos_label, ax=ax)
    assert {line.get_color() for line in edges_of(ax).values()} == {style.colour}
    assert legend_words(ax) == [f"more frequent in {name}"]
    ax.clear()
    plot_subgraph(graphs, subgraph, ax=ax)
    assert {line.get_color() for line in edges_of(ax).values()} == {FAINT}
    assert ax.get_legend() is None
    plot_subgraph(graphs, subgraph, np.arange(20) / 7, ax=ax)  # a phenotype has no classes
    assert ax.get_legend() is None


def scripts(page: str) -> int:
    return len(re.findall(r"<\s*/?\s*script", page, re.IGNORECASE))


def test_no_name_becomes_a_script_of_the_3d_view():
    pytest.importorskip("nilearn")
    names = [*HOSTILE, *(f"{name}2" for name in HOSTILE)][:10]
    harmless, _ = BRAIN
    hostile = dg.UncertainGraphs(harmless.edge_probability, node_labels=names, node_coordinates=COORDINATES)
    page = view_subgraph(hostile, [range(45)]).html
    assert scripts(page) == scripts(view_subgraph(harmless, [range(45)]).html)
    assert "alert(1)</" not in page
    data = json.loads(re.search(r"var connectomeInfo = (\{.*\});", page)[1])
    if "marker_labels" not in data["connectome"]:
        pytest.skip("before its 0.14 nilearn showed no names")
    shown = data["connectome"]["marker_labels"]
    assert not any(set("<>\"'") & set(label) for label in shown)
    assert [html.unescape(label) for label in shown] == names


def test_one_subgraph_and_several_can_be_viewed():
    pytest.importorskip("nilearn")
    assert "1 subgraph, 3 edges" in view_subgraph(BRAIN[0], PATHS[1]).html
    assert "5 subgraphs, 6 edges" in view_subgraph(BRAIN[0], PATHS).html
