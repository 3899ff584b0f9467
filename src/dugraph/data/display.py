"""`Drawable`: results that draw themselves, alone and in notebooks."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Drawable:
    """A result with a method `plot`.

    Drawing is the work of `dugraph.plot`, which knows the results and is imported when something is drawn:
    results are made without it and without matplotlib.
    """

    def plot(self, graphs: Any = None, **options: Any) -> Any:
        """Draw the result with matplotlib.

        Parameters
        ----------
        graphs : UncertainGraphs or LabelledGraphs, optional
            Those of the result, for what it does not know itself; see `dugraph.plot.subgraph_figure`.
        **options
            Those of the function that draws it: `dugraph.plot.subgraph_figure` for subgraphs,
            `plot_replication` for a replication, `plot_power` for a power analysis, `plot_metric` for an
            evaluation, `plot_sensitivity` for several settings, `plot_coefficients` for a fitted sparse
            model.

        Returns
        -------
        matplotlib Axes, or list of these
            ``dugraph.plot.save_figure`` writes their figure.
        """
        return import_module("dugraph.plot.figure").draw_result(self, graphs, **options)

    def _picture_html(self) -> str:
        """The subgraphs as an image within HTML; empty if they cannot be drawn, as without matplotlib."""
        return str(import_module("dugraph.plot.figure").picture_html(self))
