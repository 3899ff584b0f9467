"""The page on an evaluation of a phenotype or of groups: what it shows is what was computed."""

import importlib.resources
import json
import re
import shutil
from html import unescape

import lxml.html
import numpy as np
import pytest
from headless_browser import PHONE
from test_report_accessibility import RUN

import dugraph as dg
from dugraph.cli import main
from dugraph.report.charts import forecast_chart

N = 60
RNG = np.random.default_rng(1)
X = RNG.uniform(0.1, 1.0, (N, 10))
SITE = np.array(["A", "B", "C"])[np.arange(N) % 3]
AGE = 20 + 12 * X[:, 0] * X[:, 1] + 4.0 * (SITE == "B") + RNG.normal(size=N)
STAGE = np.array(["low", "middle", "high"])[np.digitize(AGE, np.quantile(AGE, [1 / 3, 2 / 3]))]
HOSTILE = "<b>age</b>"
TABLE = {"site": SITE, HOSTILE: AGE, "stage": STAGE}
QUICK = ["--n-subgraphs", "3", "--n-folds", "3", "--n-repeats", "2", "--max-edges", "2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Evaluations of a phenotype beyond the site and of three groups, by the command."""
    home = tmp_path_factory.mktemp("forecasts")
    dg.save_cohort(
        home / "c.npz", dg.UncertainGraphs(X, participants=TABLE), np.where(AGE > 26, "old", "young")
    )
    for name, column, methods in (
        ("age", HOSTILE, "cpm,all-edges,exp-hsic"),
        ("stage", "stage", "all-edges"),
    ):
        asked = ["--phenotype", column, "--covariates", "site", "--methods", methods, *QUICK, "--report"]
        assert main(["evaluate", str(home / "c.npz"), *asked, "-o", str(home / name)]) == 0
    return home


def read(page):
    return lxml.html.fromstring(page.read_bytes(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def text_of(part):
    return re.sub(r"\s+", " ", unescape(part.text_content())).strip()


def test_a_phenotype(folder):
    record = dg.load_result(folder / "age")
    expected = dg.evaluate(
        dg.UncertainGraphs(X), AGE, covariates={"site": SITE}, methods=["cpm", "all-edges", "exp-hsic"],
        n_subgraphs=[3], cv=dg.RepeatedFolds(3, n_repeats=2), max_edges=2,
    )  # fmt: skip
    assert record.phenotype == HOSTILE
    assert record.cohort.kind == "phenotype"
    assert record.result.values("r").tobytes() == expected.values("r").tobytes()
    assert record.result.held_out.observed.tobytes() == expected.held_out.observed.tobytes()
    for key, forecast in expected.held_out.forecasts.items():
        assert record.result.held_out.forecasts[key].tobytes() == forecast.tobytes()
    page = read(folder / "age" / "report.html")
    assert text_of(page.xpath("//h1")[0]) == f"Predicting {HOSTILE}"
    part = page.get_element_by_id("classification")
    shown = [[text_of(cell) for cell in row] for row in part.xpath(".//table[@class='grid']//tr")]
    heading, rows = expected.table_cells()
    assert shown == [heading, *rows]
    told = text_of(part)
    assert "6 folds, 3 drawn 2 times at random" in told
    assert "The effect of the covariates (site)" in told
    assert "Every fold: mean absolute error" in told
    best = expected.mean("r").max()
    assert f"{best:.2f}" in text_of(page.get_element_by_id("overview"))
    assert "largest of 3 correlations" in text_of(page.get_element_by_id("cautions"))
    assert HOSTILE not in (folder / "age" / "report.html").read_text(encoding="utf-8")


def test_dots_are_the_forecasts_of_the_first_method(folder):
    held = dg.load_result(folder / "age").result.held_out
    (chart,) = read(folder / "age" / "report.html").xpath(
        "//figure[@class='folds'][not(ancestor::details)]/svg"
    )
    dots = re.findall(r"M([\d.-]+) ([\d.-]+)h0", chart.xpath("./path[@class='dots plain']")[0].get("d"))
    places = np.array(dots, dtype=float)
    assert len(places) == N
    for column, values in enumerate((held.observed, -held.forecasts["cpm", 3])):  # heights point down
        assert np.corrcoef(places[:, column], values)[0, 1] > 0.9999
    r = np.corrcoef(held.observed, held.forecasts["cpm", 3])[0, 1]
    assert f"correlation {r:.3g}." in text_of(chart.xpath("./title")[0])
    # On the line both are equal.
    line, dots = forecast_chart(np.array([0.0, 10.0]), np.array([0.0, 10.0]), "y").marks
    assert (line.look, line.points) == ("mean", dots.points)


def test_groups(folder):
    record = dg.load_result(folder / "stage")
    assert record.result.parameters["n_groups"] == 3
    page = read(folder / "stage" / "report.html")
    assert text_of(page.xpath("//h1")[0]) == "What distinguishes 3 groups"
    overview = text_of(page.get_element_by_id("overview"))
    assert f"{record.result.mean('balanced_accuracy')[0, 0]:.0%}" in overview
    assert "guessing: 33%" in overview
    assert "Every fold: macro F1" in text_of(page.get_element_by_id("classification"))
    assert not page.xpath("//figure[@class='folds'][not(ancestor::details)]")


def test_results_in_memory_have_the_same_page(folder, tmp_path):
    graphs, _ = dg.load_cohort(folder / "c.npz")
    record = dg.load_result(folder / "age")
    page = dg.write_report(record.result, graphs, AGE, output=tmp_path / "page.html")
    part = text_of(read(page).get_element_by_id("classification"))
    stored = text_of(read(folder / "age" / "report.html").get_element_by_id("classification"))
    assert part == stored.replace(HOSTILE, "the phenotype")
    saved = dg.save_result(record.result, tmp_path / "saved", graphs, AGE)
    assert "forecasts.csv" in {file.name for file in saved.files}
    again = dg.load_result(tmp_path / "saved").result
    assert again.files()["results.csv"] == record.result.files()["results.csv"]
    # A run of Python is repeated by the command, if the column has a name.
    config = (tmp_path / "saved" / "config.toml").read_text()
    (tmp_path / "named.toml").write_text(config + 'phenotype = "<b>age</b>"\n')
    command = ["evaluate", str(folder / "c.npz"), "--config", str(tmp_path / "named.toml")]
    assert main([*command, "-o", str(tmp_path / "again")]) == 0
    for name in ("results.csv", "forecasts.csv", "table.md"):
        stored = (folder / "age" / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == stored


def test_with_subgraphs_of_the_classes(folder, tmp_path):
    """The page is about the classes, its part on forecasts about the phenotype."""
    assert main(["mine", str(folder / "c.npz"), "--n-subgraphs", "2", "-o", str(tmp_path / "mined")]) == 0
    page = read(dg.write_report(tmp_path / "mined", evaluation=folder / "age"))
    assert text_of(page.xpath("//h1")[0]) == "What distinguishes young from old"
    assert f"Forecasts of {HOSTILE} in unseen graphs" in text_of(page.get_element_by_id("classification"))


def test_an_evaluation_of_the_classes_with_subgraphs_of_a_phenotype(folder, tmp_path):
    graphs, y = dg.load_cohort(folder / "c.npz")
    judged = dg.evaluate(graphs, y, ["all-edges"], n_subgraphs=[2], cv=dg.RandomSplits(2))
    mined = dg.mine_subgraphs(graphs, AGE, n_subgraphs=2)
    page = read(dg.write_report(mined, graphs, AGE, evaluation=judged, output=tmp_path / "page.html"))
    part = text_of(page.get_element_by_id("classification"))
    assert "F1 is for young graphs" in part
    assert "guessing" not in text_of(page.get_element_by_id("overview"))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: text.replace("cpm t=3", "cpm t=4"), "its columns must be"),
        (lambda text: text.replace('"observed"', '"seen"'), "its columns must be"),
        (
            lambda text: re.sub(r"\n(.*?),[^,\n]+", r"\n\1,nan", text, count=1),
            "observed: expected a finite number, got 'nan'",
        ),
        (lambda text: text.splitlines()[0] + "\n", "its columns must be"),
    ],
)
def test_damaged_forecasts_are_refused(folder, tmp_path, damage, told):
    result, graphs = dg.load_result(folder / "age").result, dg.UncertainGraphs(X)
    dg.save_result(result, tmp_path, graphs, AGE)
    table = tmp_path / "forecasts.csv"
    table.write_text(damage(table.read_text()))
    with pytest.raises(dg.InputError, match=told):
        dg.load_result(tmp_path)
    table.unlink()  # as in folders of earlier releases
    loaded = dg.load_result(tmp_path).result
    assert loaded.held_out is None
    page = read(dg.write_report(loaded, graphs, AGE, output=tmp_path / "page.html"))
    assert not page.xpath("//figure[@class='folds'][not(ancestor::details)]")


@pytest.mark.parametrize(
    ("name", "member", "value"),
    [
        ("age", "n_repeats", "two"),
        ("age", "n_folds", -1),
        ("age", "covariates", "site"),
        ("stage", "n_groups", None),
        ("stage", "task", "none"),
    ],
)
def test_damaged_parameters_are_refused(folder, tmp_path, name, member, value):
    shutil.copytree(folder / name, tmp_path / "copy")
    shutil.copy(folder / "c.npz", tmp_path)
    file = tmp_path / "copy" / "evaluation.json"
    stored = json.loads(file.read_bytes())
    assert member in stored["parameters"]
    stored["parameters"][member] = value
    file.write_text(json.dumps(stored))
    with pytest.raises(dg.InputError, match=r"must (be|come from an evaluation)"):
        dg.write_report(tmp_path / "copy")


@pytest.mark.parametrize("name", ["age", "stage"])
def test_axe_finds_nothing_serious(browser, folder, name):
    browser.open(folder / name / "report.html", PHONE, True)
    assert browser.console() == []
    assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.script((importlib.resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(RUN)
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []
