"""The page on a phenotype, on several groups and on adjusted classes: what it shows is what was computed."""

import importlib.resources
import re
from html import unescape

import numpy as np
import pytest
from headless_browser import PHONE
from test_report_accessibility import RUN

import dugraph as dg
from dugraph.plot.groups import phenotype_chart
from dugraph.report.charts import chart_svg
from dugraph.report.findings import by_phenotype

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
    return dg.UncertainGraphs(X, node_labels=list("ABCD"), node_coordinates=places, participants=table)


@pytest.fixture(scope="module")
def pages(graphs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    table = graphs.participants
    asked = {"n_subgraphs": 4, "min_expected_frequency": 0.1}
    results = {
        "phenotype": dg.mine_subgraphs(graphs, table["dose"], covariates="site", **asked),
        "groups": dg.mine_subgraphs(graphs, table["arm"], **asked),
        "ovr": dg.mine_subgraphs(graphs, table["arm"], score="g_test", multi_class="ovr", **asked),
        "classes": dg.mine_subgraphs(graphs, table["dose"] > 5, covariates="site", **asked),
        "test": dg.significant_subgraphs(graphs, table["dose"], n_permutations=99),
    }
    y = {"groups": table["arm"], "ovr": table["arm"], "classes": table["dose"] > 5}
    for name, result in results.items():
        dg.write_report(result, graphs, y.get(name, table["dose"]), output=folder / f"{name}.html")
        dg.save_result(result, folder / name, graphs, y.get(name, table["dose"]))
        dg.write_report(folder / name)
    return folder, results


def text_of(page):
    body = re.sub(r"<(script|style)>.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


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
def test_the_page_says(pages, name, said):
    folder, _ = pages
    for page in (folder / f"{name}.html", folder / name / "report.html"):
        text = text_of(page)
        for words in said:
            assert words in text
        assert HOSTILE not in page.read_text(encoding="utf-8")


def test_numbers_of_the_table(pages, graphs):
    folder, results = pages
    text = text_of(folder / "groups.html")
    first = results["groups"].subgraphs[0]
    x = graphs.edge_probability[:, list(first)].prod(axis=1)
    for arm in ("high", "none"):
        share = x[graphs.participants["arm"] == arm].mean()
        assert f"{share:.0%} of {arm}" in text
    effect = results["phenotype"].effects[0]
    assert f"{effect:+.3g}" in text_of(folder / "phenotype.html")


def test_dots_and_line_are_the_partial_regression(pages, graphs):
    folder, results = pages
    record = dg.load_result(folder / "phenotype")
    first = record.subgraphs[0]
    x = graphs.edge_probability[:, list(first.edges)].prod(axis=1)
    _, chart = by_phenotype(record, first, x)
    known = np.column_stack([np.ones(N), *(graphs.participants["site"] == f"site {k}" for k in (1, 2))])
    left = [
        v - known @ np.linalg.lstsq(known, v, rcond=None)[0] + v.mean()
        for v in (graphs.participants["dose"], x)
    ]
    slope = results["phenotype"].effects[0]
    assert np.polyfit(*left, 1)[0] == pytest.approx(slope)
    assert chart == chart_svg(phenotype_chart(*left, slope, "phenotype, adjusted"))
    dots = re.findall(r"M([\d.-]+) ([\d.-]+)h0", chart)
    assert len(dots) == N
    places = np.array(dots, dtype=float)
    assert np.corrcoef(places.T)[0, 1] == pytest.approx(
        -np.corrcoef(left)[0, 1], abs=0.01
    )  # heights point down


@pytest.mark.parametrize("name", ["phenotype", "groups", "ovr"])
def test_axe_finds_nothing_serious(browser, pages, name):
    browser.open(pages[0] / f"{name}.html", PHONE, True)
    assert browser.script("return document.querySelectorAll('#ranking tbody tr').length") == 4
    assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.script((importlib.resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(RUN)
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []
