"""`SubgraphSelector` with a phenotype, several groups, covariates, and classes one by one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import dugraph as dg
from dugraph.exceptions import InputError
from dugraph.search.mining import mine_within

RNG = np.random.default_rng(0)
N = 60
DOSE = RNG.normal(size=N)
ARM = np.array(["high", "low", "none"])[np.arange(N) % 3]
X = RNG.uniform(0.3, 0.6, (N, 10))
X[:, :2] = np.clip(0.5 + 0.2 * DOSE, 0.05, 0.95)[:, None]
X[:, 7] = np.where(ARM == "low", 0.9, 0.3)
X[:, 8] = np.where(ARM == "none", 0.8, 0.35)
FEW = {"n_subgraphs": 6, "min_expected_frequency": 0.1}


def test_a_phenotype_is_predicted_in_a_pipeline():
    model = make_pipeline(dg.SubgraphSelector(**FEW), Ridge(alpha=0.1))
    assert cross_val_score(model, X, DOSE, cv=5).mean() > 0.5
    search = GridSearchCV(model, {"subgraphselector__n_subgraphs": [1, 4]}, cv=3).fit(X, DOSE)
    assert search.best_score_ > 0.5


def test_groups_are_classified_in_a_pipeline():
    model = make_pipeline(dg.SubgraphSelector(**FEW), LogisticRegression(C=100))
    assert cross_val_score(model, X, ARM, cv=5).mean() > 0.9


def test_covariates_as_columns_of_x_or_participants(tmp_path):
    """Covariates as columns of participants, a frame or an array give the same fit, also in folds."""
    site, scale = np.array(["Lyon", "Oslo", "Rome"])[RNG.integers(0, 3, N)], RNG.normal(size=N)
    y = DOSE + 4.0 * (site == "Oslo") + scale
    graphs = dg.UncertainGraphs(X, participants={"site": site, "scale": scale})
    plain = dg.mine_subgraphs(graphs, y, covariates=["site", "scale"], **FEW)
    assert plain.subgraphs != dg.mine_subgraphs(graphs, y, **FEW).subgraphs
    named = dg.SubgraphSelector(covariates=["site", "scale"], **FEW).fit(graphs, y)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(10)]).assign(site=site, scale=scale)
    framed = dg.SubgraphSelector(covariates=["site", "scale"], **FEW).fit(frame, y)
    values = dg.SubgraphSelector(**FEW).fit(graphs, y, covariates=["site", "scale"])
    for selector in (named, framed, values):
        assert selector.subgraphs_ == plain.subgraphs
        assert selector.values_.tobytes() == plain.values.tobytes()
        assert selector.n_features_in_ == 10
    numbers = np.column_stack([X, scale])
    once = dg.SubgraphSelector(covariates=-1, **FEW).fit(numbers, y)
    assert once.subgraphs_ == dg.mine_subgraphs(X, y, covariates=scale, **FEW).subgraphs
    assert once.result_.parameters["covariates"] == ["column 10"]
    # Features need no covariates; those of a frame may be there or not.
    expected = named.transform(graphs)
    for found in (framed.transform(frame), framed.transform(frame.drop(columns=["site", "scale"]))):
        assert np.array_equal(found, expected)
    products = [X[:, list(g)].prod(axis=1) for g in once.subgraphs_]
    np.testing.assert_allclose(once.transform(numbers), np.transpose(products), rtol=1e-12)
    # A search over folds: each training part is adjusted by its own regression.
    train = np.arange(40)
    model = make_pipeline(dg.SubgraphSelector(covariates=["site", "scale"], **FEW), Ridge())
    score = cross_val_score(model, frame, y, cv=[(train, np.arange(40, N))])[0]
    known = dg.mine_subgraphs(graphs[train], y[train], covariates=["site", "scale"], **FEW).subgraphs
    columns = np.column_stack([X[:, list(g)].prod(axis=1) for g in known])
    assert score == pytest.approx(Ridge().fit(columns[:40], y[:40]).score(columns[40:], y[40:]))
    named.to_json(tmp_path / "model.json")
    again = dg.SubgraphSelector.from_json(tmp_path / "model.json")
    assert again.covariates == ["site", "scale"]
    assert np.array_equal(again.transform(graphs), expected)
    with pytest.raises(InputError, match="covariates must be given once"):
        named.fit(graphs, y, covariates=scale)
    with pytest.raises(InputError, match="covariates must name columns of X, but there is no age"):
        dg.SubgraphSelector(covariates="age").fit(frame, y)


@pytest.mark.parametrize("y", [DOSE, ARM, np.arange(N) % 3])
def test_a_fit_is_restored_from_its_file(y, tmp_path):
    settings = {"multi_class": "ovr", "score_func": "g_test"} if y.dtype.kind == "i" else {}
    selector = dg.SubgraphSelector(**FEW, **settings).fit(X, y)
    selector.to_json(tmp_path / "model.json")
    again = dg.SubgraphSelector.from_json(tmp_path / "model.json")
    assert again.transform(X).tobytes() == selector.transform(X).tobytes()
    assert again.classes_.tolist() == selector.classes_.tolist()
    assert again.result_.contrasts == selector.result_.contrasts
    assert again.result_.parameters == selector.result_.parameters


def test_classes_one_by_one_share_the_list():
    wanted = 7
    options = {"score": "information_gain", "measure": "median", "n_subgraphs": wanted}
    result = dg.mine_subgraphs(X, ARM, multi_class="ovr", min_expected_frequency=0.1, **options)
    groups = np.unique(ARM).tolist()
    lists = {
        g: dg.mine_subgraphs(X, g == ARM, min_expected_frequency=0.1, **options).subgraphs for g in groups
    }
    expected = []
    while len(expected) < wanted:
        group = groups[len(expected) % 3]
        expected.append(next(g for g in lists[group] if g not in expected))
    assert result.subgraphs == expected
    assert [contrast.split()[0] for contrast in result.contrasts] == (groups * 3)[:wanted]
    for subgraph, value, contrast in zip(result.subgraphs, result.values, result.contrasts, strict=True):
        group = contrast.removesuffix(" against the rest")
        scores = dg.score_distribution(X, group == ARM, subgraph, "information_gain")
        assert value == pytest.approx(scores.median())
    numbers = dg.mine_subgraphs(X, np.arange(N) % 3, multi_class="ovr", min_expected_frequency=0.1, **options)
    assert numbers.subgraphs == result.subgraphs  # the same groups in the same order
    assert "Proven for each of 3 classes" in result.message
    two = dg.mine_subgraphs(X, ARM == "low", multi_class="ovr", min_expected_frequency=0.1, **options)
    assert two.subgraphs == lists["low"]


def test_all_classes_share_the_limits():
    with pytest.warns(dg.exceptions.LimitReachedWarning, match="node limit"):
        result = mine_within(31, X, ARM, multi_class="ovr", score="g_test", min_expected_frequency=0.01)
    assert result.status is dg.search.Status.NODE_LIMIT
    assert result.n_visited < 200


def test_tags_declare_the_allowed_labels():
    any_labels = get_tags(dg.SubgraphSelector())
    assert any_labels.classifier_tags.multi_class
    assert any_labels.regressor_tags is not None
    two = get_tags(dg.SubgraphSelector(score_func="g_test"))
    assert not two.classifier_tags.multi_class
    assert two.regressor_tags is None
    classes = get_tags(dg.SubgraphSelector(score_func="g_test", multi_class="ovr"))
    assert classes.classifier_tags.multi_class
    assert classes.regressor_tags is None


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        (
            DOSE,
            {"score_func": "g_test"},
            'score_func="g_test" needs two classes without covariates, but y is',
        ),
        (ARM, {"measure": "mode"}, 'measure="mode" needs two classes without covariates, but y has 3 groups'),
        (DOSE, {"score_cap": 0.5}, "score_cap=0.5 needs two classes"),
        (DOSE, {"multi_class": "multinomial"}, "multi_class must be one of ovr, but is 'multinomial'"),
        (np.full(N, 2.0), {}, "y must take at least two values: every graph has 2.0"),
        (np.array([f"g{k}" for k in range(N)]), {}, "A group must have several graphs"),
        (DOSE * 1e200, {}, "y must vary by more than 1e-100 and less than 1e\\+100"),
    ],
)
def test_invalid_labels_and_settings_are_refused(y, settings, message):
    with pytest.raises(InputError, match=message):
        dg.SubgraphSelector(**FEW, **settings).fit(X, y)


def test_covariates_need_the_expected_hsic():
    with pytest.raises(
        InputError, match='score="g_test" needs two classes without covariates, but covariates'
    ):
        dg.mine_subgraphs(X, ARM == "low", score="g_test", covariates=DOSE)
    with pytest.raises(InputError, match="y must not be a linear combination of covariates: "):
        dg.mine_subgraphs(X, DOSE, covariates=3 - 2 * DOSE)
    with pytest.raises(InputError, match="must be finite"):
        dg.mine_subgraphs(X, DOSE, covariates=np.where(np.arange(N) == 3, np.inf, DOSE**2))
    with pytest.raises(InputError, match="missing for 1 graph: 3"):
        dg.mine_subgraphs(X, np.where(np.arange(N) == 3, np.nan, DOSE))


def test_frequency_ignores_labels():
    plain = dg.mine_subgraphs(X, ARM == "low", measure="frequency", **FEW)
    for y in (DOSE, ARM):
        assert dg.mine_subgraphs(X, y, measure="frequency", **FEW).subgraphs == plain.subgraphs
