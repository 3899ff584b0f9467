"""A browser for the report, and reports to open in it."""

import designs
import numpy as np
import pytest
from headless_browser import Browser, start_chromium

from dugraph import RepeatedFolds, UncertainGraphs, evaluate, save_cohort, write_report
from dugraph.cli import main


@pytest.fixture(scope="session")
def browser():
    driver = start_chromium()
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def mined(tmp_path_factory):
    """A folder with subgraphs and an evaluation, of a cohort with coordinates and two sites."""
    folder = tmp_path_factory.mktemp("mined")
    rng = np.random.default_rng(0)
    y = np.repeat(["control", "patient"], 20)
    X = rng.uniform(0.2, 0.7, (40, 45))
    X[:20, :2] += 0.25
    X[20:, 3:6] += 0.25
    places = rng.uniform(-30, 30, (10, 3))
    names = [f"Region_{i}" for i in range(10)]
    sites = {"site": ["Oslo", "Turku"] * 20, "age": list(range(40))}
    graphs = UncertainGraphs(X, node_labels=names, node_coordinates=places, participants=sites)
    save_cohort(folder / "cohort.npz", graphs, y)
    data = str(folder / "cohort.npz")
    assert main(["mine", data, "--n-subgraphs", "30", "-o", str(folder / "results")]) == 0
    methods = ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3,6", "--n-splits", "4"]
    assert main(["evaluate", data, *methods, "-o", str(folder / "evaluation")]) == 0
    return folder


@pytest.fixture(scope="session")
def page(mined):
    """The report on both."""
    folder, evaluation = str(mined / "results"), str(mined / "evaluation")
    assert main(["report", folder, "--evaluation", evaluation, "-o", str(mined / "page.html")]) == 0
    return mined / "page.html"


@pytest.fixture(scope="session")
def tested_page(mined):
    """The report on subgraphs and a test."""
    asked = ["--max-edges", "3", "--blocks", "site", "-o", str(mined / "test")]
    assert main(["test", str(mined / "cohort.npz"), *asked]) == 0
    folder, test = str(mined / "results"), str(mined / "test")
    assert main(["report", folder, "--test", test, "-o", str(mined / "tested.html")]) == 0
    return mined / "tested.html"


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Pages of designs with their results, each written once."""
    folder, written = tmp_path_factory.mktemp("designs"), {}

    def page_of(name):
        if name not in written:
            design = designs.DESIGNS[name]()
            written[name] = design, designs.write(name, folder, design)
        return written[name]

    return page_of


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    """The page of an evaluation of a phenotype."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0.1, 1.0, (60, 6))
    graphs, age = UncertainGraphs(X), 20 + 12 * X[:, 0] * X[:, 1] + rng.normal(size=60)
    result = evaluate(graphs, age, ["cpm", "all-edges"], n_subgraphs=[3], cv=RepeatedFolds(3, n_repeats=1))
    return write_report(result, graphs, age, output=tmp_path_factory.mktemp("judged") / "page.html")
