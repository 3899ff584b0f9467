"""Figures for papers: views of the brain, families as small multiples, a matrix or a circle, and a legend."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import (
    as_list,
    check_kind,
    check_word,
    counted,
    describe_value,
    is_one_of,
    is_whole,
)
from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError, Setting
from dugraph.files.atomic import atomic_file, check_path
from dugraph.plot.brain import VIEWS, brain_views
from dugraph.plot.circle import draw_chords
from dugraph.plot.matrices import Looks, draw_cells, node_modules, ordered_nodes
from dugraph.plot.models import plot_coefficients, plot_metric
from dugraph.plot.panels import Fitted, Panel, Shown, shown_by
from dugraph.plot.significance import plot_power, plot_replication, plot_sensitivity
from dugraph.plot.style import (
    FAINT,
    INK,
    NEGATIVE,
    POSITIVE,
    line_height,
    network_looks,
    plain,
    text_width,
)
from dugraph.plot.subgraph import checked_view, draw_subgraph_view, layer_styles, signed_looks
from dugraph.results.records import EvaluationRecord, ResultRecord
from dugraph.significance import PowerResult, ReplicationResult, SensitivityResult
from dugraph.words import FIGURE_FORMATS, FIGURE_KINDS, FIGURE_WIDTHS

Figure = Any
"""A matplotlib Figure; matplotlib is imported only when something is drawn."""

_INCH = 25.4
_FONT = 8.0  # points; names are smaller by one or two steps
_LABELLED, _PLAIN = 80.0, 42.0  # millimetres: narrowest panel with names, and without
_MULTIPLES = {"one": 2, "two": 3}  # small multiples with names in a row
_MOST_HIGH = 225.0  # millimetres: highest figure, below the page of a journal
_TITLE = 4.5  # millimetres for the title of a panel
_TOGETHER = 4  # families that one drawing can show
_MOST_PANELS = 12
_NAME_SHARE = 0.29  # of the width of a panel that the names of one side may take


class _Place(NamedTuple):
    """A panel of the figure: the edges that it draws and from where."""

    panel: Panel
    values: dict[int, float]
    view: str
    title: str
    hemisphere: int  # -1 or 1: edges of the other hemisphere are left out; 0: all are drawn


def subgraph_figure(
    result: object,
    graphs: UncertainGraphs | LabelledGraphs | ArrayLike | None = None,
    *,
    kind: str = "brain",
    view: str | Sequence[str] | None = None,
    family: str | int = "auto",
    networks: Sequence[str] | None = None,
    labels: bool = True,
    width: str = "one",
) -> Figure:
    """Draw the subgraphs of a result as a figure for a paper, its legend below the drawing.

    Edges above 0 are blue and solid, edges below 0 orange and dashed, as wide as their values are large.
    Names never overlap: they are shortened, or those of the least connected regions are left out and counted.
    With left and right views, each shows the edges with an end in its hemisphere and names the regions there.

    Parameters
    ----------
    result : SignificanceResult, MiningResult, ReplicationResult, or fitted sparse model
        With at least one subgraph; or what `load_result` returns.
    graphs : UncertainGraphs, LabelledGraphs or array-like of shape (n_graphs, n_edges), optional
        Those of the result. Needed for a sparse model on the brain, and, with classes, for the signs of a
        `MiningResult`. Default: the nodes and edges that the result carries.
    kind : {"brain", "matrix", "chord"}, default "brain"
        Views of the brain (a network layout without coordinates), or, for many edges, a matrix or a circle
        of regions ordered by network.
    view : str or sequence of str, optional
        For the brain, any of "above", "left", "right", "front", "behind", "network". Default: left and right,
        with `width="two"` also above and front; above for small multiples.
    family : {"auto", "all", "each"} or int, default "auto"
        All families in one drawing, each in a panel of its own (the first 12), or the one with this number,
        from 1. "auto": each if there are more than four. For a search or a sparse model, subgraphs take the
        place of families, and "auto" is all.
    networks : sequence of str, length n_nodes, optional
        The network of each node: the colours of nodes, and the order in a matrix or circle. Default: those of
        the graphs; without any, a matrix or circle is ordered by the lobes of AAL regions.
    labels : bool, default True
        Whether names of regions are written.
    width : {"one", "two"}, default "one"
        One column, 88 mm, or two columns, 180 mm.

    Returns
    -------
    matplotlib Figure
        Save it with `save_figure`, which keeps text editable.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, n_permutations=99, min_expected_frequency=0.25)
    >>> figure = dg.plot.subgraph_figure(result, width="two")
    >>> round(figure.get_figwidth() * 25.4), len(figure.axes)
    (180, 4)
    """
    chosen = {"kind": kind, "view": view, "family": family, "networks": networks}
    return _compose(result, graphs, managed=True, labels=labels, width=width, **chosen)


def _compose(
    result: object,
    graphs: Any = None,
    *,
    managed: bool = False,
    kind: Any = "brain",
    view: Any = None,
    family: Any = "auto",
    networks: Any = None,
    labels: bool = True,
    width: str = "one",
) -> Figure:
    """The figure, known to pyplot or not; other options as for `subgraph_figure`."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as MatplotlibFigure
    except ImportError as error:
        raise InputError("Plots need matplotlib, which is missing: pip install 'dugraph[plot]'.") from error
    check_word("kind", kind, FIGURE_KINDS)
    check_word("width", width, tuple(FIGURE_WIDTHS))
    check_kind(labels, bool, "labels")
    shown = shown_by(result, graphs)
    known = networks if networks is not None else shown.naming.node_networks
    if known is not None:
        known = [name or "no network" for name in node_modules(shown.naming.node_labels, known) or ()]
    views = _views(view, kind, shown, width)
    panels = _panels(shown, family, kind)
    if view is None and len(panels) > 1:
        views = views[:1] if shown.naming.node_coordinates is None else ["above"]
    new: Callable[..., Figure] = MatplotlibFigure
    if managed:
        import matplotlib.pyplot as plt

        new = plt.figure
    figure = new(figsize=(FIGURE_WIDTHS[width] / _INCH, 1.0), layout="none")
    # Relative sizes of text are resolved while the text is made.
    with mpl.rc_context({"font.size": _FONT}):
        if kind == "brain":
            _draw_brains(figure, shown, panels, views, known, labels)
        else:
            _draw_whole(figure, shown, panels[0], kind, known, labels)
    return figure


