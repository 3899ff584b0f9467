"""Charts: what is composed is what was computed, and both engines draw what is composed."""

import re

import numpy as np
import pytest
from lxml import etree
from pictures import ARMS, BRAIN, DOSE, few_levels, fitted, made_test, many_levels
from scipy.stats import binom

import dugraph as dg
from dugraph.plot.chart import Chart, draw_chart
from dugraph.plot.groups import (
    MOST_DOTS,
    containment_chart,
    dots_or_histogram,
    phenotype_chart,
    score_chart,
    support_chart,
)
from dugraph.plot.models import path_chart
from dugraph.plot.significance import null_chart
from dugraph.probability.containment import support_distribution
from dugraph.report.pictures import chart_svg, folds_chart, forecast_chart

GRAPHS, Y = BRAIN
X = dg.containment_probability(GRAPHS, (0, 1))
BOTH = [X[Y == "patient"], X[Y == "control"]]
MANY = np.random.default_rng(0).beta(2, 5, 5000)
CHARTS = {
    "score": lambda: score_chart(few_levels(), 0.03),
    "score of many levels": lambda: score_chart(many_levels(), 0.05),
    "support": lambda: support_chart([support_distribution(x) for x in BOTH], ["patient", "control"]),
    "containment": lambda: containment_chart(BOTH, ["patient", "control"]),
    "containment of groups": lambda: containment_chart([X[arm == ARMS] for arm in sorted(set(ARMS))], "abc"),
    "containment of many": lambda: containment_chart([MANY, MANY[:30]], "ab"),
    "phenotype": lambda: phenotype_chart(DOSE, X, 0.01, "dose"),
    "phenotype of many": lambda: phenotype_chart(np.linspace(0, 9, MANY.size), MANY, 0.0, "dose"),
    "null maxima": lambda: null_chart(made_test(*BRAIN)),
    "path": lambda: path_chart([0.1, 0.03, 0.01], [0, 2, 5], [0.7, 0.6, np.nan], [0.1, 0.1, np.nan], 0.03)[0],
    "path without losses": lambda: path_chart([0.1, 0.01], [0, 5], [], [], None)[0],
    "folds": lambda: folds_chart([("a", np.array([0.1, 0.2])), ("b", np.array([0.3, np.nan]))], "error", 0.5),
    "forecast": lambda: forecast_chart(DOSE, DOSE[::-1] / 2, "dose"),
}  # fmt: skip


def marks(chart, kind, look=None):
    return [mark for mark in chart.marks if mark.kind == kind and look in (None, mark.look)]


def points(mark):
    return np.array(mark.points).T


@pytest.mark.parametrize("name", CHARTS)
def test_svg_has_every_mark_in_an_affine_image_of_its_place(name):
    chart = CHARTS[name]()
    svg = etree.fromstring(chart_svg(chart, left=100.0))
    title, *drawn = svg
    assert title.text == chart.title
    pixels, wanted = [], []
    shapes = [mark for mark in chart.marks if mark.kind != "note"]
    for mark, shape in zip(shapes, drawn, strict=False):
        path = shape if shape.tag == "path" else shape.find("path")
        if mark.kind != "stems":
            assert {mark.kind, mark.look} & set(shape.get("class").split())
            n = 1 if mark.side and mark.line else None  # the upper end is below the texts
            pixels += re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d"))[:n]
            wanted += mark.points[:n]
    # The texts come after all shapes, so that no line crosses them.
    written = [mark for mark in chart.marks if mark.kind in ("rule", "note")]
    for mark, text in zip(written, drawn[len(shapes) :], strict=False):
        assert text.findtext("text") == (mark.text or None)
    at, to = np.array(pixels, float), np.array(wanted)
    to[:, 0] = np.log10(to[:, 0]) if chart.log else to[:, 0]
    for drawn, values, sign in ((at[:, 0], to[:, 0], -1 if chart.log else 1), (at[:, 1], to[:, 1], -1)):
        slope, start = np.polyfit(values, drawn, 1)
        np.testing.assert_allclose(drawn, start + slope * values, atol=0.2)
        assert slope * sign > 0  # a page counts downwards, a path from large penalties to small ones
    assert {f"{tick:.4g}" for tick in chart.y_ticks} <= {text.text for text in svg.iter("text")}


