"""BrainNet Viewer files: their layout, layers, and names that must not break a line or leave the folder."""

import io

import numpy as np
import pytest

from dugraph import InputError, UncertainGraphs
from dugraph.io import brainnet_files

PLACES = np.random.default_rng(1).normal(size=(4, 3)) * 50


def matrix(content):
    return np.loadtxt(io.BytesIO(content), ndmin=2)


def nodes(content):
    return [line.split("\t") for line in content.decode().split("\n")[:-1]]


def test_the_layout():
    graphs = UncertainGraphs(np.full((2, 6), 0.5), node_labels=list("ABCD"), node_coordinates=PLACES)
    files = brainnet_files(graphs, [(0, 2), (0,)])  # A--B and B--C, A--B
    assert list(files) == ["brainnet.node", "brainnet.edge"]
    rows = nodes(files["brainnet.node"])
    assert [[float(x) for x in row[:3]] for row in rows] == PLACES.tolist()
    assert [row[3:] for row in rows] == [["1", "2", "A"], ["1", "2", "B"], ["1", "1", "C"], ["0", "0", "D"]]
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 2
    expected[1, 2] = expected[2, 1] = 1
    np.testing.assert_array_equal(matrix(files["brainnet.edge"]), expected)


def test_every_layer_has_its_own_matrix():
    layers = ["../../x", "f", "F", "f"]
    graphs = UncertainGraphs(
        np.full((2, 4), 0.5),
        edges=[[0, 1], [0, 1], [0, 1], [2, 3]],
        edge_layers=layers,
        node_coordinates=PLACES,
    )
    files = brainnet_files(graphs, [(0, 1), (1, 2)])
    assert list(files) == [
        "brainnet.node",
        "brainnet.______x.edge",
        "brainnet.F.edge",
        "brainnet.f-2.edge",  # on some systems f and F are one name
    ]
    assert [matrix(files[name])[0, 1] for name in list(files)[1:]] == [1, 1, 2]
    assert all(matrix(files[name])[2, 3] == 0 for name in list(files)[1:])


def test_labels_stay_one_word():
    labels = ["two\nlines and\ta tab", "\u202e", "", "Précuneus_L"]
    graphs = UncertainGraphs(np.full((2, 6), 0.5), node_labels=labels, node_coordinates=PLACES)
    rows = nodes(brainnet_files(graphs, [(0,)])["brainnet.node"])
    assert [row[5] for row in rows] == ["two_lines_and_a_tab", "_", "-", "Précuneus_L"]
    assert all(len(row) == 6 for row in rows)


def test_without_coordinates_there_is_nothing_to_draw():
    with pytest.raises(InputError, match="need coordinates of the regions, but the cohort has none"):
        brainnet_files(UncertainGraphs([[0.5]]), [(0,)])
