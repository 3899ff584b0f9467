"""What the page shows is what the cohort and the results are, computed anew here."""

import json
import re
import shlex
from functools import partial

import numpy as np
import pytest
from reading import read, text, words
from scipy.stats import chi2_contingency
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import dugraph as dg
from dugraph import UncertainGraphs, load_cohort, save_cohort, write_report
from dugraph.cli import main
from dugraph.plot.groups import phenotype_chart
from dugraph.report.cohort import find_differences
from dugraph.report.findings import by_phenotype
from dugraph.report.pictures import chart_svg
from dugraph.search.mining import mine_within


def found_in(mined):
    return json.loads((mined / "results" / "results.json").read_text())["subgraphs"]


# ---------------------------------------------------------------- subgraphs


def test_the_table_has_the_results(page, mined):
    rows = read(page).xpath("//table[@id='ranking']/tbody/tr")
    found = found_in(mined)
    assert len(rows) == len(found) == 30
    for row, one in zip(rows, found, strict=True):
        cells = [cell.get("data-value") for cell in row]
        assert float(cells[4]) == one["value"]
        assert float(cells[5]) == one["expected_frequency_positive"]
        assert float(cells[6]) == one["expected_frequency_negative"]
        names = row.xpath(".//td[@class='edges']//bdi/text()")
        assert names == [label for edge in one["edges"] for label in edge["node_labels"]]


def test_subgraphs_one_by_one(page, mined):
    graphs, y = load_cohort(mined / "cohort.npz")
    counts = [len(part.xpath(".//svg[contains(@class, 'chart')]")) for part in read(page).xpath("//article")]
    assert counts == [3] * 20 + [0] * 10
    for rank in (1, 30):
        rows = read(page).xpath(f"//*[@id='subgraph-{rank}']//table[@class='of-edges']/tbody/tr")
        X = graphs.edge_probability[:, [edge["index"] for edge in found_in(mined)[rank - 1]["edges"]]]
        wanted = np.array([X[y == "patient"].mean(axis=0), X[y == "control"].mean(axis=0)]).T
        assert [[text(cell) for cell in row[-2:]] for row in rows] == [
            [f"{a:.2f}", f"{b:.2f}"] for a, b in wanted
        ]


def test_the_first_screen_says_what_differs(page, mined):
    best = found_in(mined)[0]
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
    part = read(mined / "ids.html").get_element_by_id("cohort")
    assert part.xpath(".//ul[@class='ids']//bdi/text()") == [*ids[y == "patient"], *ids[y == "control"]]
    assert "This page shows participant ids." in text(part)


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
            (tmp_path / "out" / "results.json").write_text(json.dumps({**record, **change}))
        return read(write_report(tmp_path / "out"))

    return make


def test_a_search_that_was_stopped_says_so(make_report, monkeypatch):
    monkeypatch.setattr("dugraph.mine_subgraphs", partial(mine_within, 2))
    page = make_report()
    assert "The node limit was reached" in text(page.get_element_by_id("mining"))
    assert "The gap is" in text(page.get_element_by_id("mining"))
    assert "The search did not finish" in text(page.get_element_by_id("overview"))
    assert "best so far, not proven" in text(page.get_element_by_id("overview"))


def test_a_search_that_found_nothing_has_a_page(make_report):
    page = make_report(change={"subgraphs": []})
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
    assert page.xpath("//defs/g/@id") == ["brain-above", "brain-right", "brain-left"]
    assert not re.search(r"nan|inf|e\+", " ".join(page.xpath("//svg//@d | //svg//@viewBox")))


def test_names_have_their_capitals_and_keys_their_words(make_report):
    page = make_report(provenance={"format": "matrices", "format_reason": "3 files"})
    assert "expected HSIC" in page.text_content()
    assert "HSIC score" in page.text_content()
    keys = page.xpath("//table[@class='origin']//th")
    assert [key.text_content() for key in keys] == ["format", "format reason"]


# ---------------------------------------------------------------- sites and other traits


def test_site_and_class_together_are_said_with_the_test(make_report):
    y = ["control"] * 10 + ["patient"] * 10
    page = make_report(y=y, participants={"SITE_ID": ["A"] * 9 + ["B"] * 11})
    test = chi2_contingency([[9, 0], [1, 10]], correction=False)
    overview = text(page.get_element_by_id("overview"))
    assert "Site and class are associated" in overview
    assert f"V = {np.sqrt(test.statistic / 20):.2f}" in overview
    assert f"p = {test.pvalue:.2g}" in overview
    assert "1 of 2 sites contain only one class" in overview
    rows = page.xpath("//table[@id='sites']/tbody/tr")
    assert [[text(cell) for cell in row] for row in rows] == [["B", "10", "1"], ["A", "0", "9"]]


@pytest.mark.parametrize(
    ("participants", "y", "said"),
    [
        ({"site": [1, 1, 2, float("nan")] * 5}, None, "Site and class are associated"),
        ({"centre": ["a", "a", "b", "b"] * 5}, None, "No association between site and class was seen (Cram"),
        (None, None, "does not record where"),
        (None, ["a"] * 14 + ["b"] * 6, "The larger class contains 70% of the graphs"),
    ],
)  # fmt: skip
def test_cautions_about_sites_and_uneven_classes(make_report, participants, y, said):
    assert said in text(make_report(y=y, participants=participants).get_element_by_id("cautions"))


