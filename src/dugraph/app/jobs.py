"""Runs: `dugraph` commands in their own processes, one after another; the state of a run is in its folder.

A folder contains `job.json` (the command), `log.txt` and `output.txt` (stderr and stdout), the checkpoint and
the result. The process locks the file `lock`, which the system releases however the process ends;
`exit.json` has the exit code; `stop` exists if the user stopped the run. A run survives the app, and a run
killed with the machine resumes from its checkpoint when the app is started again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.app import process
from dugraph.app.process import LOCK, STOP
from dugraph.files.atomic import atomic_file, make_folder
from dugraph.files.text import json_bytes

WAITING, RUNNING, STOPPING, STOPPED = "waiting", "running", "stopping", "stopped"
DONE, LIMIT, FAILED = "done", "limit reached", "failed"
ENDED = (DONE, LIMIT, FAILED, STOPPED)

RESULTS = {"convert": "cohort.npz", "plan": "plan.toml", "report": "report.html", "plot": "figure.png"}
"""The file that a command writes; other commands write a folder."""
FOLDER, CHECKPOINT = "result", "checkpoint.npz"
_NAME = re.compile(r"(\d{3,6})-([a-z]+)")
_JOB, _LOG, _OUTPUT, _EXIT = "job.json", "log.txt", "output.txt", "exit.json"
_PATIENCE = 0.7  # seconds between an interrupt and a kill
_TAIL = 2**16  # bytes of a log that are read
_PAUSE = 0.1
_looking = threading.Lock()  # a lock is tried by one thread at a time


@dataclass(frozen=True)
class Job:
    """A command, the form from which it was started, and when."""

    command: str
    arguments: list[str]
    """Everything after ``dugraph``; paths are relative to the folder of the study."""
    values: dict[str, Any]
    title: str
    created: str
    expected: str | None = None
    """The expected time in words, if it was measured before the start."""

    @property
    def sources(self) -> list[str]:
        """The files and folders that it reads."""
        return [word for word in self.arguments[1:] if not word.startswith("--")]

    @property
    def settings(self) -> list[str]:
        """The options that are not the default, as flags."""
        set_here = ("--output=", "--checkpoint=", "--report")
        flags = (word for word in self.arguments[1:] if word.startswith("--"))
        return [word for word in flags if not word.startswith(set_here)]

    @property
    def line(self) -> str:
        """The command for a shell, without the checkpoint."""
        words = [word for word in self.arguments if not word.startswith("--checkpoint=")]
        return shlex.join(["dugraph", *words])


class Progress(NamedTuple):
    """The end of the log of a run: progress, messages, and the error that ended it."""

    text: str
    messages: list[str]
    error: dict[str, Any] | None


@dataclass(frozen=True)
class Run:
    """One run, whose state is read from its folder on every access."""

    folder: Path

    @property
    def name(self) -> str:
        """The name of its folder, such as 002-test."""
        return self.folder.name

    @property
    def number(self) -> int:
        """Runs are numbered in the order of their start."""
        return int(self.name.split("-")[0])

    @property
    def job(self) -> Job:
        """The command."""
        return Job(**json.loads((self.folder / _JOB).read_bytes()))

    @property
    def result(self) -> Path:
        """The folder of results; of some commands, the file."""
        if self.name.endswith("-plot"):
            return next(self.folder.glob("figure.*"), self.folder / RESULTS["plot"])
        return self.folder / RESULTS.get(self.name.split("-")[1], FOLDER)

    @property
    def code(self) -> int | None:
        """The exit code; None until it is known."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            return int(json.loads((self.folder / _EXIT).read_bytes())["code"])
        return None

    @property
    def state(self) -> str:
        """One of the words above."""
        stopped = (self.folder / STOP).exists()
        if (code := self.code) is not None:
            return {0: DONE, 3: LIMIT}.get(code, FAILED)
        if self.is_locked():
            return STOPPING if stopped else RUNNING
        if stopped:
            return STOPPED
        # It ended while no app was running to record the exit code; results are written last.
        records = [self.result / name for name in ("results.json", "evaluation.json")]
        return DONE if any(path.is_file() for path in (self.result, *records)) else WAITING

    def is_locked(self) -> bool:
        """Whether its process exists."""
        if not (self.folder / LOCK).exists():
            return False
        with _looking:
            file = process.lock(self.folder / LOCK)
            if file is not None:
                os.close(file)
        return file is None

    @property
    def pid(self) -> int | None:
        """The id of its process, if it exists."""
        with contextlib.suppress(OSError, ValueError):  # it has just started or ended
            pid = int((self.folder / LOCK).read_text())
            return pid if pid > 1 and self.is_locked() else None
        return None

    def output(self) -> str:
        """The output of the command."""
        return _tail(self.folder / _OUTPUT)

    def progress(self) -> Progress:
        """The end of the log: the last report, the messages, and the error."""
        text, messages, error = "", [], None
        for line in _tail(self.folder / _LOG).splitlines():
            content = None
            with contextlib.suppress(ValueError):
                content = json.loads(line)
            if isinstance(content, dict) and "progress" in content:
                text = f"{content['progress']}: {content.get('text', '')}"
            elif isinstance(content, dict) and "error" in content:
                error = content
            elif line.strip():
                messages.append(line)
        return Progress(text, messages[-20:], error)


