"""`result.plot()`, and the picture of a result in a notebook."""

import base64
import io
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pictures import BRAIN, HOSTILE, evaluation, made_sensitivity, made_test
from PIL import Image

import dugraph as dg

GRAPHS, Y = BRAIN


def pictures_in(html):
    return re.findall(r'<img alt="[^"]*" style="max-width:100%" src="data:image/png;base64,([^"]+)">', html)


def test_a_result_draws_what_the_functions_draw():
    result = made_test(GRAPHS, Y)
    axes = result.plot(view=["above", "left"])
    expected = dg.plot.subgraph_figure(result, view=["above", "left"]).axes
    for one, other in zip(axes, expected, strict=True):
        assert [line.get_xydata().tolist() for line in one.lines] == [
            line.get_xydata().tolist() for line in other.lines
        ]
    mined = dg.mine_subgraphs(GRAPHS, Y, n_subgraphs=5)
    assert len(mined.plot(dg.LabelledGraphs.of(GRAPHS, Y), width="two")) == 4
    assert evaluation().plot(metric="f1").get_ylabel() == "F1"
    model = dg.SparseSubgraphClassifier(alpha=0.05).fit(GRAPHS, Y)
    assert model.plot().get_xlabel() == "coefficient"
    assert len(model.plot(GRAPHS)) == 2
    assert len(model.model_.plot(GRAPHS, view="behind")) == 1
    replication = dg.find_and_replicate(GRAPHS, Y, n_permutations=99, max_edges=1, alpha=0.2)
    assert replication.plot().figure is plt.gcf()
    power = dg.power_analysis(GRAPHS, n_edges=1, frequencies=(0.6, 0.3), n_permutations=99)
    assert power.plot().figure is plt.gcf()
    assert made_sensitivity(GRAPHS, Y).plot().figure is plt.gcf()


@pytest.mark.parametrize("make", [made_test, lambda *cohort: dg.mine_subgraphs(*cohort, n_subgraphs=4)])
def test_a_notebook_shows_the_table_and_one_small_picture(make):
    graphs = dg.UncertainGraphs(
        GRAPHS.edge_probability,
        node_labels=[*HOSTILE, "a", "b", "c"],
        node_coordinates=GRAPHS.node_coordinates,
        node_networks=[*HOSTILE[:5], *HOSTILE[:5]],
    )
    result = make(graphs, Y)
    html = result._repr_html_()
    (data,) = pictures_in(html)
    assert len(html) < 200_000
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert np.asarray(image.convert("L")).min() < 50
    rest = html.replace(data, "")
    assert "<table>" in rest
    assert "<script" not in rest
    assert "http" not in rest
    assert result._repr_html_() == html
    assert plt.get_fignums() == []


def test_without_matplotlib_or_subgraphs_there_is_only_the_table(monkeypatch):
    nothing = made_test(dg.UncertainGraphs(np.random.default_rng(0).random((20, 45))), Y)
    assert len(nothing) == 0
    assert pictures_in(nothing._repr_html_()) == []
    result = made_test(GRAPHS, Y)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert pictures_in(result._repr_html_()) == []
    assert "<table>" in result._repr_html_()