Y = np.repeat(["patient", "control"], 20)
PATIENT = Y == "patient"
SAME = np.tile(np.random.default_rng(0).normal(30, 5, 20), 2)


def labelled(**participants):
    table = {name: np.asarray(values) for name, values in participants.items()}
    return dg.LabelledGraphs(UncertainGraphs(np.full((40, 3), 0.5), participants=table), Y)


@pytest.mark.parametrize(
    ("participants", "said"),
    [
        (
            {"Age": np.where(PATIENT, 8.0, 0.0) + SAME},
            f"Age: {SAME.mean() + 8:.3g} in patient, {SAME.mean():.3g} in control on average, ",
        ),
        ({"AGE_AT_SCAN": (np.where(PATIENT, 8.0, 0.0) + SAME).astype(str)}, "AGE_AT_SCAN: "),
        ({"sex": np.where(PATIENT, "F", "M")}, "sex: 100% F in patient, 0% F in control (Cramér's V = 1.00"),
        ({"func_mean_fd": np.where(PATIENT, 0.3, 0.1)}, "func_mean_fd: 0.3 in patient, 0.1 in control on"),
        ({"age": np.r_[np.nan, (np.where(PATIENT, 8.0, 0.0) + SAME)[1:-1], np.nan]}, "age: "),
        ({"age": np.r_[SAME[:2] + 8, np.full(18, np.nan), SAME[20:]]}, None),  # two patients
        ({"age": SAME}, None),
        ({"age": np.full(40, 20.0)}, None),
        ({"age": np.where(PATIENT, "old", "young")}, None),
        ({"sex": np.tile(["F", "M"], 20)}, None),
        ({"sex": np.full(40, "F")}, None),
        ({"sex": ["F"] * 2 + [None] * 18 + ["M"] * 20}, None),
        ({"weight": np.where(PATIENT, 90.0, 60.0) + SAME}, None),
        ({}, None),
    ],
)
def test_traits_that_differ_are_found_by_their_columns(participants, said):
    texts = [found.text for found in find_differences(labelled(**participants))]
    assert [one[: len(said or "")] for one in texts] == ([said] if said else [])


def test_the_report_warns_urgently_of_traits_that_differ(tmp_path):
    cohort = labelled(age=np.where(PATIENT, 8.0, 0.0) + SAME, sex=np.where(PATIENT, "<img src=x>", "M"))
    page = write_report(dg.mine_subgraphs(cohort, n_subgraphs=2), cohort, output=tmp_path / "page.html")
    urgent = [text(one) for one in read(page).xpath("//aside//li")]
    for trait in ("age", "sex"):
        (found,) = [one for one in urgent if one.startswith(f"{trait.capitalize()} and class are associated")]
        assert f"A subgraph may reflect {trait} rather than class" in found
    assert not any(one.startswith("Motion and class") for one in urgent)
    assert "<img src=x>" not in page.read_text()


# ---------------------------------------------------------------- phenotypes and groups

N = 60
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def graphs():
    rng = np.random.default_rng(0)
    dose, site = np.linspace(0, 10, N), rng.integers(0, 3, N)
    X = rng.uniform(0.3, 0.6, (N, 6))
    X[:, :2] = (0.2 + 0.06 * dose + 0.05 * site)[:, None]
    arm = np.array(["high", HOSTILE, "none"])[np.arange(N) % 3]
    X[:, 4] = np.where(arm == "high", 0.8, 0.3)
    table = {"dose": dose, "site": [f"site {k}" for k in site], "arm": arm}
    places = rng.uniform(-30, 30, (4, 3))
    return UncertainGraphs(X, node_labels=list("ABCD"), node_coordinates=places, participants=table)


@pytest.fixture(scope="module")
def results(graphs, tmp_path_factory):
    """A folder with a page from memory and a page from a folder for each result."""
    folder, table = tmp_path_factory.mktemp("pages"), graphs.participants
    asked = {"n_subgraphs": 4, "min_expected_frequency": 0.1}
    dose, arm = table["dose"], table["arm"]
    made = {
        "phenotype": (dg.mine_subgraphs(graphs, dose, covariates="site", **asked), dose),
        "groups": (dg.mine_subgraphs(graphs, arm, **asked), arm),
        "ovr": (dg.mine_subgraphs(graphs, arm, score="g_test", multi_class="ovr", **asked), arm),
        "classes": (dg.mine_subgraphs(graphs, dose > 5, covariates="site", **asked), dose > 5),
        "test": (dg.significant_subgraphs(graphs, dose, n_permutations=99), dose),
    }
    for name, (result, y) in made.items():
        write_report(result, graphs, y, output=folder / f"{name}.html")
        dg.save_result(result, folder / name, graphs, y)
        write_report(folder / name)
    return folder, {name: result for name, (result, _) in made.items()}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("phenotype", ["What varies with the phenotype", "adjusted slope per unit of the phenotype"]),
        ("phenotype", ["both axes adjusted for the covariates", "were adjusted for site"]),
        ("groups", ["What distinguishes 3 groups", "Nothing was adjusted for", HOSTILE]),
        ("ovr", ["high against the rest", f"{HOSTILE} against the rest"]),
        ("classes", ["adjusted difference in expected frequency"]),
        ("test", ["What varies with the phenotype", "tested the phenotype"]),
    ],
)
def test_the_page_says(results, name, said):
    folder, _ = results
    for page in (folder / f"{name}.html", folder / name / "report.html"):
        shown = words(page)
        assert [one for one in said if one not in shown] == []
        assert HOSTILE not in page.read_text(encoding="utf-8")


