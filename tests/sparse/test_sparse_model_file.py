"""A sparse classifier saved as JSON: restored to the bit; damaged files are refused."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from dugraph import (
    InputError,
    SparseSubgraphClassifier,
    SparseSubgraphRegressor,
    SubgraphSelector,
    UncertainGraphs,
)
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


AGE = 5 * X[:, 0] + RNG.normal(size=24)
SITE = np.array(list("abc"))[np.arange(24) % 3]
FRAME = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)]).assign(site=SITE, age=AGE)
REFITTED = {"cv": 3, "n_alphas": 3, "refit": "ridge", "l1_ratio": 0.9}


@pytest.mark.parametrize(
    ("kind", "parameters", "X", "y"),
    [
        (SparseSubgraphClassifier, {"alpha": 0.02}, X, Y),
        (SparseSubgraphClassifier, {"cv": 2, "n_alphas": 5}, X, Y),
        (SparseSubgraphClassifier, {"alpha": None, "n_nonzero": 2, "loss": "squared_hinge"}, X, Y),
        (SparseSubgraphClassifier, {"alpha": 9.0}, X, Y),
        (SparseSubgraphClassifier, {"cv": 2, "n_alphas": 3}, X, SITE),
        (SparseSubgraphClassifier, {**REFITTED, "class_weight": {"control": 1.0, "patient": 2.0}}, X, Y),
        (SparseSubgraphClassifier, {"covariates": ["site", "age"], "cv": 3, "n_alphas": 5}, FRAME, Y),
        (SparseSubgraphRegressor, {**REFITTED, "covariates": "site"}, FRAME.drop(columns="age"), AGE),
    ],
)
def test_everything_is_restored_to_the_bit(tmp_path, kind, parameters, X, y):
    path, again = tmp_path / "model.json", tmp_path / "again.json"
    model = kind(**parameters).fit(X, y)
    model.to_json(path)
    back = load_model(path)
    assert type(back) is kind
    new = X.iloc[:5] if isinstance(X, pd.DataFrame) else RNG.random((5, 6))
    for method in ("transform", "predict_proba", "decision_function"):
        assert hasattr(back, method) == hasattr(model, method)
        if hasattr(model, method):
            assert getattr(back, method)(new).tobytes() == getattr(model, method)(new).tobytes()
    assert back.predict(new).tolist() == model.predict(new).tolist()
    assert back.subgraphs_ == model.subgraphs_
    assert back.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert back.get_params() == model.get_params()
    assert [repr(m) for m in back.models_] == [repr(m) for m in model.models_]
    for name in ("alpha_", "objective_", "duality_gap_", "n_searches_", "finished_", "intercept_", "path_"):
        assert repr(getattr(back, name, None)) == repr(getattr(model, name, None))
    assert hasattr(back, "cv_losses_") == hasattr(model, "cv_losses_")
    back.to_json(again)
    assert again.read_bytes() == path.read_bytes()


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
