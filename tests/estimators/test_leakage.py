"""Test graphs influence neither the fit nor the output for other test graphs."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate

import dugraph as dg

RNG = np.random.default_rng(5)
N = 72
TRAIN, TEST = np.arange(48), np.arange(48, N)
NAMES = ["A--B", "A--C", "B--C", "A--D", "B--D", "C--D"]
SITE = np.array(["Lyon", "Oslo", "Rome"])[RNG.integers(0, 3, N)]
AGE = RNG.uniform(20, 60, N)
EDGES = RNG.uniform(0.2, 0.7, (N, 6)) + 0.2 * (SITE == "Oslo")[:, None] * (np.arange(6) < 3)
DOSE = 10 * EDGES[:, 0] * EDGES[:, 1] + 2.0 * (SITE == "Oslo") + 0.05 * AGE + 0.3 * RNG.normal(size=N)
CLASSES = np.where(np.median(DOSE) < DOSE, "patient", "control")
GROUPS = np.array(["mild", "none", "severe"])[np.digitize(DOSE, np.quantile(DOSE, [1 / 3, 2 / 3]))]
FRAME = pd.DataFrame(EDGES, columns=NAMES).assign(site=SITE, age=AGE)

BOTH = ["site", "age"]
FEW = {"n_subgraphs": 3, "min_expected_frequency": 0.05, "max_edges": 2, "covariates": BOTH}
PATH = {"alpha": 0.02, "min_expected_frequency": 0.05, "max_edges": 2, "covariates": BOTH}
STEPS = {
    "deconfound": (dg.Deconfound(BOTH), CLASSES),
    "deconfound by controls": (dg.Deconfound(BOTH, control_label="control"), CLASSES),
    "combat": (dg.Deconfound("site", "combat"), CLASSES),
    "selector of a phenotype": (dg.SubgraphSelector(**FEW), DOSE),
    "selector of classes": (dg.SubgraphSelector(**FEW), CLASSES),
    "selector of groups": (dg.SubgraphSelector(**FEW), GROUPS),
    "sparse regression": (dg.SparseSubgraphRegressor(**PATH), DOSE),
    "sparse classifier": (dg.SparseSubgraphClassifier(**PATH), CLASSES),
    "sparse classifier of groups": (dg.SparseSubgraphClassifier(**PATH), GROUPS),
}


def spoiled(rows, combat):
    """Change edges and covariates of some graphs; with ComBat to sites that occur in fit."""
    frame = FRAME.drop(columns="age") if combat else FRAME.copy()
    frame.loc[rows, NAMES] = RNG.uniform(0, 1, (len(rows), 6))
    frame.loc[rows, "site"] = SITE[rows][::-1] if combat else "elsewhere"
    if not combat:
        frame.loc[rows, "age"] = 1e6
    return frame


def fitted_in_fold(model, frame, y):
    found = cross_validate(model, frame, y, cv=[(TRAIN, TEST)], return_estimator=True, scoring=lambda *_: 0.0)
    return found["estimator"][0]


def outputs(model, frame):
    """All outputs of a fitted step."""
    ask = ("transform", "predict", "decision_function")
    return [np.asarray(getattr(model, name)(frame)) for name in ask if hasattr(model, name)]


@pytest.mark.parametrize("name", STEPS)
def test_test_graphs_do_not_influence_the_fit(name):
    model, y = STEPS[name]
    if name == "combat":
        pytest.importorskip("combatlearn")
    labels = y.copy()
    labels[TEST] = RNG.permutation(y[TEST])
    frame = FRAME.drop(columns="age") if name == "combat" else FRAME
    ours = fitted_in_fold(model, frame, y)
    theirs = fitted_in_fold(model, spoiled(TEST, name == "combat"), labels)
    for one, other in zip(outputs(ours, frame), outputs(theirs, frame), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", STEPS)
def test_the_output_for_a_graph_does_not_depend_on_the_others(name):
    model, y = STEPS[name]
    if name == "combat":
        pytest.importorskip("combatlearn")
    frame = FRAME.drop(columns="age") if name == "combat" else FRAME
    model = clone(model).fit(frame.iloc[TRAIN], y[TRAIN])
    kept, others = TEST[:12], TEST[12:]
    expected = outputs(model, frame.iloc[kept])
    beside = outputs(model, spoiled(others, name == "combat").iloc[TEST])
    for one, other in zip(expected, beside, strict=True):
        if one.dtype.kind == "f":
            np.testing.assert_allclose(other[:12], one, rtol=1e-12, atol=1e-12)
        else:
            assert np.array_equal(other[:12], one)


def test_covariates_as_metadata_are_split_with_the_graphs():
    """Changing the covariates of test graphs changes no subgraph."""
    site = SITE.copy()
    site[TEST] = "elsewhere"
    few = {name: value for name, value in FEW.items() if name != "covariates"}
    with sklearn.config_context(enable_metadata_routing=True):
        step = dg.SubgraphSelector(**few).set_fit_request(covariates=True)
        values = [
            cross_validate(
                step, EDGES, DOSE, cv=[(TRAIN, TEST)], params={"covariates": given}, return_estimator=True,
                scoring=lambda *_: 0.0,
            )["estimator"][0].values_
            for given in (SITE, site)
        ]  # fmt: skip
    expected = dg.mine_subgraphs(EDGES[TRAIN], DOSE[TRAIN], **few, covariates=SITE[TRAIN]).values
    assert values[0].tobytes() == values[1].tobytes() == expected.tobytes()
