"""Sparse models: the regularisation path, and the coefficients of one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import check_positive_int, counted
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart
from dugraph.plot.panels import Fitted, naming_of
from dugraph.plot.style import (
    INK,
    NEGATIVE,
    POSITIVE,
    Axes,
    drawing_axes,
    fill_doc,
    line_height,
    plain,
    size_in_inches,
    text_width,
)
from dugraph.sparse import SparseModel, SparseSubgraphClassifier

_SIZE = "x-small"
_MOST_NAMES = 20


@fill_doc
def plot_sparse_path(path: Fitted | Sequence[SparseModel], *, ax: Axes | None = None) -> Axes:
    """Draw the number of subgraphs against the penalty, and the held-out loss where it chose the penalty.

    The axis of penalties is logarithmic, the largest at the left. The loss, mean and standard deviation over
    the folds, has its own scale on the right.

    Parameters
    ----------
    path : SparseSubgraphClassifier, SparseSubgraphRegressor or sequence of SparseModel
        Fitted, of two classes or of a phenotype; or the models of `sparse_path`.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> path = dg.sparse.sparse_path(graphs, y, n_alphas=5, max_edges=2, min_expected_frequency=0.4)
    >>> ax = dg.plot.plot_sparse_path(path)
    >>> ax.get_xscale(), ax.get_ylabel()
    ('log', 'number of subgraphs')
    """
    models, losses, alpha = _path_of(path)
    tried = [] if losses is None else losses.mean(axis=1)
    spreads = [] if losses is None else losses.std(axis=1)
    penalties = [model.alpha for model in models]
    chart, scale = path_chart(penalties, [len(model.coef) for model in models], tried, spreads, alpha)
    ax = draw_chart(chart, ax)
    ax.yaxis.get_major_locator().set_params(integer=True)
    if scale is not None:
        low, per_unit = scale
        loss = ax.secondary_yaxis(
            "right",
            functions=(lambda y: low + np.asarray(y) / per_unit, lambda x: (np.asarray(x) - low) * per_unit),
        )
        loss.set_ylabel("held-out loss", color=POSITIVE.colour)
    return ax


def path_chart(
    alphas: Sequence[float],
    counts: Sequence[int],
    losses: Sequence[float],
    spreads: Sequence[float],
    alpha: float | None,
) -> tuple[Chart, tuple[float, float] | None]:
    """Compose a regularisation path: penalties from large to small, and the number of subgraphs at each.

    Held-out losses, mean and standard deviation, are empty or NaN where they are unknown; `alpha` is the
    penalty in use. With losses, the second value is the loss at height 0, and the height of a unit of loss.
    """
    top = 1.25 * max(1, *counts)
    words = f"{len(alphas)} penalties, from {counts[0]} to {counted(counts[-1], 'subgraph')}."
    judged = [
        (x, loss, spread)
        for x, loss, spread in zip(alphas, losses, spreads, strict=False)
        if np.isfinite(loss) and np.isfinite(spread)
    ]
    if judged:
        best = min(loss for _, loss, _ in judged)
        words += (
            f" The held-out loss is {judged[0][1]:.3g} at the largest penalty and {best:.3g} at the best."
        )
    ends = (min(alphas) / 1.15, max(alphas) * 1.15)
    chart = Chart(words, ends, (0.0, top), "penalty alpha", "number of subgraphs", log=True)
    if alpha is not None:
        chart.add("rule", ((alpha, 0.0), (alpha, top)), "median", f"in use: {alpha:.3g}")
    chart.add("line", zip(alphas, counts, strict=True), "count")
    chart.add("note", [(alphas[-1], counts[-1])], "", counted(counts[-1], "subgraph"), -1)
    if not judged:
        return chart, None
    low = min(loss - spread for _, loss, spread in judged)
    high = max(loss + spread for _, loss, spread in judged)
    per_unit = 0.75 * top / max(high - low, 1e-12)
    low -= 0.05 * top / per_unit
    band = [(x, loss + spread) for x, loss, spread in judged]
    band += [(x, loss - spread) for x, loss, spread in reversed(judged)]
    chart.add("area", [(x, (loss - low) * per_unit) for x, loss in band], "loss")
    line = [(x, (loss - low) * per_unit) for x, loss, _ in judged]
    chart.add("line", line, "loss")
    chart.add("note", [line[-1]], "", f"held-out loss {judged[-1][1]:.3g}", -1)
    return chart, (low, per_unit)


def _path_of(path: Any) -> tuple[list[SparseModel], NDArray[np.float64] | None, float | None]:
    if isinstance(path, Fitted) and hasattr(path, "path_"):
        return path.path_, getattr(path, "cv_losses_", None), path.alpha_
    is_list = isinstance(path, Sequence) and not isinstance(path, str)
    if not is_list or not path or not all(isinstance(model, SparseModel) for model in path):
        raise InputError(
            "A fitted SparseSubgraphClassifier of two classes, a fitted SparseSubgraphRegressor or the "
            f"models of sparse_path are needed: got {type(path).__name__}. Call fit or sparse_path first."
        )
    return list(path), None, None


@fill_doc
def plot_coefficients(classifier: Fitted, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the coefficients of a sparse model as bars with the names of their subgraphs.

    Bars to the right favour ``classes_[1]``, or a larger phenotype; hatched bars to the left favour
    ``classes_[0]``, or a smaller one.

    Parameters
    ----------
    classifier : SparseSubgraphClassifier or SparseSubgraphRegressor
        Fitted, of two classes or of a phenotype, with at least one subgraph.
    top : int, optional
        How many of the largest are drawn. Default: at most 20.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> model = dg.SparseSubgraphClassifier(alpha=0.01, min_expected_frequency=0.3).fit(X, [1, 1, 0, 0])
    >>> ax = dg.plot.plot_coefficients(model)
    >>> ax.get_xlabel()
    'coefficient'
    """
    chosen = _coefficients_of(classifier)[: _MOST_NAMES if top is None else check_positive_int("top", top)]
    naming = naming_of(classifier)
    names = [", ".join(map(naming.edge_name, g)) for g in classifier.subgraphs_[: len(chosen)]]
    ax = drawing_axes(ax)
    places = np.arange(len(chosen))[::-1]
    larger, smaller = "larger values", "smaller values"
    if isinstance(classifier, SparseSubgraphClassifier):
        smaller, larger = classifier.classes_.tolist()
    for label, style, members in ((larger, POSITIVE, chosen > 0), (smaller, NEGATIVE, chosen < 0)):
        if members.any():
            ax.barh(
                places[members], chosen[members], height=0.62, color=style.colour, hatch=style.hatch,
                edgecolor="white", linewidth=0, label=plain(f"for {label}", 1.2, _SIZE),
            )  # fmt: skip
    ax.axvline(0, color=INK, linewidth=0.8)
    _name_bars(ax, places, names)
    left_out = len(classifier.subgraphs_) - len(chosen)
    ax.set_xlabel(f"coefficient ({left_out} smaller ones not drawn)" if left_out else "coefficient")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=_SIZE, framealpha=0.85, loc="lower right")
    return ax


