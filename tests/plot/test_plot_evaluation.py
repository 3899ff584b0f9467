"""Comparisons: lines, ranks and the critical difference."""

import dataclasses

import numpy as np
import pytest
from pictures import METHODS, evaluation
from scipy.stats import rankdata

from dugraph.plot import plot_metric, plot_ranks
from dugraph.plot.evaluation import compare
from dugraph.plot.style import PALE


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


@pytest.mark.parametrize("metric", ["error", "f1", "balanced_accuracy", "auc"])
def test_lines_are_the_means(metric, ax):
    result = evaluation()
    plot_metric(result, metric=metric, ax=ax)
    drawn = lines_of(ax)
    # The last one has no features in one split, so that it has no mean.
    assert list(drawn) == list(METHODS[:3])
    for i, method in enumerate(METHODS[:3]):
        assert drawn[method].get_xdata().tolist() == [100, 200, 300]
        np.testing.assert_allclose(drawn[method].get_ydata(), result.values(metric)[i].mean(axis=1))
    assert {text.get_text().strip() for text in ax.texts} == set(METHODS[:3])
    assert "not drawn: 1 method without values" in ax.get_xlabel()


def test_methods_can_be_chosen_and_must_be_there(ax):
    plot_metric(evaluation(), methods=["exp-freq"], ax=ax)
    assert list(lines_of(ax)) == ["exp-freq"]


def test_names_of_many_lines_keep_apart(ax):
    result = evaluation(tuple(f"method-{i}" for i in range(25)))
    plot_metric(result, ax=ax)
    ax.figure.draw_without_rendering()
    heights = np.sort([text.get_window_extent().y0 for text in ax.texts])
    size = ax.texts[0].get_window_extent().height
    assert np.diff(heights).min() > 0.8 * size


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


def test_methods_stand_at_their_ranks_and_bars_join_those_that_do_not_differ(ax):
    result = evaluation()
    plot_ranks(result, ax=ax)
    # The last one has no features in one split, so that it has no rank and takes none.
    error = result.values("error")[:3].mean(axis=1)
    expected = rankdata(error, axis=0).mean(axis=1)
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(method in texts for method in METHODS[:3])
    assert METHODS[3] not in texts
    assert "(not drawn: 1 method without values)" in texts
    drawn = sorted(line.get_xdata()[0] for line in ax.lines if line.get_label() == "_method")
    np.testing.assert_allclose(drawn, np.sort(expected))
    critical = compare(error, largest_first=False).critical_difference
    assert np.ptp(next(line for line in ax.lines if line.get_label() == "_cd").get_xdata()) == pytest.approx(
        critical
    )
    bars = [np.add(line.get_xdata(), (0.04, -0.04)) for line in ax.lines if line.get_label() == "_joined"]
    for begin, end in bars:
        assert end - begin <= critical + 1e-9
    for a in expected:
        for b in expected:
            joined = any(begin - 1e-9 <= min(a, b) and max(a, b) <= end + 1e-9 for begin, end in bars)
            assert joined == (abs(a - b) <= critical) or a == b


def many(n=22):
    return evaluation(tuple(f"method-{i:02d}" for i in range(n)))


def names_of(ax):
    return [text.get_text().strip() for text in ax.texts]


def test_of_many_methods_the_best_are_highlighted(ax):
    result = many()
    plot_metric(result, metric="f1", ax=ax)
    means = np.nanmean(result.mean("f1"), axis=1)
    drawn = [m for m, mean in zip(result.methods, means, strict=True) if np.isfinite(mean)]
    best = sorted(drawn, key=lambda m: -means[result.methods.index(m)])[:5]
    assert sorted(names_of(ax)) == sorted(best)
    grey = [line for line in ax.lines if line.get_color() == PALE]
    assert len(grey) == len(drawn) - 5
    assert f"grey: {len(drawn) - 5} other methods" in ax.get_xlabel()


def test_the_reader_chooses_what_is_highlighted(ax):
    result = many()
    plot_metric(result, highlight=["method-03", "method-01"], ax=ax)
    assert sorted(names_of(ax)) == ["method-01", "method-03"]


def test_unproven_values_have_hollow_markers(ax):
    result = evaluation()
    first = result.methods[0]
    cells = [dataclasses.replace(cell, proven=cell.method != first) for cell in result.cells]
    plot_metric(dataclasses.replace(result, cells=cells), ax=ax)
    faces = {line.get_label(): line.get_markerfacecolor() for line in ax.lines}
    assert faces.pop(first) == "white"
    assert "white" not in faces.values()
    assert "hollow: not proven" in ax.get_xlabel()
