"""Figures for papers: sizes, edges and colours that are those of the result, and text that never collides."""

import re
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictures import HOSTILE, drawn_texts, edges_of, legend_words
from PIL import Image

import dugraph as dg
from dugraph.plot import save_figure, subgraph_figure
from dugraph.plot.brain import VIEWS
from dugraph.plot.matrices import node_modules
from dugraph.plot.style import (
    COLOURS,
    NEGATIVE,
    NETWORK_COLOURS,
    POSITIVE,
    difference_map,
    network_looks,
)

AAL = dg.aal_atlas(90)
Y = np.repeat(["patient", "control"], 40)


def cohort(n_edges=700, n_strong=60, **parts):
    """80 graphs over the cerebral regions of AAL; strong edges differ between classes, a third downwards."""
    rng = np.random.default_rng(0)
    every = np.stack(np.tril_indices(90, -1), axis=1)
    probability = rng.uniform(0.1, 0.6, (80, n_edges))
    up = n_strong - n_strong // 3
    probability[:40, :up] += 0.3
    probability[40:, up:n_strong] += 0.3
    given = {"node_labels": AAL.labels, "node_coordinates": AAL.coordinates} | parts
    return dg.UncertainGraphs(probability, rng.permutation(every)[:n_edges], **given)


def made_test(graphs):
    return dg.significant_subgraphs(graphs, Y, n_permutations=199, max_edges=2)


@pytest.fixture(scope="module")
def large():
    result = made_test(cohort())
    assert len(result.families) > 12
    assert min(result.effects) < 0 < max(result.effects)
    return result


@pytest.fixture(scope="module")
def small():
    result = made_test(cohort(60, 4))
    assert 1 < len(result.families) <= 4
    return result


# ---------------------------------------------------------------- text


def corners(text, renderer):
    """The corners of a text on the page; a rotated one turns about its anchor."""
    angle = np.radians(text.get_rotation())
    if angle:
        assert text.get_rotation_mode() == "anchor"
        text.set_rotation(0)
    box = text.get_window_extent(renderer)
    points = box.corners()[[0, 1, 3, 2]]
    if angle:
        text.set_rotation(np.degrees(angle))
        anchor = text.get_transform().transform(text.get_position())
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points = (points - anchor) @ turn.T + anchor
    return points


def overlap(one, other):
    """Whether two rectangles overlap: no side of either separates them."""
    for box in (one, other):
        for side in np.roll(box, -1, axis=0) - box:
            normal = np.array([-side[1], side[0]])
            a, b = one @ normal, other @ normal
            if max(a.min(), b.min()) >= min(a.max(), b.max()) - 1e-6 * np.abs(normal).sum():
                return False
    return True


CASES = {
    "four views": ("small", {"width": "two"}),
    "two views": ("small", {}),
    "many names": ("large", {"family": "all", "view": ["left", "above"], "width": "two"}),
    "many names in one column": ("large", {"family": "all", "view": "front"}),
    "small multiples": ("large", {"width": "two"}),
    "small multiples in one column": ("large", {}),
    "network": ("small", {"view": "network"}),
    "matrix": ("small", {"kind": "matrix"}),
    "matrix of many": ("large", {"kind": "matrix"}),
    "circle": ("large", {"kind": "chord", "width": "two"}),
    "narrow circle": ("large", {"kind": "chord"}),
    "networks": ("large", {"networks": node_modules(AAL.labels), "width": "two", "family": 3}),
}


@pytest.mark.parametrize("case", CASES)
def test_texts_never_overlap_and_the_legend_lies_outside(case, request, monkeypatch):
    fixture, options = CASES[case]
    figure = subgraph_figure(request.getfixturevalue(fixture), **options)
    texts = drawn_texts(figure, monkeypatch)
    width, height = figure.get_size_inches() * 25.4
    assert width == pytest.approx(180 if options.get("width") == "two" else 88)
    assert 40 < height <= 230
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert figure.bbox.padded(1).count_contains(box.corners()) == 4
    assert not any(box.overlaps(ax.get_window_extent()) for ax in figure.axes)
    assert len(texts) >= 5
    boxes = [corners(text, figure.canvas.get_renderer()) for text in texts]
    page = figure.bbox.padded(1.0)
    assert [t.get_text() for t, box in zip(texts, boxes, strict=True) if page.count_contains(box) != 4] == []
    pairs = [
        (a.get_text(), b.get_text())
        for (a, one), (b, other) in combinations(zip(texts, boxes, strict=True), 2)
        if overlap(one, other)
    ]
    assert pairs == []


