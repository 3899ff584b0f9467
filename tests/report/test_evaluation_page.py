"""What the part on classification says about splits and about methods of the user's own."""

import numpy as np
import pytest
from lxml import html
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import dugraph as dg
from dugraph.report.sections import describe_cohort, describe_evaluation

SITE = np.repeat([f"site {i}" for i in range(5)], 4)


@pytest.fixture
def cohort():
    rng = np.random.default_rng(0)
    graphs = dg.UncertainGraphs(rng.uniform(0.3, 0.9, (20, 6)), participants={"site": SITE})
    return graphs, np.arange(20) % 2


@pytest.mark.parametrize(
    ("asked", "told"),
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
def test_the_page_says_how_the_graphs_were_split(cohort, asked, told):
    result = dg.evaluate(*cohort, methods=["all-edges"], n_subgraphs=[2], **asked)
    part = describe_evaluation(result, describe_cohort(dg.LabelledGraphs(*cohort)))
    assert part["splitting"].startswith(told)


def test_a_classifier_of_ones_own_is_named_and_shown_once(cohort, tmp_path):
    own = {"mine": LogisticRegression()}
    result = dg.evaluate(*cohort, methods=["exp-hsic", own], n_subgraphs=[2, 4], cv=dg.RandomSplits(2))
    part = describe_evaluation(result, describe_cohort(dg.LabelledGraphs(*cohort)))
    assert [(row.method, row.features) for row in part["rows"]] == [
        ("exp-hsic", 2),
        ("exp-hsic", 4),
        ("mine", "all"),
    ]
    assert part["own"] == ["mine"]


def test_the_grid_of_the_paper_comes_first_and_dots_on_demand(cohort, tmp_path):
    result = dg.evaluate(
        *cohort, methods=["exp-hsic", "all-edges"], n_subgraphs=[2, 4], cv=dg.RandomSplits(2)
    )
    mined = dg.mine_subgraphs(*cohort, n_subgraphs=2)
    page = dg.write_report(mined, *cohort, evaluation=result, output=tmp_path / "page.html")
    part = html.fromstring(page.read_text()).get_element_by_id("classification")
    tables = part.xpath(".//table")
    assert tables[0].get("class") == "grid"
    assert not tables[0].xpath("ancestor::details")
    heading, rows = result.table_cells()
    shown = [[cell.text_content() for cell in row] for row in tables[0].xpath(".//tr")]
    assert shown == [heading, *rows]
    (chart,) = part.xpath(".//figure[@class='folds']")
    assert chart.xpath("ancestor::details")
    assert all(details.get("open") is None for details in part.xpath(".//details"))


def test_names_have_their_capitals_and_keys_their_words(cohort, tmp_path):
    graphs, y = cohort
    told = {"format": "matrices", "format_reason": "3 files"}
    graphs = dg.UncertainGraphs(graphs.edge_probability, provenance=told)
    mined = dg.mine_subgraphs(graphs, y, n_subgraphs=2)
    text = dg.write_report(mined, graphs, y, output=tmp_path / "page.html").read_text()
    assert "expected HSIC" in text
    assert "HSIC score" in text
    keys = html.fromstring(text).xpath("//table[@class='origin']//th")
    assert [key.text_content() for key in keys] == ["format", "format reason"]
