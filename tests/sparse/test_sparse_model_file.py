"""A sparse classifier saved as JSON: restored to the bit; damaged files are refused."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from dugraph import InputError, SparseSubgraphClassifier, SubgraphSelector, UncertainGraphs
from dugraph.estimators import load_model
from dugraph.estimators.model_file import _signed

RNG = np.random.default_rng(4)
X = RNG.uniform(0.2, 0.9, (24, 6))
Y = np.array(["control", "patient"] * 12)
X[Y == "patient", :2] += 0.1


def saved(tmp_path, X=X, **parameters):
    path = tmp_path / "model.json"
    model = SparseSubgraphClassifier(**{"alpha": 0.02, "n_alphas": 5, **parameters}).fit(X, Y)
    model.to_json(path)
    return model, path


@pytest.mark.parametrize(
    "parameters",
    [{}, {"alpha": "cv", "cv": 2}, {"alpha": None, "n_nonzero": 2, "loss": "squared_hinge"}, {"alpha": 9.0}],
)
def test_everything_is_restored_to_the_bit(tmp_path, parameters):
    model, path = saved(tmp_path, **parameters)
    back = SparseSubgraphClassifier.from_json(path)
    new = RNG.random((5, 6))
    for method in ("transform", "decision_function"):
        assert getattr(back, method)(new).tobytes() == getattr(model, method)(new).tobytes()
    assert back.predict(new).tolist() == model.predict(new).tolist()
    assert hasattr(back, "predict_proba") == hasattr(model, "predict_proba")
    assert back.subgraphs_ == model.subgraphs_
    assert back.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert [repr(m) for m in back.path_] == [repr(m) for m in model.path_]
    assert (back.alpha_, back.objective_, back.duality_gap_) == (
        model.alpha_,
        model.objective_,
        model.duality_gap_,
    )
    assert (back.n_searches_, back.finished_) == (model.n_searches_, model.finished_)
    assert hasattr(back, "cv_losses_") == hasattr(model, "cv_losses_")
    assert back.get_params() == model.get_params()
    again = tmp_path / "again.json"
    back.to_json(again)
    assert again.read_bytes() == path.read_bytes()
    assert type(load_model(path)) is SparseSubgraphClassifier


def test_layers_frames_and_splitters(tmp_path):
    layered = UncertainGraphs(X[:, :2], edges=[[0, 1], [0, 1]], edge_layers=["f", "s"])
    model, path = saved(tmp_path, layered)
    back = SparseSubgraphClassifier.from_json(path)
    assert back.predict(layered).tolist() == model.predict(layered).tolist()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    _, path = saved(tmp_path, frame, alpha="cv", cv=KFold(3))
    back = SparseSubgraphClassifier.from_json(path)
    assert back.feature_names_in_.tolist() == list(frame)
    assert back.cv == "KFold(n_splits=3, random_state=None, shuffle=False)"


def test_the_error_names_the_class_of_the_file(tmp_path):
    _, path = saved(tmp_path)
    with pytest.raises(InputError, match=r"Read it with SparseSubgraphClassifier\.from_json"):
        SubgraphSelector.from_json(path)
    SubgraphSelector(n_subgraphs=2).fit(X, Y).to_json(path)
    with pytest.raises(InputError, match=r"Read it with SubgraphSelector\.from_json"):
        SparseSubgraphClassifier.from_json(path)
    assert type(load_model(path)) is SubgraphSelector


def test_a_file_with_a_removed_parameter_is_read(tmp_path):
    model, path = saved(tmp_path)
    content = json.loads(path.read_text())
    content.pop("checksum")
    content["parameters"]["checkpoint"] = None
    path.write_bytes(_signed(content))
    assert load_model(path).subgraph_coef_.tobytes() == model.subgraph_coef_.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(chosen=7), "must be one of the path"),
        (lambda c: c["path"][0].update(subgraphs=[[0]]), "missing or wrong"),
        (lambda c: c["subgraphs"].append([1]), "must have the subgraphs of the file"),
        (lambda c: c["path"][0]["coef"]["values"].pop(), "there must be as many"),
        (lambda c: c["path"][0].update(status="FINE"), "missing or wrong"),
        (lambda c: c.pop("n_searches"), "missing or wrong"),
        (lambda c: c["parameters"].update(unknown=1), "missing or wrong"),
    ],
)
def test_invalid_content_with_a_valid_checksum_is_refused(tmp_path, change, message):
    _, path = saved(tmp_path)
    content = json.loads(path.read_text())
    content.pop("checksum")
    change(content)
    path.write_bytes(_signed(content))
    with pytest.raises(InputError, match=message):
        SparseSubgraphClassifier.from_json(path)


def test_a_damaged_file_is_refused(tmp_path):
    _, path = saved(tmp_path)
    stored = bytearray(path.read_bytes())
    stored[len(stored) // 2] ^= 1
    path.write_bytes(stored)
    with pytest.raises(InputError, match="damaged, altered or of another format"):
        load_model(path)