def save_figure(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 300) -> Path:
    """Write a figure, or the figure of some axes, as PDF, SVG or PNG.

    Text in PDF is embedded as TrueType and text in SVG stays text, so that both can be edited. The size is
    that of the figure, to the millimetre. Equal figures are equal files.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
    path : path-like
        Ends in .pdf, .svg or .png.
    dpi : float, default 300
        Dots per inch of a PNG.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", n_graphs=10, random_state=0)
    >>> ax = dg.plot.plot_subgraph(graphs, planted[0], y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dg.plot.save_figure(ax, f"{folder}/subgraph.svg").name
    'subgraph.svg'
    """
    suffix = check_figure_path(path)
    drawn: Any = getattr(figure, "figure", figure)
    if not hasattr(drawn, "savefig"):
        raise InputError(
            f"figure must be a Figure or Axes of matplotlib: got {type(figure).__name__}. Pass what a "
            "plotting function returns.",
            parameter="figure",
        )
    if isinstance(dpi, bool) or not isinstance(dpi, (int, float)) or not 10 <= dpi <= 2400:
        raise InputError(f"dpi must be a number from 10 to 2400: got {describe_value(dpi)}.", parameter="dpi")
    import matplotlib as mpl

    # Dates and versions would make equal figures different files.
    nothing = {
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
    }
    settings = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "dugraph"}
    with mpl.rc_context(settings), atomic_file(path) as file:
        drawn.savefig(file, format=suffix, dpi=dpi, metadata=nothing[suffix], facecolor="white")
    return Path(path)


