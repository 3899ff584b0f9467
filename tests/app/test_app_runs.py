"""The queue: one run after another, stopped, resumed, found again by another app."""

import json
import time

import pytest
from app_client import CONVERT, Client, FakeProcess

from dugraph.app.jobs import DONE, FAILED, LIMIT, RUNNING, STOPPED, STOPPING, WAITING, Runs


def add(runs, command="test"):
    return runs.add(
        command, lambda folder: [command, "cohort.npz", f"--output={folder}/result"], {}, "a test"
    )


@pytest.fixture
def queue(tmp_path, launch):
    made = Runs(tmp_path / "runs", tmp_path, launch)
    yield made
    made.close()


def test_runs_are_done_one_after_another(queue, processes):
    first, second = add(queue), add(queue, "convert")
    assert (first.name, second.name) == ("001-test", "002-convert")
    assert [first.state, second.state] == [WAITING, WAITING]
    queue.step()
    queue.step()
    assert [first.state, second.state] == [RUNNING, WAITING]
    processes[0].end(0)
    queue.step()
    assert [first.state, second.state] == [DONE, RUNNING]
    processes[1].end(1)
    queue.step()
    assert second.state == FAILED
    assert [run.name for run in queue.all()] == ["002-convert", "001-test"]
    assert len(processes) == 2


@pytest.mark.parametrize(("code", "state"), [(0, DONE), (3, LIMIT), (1, FAILED), (2, FAILED), (-9, FAILED)])
def test_the_exit_code_becomes_the_state(queue, processes, code, state):
    run = add(queue)
    queue.step()
    processes[0].end(code)
    queue.step()
    assert run.state == state


def test_a_waiting_run_is_stopped_and_resumed(queue, processes):
    run, other = add(queue), add(queue)
    queue.stop(run)
    assert run.state == STOPPED
    queue.step()
    assert [run.state, other.state] == [STOPPED, RUNNING]
    queue.resume(run)
    assert run.state == WAITING
    processes[0].end(0)
    queue.step()
    assert run.state == RUNNING
    processes[1].end(0)


def test_a_running_run_is_stopped_and_goes_on(queue, processes, monkeypatch):
    sent = []
    monkeypatch.setattr("os.killpg", lambda pid, number: sent.append((pid, number)))
    monkeypatch.setattr(FakeProcess, "pid", 4_000_000)
    monkeypatch.setattr("dugraph.app.jobs._PATIENCE", 0.05)
    run = add(queue)
    queue.step()
    queue.stop(run)
    assert run.state == STOPPING
    while len(sent) < 2:  # it does not end in time
        time.sleep(0.01)
    assert [number for _, number in sent] == [15, 9]
    processes[0].end(-9)
    queue.step()
    assert run.state == STOPPED
    queue.resume(run)
    queue.step()
    assert run.state == RUNNING
    processes[1].end(0)
    queue.step()
    assert run.state == DONE


def test_a_run_that_was_done_when_it_was_stopped_is_done(queue, processes):
    run = add(queue)
    queue.step()
    queue.stop(run)
    processes[0].end(0)
    queue.step()
    assert run.state == DONE


def test_a_run_outlives_its_app_and_is_found_by_the_next(queue, processes, launch, tmp_path):
    run, waiting = add(queue), add(queue)
    queue.step()
    queue.close()  # the app is killed; the process is not
    later = Runs(queue.folder, tmp_path, launch)
    assert [one.state for one in later.all()] == [WAITING, RUNNING]
    later.step()
    assert len(processes) == 1
    run.result.mkdir()
    (run.result / "results.json").write_text("{}")
    processes[0].end(0)
    later.step()
    assert [run.state, waiting.state] == [DONE, RUNNING]
    processes[1].end(0)
    later.close()


def test_a_run_that_died_with_its_app_is_started_again(queue, processes, launch, tmp_path):
    run = add(queue)
    queue.step()
    queue.close()
    processes[0].end(-9)
    assert run.state == WAITING
    later = Runs(queue.folder, tmp_path, launch)
    later.step()
    assert run.state == RUNNING
    assert processes[1].run.job.arguments == processes[0].run.job.arguments
    processes[1].end(0)
    later.close()


def test_of_two_apps_on_one_study_one_runs_the_queue(queue, processes, tmp_path):
    add(queue)
    queue.step()
    other = Runs(queue.folder, tmp_path, lambda *_: pytest.fail("two processes at once"))
    second = add(other)
    assert second.name == "002-test"
    processes[0].end(0)
    other.step()
    assert second.state == WAITING
    queue.step()
    assert second.state == RUNNING
    processes[1].end(0)


def test_progress_messages_and_errors_are_read_from_the_log(queue):
    run = add(queue)
    lines = [
        "x" * 70_000,
        json.dumps({"progress": "testing", "seconds": 2.5, "text": "10 subgraphs"}),
        "a note",
        "{broken",
        json.dumps({"progress": "testing", "seconds": 3.5, "text": "20 subgraphs"}),
        json.dumps({"error": "no file", "details": [], "settings": []}),
    ]
    (run.folder / "log.txt").write_text("\n".join(lines) + "\n")
    progress = run.progress()
    assert progress.text == "testing: 20 subgraphs"
    assert progress.messages == ["a note", "{broken"]
    assert progress.error["error"] == "no file"


def test_folders_that_are_no_runs_are_passed_over(queue):
    add(queue)
    for name in ("notes", "003", "004-test"):
        (queue.folder / name).mkdir()
    assert [run.name for run in queue.all()] == ["001-test"]


def test_pages_of_a_run_by_its_state(client, runs, processes):
    answer = client.send("/runs", **CONVERT)
    address = answer.headers["location"]
    assert address == "/runs/001-convert"
    page = client.page(address)
    assert "waiting" in page
    assert 'http-equiv="refresh"' in page  # without scripts
    runs.step()
    assert ">running<" in client.page(address)
    error = {"error": "no match", "details": [], "settings": [["id_pattern", "{id}*"], ["no_option", "x"]]}
    (runs.all()[0].folder / "log.txt").write_text(json.dumps(error) + "\n")
    processes[0].end(1)
    runs.step()
    page = client.page(address)
    assert "no match" in page
    assert "Use id pattern" in page
    assert "no_option" not in page
    assert 'http-equiv="refresh"' not in page
    assert client.post(f"{address}/resume", page.token).status_code == 303
    assert runs.all()[0].state == WAITING
    assert client.post(f"{address}/stop", page.token).status_code == 303
    assert runs.all()[0].state == STOPPED
    assert client.post(f"{address}/dance", page.token).status_code == 404


def test_events_contain_the_state_until_the_end(client, runs):
    client.send("/runs", **CONVERT)
    runs.stop(runs.all()[0])
    answer = client.get("/runs/001-convert/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    content = json.loads(answer.text.removeprefix("data: "))
    assert content == {"state": STOPPED, "text": "", "ended": True}
    assert client.get("/runs/009-convert/events").status_code == 404


def test_two_browsers_at_once_see_the_same_runs_and_their_own_forms(app, runs):
    first, second = Client(app[0], app[1]), Client(app[0], app[1])
    first.send("/data", **CONVERT, where="age > 30")
    second.send("/runs", **CONVERT)
    assert "001-convert" in first.page("/")
    assert not any("where" in word for word in runs.all()[0].job.arguments)
