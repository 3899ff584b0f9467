"""Matrices: cells, order, marks, halves by layer; likeness of subgraphs and its order."""

import numpy as np
from matplotlib.colors import to_hex
from pictures import BRAIN, LAYERED, PATHS, legend_words

import dugraph as dg
from dugraph.plot import plot_group_difference, plot_redundancy
from dugraph.plot.matrices import module_order, node_modules
from dugraph.plot.style import NEGATIVE, PALE, POSITIVE


def matrix_of(ax):
    return ax.images[0].get_array().filled(np.nan)


def marks_of(ax):
    """Marker to the set of (row, column) it stands at."""
    lines = [line for line in ax.lines if line.get_label() == "_chosen"]
    found = {}
    for line in lines:
        cells = {(int(r), int(c)) for c, r in line.get_xydata()}
        found[line.get_marker()] = found.get(line.get_marker(), set()) | cells
    return found


def test_cells_are_differences_of_means_and_marks_the_chosen_edges(ax):
    graphs, y = BRAIN
    plot_group_difference(graphs, y, PATHS, ax=ax)
    drawn = matrix_of(ax)
    X = graphs.edge_probability
    expected = X[y == "patient"].mean(axis=0) - X[y == "control"].mean(axis=0)
    # The regions come lobe by lobe already, so that nodes keep their places.
    for edge, (u, v) in enumerate(graphs.edges):
        if edge == 40:  # in no graph
            assert np.isnan([drawn[u, v], drawn[v, u]]).all()
        else:
            np.testing.assert_allclose([drawn[u, v], drawn[v, u]], expected[edge])
    assert np.isnan(np.diag(drawn)).all()
    pairs = {tuple(graphs.edges[e].tolist()) for g in PATHS for e in g}
    assert marks_of(ax) == {"s": pairs | {(v, u) for u, v in pairs}}
    assert ax.images[0].get_clim() == (-np.nanmax(np.abs(drawn)), np.nanmax(np.abs(drawn)))
    lobes = ["Frontal", "Insula", "Limbic", "Parietal", "Temporal"]
    assert [text.get_text() for text in ax.texts] == lobes


def test_modules_order_the_matrix(ax):
    X = np.array([[0.9, 0.2, 0.3], [0.1, 0.1, 0.1]])
    plot_group_difference(X, [1, 0], [(0,)], modules=["b", "a", "b"], ax=ax)
    # Edges 0, 1, 2 join nodes (1, 0), (2, 0), (2, 1); the order is 0, 2, 1.
    np.testing.assert_allclose(matrix_of(ax)[[1, 2, 2], [0, 0, 1]], [0.1, 0.8, 0.2])
    assert marks_of(ax) == {"s": {(2, 0), (0, 2)}}
    assert [text.get_text() for text in ax.texts] == ["b", "a"]


def test_two_layers_have_a_half_each(ax):
    graphs, y = LAYERED
    plot_group_difference(graphs, y, [(0, 1, 3)], ax=ax)
    X = graphs.edge_probability
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    drawn = matrix_of(ax)
    np.testing.assert_allclose([drawn[1, 0], drawn[0, 1]], difference[[0, 1]])
    np.testing.assert_allclose([drawn[3, 1], drawn[1, 3]], difference[[3, 4]])
    assert np.isnan(drawn[1, 2])
    assert marks_of(ax) == {"s": {(1, 0), (3, 1)}, "D": {(0, 1)}}
    words = ["plus: below the diagonal", "minus: above the diagonal", "no such edge"]
    assert legend_words(ax) == words


def test_one_of_the_layers_can_be_chosen_and_three_must_be(ax):
    graphs, y = LAYERED
    plot_group_difference(graphs, y, [(0, 1)], layers=["minus"], ax=ax)
    assert np.isfinite(matrix_of(ax)).sum() == 6
    assert marks_of(ax) == {"s": {(1, 0), (0, 1)}}
    three = dg.UncertainGraphs(
        [[0.1, 0.2, 0.3]] * 2, [(1, 0)] * 3, node_labels=["a", "b"], edge_layers=["x", "y", "z"]
    )
    ax.clear()
    plot_group_difference(three, [0, 1], layers=["z", "x"], ax=ax)
    words = legend_words(ax)
    assert words == ["z: below the diagonal", "x: above the diagonal"]


def test_modules_of_labels():
    assert node_modules(["7N_LH_Vis_1", "7N_LH_Vis_2", "7N_RH_Vis_1", "7N_RH_Som_1"]) == [
        "LH",
        "LH",
        "RH",
        "RH",
    ]
    assert node_modules(["a", "b", "c"]) is None
    assert node_modules(["x_1", "x_2", "x_3"]) is None
    assert node_modules(["0", "1"], [2, 1]) == ["2", "1"]
    assert set(node_modules(dg.aal_atlas().labels)) == set(dg.aal_atlas().lobes)
    assert module_order(["b", "a", "b", "a"]) == [0, 2, 1, 3]


def test_likeness_is_the_absolute_correlation_of_features(ax):
    graphs, _ = BRAIN
    plot_redundancy(graphs, PATHS, ax=ax)
    order = [int(tick.get_text()) - 1 for tick in ax.get_yticklabels()]
    features = [dg.containment_probability(graphs, g) for g in PATHS]
    expected = np.abs(np.corrcoef(features))[np.ix_(order, order)]
    np.testing.assert_allclose(ax.images[0].get_array(), expected, atol=1e-12)
    assert sorted(order) == list(range(len(PATHS)))


def test_like_subgraphs_stand_side_by_side(ax):
    rng = np.random.default_rng(0)
    kinds = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    X = np.clip(rng.uniform(0.2, 0.8, (60, 3))[:, kinds] + rng.normal(0, 0.02, (60, 9)), 0, 1)
    plot_redundancy(X, [(e,) for e in range(9)], ax=ax)
    order = [int(tick.get_text()) - 1 for tick in ax.get_yticklabels()]
    assert np.count_nonzero(np.diff(kinds[order])) == 2


def test_constant_and_single_subgraphs_have_a_place(ax):
    X = np.column_stack([np.linspace(0, 1, 9), np.full(9, 0.3), np.linspace(1, 0, 9)])
    plot_redundancy(X, [(0,), (1,), (2,)], ax=ax)
    drawn = np.sort(np.asarray(ax.images[0].get_array()).ravel())
    np.testing.assert_allclose(drawn, [0, 0, 0, 0, 1, 1, 1, 1, 1], atol=1e-12)
    ax.clear()
    plot_redundancy(X, [(0,)], ax=ax)
    assert np.asarray(ax.images[0].get_array()).tolist() == [[1.0]]


def test_differences_are_in_the_colours_of_the_classes_around_white(ax):
    dg.plot.plot_group_difference(*BRAIN, [(0, 1)], ax=ax)
    image = ax.images[0]
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
    assert legend_words(ax) == [
        "edge of the subgraphs",
        "no such edge",
    ]
    ax.clear()
    dg.plot.plot_group_difference(np.full((4, 3), 0.5), [0, 1, 0, 1], ax=ax)
    assert ax.get_legend() is None
