"""A sensitivity analysis: which settings find the same edges, and which edges they find."""

from __future__ import annotations

import numpy as np

from dugraph.exceptions import InputError
from dugraph.plot.style import INK, MATRIX_MAP, PALE, Axes, difference_map, drawing_axes, plain
from dugraph.significance import SensitivityResult

_MOST_EDGES = 30
_LARGEST_WITH_NUMBERS = 12  # settings


def plot_sensitivity(result: SensitivityResult, *, edges: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the Jaccard index of the edges found by each pair of settings.

    Parameters
    ----------
    result : SensitivityResult
    edges : bool, default False
        Draw instead which setting finds which edge, with the sign and size of the effect, for the 30 edges
        found by the most settings.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.sensitivity_analysis(
    ...     graphs, y, min_expected_frequencies=[0.25, 0.3], n_permutations=199
    ... )
    >>> dg.plot.plot_sensitivity(result).get_title()
    'Jaccard index of the edges found'
    """
    if not isinstance(result, SensitivityResult):
        raise InputError(
            f"A SensitivityResult is needed: got {type(result).__name__}. Take it from "
            "sensitivity_analysis(X, y)."
        )
    if edges and not result.edges:
        raise InputError("No edges can be drawn: no setting found one.")
    axes = drawing_axes(ax)
    names = [plain(name, 1.1) for name in result.names]
    if edges:
        shown = result.effects[:_MOST_EDGES]
        most = float(np.nanmax(np.abs(shown)))
        axes.imshow(shown, cmap=difference_map(), vmin=-most, vmax=most, aspect="auto")
        rows = [plain(name, 2.0) for name in result.edges[:_MOST_EDGES]]
        title = f"effect where found\n(full colour: {most:.2g})"
    else:
        axes.imshow(result.jaccard, cmap=_with_gaps(), vmin=0, vmax=1)
        rows, title = names, "Jaccard index of the edges found"
        if len(names) <= _LARGEST_WITH_NUMBERS:
            for i, j in np.ndindex(result.jaccard.shape):
                value = result.jaccard[i, j]
                text, dark = ("-", False) if np.isnan(value) else (f"{value:.2f}", value < 0.6)
                axes.text(
                    *(j, i, text), ha="center", va="center", fontsize="x-small", color="w" if dark else INK
                )
    axes.set_title(title, fontsize="medium")
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    axes.set_yticks(range(len(rows)), rows, fontsize="x-small")
    axes.tick_params(length=0)
    return axes


def _with_gaps() -> object:
    import matplotlib

    return matplotlib.colormaps[MATRIX_MAP].with_extremes(bad=PALE)