def test_the_measure_of_overlap_sees_one(small):
    figure = subgraph_figure(small, kind="chord")
    renderer = figure.canvas.get_renderer()
    figure.draw_without_rendering()
    one, other, *_ = figure.axes[0].texts
    assert not overlap(corners(one, renderer), corners(other, renderer))
    other.set_position(one.get_position())
    other.set_rotation(one.get_rotation() + 30)
    assert overlap(corners(one, renderer), corners(other, renderer))


def test_hostile_names_are_drawn_literally(monkeypatch, tmp_path):
    labels = [*HOSTILE, *(f"{name}2" for name in HOSTILE), *AAL.labels][:90]
    result = made_test(cohort(60, 4, node_labels=labels))
    for options in ({}, {"kind": "matrix"}, {"kind": "chord"}):
        figure = subgraph_figure(result, networks=[*HOSTILE, *HOSTILE * 12][:90], **options)
        assert drawn_texts(figure, monkeypatch)
        save_figure(figure, tmp_path / "hostile.svg")
        assert "<script" not in (tmp_path / "hostile.svg").read_text()


# ---------------------------------------------------------------- data


def test_all_families_together_are_the_representatives(small):
    figure = subgraph_figure(small, view=["above", "behind"], width="two")
    expected = {
        edge: small.effects[family.irreducible[0]]
        for family in small.families
        for edge in family.representative
    }
    most = max(map(abs, expected.values()))
    for ax in figure.axes:
        drawn = edges_of(ax)
        assert set(drawn) == set(expected)
        for edge, line in drawn.items():
            side = POSITIVE if expected[edge] >= 0 else NEGATIVE
            assert (line.get_color(), line.get_linestyle()) == (side.colour, side.line)
            assert line.get_linewidth() == pytest.approx(0.7 + 1.7 * abs(expected[edge]) / most)


def test_left_and_right_views_share_out_the_edges_by_hemisphere(large):
    graphs = cohort()
    figure = subgraph_figure(large, family="all", view=["left", "right"], width="two")
    left, right = (set(edges_of(ax)) for ax in figure.axes)
    x = graphs.node_coordinates[:, 0][graphs.edges]
    every = {edge for family in large.families for edge in family.representative}
    assert left == {edge for edge in every if x[edge].min() <= 0}
    assert right == {edge for edge in every if x[edge].max() >= 0}
    assert left & right
    assert left ^ right
    names = [{text.get_text() for text in ax.texts} & set(AAL.labels) for ax in figure.axes]
    assert names[0] <= {
        name for name, place in zip(AAL.labels, AAL.coordinates, strict=True) if place[0] <= 0
    }
    assert names[1] <= {
        name for name, place in zip(AAL.labels, AAL.coordinates, strict=True) if place[0] >= 0
    }
    alone = subgraph_figure(large, family="all", view="right")
    assert set(edges_of(alone.axes[0])) == every


def test_small_multiples_are_the_families_in_their_order(large):
    figure = subgraph_figure(large, width="two")
    assert len(figure.axes) == 12
    for number, (ax, family) in enumerate(zip(figure.axes, large.families, strict=False), 1):
        assert ax.get_title().startswith(f"{number}: p = ")
        drawn = edges_of(ax)
        assert set(drawn) == set(family.edges)
        thin = {edge for edge, line in drawn.items() if line.get_alpha() == 0.5}
        assert thin == set(family.edges) - set(family.representative)
    assert f"The first 12 of {len(large.families)} families." in {text.get_text() for text in figure.texts}
    one = subgraph_figure(large, family=3, view="above")
    assert set(edges_of(one.axes[0])) == set(large.families[2].edges)


