"""Searches and tests on Dask: the bytes of one process, whatever happens to the workers."""

import os
import socket
import sys
import threading

import numpy as np
import pytest
from clusters import distributed, local_client
from slicings import same

import dugraph as dg
from dugraph.cli import main
from dugraph.cluster import dask as cluster_dask
from dugraph.cluster.dask import DaskPool, open_client
from dugraph.search import parts
from dugraph.search.mining import mine_within
from dugraph.words import SCORES

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.5, "n_subgraphs": 10, "pos_label": 1}
TEST = {"min_expected_frequency": 0.6, "n_permutations": 199, "max_edges": 3}
MEASURES = ("expectation", "median", "mode", "phi_probability")
VARIANTS = [(measure, score) for measure in MEASURES for score in SCORES]

pytestmark = [
    pytest.mark.system,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def client():
    """Two workers within this process: tests need no others."""
    with local_client(2, processes=False) as one:
        yield one


@pytest.fixture
def short_tasks(monkeypatch):
    monkeypatch.setattr(parts, "TASK_SECONDS", 0.02)
    monkeypatch.setattr(parts, "SHORT_SECONDS", 0.005)


@pytest.mark.parametrize(("measure", "score"), VARIANTS if SOAK else VARIANTS[::4])
def test_workers_find_what_one_process_finds(measure, score, client, short_tasks):
    asked = {**ASKED, "measure": measure, "score": score}
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked, client=client), dg.mine_subgraphs(GRAPHS, Y, **asked))


def test_rounds_and_custom_scores_run_on_workers(client, short_tasks):
    def own(a, b, p, q):
        return np.abs(a / p - b / q)

    asked = {**ASKED, "n_subgraphs": 4, "max_correlation": 0.8, "score": own}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    assert dg.mine_subgraphs(GRAPHS, Y, **asked, client=client).subgraphs == whole.subgraphs


def test_a_test_on_workers_gives_identical_results(client):
    whole = dg.significant_subgraphs(GRAPHS, Y, **TEST)
    spread = dg.significant_subgraphs(GRAPHS, Y, **TEST, client=client)
    assert spread.null_maxima.tobytes() == whole.null_maxima.tobytes()
    assert spread.p_values.tobytes() == whole.p_values.tobytes()


def test_progress_shows_workers_and_tasks(client, short_tasks):
    seen = []
    dg.mine_subgraphs(GRAPHS, Y, **{**ASKED, "measure": "mode"}, client=client, progress=seen.append)
    dg.significant_subgraphs(GRAPHS, Y, **TEST, client=client, progress=seen.append)
    spread = [now for now in seen if "n_workers" in now]
    assert {now["n_workers"] for now in spread} == {2}
    assert all(now["n_tasks"] <= 8 for now in spread)


def test_limits_and_checkpoints_hold_on_workers(client, short_tasks, tmp_path):
    asked, file = {**ASKED, "measure": "mode"}, tmp_path / "search.npz"
    with pytest.warns(dg.exceptions.LimitReachedWarning):
        stopped = mine_within(500, GRAPHS, Y, **asked, client=client, checkpoint=file)
    assert stopped.status is dg.search.Status.NODE_LIMIT
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=file), dg.mine_subgraphs(GRAPHS, Y, **asked))


