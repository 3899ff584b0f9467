"""Long edge lists as text: round trips, layers, classes, names kept as they are, and what is refused."""

import string

import numpy as np
import pytest
from graph_layouts import edge_frame, in_order_of, probabilities
from hypothesis import given
from hypothesis import strategies as st
from made_up import SUBJECTS, refused

from dugraph import read_cohort

HEADER = "graph_id,source,target,probability\n"


def written(tmp_path, text, name="edges.csv"):
    file = tmp_path / name
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(("name", "separator"), [("e.csv", ","), ("e.tsv", "\t"), ("e.txt", ";")])
def test_round_trip(tmp_path, seed, name, separator):
    matrices = probabilities(seed or 0)
    frame = edge_frame(matrices, seed)
    frame = frame[["probability", "target", "graph_id", "y", "source"]]
    frame.to_csv(tmp_path / name, sep=separator, index=False, lineterminator="\r\n")
    graphs, y = read_cohort(tmp_path / name, positive="control")
    expected = in_order_of(frame, matrices)
    assert graphs.node_labels == expected.regions
    assert graphs.graph_ids == tuple(dict.fromkeys(frame["graph_id"]))
    order = [SUBJECTS.index(one) for one in graphs.graph_ids]
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges[order])
    assert y.tolist() == [int(i % 2 == 1) for i in order]
    assert (graphs.provenance["n_files"], graphs.provenance["probability"]) == (1, "none")


names = st.text(string.ascii_letters + string.digits + " <>&'\"=/.\u202e\u00e9,;", min_size=1, max_size=6)
names = names.map(str.strip).filter(bool)


@given(st.data())
def test_any_cohort_comes_back(tmp_path_factory, data):
    regions = data.draw(st.lists(names, min_size=2, max_size=5, unique=True))
    ids = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    layers = data.draw(st.none() | st.lists(names, min_size=1, max_size=2, unique=True))
    pairs = st.tuples(st.sampled_from(regions), st.sampled_from(regions)).filter(lambda p: p[0] != p[1])
    edge = st.tuples(st.sampled_from(ids), pairs, st.sampled_from(layers or [""]))
    listed = data.draw(
        st.lists(edge, min_size=1, max_size=15, unique_by=lambda e: (e[0], frozenset(e[1]), e[2]))
    )
    truth = {(graph, frozenset(pair), layer): data.draw(st.floats(0, 1)) for graph, pair, layer in listed}

    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    lines = [HEADER.strip() + (",layer" if layers else "")]
    for (graph, pair, layer), p in zip(listed, truth.values(), strict=True):
        cells = [cell(graph), *map(cell, pair), repr(p), *([cell(layer)] if layers else [])]
        lines.append(",".join(cells))
    graphs, y = read_cohort(written(tmp_path_factory.mktemp("any"), "\n".join(lines)))
    assert y is None
    found = {}
    for i, graph in enumerate(graphs.graph_ids):
        for e, (u, v) in enumerate(graphs.edges):
            layer = graphs.edge_layers[e] if layers else ""
            key = graph, frozenset((graphs.node_labels[u], graphs.node_labels[v])), layer
            found[key] = graphs.edge_probability[i, e]
    assert {key: p for key, p in found.items() if p} == {key: p for key, p in truth.items() if p}
    assert set(truth) <= set(found)
    assert set(graphs.node_labels) == {one for _, pair, _ in listed for one in pair}


def test_names_are_text(tmp_path):
    text = HEADER + "007,01,1,0.5\n7,1,NA,0.25\n../../x,<b>,\u202eevil,1\n"
    graphs, _ = read_cohort(written(tmp_path, text))
    assert graphs.graph_ids == ("007", "7", "../../x")
    assert graphs.node_labels == ("01", "1", "NA", "<b>", "\u202eevil")
    assert graphs.edge_probability.tolist() == [[0.5, 0, 0], [0, 0.25, 0], [0, 0, 1]]
    assert graphs.edges.tolist() == [[1, 0], [2, 1], [4, 3]]


def test_layers_and_ignored_columns(tmp_path):
    text = "Graph_ID,source,target,Probability,layer,p_value,<i>\n1,a,b,0.5,fast,0.1,\n1,b,a,0.25,slow,0.2,\n"
    graphs, _ = read_cohort(written(tmp_path, text))
    assert graphs.edge_layers == ("fast", "slow")
    assert graphs.edge_probability.tolist() == [[0.5, 0.25]]
    assert graphs.provenance["ignored_columns"] == ["p_value", "<i>"]