@pytest.mark.parametrize("name", CHARTS)
def test_matplotlib_has_every_mark_in_its_place(name, ax):
    chart = CHARTS[name]()
    draw_chart(chart, ax)
    lines = [line.get_xydata().tolist() for line in ax.lines]
    areas = [patch.get_xy()[:-1].tolist() for patch in ax.patches]
    stems = [segment[1].tolist() for one in ax.collections for segment in one.get_segments()]
    for mark in chart.marks:
        at = [list(point) for point in mark.points]
        if mark.kind == "stems":
            assert stems == at
        elif mark.kind == "rule" and mark.side and mark.line:
            assert at[0] in [line[0] for line in lines]
        elif mark.kind != "note":
            assert at in (areas if mark.kind == "area" else lines)
    written = [mark.text for mark in chart.marks if mark.kind in ("rule", "note") and mark.text]
    assert [text.get_text() for text in ax.texts] == written
    assert (ax.get_xlabel(), ax.get_ylabel()) == (chart.label, chart.y_label)
    assert ax.get_xlim() == pytest.approx(chart.x[:: -1 if chart.log else 1])
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == list(chart.rows) or not chart.rows


@pytest.mark.parametrize(
    "values", [(0.5, 1.46), (1.95, 1.85), (1.5, 1.46), (0.05, 0.1), (1.9, 1.2), (0.1, 1.9)]
)
def test_no_text_of_a_rule_crosses_another_rule(values, ax):
    chart = Chart("", (0.0, 2.0), (0.0, 1.0), "z")
    looks = zip(values, ("observed", "critical"), strict=True)
    chart.add_rules([(x, look, f"{look} {x:.3g}") for x, look in looks], 0.0, 1.0)
    draw_chart(chart, ax)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not boxes[0].overlaps(boxes[1])
    assert all(ax.bbox.x0 - 1 <= box.x0 and box.x1 <= ax.bbox.x1 + 1 for box in boxes)
    page = etree.fromstring(chart_svg(chart))
    for line, box in ((one, box) for one in ax.lines for box in boxes):
        (x, top) = ax.transData.transform(line.get_xydata()[1])
        assert not (box.x0 < x < box.x1 and top > box.y0)
    shapes = [float(part) for g in page.findall("g") for path in g.findall("path") if g.get("class") != "axis"
              for part in re.findall(r"[\d.]+", path.get("d"))]  # fmt: skip
    for text in page.findall("g/text")[:2]:
        ends = sorted(
            (float(text.get("x")), float(text.get("x")) + {"end": -75, "start": 75}[text.get("text-anchor")])
        )
        for x, top in ((shapes[2], shapes[3]), (shapes[6], shapes[7])):
            assert not (ends[0] < x < ends[1] and top < float(text.get("y")) - 2)


def test_stems_are_the_distribution_and_rules_its_measures():
    distribution = few_levels()
    chart = score_chart(distribution, 0.03)
    seen = distribution.probabilities > 1e-3 * distribution.probabilities.max()
    (stems,) = marks(chart, "stems")
    np.testing.assert_allclose(points(stems), [distribution.values[seen], distribution.probabilities[seen]])
    found = {mark.look: mark.points[0][0] for mark in marks(chart, "rule")}
    expected = {name: getattr(distribution, name)() for name in ("expectation", "median", "mode")}
    assert found == expected
    (tail,) = marks(chart, "area", "tail")
    assert min(points(tail)[0]) == 0.03
    texts = [mark.text for mark in chart.marks]
    assert f"Pr[F ≥ 0.03] = {distribution.phi_probability(0.03):.3g}" in texts
    assert f"median {distribution.median():.4g}" in chart.title


def test_thousands_of_levels_become_bins_that_hold_their_mass():
    distribution = many_levels()
    chart = score_chart(distribution, None)
    x, height = points(marks(chart, "area", "plain")[0])
    edges, tops = x[1:-1:2], height[1:-1:2]
    assert len(tops) == 60
    assert tops.sum() == pytest.approx(1, abs=2e-3)
    inside = (distribution.values >= edges[30]) & (distribution.values < edges[31])
    assert tops[30] == pytest.approx(distribution.probabilities[inside].sum(), rel=0.05)
    assert chart.y_label == "probability of a bin"


def test_a_rare_capped_score_leaves_room_for_the_others():
    distribution = dg.probability.ScoreDistribution(
        np.array([0.01, 0.02, 1000.0]), np.array([0.5, 0.49, 0.01])
    )
    chart = score_chart(distribution, 500)
    assert chart.x[1] < 1
    texts = [mark.text for mark in chart.marks]
    assert {"expectation 10 →", "beyond: 0.01, F up to 1000", "Pr[F ≥ 500] = 0.01"} <= set(texts)


