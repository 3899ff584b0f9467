"""The axes to draw into: the one given, or one of a new figure."""

from __future__ import annotations

from typing import Any

from dugraph.exceptions import InputError

Axes = Any
"""A matplotlib Axes; matplotlib is imported only when something is drawn."""


def drawing_axes(ax: Axes | None, figsize: tuple[float, float] = (5.0, 3.75)) -> Axes:
    """Return the axes to draw into.

    Parameters
    ----------
    ax : matplotlib Axes or None
        None: the single axes of a new figure.
    figsize : pair of float
        Inches of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If matplotlib is not installed, or `ax` is something else.
    """
    try:
        from matplotlib.axes import Axes as MatplotlibAxes
    except ImportError as error:
        raise InputError("Plots need matplotlib, which is missing: pip install 'dugraph[plot]'.") from error
    if ax is None:
        # pyplot chooses a backend, so that it is imported only where a figure is asked for.
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=figsize, layout="constrained")[1]
    if not isinstance(ax, MatplotlibAxes):
        raise InputError(
            f"ax must be an Axes of matplotlib: got {type(ax).__name__}. "
            "Take one from plt.subplots(), or leave ax out."
        )
    return ax


def size_in_inches(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes as they are now; a layout engine may still change them a little."""
    figure = ax.figure.figure  # of a subfigure the whole
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def drop_frame(ax: Axes) -> None:
    """Remove the top and right lines of the frame, which carry no scale."""
    ax.spines[["top", "right"]].set_visible(False)


def colour_bar(ax: Axes, mappable: Any, label: str) -> None:
    """Draw the colour scale next to a matrix, within the same axes."""
    inset = ax.inset_axes((1.03, 0.0, 0.045, 1.0))
    bar = ax.figure.colorbar(mappable, cax=inset)
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(labelsize="x-small")
    bar.set_label(label, fontsize="small")
