"""A test or a replication in a folder: it comes back as it was, or is refused."""

import csv
import dataclasses
import json
import tomllib

import networkx
import numpy as np
import pytest

import dugraph as dg
from dugraph.results.load import load_discovery
from dugraph.results.schema import read_results

FIELDS = [field.name for field in dataclasses.fields(dg.SignificanceResult) if field.name != "seconds"]


def make_cohort(pos_label=None, **more):
    rng = np.random.default_rng(0)
    y = np.array(["control", "patient"])[np.arange(20) % 2]
    X = rng.uniform(0.2, 0.6, (20, 10))
    X[:, :2] = np.where(y[:, None] == "patient", 0.95, 0.3)
    more = {"node_labels": list("ABCDE"), "node_coordinates": np.arange(15.0).reshape(5, 3), **more}
    table = {
        "age": np.arange(20.0) + X[:, 0],
        "site": ["a", "b", "b", "a", "a"] * 4,
        "arm": list("xyzzy") * 4,
    }
    return dg.LabelledGraphs(dg.UncertainGraphs(X, participants=table, **more), y, pos_label)


@pytest.fixture(scope="module")
def cohort():
    return make_cohort()


ASKED = {
    "plain": {},
    "blocks": {"blocks": ["site"], "covariates": "age", "statistic": "t"},
    # No subgraph of three edges or more is that frequent, so classes without subgraphs have no numbers.
    "empty classes": {"min_expected_frequency": 0.35},
    "steps": {"step_down": True, "size_classes": 2, "max_edges": 3, "alternative": "greater"},
    "nothing": {"alpha": 0.0041, "min_expected_frequency": 0.3, "blocks": np.arange(20) // 2},
}


def same(ours, theirs, names=FIELDS):
    for name in names:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert type(mine) is type(other), name
        if isinstance(mine, np.ndarray):
            assert (mine.dtype, mine.shape) == (other.dtype, other.shape), name
            assert np.array_equal(mine, other, equal_nan=mine.dtype.kind == "f"), name
        else:
            assert mine == other, name
    return True


@pytest.mark.parametrize("asked", ASKED)
def test_a_test_comes_back_as_it_was(asked, cohort, tmp_path):
    result = dg.significant_subgraphs(cohort, **ASKED[asked])
    saved = dg.save_result(result, tmp_path / "first", cohort)
    assert (saved.left_out == []) == bool(len(result))
    record = dg.load_result(tmp_path / "first")
    assert record.command == "test"
    assert record.phenotype is None
    assert same(result, record.result)
    assert record.result.seconds == 0
    again = dg.save_result(record.result, tmp_path / "again", record.cohort)
    names = [file.name for file in saved.files]
    assert [file.name for file in again.files] == names
    for name in names:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_a_folder_of_an_earlier_version_is_loaded(cohort, tmp_path):
    """There permutations were called relabelings, and `p_values` was an option."""
    result = dg.significant_subgraphs(cohort)
    dg.save_result(result, tmp_path, cohort)
    record = json.loads((tmp_path / "results.json").read_text())
    record["relabelings"] = record.pop("permutations")
    record["parameters"]["p_values"] = "all"
    (tmp_path / "results.json").write_text(json.dumps(record))
    maxima = tmp_path / "null_maxima.csv"
    maxima.write_text(maxima.read_text().replace("permutation", "relabeling", 1))
    assert same(result, dg.load_result(tmp_path).result)


def test_the_record_lists_the_families_also_of_an_earlier_version(cohort, tmp_path):
    X = cohort.graphs.edge_probability.copy()
    X[:, 8:] = X[:, :2]  # a second family
    cohort = dg.LabelledGraphs(X, cohort.y)
    result = dg.significant_subgraphs(cohort)
    assert len(result.families) > 1
    dg.save_result(result, tmp_path, cohort)
    file = tmp_path / "results.json"
    older = json.loads(file.read_text())
    for one in older["subgraphs"]:
        del one["family"], one["irreducible"]
    for content in (file.read_text(), json.dumps(older)):
        file.write_text(content)
        entries = read_results(file).subgraphs
        assert [one.family for one in entries] == result.family_numbers.tolist()
        assert [one.irreducible for one in entries] == result.irreducible.tolist()
        assert [one.representative for one in entries] == result.representative.tolist()


def test_the_cases_differ_as_intended(cohort):
    results = {name: dg.significant_subgraphs(cohort, **asked) for name, asked in ASKED.items()}
    assert np.isnan(results["empty classes"].critical_values).any()
    assert len(results["nothing"]) == 0
    assert len(results["blocks"]) > 0
    assert results["blocks"].parameters["blocks"] == ["site"]
    assert results["blocks"].parameters["covariates"] == ["age"]
    assert results["nothing"].parameters["blocks"] == ["blocks"]


def test_the_files(cohort, tmp_path):
    result = dg.significant_subgraphs(cohort)
    files = {file.name: file for file in dg.save_result(result, tmp_path, cohort).files}
    assert set(files) == {
        *("results.json", "results.csv", "null_maxima.csv", "config.toml", "results.graphml"),
        *("brainnet.node", "brainnet.edge", "cohort.npz"),
        *("methods.md", "results.md", "references.bib"),
    }
    with open(files["results.csv"], newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [tuple(map(int, row["edge_index"].split())) for row in rows] == result.subgraphs
    assert [float(row["p_value"]) for row in rows] == result.p_values.tolist()
    assert [float(row["effect_lower"]) for row in rows] == result.effect_intervals[:, 0].tolist()
    assert [row["representative"] == "1" for row in rows] == result.representative.tolist()
    assert {row["contrast"] for row in rows} == {"patient against control"}
    assert rows[0]["subgraph"] == result.names[0]
    inside = cohort.graphs[cohort.positive]
    assert float(rows[0]["expected_frequency_positive"]) == dg.expected_frequency(inside, result.subgraphs[0])
    with open(files["null_maxima.csv"], newline="") as opened:
        maxima = list(csv.DictReader(opened))
    assert list(maxima[0]) == ["permutation", *result.size_classes]
    assert len(maxima) == result.n_permutations
    assert json.loads(files["results.json"].read_text())["message"] == result.message
    settings = tomllib.loads(files["config.toml"].read_text())
    assert settings["n_permutations"] == 999
    assert "blocks" not in settings
    # Only representatives are drawn, each at its rank.
    union = networkx.read_graphml(files["results.graphml"])
    drawn = {int(edge["index"]): edge for *_, edge in union.edges(data=True)}
    chosen = {edge: k for k, g in enumerate(result.subgraphs) if result.representative[k] for edge in g}
    assert {edge: int(one["ranks"]) - 1 for edge, one in drawn.items()} == chosen
    assert all(float(one["effect"]) == result.effects[chosen[edge]] for edge, one in drawn.items())


def test_the_positive_class_is_that_of_the_test(tmp_path):
    ours, other = make_cohort(), make_cohort("control")
    result = dg.significant_subgraphs(other)
    assert result.contrasts[0] == "control against patient"
    plain = dg.significant_subgraphs(ours.graphs, ours.y)
    assert plain.effects.tolist() == [-effect for effect in result.effects]
    assert plain.p_values.tolist() == result.p_values.tolist()
    dg.save_result(result, tmp_path, other)
    assert dg.load_result(tmp_path).cohort.names == ("control", "patient")
    assert tomllib.loads((tmp_path / "config.toml").read_text())["pos_label"] == "control"
    with pytest.raises(dg.InputError, match="must be that of the test, control against patient"):
        dg.save_result(result, tmp_path / "wrong", ours)


def test_a_phenotype_is_saved_with_and_without_the_classes_of_the_cohort(cohort, tmp_path):
    for column, kind in (("age", "phenotype"), ("arm", "groups")):
        y = cohort.participants[column]
        result = dg.significant_subgraphs(cohort.graphs, y, n_permutations=99)
        dg.save_result(result, tmp_path / f"{column} alone", cohort.graphs, y)
        record = dg.load_result(tmp_path / f"{column} alone")
        assert (record.phenotype, record.cohort.kind) == (None, kind)
        assert record.cohort.y.tolist() == y.tolist()
        assert same(result, record.result)
        dg.save_result(result, tmp_path / column, cohort, settings={"phenotype": column})
        record = dg.load_result(tmp_path / column)
        assert record.phenotype == column
        assert same(result, record.result)
        assert tomllib.loads((tmp_path / column / "config.toml").read_text())["phenotype"] == column


def test_more_permutations_than_a_number_of_json_can_tell(cohort, tmp_path):
    result = dg.significant_subgraphs(cohort)
    for n_distinct in (2**64 - 1, 2**64, 10**6000):
        many = dataclasses.replace(result, n_distinct_permutations=n_distinct)
        dg.save_result(many, tmp_path, cohort)
        assert dg.load_result(tmp_path).result.n_distinct_permutations == n_distinct
        assert "permutations" in repr(many)


def test_another_cohort_is_refused(cohort, tmp_path):
    result = dg.significant_subgraphs(cohort)
    few = dg.UncertainGraphs(cohort.graphs.edge_probability[:, :1], edges=[[1, 0]])
    with pytest.raises(dg.InputError, match="of the result, with 10 edges, but these have 1,"):
        dg.save_result(result, tmp_path, few, cohort.y)


def test_damaged_maxima_are_refused(cohort, tmp_path):
    dg.save_result(dg.significant_subgraphs(cohort), tmp_path, cohort)
    file = tmp_path / "null_maxima.csv"
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    for text, message in {
        "".join(lines[:-1]): "must have a row for each of 1000 permutations, in their order",
        "".join([lines[0], lines[2], lines[1], *lines[3:]]): "must have a row for each of 1000 permutations",
        whole.replace("1 edge,", "one edge,"): "its columns must be permutation and the size classes",
        "".join([*lines[:-1], "999,1.0,nan,1.0,1.0\n"]): "must be finite and from 0 to 1e\\+100",
    }.items():
        file.write_text(text)
        with pytest.raises(dg.InputError, match=message):
            dg.load_result(tmp_path)
    file.unlink()
    with pytest.raises(dg.InputError, match=r"null_maxima.csv: .* is missing. Run it again"):
        dg.load_result(tmp_path)


# ---------------------------------------------------------------- replications

REPLICATED = [
    f.name for f in dataclasses.fields(dg.ReplicationResult) if f.name not in ("seconds", "discovery")
]


def make_site(seed, n=60, columns=None):
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
    return dg.significant_subgraphs(make_site(0))


SECOND = {
    "plain": {},
    "design": {"blocks": "site", "covariates": "age", "statistic": "z", "alpha": 0.01},
    "all": {"subgraphs": "all", "n_permutations": 199, "random_state": 3},
}


@pytest.mark.parametrize("asked", SECOND)
def test_a_replication_comes_back_as_it_was(asked, first, tmp_path):
    cohort = make_site(1, columns=np.random.default_rng(3).permutation(15))
    result = dg.replicate(first, cohort, **SECOND[asked])
    saved = dg.save_result(result, tmp_path / "first", cohort)
    record = dg.load_result(tmp_path / "first")
    assert record.command == "replicate"
    same(result, record.result, REPLICATED)
    same(result.discovery, record.result.discovery, [name for name in FIELDS if name != "naming"])
    again = dg.save_result(record.result, tmp_path / "again", record.cohort)
    assert [file.name for file in again.files] == [file.name for file in saved.files]
    for file in again.files:
        assert file.read_bytes() == (tmp_path / "first" / file.name).read_bytes(), file.name


def test_the_tables_of_a_replication(first, tmp_path):
    cohort = make_site(1, columns=np.random.default_rng(3).permutation(15))
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
    cohort = make_site(2, n=100)
    result = dg.find_and_replicate(cohort, holdout=0.4)
    dg.save_result(result, tmp_path, cohort)
    record = dg.load_result(tmp_path)
    assert record.cohort.graphs == cohort.graphs[result.holdout]
    assert len(record.source.whole) == 100
    # Without the first part, the folder does not say which other graphs there were.
    assert record.result.holdout is None
    same(result, record.result, [name for name in REPLICATED if name != "holdout"])


def test_a_part_without_findings_is_saved_too(tmp_path):
    random = np.random.default_rng(0)
    cohort = dg.LabelledGraphs(dg.UncertainGraphs(random.random((40, 6))), np.arange(40) % 2)
    result = dg.find_and_replicate(cohort)
    assert len(result) == 0
    saved = dg.save_result(result, tmp_path, cohort)
    assert "nothing was confirmed" in saved.left_out[0]
    assert dg.load_result(tmp_path).result.message == result.message


def test_the_first_cohort_is_not_needed(first, tmp_path):
    dg.save_result(first, tmp_path / "test", make_site(0))
    (tmp_path / "test" / "cohort.npz").unlink()
    found = load_discovery(tmp_path / "test")
    same(first, found.result, [name for name in FIELDS if name != "naming"])
    cohort = make_site(1, columns=np.random.default_rng(3).permutation(15))
    ours, theirs = dg.replicate(first, cohort), dg.replicate(found.result, cohort)
    same(ours, theirs, REPLICATED)


def test_folders_that_are_no_test_are_refused(tmp_path):
    with pytest.raises(dg.InputError, match=r"but this is not one\. Check the path\.$"):
        load_discovery(tmp_path / "absent")
    cohort = make_site(1)
    dg.save_result(dg.mine_subgraphs(cohort, n_subgraphs=2), tmp_path / "mine", cohort)
    dg.save_result(dg.significant_subgraphs(cohort), tmp_path / "mine" / "test", cohort)
    with pytest.raises(dg.InputError, match=r"Its folder test is one: name .*mine/test\.$"):
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
        (
            lambda r: r["discovery"]["subgraphs"][0]["edges"][0].update(index=2**40),
            "the index of an edge or node is negative or at least 16,777,216",
        ),
        (
            lambda r: r["discovery"]["subgraphs"][0]["edges"][0].update(nodes=[-3, 2**24]),
            "the index of an edge or node is negative or at least 16,777,216",
        ),
        (lambda r: r["input"].update(graphs=[0, 99]), "input.graphs must be some of the 60 graphs"),
    ],
)
def test_damaged_folders_are_refused(damage, message, first, tmp_path):
    cohort = make_site(1)
    dg.save_result(dg.replicate(first, cohort, blocks="site"), tmp_path, cohort)
    record = json.loads((tmp_path / "results.json").read_text())
    damage(record)
    (tmp_path / "results.json").write_text(json.dumps(record))
    with pytest.raises(dg.InputError, match=message):
        dg.load_result(tmp_path)