def check_figure_path(path: str | os.PathLike[str]) -> str:
    """Return the format that the suffix of a path stands for; raise InputError if it is unknown."""
    suffix = Path(check_path(path, "path")).suffix.lower().removeprefix(".")
    if suffix not in FIGURE_FORMATS:
        raise InputError(
            f"{path}: a figure is written as {', '.join(f'.{one}' for one in FIGURE_FORMATS)}, but the file "
            f"ends in {f'.{suffix}' if suffix else 'nothing'}. Give it one of these endings."
        )
    return suffix


def draw_result(result: Any, graphs: Any = None, **options: Any) -> Any:
    """Draw any result, as its method `plot` does; options are those of the function that draws it."""
    drawings: dict[type, Callable[..., Any]] = {
        EvaluationResult: plot_metric,
        ReplicationResult: plot_replication,
        PowerResult: plot_power,
        SensitivityResult: plot_sensitivity,
    }
    if type(result) in drawings:
        return drawings[type(result)](result, **options)
    if isinstance(result, Fitted) and graphs is None:
        return plot_coefficients(result, **options)
    return subgraph_figure(result, graphs, **options).axes


def draw_record(record: ResultRecord, **options: Any) -> Figure:
    """Draw what `load_result` returns, unknown to pyplot; options as for `subgraph_figure`."""
    if not isinstance(record, EvaluationRecord):
        return _compose(record, **options)
    for name, default in (("kind", "brain"), ("view", None), ("family", "auto")):
        if options.get(name, default) != default:
            raise InputError(
                "An evaluation has no subgraphs to draw: its figure shows a metric.",
                way_out=("Leave out ", Setting(name), "."),
            )
    import matplotlib as mpl
    from matplotlib.figure import Figure as MatplotlibFigure

    width = FIGURE_WIDTHS[options.get("width", "one")] / _INCH
    with mpl.rc_context({"font.size": _FONT}):
        figure = MatplotlibFigure(figsize=(width, min(0.75 * width, 4.0)), layout="constrained")
        plot_metric(record.result, metric=record.result.scoring[0], ax=figure.add_subplot())
    return figure


def picture_html(result: object) -> str:
    """The subgraphs of a result as an image within HTML; empty if they cannot be drawn."""
    try:
        figure = _compose(result, width="two")
    except (InputError, ImportError):  # no subgraph, no matplotlib, or no networkx for a layout
        return ""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100, metadata={"Software": None}, facecolor="white")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="The subgraphs on the brain" style="max-width:100%" src="data:image/png;base64,{data}">'


def _views(view: Any, kind: str, shown: Shown, width: str) -> list[str]:
    if view is None:
        if shown.naming.node_coordinates is None:
            return ["network"]
        return ["left", "right", "above", "front"] if width == "two" else ["left", "right"]
    if kind != "brain":
        raise InputError(
            f"Views are those of the brain: kind={kind!r} has none.",
            parameter="view",
            way_out=("Leave out ", Setting("view"), ", or use ", Setting("kind", "brain"), "."),
        )
    views = [view] if isinstance(view, str) else as_list(view, "view", "names of views")
    views = [checked_view(one, shown.naming) for one in views]
    if not views or len({*views}) < len(views):
        raise InputError(
            f"view must be one or several different views: got {describe_value(view)}.", parameter="view"
        )
    return views


def _panels(shown: Shown, family: Any, kind: str) -> list[Panel]:
    """The drawings of a figure: everything together, one family, or the first families one by one."""
    n = len(shown.panels)
    if is_one_of(family, ("auto",)):
        family = "each" if kind == "brain" and shown.word == "family" and n > _TOGETHER else "all"
    if is_one_of(family, ("all",)):
        return [shown.together]
    if is_one_of(family, ("each",)):
        if kind != "brain":
            raise InputError(
                f"Small multiples are views of the brain: kind={kind!r} draws all families, or one.",
                parameter="family",
                way_out=("Use ", Setting("family", "all"), " or ", Setting("kind", "brain"), "."),
            )
        return shown.panels[:_MOST_PANELS]
    if not is_whole(family) or not 1 <= family <= n:
        raise InputError(
            f"family must be auto, all, each, or the number of a {shown.word} from 1 to {n}: got "
            f"{describe_value(family)}.",
            parameter="family",
        )
    return [shown.panels[int(family) - 1]]


