"""`dugraph replicate` and `dugraph test --holdout`: tables, folders, and errors in the words of the shell."""

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main


def save(path, seed, n=60, classes=("control", "patient"), labels="ABCDEF", **people):
    random = np.random.default_rng(seed)
    X, ill = random.random((n, 15)), np.arange(n) % 2
    X[:, :3] = np.where(ill[:, None] == 1, 1 - X[:, :3] * 0.4, X[:, :3] * 0.6)
    people = {
        "age": np.arange(n) % 13 + X[:, 0],
        "site": np.array(["Oslo", "Lyon"])[np.arange(n) // 2 % 2],
        **people,
    }
    graphs = dg.UncertainGraphs(X, node_labels=list(labels), participants=people)
    dg.save_cohort(path, graphs, np.array(classes)[ill])
    return str(path)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a test whose cohort is gone."""
    place = tmp_path_factory.mktemp("first")
    assert main(["test", save(place / "cohort.npz", 0), "-o", str(place / "test")]) == 0
    (place / "cohort.npz").unlink()
    return str(place / "test")


def test_table_claim_and_files(first, tmp_path, capsys):
    second = save(tmp_path / "second.npz", 1)
    out = str(tmp_path / "out")
    asked = ["--blocks", "site", "--covariates", "age", "--n-permutations", "199", "--report", "-o", out]
    assert main(["replicate", first, second, *asked]) == 0
    shown = capsys.readouterr()
    record = dg.load_result(out)
    result = record.result
    assert record.first.file == "cohort.npz"
    assert record.first.n_graphs == 60
    graphs, y = dg.load_cohort(second)
    ours = dg.replicate(result.discovery, graphs, y, blocks="site", covariates="age", n_permutations=199)
    assert ours.p_values.tolist() == result.p_values.tolist()
    assert f"{int(ours.replicated.sum())} of {len(ours)} subgraphs are confirmed at 0.05" in shown.out
    assert "effect: patient against control" in shown.out
    assert shown.out.rstrip().endswith(ours.message)
    assert f"{ours.effects[0]:+.3g}" in shown.out
    assert ours.names[0][1:-1] in shown.out
    assert f"written: {out}/blocks.csv" in shown.err
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Confirmation in other subjects" in page
    assert "Lyon (n = 30)" in page
    assert "which findings were confirmed in other subjects" in page  # and no advice to replicate
    assert "Only other cohorts can show" not in page
    # A page can be made again from the folder.
    assert main(["report", out, "-o", str(tmp_path / "page.html")]) == 0


def test_blocks_and_covariates_are_those_of_the_test(tmp_path, capsys):
    path, place = save(tmp_path / "first.npz", 0), str(tmp_path / "first")
    asked = ["--blocks", "site", "--covariates", "age"]
    assert main(["test", path, *asked, "--n-permutations", "199", "-o", place]) == 0
    second = save(tmp_path / "second.npz", 1)
    results = {}
    none, others = ["--blocks", "none", "--covariates", "none"], ["--blocks", "site", "--covariates", "none"]
    for name, flags in {"default": [], "asked": asked, "none": none, "others": others}.items():
        out = str(tmp_path / name)
        capsys.readouterr()
        assert main(["replicate", place, second, *flags, "--n-permutations", "199", "-o", out]) == 0
        results[name] = dg.load_result(out).result, capsys.readouterr().err
    (default, said), (explicit, _), (without, silent), (others, _) = results.values()
    assert "dugraph: blocks taken from the test: site (--blocks none turns them off).\n" in said
    assert "covariates taken from the test: age" in said
    assert "as in the test" not in silent
    tried = [one.effect_intervals.tolist() for one in (default, explicit, without)]
    assert tried[0] == tried[1] != tried[2]
    assert (without.parameters["blocks"], without.parameters["covariates"]) == (None, None)
    assert (others.parameters["blocks"], others.parameters["covariates"]) == (["site"], None)
    graphs, y = dg.load_cohort(second)
    fewer = {"age": graphs.participants["age"]}
    bare = dg.UncertainGraphs(graphs.edge_probability, node_labels=graphs.node_labels, participants=fewer)
    dg.save_cohort(tmp_path / "bare.npz", bare, y)
    assert main(["replicate", place, str(tmp_path / "bare.npz")]) == 0
    assert "has no column site: replicating without blocks.\n" in capsys.readouterr().err


def test_the_positive_class_is_that_of_the_first_cohort(first, tmp_path):
    # In sorted order the positive class would be the other one here.
    place = tmp_path / "flipped"
    path = save(tmp_path / "first.npz", 0)
    assert main(["test", path, "--pos-label", "control", "-o", str(place)]) == 0
    second = save(tmp_path / "second.npz", 1)
    plain, flipped = tmp_path / "plain", tmp_path / "out"
    assert main(["replicate", first, second, "-o", str(plain)]) == 0
    assert main(["replicate", str(place), second, "-o", str(flipped)]) == 0
    ours, theirs = dg.load_result(plain), dg.load_result(flipped)
    assert theirs.cohort.names == ("control", "patient")
    assert theirs.result.effects.tolist() == pytest.approx((-ours.result.effects).tolist())
    assert theirs.result.p_values.tolist() == ours.result.p_values.tolist()


def test_some_participants_of_the_second_cohort(first, tmp_path):
    second = save(tmp_path / "second.npz", 1)
    out = tmp_path / "out"
    assert main(["replicate", first, second, "--where", "site == 'Oslo'", "-o", str(out)]) == 0
    record = dg.load_result(out)
    graphs, y = dg.load_cohort(second)
    rows = np.flatnonzero(graphs.participants["site"] == "Oslo")
    assert record.source.graphs == tuple(rows.tolist())
    ours = dg.replicate(record.result.discovery, graphs[rows], y[rows])
    assert ours.effects.tolist() == record.result.effects.tolist()


def test_a_second_cohort_with_graphs_of_the_first_is_pointed_out(tmp_path, capsys):
    cohort, test = save(tmp_path / "cohort.npz", 0), str(tmp_path / "test")
    assert main(["test", cohort, "--where", "site == 'Oslo'", "--alpha", "0.5", "-o", test]) == 0
    for site, shared in ((None, True), ("Oslo", True), ("Lyon", False)):
        where = ["--where", f"site == '{site}'"] if site else []
        capsys.readouterr()
        assert main(["replicate", test, cohort, *where]) == 0
        assert ("has graphs in which the subgraphs were found" in capsys.readouterr().err) == shared


def test_a_phenotype_has_the_name_that_it_had_in_the_first_cohort(tmp_path, refused):
    folders = {}
    for name, column in (("first", "dose"), ("second", "dose"), ("other", "intake")):
        x = np.linspace(0.1, 0.9, 40)
        graphs = dg.UncertainGraphs(np.column_stack([x, x, 0 * x + 0.5]), participants={column: 10 * x})
        dg.save_cohort(tmp_path / f"{name}.npz", graphs)
        folders[name] = str(tmp_path / f"{name}.npz")
    test = str(tmp_path / "test")
    assert main(["test", folders["first"], "--phenotype", "dose", "-o", test]) == 0
    assert main(["replicate", test, folders["second"], "-o", str(tmp_path / "out")]) == 0
    record = dg.load_result(tmp_path / "out")
    assert record.phenotype == "dose"
    assert record.result.replicated.all()
    error = refused("replicate", test, folders["other"])
    assert "dose" in error
    assert main(["replicate", test, folders["other"], "--phenotype", "intake"]) == 0


@pytest.mark.parametrize("holdout", ["0.4", "site == 'Oslo'"])
def test_two_parts_of_one_cohort_in_one_command(holdout, tmp_path, capsys):
    data = save(tmp_path / "cohort.npz", 2, n=100)
    out = tmp_path / "out"
    assert main(["test", data, "--holdout", holdout, "--covariates", "age", "--report", "-o", str(out)]) == 0
    shown = capsys.readouterr()
    graphs, y = dg.load_cohort(data)
    share = float(holdout) if holdout == "0.4" else holdout
    ours = dg.find_and_replicate(graphs, y, holdout=share, covariates="age")
    first, second = dg.load_result(out), dg.load_result(out / "replication")
    assert first.result.p_values.tolist() == ours.discovery.p_values.tolist()
    assert second.result.p_values.tolist() == ours.p_values.tolist()
    assert second.result.holdout.tolist() == ours.holdout.tolist()
    assert len(first.cohort) + len(second.cohort) == 100
    assert ours.discovery.message in shown.out
    assert ours.message in shown.out
    # One text describes both parts.
    text = dg.paper_text(ours, graphs, y)
    assert tuple(text[:2]) == tuple((out / name).read_text("utf-8") for name in ("methods.md", "results.md"))
    assert dg.paper_text(out) == text
    assert not (out / "replication" / "methods.md").exists()
    page = (out / "report.html").read_text()
    assert "Confirmation in other subjects" in page
    assert f"<td><bdi>cohort.npz, {len(second.cohort)} graphs</bdi></td>" in page