def test_numbers_of_groups_and_effects(results, graphs):
    folder, found = results
    shown = words(folder / "groups.html")
    x = graphs.edge_probability[:, list(found["groups"].subgraphs[0])].prod(axis=1)
    for arm in ("high", "none"):
        assert f"{x[graphs.participants['arm'] == arm].mean():.0%} of {arm}" in shown
    assert f"{found['phenotype'].effects[0]:+.3g}" in words(folder / "phenotype.html")


def test_dots_and_line_are_the_partial_regression(results, graphs):
    folder, found = results
    record = dg.load_result(folder / "phenotype")
    first = record.subgraphs[0]
    x = graphs.edge_probability[:, list(first.edges)].prod(axis=1)
    _, chart = by_phenotype(record, first, x)
    known = np.column_stack([np.ones(N), *(graphs.participants["site"] == f"site {k}" for k in (1, 2))])
    left = [
        v - known @ np.linalg.lstsq(known, v, rcond=None)[0] + v.mean()
        for v in (graphs.participants["dose"], x)
    ]
    slope = found["phenotype"].effects[0]
    assert np.polyfit(*left, 1)[0] == pytest.approx(slope)
    assert chart == chart_svg(phenotype_chart(*left, slope, "phenotype, adjusted"))
    places = np.array(re.findall(r"M([\d.-]+) ([\d.-]+)h0", chart), dtype=float)
    assert len(places) == N
    # Heights point down.
    assert np.corrcoef(places.T)[0, 1] == pytest.approx(-np.corrcoef(left)[0, 1], abs=0.01)


# ---------------------------------------------------------------- evaluations


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


SITE = np.repeat([f"site {i}" for i in range(5)], 4)


@pytest.fixture
def cohort():
    rng = np.random.default_rng(0)
    graphs = UncertainGraphs(rng.uniform(0.3, 0.9, (20, 6)), participants={"site": SITE})
    return graphs, np.arange(20) % 2


def page_of_evaluation(cohort, folder, **asked):
    page = write_report(dg.evaluate(*cohort, **asked), *cohort, output=folder / "page.html")
    return read(page).get_element_by_id("classification")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cv": dg.RandomSplits(3)}, "3 splits, drawn at random (80% for training)"),
        (
            {"cv": dg.RandomSplits(2), "groups": "site"},
            "2 splits, drawn at random with groups of site kept whole",
        ),
        ({"cv": dg.RandomSplits(1), "groups": SITE}, "1 split, drawn at random with given groups kept whole"),
        ({"cv": StratifiedKFold(2)}, "2 splits, given in advance (StratifiedKFold(n_splits=2"),
        ({"cv": [([0, 1, 2, 3], [4, 5])]}, "1 split, given in advance (given splits)"),
    ],
)
def test_the_page_says_how_the_graphs_were_split(cohort, asked, said, tmp_path):
    part = page_of_evaluation(cohort, tmp_path, methods=["all-edges"], n_subgraphs=[2], **asked)
    assert f"In each of {said}" in text(part)


def test_a_classifier_of_ones_own_is_named_and_shown_once(cohort, tmp_path):
    asked = {"methods": ["exp-hsic", {"mine": LogisticRegression()}], "n_subgraphs": [2, 4]}
    part = page_of_evaluation(cohort, tmp_path, cv=dg.RandomSplits(2), **asked)
    rows = part.xpath(".//details[@class='spread']//tbody/tr")
    assert [(text(row[0]), text(row[1])) for row in rows] == [
        *(("exp-hsic", "2"), ("exp-hsic", "4")),
        ("mine", "all"),
    ]
    assert "The user's own classifiers, trained on the same splits: mine." in text(part)


def test_the_grid_of_the_paper_comes_first_and_dots_on_demand(page, mined):
    part = read(page).get_element_by_id("classification")
    tables = part.xpath(".//table")
    assert tables[0].get("class") == "grid"
    assert not tables[0].xpath("ancestor::details")
    heading, rows = dg.load_result(mined / "evaluation").result.table_cells()
    assert [[cell.text_content() for cell in row] for row in tables[0].xpath(".//tr")] == [heading, *rows]
    (chart,) = part.xpath(".//figure[@class='folds']")
    assert chart.xpath("ancestor::details")
    assert all(details.get("open") is None for details in part.xpath(".//details"))