# ---------------------------------------------------------------- views of the brain


def _brain_places(shown: Shown, panels: Sequence[Panel], views: Sequence[str]) -> list[_Place]:
    """The panels of a figure in reading order; views of the left and right show one hemisphere each."""
    x, edges = np.zeros(shown.naming.n_nodes), shown.naming.edges
    split = False
    if shown.naming.node_coordinates is not None and {"left", "right"} <= set(views):
        x = shown.naming.node_coordinates[:, 0]
        split = bool(brain_views(shown.naming.node_coordinates, ["above"])[0].inner)
    sides = {"left": -1, "right": 1} if split else {}
    # In one drawing of everything, variants would make a hairball; a family shows its own.
    with_variants = panels[0] is not shown.together or not shown.together.values
    places = []
    for panel in panels:
        values = {**(panel.variants if with_variants else {}), **panel.values}  # variants lie below
        for one in views:
            title = panel.title if len(panels) > 1 else (VIEWS[one].title if one in VIEWS else "")
            side = sides.get(one, 0)
            own = {edge: v for edge, v in values.items() if (x[edges[edge]] * side >= 0).any()}
            places.append(_Place(panel, own, one, title, side))
    return places


def _draw_brains(
    figure: Figure,
    shown: Shown,
    panels: Sequence[Panel],
    views: Sequence[str],
    networks: Sequence[str] | None,
    labels: bool,
) -> None:
    places = _brain_places(shown, panels, views)
    several = len(panels) > 1
    most = max((abs(value) for place in places for value in place.values.values()), default=0.0) or 1.0
    width = figure.get_figwidth() * _INCH
    fitting = int(width // (_LABELLED if labels else _PLAIN))
    if several and labels:
        fitting = _MULTIPLES["one" if width < 100 else "two"]
    n_columns = min(len(places), fitting)
    panel_width = width / n_columns
    size = "x-small" if several else "small"
    room = _name_room(shown, places, panel_width, size) if labels else 0.0
    rows = [places[i : i + n_columns] for i in range(0, len(places), n_columns)]
    tall = [max(_panel_height(shown, place, panel_width, room) for place in row) for row in rows]
    variants = any(place.values.keys() - place.panel.values.keys() for place in places)
    handles = _legend_handles(
        shown,
        [place.values for place in places],
        most,
        networks,
        variants,
        any(place.hemisphere for place in places),
    )
    legend, below = _add_legend(figure, handles)
    left_out = len(shown.panels) - len(panels) if several else 0
    # A figure that is higher than a page has fewer rows.
    while len(rows) > 1 and sum(tall) + _TITLE * len(rows) > _MOST_HIGH - below - 6.0:
        rows, tall = rows[:-1], tall[:-1]
    left_out += round((len(places) - sum(map(len, rows))) * len(panels) / len(places))
    note = ""
    if left_out:
        n = len(shown.panels)
        noun = counted(n, "subgraph") if shown.word == "subgraph" else f"{n:,} families"
        note = f"The first {n - left_out} of {noun}."
    height = sum(tall) + _TITLE * len(rows) + below + (4.0 if note else 0.0)
    figure.set_size_inches(width / _INCH, height / _INCH)
    _place_legend(legend, note, height)
    top = height
    for row, row_height in zip(rows, tall, strict=True):
        top -= _TITLE + row_height
        for column, place in enumerate(row):
            box = (column * panel_width / width, top / height, panel_width / width, row_height / height)
            ax = figure.add_axes(box)
            title = plain(place.title, panel_width / _INCH - 0.1, "small")
            ax.set_title(title, fontsize="small", pad=2.0)
            _draw_one(ax, shown, place, most, networks, room, size)


def _nodes_of(shown: Shown, drawn: Sequence[Mapping[int, float]]) -> list[int]:
    edges = [edge for values in drawn for edge in values]
    return np.unique(shown.naming.edges[edges]).tolist() if edges else []


def _name_room(shown: Shown, places: Sequence[_Place], width: float, size: str) -> float:
    """Inches for names on either side of each panel: the same for all, so that they have one scale."""
    nodes = _nodes_of(shown, [place.values for place in places])
    names = [plain(shown.naming.node_labels[node], _NAME_SHARE * width / _INCH, size) for node in nodes]
    return max((text_width(name, size) for name in names), default=0.0)


def _panel_height(shown: Shown, place: _Place, width: float, room: float) -> float:
    """Millimetres that a panel needs: for the outline as wide as names leave it, and for the names."""
    inner = width - _INCH * 2 * (room + 0.16 if room else 0.05)
    aspect = 0.8
    if place.view in VIEWS and shown.naming.node_coordinates is not None:
        low, high = brain_views(shown.naming.node_coordinates, [place.view])[0].box
        aspect = min(float((high[1] - low[1]) / max(high[0] - low[0], 1e-9)), 1.4)
    n_names = len(_nodes_of(shown, [place.values])) if room else 0
    lines = _INCH * line_height("small") * (n_names / 2 + 2)
    return float(min(max(inner * aspect, min(lines, 0.8 * width), 0.3 * width), 0.9 * width))


def _draw_one(
    ax: Any,
    shown: Shown,
    place: _Place,
    most: float,
    networks: Sequence[str] | None,
    room: float,
    size: str,
) -> None:
    naming = shown.naming
    styles = signed_looks(naming, place.values)
    for edge, value in place.values.items():
        if shown.meanings is None:
            styles[edge]["color"] = INK
        strong = {"linewidth": _line_width(value, most), "alpha": 1.0, "zorder": 4}
        styles[edge] |= strong if edge in place.panel.values else {"linewidth": 0.7, "alpha": 0.5}
    nodes = _nodes_of(shown, [place.values])
    tints: Looks = network_looks(networks or [])
    looks: dict[int, dict[str, Any]] = {}
    for node in nodes:
        looks[node] = {"color": INK, "name": INK, "size": 14, "line": 0.6, "zorder": 6}
        if networks is not None:
            looks[node] |= {**tints[networks[node]], "size": 24 if size == "small" else 14}
    named: list[int] = nodes if room else []
    if place.hemisphere and naming.node_coordinates is not None:
        near = naming.node_coordinates[:, 0] * place.hemisphere >= 0
        named = [node for node in named if near[node]]
        for node in nodes:
            if not near[node]:
                looks[node] |= {"fill": "white", "edge": looks[node]["color"], "line": 0.9, "zorder": 5}
    draw_subgraph_view(ax, naming, styles, place.view, looks=looks, named=named, name_room=room, size=size)


def _line_width(value: float, most: float) -> float:
    return 0.7 + 1.7 * abs(value) / most


# ---------------------------------------------------------------- matrix and circle


def _draw_whole(
    figure: Figure, shown: Shown, panel: Panel, kind: str, networks: Sequence[str] | None, labels: bool
) -> None:
    """Draw a circle or matrix of all edges, variants included."""
    values = {**panel.variants, **panel.values}
    width = figure.get_figwidth() * _INCH
    side = min(width, 130.0)
    most = max(map(abs, values.values())) or 1.0
    _, modules, looks = ordered_nodes(shown.naming, list(values), networks)
    handles = _legend_handles(shown, [values], most, cells=kind == "matrix")
    if modules is not None and len(set(modules)) > 1:
        there = {name: look for name, look in looks.items() if name in modules}
        handles += _network_handles(there, square=True)
    legend, below = _add_legend(figure, handles)
    left, right, room = 0.0, 0.0, _NAME_SHARE * side / _INCH
    if kind == "matrix":
        nodes = _nodes_of(shown, [values])
        names = [plain(shown.naming.node_labels[node], room, "x-small") for node in nodes]
        # Names of networks need about as much as those of regions, and lines to their rows.
        left = _INCH * max(text_width(name, "x-small") for name in names) + 9.0 if labels else 4.0
        right = 16.0
    extent = side - left - right
    height = extent + 4.0 + below
    figure.set_size_inches(width / _INCH, height / _INCH)
    _place_legend(legend, "", height)
    begin = (width - extent - left - right) / 2 + left
    ax = figure.add_axes((begin / width, (below + 2.0) / height, extent / width, extent / height))
    if kind == "chord":
        draw_chords(ax, shown.naming, values, networks, labels)
    else:
        signed = shown.meanings is not None
        draw_cells(ax, shown.naming, values, networks, labels, signed, shown.value, room)


# ---------------------------------------------------------------- the legend


def _legend_handles(
    shown: Shown,
    drawn: Sequence[Mapping[int, float]],
    most: float,
    networks: Sequence[str] | None = None,
    variants: bool = False,
    hollow: bool = False,
    cells: bool = False,
) -> list[Any]:
    from matplotlib.lines import Line2D

    values = [value for one in drawn for value in one.values()]
    layered = shown.naming.edge_layers is not None
    handles: list[Any] = []

    def add(label: str, **look: Any) -> None:
        handles.append(Line2D([], [], label=label, **look))

    if shown.meanings is not None:
        occurs = max(values, default=0.0) >= 0, min(values, default=0.0) < 0
        square = {"linestyle": "none", "marker": "s", "markersize": 5}
        for side, words, is_drawn in zip((POSITIVE, NEGATIVE), shown.meanings, occurs, strict=True):
            line = {"linestyle": side.line if not layered else "-", "linewidth": 2.0}
            if is_drawn:
                add(words, color=side.colour, **(square if cells else line))
    if not cells:
        tint = INK if shown.meanings is None else FAINT
        for size in sorted({_rounded(most, shown), _rounded(most / 3, shown)}, reverse=True):
            add(f"{shown.value} {size:g}", color=tint, linewidth=_line_width(size, most))
    if variants:
        words = "edge of a variant" if shown.word == "family" else "not replicated"
        add(words, color=FAINT, linewidth=0.7, alpha=0.6)
    if layered and not cells:
        there = {shown.naming.edge_layers[edge] for one in drawn for edge in one}  # type: ignore[index]
        for layer, style in layer_styles(shown.naming).items():
            if layer in there:
                add(plain(layer, 1.2), color=INK, linestyle=style["linestyle"])
    if networks is not None:
        there = {networks[node] for node in _nodes_of(shown, drawn)}
        looks = {name: look for name, look in network_looks(networks).items() if name in there}
        handles += _network_handles(looks)
    if hollow:
        dot = {"marker": "o", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": INK}
        add("in the other hemisphere", linestyle="none", **dot)
    return handles


def _network_handles(looks: Looks, square: bool = False) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [], [], linestyle="none", markersize=4.5, color=look["color"],
            marker="s" if square else look["marker"], label=plain(name, 1.1),
        )
        for name, look in looks.items()
    ]  # fmt: skip


