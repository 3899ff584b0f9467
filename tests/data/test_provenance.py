"""Provenance of a cohort: plain values that slicing and files preserve."""

import numpy as np
import pytest

from dugraph import UncertainGraphs, load_cohort, save_cohort
from dugraph.exceptions import InputError
from dugraph.files.npz import read_npy

ORIGIN = {
    "format": "bids-relmat",
    "n_files": 2,
    "threshold": 0.1,
    "left_out": {"without a file": ["é", "02"]},
}


def cohort(provenance=ORIGIN):
    return UncertainGraphs([[0.1], [0.2]], provenance=provenance)


def test_slicing_and_files_keep_it(tmp_path):
    graphs = cohort()
    assert graphs[1:].provenance == ORIGIN
    save_cohort(tmp_path / "c.npz", graphs)
    loaded, _ = load_cohort(tmp_path / "c.npz")
    assert loaded == graphs
    assert list(loaded.provenance.items()) == list(ORIGIN.items())
    assert "provenance: format, n_files, threshold, left_out" in repr(loaded)


def test_it_counts_for_equality_and_is_a_copy():
    graphs, mine = cohort(), dict(ORIGIN)
    assert graphs != cohort(None)
    assert graphs != cohort(dict(reversed(ORIGIN.items())))
    copied = cohort(mine)
    mine["format"] = "other"
    assert copied == graphs
    assert cohort({"pair": (1, 2)}).provenance == {"pair": [1, 2]}


@pytest.mark.parametrize(
    ("provenance", "message"),
    [
        ("xcp_d", "provenance must map names to plain values: got 'xcp_d'. Pass a dict"),
        ({1: "a"}, "must map names to plain values"),
        ({"p": float("nan")}, "must hold text, finite numbers, booleans, None"),
        ({"p": np.zeros(2)}, "Object of type ndarray is n.*Convert its values first"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(provenance, message):
    with pytest.raises(InputError, match=message):
        cohort(provenance)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["{"], "'provenance' must be a JSON object"),
        (["[1]"], "'provenance' must be a JSON object"),
        (['[["a", 1]]'], "'provenance' must be a JSON object"),
        (["{}", "{}"], "'provenance' must be a JSON object"),
        (['{"a": NaN}'], "provenance must hold text, finite numbers"),
        (["[" * 100_000], "'provenance' must be"),
    ],
)
def test_damaged_provenance_in_a_file(tmp_path, texts, message):
    path = tmp_path / "c.npz"
    parts = {"edge_probability": np.full((1, 1), 0.5), "edges": np.array([[1, 0]])}
    names = {"node_labels": np.array(["a", "b"]), "graph_ids": np.array(["1"])}
    np.savez(path, **parts, **names, provenance=np.array(texts))
    with pytest.raises(InputError, match=message):
        load_cohort(path)


def test_a_damaged_array_file_is_refused(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.eye(3))
    np.testing.assert_array_equal(read_npy(path), np.eye(3))
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole + b"0", whole.replace(b"(3, 3), ", b"(3,9**9)")):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"a.npy: must be an intact \.npy file"):
            read_npy(path)
    np.save(path, np.array([None]), allow_pickle=True)
    with pytest.raises(InputError, match="pickled objects are never loaded"):
        read_npy(path)
