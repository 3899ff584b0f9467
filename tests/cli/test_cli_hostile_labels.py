"""Hostile names in every file that is written: read back exactly, or by the rule of docs/results.md."""

import csv
import json
import os
import re

import defusedxml.ElementTree
import networkx
import numpy as np
import pandas as pd
import pytest
from exact_tables import read_csv

from dugraph import InputError, SubgraphSelector, UncertainGraphs, load_cohort
from dugraph.cli import main
from dugraph.files.text import escaped

LABELS = ["../../x", "<script>alert(1)</script>", 'quo"te\ttab', "two\r\nlines\u202e\x1b[2J"]
LABELS += ["=" + "long" * 50_000]
IDS = ["../../x", "=cmd|' /C calc'!A0", "@x", "-2+3", "two\nlines", "\u202eturned", 'q"u,ote', "007"]
IDS += ["<b>", "'", *(f"sub-{i}" for i in range(10))]
LAYERS = ["../../up", "C:\\x\x07"] * 5
PAIRS = [pair for pair in ([0, 1], [1, 2], [2, 3], [3, 4], [0, 4]) for _ in range(2)]
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results of a cohort in which every name is hostile, and the cohort."""
    from dugraph import save_cohort

    place = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.uniform(0.3, 0.6, (20, 10))
    X[:, :4] = np.where(y[:, None] == 1, 0.95, 0.3)
    graphs = UncertainGraphs(
        X, PAIRS, LABELS, rng.normal(size=(5, 3)), graph_ids=IDS, edge_layers=LAYERS, participants=None
    )
    save_cohort(place / "c.npz", graphs, [("=healthy", "@ill\n<i>")[i] for i in y])
    arguments = ["mine", str(place / "c.npz"), "--n-subgraphs", "40", "--min-expected-frequency", "0.01"]
    assert main([*arguments, "-o", str(place / "out")]) == 0
    assert main([*arguments, "--features", "parquet", "-o", str(place / "parquet")]) == 0
    return place / "out"


def found(folder):
    record = json.loads((folder / "results.json").read_text())
    return [edge for subgraph in record["subgraphs"] for edge in subgraph["edges"]]


def original(text):
    return re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text)


def test_no_name_leads_out_of_the_folder(folder):
    assert {name for name in os.listdir(folder) if not re.fullmatch(r"[A-Za-z0-9_.-]+", name)} == set()
    assert set(os.listdir(folder)) >= {"brainnet.______up.edge", "brainnet.C__x_.edge"}
    assert set(os.listdir(folder.parent)) == {"c.npz", "out", "parquet"}


def test_the_record_and_the_model_hold_names_exactly(folder):
    for edge in found(folder):
        assert edge["node_labels"] == [LABELS[node] for node in edge["nodes"]]
        assert edge["layer"] == LAYERS[edge["index"]]
    assert {node for edge in found(folder) for node in edge["nodes"]} == set(range(5))
    selector = SubgraphSelector.from_json(folder / "model.json")
    assert selector.node_labels_ == tuple(LABELS)
    assert selector.edge_layers_ == tuple(LAYERS)


def test_the_table_of_results_has_one_line_each_and_no_formula(folder):
    text = (folder / "results.csv").read_text()
    usual = csv.field_size_limit(2**30)
    rows = list(csv.reader(text.splitlines()))
    csv.field_size_limit(usual)
    assert len(rows) == 41
    assert all(line.isprintable() for line in text.split("\n"))
    assert not [cell[:20] for row in rows for cell in row if cell.startswith(FORMULA)]


def test_the_features_keep_ids_and_names(folder):
    """Parquet exactly, CSV with escape codes for control characters."""
    graphs, y = load_cohort(folder.parent / "c.npz")
    selector = SubgraphSelector.from_json(folder / "model.json")
    names = selector.get_feature_names_out().tolist()
    frame = read_csv(folder / "features.csv", dtype={"graph_id": str}, keep_default_na=False)
    assert not [cell for name in ("graph_id", "class") for cell in frame[name] if cell.startswith(FORMULA)]
    assert (folder / "features.csv").read_text().replace("\n", "").isprintable()
    assert [name.removeprefix("'") for name in frame["graph_id"]] == list(map(escaped, IDS))
    assert [name.removeprefix("'") for name in frame["class"]] == list(map(escaped, y.tolist()))
    assert list(frame)[2:] == list(map(escaped, names))
    np.testing.assert_array_equal(frame.iloc[:, 2:].to_numpy(), selector.transform(graphs))
    exact = pd.read_parquet(folder.parent / "parquet" / "features.parquet")
    assert exact["graph_id"].tolist() == IDS
    assert exact["class"].tolist() == y.tolist()
    np.testing.assert_array_equal(exact[names].to_numpy(), selector.transform(graphs))


def test_the_graph_is_harmless_xml_with_all_names(folder):
    content = (folder / "results.graphml").read_bytes()
    defusedxml.ElementTree.fromstring(content)
    union = networkx.parse_graphml(content.decode())
    assert {original(name) for name in union} == set(LABELS)
    edges = {(frozenset(map(original, pair)), original(layer)) for *pair, layer in union.edges(data="layer")}
    assert edges == {(frozenset(e["node_labels"]), e["layer"]) for e in found(folder)}


def test_the_regions_of_brainnet_viewer_stay_lines_of_six(folder):
    lines = (folder / "brainnet.node").read_text().split("\n")
    assert len(lines) == 6  # the last is empty
    assert all(len(line.split()) == 6 for line in lines[:5])
    assert lines[2].endswith('quo"te_tab')
    for layer in ("______up", "C__x_"):
        matrix = np.loadtxt(folder / f"brainnet.{layer}.edge")
        assert matrix.shape == (5, 5)
        assert (matrix == matrix.T).all()


def test_names_that_no_file_can_hold_never_enter_a_cohort():
    for name in ("nul\0", "\udc80"):
        with pytest.raises(InputError):
            UncertainGraphs([[0.5]], node_labels=["A", name])
