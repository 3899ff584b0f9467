"""Ids of participants: not on the page nor in files to send, unless they are asked for."""

import re

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main

IDS = [f"sub-secret{i:02d}" for i in range(40)]
OUTSIDE = ["sub-gone1", "sub-gone2", "sub-gone3"]
PERSONAL = ("features.csv", "forecasts.csv")
"""Files with a row for each participant: they are for own analyses."""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A cohort whose provenance names participants, and folders of each command with pages."""
    home = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(0)
    y = np.repeat(["control", "patient"], 20)
    X = rng.uniform(0.2, 0.7, (40, 15))
    X[20:, :2] += 0.25
    provenance = {
        "left_out": {"rows without a file": OUTSIDE[:2], "not selected by where": OUTSIDE[2:]},
        "format_reason": "43 files such as sub-gone1_conn.csv",
        "read": f"{IDS[5]}_conn.csv",
        "repaired": f"one value of {IDS[3]} was missing",
    }
    table = {"site": np.array(["a", "b"] * 20), "age": np.arange(40), "score": rng.normal(size=40)}
    graphs = dg.UncertainGraphs(X, graph_ids=IDS, participants=table, provenance=provenance)
    data = str(home / "cohort.npz")
    dg.save_cohort(data, graphs, y)
    few = ["--n-permutations", "99", "--max-edges", "2"]
    runs = {
        "mined": ["mine", data, "--n-subgraphs", "5"],
        "tested": ["test", data, *few, "--blocks", "site"],
        "scored": ["test", data, *few, "--phenotype", "score", "--covariates", "age"],
        "fitted": ["sparse", data, "--n-nonzero", "2", "--n-alphas", "4"],
        "judged": ["evaluate", data, "--methods", "all-edges", "--phenotype", "score", "--n-folds", "3"],
    }
    for name, command in runs.items():
        report = [] if name == "judged" else ["--report"]
        assert main([*command, *report, "-o", str(home / name)]) == 0
    assert main(["report", str(home / "judged")]) == 0
    return home


@pytest.mark.parametrize("name", ["mined", "tested", "scored", "fitted", "judged"])
def test_no_file_to_send_names_a_participant(study, name):
    files = [path for path in (study / name).iterdir() if path.is_file() and path.name not in PERSONAL]
    assert "report.html" in {path.name for path in files}
    for path in files:
        found = re.search(rb"sub-(secret|gone)\w*", path.read_bytes())
        assert found is None, (path.name, found)


def test_left_out_participants_are_counted(study):
    page = (study / "tested" / "report.html").read_text()
    assert "rows without a file: 2; not selected by where: 1" in page
    assert "one value of participant 4 was missing" in page
    assert "No participant ids are on this page" in page
    assert "without participant ids" in page


def test_ids_are_shown_if_asked_for(study, tmp_path):
    assert main(["report", str(study / "tested"), "--with-ids", "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    assert all(name in page for name in (*IDS, *OUTSIDE))
    assert "This page shows participant ids." in page
    assert "No participant ids" not in page
    record = dg.load_result(study / "tested")
    with pytest.raises(dg.InputError, match="Pass True to show the ids of participants, else False"):
        dg.write_report(record.result, record.cohort, with_ids="no", output=tmp_path / "again.html")
    dg.write_report(record.result, record.cohort, with_ids=True, output=tmp_path / "again.html")
    assert IDS[0] in (tmp_path / "again.html").read_text()


def test_numbers_that_are_ids_are_not_replaced_in_numbers(tmp_path):
    rng = np.random.default_rng(0)
    graphs = dg.UncertainGraphs(
        rng.uniform(0.2, 0.8, (20, 6)), graph_ids=[str(i) for i in range(20)], provenance={"kept": "12 of 19"}
    )
    result = dg.mine_subgraphs(graphs, np.arange(20) % 2, n_subgraphs=2)
    page = dg.write_report(result, graphs, np.arange(20) % 2, output=tmp_path / "page.html").read_text()
    assert "12 of 19" in page
