"""Figures for papers: views of the brain, families as small multiples, a matrix or a circle, and a legend."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
from dugraph.plot.matrices import draw_cells, draw_chords, node_modules
from dugraph.plot.models import plot_coefficients, plot_metric
from dugraph.plot.panels import Fitted, Panel, Shown, shown_by
from dugraph.plot.significance import plot_power, plot_replication, plot_sensitivity
from dugraph.plot.style import (
    FAINT,
    INK,
    NEGATIVE,
    POSITIVE,
    Axes,
    drawing_axes,
    fill_doc,
    legend_below,
    line_height,
    network_looks,
    optional_package,
    plain,
    text_width,
    write_legend,
)
from dugraph.plot.subgraph import checked_view, draw_network, edge_styles, key, layer_keys, line_width
from dugraph.results.records import EvaluationRecord, ResultRecord
from dugraph.significance import PowerResult, ReplicationResult, SensitivityResult, SignificanceResult
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
_WHOLE = ("matrix", "chord")  # drawings of all edges, one to a figure
_WIDEST = 130.0  # millimetres of such a drawing
_NAME_SHARE = 0.29  # of the width of a panel that the names of one side may take


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
    new: Callable[..., Figure] = optional_package("matplotlib.figure", "Plots need").Figure
    import matplotlib as mpl

    check_word("kind", kind, FIGURE_KINDS)
    check_word("width", width, tuple(FIGURE_WIDTHS))
    check_kind(labels, bool, "labels")
    shown = shown_by(result, graphs)
    if networks is None:
        networks = shown.naming.node_networks
    if networks is not None or kind != "brain":
        networks = node_modules(shown.naming.node_labels, networks)
    networks = networks and [name or "no network" for name in networks]
    views = _views(view, kind, shown, width)
    panels = _panels(shown, family, kind)
    if view is None and len(panels) > 1:
        views = views[:1] if shown.naming.node_coordinates is None else ["above"]
    if managed:
        import matplotlib.pyplot as plt

        new = plt.figure
    figure = new(figsize=(FIGURE_WIDTHS[width] / _INCH, 1.0), layout="none")
    # Relative sizes of text are resolved while the text is made.
    with mpl.rc_context({"font.size": _FONT}):
        _draw_panels(figure, shown, panels, _placed(shown, panels, views), networks, labels)
    return figure


@fill_doc
def plot_significant_subgraphs(
    result: SignificanceResult,
    graphs: UncertainGraphs | LabelledGraphs | ArrayLike | None = None,
    *,
    kind: str = "brain",
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the significant subgraphs into one axes; the larger the effect, the wider or darker.

    On the brain, those that share no edge, the representatives of the families; as a matrix or a circle of
    regions, all edges of irreducible subgraphs. `subgraph_figure` draws several views or families.

    Parameters
    ----------
    result : SignificanceResult
        With at least one significant subgraph.
    graphs : UncertainGraphs, LabelledGraphs or array-like of shape (n_graphs, n_edges), optional
        Those of the test. Default: the nodes and edges that the result carries.
    kind : {"brain", "matrix", "chord"}, default "brain"
    view : str, optional
        As for `plot_subgraph`.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, n_permutations=99, min_expected_frequency=0.25)
    >>> ax = dg.plot.plot_significant_subgraphs(result)
    """
    check_kind(result, SignificanceResult, "result", "Take it from significant_subgraphs(X, y).")
    check_word("kind", kind, FIGURE_KINDS)
    shown = shown_by(result, graphs)
    view = checked_view(view, shown.naming) if kind == "brain" else kind
    ax = drawing_axes(ax)
    place = _placed(shown, [shown.together], [view])[0]
    effects = result.effects[result.representative]
    keys = sign_keys(shown, int((effects >= 0).sum()), int((effects < 0).sum()), kind == "matrix")
    if kind != "matrix":
        keys += layer_keys(shown.naming, edge_styles(shown.naming, place.every), INK)
    legend_below(ax, keys)
    networks = None if kind == "brain" else shown.naming.node_networks
    _draw_place(ax, shown, place, max(map(abs, place.every.values())), networks)
    return ax


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


_DRAWINGS: dict[type, Callable[..., Any]] = {
    EvaluationResult: plot_metric,
    ReplicationResult: plot_replication,
    PowerResult: plot_power,
    SensitivityResult: plot_sensitivity,
}


def draw_result(result: Any, graphs: Any = None, **options: Any) -> Any:
    """Draw any result, as its method `plot` does; options are those of the function that draws it."""
    for kind, draw in _DRAWINGS.items():
        if isinstance(result, kind):
            return draw(result, **options)
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
        if kind != "brain":
            return [kind]
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


# ---------------------------------------------------------------- panels