def _rounded(value: float, shown: Shown) -> float:
    """A round number for the legend; whole if values are counts."""
    return float(max(round(value), 1)) if shown.is_count else float(f"{value:.2g}")


def _add_legend(figure: Figure, handles: list[Any]) -> tuple[Any, float]:
    """Add a legend with as many columns as fit; return it and its height in millimetres."""
    if not handles:
        return None, 2.0
    from matplotlib.legend import Legend

    width = figure.get_figwidth() - 0.08
    for n_columns in range(min(len(handles), 6), 0, -1):
        legend = Legend(
            figure, handles, [handle.get_label() for handle in handles], loc="lower center", ncols=n_columns,
            frameon=False, fontsize="small", handlelength=2.2, columnspacing=1.2, labelspacing=0.35,
            borderpad=0.2, borderaxespad=0.2,
        )  # fmt: skip
        box = legend.get_window_extent()
        if box.width / figure.dpi <= width:
            break
    figure.add_artist(legend)
    return legend, float(box.height / figure.dpi * _INCH + 2.0)


def _place_legend(legend: Any, note: str, height: float) -> None:
    """Put the legend at the lower end of the figure, `height` millimetres high, or above a note there."""
    if legend is None:
        return
    figure = legend.figure
    legend.set_bbox_to_anchor((0.0, (4.0 if note else 0.0) / height, 1.0, 1.0), transform=figure.transFigure)
    if note:
        figure.text(0.5, 1.0 / height, note, ha="center", va="bottom", fontsize="small", color=FAINT)
