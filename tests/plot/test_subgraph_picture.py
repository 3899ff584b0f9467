"""The picture of subgraphs: its layout, its rules, its bytes."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import UncertainGraphs, simulate
from dugraph.exceptions import InputError
from dugraph.plot import draw_subgraphs
from dugraph.plot.label_layout import spread
from dugraph.plot.network_view import components

positions = st.lists(st.floats(-100, 100), max_size=12)


@given(positions, st.floats(0.1, 20))
def test_names_keep_their_distance_and_their_order(wanted, gap):
    placed = spread(wanted, gap)
    order = np.argsort(wanted, kind="stable")
    assert np.all(np.diff(placed[order]) >= gap - 1e-9)
    assert abs(placed.sum() - sum(wanted)) < 1e-6 * (1 + len(wanted) * 100)
    apart = sorted(wanted)
    if all(b - a >= gap for a, b in pairwise(apart)):
        np.testing.assert_allclose(placed, wanted, atol=1e-9)


def test_components():
    graphs = UncertainGraphs(
        np.full((1, 5), 0.5), edges=[(1, 0), (3, 2), (2, 1), (5, 4), (6, 5)], node_labels=list("abcdefg")
    )
    assert components(graphs, {0, 1, 3, 4}) == [[0], [1], [3, 4]]
    assert components(graphs, {0, 1, 2, 3}) == [[0, 1, 2], [3]]


def test_equal_pictures_are_equal_files(tmp_path):
    graphs, y, planted = simulate("hiv", n_graphs=6, random_state=0)
    for name in ("a.png", "b.png"):
        draw_subgraphs(tmp_path / name, graphs, planted, y == 1, title="planted", planted=planted[:1])
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("flat", [False, True])
def test_names_are_no_formulas_and_nodes_may_lie_on_a_line(flat, tmp_path):
    coordinates = np.array([[0, 0, 0], [30, 20, 10], [60, 40, 20]]) if flat else np.eye(3) * 40
    graphs = UncertainGraphs(
        np.full((4, 3), 0.5), node_labels=["$\\frac$", "a_b", "</b>"], node_coordinates=coordinates
    )
    positive = np.array([True, True, False, False])
    draw_subgraphs(tmp_path / "c.png", graphs, [(0, 1), (2,)], positive, title="$x")
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_what_is_needed(tmp_path, monkeypatch):
    graphs = UncertainGraphs(np.full((2, 3), 0.5))
    with pytest.raises(InputError, match="needs node_coordinates"):
        draw_subgraphs(tmp_path / "c.png", graphs, [(0,)], np.array([True, False]), title="")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'dugraph\[report\]'"):
        draw_subgraphs(tmp_path / "c.png", graphs, [(0,)], np.array([True, False]), title="")
