"""The methods of the sparse classifier in the protocol, against the definition by hand."""

import numpy as np
import pytest
from ridge_oracle import RidgeByHand
from sklearn.model_selection import StratifiedShuffleSplit

from dugraph import RandomSplits, evaluate, sparse_path
from dugraph.cli import main
from dugraph.evaluation import cells
from dugraph.evaluation.methods import KNOWN

NAMES = ("sparse", "sparse-own", "l1-edges", "l1-edges-own")
SETTINGS = {"methods": NAMES, "n_subgraphs": [1, 4], "cv": RandomSplits(3, random_state=5)}


def last_before_too_many(path, t):
    """The model before the first with more than t subgraphs, written as the words are."""
    kept = path[0]
    for model in path:
        if len(model.coef) > t:
            break
        kept = model
    return kept


def errors_by_hand(X, y, method, splits):
    limits = {"max_edges": 1, "min_expected_frequency": 0.0} if method.startswith("l1") else {}
    errors = []
    for train, test in splits:
        path = sparse_path(X[train], y[train], **limits)
        row = []
        for t in SETTINGS["n_subgraphs"]:
            model = last_before_too_many(path, t)
            a, b = model.containment(X[train]), model.containment(X[test])
            if method.endswith("-own"):
                predicted = (model.decision_function(X[test]) > 0).astype(int)
            elif a.shape[1]:
                predicted = RidgeByHand().fit(a, y[train]).predict(b)
            else:
                predicted = np.full(len(test), int(y[train].mean() > 0.5))
            row.append(np.mean(predicted != y[test]))
        errors.append(row)
    return np.array(errors).T


@pytest.fixture(scope="module")
def result(small):
    return evaluate(*small, **SETTINGS)


def test_the_names_are_known(result):
    assert result.methods == NAMES
    assert set(NAMES) <= set(KNOWN["classes"])
    assert result.proven


@pytest.mark.parametrize("method", NAMES)
def test_errors_are_those_of_the_definition(small, result, method):
    X, y = small
    splits = StratifiedShuffleSplit(3, test_size=0.2, random_state=5).split(X, y)
    expected = errors_by_hand(X, y, method, splits)
    np.testing.assert_allclose(result.values("error")[NAMES.index(method)], expected)
    assert expected.min() < 0.5


def test_an_interrupted_run_continues(small, tmp_path, monkeypatch):
    first = evaluate(*small, **{**SETTINGS, "methods": NAMES[:2]}, cache=tmp_path)
    done = cells.run_cell
    computed = []

    def counting(subjects, job):
        computed.append(job.method)
        return done(subjects, job)

    monkeypatch.setattr(cells, "run_cell", counting)
    whole = evaluate(*small, **SETTINGS, cache=tmp_path)
    assert set(computed) == set(NAMES[2:])
    assert whole.values("auc")[:2].tolist() == first.values("auc").tolist()
    computed.clear()
    assert evaluate(*small, **SETTINGS, cache=tmp_path).cells == whole.cells
    assert computed == []


def test_the_names_are_documented(capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for name in (*NAMES, "+div"):
        assert name in shown
        assert f'"{name}"' in evaluate.__doc__