def _tail(path: Path) -> str:
    """The last lines of a file; empty if there is none."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
        file.seek(start)
        text = file.read().decode("utf-8", "replace")
        return text.partition("\n")[2] if start else text
    return ""


class Runs:
    """The runs of a study, and the queue that starts them one after another.

    Parameters
    ----------
    folder : Path
        Created with the first run.
    home : Path
        The working folder of the commands.
    start : callable, optional
        ``(run, working folder) -> process``.
    """

    def __init__(self, folder: Path, home: Path, start: Callable[[Run, Path], Any] | None = None) -> None:
        self.folder, self.home = folder, home
        self._start = start or _start
        self._started: tuple[Run, Any] | None = None
        self._numbers = threading.Lock()
        self._queue: int | None = None

    def all(self) -> list[Run]:
        """All runs, the most recent first."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        runs = [Run(self.folder / name) for name in names if _NAME.fullmatch(name)]
        known = [run for run in runs if (run.folder / _JOB).is_file()]
        return sorted(known, key=lambda run: run.number, reverse=True)

    def get(self, name: str) -> Run:
        """A run by its name; KeyError if it does not exist."""
        if not (_NAME.fullmatch(name) and (self.folder / name / _JOB).is_file()):
            raise KeyError(name)
        return Run(self.folder / name)

    def add(
        self,
        command: str,
        arguments: Callable[[Path], list[str]],
        values: dict[str, Any],
        title: str,
        expected: str | None = None,
    ) -> Run:
        """Put a command at the end of the queue; its arguments are made for the folder of the run."""
        make_folder(self.folder)
        with self._numbers:
            number = 1 + max((run.number for run in self.all()), default=0)
            while (folder := self.folder / f"{number:03d}-{command}").exists():
                number += 1
            folder.mkdir()
        job = Job(command, arguments(folder), values, title, time.strftime("%Y-%m-%d %H:%M"), expected)
        _write(folder / _JOB, vars(job))
        return Run(folder)

    def stop(self, run: Run) -> None:
        """Stop a run: at once if it is waiting; otherwise its process saves the checkpoint, or is killed."""
        if run.code is not None:
            return
        (run.folder / STOP).touch()
        if (pid := run.pid) is not None:
            process.end(pid, at_once=False)
            threading.Timer(_PATIENCE, _kill, (run, pid)).start()

    def resume(self, run: Run) -> None:
        """Queue a stopped or failed run again; it resumes from its checkpoint."""
        if run.state in (STOPPED, FAILED):
            for name in (_EXIT, STOP):
                (run.folder / name).unlink(missing_ok=True)

    def step(self) -> None:
        """Record the end of the run that was started, and start the next one."""
        if self._started is not None:
            run, started = self._started
            if (code := started.poll()) is None:
                return
            self._started = None
            if code in (0, 3) or not (run.folder / STOP).exists():  # else it was stopped, not failed
                (run.folder / STOP).unlink(missing_ok=True)
                _write(run.folder / _EXIT, {"code": code})
        if self._queue is None and self.folder.is_dir():  # the first of several apps on a folder starts runs
            self._queue = process.lock(self.folder / ".queue")
        if self._queue is None:
            return
        runs = self.all()[::-1]
        states = [run.state for run in runs]
        if not {RUNNING, STOPPING} & set(states) and WAITING in states:
            run = runs[states.index(WAITING)]
            self._started = run, self._start(run, self.home)

    def close(self) -> None:
        """Leave the queue to another app; running commands continue."""
        if self._queue is not None:
            os.close(self._queue)
            self._queue = None

    @contextlib.contextmanager
    def in_background(self) -> Iterator[None]:
        """Run the queue in a thread."""
        ended = threading.Event()

        def work() -> None:
            while not ended.wait(_PAUSE):
                try:
                    self.step()
                except (OSError, ValueError) as error:  # such as a full disk
                    print(f"dugraph: {error}", file=sys.stderr)
                    ended.wait(5)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.close()


def _kill(run: Run, pid: int) -> None:
    if run.pid == pid:
        process.end(pid, at_once=True)


def _start(run: Run, home: Path) -> Any:
    return process.start(run.folder, run.job.arguments, home, _OUTPUT, _LOG)


def _write(path: Path, content: dict[str, Any]) -> None:
    with atomic_file(path) as file:
        file.write(json_bytes(content))