def _coefficients_of(classifier: Any) -> NDArray[np.float64]:
    if not isinstance(classifier, Fitted) or not hasattr(classifier, "subgraph_coef_"):
        raise InputError(
            "A fitted SparseSubgraphClassifier or SparseSubgraphRegressor is needed: got "
            f"{type(classifier).__name__}. Call fit first."
        )
    if len(classifier.models_) > 1:
        raise InputError(
            f"The coefficients must be those of one model, but there are {len(classifier.models_)}, one for "
            "each class against the rest. Fit two classes, or draw its models_ one by one."
        )
    coefficients = np.ravel(classifier.subgraph_coef_)
    if not len(coefficients):
        raise InputError(
            "The model has no subgraph, so there is no coefficient to draw. Fit it with a smaller alpha."
        )
    return coefficients


def _name_bars(ax: Axes, places: NDArray[np.intp], names: list[str]) -> None:
    """Write the names at the left within the axes, which are widened for them, where they have room."""
    width, height = size_in_inches(ax)
    texts = [plain(name, 0.45 * width, _SIZE) for name in names]
    share = min(0.6, (max(text_width(text, _SIZE) for text in texts) + 0.1) / width)
    low, high = ax.get_xlim()
    left = (low - share * high) / (1 - share)
    # Numbers stand below the bars only, not below the names.
    ax.set_xticks([tick for tick in ax.get_xticks() if low <= tick <= high])
    ax.set_xlim(left, high)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(-0.8, len(places) - 0.2)
    ax.set_yticks([])
    every = max(1, int(np.ceil(len(places) * line_height(_SIZE) / height)))
    for place, text in list(zip(places, texts, strict=True))[::every]:
        ax.text(left, place, text, ha="left", va="center", fontsize=_SIZE)