@pytest.mark.parametrize("kind", ["matrix", "chord"])
def test_matrix_and_circle_have_all_edges_of_irreducible_subgraphs(kind, large):
    graphs = cohort()
    expected = {}
    for family in large.families:
        for edge in family.representative:
            expected[edge] = large.effects[family.irreducible[0]]
    for family in large.families:
        for k in family.irreducible:
            for edge in large.subgraphs[k]:
                expected.setdefault(edge, large.effects[k])
    ax = subgraph_figure(large, kind=kind).axes[0]
    lobes = node_modules(AAL.labels)
    nodes = [
        node
        for lobe in dict.fromkeys(lobes)
        for node in np.unique(graphs.edges[list(expected)]).tolist()
        if lobes[node] == lobe
    ]
    if kind == "chord":
        drawn = edges_of(ax)
        assert set(drawn) == set(expected)
        place = {}
        for edge, line in drawn.items():
            ends = line.get_xydata()[[0, -1]]
            for node, (x, y) in zip(graphs.edges[edge].tolist(), ends, strict=True):
                angle = round(
                    float((np.pi / 2 - np.arctan2(y, x)) % (2 * np.pi)), 6
                )  # clockwise from the top
                assert place.setdefault(node, angle) == angle
            assert line.get_color() == (POSITIVE if expected[edge] >= 0 else NEGATIVE).colour
        assert sorted(place, key=place.get) == nodes
        return
    (image,) = ax.images
    cells = image.get_array()
    drawn = {
        (nodes[row], nodes[column]): cells[row, column] for row, column in np.argwhere(np.isfinite(cells))
    }
    wanted = {}
    for edge, value in expected.items():
        u, v = graphs.edges[edge].tolist()
        wanted |= {(u, v): value, (v, u): value}
    assert drawn == wanted
    assert image.get_clim() == (-max(map(abs, expected.values())), max(map(abs, expected.values())))


@pytest.mark.parametrize("kind", ["matrix", "chord"])
def test_a_network_has_the_same_colour_in_every_figure(kind, small):
    lobes = node_modules(AAL.labels)
    looks = network_looks(lobes)
    figure = subgraph_figure(small, kind=kind)
    drawn = {text.get_text(): handle for text, handle in legend_entries(figure)}
    there = set(drawn) & set(lobes)
    assert len(there) > 1
    assert {name: drawn[name].get_color() for name in there} == {name: looks[name]["color"] for name in there}
    lines = {line.get_color() for line in figure.axes[0].lines}
    assert {looks[name]["color"] for name in there} <= lines


def legend_entries(figure):
    (legend,) = figure.legends
    return list(zip(legend.get_texts(), legend.legend_handles, strict=True))


def test_nodes_have_the_colours_of_their_networks(small):
    lobes = node_modules(AAL.labels)
    figure = subgraph_figure(small, view="above", networks=lobes)
    looks = network_looks(lobes)
    graphs = cohort(60, 4)
    nodes = np.unique(graphs.edges[[e for f in small.families for e in f.representative]])
    expected = {tuple(AAL.coordinates[node][:2]): to_rgb(looks[lobes[node]]["color"]) for node in nodes}
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    drawn = {tuple(dot.get_xydata()[0]): to_rgb(dot.get_color()) for dot in dots}
    assert drawn == expected
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert set(words) >= {lobes[node] for node in nodes}
    # The result carries those of the cohort.
    small.naming.node_networks = lobes
    try:
        again = subgraph_figure(small, view="above")
    finally:
        small.naming.node_networks = None
    assert legend_words(again) == words


def test_a_search_shows_how_often_edges_occur_and_with_classes_where_they_are_more_frequent():
    graphs = cohort(60, 4)
    result = dg.mine_subgraphs(graphs, Y, n_subgraphs=20)
    counts = np.bincount([edge for subgraph in result.subgraphs for edge in subgraph], minlength=60)
    plain_ax = subgraph_figure(result, view="above").axes[0]
    widths = {edge: line.get_linewidth() for edge, line in edges_of(plain_ax).items()}
    assert widths == pytest.approx({e: 0.7 + 1.7 * counts[e] / counts.max() for e in np.flatnonzero(counts)})
    assert len({line.get_color() for line in edges_of(plain_ax).values()}) == 1
    labelled = dg.LabelledGraphs.of(graphs, Y)
    for edge, line in edges_of(subgraph_figure(result, labelled, view="above").axes[0]).items():
        first = next(subgraph for subgraph in result.subgraphs if edge in subgraph)
        x = dg.containment_probability(graphs, first)
        more = x[Y == "patient"].mean() >= x[Y == "control"].mean()
        assert line.get_color() == (POSITIVE if more else NEGATIVE).colour


