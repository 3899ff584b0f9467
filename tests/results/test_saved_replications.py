"""A replication in a folder: it comes back as it was, without the graphs of the first cohort."""

import csv
import dataclasses
import json
import tomllib

import numpy as np
import pytest

import dugraph as dg
from dugraph.results.load import load_discovery

FIELDS = [f.name for f in dataclasses.fields(dg.ReplicationResult) if f.name not in ("seconds", "discovery")]
FIRST_FIELDS = [
    f.name for f in dataclasses.fields(dg.SignificanceResult) if f.name not in ("seconds", "naming")
]


def make_cohort(seed, n=60, columns=None):
    """Edges 0 to 2 are more probable in patients; the columns can be in another order."""
    random = np.random.default_rng(seed)
    X, y = random.random((n, 15)), np.array(["control", "patient"])[np.arange(n) % 2]
    X[:, :3] = np.where(y[:, None] == "patient", 1 - X[:, :3] * 0.4, X[:, :3] * 0.6)
    people = {"age": np.arange(n) % 13 + X[:, 0], "site": np.array(["=a", "b"])[np.arange(n) // 2 % 2]}
    graphs = dg.UncertainGraphs(
        X, node_labels=list("ABCDEF"), participants=people, node_coordinates=np.arange(18.0).reshape(6, 3)
    )
    if columns is not None:
        graphs = dg.UncertainGraphs(
            X[:, columns], graphs.edges[columns], node_labels=list("ABCDEF"), participants=people
        )
    return dg.LabelledGraphs(graphs, y)


@pytest.fixture(scope="module")
def first():
    return dg.significant_subgraphs(make_cohort(0))


SECOND = {
    "plain": {},
    "design": {"blocks": "site", "covariates": "age", "statistic": "z", "alpha": 0.01},
    "all": {"subgraphs": "all", "n_permutations": 199, "random_state": 3},
}


def same(mine, other, names):
    for name in names:
        a, b = getattr(mine, name), getattr(other, name)
        if isinstance(a, np.ndarray):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), name
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), name
        else:
            assert a == b, name
            assert type(a) is type(b), name


@pytest.mark.parametrize("asked", SECOND)
def test_a_replication_comes_back_as_it_was(asked, first, tmp_path):
    cohort = make_cohort(1, columns=np.random.default_rng(3).permutation(15))
    result = dg.replicate(first, cohort, **SECOND[asked])
    saved = dg.save_result(result, tmp_path / "first", cohort)
    record = dg.load_result(tmp_path / "first")
    assert record.command == "replicate"
    same(result, record.result, FIELDS)
    same(result.discovery, record.result.discovery, FIRST_FIELDS)
    again = dg.save_result(record.result, tmp_path / "again", record.cohort)
    assert [file.name for file in again.files] == [file.name for file in saved.files]
    for file in again.files:
        assert file.read_bytes() == (tmp_path / "first" / file.name).read_bytes(), file.name


def test_the_tables(first, tmp_path):
    cohort = make_cohort(1, columns=np.random.default_rng(3).permutation(15))
    result = dg.replicate(first, cohort, blocks="site")
    files = {file.name: file for file in dg.save_result(result, tmp_path, cohort).files}
    with open(files["results.csv"], newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["subgraph"] for row in rows] == result.names
    assert [float(row["effect"]) for row in rows] == result.effects.tolist()
    assert [float(row["first_effect"]) for row in rows] == result.first_effects.tolist()
    assert [first.subgraphs[int(row["first_rank"]) - 1] for row in rows] == result.subgraphs
    with open(files["blocks.csv"], newline="") as opened:
        rows = list(csv.DictReader(opened))
    # In braces no spreadsheet takes the name for a formula.
    assert [row["block"] for row in rows[:2]] == ["{=a}", "b"]
    assert [float(row["effect"]) for row in rows] == result.block_effects.ravel().tolist()
    assert tomllib.loads(files["config.toml"].read_text())["blocks"] == "site"
    record = json.loads(files["results.json"].read_text())
    nodes = [edge["node_labels"] for edge in record["subgraphs"][0]["edges"]]
    assert nodes == [first.naming.edge_ends(edge)[1] for edge in result.subgraphs[0]]


def test_two_parts_of_a_cohort_come_back_as_two_folders(tmp_path):
    cohort = make_cohort(2, n=100)
    result = dg.find_and_replicate(cohort, holdout=0.4)
    dg.save_result(result, tmp_path, cohort)
    record = dg.load_result(tmp_path)
    assert record.cohort.graphs == cohort.graphs[result.holdout]
    assert len(record.source.whole) == 100
    # Without the first part, the folder does not say which other graphs there were.
    assert record.result.holdout is None
    same(result, record.result, [name for name in FIELDS if name != "holdout"])


def test_a_part_without_findings_is_saved_too(tmp_path):
    random = np.random.default_rng(0)
    cohort = dg.LabelledGraphs(dg.UncertainGraphs(random.random((40, 6))), np.arange(40) % 2)
    result = dg.find_and_replicate(cohort)
    assert len(result) == 0
    saved = dg.save_result(result, tmp_path, cohort)
    assert "nothing was confirmed" in saved.left_out[0]
    assert dg.load_result(tmp_path).result.message == result.message


def test_the_first_cohort_is_not_needed(first, tmp_path):
    dg.save_result(first, tmp_path / "test", make_cohort(0))
    (tmp_path / "test" / "cohort.npz").unlink()
    found = load_discovery(tmp_path / "test")
    same(first, found.result, FIRST_FIELDS)
    cohort = make_cohort(1, columns=np.random.default_rng(3).permutation(15))
    ours, theirs = dg.replicate(first, cohort), dg.replicate(found.result, cohort)
    same(ours, theirs, FIELDS)


def test_folders_that_are_no_test_are_refused(tmp_path):
    with pytest.raises(dg.InputError, match=r"but this is not one\. Check the path\.$"):
        load_discovery(tmp_path / "absent")
    cohort = make_cohort(1)
    dg.save_result(dg.mine_subgraphs(cohort, n_subgraphs=2), tmp_path / "mine", cohort)
    dg.save_result(dg.significant_subgraphs(cohort), tmp_path / "mine" / "test", cohort)
    with pytest.raises(dg.InputError, match=r"Its folder test is: name .*mine/test\.$"):
        load_discovery(tmp_path / "mine")
    with pytest.raises(dg.InputError, match=r"It is a file: name the folder of the result first, then the"):
        load_discovery(tmp_path / "mine" / "results.json")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda r: r["subgraphs"][0].update(first_rank=9999), "a first_rank is beyond the"),
        (lambda r: r["blocks"][0]["effects"].pop(), "a block must have an effect for each subgraph"),
        (
            lambda r: r["discovery"]["parameters"].update(alpha=2),
            "discovery.parameters.alpha must be",
        ),
        (
            lambda r: r["discovery"]["subgraphs"][0]["edges"][0].pop("nodes"),
            "an edge must have two nodes with their labels",
        ),
        (lambda r: r["input"].update(graphs=[0, 99]), "input.graphs must be some of the 60 graphs"),
    ],
)
def test_damaged_folders_are_refused(damage, message, first, tmp_path):
    cohort = make_cohort(1)
    dg.save_result(dg.replicate(first, cohort, blocks="site"), tmp_path, cohort)
    record = json.loads((tmp_path / "results.json").read_text())
    damage(record)
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(dg.InputError, match=message):
        dg.load_result(tmp_path)
