"""`dugraph app`: pages in a browser, from the files of a study to a result."""

import os
import sys
import webbrowser
from pathlib import Path

from dugraph.cli.output import ExitCode, say
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.settings import AppSettings
from dugraph.words import RUNS_FOLDER

DESCRIPTION = f"""\
Read, compare and report a study in the browser, without a terminal.
Serves pages on this computer only and opens them in a browser. Each step is a dugraph command, which the
page shows; each run has a folder in {RUNS_FOLDER} and continues when the browser or the app is closed. Needs
the extra app: pip install 'dugraph[app]'."""
EXAMPLE = """\
  dugraph app study
  dugraph app study shared/atlases --no-browser"""

SETTINGS = AppSettings


def run(settings: AppSettings) -> int:
    """Serve until Ctrl-C."""
    try:
        import jinja2  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"The app needs {error.name}, which is missing: pip install 'dugraph[app]'."
        ) from error
    from dugraph.app.jobs import RUNNING, WAITING, Runs
    from dugraph.app.server import serve
    from dugraph.app.study import Study

    folder = Path(settings.output or os.path.join(settings.folders[0], RUNS_FOLDER))
    study = Study.of(settings.folders, folder)
    runs = Runs(study.folders[-1], study.home)
    say(escaped(f"dugraph: the study is {study.home}; Ctrl-C stops the app, not its runs."))
    serve(
        study, runs, port=settings.port, say=say, show=webbrowser.open if _has_browser(settings) else _nothing
    )
    states = [one.state for one in runs.all()]
    left = sum(state in (RUNNING, WAITING) for state in states)
    if left:
        say(f"dugraph: {left} runs have not finished; start the app again to see or stop them.")
    return ExitCode.DONE


def _has_browser(settings: AppSettings) -> bool:
    """Whether to open a browser; on Linux only with a display, to avoid a browser in the terminal."""
    display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return settings.browser and (display or not sys.platform.startswith("linux"))


def _nothing(link: str) -> None:
    """Open no browser."""