@pytest.mark.parametrize("at", [(0.1, 0.5, 1.95), (1.2, 1.4, 1.9), (0.9, 1.1, 1.3)])
def test_no_note_crosses_a_rule(at, ax):
    chart = Chart("", (0.0, 2.0), (0.0, 1.0), "z")
    chart.add_rules([(x, "mean", f"mean {x:.3g}") for x in at], 0.0, 1.0, ["Pr[F ≥ 0.03] = 0.103"])
    draw_chart(chart, ax)
    ax.figure.draw_without_rendering()
    note = ax.texts[-1].get_window_extent()
    ends = [ax.transData.transform((x, 0))[0] for x in at]
    assert ax.texts[-1].get_text().startswith("Pr")
    assert not any(note.x0 < end < note.x1 for end in ends)
    assert ax.bbox.x0 - 1 <= note.x0


@pytest.mark.parametrize("values", [[0.0], [5.0], [-1.0, 3.0]])
def test_single_and_negative_scores_can_be_drawn(values):
    chart = score_chart(
        dg.probability.ScoreDistribution(np.array(values), np.full(len(values), 1 / len(values))), 0.0
    )
    assert chart.x[0] < min(values)
    assert chart.x[1] > max(values)


def test_supports_are_poisson_binomial_over_shares():
    chart = CHARTS["support"]()
    for mark, x, label in zip(marks(chart, "area"), BOTH, ("patient", "control"), strict=True):
        pmf = support_distribution(x)
        likely = np.flatnonzero(pmf > 1e-3 * pmf.max())
        shares, heights = points(mark)
        np.testing.assert_allclose(shares[1:-1], likely / len(x))
        np.testing.assert_allclose(heights[1:-1], pmf[likely] / pmf.max())
        assert mark.text == f"{label}: {x.sum():.3g} of 10 expected"
    assert [mark.look for mark in chart.marks] == ["pos", "neg"]


@pytest.mark.parametrize(
    ("n_graphs", "shares", "is_whole"),
    [(20_000, (0.31, 0.34), False), (30, (0.3, 0.4), True), (30, (0.5, 0.5), True), (5000, (1.0, 1.0), True)],
)
def test_shares_of_many_graphs_fill_their_axis(n_graphs, shares, is_whole):
    supports = [binom.pmf(np.arange(n_graphs + 1), n_graphs, share) for share in shares]
    chart = support_chart(supports, "ab")
    assert (chart.x == (0.0, 1.0)) is is_whole
    widths = [np.ptp(points(mark)[0]) / (chart.x[1] - chart.x[0]) for mark in chart.marks]
    assert is_whole or min(widths) > 0.12
    assert max(len(mark.points) for mark in chart.marks) <= 202
    if not is_whole:
        assert "expected 6.2e+03 of 20000 in a, 6.8e+03 of 20000 in b" in chart.title


@pytest.mark.parametrize("names", [("patient", "control"), ("high", "low", "none")])
def test_dots_are_the_containment_probabilities(names):
    labels = Y if len(names) == 2 else ARMS
    groups = [X[labels == name] for name in names]
    chart = containment_chart(groups, names)
    for i, (dots, rule, x) in enumerate(zip(marks(chart, "dots"), marks(chart, "rule"), groups, strict=True)):
        values, heights = points(dots)
        np.testing.assert_array_equal(values, np.sort(x))
        assert (np.floor(heights) == len(names) - 1 - i).all()  # within its row
        assert rule.points[0][0] == x.mean()
        assert rule.text == f"mean {x.mean():.2f}"
    assert chart.rows == [f"{name} (n = {len(x)})" for name, x in zip(names, groups, strict=True)]
    assert len({mark.look for mark in marks(chart, "dots")}) == (2 if len(names) == 2 else 1)


def test_many_graphs_are_a_histogram_that_is_highest_where_most_are():
    many = np.concatenate([np.full(5000, 0.31), np.linspace(0, 1, 500)])
    chart = containment_chart([many, many[-20:]], "ab")
    assert [(mark.kind, mark.look) for mark in chart.marks if mark.kind != "rule"] == [
        ("area", "pos"),
        ("dots", "neg"),
    ]
    x, height = points(marks(chart, "area")[0])
    assert 0.3 <= x[height == height.max()].mean() <= 0.32
    few, more = np.zeros(3), np.zeros(MOST_DOTS + 1)
    assert dots_or_histogram([few, few]) == "a dot for each graph"
    assert dots_or_histogram([few, more]) == "dots or a histogram for the graphs"
    assert dots_or_histogram([more, more]) == "a histogram of the graphs"


