"""Manners that all plots share: one axes, no settings, text that stays inside, refusals that help."""

import copy
import inspect
import io
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from pictures import BRAIN, PICTURES, drawn_texts, hostile_pictures

import dugraph

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
ALL = {**PICTURES, **{f"hostile_{name}": draw for name, draw in hostile_pictures().items()}}


@pytest.mark.parametrize("name", ALL if SOAK else PICTURES)
def test_it_draws_into_the_given_axes_only_and_changes_no_settings(name, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("a plot was shown"))
    figure, (given, other) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    figures, settings = plt.get_fignums(), copy.deepcopy(dict(mpl.rcParams))
    untouched = len(other.get_children())
    assert ALL[name](given) is given
    assert figure.axes == [given, other]
    assert len(other.get_children()) == untouched
    assert not other.has_data()
    assert plt.get_fignums() == figures
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", ALL)
def test_all_text_stays_inside_a_small_figure_that_can_be_saved_as_svg(name, ax, monkeypatch):
    ALL[name](ax)
    texts = drawn_texts(ax.figure, monkeypatch)
    page = ax.figure.bbox.padded(1.5)
    assert len(texts) >= 3
    corners = {text.get_text(): text.get_window_extent().corners() for text in texts}
    assert [text for text, points in corners.items() if not all(page.contains(*xy) for xy in points)] == []
    ax.figure.set_layout_engine("none")  # it has done its work, and would do it again for each file
    # As paths, text stands in comments of the file: only names that mean harm matter there.
    for kind in ("path", "none") if SOAK or name.startswith("hostile") else ("none",):
        with mpl.rc_context({"svg.fonttype": kind}):
            file = io.BytesIO()
            ax.figure.savefig(file, format="svg")
            tree = ElementTree.fromstring(file.getvalue())
            assert not [node for node in tree.iter() if node.tag.endswith("script")]


@pytest.mark.parametrize("name", ["subgraph_above", "subgraph_right", "subgraph_network", "subgraph_union"])
def test_names_of_nodes_do_not_overlap(name, ax):
    PICTURES[name](ax)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_style() != "italic"]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


PLOTS = [getattr(dugraph.plot, name) for name in dugraph.plot.__all__ if name.startswith("plot_")]


def test_every_plot_has_a_picture():
    drawn = "".join(inspect.getsource(draw) for draw in PICTURES.values())
    assert [plot.__name__ for plot in PLOTS if f"P.{plot.__name__}(" not in drawn] == []


def test_every_plot_stands_in_an_example_and_on_the_page():
    root = Path(__file__).parents[2]
    code = "".join(path.read_text(encoding="utf-8") for path in (root / "examples").glob("plot_*.py"))
    page = (root / "docs" / "plots.md").read_text(encoding="utf-8")
    names = [*(plot.__name__ for plot in PLOTS), "view_subgraph"]
    assert [name for name in names if f"dg.plot.{name}(" not in code] == []
    assert [name for name in names if f"| `{name}(" not in page] == []


@pytest.mark.parametrize("plot", [*PLOTS, dugraph.plot.view_subgraph], ids=lambda plot: plot.__name__)
def test_parameters_are_explained_and_an_example_given(plot):
    text = inspect.getdoc(plot)
    assert ">>> " in text
    section = text.split("Parameters\n----------\n")[1].split("\n\n")[0]
    heads = [line.split(":")[0] for line in section.splitlines() if not line.startswith(" ")]
    explained = {word for head in heads for word in re.split(r"[,\s]+", head)}
    assert set(inspect.signature(plot).parameters) <= explained


def test_without_axes_a_figure_is_made():
    ax = dugraph.plot.plot_subgraph(BRAIN[0], (0, 1))
    assert plt.get_fignums() == [ax.figure.number]


def test_the_room_is_found_at_first_use():
    assert dugraph.plot.plot_subgraph.__module__.startswith("dugraph.plot")
