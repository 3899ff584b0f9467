"""Plots of sparse models: what is drawn is what the model has; what cannot be drawn is told."""

import numpy as np
import pytest
from pictures import fitted

import dugraph as dg


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
