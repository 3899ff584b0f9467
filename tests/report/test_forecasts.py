"""The page on an evaluation of a phenotype or of groups: what it shows is what was computed."""

import json
import re
import shutil

import numpy as np
import pytest
from reading import read, text

import dugraph as dg
from dugraph.cli import main
from dugraph.report.pictures import forecast_chart

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
    y = np.where(AGE > 26, "old", "young")
    dg.save_cohort(home / "c.npz", dg.UncertainGraphs(X, participants=TABLE), y)
    for name, column, methods in (
        ("age", HOSTILE, "cpm,all-edges,exp-hsic"),
        ("stage", "stage", "all-edges"),
    ):
        asked = ["--phenotype", column, "--covariates", "site", "--methods", methods, *QUICK, "--report"]
        assert main(["evaluate", str(home / "c.npz"), *asked, "-o", str(home / name)]) == 0
    return home


def part(page, name):
    return text(read(page).get_element_by_id(name))


def scatter(page):
    return read(page).xpath("//figure[@class='folds'][not(ancestor::details)]/svg")


def heading(page):
    return text(read(page).xpath("//h1")[0])


def test_a_phenotype(folder):
    record = dg.load_result(folder / "age")
    expected = dg.evaluate(
        dg.UncertainGraphs(X), AGE, covariates={"site": SITE}, methods=["cpm", "all-edges", "exp-hsic"],
        n_subgraphs=[3], cv=dg.RepeatedFolds(3, n_repeats=2), max_edges=2,
    )  # fmt: skip
    assert (record.phenotype, record.cohort.kind) == (HOSTILE, "phenotype")
    assert record.result.values("r").tobytes() == expected.values("r").tobytes()
    assert record.result.held_out.observed.tobytes() == expected.held_out.observed.tobytes()
    for key, forecast in expected.held_out.forecasts.items():
        assert record.result.held_out.forecasts[key].tobytes() == forecast.tobytes()
    page = folder / "age" / "report.html"
    assert heading(page) == f"Predicting {HOSTILE}"
    rows = read(page).get_element_by_id("classification").xpath(".//table[@class='grid']//tr")
    columns, cells = expected.table_cells()
    assert [[text(cell) for cell in row] for row in rows] == [columns, *cells]
    said = part(page, "classification")
    assert "6 folds, 3 drawn 2 times at random" in said
    assert "The effect of the covariates (site)" in said
    assert "Every fold: mean absolute error" in said
    assert f"{expected.mean('r').max():.2f}" in part(page, "overview")
    assert "largest of 3 correlations" in part(page, "cautions")
    assert HOSTILE not in page.read_text(encoding="utf-8")


def test_dots_are_the_forecasts_of_the_first_method(folder):
    held_out = dg.load_result(folder / "age").result.held_out
    (chart,) = scatter(folder / "age" / "report.html")
    dots = re.findall(r"M([\d.-]+) ([\d.-]+)h0", chart.xpath("./path[@class='dots plain']")[0].get("d"))
    places = np.array(dots, dtype=float)
    assert len(places) == N
    for column, values in enumerate((held_out.observed, -held_out.forecasts["cpm", 3])):  # heights point down
        assert np.corrcoef(places[:, column], values)[0, 1] > 0.9999
    r = np.corrcoef(held_out.observed, held_out.forecasts["cpm", 3])[0, 1]
    assert f"correlation {r:.3g}." in text(chart.xpath("./title")[0])
    # On the line both are equal.
    line, dots = forecast_chart(np.array([0.0, 10.0]), np.array([0.0, 10.0]), "y").marks
    assert (line.look, line.points) == ("mean", dots.points)


def test_groups(folder):
    result, page = dg.load_result(folder / "stage").result, folder / "stage" / "report.html"
    assert result.parameters["n_groups"] == 3
    assert heading(page) == "What distinguishes 3 groups"
    assert f"{result.mean('balanced_accuracy')[0, 0]:.0%}" in part(page, "overview")
    assert "guessing: 33%" in part(page, "overview")
    assert "Every fold: macro F1" in part(page, "classification")
    assert not scatter(page)


def test_results_in_memory_have_the_same_page(folder, tmp_path):
    graphs, _ = dg.load_cohort(folder / "c.npz")
    record = dg.load_result(folder / "age")
    page = dg.write_report(record.result, graphs, AGE, output=tmp_path / "page.html")
    stored = part(folder / "age" / "report.html", "classification")
    assert part(page, "classification") == stored.replace(HOSTILE, "the phenotype")
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
        assert (tmp_path / "again" / name).read_bytes() == (folder / "age" / name).read_bytes()


def test_the_labels_of_the_page_and_of_the_evaluation_may_differ(folder, tmp_path):
    graphs, y = dg.load_cohort(folder / "c.npz")
    mined = dg.mine_subgraphs(graphs, y, n_subgraphs=2)
    output = tmp_path / "page.html"
    forecast = dg.load_result(folder / "age").result
    page = dg.write_report(mined, graphs, y, evaluation=forecast, output=output)
    assert heading(page) == "What distinguishes young from old"
    assert "Forecasts of the phenotype in unseen graphs" in part(page, "classification")
    judged = dg.evaluate(graphs, y, ["all-edges"], n_subgraphs=[2], cv=dg.RandomSplits(2))
    mined = dg.mine_subgraphs(graphs, AGE, n_subgraphs=2)
    page = dg.write_report(mined, graphs, AGE, evaluation=judged, output=output)
    assert "F1 is for young graphs" in part(page, "classification")
    assert "guessing" not in part(page, "overview")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda table: table.replace("cpm t=3", "cpm t=4"), "its columns must be"),
        (lambda table: table.replace('"observed"', '"seen"'), "its columns must be"),
        (
            lambda table: re.sub(r"\n(.*?),[^,\n]+", r"\n\1,nan", table, count=1),
            "its numbers must be finite",
        ),
        (lambda table: table.splitlines()[0] + "\n", "it must have a row for each"),
    ],
)
def test_damaged_forecasts_are_refused(folder, tmp_path, damage, words):
    result, graphs = dg.load_result(folder / "age").result, dg.UncertainGraphs(X)
    dg.save_result(result, tmp_path, graphs, AGE)
    table = tmp_path / "forecasts.csv"
    table.write_text(damage(table.read_text()))
    with pytest.raises(dg.InputError, match=words):
        dg.load_result(tmp_path)
    table.unlink()  # as in folders of earlier releases
    loaded = dg.load_result(tmp_path).result
    assert loaded.held_out is None
    assert not scatter(dg.write_report(loaded, graphs, AGE, output=tmp_path / "page.html"))


@pytest.mark.parametrize(
    ("name", "member", "value"),
    [
        *(("age", "n_repeats", "two"), ("age", "n_folds", -1), ("age", "covariates", "site")),
        *(("stage", "n_groups", None), ("stage", "task", "none")),
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
