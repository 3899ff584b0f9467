"""The report of a sparse classifier: signed and sized coefficients, how it was fitted, the path."""

import json
import shlex

import numpy as np
import pytest
from headless_browser import PHONE
from reading import read, text

from dugraph import UncertainGraphs, save_cohort
from dugraph.cli import main


def make(folder, *flags, **parts):
    """Fit a cohort in which edges favour either class, and write its report."""
    rng = np.random.default_rng(0)
    y = np.repeat(["control", "patient"], 20)
    X = rng.uniform(0.2, 0.7, (40, 6))
    X[y == "patient", :2] += 0.25
    X[y == "control", 4] += 0.25
    save_cohort(folder / "cohort.npz", UncertainGraphs(X, **parts), y)
    flags = ["--n-alphas", "6", "--cv", "3", *flags, "--report", "-o", str(folder / "out")]
    assert main(["sparse", str(folder / "cohort.npz"), *flags]) == 0
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    places = np.random.default_rng(1).uniform(-30, 30, (4, 3))
    page = make(folder, node_coordinates=places, node_labels=["A", "B", "</script>", "D"])
    return page, read(page), json.loads((page.parent / "results.json").read_text())


def test_the_column_has_the_coefficients(fitted):
    _, page, record = fitted
    heads = [text(cell) for cell in page.xpath("//table[@id='ranking']/thead/tr/th")]
    column = heads.index("coefficient")
    assert page.xpath("//table[@id='ranking']/thead/tr/th/@data-sort")[3] == "value"
    coefficients = [one["coefficient"] for one in record["subgraphs"]]
    assert min(coefficients) < 0 < max(coefficients)
    rows = page.xpath("//table[@id='ranking']/tbody/tr")
    assert [float(row[column].get("data-value")) for row in rows] == coefficients
    assert [row.get("data-side") for row in rows] == ["pos" if c > 0 else "neg" for c in coefficients]
    for row, c in zip(rows, coefficients, strict=True):
        assert text(row[column]) == f"{c:+.3g}"
        (bar,) = row[column].xpath(".//svg//rect")
        assert bar.get("class") == ("pos" if c > 0 else "neg")
        size = abs(c) / max(map(abs, coefficients))
        assert float(bar.get("width")) == pytest.approx(max(46 * size, 1), abs=0.06)


def test_pictures_show_sign_and_size(fitted):
    _, page, record = fitted
    coefficients = [one["coefficient"] for one in record["subgraphs"]]
    pictures = page.xpath("//table[@id='ranking']/tbody/tr//svg[contains(@class, 'small')]")
    widths = []
    for picture, c in zip(pictures, coefficients, strict=True):
        lines = picture.xpath(".//g[@class='lines']/path[not(contains(@class, 'node'))]")
        assert {line.get("stroke-dasharray") is not None for line in lines} == {c < 0}
        assert ("on-neg signed" if c < 0 else "on-pos signed") in picture.get("class")
        widths.append(float(lines[0].get("stroke-width")))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 1.5 * widths[-1]


def test_the_union_has_every_edge_for_its_class(fitted):
    _, page, record = fitted
    wanted = {
        (edge["index"], "pos" if one["coefficient"] > 0 else "neg")
        for one in record["subgraphs"]
        for edge in one["edges"]
    }
    (union,) = page.xpath("//*[@id='overview']//svg[contains(@class, 'union')]")
    lines = union.xpath(".//g[@class='lines']/path[@class='pos' or @class='neg']")
    assert len(lines) == len(wanted)
    assert all((line.get("stroke-dasharray") is not None) == (line.get("class") == "neg") for line in lines)


def test_how_it_was_fitted_and_with_what_care(fitted):
    _, page, record = fitted
    part = text(page.get_element_by_id("mining"))
    assert part.startswith("How it was fitted Proven: no model over the admitted subgraphs")
    assert f"{record['proof']['objective']:.6g}" in part
    assert f"{record['intercept']:.6g}" in part
    assert "a coefficient is not a p-value" in text(page.get_element_by_id("cautions")).lower()
    assert "nested cross-validation" in text(page.get_element_by_id("cautions"))
    (chart,) = page.xpath("//figure[@class='path']/svg")
    assert text(chart.xpath("./title")[0]).startswith("6 penalties, from 0 to ")
    assert "held-out loss" in text(chart)


def test_the_command_fits_it_again(fitted, tmp_path, monkeypatch):
    path, page, _ = fitted
    words = shlex.split(page.get_element_by_id("command").text_content().replace("\\\n", " "))
    monkeypatch.chdir(path.parents[1])
    words[words.index("results")] = str(tmp_path / "again")
    assert words[:2] == ["dugraph", "sparse"]
    assert main(words[1:]) == 0
    assert (tmp_path / "again" / "results.csv").read_bytes() == (path.parent / "results.csv").read_bytes()


def test_layers_keep_their_lines(tmp_path):
    edges = [[0, 1], [0, 1], [1, 2], [1, 2], [2, 3], [2, 3]]
    page = read(make(tmp_path, edges=edges, edge_layers=["plus", "minus"] * 3))
    styles = {line.get("stroke-dasharray") for line in page.xpath("//svg[contains(@class,'union')]//g/path")}
    assert len(styles) == 2
    assert "square: favours control" in text(page.get_element_by_id("detail"))


def test_a_browser_sorts_it_without_complaint(fitted, browser):
    browser.open(fitted[0], size=PHONE, dark=True)
    assert browser.console() == []
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
    browser.script("document.querySelector('th[data-sort=value] button').click()")
    values = browser.script(
        "return [...document.querySelectorAll('#ranking tbody tr')]"
        ".map(row => Number(row.cells[4].dataset.value))"
    )
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0
