"""A study with matrices and participants, and the application on it; skipped where it is not installed."""

from importlib.util import find_spec

import pytest
from app_client import Client, FakeProcess, write_study

from dugraph.words import RUNS_FOLDER

if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
    collect_ignore_glob = ["test_*"]


@pytest.fixture
def study_folder(tmp_path):
    folder = tmp_path / "study"
    write_study(folder)
    return folder


@pytest.fixture
def processes():
    """The processes that were started."""
    return []


@pytest.fixture
def launch(processes):
    """Starts a fake process in place of a run."""

    def start(*given):
        processes.append(FakeProcess(*given))
        return processes[-1]

    return start


@pytest.fixture
def app(study_folder, launch):
    """The application on the study, whose processes are fakes; with its sessions and runs."""
    from dugraph.app.jobs import Runs
    from dugraph.app.server import Sessions, create_app
    from dugraph.app.study import Study

    study = Study.of([str(study_folder)], study_folder / RUNS_FOLDER)
    runs = Runs(study_folder / RUNS_FOLDER, study.home, launch)
    sessions = Sessions(lambda token: None)
    yield create_app(study, runs, sessions), sessions, runs
    runs.close()


@pytest.fixture
def client(app):
    return Client(app[0], app[1])


@pytest.fixture
def runs(app):
    return app[2]
