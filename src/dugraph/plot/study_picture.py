"""A picture of a study: one line for each variant."""

from __future__ import annotations

import os

from dugraph.data.atomic import atomic_file
from dugraph.evaluation.study import Study, Value

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vP"


def draw_study(path: str | os.PathLike[str], study: Study, y: str | None = None) -> None:
    """Write a PNG of a study.

    Parameters
    ----------
    path : path-like
        The file, complete or not there.
    study : Study
    y : str, default None
        The column to draw; None: the study's own. "seconds" gets a logarithmic axis.

    Raises
    ------
    ImportError
        If matplotlib, the extra ``report``, is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'dugraph[report]'.") from error
    measured = y or study.y
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    names = study.column(study.line)
    points = list(zip(study.column(study.x), study.column(measured), names, strict=True))
    for i, name in enumerate(dict.fromkeys(names)):
        line = [(_number(a), _number(b)) for a, b, which in points if which == name and b is not None]
        axes.plot(
            [a for a, _ in line],
            [b for _, b in line],
            color=COLOURS[i % len(COLOURS)],
            marker=MARKERS[i % len(MARKERS)],
            label=f"{study.line} = {name}",
        )
    if measured == "seconds":
        axes.set_yscale("log")
    axes.set(xlabel=study.x.replace("_", " "), ylabel=measured.replace("_", " "), title=study.title)
    axes.grid(alpha=0.3)
    axes.legend()
    with atomic_file(path) as file:
        figure.savefig(file, format="png", dpi=120)


def _number(value: Value) -> float:
    return float(value or 0.0)
