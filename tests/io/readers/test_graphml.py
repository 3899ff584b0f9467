"""GraphML folders: round trips, names, layers, directions, regions that are not listed, hostile XML."""

import networkx as nx
import numpy as np
import pytest
from graph_layouts import COLUMNS, ROWS, graphml_folder, networkx_graph, probabilities
from hypothesis import given
from hypothesis import strategies as st
from made_up import refused

from dugraph import read_cohort

HEAD = '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
KEYS = '<key id="p" for="edge" attr.name="probability" attr.type="double"/>'
NODES = '<node id="a"/><node id="b"/><node id="c"/>'


def edge(source="a", target="b", p="0.5", more=""):
    return f'<edge source="{source}" target="{target}"{more}><data key="p">{p}</data></edge>'


def document(edges=None, nodes=NODES, keys=KEYS, default="undirected"):
    edges = edge() if edges is None else edges
    return f'{HEAD}{keys}<graph edgedefault="{default}">{nodes}{edges}</graph></graphml>'


def written(tmp_path, *documents):
    for name, text in zip("123456", documents, strict=False):
        (tmp_path / f"{name}.graphml").write_text(text, encoding="utf-8")
    return tmp_path


def test_names_and_places_of_regions(tmp_path):
    graphml_folder(tmp_path)
    graphs, y = read_cohort(tmp_path)
    assert y is None
    np.testing.assert_array_equal(graphs.node_coordinates, [[i, -0.5 * i, 1] for i in range(5)])
    assert graphs.provenance["regions_named_by"] == "node label"


names = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=5)


@given(st.lists(names, min_size=2, max_size=5, unique=True), st.data())
def test_any_graph_of_networkx_comes_back(tmp_path_factory, regions, data):
    folder = tmp_path_factory.mktemp("any")
    pairs = [(u, v) for u in range(len(regions)) for v in range(u)]
    values = data.draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    layers = data.draw(st.none() | st.lists(names, min_size=1, max_size=3, unique=True))
    graph = nx.MultiGraph()
    graph.add_nodes_from(regions)
    for (u, v), p in zip(pairs, values, strict=True):
        for layer in layers or [None]:
            more = {"layer": layer} if layers else {}
            graph.add_edge(regions[u], regions[v], probability=p, **more)
    nx.write_graphml(graph, folder / "one.graphml")
    cohort, _ = read_cohort(folder)
    assert cohort.node_labels == tuple(regions)
    np.testing.assert_array_equal(cohort.edge_probability[0], np.repeat(values, len(layers or "1")))
    assert cohort.edge_layers == (tuple(layers * len(pairs)) if layers else None)


def test_regions_that_a_file_does_not_list(tmp_path):
    full = document(edge() + edge("b", "c"))
    written(tmp_path, full, document(edge(p="0.25"), nodes='<node id="b"/><node id="a"/>'))
    message = 'for 1 edge in 1 of 2 graphs; region c has none in .*2.graphml. .* missing="absent"'
    refused(message, tmp_path)
    graphs, _ = read_cohort(tmp_path, missing="absent")
    assert graphs.edge_probability.tolist() == [[0.5, 0.5], [0.25, 0.0]]
    assert graphs.provenance["n_missing"] == 1
    # A region that is listed without edges is there: its edges are absent without a word.
    written(tmp_path, full, document(edge(p="0.25")))
    graphs, _ = read_cohort(tmp_path)
    assert graphs.edge_probability.tolist() == [[0.5, 0.5], [0.25, 0.0]]


def test_directed_graphs(tmp_path):
    matrix = probabilities()[0]
    file = tmp_path / "1.graphml"
    nx.write_graphml(networkx_graph(matrix, nx.DiGraph), file)
    graphs, _ = read_cohort(tmp_path)
    np.testing.assert_array_equal(graphs.edge_probability[0], [p for p in matrix[ROWS, COLUMNS] if p])
    assert "symmetry" not in graphs.provenance
    matrix[1, 2] = 0.0
    nx.write_graphml(networkx_graph(matrix, nx.DiGraph), file)
    refused(r"1.graphml: an edge must have one value in both directions, but", tmp_path)
    nx.write_graphml(networkx_graph(np.round(100 * matrix), nx.DiGraph, "weight"), file)
    graphs, _ = read_cohort(tmp_path, values="count", probability="largest")
    counts = (np.round(100 * matrix) + np.round(100 * matrix).T)[ROWS, COLUMNS] / 2
    np.testing.assert_allclose(graphs.edge_probability[0], counts[counts > 0] / counts.max(), rtol=1e-15)
    assert graphs.provenance["symmetry"] == "averaged over both directions"
    nx.write_graphml(networkx_graph(np.tril(probabilities()[0]), nx.DiGraph), file)
    assert read_cohort(tmp_path)[0].provenance["symmetry"] == "each edge listed in one direction"


def test_undirected_graphs_in_both_directions(tmp_path):
    edges = edge() + edge("b", "a") + edge("b", "c", "0.25") + edge("c", "b", "{}")
    graphs, _ = read_cohort(written(tmp_path, document(edges.format("0.25"))))
    assert graphs.edge_probability.tolist() == [[0.5, 0.25]]
    written(tmp_path, document(edges.format("0.75")))
    refused("1.graphml: an edge of a graph must be given once, but c--b is in", tmp_path)


