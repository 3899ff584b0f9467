"""Cohort files: round trips, equal bytes, all-or-nothing writing, rules of their content."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dugraph import UncertainGraphs, load_cohort, save_cohort
from dugraph.exceptions import InputError
from dugraph.files import npz

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


@st.composite
def columns(draw, n):
    values = draw(
        st.sampled_from(
            [st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), st.text("aé漢 \n", max_size=5)]
        )
    )
    return draw(st.lists(values, min_size=n, max_size=n))


@st.composite
def cohorts(draw):
    n_graphs, n_nodes = draw(st.integers(1, 5)), draw(st.integers(2, 6))
    pairs = [(u, v) for u in range(n_nodes) for v in range(n_nodes) if u != v]
    edges = draw(
        st.lists(st.sampled_from(pairs), min_size=1, max_size=8, unique_by=lambda e: (max(e), min(e)))
    )
    numbers = st.floats(0, 1)
    n_edges = len(edges)
    layers = st.lists(text, min_size=n_edges, max_size=n_edges)
    coordinates = st.lists(
        st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3), min_size=n_nodes, max_size=n_nodes
    )
    return UncertainGraphs(
        draw(
            st.lists(
                st.lists(numbers, min_size=n_edges, max_size=n_edges), min_size=n_graphs, max_size=n_graphs
            )
        ),
        edges=edges,
        node_labels=draw(st.lists(text, min_size=n_nodes, max_size=n_nodes, unique=True)),
        node_coordinates=draw(st.none() | coordinates),
        graph_ids=draw(st.lists(text, min_size=n_graphs, max_size=n_graphs, unique=True)),
        edge_layers=draw(st.none() | layers),
        participants=draw(st.none() | st.dictionaries(text, columns(n_graphs), min_size=1, max_size=3)),
    )


Y = ["control", "patient"] * 3


@given(cohorts(), st.data())
@settings(max_examples=60)
def test_round_trip(tmp_path_factory, graphs, data):
    path = tmp_path_factory.mktemp("cohort") / "cohort.npz"
    labels = st.sampled_from([[0, 1], ["a", "bb"], [False, True], [-1.0, 1.0]]).flatmap(st.sampled_from)
    y = data.draw(st.none() | st.lists(labels, min_size=len(graphs), max_size=len(graphs)))
    if y is not None and len({type(label) for label in y}) > 1:
        y = [str(label) for label in y]
    save_cohort(path, graphs, y)
    loaded, loaded_y = load_cohort(path)
    assert loaded == graphs
    assert (None if loaded_y is None else loaded_y.tolist()) == y
    first = path.read_bytes()
    save_cohort(path, loaded, loaded_y)
    assert path.read_bytes() == first


def test_equal_content_gives_equal_bytes(graphs, tmp_path):
    long = {"sex": [*graphs.participants["sex"][:5], "not stated"], "age": graphs.participants["age"]}
    wide = UncertainGraphs(graphs.edge_probability, participants=long)[:5]
    narrow = UncertainGraphs(
        graphs.edge_probability[:5], participants={name: list(column[:5]) for name, column in long.items()}
    )
    assert wide == narrow
    save_cohort(tmp_path / "a.npz", wide, np.array(Y[:5], dtype="U30"))
    save_cohort(tmp_path / "b.npz", narrow, pd.Series(Y[:5]))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_numpy_reads_the_file_without_pickle(graphs, tmp_path):
    save_cohort(tmp_path / "c.npz", graphs, Y)
    with np.load(tmp_path / "c.npz", allow_pickle=False) as stored:
        assert set(stored) == {
            *(
                "edge_probability",
                "edges",
                "node_labels",
                "graph_ids",
                "node_coordinates",
                "edge_layers",
                "y",
            ),
            *("participants/age", "participants/sex", "checksum"),
        }
        np.testing.assert_array_equal(stored["edge_probability"], graphs.edge_probability)
        assert stored["y"].tolist() == Y


def plain_parts(graphs, **changes):
    parts = {
        "edge_probability": graphs.edge_probability,
        "edges": graphs.edges,
        "node_labels": np.array(graphs.node_labels),
        "graph_ids": np.array(graphs.graph_ids),
        "y": np.array(Y),
    }
    return {name: array for name, array in {**parts, **changes}.items() if array is not None}


def test_files_written_by_numpy_are_read_too(graphs, tmp_path):
    parts = plain_parts(graphs, edge_probability=np.asfortranarray(graphs.edge_probability))
    np.savez(tmp_path / "c.npz", **parts, node_coordinates=graphs.node_coordinates.astype(">f8"))
    loaded, y = load_cohort(str(tmp_path / "c.npz"))
    np.testing.assert_array_equal(loaded.edge_probability, graphs.edge_probability)
    np.testing.assert_array_equal(loaded.node_coordinates, graphs.node_coordinates)
    assert y.tolist() == Y


def test_a_link_is_followed_and_the_umask_respected(graphs, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.npz").symlink_to(tmp_path / "real" / "c.npz")
    save_cohort(tmp_path / "link.npz", graphs)
    assert (tmp_path / "link.npz").is_symlink()
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "real" / "c.npz").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert load_cohort(tmp_path / "link.npz")[1] is None


def test_refused_before_writing(graphs, tmp_path):
    path = tmp_path / "c.npz"
    mixed = UncertainGraphs(graphs.edge_probability, participants={"site": ["a", None, 1, "b", "c", "d"]})
    for arguments, message in (
        ((path, graphs.edge_probability, Y), "must be an UncertainGraphs: got ndarray. Build one"),
        ((path, graphs, Y[:2]), "one label per graph: got 2 labels for 6 graphs"),
        (
            (path, graphs, [0, 1, 2, 3, None, 5]),
            "y must be known for every graph, but it is missing for 1 graph: 4",
        ),
        ((path, graphs, ["a", 1, 2, 3, 4, 5]), "y must be all text, .* but contains int, str"),
        ((path, mixed, Y), r"no Python objects: participants\['site'\] holds NoneType, int, str"),
        ((tmp_path / "no" / "c.npz", graphs, Y), "must name a file in an existing folder. Create"),
        ((tmp_path, graphs, Y), "must name a file, but it is a folder. Add the name"),
    ):
        with pytest.raises(InputError, match=message):
            save_cohort(*arguments)
    with pytest.raises(InputError, match="array 'x' must have a plain dtype, but it holds Python objects"):
        npz.write_archive(path, {"x": np.array([None])})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"edges": None},
            "must contain the array 'edges', but it is missing. Write cohort files with save_cohort",
        ),
        ({"node_labels": None}, "must contain the array 'node_labels'"),
        (
            {"edge_probability": None},
            r"'edge_probability', but this holds edges, .*: another program wrote it. `dugraph convert",
        ),
        (
            {"edge_probability": np.ones((6, 10), dtype=int)},
            "'edge_probability' as floating-point .* dtype is int64",
        ),
        (
            {"edges": np.zeros(10, dtype=int)},
            r"'edges' as integers in 2 dimension\(s\), .* shape \(10,\)",
        ),
        ({"graph_ids": np.arange(6)}, "'graph_ids' as text"),
        ({"y": np.zeros(6, dtype=complex)}, "'y' as text, numbers or booleans"),
        ({"y": np.zeros(5)}, "one label per graph: got 5 labels for 6 graphs"),
        ({"weights": np.zeros(5)}, "but not 'weights'"),
        ({"participants/x": np.zeros((6, 1))}, r"'participants/x' as text, .* in 1 dim.* shape \(6, 1\)"),
        ({"participants/x": np.zeros(5)}, r"participants\['x'\] must have one value per graph"),
        ({"node_labels": np.array(list("aabcd"))}, "node_labels must be unique: a names both"),
        (
            {"edge_probability": np.full((6, 10), 2.0)},
            r"lie in \[0, 1\]: it is 2.0 at graph 0 \(0\), edge 0 \(Amygdala",
        ),
        (
            {"node_labels": np.array([None] * 5)},
            "'node_labels' must have a plain dtype, but its dtype is object; pickled",
        ),
        ({"node_labels": np.frombuffer(b"\xff" * 20, dtype="<U1")}, "it contains text beyond Unicode"),
        ({"y": np.frombuffer(b"\x00\x11\x00\x00" * 6, dtype=">U1")}, "it contains text beyond Unicode"),
        ({"node_labels": np.zeros(5, dtype=[("a", "f8")])}, "'node_labels' must have a plain dtype"),
    ],
)
def test_files_with_wrong_content(graphs, tmp_path, changes, message):
    path = tmp_path / "c.npz"
    np.savez(path, **plain_parts(graphs, **changes))
    with pytest.raises(InputError, match=message) as caught:
        load_cohort(path)
    assert str(caught.value).startswith(str(path))


def test_probabilities_of_a_file_are_not_copied_and_minus_zero_is_zero(tmp_path):
    graphs = UncertainGraphs([[0.5, 0.0, 0.25]] * 2)
    save_cohort(tmp_path / "cohort.npz", graphs)
    loaded = load_cohort(tmp_path / "cohort.npz")[0]
    assert not loaded.edge_probability.flags.owndata
    assert not loaded.edge_probability.flags.writeable
    with np.load(tmp_path / "cohort.npz") as arrays:
        parts = {name: arrays[name] for name in arrays.files if name != "checksum"}
    parts["edge_probability"] = np.array([[0.5, -0.0, 0.25]] * 2)
    np.savez(tmp_path / "foreign.npz", **parts)
    foreign = load_cohort(tmp_path / "foreign.npz")[0]
    assert foreign.edge_probability.tobytes() == graphs.edge_probability.tobytes()