def test_ctrl_c_gives_the_best_so_far(client, monkeypatch, tmp_path):
    file = tmp_path / "search.npz"

    def pressed(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(DaskPool, "done", pressed)
        with pytest.raises(dg.SearchInterrupted) as raised:
            dg.mine_subgraphs(GRAPHS, Y, **ASKED, client=client, checkpoint=file)
    stopped = raised.value.result
    assert stopped.status is dg.search.Status.INTERRUPTED
    assert stopped.best_open_bound == np.inf
    assert same(dg.mine_subgraphs(GRAPHS, Y, **ASKED, checkpoint=file), dg.mine_subgraphs(GRAPHS, Y, **ASKED))


def test_errors_of_a_task_are_raised(client):
    pool = DaskPool(client, 1)
    pool.submit(_divided_by, 0)
    with pytest.raises(ZeroDivisionError):
        wait_for_a_result(pool)


def wait_for_a_result(pool):
    while not list(pool.done()):
        pass


def _divided_by(subject, number):
    return subject / number


def test_another_release_on_a_worker_is_refused(client, monkeypatch):
    monkeypatch.setattr(cluster_dask, "_run", _old_release)
    pool = DaskPool(client, 1)
    pool.submit(_divided_by, 1)
    with pytest.raises(dg.exceptions.ClusterError, match="A worker cannot run dugraph: it is older"):
        wait_for_a_result(pool)


def _old_release(version, function, *arguments):
    raise ImportError("it is older")


def test_a_task_that_loses_ten_workers_ends_the_run(client, monkeypatch):
    pool = DaskPool(client, 1)
    pool.submit(_divided_by, 1)
    worker = type("Worker", (), {"address": "tcp://node7:1"})()
    lost = distributed.KilledWorker("task", worker, 3)
    for _ in range(cluster_dask.MOST_FAILURES - 1):
        pool._submit_again([*pool._tasks.values()][-1], lost)
    with pytest.raises(dg.exceptions.ClusterError) as raised:
        pool._submit_again([*pool._tasks.values()][-1], lost)
    assert str(raised.value) == (
        "A task lost 10 workers, the last one at tcp://node7:1. Find out what ends them; check memory first."
    )
    pool.cancel()


def test_an_invalid_client_is_refused():
    for function in (dg.mine_subgraphs, dg.significant_subgraphs):
        with pytest.raises(dg.InputError) as raised:
            function(GRAPHS, Y, client="tcp://host:8786")
        assert str(raised.value) == (
            "client must be a distributed.Client that is not asynchronous, but is 'tcp://host:8786'."
        )


def test_without_dask_the_error_says_how_to_install_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = "Work on a cluster needs Dask, which is not installed. Install it: pip install 'dugraph[dask]'."
    with pytest.raises(dg.InputError) as raised:
        dg.mine_subgraphs(GRAPHS, Y, client=object())
    assert str(raised.value) == message
    dg.save_cohort(tmp_path / "cohort.npz", GRAPHS, Y)
    assert main(["mine", str(tmp_path / "cohort.npz"), "--dask", "local:2"]) == 1
    assert capsys.readouterr().err == f"dugraph: {message}\n"


def test_an_address_without_a_scheduler_is_refused_soon(monkeypatch):
    """No server, a server that is not Dask, or one that does not answer."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        refused_soon(f"tcp://127.0.0.1:{nobody.getsockname()[1]}", "Connection refused")
    for wrong in ("tcp://127.0.0.1", "nonsense://host:1"):
        refused_soon(wrong, "")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with monkeypatch.context() as patch:
            patch.setattr(cluster_dask, "_PATIENCE", 0.2)
            refused_soon(address, "timed out")
        server.accept()[0].close()  # the one that has given up
        greeter = threading.Thread(target=lambda: server.accept()[0].sendall(b"SSH-2.0-OpenSSH"))
        greeter.start()
        refused_soon(address, "something else listens there")
        greeter.join()


def refused_soon(address, why):
    with pytest.raises(dg.exceptions.ClusterError) as raised, open_client(address):
        pass
    assert str(raised.value).startswith(f"{address}: no Dask scheduler answers at this address (")
    assert why in str(raised.value)


@pytest.mark.parametrize("wrong", ["local", "local:0", "local:x", "local:99999"])
def test_an_invalid_cluster_is_refused(wrong):
    with pytest.raises(dg.InputError) as raised, open_client(wrong):
        pass
    assert str(raised.value) == (
        f"dask must be the address of a scheduler, or local:N with N from 1 to 1024, but is '{wrong}'."
    )


def test_the_command_line_works_with_a_scheduler(client, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    dg.save_cohort("cohort.npz", GRAPHS, Y)
    where = ["--dask", client.scheduler.address]
    asked = ["cohort.npz", "--min-expected-frequency", "0.6"]
    assert main(["mine", *asked, "-o", "one"]) == 0
    assert main(["mine", *asked, *where, "-o", "two"]) == 0
    assert (tmp_path / "one/results.csv").read_bytes() == (tmp_path / "two/results.csv").read_bytes()


def test_connections_may_be_encrypted(short_tasks):
    pytest.importorskip("cryptography", reason="Dask makes certificates with it")
    with local_client(1, processes=False, protocol=None, security=True) as one:
        assert one.scheduler.address.startswith("tls://")
        spread = dg.mine_subgraphs(GRAPHS, Y, **ASKED, client=one)
    assert same(spread, dg.mine_subgraphs(GRAPHS, Y, **ASKED))


def test_workers_on_this_machine_are_always_restarted():
    """Dask gives up for good a worker that is away when it looks, 15 seconds after a loss, by default."""
    import dask

    name = "distributed.deploy.lost-worker-timeout"
    before = dask.config.get(name)
    with local_client(1, processes=False):
        assert dask.config.get(name) == "1000 days"
    assert dask.config.get(name) == before


@pytest.mark.skipif(not SOAK, reason="processes are started: make soak")
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_processes_find_what_one_thread_finds(n_workers, short_tasks):
    """All twenty variants, and a test."""
    with local_client(n_workers) as one:
        for measure, score in VARIANTS:
            asked = {**ASKED, "measure": measure, "score": score}
            assert same(
                dg.mine_subgraphs(GRAPHS, Y, **asked, client=one), dg.mine_subgraphs(GRAPHS, Y, **asked)
            )
        whole = dg.significant_subgraphs(GRAPHS, Y, **TEST)
        spread = dg.significant_subgraphs(GRAPHS, Y, **TEST, client=one)
        assert spread.null_maxima.tobytes() == whole.null_maxima.tobytes()
