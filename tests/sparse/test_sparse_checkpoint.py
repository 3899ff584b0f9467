"""A path of penalties that is stopped or killed goes on to the same models, to the byte."""

import os
import warnings

import numpy as np
import pytest

import dugraph as dg
from dugraph import LimitReachedWarning, SparseSubgraphClassifier, SparseSubgraphRegressor, sparse_path
from dugraph.cli import main
from dugraph.sparse.column_generation import ColumnGeneration

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
RNG = np.random.default_rng(3)
Y = np.tile([0, 1], 15)
X = RNG.uniform(0.2, 0.8, (30, 15))
X[Y == 1, :2] += 0.15
AGE = 40 + 20 * X[:, 0] * X[:, 1] + RNG.normal(0, 1, 30)
PATH = {"n_alphas": 8, "alpha_min_ratio": 0.05, "min_expected_frequency": 0.1}
FITS = [
    (SparseSubgraphClassifier, Y, {"alpha": "cv", "cv": 3}),
    (SparseSubgraphClassifier, Y, {"alpha": None, "n_nonzero": 5}),
    (SparseSubgraphClassifier, Y, {"alpha": 0.02, "loss": "squared_hinge"}),
    (SparseSubgraphClassifier, np.arange(30) % 3, {"alpha": "cv", "cv": 2, "n_nonzero": 6}),
    (SparseSubgraphRegressor, AGE, {"alpha": "cv", "cv": 3}),
]


def members(model):
    return (
        *(model.alpha, model.subgraphs, model.coef.tobytes(), model.intercept, model.objective),
        *(model.duality_gap, model.status, model.covariate_coef.tobytes()),
    )


def told(model):
    """All that a fit has found."""
    choices = [[*map(members, choice.path), members(choice.model)] for choice in model.choices_]
    losses = [None if c.cv_losses is None else c.cv_losses.tobytes() for c in model.choices_]
    return choices, losses, model.n_searches_, model.finished_


@pytest.fixture
def stopping(monkeypatch):
    """Let every so manieth penalty end by Ctrl-C, before or after it is fitted."""
    solve, count = ColumnGeneration.solve, [0]

    def stop_at(every, after):
        def stopped(self, *step):
            count[0] += 1
            now = count[0] > 0 and count[0] % every == 0
            if now and not after:
                raise KeyboardInterrupt
            model = solve(self, *step)
            if now:
                raise KeyboardInterrupt
            return model

        monkeypatch.setattr(ColumnGeneration, "solve", stopped)
        return count

    return stop_at


def until_it_ends(work):
    for n_stops in range(1000):
        try:
            return work(), n_stops
        except KeyboardInterrupt:
            continue
    raise AssertionError("no end")


STOPPED = [(*fit, after) for i, fit in enumerate(FITS) for after in (False, True) if SOAK or after == i % 2]


@pytest.mark.parametrize(("estimator", "y", "asked", "after"), STOPPED)
def test_a_fit_that_is_stopped_goes_on_to_the_same_models(estimator, y, asked, after, stopping, tmp_path):
    whole = estimator(**PATH, **asked).fit(X, y)
    model = estimator(**PATH, **asked, checkpoint=tmp_path / "fit.npz")
    count = stopping(2 if SOAK else 3, after)
    fitted, n_stops = until_it_ends(lambda: model.fit(X, y))
    assert told(fitted) == told(whole)
    assert n_stops > 0 or count[0] == 1
    count[0] = -(10**9)
    assert told(model.fit(X, y)) == told(whole)  # at once
    assert count[0] == -(10**9)


@pytest.mark.parametrize("seed", range(200 if SOAK else 6))
def test_paths_with_covariates_go_on(seed, stopping, tmp_path):
    random = np.random.default_rng(seed)
    graphs = random.uniform(0, 1, (20, 15))
    loss = ["logistic", "squared_hinge", "squared"][seed % 3]
    y = random.normal(size=20) if loss == "squared" else np.arange(20) % 2
    asked = {"loss": loss, "covariates": random.random((20, seed % 3)) if seed % 3 else None, **PATH}
    whole = sparse_path(graphs, y, **asked)
    stopping(int(random.integers(2, 5)), bool(random.integers(2)))
    found, _ = until_it_ends(lambda: sparse_path(graphs, y, **asked, checkpoint=tmp_path / "path.npz"))
    assert list(map(members, found)) == list(map(members, whole))


