"""The union of subgraphs as GraphML: what networkx reads back, layers, and text that XML forbids."""

import re
import sys
from xml.sax.saxutils import escape

import defusedxml.ElementTree
import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError, UncertainGraphs
from dugraph.io import graphml_bytes
from dugraph.io.writers.graphml import xml_text

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


def test_only_regions_of_subgraphs_are_written():
    assert set(read(graphml_bytes(cohort(), Y, [(2,)]))) == {"B", "C"}


def test_the_positive_class_is_the_one_asked_for():
    graphs = cohort()
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


def test_equal_input_gives_equal_bytes():
    assert graphml_bytes(cohort(), Y, SUBGRAPHS) == graphml_bytes(cohort(), Y, SUBGRAPHS)


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
    with pytest.raises(InputError, match=r"which is missing: pip install 'dugraph\[io\]'"):
        graphml_bytes(cohort(), Y, SUBGRAPHS)
