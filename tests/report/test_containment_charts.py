"""Containment charts: dots for few graphs, distributions for many."""

import re

import numpy as np
import pytest

from dugraph.report.containment_charts import MOST_DOTS, containment_chart, drawn_as, phenotype_chart


def drawn(svg):
    return re.findall(r'<path d="([^"]*)" class="(dots|area) (\w+)"', str(svg))


@pytest.mark.parametrize(("n_graphs", "kind"), [(MOST_DOTS, "dots"), (40_000, "area")])
def test_many_graphs_are_a_histogram(n_graphs, kind):
    random = np.random.default_rng(0)
    groups = [random.beta(2, 5, n_graphs), random.beta(5, 2, 30)]
    paths = drawn(containment_chart(groups, ("patients", "controls")))
    assert [(shape, side) for _, shape, side in paths] == [(kind, "pos"), ("dots", "neg")]
    assert paths[1][0].count("h0") == 30
    if kind == "area":
        assert len(paths[0][0]) < 2000


def test_the_histogram_is_highest_where_most_graphs_are():
    x = np.concatenate([np.full(5000, 0.31), np.linspace(0, 1, 500)])
    chart = str(containment_chart([x, x[-20:]], ("a", "b")))
    numbers = np.array([float(one) for one in re.findall(r"-?\d+\.?\d*", drawn(chart)[0][0])]).reshape(-1, 2)
    highest = numbers[numbers[:, 1] == numbers[:, 1].min()]
    width = numbers[:, 0].max() - numbers[:, 0].min()
    place = (highest[:, 0].mean() - numbers[:, 0].min()) / width
    assert 0.3 <= place <= 0.32


def test_many_graphs_over_a_phenotype_are_an_area_around_their_middle():
    random = np.random.default_rng(1)
    y = random.uniform(20, 80, 20_000)
    x = np.clip(0.005 * y + random.normal(0, 0.05, y.size), 0, 1)
    ((shape, kind, side),) = drawn(phenotype_chart(y, x, 0.005, "age"))
    assert (kind, side) == ("area", "plain")
    assert len(shape) < 2000
    corners = np.array([float(one) for one in re.findall(r"-?\d+\.?\d*", shape)]).reshape(-1, 2)
    upper, lower = corners[:20], corners[:19:-1]
    assert (upper[:, 0] == lower[:, 0]).all()
    assert (upper[:, 1] < lower[:, 1]).all()  # heights are counted from the top
    assert (np.diff(upper[:, 1]) < 0).mean() > 0.9


def test_words_say_what_is_drawn():
    few, many = np.zeros(3), np.zeros(MOST_DOTS + 1)
    assert drawn_as([few, few]) == "a dot for each graph"
    assert drawn_as([few, many]) == "dots or a histogram for the graphs"
    assert drawn_as([many, many]) == "a histogram of the graphs"
