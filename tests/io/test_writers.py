"""Result files for other programs: feature tables, GraphML, BrainNet Viewer; hostile names included."""

import csv
import io
import re
import sys
from xml.sax.saxutils import escape

import defusedxml.ElementTree
import networkx
import numpy as np
import pandas as pd
import pytest
from exact_tables import read_csv
from hypothesis import given
from hypothesis import strategies as st
from made_up import refused

from dugraph import UncertainGraphs
from dugraph.io import brainnet_files, feature_table, graphml_bytes
from dugraph.io.writers import xml_text

# --- Feature tables -----------------------------------------------------------------------------------------

NAMES = ["{A--B}", '{"q", x--y}']
HOSTILE = ["=1+1", "'=1", "-x", "@y", "\tt", "two\nlines", "cr\r", 'q"u,o;te', "\u202e", "007", "-1", "NA"]
HOSTILE += ["＝a"]
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def rows_of(content):
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def frame_of(content):
    return read_csv(io.BytesIO(content), dtype={"graph_id": str}, keep_default_na=False)


def plain(cell):
    return cell.removeprefix("'")


rows = st.tuples(text, st.floats(0, 1), st.floats(0, 1))


@given(st.lists(rows, min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_everything_comes_back(rows):
    ids, features = [row[0] for row in rows], np.array([row[1:] for row in rows])
    head, *body = rows_of(feature_table("csv", ids, NAMES, features))
    assert head == ["graph_id", *NAMES]
    assert [plain(row[0]) for row in body] == ids
    np.testing.assert_array_equal(np.array([row[1:] for row in body], dtype=float), features)
    back = pd.read_parquet(io.BytesIO(feature_table("parquet", ids, NAMES, features)))
    assert back["graph_id"].tolist() == ids
    np.testing.assert_array_equal(back[NAMES].to_numpy(), features)


def test_no_cell_is_a_formula_and_pandas_reads_every_id():
    content = feature_table("csv", HOSTILE, NAMES, np.full((len(HOSTILE), 2), 0.1), np.array(HOSTILE))
    for cell in (cell for row in rows_of(content) for cell in row):
        assert not cell.startswith(tuple("=+@\t\r\n＝＋－＠"))
        assert not cell.startswith("-") or cell == "-1"  # a number
    frame = frame_of(content)
    assert [plain(name) for name in frame["graph_id"]] == HOSTILE
    assert [plain(name) for name in frame["class"]] == HOSTILE


@pytest.mark.parametrize("y", [np.array([1, -1]), np.array([True, False]), np.array(["ill", "well"])])
@pytest.mark.parametrize(("kind", "read"), [("csv", pd.read_csv), ("parquet", pd.read_parquet)])
def test_classes_keep_their_kind_and_names_differ(kind, read, y):
    frame = read(io.BytesIO(feature_table(kind, ["a", "b"], NAMES, np.zeros((2, 2)), y)))
    assert list(frame) == ["graph_id", "class", *NAMES]
    assert frame["class"].tolist() == y.tolist()
    frame = read(io.BytesIO(feature_table(kind, ["a"], ["graph_id", "y"], np.array([[0.1, 0.2]]), ["p"])))
    assert frame["graph_id"].tolist() == ["a"]
    assert frame["graph_id (2)"].tolist() == [0.1]
    names = ["{x}", "{x}", "{x} (2)", "{x}"]
    frame = read(io.BytesIO(feature_table(kind, ["a"], names, np.array([[0.1, 0.2, 0.3, 0.4]]))))
    assert list(frame)[1:] == ["{x}", "{x} (2)", "{x} (2) (2)", "{x} (3)"]


def test_other_forms_are_refused(monkeypatch):
    one = (["a"], ["{x}"], np.zeros((1, 1)))
    refused("can be csv or parquet, but not 'xlsx'", "xlsx", *one, by=feature_table)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(r"pip install 'dugraph\[io\]', or choose csv", "parquet", *one, by=feature_table)


# --- GraphML ------------------------------------------------------------------------------------------------

Y = ["control", "patient", "patient"]
SUBGRAPHS = [(0, 2), (0,), (2, 3)]


def read(content):
    """Read as a careful user does: refused by defusedxml if it is no harmless XML."""
    assert defusedxml.ElementTree.fromstring(content).tag.endswith("graphml")
    return networkx.parse_graphml(content.decode())


def original(text):
    return re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text)


def cohort(**options):
    probability = np.random.default_rng(0).random((3, 6))
    return UncertainGraphs(probability, **({"node_labels": list("ABCD")} | options))


def test_the_union_is_read_back_with_all_its_numbers():
    places = np.random.default_rng(1).normal(size=(4, 3))
    graphs = cohort(node_coordinates=places)  # edges AB, AC, BC, AD, BD, CD
    union = read(graphml_bytes(graphs, Y, SUBGRAPHS))
    assert type(union) is networkx.Graph
    assert set(union) == set("ABCD")
    assert {frozenset(edge) for edge in union.edges} == {frozenset("AB"), frozenset("BC"), frozenset("AD")}
    mean = graphs.edge_probability[:, 0]
    assert union.edges["A", "B"] == {
        "id": "e0",
        "weight": 2,
        "ranks": "1 2",
        "best_rank": 1,
        "index": 0,
        "mean_probability_positive": mean[1:].mean(),
        "mean_probability_negative": mean[0],
    }
    assert union.edges["A", "D"]["ranks"] == "3"
    assert union.nodes["D"] == {
        "label": "D",
        "n_subgraphs": 1,
        "best_rank": 3,
        **dict(zip("xyz", places[3].tolist(), strict=True)),
    }
    assert union.nodes["B"]["n_subgraphs"] == 3


def test_regions_classes_and_bytes():
    graphs = cohort()
    content = graphml_bytes(graphs, Y, [(2,)])
    assert set(read(content)) == {"B", "C"}  # only regions of subgraphs
    assert content == graphml_bytes(cohort(), Y, [(2,)])
    edge = read(graphml_bytes(graphs, Y, [(0,)], pos_label="control")).edges["A", "B"]
    assert edge["mean_probability_positive"] == graphs.edge_probability[0, 0]


def test_edges_of_different_layers_are_parallel():
    graphs = UncertainGraphs(
        [[0.9, 0.8, 0.7]] * 3, edges=[[0, 1], [0, 1], [1, 2]], edge_layers=["f", "s\x01", "f"]
    )
    union = read(graphml_bytes(graphs, Y, [(0, 1), (1, 2)]))
    assert type(union) is networkx.MultiGraph
    parallel = {original(e["layer"]): e["ranks"] for e in union["0"]["1"].values()}
    assert parallel == {"f": "1", "s\x01": "1 2"}
    assert union.number_of_edges() == 3


anything = st.text(st.characters(exclude_categories=["Cs"]))
awkward = st.text(st.sampled_from("_x0123456789ABCDEFabcdef\0\x01\r\n\t\ufffe\uffff<&\u202e"))


@given(anything | awkward)
def test_any_text_survives_xml(text):
    coded = xml_text(text)
    assert original(coded) == text
    element = defusedxml.ElementTree.fromstring(f"<a>{escape(coded)}</a>")
    assert (element.text or "") == coded
    if not re.search("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_", text):
        assert coded == text


@given(st.lists((anything | awkward).map(lambda t: t.replace("\0", "")), min_size=4, max_size=4, unique=True))
def test_any_region_names_come_back(labels):
    union = read(graphml_bytes(cohort(node_labels=labels), Y, SUBGRAPHS))
    assert {original(name) for name in union} == set(labels)
    assert {original(node.get("label", "")) for _, node in union.nodes(data=True)} == set(labels)


def test_without_networkx_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    refused(r"which is missing: pip install 'dugraph\[io\]'", cohort(), Y, SUBGRAPHS, by=graphml_bytes)


# --- BrainNet Viewer ----------------------------------------------------------------------------------------

PLACES = np.random.default_rng(1).normal(size=(4, 3)) * 50


def matrix(content):
    return np.loadtxt(io.BytesIO(content), ndmin=2)


def nodes(content):
    return [line.split("\t") for line in content.decode().split("\n")[:-1]]


def test_the_layout():
    graphs = UncertainGraphs(np.full((2, 6), 0.5), node_labels=list("ABCD"), node_coordinates=PLACES)
    files = brainnet_files(graphs, [(0, 2), (0,)])  # A--B and B--C, A--B
    assert list(files) == ["brainnet.node", "brainnet.edge"]
    rows = nodes(files["brainnet.node"])
    assert [[float(x) for x in row[:3]] for row in rows] == PLACES.tolist()
    assert [row[3:] for row in rows] == [["1", "2", "A"], ["1", "2", "B"], ["1", "1", "C"], ["0", "0", "D"]]
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 2
    expected[1, 2] = expected[2, 1] = 1
    np.testing.assert_array_equal(matrix(files["brainnet.edge"]), expected)


def test_every_layer_has_its_own_matrix():
    layers = ["../../x", "f", "F", "f"]
    words = {"edges": [[0, 1], [0, 1], [0, 1], [2, 3]], "edge_layers": layers, "node_coordinates": PLACES}
    graphs = UncertainGraphs(np.full((2, 4), 0.5), **words)
    files = brainnet_files(graphs, [(0, 1), (1, 2)])
    # On some systems f and F are one name.
    names = ["brainnet.node", "brainnet.______x.edge", "brainnet.F.edge", "brainnet.f-2.edge"]
    assert list(files) == names
    assert [matrix(files[name])[0, 1] for name in names[1:]] == [1, 1, 2]
    assert all(matrix(files[name])[2, 3] == 0 for name in names[1:])


def test_labels_stay_one_word():
    labels = ["two\nlines and\ta tab", "\u202e", "", "Précuneus_L"]
    graphs = UncertainGraphs(np.full((2, 6), 0.5), node_labels=labels, node_coordinates=PLACES)
    rows = nodes(brainnet_files(graphs, [(0,)])["brainnet.node"])
    assert [row[5] for row in rows] == ["two_lines_and_a_tab", "_", "-", "Précuneus_L"]
    assert all(len(row) == 6 for row in rows)


def test_without_coordinates_there_is_nothing_to_draw():
    message = "need coordinates of the regions, but the cohort has none"
    refused(message, UncertainGraphs([[0.5]]), [(0,)], by=brainnet_files)