def test_time_limits_only_lengthen_the_way(tmp_path, monkeypatch):
    """Also within folds, whose penalties were fewer when time was up over all graphs."""
    asked = {**PATH, "alpha": "cv", "cv": 2}
    whole = SparseSubgraphClassifier(**asked).fit(X, Y)
    solve, random = ColumnGeneration.solve, np.random.default_rng(0)

    def limited(self, *step):
        if random.random() < 0.2:
            self._deadline = -np.inf
        return solve(self, *step)

    monkeypatch.setattr(ColumnGeneration, "solve", limited)
    n_limited = 0
    for _ in range(100):
        model = SparseSubgraphClassifier(**asked, checkpoint=tmp_path / "fit.npz")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitReachedWarning)
            model.fit(X, Y)
        if model.finished_:
            break
        n_limited += 1
    assert n_limited > 1
    assert told(model)[:2] == told(whole)[:2]


def test_a_file_of_another_fit_is_refused_with_all_that_differs(tmp_path):
    file = tmp_path / "path.npz"
    sparse_path(X, Y, **PATH, checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(dg.InputError) as raised:
        sparse_path(X, 1 - Y, **{**PATH, "tol": 1e-3}, checkpoint=file)
    assert str(raised.value) == (
        f"checkpoint must belong to the same computation, but in {file} the labels or phenotype differ; its "
        "tol is 0.0001, not 0.001. Use the settings of that file, name another file, or remove this one."
    )
    with pytest.raises(dg.InputError, match="it is of `sparse`, not of `mine`"):
        dg.mine_subgraphs(X, Y, checkpoint=file)
    assert file.read_bytes() == before


def test_a_damaged_file_is_refused_or_gives_the_same_models(tmp_path, stopping):
    file, random = tmp_path / "path.npz", np.random.default_rng(1)
    whole = list(map(members, sparse_path(X, Y, **PATH)))
    count = stopping(5, False)
    with pytest.raises(KeyboardInterrupt):
        sparse_path(X, Y, **PATH, checkpoint=file)
    count[0] = -(10**9)
    intact, n_refused, n = file.read_bytes(), 0, 1_000 if SOAK else 40
    for _ in range(n):
        content = bytearray(intact)
        content[random.integers(len(content))] ^= int(random.integers(1, 256))
        file.write_bytes(content)
        try:
            assert list(map(members, sparse_path(X, Y, **PATH, checkpoint=file))) == whole
        except dg.InputError as error:
            n_refused += error.parameter == "checkpoint"
    assert n_refused > 0.6 * n  # the other bytes mean nothing


def test_the_command_line_goes_on_and_writes_the_same_files(tmp_path, stopping):
    dg.save_cohort(tmp_path / "cohort.npz", dg.UncertainGraphs(X), Y)
    command = ["sparse", str(tmp_path / "cohort.npz"), "--cv", "2", "--n-alphas", "5"]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    kept = ["--checkpoint", str(tmp_path / "fit.npz"), "-o", str(tmp_path / "again")]
    count = stopping(7, False)
    assert main([*command, *kept]) == 130
    count[0] = -(10**9)
    assert main([*command, *kept]) == 0
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


LONG = {"n_alphas": 40, "alpha_min_ratio": 0.02, "min_expected_frequency": 0.1}


@pytest.mark.parametrize("n_kills", [20 if SOAK else 1])
def test_the_process_may_be_killed(n_kills, tmp_path, kill_after_saves):
    """Killed as soon as there is something new in the file, and at random instants after that."""
    file = tmp_path / "path.npz"
    program = f"""\
        import test_sparse_checkpoint as here
        from dugraph.cluster import checkpoint
        checkpoint.SECONDS, checkpoint.SHARE = 0.0, 1.0
        here.sparse_path(here.X, here.Y, **here.LONG, checkpoint={str(file)!r})
    """
    kill_after_saves(file, program, n_kills)
    found = sparse_path(X, Y, **LONG, checkpoint=file)
    assert list(map(members, found)) == list(map(members, sparse_path(X, Y, **LONG)))