def test_weights_need_a_word(tmp_path):
    file = written(tmp_path, "graph_id,source,target,weight\n1,a,b,-0.5\n1,b,c,0.25\n2,a,c,1\n")
    refused(r"edges must have a probability, but there is only .* \(values: corr", file)
    message = r"edges.csv, line 2: the probability of an edge must lie in \[0, 1\]"
    refused(message, file, values="probability")
    graphs, _ = read_cohort(file, values="correlation", probability="absolute")
    assert graphs.edge_probability.tolist() == [[0.5, 0, 0.25], [0, 1, 0]]
    assert graphs.provenance["values"] == "correlation"
    message = 'edges must have a weight, but .* Leave out values="count"'
    refused(message, written(tmp_path, HEADER + "1,a,b,1\n"), values="count")


RANGE = r"line 2: the probability of an edge must lie in \[0, 1\], but that of a--b is "
COMMA = "line 2: probability must be a number, but is '0,5'. This looks like a decimal comma"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,b,1\n1,b,a,1\n", r"csv, line 3: an edge .* given once, but b--a is in .*csv, line 2 too"),
        ("1,a,b,1\n1,a,a,1\n", r"csv, line 3: an edge must join two different regions, .* a to itself"),
        ("1,a,b,1.01\n", RANGE + "1.01"),
        ("1,a,b,-1e-9\n", RANGE + "-1e-09, the first of 1 such row. If"),
        ("1,a,b,1\n\n2,a,b,n/a\n", r"line 4: the probability .* must be there, .* unlisted edges are absent"),
        ("1,a,b,inf\n", r"line 2: the probability of an edge must be finite, but that of a--b is inf"),
        ("1,a,b,0.5\n1,a,c,o.5\n", r"line 3: probability must be a number, but is 'o.5'"),
        ("1,a,b,1_0\n", r"line 2: probability must be a number, but is '1_0'"),
        ('1,a,b,"0,5"\n', COMMA),
        ("1,a,,1\n", r"line 2: target must have 1 to 1000 characters and no NUL, but has 0"),
        (f"1,a,{'b' * 5000},1\n", r"line 2: target must have 1 to 1000 .* has 5000: bbb"),
        ("1,a,b,1\n1,a\n", r"line 3: every row must have as many cells as the first, 4, but it has 2"),
        ("1,a,b\0,1\n", r"line 2: text must not contain NUL bytes"),
        ("", r"an edge list must have rows, but it has a header only"),
    ],
)
def test_broken_rows(tmp_path, rows, message):
    refused(message, written(tmp_path, HEADER + rows))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("", "columns graph_id, source, target and probability, but target is not"),
        (",target,p", "edges must have a probability, but there is only .*. Add or rename it"),
        (",target,probability,source", "column names must be unique, but 'source' appears twice"),
        (",target,probability,Source", "differ in more than capitals, but 'source' and 'Source'"),
        (",target,probability,y,label", "class of each graph, but y and label could"),
    ],
)
def test_broken_headers(tmp_path, more, message):
    header = "graph_id,source" + (more or ",probability")
    row = ",".join(["1", "a", "b", "1", "1", "1"][: header.count(",") + 1])
    refused(message, written(tmp_path, f"{header}\n{row}\n"), format="edge-list")


def test_classes_belong_to_graphs(tmp_path):
    header = "graph_id,source,target,probability,label\n"
    file = written(tmp_path, header + "1,a,b,1,x\n2,a,b,1,y\n1,b,c,1,y\n")
    refused(r"line 4: .* one class, but 1 is 'y' here and 'x' in .*, line 2", file)
    file = written(tmp_path, header + "1,a,b,1,x\n2,a,b,1,n/a\n3,b,c,1,y\n")
    refused(r"every subject must have a group, but 1 subject has none: 2", file)
    graphs, y = read_cohort(file, positive="x", negative="y")
    assert (graphs.graph_ids, y.tolist()) == (("1", "3"), [1, 0])


def test_encodings_and_sizes(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_bytes((HEADER + "1,a,b,1\n").encode("utf-16"))
    refused("begins with the bytes ff fe, the mark of UTF-16", file, format="edge-list")
    file.write_bytes(b"\xef\xbb\xbf" + (HEADER + "1,a,b,1\n").encode())
    assert read_cohort(file)[0].edge_probability.tolist() == [[1.0]]
    # Every graph with an edge of its own: the cohort would be the square of the file.
    written(tmp_path, HEADER + "".join(f"{i},a{i},b{i},1\n" for i in range(20_000)))
    message = "edges.csv: everything that is read must take at most 1000000000 bytes"
    refused(message, file, max_memory=10**9)
