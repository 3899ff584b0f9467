"""`SubgraphSelector` among scikit-learn's own tools: pipelines, searches, cross-validation, Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import dugraph as dg
from dugraph.estimators import EdgeProbability, SubgraphSelector
from dugraph.exceptions import InputError
from dugraph.search import MiningResult, Status


@pytest.fixture(scope="module")
def cohort():
    return dg.simulate("adhd", n_graphs=60, random_state=0)


def method(**parameters):
    return make_pipeline(SubgraphSelector(n_subgraphs=20, **parameters), SVC(kernel="linear"))


def test_cross_validation_equals_an_explicit_loop(cohort):
    X, y = cohort.graphs.edge_probability, cohort.y
    groups = np.arange(60) % 3
    by_tool = cross_validate(method(), X, y, cv=LeaveOneGroupOut(), groups=groups)["test_score"]
    by_hand = [
        method().fit(X[groups != g], y[groups != g]).score(X[groups == g], y[groups == g]) for g in range(3)
    ]
    assert by_tool.tolist() == by_hand


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.xdist_group("joblib")
def test_grid_search_over_score_and_measure(cohort, n_jobs):
    grid = {
        "subgraphselector__score_func": ["hsic", "frequency_ratio"],
        "subgraphselector__measure": ["expectation", "median"],
    }
    search = GridSearchCV(method(), grid, cv=2, n_jobs=n_jobs).fit(cohort.graphs, cohort.y)
    assert len(search.cv_results_["params"]) == 4
    chosen = search.best_estimator_["subgraphselector"].get_params()
    assert chosen["score_func"] == search.best_params_["subgraphselector__score_func"]


def test_correlations_to_classes_in_one_pipeline(cohort):
    correlation = cohort.graphs.edge_probability * 1.2 - 0.2
    pipeline = make_pipeline(EdgeProbability(threshold=0.1), *[step for _, step in method().steps])
    pipeline.fit(correlation, cohort.y)
    assert pipeline[:-1].get_feature_names_out().shape == (20,)
    assert pipeline.score(correlation, cohort.y) > 0.7


def test_an_interrupted_search_raises_in_fit(cohort):
    def press(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SubgraphSelector(progress=press, min_expected_frequency=0.01).fit(cohort.graphs, cohort.y)


def test_a_limit_before_the_first_subgraph_is_an_error(cohort, monkeypatch):
    found = dg.mine_subgraphs(cohort.graphs, cohort.y, n_subgraphs=5)
    nothing = {"subgraphs": [], "status": Status.TIME_LIMIT}
    monkeypatch.setattr(
        "dugraph.estimators.selector.mine_subgraphs",
        lambda *args, **kwargs: MiningResult(**(vars(found) | nothing)),
    )
    with pytest.raises(InputError, match=r"found none before it stopped.*Raise time_limit"):
        SubgraphSelector().fit(cohort.graphs, cohort.y)


LONG_SEARCH = """
    import sys
    import dugraph as dg
    from sklearn.model_selection import GridSearchCV
    from dugraph.evaluation import make_method

    graphs, y, _ = dg.simulate("adni", random_state=0)
    # Without pruning by a bound this takes far longer than anybody waits.
    method = make_method("exp-hsic", C=1.0, min_expected_frequency=0.05, bound="frequency")
    method["selector"].set_params(progress=lambda _: print("searching", flush=True))
    search = GridSearchCV(method, {"classifier__C": [0.1, 1.0, 10.0]}, cv=5)
    try:
        search.fit(graphs.edge_probability, y)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
"""


@pytest.mark.system
def test_ctrl_c_stops_a_whole_grid_search():
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(LONG_SEARCH)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "searching\n"
        os.kill(process.pid, signal.SIGINT)
        # This search answers, and is the last: further fits would each take hours.
        _, errors = process.communicate()
        assert errors == "interrupted\n"
        assert process.returncode == 130
    finally:
        process.kill()
        process.wait()
