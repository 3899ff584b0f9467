"""The folder and the page of a large cohort: distributions in place of graphs, and no second copy of it."""

import json
import re

import lxml.html
import numpy as np
import pytest

import dugraph as dg
from dugraph.data.arguments import pieces
from dugraph.data.graphs import UncertainGraphs
from dugraph.report.findings import N_LISTED
from dugraph.report.pictures import probability_histogram

N_NAMED = 1000
N_GRAPHS = 2 * N_NAMED + 200
NAMES = [f"sub-{i:05}" for i in range(N_GRAPHS)]


@pytest.fixture(scope="module")
def cohort():
    rng = np.random.default_rng(0)
    y = np.arange(N_GRAPHS) % 2
    X = rng.uniform(0.3, 0.8, (N_GRAPHS, 10)).astype(np.float32)
    X[y == 1, :2] += np.float32(0.1)
    return dg.LabelledGraphs(dg.UncertainGraphs(X, graph_ids=NAMES), y)


@pytest.fixture(scope="module")
def page(cohort, tmp_path_factory):
    result = dg.mine_subgraphs(cohort, n_subgraphs=3)
    output = tmp_path_factory.mktemp("many") / "page.html"
    path = dg.write_report(result, cohort, with_ids=True, output=output)
    return lxml.html.fromstring(path.read_bytes())


def test_some_names_are_listed_and_the_others_counted(page):
    part = page.get_element_by_id("cohort")
    lists = [names.xpath(".//bdi/text()") for names in part.xpath(".//ul[@class='ids']")]
    assert lists == [NAMES[1::2][:N_NAMED], NAMES[::2][:N_NAMED]]
    told = [re.sub(r"\s+", " ", one.text_content()) for one in part.xpath(".//details/p")]
    assert told == ["and 100 more."] * 2
    assert part.xpath(".//details/summary/text()") == ["Names of the graphs"]


def test_of_many_subgraphs_the_first_are_described_and_all_explored(tmp_path):
    rng = np.random.default_rng(0)
    graphs = dg.UncertainGraphs(rng.uniform(0.3, 0.8, (20, 45)))
    result = dg.mine_subgraphs(graphs, np.arange(20) % 2, n_subgraphs=N_LISTED + 60, max_edges=3)
    assert len(result.subgraphs) == N_LISTED + 60
    path = dg.write_report(result, graphs, np.arange(20) % 2, output=tmp_path / "page.html")
    page = lxml.html.fromstring(path.read_bytes())
    assert len(page.xpath("//article")) == len(page.xpath("//table[@id='ranking']/tbody/tr")) == N_LISTED
    assert f"The {len(result.subgraphs)} best subgraphs" in page.text_content()
    assert f"The first {N_LISTED} are shown here; results.csv lists all" in page.text_content()
    (listing,) = json.loads(page.get_element_by_id("view-data").text)["listings"]
    assert len(listing["edges"]) == len(result.subgraphs)


def test_no_graph_is_a_dot(page):
    assert page.xpath("//svg[contains(@class, 'chart')]")
    assert not page.xpath("//*[contains(@class, 'dots')]")


@pytest.mark.parametrize("labels", ["classes", "phenotype"])
def test_files_and_page_read_the_probabilities_as_they_are_held(cohort, labels, tmp_path, monkeypatch):
    graphs = dg.UncertainGraphs(cohort.graphs.raw_probability)
    y = cohort.y if labels == "classes" else cohort.y + np.arange(N_GRAPHS) / N_GRAPHS

    def widened(self):
        raise AssertionError("a copy of the whole cohort in float64")

    monkeypatch.setattr(UncertainGraphs, "edge_probability", property(widened))
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=3)
    saved = dg.save_result(result, tmp_path, graphs, y)
    assert "features.csv" in [file.name for file in saved.files]
    dg.write_report(result, graphs, y, output=tmp_path / "page.html")


def test_probabilities_in_pieces_have_the_histogram_of_the_whole(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 21, (500, 7)) / np.float32(20)  # on the borders of the bars, and 0
    chosen = rng.random(500) < 0.3
    monkeypatch.setattr("dugraph.data.arguments._PIECE", 1000)
    in_pieces = [list(pieces(X, side)) for side in (chosen, ~chosen)]
    assert len(in_pieces[0]) > 10
    for part, side in zip(in_pieces, (chosen, ~chosen), strict=True):
        assert np.array_equal(np.concatenate(part), X[side].astype(np.float64))
    whole = [[X[side].astype(np.float64)] for side in (chosen, ~chosen)]
    drawn = probability_histogram(list(zip("ab", in_pieces, strict=True)))
    assert drawn == probability_histogram(list(zip("ab", whole, strict=True)))
    # The definition: edges present, by bars that end before their upper border.
    shares = [np.histogram(one[0][one[0] > 0], np.linspace(0, 1, 21))[0] for one in whole]
    told = [f"{k / 20:.2f} to {(k + 1) / 20:.2f} in {name}" for k, name in
            zip([int(share.argmax()) for share in shares], "ab", strict=True)]  # fmt: skip
    assert f"The most common are {' and '.join(told)}." in drawn.title
