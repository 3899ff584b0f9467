"""`dugraph app`, `report` and `plot`: results as pages in a browser, as one page, as a figure."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import dugraph
from dugraph.cli.output import ExitCode, say
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.settings import AppSettings, PlotSettings, ReportSettings
from dugraph.words import RUNS_FOLDER


def app(settings: AppSettings) -> int:
    """Serve until Ctrl-C."""
    settings.check()
    try:
        from dugraph.app.jobs import RUNNING, WAITING, Runs
        from dugraph.app.server import serve
        from dugraph.app.study import Study
    except ImportError as error:
        raise InputError(
            f"The app needs {error.name}, which is missing: pip install 'dugraph[app]'."
        ) from error
    folder = Path(settings.output or os.path.join(settings.folders[0], RUNS_FOLDER))
    study = Study.of(settings.folders, folder)
    runs = Runs(study.folders[-1], study.home)
    say(escaped(f"dugraph: the study is {study.home}; Ctrl-C stops the app, not its runs."))
    # On Linux without a display, a browser would open in the terminal.
    display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    has_browser = settings.browser and (display or not sys.platform.startswith("linux"))
    serve(study, runs, port=settings.port, say=say, show=webbrowser.open if has_browser else bool)
    left = sum(one.state in (RUNNING, WAITING) for one in runs.all())
    if left:
        say(f"dugraph: {left} runs have not finished; start the app again to see or stop them.")
    return ExitCode.DONE


def report(settings: ReportSettings) -> int:
    """Write the page and print its path."""
    print(escaped(dugraph.write_report(settings.folder, **settings.arguments(), output=settings.output)))
    return ExitCode.DONE


def plot(settings: PlotSettings) -> int:
    """Draw the figure, write it and print its path."""
    from dugraph.plot.figure import check_figure_path, draw_record, save_figure

    check_figure_path(settings.output)
    figure = draw_record(dugraph.load_result(settings.folder, data=settings.data), **settings.arguments())
    print(escaped(save_figure(figure, settings.output, dpi=settings.dpi)))
    return ExitCode.DONE