def test_many_graphs_over_a_phenotype_are_an_area_around_their_middle():
    random = np.random.default_rng(1)
    y = random.uniform(20, 80, 20_000)
    x = np.clip(0.005 * y + random.normal(0, 0.05, y.size), 0, 1)
    (area,) = marks(phenotype_chart(y, x, 0.005, "age"), "area")
    corners = np.array(area.points)
    upper, lower = corners[:20], corners[:19:-1]
    assert (upper[:, 0] == lower[:, 0]).all()
    assert (upper[:, 1] > lower[:, 1]).all()
    for (at, high), (_, low) in zip(upper[2:-2], lower[2:-2], strict=True):
        near = x[np.abs(y - at) < 1.5]
        assert ((near >= low) & (near <= high)).mean() == pytest.approx(0.8, abs=0.05)


def test_the_slope_is_the_effect_of_the_search(ax):
    for covariates in (None, np.arange(20) % 3):
        ax.clear()
        found = dg.mine_subgraphs(GRAPHS, DOSE, covariates=covariates, n_subgraphs=3)
        dg.plot.plot_phenotype(GRAPHS, DOSE, found.subgraphs[0], covariates=covariates, ax=ax)
        dots, line = ax.lines
        (x0, x1), (y0, y1) = line.get_data()
        assert (y1 - y0) / (x1 - x0) == pytest.approx(found.effects[0])
        assert np.polyfit(*dots.get_data(), 1)[0] == pytest.approx(found.effects[0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("phenotype, adjusted", "containment probability, adjusted")


def test_a_subgraph_that_covariates_explain_has_no_slope(ax):
    """Rounding is neither shown as a slope nor stretched over the whole axis."""
    site = np.arange(20) % 2
    graphs = dg.UncertainGraphs(np.where(site == 1, 0.9, 0.3)[:, None])
    dg.plot.plot_phenotype(graphs, DOSE, (0,), covariates=site, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["slope 0 per unit"]
    assert ax.get_ylim()[0] <= 0 < 1 <= ax.get_ylim()[1]


def test_every_size_has_its_maxima_its_critical_and_its_observed_value():
    result = made_test(*BRAIN)
    chart = null_chart(result)
    for look, values in (("critical", result.critical_values), ("observed", result.null_maxima[0])):
        rules = marks(chart, "rule", look)
        assert [rule.points[0] for rule in rules] == [(values[0], 1.0), (values[1], 0.0)]
        assert [rule.text for rule in rules] == [f"{look} {value:.3g}" for value in values]
    assert chart.rows == ["1 edge", "2 edges"]
    counts, _ = np.histogram(result.null_maxima[1:, 1], bins=40, range=chart.x)
    heights = points(marks(chart, "area", "plain")[1])[1][1:-1:2]
    np.testing.assert_allclose(heights, 0.62 * counts / counts.max())
    assert chart.x[0] < result.null_maxima.min() <= result.null_maxima.max() < chart.x[1]
    assert "in each of 199 permutations" in chart.title


def test_sizes_without_subgraphs_are_left_out_and_equal_maxima_have_an_axis():
    result = dg.significant_subgraphs(*BRAIN, n_permutations=99, min_expected_frequency=0.3)
    assert (result.n_admitted == 0).any()
    named = [name for name, n in zip(result.size_classes, result.n_admitted, strict=True) if n]
    assert null_chart(result).rows == named
    result.null_maxima[:], result.critical_values[:] = 1.0, 1.0
    chart = null_chart(result)
    assert chart.x == (0.5, 1.5)


def test_the_path_has_every_penalty_and_the_loss_its_own_scale(ax):
    model = fitted()
    dg.plot.plot_sparse_path(model, ax=ax)
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["_count"].get_xdata().tolist() == [m.alpha for m in model.path_]
    assert list(lines["_count"].get_ydata()) == [len(m.coef) for m in model.path_]
    assert lines["_median"].get_xdata()[0] == model.alpha_
    assert ax.get_xlim()[0] > ax.get_xlim()[1]
    (scale,) = ax.child_axes
    ax.figure.draw_without_rendering()
    # By the scale at the right a place of the line is the mean held-out loss.
    low, high = scale.get_ylim()
    bottom, top = ax.get_ylim()
    drawn = low + (lines["_loss"].get_ydata() - bottom) / (top - bottom) * (high - low)
    np.testing.assert_allclose(drawn, model.cv_losses_.mean(axis=1))
    ax.clear()
    dg.plot.plot_sparse_path(model.path_, ax=ax)
    assert [line.get_label() for line in ax.lines] == ["_count"]
