"""A score distribution in a notebook: its measures in a table, and a histogram that adds up."""

import re

import numpy as np
import pytest

from dugraph import score_distribution
from dugraph.probability import ScoreDistribution


def test_the_table_has_the_measures():
    X = np.random.default_rng(0).uniform(size=(20, 1))
    distribution = score_distribution(X, [0, 1] * 10, (0,), "g_test")
    html = distribution._repr_html_()
    rows = dict(re.findall(r"<th scope='row'>(.*?)</th><td>(.*?)</td>", html))
    assert float(rows["expectation"]) == pytest.approx(distribution.expectation(), rel=1e-5)
    assert float(rows["median"]) == pytest.approx(distribution.median(), rel=1e-5)
    assert float(rows["mode"]) == pytest.approx(distribution.mode(), rel=1e-5)
    assert rows["possible scores"].startswith(f"{len(distribution.values)}, from 0 to ")
    heights = [float(height) for height in re.findall(r"v-([\d.]+)h", html)]
    assert len(heights) == 40
    assert max(heights) == 60
    assert "nan" not in html


def test_one_score_has_no_histogram():
    html = ScoreDistribution(np.array([0.25]), np.array([1.0]))._repr_html_()
    assert "<svg" not in html
    assert "<td>0.25</td>" in html
