"""`dugraph plan` and `dugraph test --plan`: what is fixed, and how each deviation is refused."""

import datetime
import tomllib

import msgspec
import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli import test as test_module
from dugraph.results.plan import graphs_digest, read_plan
from dugraph.settings import TestSettings

N = 40
SHORT = ["--n-permutations", "99", "--size-classes", "2"]


@pytest.fixture(autouse=True)
def date(monkeypatch):
    monkeypatch.setattr(test_module, "today", lambda: datetime.date(2026, 3, 1))


def make_graphs(seed=0, age=0):
    random = np.random.default_rng(seed)
    X, ill = random.random((N, 10)), np.arange(N) % 2
    X[:, :2] = np.where(ill[:, None] == 1, 1 - X[:, :2] * 0.3, X[:, :2] * 0.3)
    people = {
        "age": np.arange(N) % 13 + X[:, 0] + age,
        "site": np.array(["Oslo", "Lyon"])[np.arange(N) // 2 % 2],
        "a site": np.array(["x", "y"])[np.arange(N) // 4 % 2],
    }
    return dg.UncertainGraphs(X, participants=people), np.array(["control", "patient"])[ill]


@pytest.fixture
def data(tmp_path):
    dg.save_cohort(tmp_path / "cohort.npz", *make_graphs())
    return str(tmp_path / "cohort.npz")


@pytest.fixture
def planned(data, tmp_path, capsys):
    path = str(tmp_path / "plan.toml")
    assert main(["plan", data, "--blocks", "site", "--covariates", "age", *SHORT, "-o", path]) == 0
    capsys.readouterr()
    return path


def test_the_table_of_settings_reads_as_text(data, tmp_path, capsys):
    path = str(tmp_path / "plan.toml")
    assert main(["plan", data, "--step-down", *SHORT, "-o", path]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["step_down", "yes"] in rows
    assert ["blocks", "none"] in rows


def test_a_plan_carried_out_says_when_it_was_made(data, planned, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["test", data, "--plan", planned, "--report", "-o", str(out)]) == 0
    sentence = read_plan(planned).sentence
    assert sentence.startswith("Graphs, settings and columns are as planned on 2026-03-01 (checksum of the")
    assert capsys.readouterr().out.rstrip().endswith(sentence)
    record = dg.load_result(out)
    assert record.result.message.endswith(sentence)
    assert (record.plan.date, record.plan.checksum) == ("2026-03-01", read_plan(planned).checksum)
    assert "as planned on 2026-03-01" in (out / "report.html").read_text()
    plain = tmp_path / "plain"
    asked = ["--blocks", "site", "--covariates", "age", *SHORT, "-o", str(plain)]
    assert main(["test", data, *asked]) == 0
    assert dg.load_result(plain).plan is None
    for name in ("results.csv", "null_maxima.csv", "config.toml"):
        assert (plain / name).read_bytes() == (out / name).read_bytes()
    again = dg.save_result(record, tmp_path / "again")
    assert again.files[0].read_bytes() == (out / "results.json").read_bytes()


def test_labels_are_not_used(data, planned, tmp_path):
    graphs, y = make_graphs()
    place = tmp_path / "unlabelled"
    place.mkdir()
    for name, labels in (("none", None), ("other", np.roll(y, 1))):
        dg.save_cohort(place / "cohort.npz", graphs, labels)
        path = place / f"{name}.toml"
        words = ["plan", str(place / "cohort.npz"), "--blocks", "site", "--covariates", "age", *SHORT]
        assert main([*words, "-o", str(path)]) == 0
        with open(planned, "rb") as first:
            assert path.read_bytes() == first.read()


def test_other_graphs_and_columns_are_named(data, planned, shell):
    age = "  age: other values in this column of the participants"
    graphs = "  graphs: not those of cohort.npz with 40 graphs"
    for change, deviations in (({"seed": 1}, [graphs, age]), ({"age": 1}, [age])):
        dg.save_cohort(data, *make_graphs(**change))
        assert shell("test", data, "--plan", planned, code=1).err.splitlines()[1:] == deviations


def test_a_plan_agrees_with_config_and_flags_that_say_the_same(data, planned, tmp_path, capsys, shell):
    config = tmp_path / "config.toml"
    config.write_text(f'plan = "{planned}"\nalpha = 0.05\n')
    same = ["--config", str(config), "--blocks", "site", "--n-jobs", "2"]
    assert main(["test", data, *same]) == 0
    assert "as planned on" in capsys.readouterr().out
    config.write_text(f'plan = "{planned}"\nalpha = 0.01\n')
    assert "alpha: planned 0.05, now 0.01" in shell("test", data, *same, code=1).err
    # A flag corrects the file.
    assert main(["test", data, *same, "--alpha", "0.05"]) == 0


def test_every_option_of_a_test_is_fixed_or_does_not_change_the_result(data, tmp_path):
    free = {name for name in TestSettings.options() if name not in TestSettings.planned()}
    assert free == {
        *("data", "plan", "config", "output", "report", "progress"),
        *("n_jobs", "time_limit", "dask", "checkpoint", "shard"),
    }
    path = tmp_path / "plan.toml"
    assert main(["plan", data, "-o", str(path)]) == 0
    assert tomllib.loads(path.read_text())["settings"].keys() <= set(TestSettings.planned())


def test_a_plan_for_two_parts(data, tmp_path, shell):
    path, out = str(tmp_path / "plan.toml"), tmp_path / "out"
    assert main(["plan", data, "--holdout", "site == 'Oslo'", *SHORT, "-o", path]) == 0
    assert main(["test", data, "--plan", path, "-o", str(out)]) == 0
    assert "as planned on 2026-03-01" in dg.load_result(out).result.message
    assert len(dg.load_result(out / "replication").cohort) == N // 2
    said = shell("test", data, "--plan", path, "--holdout", "0.5", code=1).err
    assert "holdout: planned site == 'Oslo', now 0.5" in said


def test_the_expected_power_is_that_of_power_analysis(data, tmp_path, capsys):
    path = tmp_path / "plan.toml"
    words = ["--n-edges", "1", "--frequencies", "0.8,0.3", "--alpha", "0.1", "-o", str(path)]
    assert main(["plan", data, *words]) == 0
    shown = capsys.readouterr().out
    graphs, _ = make_graphs()
    expected = dg.power_analysis(graphs, n_edges=1, frequencies=(0.8, 0.3), n_graphs=[N], alpha=0.1)
    power = tomllib.loads(path.read_text())["power"]
    assert power["power"] == round(expected.power[0], 4)
    assert f"Expected power: {expected.power[0]:.2f} for a subgraph of 1 edge" in shown


def test_other_versions_are_mentioned(data, planned, tmp_path, capsys):
    old = read_plan(planned)
    versions = {**old.versions, "numpy": "1.0"}
    other = msgspec.structs.replace(old, versions=versions)
    path = tmp_path / "other.toml"
    path.write_bytes(other.to_toml())
    assert main(["test", data, "--plan", str(path)]) == 0
    error = capsys.readouterr().err
    assert f"dugraph: planned with numpy 1.0, tested with {np.__version__}\n" in error


def test_a_hash_of_graphs_changes_with_each_of_their_parts():
    X = np.random.default_rng(0).random((3, 3))

    def digest(X=X, edges=None, labels="abc", ids="xyz", **more):
        return graphs_digest(dg.UncertainGraphs(X, edges, list(labels), graph_ids=list(ids), **more))

    turned, pairs = [(1, 0), (2, 1), (2, 0)], [(1, 0), (2, 0), (2, 1)]
    layered = digest(edges=pairs, edge_layers=["p", "p", "n"])
    others = [digest(X[::-1]), digest(labels="abd"), digest(ids="xyw"), digest(edges=turned), layered]
    assert len({digest(), *others}) == 1 + len(others)
    assert digest(participants={"age": [1, 2, 3]}) == digest()


def test_a_limit_is_suggested_before_a_test_that_would_leave_out_most_pairs(tmp_path, capsys):
    rare = np.random.default_rng(0).uniform(0.2, 0.3, (N, 45))  # pairs of edges are in about 6 % of graphs
    data = str(tmp_path / "rare.npz")
    dg.save_cohort(data, dg.UncertainGraphs(rare), np.arange(N) % 2)
    sentence = (
        "suggested for tests and mining: --min-expected-frequency 0.05, the largest of 0.2, 0.1 and 0.05 "
        "with at least 100 pairs of edges"
    )
    assert main(["plan", data, "-o", str(tmp_path / "plan.toml")]) == 0
    assert sentence in capsys.readouterr().out
    assert main(["test", data, "--max-edges", "2", "--n-permutations", "99"]) == 0
    assert capsys.readouterr().err == f"dugraph: {sentence}; this test uses 0.1\n"
    for flags in (["--min-expected-frequency", "0.15"], ["--plan", str(tmp_path / "plan.toml")]):
        assert main(["test", data, *flags]) == 0
        assert "suggested" not in capsys.readouterr().err
    for flag in ("--blocks", "--covariates"):  # a mistake is refused first
        assert main(["test", data, flag, "nosuch"]) == 1
        assert "suggested" not in capsys.readouterr().err
