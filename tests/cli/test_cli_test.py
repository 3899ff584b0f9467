"""`dugraph test`: tables, files, and errors in the words of the command line."""

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main

TABLE = {
    "age": [20.0 + i % 7 for i in range(20)],
    "site": ["a", "b", "b", "a", "a"] * 4,
    "arm": list("xyzzy") * 4,
    "holed": [*["m"] * 19, ""],
}


@pytest.fixture
def data(make_cohort):
    return make_cohort(participants=TABLE)


def test_tables_claim_and_files(data, tmp_path, capsys):
    assert main(["test", data, "--n-permutations", "199", "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    graphs, y = dg.load_cohort(data)
    result = dg.significant_subgraphs(graphs, y, n_permutations=199)
    assert f"{len(result)} of {result.n_admitted.sum()} subgraphs are significant at 0.05" in shown.out
    assert "effect: patient against control" in shown.out
    rows = [line for line in shown.out.splitlines() if line.strip()[:1].isdigit()]
    assert result.names[0][1:-1] in shown.out
    assert rows[1].split()[1] == f"{result.p_values[0]:.3g}"
    assert rows[1].split()[2] == f"{result.statistics[0]:.4g}"
    assert rows[1].split()[3] == f"{result.effects[0]:+.3g}"
    assert shown.out.rstrip().endswith(result.message)
    assert "4 or more edges" in shown.out
    for size_class, value in enumerate(result.critical_values):
        assert f"{value:.4g}" in shown.out, size_class
    assert f"written: {tmp_path / 'out' / 'null_maxima.csv'}" in shown.err
    saved = dg.load_result(tmp_path / "out")
    assert saved.result.subgraphs == result.subgraphs
    assert saved.result.null_maxima.tolist() == result.null_maxima.tolist()


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (["a", "b", "b", "a", "a"] * 4, "2 of 2 blocks informative, "),
        (
            ["c", "b", "b", "a", "a"] + ["a", "b", "b", "a", "a"] * 3,
            "2 of 3 blocks informative (permutations leave the others unchanged), ",
        ),
    ],
)
def test_blocks_without_information_are_counted(make_cohort, capsys, site, said):
    data = make_cohort(participants={"site": site})
    assert main(["test", data, "--blocks", "site", "--n-permutations", "99", "--max-edges", "1"]) == 0
    assert said in capsys.readouterr().out
    assert main(["test", data, "--n-permutations", "99", "--max-edges", "1"]) == 0
    assert "blocks informative" not in capsys.readouterr().out


def test_a_design_is_recorded(data, tmp_path, shell):
    flags = "--blocks site,arm --covariates age --statistic difference --step-down --alternative less"
    flags += " --n-permutations 99 --size-classes 2 --random-state 5 --pos-label control"
    shown = shell("test", data, *flags.split(), "-o", tmp_path / "out")
    asked = dg.load_result(tmp_path / "out").result.parameters
    assert (asked["blocks"], asked["covariates"]) == (["site", "arm"], ["age"])
    assert asked["step_down"]
    assert "control against patient" in shown.out


def test_a_phenotype_and_groups(data, make_cohort, tmp_path, capsys):
    for column in ("age", "arm"):
        asked = ["--phenotype", column, "--n-permutations", "99"]
        assert main(["test", data, *asked, "-o", str(tmp_path / column)]) == 0
        record = dg.load_result(tmp_path / column)
        assert record.phenotype == column
        assert record.cohort.names == ("patient", "control")
    assert record.result.parameters["labels"] == "groups"
    unlabelled = make_cohort("unlabelled.npz", labels=False, participants=TABLE)
    capsys.readouterr()
    assert main(["test", unlabelled, "--phenotype", "age", "--n-permutations", "99"]) == 0
    assert "subgraphs" in capsys.readouterr().out
    assert main(["test", unlabelled, "--phenotype", "age", "-o", str(tmp_path / "alone")]) == 0
    record = dg.load_result(tmp_path / "alone")
    assert (record.phenotype, record.cohort.kind) == ("age", "phenotype")


def test_the_slope_is_named_by_the_name_of_the_column(tmp_path, capsys):
    x = np.linspace(0.1, 0.9, 40)
    graphs = dg.UncertainGraphs(np.column_stack([x, x, 0 * x + 0.5]), participants={"dose": 10 * x})
    dg.save_cohort(tmp_path / "cohort.npz", graphs, np.arange(40) % 2)
    folder = tmp_path / "out"
    assert main(["test", str(tmp_path / "cohort.npz"), "--phenotype", "dose", "-o", str(folder)]) == 0
    assert "effect: per unit of dose" in capsys.readouterr().out
    result = dg.load_result(folder).result
    assert set(result.contrasts) == {"per unit of dose"}
    single = result.effects[result.sizes == 1]
    assert len(single) == 2
    np.testing.assert_allclose(single, 0.1)


def test_nothing_significant_is_an_answer(make_cohort, tmp_path, capsys):
    rng = np.random.default_rng(1)
    dg.save_cohort(tmp_path / "null.npz", dg.UncertainGraphs(rng.random((20, 6))), np.arange(20) % 2)
    assert main(["test", str(tmp_path / "null.npz"), "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    assert "0 of " in shown.out
    assert "None of " in shown.out
    assert "results.graphml and BrainNet Viewer files not written: there is no subgraph." in shown.err


def test_two_numbers_of_a_column_do_not_get_the_names_of_the_classes(tmp_path, capsys):
    """The classes 1 and 0 of the file are patients and controls; those of the column are smokers or not."""
    rng = np.random.default_rng(0)
    smoker = np.arange(40) // 20
    X = rng.uniform(0.2, 0.6, (40, 3))
    X[smoker == 1, 0] = 0.95
    graphs = dg.UncertainGraphs(
        X, participants={"smoker": smoker}, provenance={"positive": "patient", "negative": "control"}
    )
    dg.save_cohort(tmp_path / "cohort.npz", graphs, np.arange(40) % 2)
    asked = ["--phenotype", "smoker", "--n-permutations", "99", "--report", "-o", str(tmp_path / "out")]
    assert main(["test", str(tmp_path / "cohort.npz"), *asked]) == 0
    assert "effect: 1 against 0" in capsys.readouterr().out
    record = dg.load_result(tmp_path / "out")
    assert set(record.result.contrasts) == {"1 against 0"}
    assert record.result.effects[0] > 0
    assert "more frequent in 1" in (tmp_path / "out" / "report.html").read_text()
