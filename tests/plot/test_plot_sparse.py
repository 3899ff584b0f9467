"""Plots of sparse models: what is drawn is what the model has; what cannot be drawn is told."""

import numpy as np
import pytest
from pictures import fitted

import dugraph as dg
from dugraph import InputError


def test_bars_are_the_coefficients(ax):
    model = fitted()
    dg.plot.plot_coefficients(model, ax=ax)
    bars = sorted(ax.patches, key=lambda bar: -bar.get_y())
    assert [bar.get_width() for bar in bars] == pytest.approx(model.subgraph_coef_[0].tolist())
    assert {bar.get_hatch() or "" for bar in bars if bar.get_width() < 0} == {"////"}
    assert {bar.get_hatch() or "" for bar in bars if bar.get_width() > 0} == {""}
    assert ax.texts[0].get_text() == model.get_feature_names_out()[0].strip("{}")
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == ["for patient", "for control"]


def test_only_the_largest_are_drawn_if_asked(ax):
    model = fitted()
    dg.plot.plot_coefficients(model, top=2, ax=ax)
    assert len(ax.patches) == 2
    assert ax.get_xlabel() == f"coefficient ({len(model.subgraphs_) - 2} smaller ones not drawn)"


@pytest.mark.parametrize("path", [None, [], "abc", [1], dg.SparseSubgraphClassifier()])
def test_what_is_no_path_is_refused(path, ax):
    with pytest.raises(InputError, match="Call fit or sparse_path first"):
        dg.plot.plot_sparse_path(path, ax=ax)


def test_what_has_no_coefficients_is_refused(ax):
    with pytest.raises(InputError, match="Call fit first"):
        dg.plot.plot_coefficients(dg.SparseSubgraphClassifier(), ax=ax)
    for top in (0, True, 1.5):
        with pytest.raises(InputError, match="top must be a whole number of at least 1"):
            dg.plot.plot_coefficients(fitted(), top=top, ax=ax)
    nothing = dg.SparseSubgraphClassifier(alpha=9.0).fit([[0.9, 0.5, 0.5], [0.4, 0.5, 0.5]], [0, 1])
    with pytest.raises(InputError, match="no subgraph, so there is no coefficient to draw"):
        dg.plot.plot_coefficients(nothing, ax=ax)


def test_a_regression_is_drawn_alike(ax):
    random = np.random.default_rng(0)
    X = random.uniform(0.2, 0.9, (40, 6))
    model = dg.SparseSubgraphRegressor(alpha="cv", cv=3, n_alphas=4).fit(X, 5 * X[:, 0] - 5 * X[:, 5])
    dg.plot.plot_sparse_path(model, ax=ax)
    assert ax.lines[1].get_xdata().tolist() == [m.alpha for m in model.path_]
    ax.clear()
    dg.plot.plot_coefficients(model, ax=ax)
    bars = sorted(ax.patches, key=lambda bar: -bar.get_y())
    assert [bar.get_width() for bar in bars] == pytest.approx(model.subgraph_coef_.tolist())
    assert min(model.subgraph_coef_) < 0 < max(model.subgraph_coef_)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == ["for larger values", "for smaller values"]


def test_a_model_for_each_class_is_refused(ax):
    X = np.random.default_rng(0).uniform(0.2, 0.9, (30, 3))
    model = dg.SparseSubgraphClassifier(alpha=0.1).fit(X, np.array(["a", "b", "c"])[np.arange(30) % 3])
    with pytest.raises(InputError, match="must be those of one model, but there are 3"):
        dg.plot.plot_coefficients(model, ax=ax)
    with pytest.raises(InputError, match="of two classes"):
        dg.plot.plot_sparse_path(model, ax=ax)
