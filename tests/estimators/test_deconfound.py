"""Deconfound: residuals, control groups, new sites, no leakage from test graphs."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from dugraph import Deconfound, InputError

RNG = np.random.default_rng(0)
N = 60
SITE = np.array(["Pitt", "NYU", "UCLA"])[RNG.integers(0, 3, N)]
AGE = RNG.uniform(10, 60, N)
Y = np.where(RNG.random(N) < 0.5, "control", "patient")
R = RNG.uniform(-0.2, 0.4, (N, 6)) + 0.01 * AGE[:, None] + 0.3 * (SITE == "NYU")[:, None]
NAMES = [f"{a}--{b}" for b in "abcd" for a in "abcd" if a < b]
FRAME = pd.DataFrame(R, columns=NAMES).assign(site=SITE, age=AGE)
NUMBERS = np.column_stack([SITE == "Pitt", SITE == "UCLA", AGE]).astype(float)


def test_the_output_is_the_residual_plus_the_mean():
    step = Deconfound(["site", "age"])
    found = step.fit_transform(FRAME)
    assert isinstance(found, np.ndarray)
    fitted = LinearRegression().fit(NUMBERS, R)
    np.testing.assert_allclose(found, R - fitted.predict(NUMBERS) + R.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(step.coef_, fitted.coef_.T, atol=1e-10)
    assert step.get_feature_names_out().tolist() == NAMES
    array = np.column_stack([R, NUMBERS])
    np.testing.assert_allclose(Deconfound([6, 7, 8]).fit_transform(array), found, atol=1e-10)
    assert Deconfound().fit_transform(R).tobytes() == R.tobytes()


def test_only_controls_determine_the_effect():
    step = Deconfound(["site", "age"], control_label="control").fit(FRAME, Y)
    expected = LinearRegression().fit(NUMBERS[Y == "control"], R[Y == "control"])
    np.testing.assert_allclose(step.coef_, expected.coef_.T, atol=1e-10)
    spoiled = FRAME.copy()
    spoiled.loc[Y == "patient", NAMES] = 9.0
    spoiled.loc[Y == "patient", "age"] = 1e6
    assert clone(step).fit(spoiled, Y).coef_.tobytes() == step.coef_.tobytes()


def test_new_sites_and_collinear_columns():
    step = Deconfound(["site", "age", "again"]).fit(FRAME.assign(again=2 * AGE))
    np.testing.assert_allclose(
        step.transform(FRAME.assign(again=2 * AGE)),
        Deconfound(["site", "age"]).fit_transform(FRAME),
        atol=1e-9,
    )
    there = Deconfound("site").fit(FRAME.drop(columns="age"))
    new = FRAME.drop(columns="age").assign(site="elsewhere")
    np.testing.assert_allclose(there.transform(new), R, atol=1e-12)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Deconfound("age", method="median"), "method must be one of regression, combat, but is 'median'"),
        (Deconfound("iq"), "covariates must name columns of X, but there is no iq"),
        (
            Deconfound("age", control_label="healthy"),
            "include the class control_label, .* 'healthy' has 0 graphs",
        ),
        (
            Deconfound("age", "combat"),
            "needs one column of categories, .* got 1 column of numbers with fractions",
        ),
        (Deconfound(["age", "site"], "combat"), "needs one column of categories, .* got 2 columns"),
    ],
)
def test_invalid_input_is_refused(step, message):
    with pytest.raises(InputError, match=message):
        step.fit(FRAME.drop(columns=[] if "site" in step.covariates else "site"), Y)


def test_invalid_parameters_are_refused():
    with pytest.raises(InputError, match="control_label needs the classes, but y is None"):
        Deconfound(["site", "age"], control_label="control").fit(FRAME)
    few = FRAME.iloc[[int(np.flatnonzero(site == SITE)[0]) for site in ("Pitt", "NYU", "UCLA")]]
    with pytest.raises(InputError, match=r"more training graphs .* got 3 graphs for 3 numbers"):
        Deconfound(["site", "age"]).fit(few)


def test_sites_are_harmonised_by_combat():
    pytest.importorskip("combatlearn")
    frame = FRAME.drop(columns="age")
    step = Deconfound("site", "combat").fit(frame)
    found = step.transform(frame)
    before, after = (
        np.ptp([np.asarray(values)[site == SITE].mean(axis=0) for site in np.unique(SITE)], axis=0).mean()
        for values in (R, found)
    )
    assert after < 0.2 * before
    # Each graph alone gives the same values as all together: `transform` learns nothing.
    np.testing.assert_allclose(step.transform(frame.iloc[:5]), found.iloc[:5], atol=1e-12)
    with pytest.raises(
        InputError, match="can harmonise only the sites seen in fit, NYU, Pitt, UCLA: got elsewhere"
    ):
        step.transform(frame.assign(site="elsewhere"))


def test_the_error_without_combatlearn_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "combatlearn", None)
    with pytest.raises(InputError, match=r"needs the package combatlearn, .* pip install 'dugraph"):
        Deconfound("site", "combat").fit(FRAME.drop(columns="age"))