def test_a_sparse_model_and_a_replication_are_drawn_by_their_numbers():
    graphs = cohort(60, 4)
    model = dg.SparseSubgraphClassifier(alpha=0.02).fit(graphs, Y)
    first = {}
    for subgraph, value in zip(model.subgraphs_, model.model_.coef, strict=True):
        for edge in subgraph:
            first.setdefault(edge, value)
    for drawn in (subgraph_figure(model, graphs, view="above"), subgraph_figure(model)):
        lines = edges_of(drawn.axes[0])
        assert {edge: line.get_color() for edge, line in lines.items()} == {
            edge: (POSITIVE if value >= 0 else NEGATIVE).colour for edge, value in first.items()
        }
    found = dg.find_and_replicate(graphs, Y, n_permutations=199, max_edges=1)
    assert found.replicated.any()
    lines = edges_of(subgraph_figure(found, view="above").axes[0])
    assert set(lines) == {
        edge for k, subgraph in enumerate(found.subgraphs) if found.replicated[k] for edge in subgraph
    }


# ---------------------------------------------------------------- files


def test_text_in_files_can_be_edited_and_equal_figures_are_equal_files(small, tmp_path):
    for suffix in ("pdf", "svg", "png"):
        for name in ("a", "b"):
            figure = subgraph_figure(small, view="above")
            assert (
                save_figure(figure, tmp_path / f"{name}.{suffix}", dpi=100) == tmp_path / f"{name}.{suffix}"
            )
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    names = {text.get_text() for text in figure.axes[0].texts} & set(AAL.labels)
    assert names
    svg = (tmp_path / "a.svg").read_text()
    assert names <= set(re.findall(r"<text[^>]*>([^<]+)</text>", svg))
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in pdf  # TrueType, embedded
    assert b"/Type3" not in pdf
    with Image.open(tmp_path / "a.png") as image:
        assert image.width == round(88 / 25.4 * 100)


# Machado, Oliveira and Fernandes (2009), complete deficiency, on linear RGB.
SEEN = {
    "normal": np.eye(3).ravel(),
    "deuteranopia": (
        *(0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881),
    ),
    "protanopia": (
        *(0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
    ),
    "tritanopia": (
        *(1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039),
    ),
}
TO_XYZ = (0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.072175, 0.0193339, 0.119192, 0.9503041)


def lab(colour, seen):
    """CIELAB of a colour as a reader sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen_linear = np.clip(np.reshape(seen, (3, 3)) @ linear, 0, 1)
    xyz = np.reshape(TO_XYZ, (3, 3)) @ seen_linear / (0.95047, 1, 1.08883)
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize(
    ("colours", "least"),
    [
        (COLOURS, 15),
        (NETWORK_COLOURS, 15),
        ((POSITIVE.colour, NEGATIVE.colour), 50),
        ([difference_map()(at) for at in (0.0, 0.25, 0.5, 0.75, 1.0)], 15),
    ],
    ids=["lines", "networks", "classes", "differences"],
)
def test_colours_differ_for_colour_blind_readers(colours, least, seen):
    """A difference of 2.3 in CIELAB is just noticeable."""
    seen_colours = [lab(colour, SEEN[seen]) for colour in colours]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen_colours, 2)) > least


def test_settings_of_matplotlib_stay_as_they_are(small, tmp_path):
    before = dict(mpl.rcParams)
    save_figure(subgraph_figure(small), tmp_path / "figure.pdf")
    assert dict(mpl.rcParams) == before
    assert set(VIEWS) == {"above", "left", "right", "front", "behind"}
