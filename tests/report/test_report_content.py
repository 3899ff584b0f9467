"""What the report says is what the cohort and the results are, computed anew here."""

import json
import re
import shlex
from functools import partial

import lxml.html
import numpy as np
import pytest
from scipy.stats import chi2_contingency

from dugraph import UncertainGraphs, load_cohort, save_cohort, write_report
from dugraph.cli import main
from dugraph.search.mining import mine_within


def read(path):
    return lxml.html.fromstring(path.read_bytes(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def text(part):
    return re.sub(r"\s+", " ", part.text_content()).strip()


@pytest.fixture
def make_report(tmp_path):
    """Mine a small cohort and give the page."""

    def make(*flags, y=None, change=None, **parts):
        y = ["control", "patient"] * 10 if y is None else y
        X = np.random.default_rng(0).uniform(0.3, 0.9, (len(y), 6))
        save_cohort(tmp_path / "cohort.npz", UncertainGraphs(X, **parts), y)
        flags = ("--n-subgraphs", "4", *flags)
        assert main(["mine", str(tmp_path / "cohort.npz"), *flags, "-o", str(tmp_path / "out")]) in (0, 3)
        if change is not None:
            record = json.loads((tmp_path / "out" / "results.json").read_text())
            change(record)
            (tmp_path / "out" / "results.json").write_text(json.dumps(record))
        return read(write_report(tmp_path / "out"))

    return make


def test_the_table_has_the_results(page, mined):
    rows = read(page).xpath("//table[@id='ranking']/tbody/tr")
    found = json.loads((mined / "results" / "results.json").read_text())["subgraphs"]
    assert len(rows) == len(found) == 30
    for row, one in zip(rows, found, strict=True):
        cells = [cell.get("data-value") for cell in row]
        assert float(cells[4]) == one["value"]
        assert float(cells[5]) == one["expected_frequency_positive"]
        assert float(cells[6]) == one["expected_frequency_negative"]
        names = row.xpath(".//td[@class='edges']//bdi/text()")
        assert names == [label for edge in one["edges"] for label in edge["node_labels"]]


def test_edges_of_a_subgraph_have_their_mean_probabilities(page, mined):
    graphs, y = load_cohort(mined / "cohort.npz")
    found = json.loads((mined / "results" / "results.json").read_text())["subgraphs"]
    for rank in (1, 30):
        rows = read(page).xpath(f"//*[@id='subgraph-{rank}']//table[@class='of-edges']/tbody/tr")
        edges = [edge["index"] for edge in found[rank - 1]["edges"]]
        shown = [[text(cell) for cell in row[-2:]] for row in rows]
        X = graphs.edge_probability[:, edges]
        wanted = np.array([X[y == "patient"].mean(axis=0), X[y == "control"].mean(axis=0)]).T
        assert shown == [[f"{a:.2f}", f"{b:.2f}"] for a, b in wanted]


def test_only_the_first_twenty_have_charts(page):
    counts = [len(part.xpath(".//svg[contains(@class, 'chart')]")) for part in read(page).xpath("//article")]
    assert counts == [3] * 20 + [0] * 10


def test_the_first_screen_says_what_differs(page, mined):
    best = json.loads((mined / "results" / "results.json").read_text())["subgraphs"][0]
    overview = text(read(page).get_element_by_id("overview"))
    assert f"expected in {100 * best['expected_frequency_positive']:.0f}% of patient graphs" in overview
    assert f"in {100 * best['expected_frequency_negative']:.0f}% of control graphs" in overview
    assert "20 patient graphs and 20 control graphs" in overview
    assert "no significance test was run" in overview
    assert "Small cohort" in overview


def test_the_cohort_is_described(page, mined):
    graphs, y = load_cohort(mined / "cohort.npz")
    row = graphs.describe(y)
    part = read(page).get_element_by_id("cohort")
    wanted = ["40", "10", "45", f"{row['mean_edges']:.1f}", f"{row['mean_edge_probability']:.3f}"]
    assert [text(cell) for cell in part.xpath("(.//tbody)[1]/tr/td")] == wanted
    assert [text(cell) for cell in part.xpath(".//table[@id='sites']/tbody/tr[1]/td")] == ["Oslo", "10", "10"]
    assert part.xpath(".//ul[@class='ids']") == []
    assert main(["report", str(mined / "results"), "--with-ids", "-o", str(mined / "ids.html")]) == 0
    ids = np.array(graphs.graph_ids)
    wanted = [*ids[y == "patient"], *ids[y == "control"]]
    part = read(mined / "ids.html").get_element_by_id("cohort")
    assert part.xpath(".//ul[@class='ids']//bdi/text()") == wanted
    assert "This page shows participant ids." in text(part)


def test_every_split_is_there(page, mined):
    lines = (mined / "evaluation" / "results.csv").read_text().splitlines()[1:]
    cells = [line.split(",") for line in lines]
    part = read(page).get_element_by_id("classification")
    errors = part.xpath(".//details[@class='splits'][1]//tbody/tr")
    assert [(text(row[0]), text(row[1])) for row in errors] == [
        *(("exp-hsic", "3"), ("exp-hsic", "6")),
        ("all-edges", "all"),  # they are all edges for every t, so that one row says it
    ]
    for row in errors:
        method, t, *shown = [text(cell) for cell in row]
        wanted = [float(c[5]) for c in cells if c[0] == method and c[2] == t.replace("all", "3")]
        assert shown == [f"{value:.3f}" for value in wanted]
    mean = np.mean([float(c[5]) for c in cells if (c[0], c[2]) == ("exp-hsic", "3")])
    assert text(part.xpath(".//details[@class='spread']//tbody/tr[1]/td[2]")[0]).startswith(f"{mean:.3f} ± ")


def test_the_command_repeats_the_run(page, mined, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cohort.npz").write_bytes((mined / "cohort.npz").read_bytes())
    command = read(page).get_element_by_id("command").text_content().replace("\\\n", "")
    program, *arguments = shlex.split(command)
    assert program == "dugraph"
    assert main(arguments) == 0
    before = json.loads((mined / "results" / "results.json").read_text())
    again = json.loads((tmp_path / "results" / "results.json").read_text())
    assert again["subgraphs"] == before["subgraphs"]
    cited = text(read(page).get_element_by_id("cite"))
    assert before["input"]["sha256"] in cited
    assert "Discriminative Feature Selection for Uncertain Graph Classification" in cited


def test_site_and_class_together_are_said_with_the_test(make_report):
    y = ["control"] * 10 + ["patient"] * 10
    page = make_report(y=y, participants={"SITE_ID": ["A"] * 9 + ["B"] * 11})
    test = chi2_contingency([[9, 0], [1, 10]], correction=False)
    overview = text(page.get_element_by_id("overview"))
    assert "Site and class are associated" in overview
    assert f"V = {np.sqrt(test.statistic / 20):.2f}" in overview
    assert f"p = {test.pvalue:.2g}" in overview
    assert "1 of 2 sites contain only one class" in overview


def test_sites_apart_from_the_class(make_report):
    cautions = text(
        make_report(participants={"site": [1, 1, 2, float("nan")] * 5}).get_element_by_id("cautions")
    )
    assert "Site and class are associated" in cautions
    cautions = text(
        make_report(participants={"centre": ["a", "a", "b", "b"] * 5}).get_element_by_id("cautions")
    )
    assert "No association between site and class was seen (Cramér's V = 0.00" in cautions
    assert "does not record where" in text(make_report().get_element_by_id("cautions"))


def test_uneven_classes_are_named(make_report):
    overview = text(make_report(y=["a"] * 14 + ["b"] * 6).get_element_by_id("overview"))
    assert "The larger class holds 70% of the graphs" in overview


def test_a_search_that_was_stopped_says_so(make_report, monkeypatch):
    monkeypatch.setattr("dugraph.mine_subgraphs", partial(mine_within, 2))
    page = make_report()
    assert "The search did not finish" in text(page.get_element_by_id("overview"))
    assert "The node limit was reached" in text(page.get_element_by_id("mining"))
    assert "The gap is" in text(page.get_element_by_id("mining"))
    assert "best so far, not proven" in text(page.get_element_by_id("overview"))


def test_a_search_that_found_nothing_has_a_page(make_report):
    page = make_report(change=lambda record: record.update(subgraphs=[]))
    assert page.xpath("//article") == []
    assert "The 0 best subgraphs" in text(page.get_element_by_id("subgraphs"))


def test_parallel_edges_have_names_and_lines_of_their_own(make_report):
    edges = [[1, 0], [1, 0], [2, 0], [2, 1], [3, 2], [3, 0]]
    layers = ["plus", "minus", "plus", "plus", "plus", "plus"]
    y = [0, 1] * 10
    page = make_report("--max-edges", "2", "--n-subgraphs", "40", edges=edges, edge_layers=layers, y=y)
    rows = page.xpath("//table[@id='ranking']/tbody/tr")
    named = [[tuple(item.xpath(".//bdi/text()")) for item in row.xpath(".//li")] for row in rows]
    both = next(i for i, row in enumerate(named) if {("0", "1", "plus"), ("0", "1", "minus")} == set(row))
    lines = rows[both].xpath(".//svg[contains(@class, 'small')]//path[not(@class)]")
    assert len({line.get("d") for line in lines}) == 2
    assert [line.get("stroke-dasharray") for line in lines].count(None) == 1
    assert "minus" in text(page.get_element_by_id("subgraphs"))


@pytest.mark.parametrize("measure", ["median", "quantile", "mode", "phi_probability", "frequency"])
@pytest.mark.parametrize("score", ["confidence", "frequency_ratio", "g_test"])
def test_every_measure_and_score_is_reported(make_report, measure, score):
    page = make_report("--measure", measure, "--score", score)
    charts = page.xpath("//*[@id='subgraph-1']//svg[@class='chart']")
    assert len(charts) == (2 if measure == "frequency" else 3)
    assert not re.search(r"\b(nan|inf)\b", " ".join(page.xpath("//svg//@d | //svg//@x | //svg//@y")))


def test_nodes_on_one_line_and_far_apart_are_drawn(make_report):
    places = np.column_stack([np.arange(4) * 1e9, np.zeros(4), np.zeros(4)])
    page = make_report(node_coordinates=places)
    assert page.xpath("//defs/g/@id") == ["brain-above", "brain-right"]
    assert not re.search(r"nan|inf|e\+", " ".join(page.xpath("//svg//@d | //svg//@viewBox")))
