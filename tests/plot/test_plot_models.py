"""Comparisons and sparse models: lines, ranks, the critical difference, bars of coefficients."""

import dataclasses

import numpy as np
import pytest
from pictures import METHODS, evaluation, fitted, legend_words
from scipy.stats import rankdata

import dugraph as dg
from dugraph.plot import plot_metric, plot_ranks
from dugraph.plot.models import compare
from dugraph.plot.style import PALE


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


@pytest.mark.parametrize("metric", ["error", "f1", "balanced_accuracy", "auc"])
def test_lines_are_the_means(metric, ax):
    result = evaluation()
    plot_metric(result, metric=metric, ax=ax)
    drawn = lines_of(ax)
    # The last one has no features in one split, so that it has no mean.
    assert list(drawn) == legend_words(ax) == list(METHODS[:3])
    for i, method in enumerate(METHODS[:3]):
        assert drawn[method].get_xdata().tolist() == [100, 200, 300]
        np.testing.assert_allclose(drawn[method].get_ydata(), result.values(metric)[i].mean(axis=1))
    assert "not drawn: 1 method without values" in ax.get_xlabel()
    ax.clear()
    plot_metric(result, methods=["exp-freq"], ax=ax)
    assert list(lines_of(ax)) == ["exp-freq"]


def test_of_many_methods_the_best_or_the_chosen_ones_are_highlighted(ax):
    result = evaluation(tuple(f"method-{i:02d}" for i in range(22)))
    plot_metric(result, metric="f1", ax=ax)
    means = dict(zip(result.methods, np.nanmean(result.mean("f1"), axis=1), strict=True))
    drawn = [m for m, mean in means.items() if np.isfinite(mean)]
    assert sorted(legend_words(ax)) == sorted(sorted(drawn, key=lambda m: -means[m])[:5])
    assert len([line for line in ax.lines if line.get_color() == PALE]) == len(drawn) - 5
    assert f"grey: {len(drawn) - 5} other methods" in ax.get_xlabel()
    ax.clear()
    plot_metric(result, highlight=["method-03", "method-01"], ax=ax)
    assert sorted(legend_words(ax)) == ["method-01", "method-03"]


def test_unproven_values_have_hollow_markers(ax):
    result = evaluation()
    first = result.methods[0]
    cells = [dataclasses.replace(cell, proven=cell.method != first) for cell in result.cells]
    plot_metric(dataclasses.replace(result, cells=cells), ax=ax)
    faces = {line.get_label(): line.get_markerfacecolor() for line in ax.lines}
    assert faces.pop(first) == "white"
    assert "white" not in faces.values()
    assert "hollow: not proven" in ax.get_xlabel()


# Two-tailed Nemenyi test at 5 %: q of Demsar, JMLR 7 (2006), Table 5 (a).
@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_nemenyis(k, q):
    n = 12
    comparison = compare(np.random.default_rng(0).uniform(size=(k, n)), largest_first=False)
    assert comparison.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * n)), rel=5e-4)


def test_ranks_are_averages_over_splits():
    values = np.array([[0.1, 0.2, 0.1], [0.2, 0.1, 0.3], [0.3, 0.4, 0.3]])
    comparison = compare(values, largest_first=False)
    np.testing.assert_allclose(comparison.ranks, [4 / 3, (2 + 1 + 2.5) / 3, (3 + 3 + 2.5) / 3])
    np.testing.assert_allclose(compare(values[:2], largest_first=True).ranks, [5 / 3, 4 / 3])
    assert np.isnan(compare(values[:2], largest_first=False).p_value)
    assert np.isnan(compare(np.ones((3, 4)), largest_first=False).p_value)


def test_methods_are_at_their_ranks_and_bars_join_those_that_do_not_differ(ax):
    result = evaluation()
    plot_ranks(result, ax=ax)
    # The last one has no features in one split, so that it has no rank and takes none.
    error = result.values("error")[:3].mean(axis=1)
    ranks = rankdata(error, axis=0).mean(axis=1)
    order = np.argsort(ranks)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == [f"{METHODS[i]} {ranks[i]:.2f}" for i in order]
    dots = [line for line in ax.lines if line.get_label() == "_pos"]
    assert [dot.get_ydata()[0] for dot in dots] == [2.5, 1.5, 0.5]
    np.testing.assert_allclose([dot.get_xdata()[0] for dot in dots], ranks[order])
    critical = compare(error, largest_first=False).critical_difference
    assert f"critical difference {critical:.2f}" in ax.get_xlabel()
    assert "not drawn: 1 method without values" in ax.get_xlabel()
    bars = [line.get_ydata() for line in ax.lines if line.get_label() == "_joined"]
    for i, a in enumerate(ranks[order]):
        for j, b in enumerate(ranks[order][i + 1 :], i + 1):
            joined = any(top > 2.5 - i and bottom < 2.5 - j for top, bottom in bars)
            assert joined == (b - a <= critical)


def bars_of(ax):
    """The length and the hatch of every bar, from the top."""
    bars = sorted(ax.patches, key=lambda bar: -bar.get_xy()[:, 1].max())
    return [bar.get_xy()[2, 0] for bar in bars], [bar.get_hatch() or "" for bar in bars]


def test_bars_are_the_coefficients(ax):
    model = fitted()
    coefficients = model.subgraph_coef_[0].tolist()
    assert min(coefficients) < 0 < max(coefficients)
    dg.plot.plot_coefficients(model, ax=ax)
    assert bars_of(ax) == (coefficients, ["////" if value < 0 else "" for value in coefficients])
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == [name.strip("{}") for name in model.get_feature_names_out()]
    assert legend_words(ax) == ["for patient", "for control"]
    ax.clear()
    dg.plot.plot_coefficients(model, top=2, ax=ax)
    assert bars_of(ax)[0] == coefficients[:2]
    assert ax.get_xlabel() == f"coefficient ({len(coefficients) - 2} smaller ones not drawn)"


def test_a_regression_is_drawn_alike(ax):
    X = np.random.default_rng(0).uniform(0.2, 0.9, (40, 6))
    model = dg.SparseSubgraphRegressor(alpha="cv", cv=3, n_alphas=4).fit(X, 5 * X[:, 0] - 5 * X[:, 5])
    dg.plot.plot_sparse_path(model, ax=ax)
    assert ax.lines[1].get_xdata().tolist() == [m.alpha for m in model.path_]
    ax.clear()
    dg.plot.plot_coefficients(model, ax=ax)
    assert bars_of(ax)[0] == pytest.approx(model.subgraph_coef_.tolist())
    assert sorted(legend_words(ax)) == ["for larger values", "for smaller values"]


@pytest.mark.parametrize("alphas", [[0.1, 0.05], [1.0, 1e-4], [0.3], [10.0**-k for k in range(9)]])
def test_labels_of_penalties_do_not_overlap(alphas, ax):
    from dugraph.plot.chart import draw_chart
    from dugraph.plot.models import path_chart

    chart, _ = path_chart(alphas, range(len(alphas)), [], [], None)
    draw_chart(chart, ax)
    ax.figure.draw_without_rendering()
    low, high = sorted(ax.get_xlim())
    labels = [t for t in ax.get_xticklabels(which="both") if low <= t.get_position()[0] <= high]
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    assert len(boxes) >= 2
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
