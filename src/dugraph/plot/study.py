"""Studies as lines: phi against error and F1, pruning and scaling against time."""

from __future__ import annotations

import io
import os

from dugraph.data.arguments import check_kind
from dugraph.data.wording import is_one_of
from dugraph.evaluation.study import Study
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.plot.axes import Axes, drawing_axes, drop_frame
from dugraph.plot.colours import line_styles
from dugraph.plot.text import plain
from dugraph.words import METRICS, Status

_LOGARITHMIC = ("seconds", "n_visited", "n_evaluated")


def plot_phi_study(study: Study, *, metric: str = "error", ax: Axes | None = None) -> Axes:
    """Draw error or F1 against phi, one line for each number of subgraphs t.

    Parameters
    ----------
    study : Study
        Of `phi_study`.
    metric : {"error", "f1", "n_found"}, default "error"
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> from dugraph.evaluation import phi_study
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> limits = {"n_subgraphs": [5], "n_splits": 2, "min_expected_frequency": 0.5}
    >>> study = phi_study(graphs, y, phis=[0.01, 0.02], **limits)
    >>> ax = dg.plot.plot_phi_study(study, metric="f1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('phi', 'F1')
    """
    return _plot(study, "phi", metric, ("error", "f1", "n_found"), ax)


def plot_pruning_study(study: Study, *, work: str = "seconds", ax: Axes | None = None) -> Axes:
    """Draw the work of a search against the least expected frequency, one line for each bound.

    Hollow marks: the time limit was reached, so that the whole work is more.

    Parameters
    ----------
    study : Study
        Of `pruning_study`.
    work : {"seconds", "n_visited", "n_evaluated"}, default "seconds"
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> from dugraph.evaluation import pruning_study
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> study = pruning_study(graphs, y, min_expected_frequencies=[0.6, 0.5], n_subgraphs=5)
    >>> ax = dg.plot.plot_pruning_study(study, work="n_evaluated")
    >>> ax.get_yscale()
    'log'
    """
    return _plot(study, "pruning", work, _LOGARITHMIC, ax)


def plot_scaling_study(study: Study, *, ax: Axes | None = None) -> Axes:
    """Draw the seconds of the search and of the brute force against the number of graphs.

    Hollow marks: the time limit was reached, so that the whole time is more.

    Parameters
    ----------
    study : Study
        Of `scaling_study`.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> from dugraph.evaluation import scaling_study
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> study = scaling_study(graphs, y, n_graphs=[4, 8], n_subgraphs=5, time_limit=1.0)
    >>> ax = dg.plot.plot_scaling_study(study)
    >>> ax.get_xlabel()
    'number of graphs'
    """
    return _plot(study, "scaling", "seconds", ("seconds",), ax)


def draw_study(path: str | os.PathLike[str], study: Study, y: str | None = None) -> None:
    """Write a PNG of a study.

    Parameters
    ----------
    path : path-like
        The file, complete or not there.
    study : Study
    y : str, default None
        The column to draw; None: the study's own.

    Raises
    ------
    InputError
        If matplotlib, the extra ``plot``, is not installed.
    """
    picture = study_picture(study, y)
    with atomic_file(path) as file:
        file.write(picture)


def study_picture(study: Study, y: str | None = None) -> bytes:
    """Return the file that `draw_study` writes."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "Pictures need matplotlib, which is missing: pip install 'dugraph[plot]'."
        ) from error
    check_kind(study, Study, "study")
    drawn = study.y if y is None else y
    _refuse_words(study, drawn)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    _draw_lines(axes, study, drawn)
    # A study may be drawn column by column: the title says which one this is.
    subject = study.title.partition(":")[0]
    axes.set_title(plain(f"{subject}: {_words(drawn)} against {_words(study.x)}"))
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def _refuse_words(study: Study, column: str) -> None:
    if any(isinstance(value, str) for value in study.column(column)):
        raise InputError(f"y must be a column of numbers, but {column} holds words.", parameter="y")


def _plot(study: Study, name: str, column: str, columns: tuple[str, ...], ax: Axes | None) -> Axes:
    if not isinstance(study, Study) or study.name != name:
        got = f"the study {study.name!r}" if isinstance(study, Study) else type(study).__name__
        raise InputError(f"A study of {name} is needed: got {got}. Take it from {name}_study.")
    if not is_one_of(column, columns):
        raise InputError(f"What is drawn must be one of {', '.join(columns)}: got {column!r}.")
    axes = drawing_axes(ax)
    _draw_lines(axes, study, column)
    return axes


_WORDS = {
    **{name: metric.title for name, metric in METRICS.items()},
    "n_graphs": "number of graphs",
    "n_found": "subgraphs found",
    "n_visited": "subgraphs visited",
    "n_evaluated": "subgraphs evaluated",
}


def _words(column: str) -> str:
    return _WORDS.get(column, column.replace("_", " "))


def _draw_lines(ax: Axes, study: Study, column: str) -> None:
    names = list(dict.fromkeys(study.column(study.line)))
    proven = [True] * len(study.rows)
    if "status" in study.columns:
        proven = [status == Status.OPTIMAL.value for status in study.column("status")]
    points = list(
        zip(study.column(study.line), study.column(study.x), study.column(column), proven, strict=True)
    )
    for name, style in zip(names, line_styles(len(names)), strict=True):
        own = [(x, y, done) for line, x, y, done in points if line == name and y is not None]
        ax.plot(
            [x for x, _, _ in own], [y for _, y, _ in own], linewidth=1.6, markersize=5,
            label=plain(f"{_words(study.line)} = {name}", 2.0), **style,
        )  # fmt: skip
        limited = [(x, y) for x, y, done in own if not done]
        if limited:
            ax.plot(
                *zip(*limited, strict=True), linestyle="none", marker=style["marker"], markersize=8,
                markerfacecolor="white", markeredgecolor=style["color"], zorder=4, label="_limited",
            )  # fmt: skip
    if column in _LOGARITHMIC:
        ax.set_yscale("log")
    ax.set_xlabel(_words(study.x))
    ax.set_ylabel(_words(column))
    ax.grid(alpha=0.3)
    ax.set_axisbelow(True)
    ax.legend(fontsize="small", framealpha=0.85, handlelength=2.6)
    drop_frame(ax)