def _placed(shown: Shown, panels: Sequence[Panel], views: Sequence[str]) -> list[Panel]:
    """The panels of a figure in reading order; views of the left and right show one hemisphere each."""
    coordinates, edges = shown.naming.node_coordinates, shown.naming.edges
    sides: dict[str, int] = {}
    if coordinates is not None and {"left", "right"} <= set(views) and brain_views(coordinates)[0].inner:
        sides = {"left": -1, "right": 1}
    # In one view of everything, variants would make a hairball; a family shows its own.
    with_variants = panels[0] is not shown.together or not shown.together.values
    placed = []
    for panel in panels:
        for view in views:
            if view in _WHOLE:
                placed.append(Panel("", panel.every, view=view))
                continue
            values, variants = panel.values, panel.variants if with_variants else {}
            side = sides.get(view, 0)
            if coordinates is not None and side:
                there = (coordinates[edges, 0] * side >= 0).any(axis=1)
                values = {edge: value for edge, value in values.items() if there[edge]}
                variants = {edge: value for edge, value in variants.items() if there[edge]}
            title = panel.title if len(panels) > 1 else (VIEWS[view].title if view in VIEWS else "")
            placed.append(Panel(title, values, variants, view, side))
    return placed


def _draw_panels(
    figure: Figure,
    shown: Shown,
    panels: Sequence[Panel],
    places: Sequence[Panel],
    networks: Sequence[str] | None,
    labels: bool,
) -> None:
    several, is_whole_figure = len(panels) > 1, places[0].view in _WHOLE
    width = figure.get_figwidth() * _INCH
    fitting = int(width // (_LABELLED if labels else _PLAIN))
    if several and labels:
        fitting = _MULTIPLES["one" if width < 100 else "two"]
    n_columns = 1 if is_whole_figure else min(len(places), fitting)
    panel_width = min(width / n_columns, _WIDEST) if is_whole_figure else width / n_columns
    size = "x-small" if several else "small"
    room = 0.0  # inches for names on either side, the same for all panels, so that they have one scale
    if labels:
        names = [shown.naming.node_labels[node] for node in _nodes_of(shown, *places)]
        texts = [plain(name, _NAME_SHARE * panel_width / _INCH, size) for name in names]
        room = max((text_width(text, size) for text in texts), default=0.0)
    rows = [places[i : i + n_columns] for i in range(0, len(places), n_columns)]
    tall = [max(_panel_height(shown, place, panel_width, room) for place in row) for row in rows]
    most = max((abs(v) for place in places for v in place.every.values()), default=0.0) or 1.0
    keys, legend, below = _keys(shown, places, most, networks), None, 2.0
    if keys:  # below the drawing, with as many columns as fit
        legend = write_legend(figure, keys, figure.get_figwidth() - 0.08, loc="lower center")
        below += float(legend.get_window_extent().height / figure.dpi * _INCH)
    # A figure that is higher than a page has fewer rows.
    while len(rows) > 1 and sum(tall) + _TITLE * len(rows) > _MOST_HIGH - below - 6.0:
        rows, tall = rows[:-1], tall[:-1]
    n_drawn = len(panels) * sum(map(len, rows)) // len(places)
    note = ""
    if several and n_drawn < len(shown.panels):
        n = len(shown.panels)
        noun = counted(n, "subgraph") if shown.word == "subgraph" else f"{n:,} families"
        note = f"The first {n_drawn} of {noun}."
    height = sum(tall) + _TITLE * len(rows) + below + (4.0 if note else 0.0)
    figure.set_size_inches(figure.get_figwidth(), height / _INCH)
    if legend is not None:
        bottom = (4.0 if note else 0.0) / height
        legend.set_bbox_to_anchor((0.0, bottom, 1.0, 1.0), transform=figure.transFigure)
    if note:
        figure.text(0.5, 1.0 / height, note, ha="center", va="bottom", fontsize="small", color=FAINT)
    left, top = (width - n_columns * panel_width) / 2, height
    for row, row_height in zip(rows, tall, strict=True):
        top -= _TITLE + row_height
        for column, place in enumerate(row):
            begin = left + column * panel_width
            ax = figure.add_axes((begin / width, top / height, panel_width / width, row_height / height))
            title = plain(place.title, panel_width / _INCH - 0.1, "small")
            ax.set_title(title, fontsize="small", pad=2.0)
            _draw_place(ax, shown, place, most, networks, labels, room, size)


def _nodes_of(shown: Shown, *places: Panel) -> list[int]:
    edges = [edge for place in places for edge in place.every]
    return np.unique(shown.naming.edges[edges]).tolist() if edges else []


def _panel_height(shown: Shown, place: Panel, width: float, room: float) -> float:
    """Millimetres that a panel needs: for the outline as wide as names leave it, and for the names."""
    if place.view in _WHOLE:
        return width if place.view == "chord" else width - _INCH * (room + 0.8)
    inner = width - _INCH * 2 * (room + 0.16 if room else 0.05)
    aspect = 0.8
    if place.view in VIEWS and shown.naming.node_coordinates is not None:
        low, high = brain_views(shown.naming.node_coordinates, [place.view])[0].box
        aspect = min(float((high[1] - low[1]) / max(high[0] - low[0], 1e-9)), 1.4)
    n_names = len(_nodes_of(shown, place)) if room else 0
    lines = _INCH * line_height("small") * (n_names / 2 + 2)
    return float(min(max(inner * aspect, min(lines, 0.8 * width), 0.3 * width), 0.9 * width))


def _draw_place(
    ax: Axes,
    shown: Shown,
    place: Panel,
    most: float,
    networks: Sequence[str] | None,
    labels: bool = True,
    room: float | None = None,
    size: str = "small",
) -> None:
    """Draw a view of the brain, a network, a matrix or a circle."""
    naming, signed = shown.naming, shown.meanings is not None
    if place.view == "matrix":
        draw_cells(ax, naming, place.every, networks, labels, signed, shown.value)
        return
    if place.view == "chord":
        draw_chords(ax, naming, place.every, networks, labels, signed)
        return
    styles = edge_styles(naming, place.every, signed=signed, most=most)
    for edge, style in styles.items():
        style |= {"alpha": 1.0, "zorder": 4} if edge in place.values else {"linewidth": 0.7, "alpha": 0.5}
    tints = network_looks(networks or [])
    looks: dict[int, dict[str, Any]] = {}
    named = nodes = _nodes_of(shown, place)
    for node in nodes:
        looks[node] = {"markersize": 4.4, "markeredgewidth": 0.6, "zorder": 6}
        if networks is not None:
            looks[node] |= {**tints[networks[node]], "markersize": 5.4 if size == "small" else 4.4}
    if place.hemisphere and naming.node_coordinates is not None:
        named = [n for n in nodes if naming.node_coordinates[n, 0] * place.hemisphere >= 0]
        for node in {*nodes} - {*named}:
            edge = looks[node].get("color", INK)
            looks[node] |= {"markerfacecolor": "white", "markeredgecolor": edge, "zorder": 5}
    named = named if labels else []
    draw_network(ax, naming, styles, place.view, looks=looks, named=named, name_room=room, size=size)


# ---------------------------------------------------------------- the legend


def _keys(
    shown: Shown, places: Sequence[Panel], most: float, networks: Sequence[str] | None = None
) -> list[Any]:
    """The entries of the legend, for what the panels show."""
    drawn = {edge: value for place in places for edge, value in place.every.items()}
    values = [value for place in places for value in place.every.values()]
    is_matrix, is_brain = places[0].view == "matrix", places[0].view not in _WHOLE
    keys = sign_keys(shown, max(values, default=0.0) >= 0, min(values, default=0.0) < 0, is_matrix)
    if not is_matrix:
        tint = INK if shown.meanings is None else FAINT
        sizes = {max(round(v), 1) if shown.is_count else float(f"{v:.2g}") for v in (most, most / 3)}
        sizes -= {1} if shown.is_count and most == 1 else set()  # each edge of a single subgraph
        for size in sorted(sizes, reverse=True):
            keys.append(key(f"{shown.value} {size:g}", color=tint, linewidth=line_width(size, most)))
        if any(place.variants for place in places):
            words = "edge of a variant" if shown.word == "family" else "not replicated"
            keys.append(key(words, color=FAINT, linewidth=0.7, alpha=0.6))
        keys += layer_keys(shown.naming, edge_styles(shown.naming, drawn), INK)
    there = {networks[node] for node in _nodes_of(shown, *places)} if networks is not None else set()
    for name, look in network_looks(networks or []).items():
        if name in there and (is_brain or len(there) > 1):
            shape = {} if is_brain else {"marker": "s"}
            keys.append(key(plain(name, 1.1), linestyle="none", markersize=4.5, **{**look, **shape}))
    if any(place.hemisphere for place in places):
        dot = {"marker": "o", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": INK}
        keys.append(key("in the other hemisphere", linestyle="none", **dot))
    return keys


def sign_keys(shown: Shown, above: object, below: object, square: bool = False) -> list[Any]:
    """Entries for values above 0 and below, where there are any; a number is written after the words."""
    keys = []
    for side, words, there in zip((POSITIVE, NEGATIVE), shown.meanings or (), (above, below), strict=False):
        look: dict[str, Any] = {"linestyle": side.line if shown.naming.edge_layers is None else "-"}
        if square:
            look = {"linestyle": "none", "marker": "s", "markersize": 5}
        if there:
            text = words if isinstance(there, bool) else f"{words}: {there}"
            keys.append(key(text, color=side.colour, linewidth=2.0, **look))
    return keys