def test_weights_need_a_word(tmp_path):
    matrix = 2 * probabilities()[0] - 1
    nx.write_graphml(networkx_graph(matrix, attribute="weight"), tmp_path / "1.graphml")
    refused(r"must have a probability, but there is only weight. .* \(values: ", tmp_path)
    graphs, _ = read_cohort(tmp_path, values="correlation")
    np.testing.assert_array_equal(graphs.edge_probability[0], np.maximum(matrix[ROWS, COLUMNS], 0))


def test_defaults_of_keys_hold(tmp_path):
    keys = KEYS.replace("/>", "><default>0.75</default></key>")
    written(tmp_path, document('<edge source="a" target="b"/>' + edge("b", "c"), keys=keys))
    assert read_cohort(tmp_path)[0].edge_probability.tolist() == [[0.75, 0.5]]
    of_nodes = '<key id="w" for="node" attr.name="weight"><default>1</default></key>'
    written(tmp_path, document(keys=KEYS + of_nodes))
    refused("edges must have a weight, but there is only probability", tmp_path, values="correlation")


NODE_B = NODES + '<node id="b"/>'
LONG_NODE = NODES + f'<node id="{"x" * 10**4}"/>'
NESTED = NODES + '<node id="d"><graph/></node>'
ONE_ID = edge(more=' id="1"') + edge("b", "a", "1", ' id="1"')
KEYS_P_Q = KEYS + KEYS.replace('id="p"', 'id="q"')
TWO_GRAPHS = document().replace("</graphml>", "<graph/></graphml>")
DTD = document().replace("?>", '?><!DOCTYPE g SYSTEM "http://localhost/g.dtd">', 1)
HYPEREDGE = '<hyperedge><endpoint node="a"/></hyperedge>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document()[:-5], r"1.graphml: the file must be well-formed XML: unclosed token: line 1"),
        (DTD, r"1.graphml: GraphML must come without DTD and entities"),
        ("graph_id,source", r"the file must be well-formed XML: syntax error: line 1"),
        (document(edge() + edge("b", "a", "0.2")), r"must be given once, but [ab]--[ab] is in .*by layer"),
        (document(edge("a", "a")), r"an edge must join two different regions, but it joins a to itself"),
        (document(edge("a", "z")), r"edges must join nodes of the file, but 'z' is not one"),
        (document(edge(p="1.5")), r"Probabilities must lie in \[0, 1\], but .* 1.5: a--b in .*1.graphml"),
        (document(edge(p="NaN")), r"Every edge must have a value, but there is none \(NaN, .* for 1 edge in"),
        (document(edge(p="x")), r"probability must be a number, but is 'x' at a\."),
        (document('<edge source="a"/>'), r"an edge must have a source and a target"),
        (document(nodes=NODE_B), r"every node id must appear once, but 'b' appears twice"),
        (document(nodes=NODES + "<node/>"), r"every node id must be filled in"),
        (document(ONE_ID), r"must be given once, but b--a is in"),
        (document(edge(p='1</data><data key="p">0')), r"every attribute of one edge must appear once"),
        (document(keys=KEYS + KEYS), r"every key must appear once, but 'p' appears twice"),
        (document(keys=KEYS_P_Q), r"every key must appear once, but edge probability appears twice"),
        (document(edge(more=' directed="true"')), r"must be directed or none, but those of a differ"),
        (document(keys=""), r"every attribute must have a key, but there is no key p"),
        (document(nodes=NESTED), r"a file must hold one graph, but there are"),
        (TWO_GRAPHS, r"a file must hold one graph, but there are"),
        (document(HYPEREDGE), r"nodes and edges only, but there is a hyp"),
        (f"{HEAD}</graphml>", r"a GraphML file must contain a graph, but does not"),
        (document(nodes='<node id="a"/>', edges=""), r"network must have at least two regions, but it has 1"),
        (document(edges=""), r"a cohort needs at least one edge, but there is none in any graph"),
        (document(nodes=LONG_NODE), r"a region name may have 1000 characters, but"),
    ],
)
def test_broken_documents(tmp_path, text, message):
    refused(message, written(tmp_path, text))


def test_other_encodings(tmp_path):
    (tmp_path / "1.graphml").write_bytes(document().encode("utf-16"))
    refused(r"the mark of UTF-16. Save it as UTF-8", tmp_path)
    (tmp_path / "1.graphml").write_bytes(document().replace(">", ">\r\n").replace("5\r\n", "5").encode())
    assert read_cohort(tmp_path)[0].edge_probability.tolist() == [[0.5]]


def test_files_must_be_alike(tmp_path):
    named = '<key id="n" for="node" attr.name="name" attr.type="string"/>'
    nodes = NODES.replace("/>", '><data key="n">{}</data></node>').format("x", "y", "z")
    written(tmp_path, document(keys=KEYS + named, nodes=nodes), document())
    refused(r"in the same way, but .*1.graphml does so by node name and .*2.* by node id", tmp_path)
    layer = '<key id="l" for="edge" attr.name="layer" attr.type="string"/>'
    layered = edge(p='1</data><data key="l">fast')
    written(tmp_path, document(layered, keys=KEYS + layer), document())
    refused(r"Either the edges of all files .*1.graphml has them and .*2.graphml", tmp_path)
    written(tmp_path, document(layered + edge("b", "c"), keys=KEYS + layer), document())
    refused(r"either all edges have a layer or none, but b--c has none", tmp_path)


def test_elements_are_counted_before_they_take_memory(tmp_path):
    written(tmp_path, document(edge() + "<a/>" * 100_000))
    refused("must take at most 50000000 bytes", tmp_path, max_memory=50_000_000)
