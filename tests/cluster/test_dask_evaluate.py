"""Evaluations on Dask: the values of one process, whatever happens to the workers; cells are kept."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from clusters import killed_at_random, local_client
from sklearn.linear_model import LogisticRegression

import dugraph as dg
from dugraph import RandomSplits, RepeatedFolds
from dugraph.cli import main
from dugraph.cluster.dask import DaskPool
from dugraph.evaluation import cells

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
COMPARED = ("results.csv", "table.csv", "table.md", "table.tex", "evaluation.json")
SETTINGS = {
    "methods": ["exp-hsic", "med-confidence", "all-edges"],
    "n_subgraphs": [3, 6],
    "cv": RandomSplits(4),
}
RANDOM = np.random.default_rng(0)
X, Y, AGE = RANDOM.uniform(0.2, 0.9, (30, 15)), np.arange(30) % 2, RANDOM.normal(40, 9, 30)
FOLDS = {"methods": ["exp-hsic", "cpm"], "n_subgraphs": [4], "cv": RepeatedFolds(3, n_repeats=2)}

pytestmark = [
    pytest.mark.system,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def client():
    with local_client(2, processes=False) as one:
        yield one


def files(result: dg.EvaluationResult, folder: Path) -> dict[str, bytes]:
    result.save(folder)
    return {name: (folder / name).read_bytes() for name in COMPARED}


def test_workers_give_the_result_of_one_process(client, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    spread = dg.evaluate(X, Y, **SETTINGS, client=client, cache=two / "cache")
    assert files(spread, two) == files(dg.evaluate(X, Y, **SETTINGS), one)
    assert len(list((two / "cache/cells").iterdir())) == 12


def test_phenotypes_and_own_methods_run_on_workers(client):
    evaluate = partial(dg.evaluate, X, AGE, **FOLDS)
    assert evaluate(client=client).values("r").tobytes() == evaluate().values("r").tobytes()
    own = {**SETTINGS, "methods": ["all-edges", {"own": LogisticRegression()}]}
    spread = dg.evaluate(X, Y, **own, client=client)
    assert spread.values("error").tobytes() == dg.evaluate(X, Y, **own).values("error").tobytes()


def test_a_stopped_evaluation_resumes_with_the_finished_cells(client, tmp_path, monkeypatch):
    n_done = 0

    def stop(_):
        nonlocal n_done
        n_done += 1
        if n_done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dg.evaluate(X, Y, **SETTINGS, client=client, cache=tmp_path, progress=stop)
    kept = len(list((tmp_path / "cells").iterdir()))
    assert kept >= 5
    computed, submit = [], DaskPool.submit

    def counting(self, *arguments):
        computed.append(arguments)
        return submit(self, *arguments)

    monkeypatch.setattr(DaskPool, "submit", counting)
    again = dg.evaluate(X, Y, **SETTINGS, client=client, cache=tmp_path)
    assert len(computed) == 12 - kept
    assert again.values("auc").tobytes() == dg.evaluate(X, Y, **SETTINGS).values("auc").tobytes()


def test_few_cells_are_submitted_at_a_time(client, monkeypatch):
    away, most, submit, done = set(), [], DaskPool.submit, DaskPool.done

    def counted(self, *arguments):
        number = submit(self, *arguments)
        away.add(number)
        most.append(len(away))
        return number

    def returned(self):
        for number, cell in done(self):
            away.discard(number)
            yield number, cell

    monkeypatch.setattr(DaskPool, "submit", counted)
    monkeypatch.setattr(DaskPool, "done", returned)
    dg.evaluate(X, Y, **SETTINGS, client=client)
    assert len(most) == 12
    assert max(most) <= 4


def test_an_invalid_client_is_refused():
    with pytest.raises(dg.InputError, match=r"client must be a distributed\.Client"):
        dg.evaluate(X, Y, client="tcp://host:8786")


def test_an_error_in_a_cell_is_raised(client, monkeypatch):
    monkeypatch.setattr(cells, "run_cell", _failing)
    with pytest.raises(ZeroDivisionError):
        dg.evaluate(X, Y, **SETTINGS, client=client)


def _failing(*_):
    return 1 / 0


@pytest.mark.parametrize("more", [[], ["--phenotype", "age", "--n-folds", "3", "--n-repeats", "1"]])
def test_the_command_line_works_with_a_scheduler(more, client, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    graphs = dg.UncertainGraphs(X, participants={"age": AGE})
    dg.save_cohort("cohort.npz", graphs, Y)
    command = ["evaluate", "cohort.npz", "--methods", "exp-hsic,all-edges", "--n-subgraphs", "4", *more]
    command += [] if more else ["--n-splits", "3"]
    assert main([*command, "-o", "one"]) == 0
    assert main([*command, "--dask", client.scheduler.address, "-o", "two"]) == 0
    for name in ("results.csv", "table.csv", "config.toml"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


@pytest.mark.skipif(not SOAK, reason="processes are killed: make soak")
def test_workers_may_be_killed(tmp_path):
    graphs, y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
    settings = {"methods": ["mode-hsic", "med-g_test"], "n_subgraphs": [10], "cv": RandomSplits(10)}
    settings["min_expected_frequency"] = 0.4
    whole = files(dg.evaluate(graphs, y, **settings), tmp_path / "whole")
    n_runs, n_kills = 0, 0
    with local_client(2) as one, killed_at_random(one, 1, 2.0) as kills:
        while len(kills) < 20:
            spread = dg.evaluate(graphs, y, **settings, client=one)
            assert files(spread, tmp_path / f"{n_runs}") == whole
            n_runs, n_kills = n_runs + 1, len(kills)
    print(f"{n_runs} evaluations, {n_kills} kills")
