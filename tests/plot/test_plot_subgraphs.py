"""Drawings of subgraphs: their edges, their layers, their brain, and the view that can be turned."""

import html
import json
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pictures import BRAIN, HOSTILE, LAYERED, PATHS, layered

import dugraph as dg
from dugraph import InputError
from dugraph.plot import plot_subgraph, plot_subgraph_union, view_subgraph

COORDINATES = BRAIN[0].node_coordinates


def edges_of(ax):
    """Edge index to line, of all edges drawn."""
    lines = [line for line in ax.lines if line.get_label().startswith("_edge ")]
    found = {int(line.get_label().split()[1]): line for line in lines}
    assert len(found) == len(lines)
    return found


@pytest.mark.parametrize(("view", "columns"), [(None, [0, 1]), ("right", [1, 2]), ("behind", [0, 2])])
def test_edges_join_their_regions(view, columns, ax):
    graphs, _ = BRAIN
    plot_subgraph(graphs, (0, 2, 5), view=view, ax=ax)
    drawn = edges_of(ax)
    assert set(drawn) == {0, 2, 5}
    for edge, line in drawn.items():
        np.testing.assert_allclose(line.get_xydata(), COORDINATES[graphs.edges[edge]][:, columns])
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
    legend = [text.get_text() for artist in ax.artists for text in artist.get_texts()]
    assert legend == ["plus", "minus"]


def test_the_union_weighs_edges_by_how_often_they_occur(ax):
    plot_subgraph_union(BRAIN[0], PATHS, top=4, ax=ax)
    drawn = edges_of(ax)
    widths = {edge: line.get_linewidth() for edge, line in drawn.items()}
    assert set(widths) == {0, 1, 2, 5}
    assert widths[0] > widths[1] == widths[2] > widths[5]
    assert drawn[0].get_color() != drawn[5].get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
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


def test_without_nilearn_and_off_the_brain_an_outline_is_drawn(monkeypatch):
    glass = plot_subgraph(BRAIN[0], (0, 1))
    assert len(glass.patches) > 3
    far = dg.UncertainGraphs(np.full((2, 3), 0.5), node_coordinates=np.eye(3) * 1000)
    assert len(plot_subgraph(far, (0, 1)).patches) == 1
    monkeypatch.setitem(sys.modules, "nilearn.plotting.displays", None)
    assert len(plot_subgraph(BRAIN[0], (0, 1)).patches) == 1


def test_what_is_missing_or_wrong_is_said(monkeypatch, ax):
    with pytest.raises(InputError, match="view must be one of above, right, behind, network: got 'left'"):
        plot_subgraph(BRAIN[0], (0,), view="left", ax=ax)
    with pytest.raises(InputError, match="view='above' needs node_coordinates"):
        plot_subgraph(LAYERED[0], (0,), view="above", ax=ax)
    with pytest.raises(InputError, match="A union needs at least one subgraph"):
        plot_subgraph_union(BRAIN[0], [], ax=ax)
    with pytest.raises(InputError, match="top must be a whole number of at least 1: got 0"):
        plot_subgraph_union(BRAIN[0], PATHS, top=0, ax=ax)
    with pytest.raises(InputError, match="top must be a whole number of at least 1: got 'all'"):
        plot_subgraph_union(BRAIN[0], PATHS, top="all", ax=ax)
    with pytest.raises(InputError, match=r"it holds the number 0\. Put a single subgraph into a list"):
        plot_subgraph_union(BRAIN[0], PATHS[0], ax=ax)
    with pytest.raises(InputError, match="but it holds the number 5"):
        view_subgraph(BRAIN[0], 5)
    with pytest.raises(InputError, match="column indices from 0 to 44, but 99"):
        plot_subgraph(BRAIN[0], (99,), ax=ax)
    with pytest.raises(InputError, match="A 3-D view needs node_coordinates"):
        view_subgraph(LAYERED[0], (0,))
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(InputError, match=r"networkx, which is missing: pip install 'dugraph\[plot\]'"):
        plot_subgraph(LAYERED[0], (0,), ax=ax)
    monkeypatch.setitem(sys.modules, "nilearn.plotting", None)
    with pytest.raises(InputError, match=r"nilearn, which is missing: pip install 'dugraph\[plot\]'"):
        view_subgraph(BRAIN[0], (0,))
    assert plt.get_fignums() == [ax.figure.number]


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
    # Neighbours stand below each other: the one tag between their names is ours.
    shown = "<br>".join(data["connectome"]["marker_labels"]).split("<br>")
    assert not any(set("<>\"'") & set(label) for label in shown)
    assert sorted(html.unescape(label) for label in shown if label) == sorted(filter(None, names))


def test_one_subgraph_and_several_can_be_viewed():
    pytest.importorskip("nilearn")
    assert "1 subgraph, 3 edges" in view_subgraph(BRAIN[0], PATHS[1]).html
    assert "5 subgraphs, 6 edges" in view_subgraph(BRAIN[0], PATHS).html
