"""Conventions of scikit-learn, tried with the installed release: a line each with what, expected and seen.

python benchmarks/conventions.py
"""

import io
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import dugraph as dg
from dugraph.exceptions import AssumedEdgesWarning

warnings.simplefilter("ignore")
RNG = np.random.default_rng(0)
Y = np.arange(30) % 2
X = RNG.random((30, 6)) * 0.6 + 0.3 * Y[:, None] * (np.arange(6) == 3)
NAMES = [f"{a}--{b}" for b in "ABCD" for a in "ABCD" if a < b]
FRAME = pd.DataFrame(X, columns=NAMES, index=[f"sub-{i}" for i in range(30)])
SELECT = dg.SubgraphSelector(n_subgraphs=2, min_expected_frequency=0.1)
SPARSE = dg.SparseSubgraphClassifier(alpha=0.02, min_expected_frequency=0.1)
REGRESS = dg.SparseSubgraphRegressor(alpha=0.002, min_expected_frequency=0.1)
CV = dg.SparseSubgraphClassifier(cv=3, n_alphas=4, max_edges=1)


def refusal(call: Callable[[], Any]) -> str:
    """The name of the error that a call raises."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "no error"


def warned(call: Callable[[], Any], category: type[Warning]) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return any(issubclass(one.category, category) for one in caught)


def pickled(estimator: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


def from_json(estimator: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        estimator.to_json(f"{folder}/model.json")
        return type(estimator).from_json(f"{folder}/model.json")


CONVENTIONS: list[tuple[str, Any, Callable[[], Any]]] = [
    ("clone keeps parameters", 2, lambda: clone(SELECT).n_subgraphs),
    ("fit returns self", True, lambda: (s := clone(SELECT)).fit(X, Y) is s),
    (
        "fit leaves parameters alone",
        True,
        lambda: clone(SPARSE).fit(X, Y).get_params() == SPARSE.get_params(),
    ),
    ("unfitted transform", "NotFittedError", lambda: refusal(lambda: clone(SELECT).transform(X))),
    ("unfitted predict", "NotFittedError", lambda: refusal(lambda: clone(SPARSE).predict(X))),
    ("NotFittedError is a ValueError", True, lambda: issubclass(NotFittedError, ValueError)),
    ("classifier is recognised", True, lambda: is_classifier(SPARSE)),
    ("regressor is recognised", True, lambda: is_regressor(REGRESS)),
    ("classes_ sorted", ["a", "b"], lambda: clone(SPARSE).fit(X, np.array(["b", "a"])[Y]).classes_.tolist()),
    ("n_features_in_", 6, lambda: clone(SELECT).fit(X, Y).n_features_in_),
    ("feature_names_in_", NAMES, lambda: clone(SELECT).fit(FRAME, Y).feature_names_in_.tolist()),
    (
        "other number of columns",
        "ValueError",
        lambda: refusal(lambda: clone(SELECT).fit(X, Y).transform(X[:, :3])),
    ),
    ("NaN is refused", "InputError", lambda: refusal(lambda: clone(SELECT).fit(X * np.nan, Y))),
    ("y of other length", "ValueError", lambda: refusal(lambda: clone(SELECT).fit(X, Y[:-1]))),
    (
        "sparse matrices",
        True,
        lambda: np.allclose(
            clone(SELECT).fit(sparse.csr_array(X), Y).transform(X), clone(SELECT).fit(X, Y).transform(X)
        ),
    ),
    (
        "float32 is preserved",
        "float32",
        lambda: str(clone(SELECT).fit_transform(X.astype(np.float32), Y).dtype),
    ),
    (
        "text classes",
        True,
        lambda: clone(SPARSE).fit(X, np.array(["b", "a"])[Y]).predict(X).dtype.kind == "U",
    ),
    ("decision_function has shape (n,)", (30,), lambda: clone(SPARSE).fit(X, Y).decision_function(X).shape),
    (
        "predict_proba sums to 1",
        True,
        lambda: np.allclose(clone(SPARSE).fit(X, Y).predict_proba(X).sum(1), 1),
    ),
    (
        "predict_log_proba",
        True,
        lambda: np.allclose(np.exp((m := clone(SPARSE).fit(X, Y)).predict_log_proba(X)), m.predict_proba(X)),
    ),
    (
        "no predict_proba for squared_hinge",
        False,
        lambda: hasattr(dg.SparseSubgraphClassifier(loss="squared_hinge"), "predict_proba"),
    ),
    ("score with sample_weight", True, lambda: 0 <= clone(SPARSE).fit(X, Y).score(X, Y, np.ones(30)) <= 1),
    ("no coef_ of other columns", False, lambda: hasattr(clone(SPARSE).fit(X, Y), "coef_")),
    ("feature_importances_ per column", (6,), lambda: clone(SPARSE).fit(X, Y).feature_importances_.shape),
    ("SelectFromModel", True, lambda: SelectFromModel(SPARSE, threshold=1e-9).fit(X, Y).get_support().any()),
    (
        "set_output pandas",
        NAMES,
        lambda: list(dg.EdgeProbability().set_output(transform="pandas").fit_transform(FRAME)),
    ),
    ("arrays by default", "ndarray", lambda: type(dg.EdgeProbability().fit_transform(FRAME)).__name__),
    (
        "index is kept by set_output",
        "sub-0",
        lambda: clone(SELECT).set_output(transform="pandas").fit_transform(FRAME, Y).index[0],
    ),
    ("get_feature_names_out", 2, lambda: len(clone(SELECT).fit(X, Y).get_feature_names_out())),
    (
        "names that are not edges warn",
        True,
        lambda: warned(lambda: clone(SELECT).fit(pd.DataFrame(X), Y), AssumedEdgesWarning),
    ),
    (
        "y in another order than X",
        "InputError",
        lambda: refusal(lambda: clone(SELECT).fit(FRAME, pd.Series(Y, FRAME.index)[::-1])),
    ),
    (
        "duplicate columns",
        "InputError",
        lambda: refusal(lambda: clone(SELECT).fit(FRAME.set_axis([NAMES[0]] * 6, axis=1), Y)),
    ),
    (
        "pipeline and cross-validation",
        3,
        lambda: len(cross_val_score(make_pipeline(SELECT, SVC()), X, Y, cv=3)),
    ),
    (
        "groups of an outer cross-validation",
        3,
        lambda: len(cross_val_score(SPARSE, X, Y, cv=GroupKFold(3), groups=np.arange(30) // 5)),
    ),
    (
        "grid search",
        1,
        lambda: (
            GridSearchCV(SELECT_SVC, {"subgraphselector__n_subgraphs": [1]}, cv=2)
            .fit(X, Y)
            .best_params_["subgraphselector__n_subgraphs"]
        ),
    ),
    ("a bad cv is refused", "InputError", lambda: refusal(lambda: clone(CV).set_params(cv="five").fit(X, Y))),
    (
        "joblib keeps predictions",
        True,
        lambda: np.array_equal(pickled(m := clone(SPARSE).fit(X, Y)).predict(X), m.predict(X)),
    ),
    (
        "JSON keeps predictions",
        True,
        lambda: np.array_equal(
            from_json(m := clone(SPARSE).fit(X, Y)).decision_function(X), m.decision_function(X)
        ),
    ),
    (
        "n_jobs=-2",
        True,
        lambda: np.array_equal(
            clone(SELECT).set_params(n_jobs=-2).fit(X, Y).transform(X), clone(SELECT).fit(X, Y).transform(X)
        ),
    ),
    (
        "sample_weight in fit",
        "accepted",
        lambda: (
            "accepted"
            if refusal(lambda: clone(SPARSE).fit(X, Y, sample_weight=np.ones(30))) == "no error"
            else "refused"
        ),
    ),
    (
        "groups reach the inner cv by routing",
        "accepted",
        lambda: (
            "accepted"
            if refusal(lambda: clone(CV).set_params(cv=GroupKFold(3)).fit(X, Y, groups=np.arange(30) // 5))
            == "no error"
            else "refused"
        ),
    ),
    ("class_weight is a parameter", True, lambda: "class_weight" in SPARSE.get_params()),
    (
        "class_weight equals weights of the graphs",
        True,
        lambda: np.allclose(
            clone(SPARSE).set_params(class_weight={0: 1, 1: 3}).fit(X, Y).decision_function(X),
            clone(SPARSE).fit(X, Y, sample_weight=1 + 2 * Y).decision_function(X),
        ),
    ),
    (
        "sample_weight in the fit of the regressor",
        "no error",
        lambda: refusal(lambda: clone(REGRESS).fit(X, Y, sample_weight=np.ones(30))),
    ),
    (
        "negative weights are refused",
        "InputError",
        lambda: refusal(lambda: clone(SPARSE).fit(X, Y, None, -Y)),
    ),
    (
        "a weight of 0 leaves a graph out",
        True,
        lambda: np.allclose(
            clone(SPARSE).fit(X, Y, sample_weight=np.arange(30) > 3).decision_function(X),
            clone(SPARSE).fit(X[4:], Y[4:]).decision_function(X),
        ),
    ),
    ("sample_weight is routed", True, lambda: routed("sample_weight", np.ones(30))),
    ("groups are routed", True, lambda: routed("groups", np.arange(30) // 5)),
    (
        "sample_weight of a selector",
        "InputError",
        lambda: refusal(lambda: clone(SELECT).fit(X, Y, sample_weight=np.ones(30))),
    ),
    (
        "l1_ratio in a grid search",
        True,
        lambda: GridSearchCV(SPARSE, {"l1_ratio": [0.5, 1]}, cv=2).fit(X, Y).best_score_ > 0,
    ),
    (
        "refit of the coefficients",
        True,
        lambda: clone(CV).set_params(refit="ridge").fit(X, Y).model_.ridge_alpha > 0,
    ),
    ("a bad cv is refused by evaluate", "InputError", lambda: refusal(lambda: dg.evaluate(X, Y, cv="five"))),
]


def routed(name: str, values: Any) -> bool:
    """Whether metadata reach the fit in a cross-validation."""
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(SPARSE).set_fit_request(**{name: True}).set_score_request(sample_weight=False)
        scores = cross_validate(model, X, Y, cv=3, params={name: values}, error_score="raise")
    return len(scores["test_score"]) == 3


SELECT_SVC = make_pipeline(SELECT, SVC())


def main() -> None:
    print(f"scikit-learn {sklearn.__version__}\n\n| what | expected | seen |\n|---|---|---|")
    missed = 0
    for what, expected, look in CONVENTIONS:
        try:
            seen = look()
        except Exception as error:
            seen = f"{type(error).__name__}: {str(error)[:80]}"
        missed += seen != expected
        print(f"| {what} | {expected} | {seen}{'' if seen == expected else ' (!)'} |")
    print(f"\n{len(CONVENTIONS) - missed} of {len(CONVENTIONS)} as expected")


if __name__ == "__main__":
    main()
