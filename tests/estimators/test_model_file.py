"""A selector saved as JSON: restored to the bit; damaged files are refused."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

import dugraph as dg
from dugraph.estimators import SubgraphSelector
from dugraph.exceptions import InputError

RNG = np.random.default_rng(3)
X = RNG.random((20, 15))
Y = np.array(["control", "patient"] * 10)
NAMES = ["Précuneus", "B", "C", "</script>", "E", "F"]


def difference(a, b, p, q):
    return a / p - b / q


def saved(tmp_path, X=X, y=Y, **parameters):
    path = tmp_path / "model.json"
    selector = SubgraphSelector(**({"n_subgraphs": 6} | parameters)).fit(X, y)
    selector.to_json(path)
    return selector, path


def resigned(path, change):
    """Alter a file and give it a valid checksum, as a forger would."""
    content = json.loads(path.read_text())
    content.pop("checksum")
    change(content)

    def line(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    checksum = hashlib.sha256(line(content)).hexdigest()
    path.write_bytes(line(content | {"checksum": checksum}) + b"\n")


@pytest.mark.parametrize("pos_label", ["control", "patient", None])
def test_the_positive_class_of_labelled_graphs_is_restored(tmp_path, pos_label):
    selector, path = saved(tmp_path, X=dg.LabelledGraphs(X, Y, pos_label), y=None)
    assert selector.result_.positive_class == (pos_label or "patient")
    assert SubgraphSelector.from_json(path).result_.positive_class == selector.result_.positive_class


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"node_labels": NAMES, "binarize_at": 0.5, "measure": "mode"},
        {"edges": np.stack(np.tril_indices(6, -1), axis=1), "score_func": "g_test", "pos_label": "control"},
        {"min_expected_frequency": 0.1 + 0.2, "quantile": 1 / 3, "measure": "quantile", "score_cap": 1e-300},
        {"on_invalid": "clip", "pos_label": np.str_("patient"), "n_jobs": np.int64(1)},
    ],
)
def test_everything_is_restored_to_the_bit(tmp_path, parameters):
    selector, path = saved(tmp_path, **parameters)
    back = SubgraphSelector.from_json(path)
    new = RNG.random((7, 15))
    assert back.transform(new).tobytes() == selector.transform(new).tobytes()
    assert back.subgraphs_ == selector.subgraphs_
    assert back.values_.tobytes() == selector.values_.tobytes()
    assert back.get_feature_names_out().tolist() == selector.get_feature_names_out().tolist()
    assert back.classes_.tolist() == selector.classes_.tolist()
    assert vars(back.result_) | {"values": 0} == vars(selector.result_) | {"values": 0}
    for name, value in selector.get_params().items():
        np.testing.assert_array_equal(back.get_params()[name], value)
    again = tmp_path / "again.json"
    back.to_json(again)
    assert again.read_bytes() == path.read_bytes()


def test_data_frames_graphs_and_layers_are_restored(tmp_path):
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(15)])
    saved(tmp_path, frame)
    assert SubgraphSelector.from_json(tmp_path / "model.json").feature_names_in_.tolist() == list(frame)
    layered = dg.UncertainGraphs(X[:, :2], edges=[[0, 1], [0, 1]], edge_layers=["f", "s"])
    selector, path = saved(tmp_path, layered, n_subgraphs=2)
    back = SubgraphSelector.from_json(path)
    assert back.edge_layers_ == ("f", "s")
    assert back.transform(layered).tobytes() == selector.transform(layered).tobytes()


def test_functions_are_stored_by_name(tmp_path):
    selector, path = saved(tmp_path, score_func=difference, progress=lambda now: None)
    back = SubgraphSelector.from_json(path)
    assert back.get_params()["score_func"] == "difference"
    assert back.get_params()["progress"] is None
    assert back.transform(X).tobytes() == selector.transform(X).tobytes()
    with pytest.raises(InputError, match=r"^score_func must be one of"):
        back.fit(X, Y)


def test_a_file_with_an_earlier_parameter_name_is_read(tmp_path):
    selector, path = saved(tmp_path, score_func="g_test")

    def as_before(content):
        content["parameters"]["score"] = content["parameters"].pop("score_func")

    resigned(path, as_before)
    back = SubgraphSelector.from_json(path)
    assert back.score_func == "g_test"
    assert back.transform(X).tobytes() == selector.transform(X).tobytes()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"7", b"[" * 100_000, b'{"checksum": 1}', b"\xff\xfe", b"1" * 10_000]
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged, altered or of another format"):
        SubgraphSelector.from_json(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(version=2), "of version 1, but says dugraph.SubgraphSelector of version 2"),
        (lambda c: c.update(format="x"), "but says x of version 1"),
        (lambda c: c.pop("edges"), "a part is missing or wrong"),
        (lambda c: c["subgraphs"][0].append(99), "column indices from 0 to 14"),
        (lambda c: c["subgraphs"].pop(), "a part is missing or wrong"),
        (lambda c: c["parameters"].update(unknown=1), "a part is missing or wrong"),
        (lambda c: c["parameters"].update(phi={"object": "x"}), "unknown kind of value"),
        (lambda c: c["classes"].update(dtype="object"), "a part is missing or wrong"),
        (lambda c: c["result"].update(status="FINE"), "a part is missing or wrong"),
    ],
)
def test_invalid_content_with_a_valid_checksum_is_refused(tmp_path, change, message):
    _, path = saved(tmp_path)
    resigned(path, change)
    with pytest.raises(InputError, match=message):
        SubgraphSelector.from_json(path)


def test_files_that_cannot_be_read_or_written(tmp_path):
    selector, path = saved(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        SubgraphSelector.from_json(tmp_path / "absent.json")
    with pytest.raises(InputError, match="existing folder"):
        selector.to_json(tmp_path / "absent" / "model.json")
    before = path.read_bytes()
    with pytest.raises(InputError, match="pos_label must be made of text, numbers and arrays"):
        selector.set_params(pos_label=object()).to_json(path)
    with pytest.raises(InputError, match=r"pos_label .* has dtype complex128"):
        selector.set_params(pos_label=np.ones(1, complex)).to_json(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
