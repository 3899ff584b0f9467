"""Runs: `dugraph` commands in their own processes, one after another; the state of a run is in its folder.

A folder contains `job.json` (the command), `log.txt` and `output.txt` (stderr and stdout), the checkpoint and
the result. A running command holds a lock on the file `lock`, which the kernel releases however the command
ends; `exit.json` has the exit code; `stop` exists if the user stopped it. A run survives the app, and a run
killed with the machine resumes from its checkpoint when the app is started again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, make_folder
from dugraph.files.text import json_bytes

WAITING, RUNNING, STOPPING, STOPPED = "waiting", "running", "stopping", "stopped"
DONE, LIMIT, FAILED = "done", "limit reached", "failed"
ENDED = (DONE, LIMIT, FAILED, STOPPED)

RESULTS = {"convert": "cohort.npz", "plan": "plan.toml", "report": "report.html", "plot": "figure.png"}
"""The file that a command writes; other commands write a folder."""
FOLDER, CHECKPOINT = "result", "checkpoint.npz"
_NAME = re.compile(r"(\d{3,6})-([a-z]+)")
_JOB, _LOG, _OUTPUT, _LOCK, _EXIT, _STOP = (
    *("job.json", "log.txt", "output.txt", "lock", "exit.json", "stop"),
)
_PATIENCE = 0.7  # seconds between SIGTERM and SIGKILL
_TAIL = 2**16  # bytes of a log that are read
_PAUSE = 0.1


@dataclass(frozen=True)
class Job:
    """The command of a run.

    Attributes
    ----------
    command : str
    arguments : list of str
        Everything after ``dugraph``; paths are relative to the folder of the study.
    values : dict of str to str
        The form from which it was started.
    title : str
    created : str
        Date and time.
    """

    command: str
    arguments: list[str]
    values: dict[str, Any]
    title: str
    created: str

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


@dataclass(frozen=True)
class Progress:
    """The end of the log of a run: progress, messages, and the error that ended it."""

    text: str
    seconds: float | None
    messages: list[str]
    error: dict[str, Any] | None


class Run:
    """One run, whose state is read from its folder on every access.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
        stopped = (self.folder / _STOP).exists()
        if (code := self.code) is not None:
            return {0: DONE, 3: LIMIT}.get(code, FAILED)
        if self.is_locked():
            return STOPPING if stopped else RUNNING
        if stopped:
            return STOPPED
        # It ended while no app was running to record the exit code; results are written last.
        return DONE if self._has_result() else WAITING

    def _has_result(self) -> bool:
        names = ("results.json", "evaluation.json")
        return self.result.is_file() or any((self.result / name).is_file() for name in names)

    def is_locked(self) -> bool:
        """Whether its process exists."""
        with contextlib.suppress(FileNotFoundError), open(self.folder / _LOCK, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def output(self) -> str:
        """The output of the command."""
        return _tail(self.folder / _OUTPUT)

    def progress(self) -> Progress:
        """The end of the log: the last report, the messages, and the error."""
        text, seconds, messages, error = "", None, [], None
        for line in _tail(self.folder / _LOG).splitlines():
            try:
                content = json.loads(line) if line.startswith("{") else None
            except ValueError:
                content = None
            if isinstance(content, dict) and "progress" in content:
                text = f"{content['progress']}: {content.get('text', '')}"
                seconds = float(content.get("seconds", 0))
            elif isinstance(content, dict) and "error" in content:
                error = content
            elif line.strip():
                messages.append(line)
        return Progress(text, seconds, messages[-20:], error)


Start = Callable[[Run, Path, int], Any]


def _tail(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            text = file.read(_TAIL).decode("utf-8", "replace")
    except OSError:
        return ""
    return text.partition("\n")[2] if size > _TAIL else text


class Runs:
    """The runs of a study, and the queue that starts them one after another.

    Parameters
    ----------
    folder : Path
        Created with the first run.
    home : Path
        The working folder of the commands.
    start : callable
        ``(run, working folder, descriptor of its lock) -> process``.
    """

    def __init__(self, folder: Path, home: Path, start: Start | None = None) -> None:
        self.folder, self.home = folder, home
        self._start = start or start_process
        self._processes: dict[str, Any] = {}
        self._stopping: dict[str, float] = {}
        self._mutex = threading.Lock()
        self._queue: int | None = None

    def all(self) -> list[Run]:
        """All runs, the most recent first."""
        try:
            names = [name for name in os.listdir(self.folder) if _NAME.fullmatch(name)]
        except FileNotFoundError:
            return []
        runs = [Run(self.folder / name) for name in names]
        known = [run for run in runs if (run.folder / _JOB).is_file()]
        return sorted(known, key=lambda run: run.number, reverse=True)

    def get(self, name: str) -> Run:
        """A run by its name; KeyError if there is none."""
        if not (_NAME.fullmatch(name) and (self.folder / name / _JOB).is_file()):
            raise KeyError(name)
        return Run(self.folder / name)

    def add(
        self, command: str, arguments: Callable[[Path], list[str]], values: dict[str, Any], title: str
    ) -> Run:
        """Put a command at the end of the queue.

        Parameters
        ----------
        command : str
        arguments : callable
            Makes the arguments for the folder of the run.
        values : dict
            The form that it was started from.
        title : str
        """
        make_folder(self.folder)
        with self._mutex:
            number = max((run.number for run in self.all()), default=0)
            while True:
                number += 1
                folder = self.folder / f"{number:03d}-{command}"
                with contextlib.suppress(FileExistsError):
                    folder.mkdir()
                    break
        created = time.strftime("%Y-%m-%d %H:%M")
        job = Job(command, arguments(folder), values, title, created)
        with atomic_file(folder / _JOB) as file:
            file.write(json_bytes(vars(job)))
        return Run(folder)

    def stop(self, run: Run) -> None:
        """Stop a run: at once if it is waiting; otherwise its process saves the checkpoint, or is killed."""
        if run.code is None:
            (run.folder / _STOP).touch()
            if run.is_locked():
                self._stopping[run.name] = time.monotonic() + _PATIENCE
                _signal(run, signal.SIGTERM)

    def resume(self, run: Run) -> None:
        """Queue a stopped or failed run again; it resumes from its checkpoint."""
        if run.state in (STOPPED, FAILED):
            for name in (_EXIT, _STOP):
                (run.folder / name).unlink(missing_ok=True)

    def step(self) -> None:
        """Record which runs have ended, kill those that do not stop, and start the next one."""
        for name, process in list(self._processes.items()):
            code = process.poll()
            if code is not None:
                del self._processes[name]
                self._note_end(Run(self.folder / name), code)
        for name, due in list(self._stopping.items()):
            run = Run(self.folder / name)
            if not run.is_locked():
                del self._stopping[name]
            elif time.monotonic() >= due:
                _signal(run, signal.SIGKILL)
        if not self._leads():
            return
        runs = self.all()[::-1]
        states = [run.state for run in runs]
        if not {RUNNING, STOPPING} & set(states) and WAITING in states:
            self._begin(runs[states.index(WAITING)])

    def _note_end(self, run: Run, code: int) -> None:
        if (run.folder / _STOP).exists() and code not in (0, 3):
            return  # it was stopped, not failed
        (run.folder / _STOP).unlink(missing_ok=True)
        with atomic_file(run.folder / _EXIT) as file:
            file.write(json_bytes({"code": code}))

    def _begin(self, run: Run) -> None:
        lock = os.open(run.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            process = self._start(run, self.home, lock)
            os.ftruncate(lock, 0)
            os.write(lock, str(process.pid).encode())
            self._processes[run.name] = process
        except BlockingIOError:
            pass  # locked while its state is read; the next step tries again
        finally:
            os.close(lock)

    def _leads(self) -> bool:
        """Whether this app runs the queue: among several apps on one folder, the first one does."""
        if self._queue is None:
            if not self.folder.is_dir():
                return False
            queue = os.open(self.folder / ".queue", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(queue)
                return False
            self._queue = queue
        return True

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
                except (
                    OSError,
                    InputError,
                    ValueError,
                ) as error:  # such as a full disk
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


def start_process(run: Run, home: Path, lock: int) -> Any:
    """Start a command that holds the lock of its run, in a session of its own: it survives the app."""
    with open(run.folder / _OUTPUT, "wb") as output, open(run.folder / _LOG, "wb") as log:
        return subprocess.Popen(
            # -P: no module is imported from the folder of the study.
            [sys.executable, "-P", "-m", "dugraph", *run.job.arguments],
            cwd=home,
            env={**os.environ, "DUGRAPH_PROGRESS": "json"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
            pass_fds=(lock,),
            start_new_session=True,
        )


def _signal(run: Run, number: signal.Signals) -> None:
    """Send a signal to the process of a run, which holds its lock, and to those that it started."""
    try:
        pid = int((run.folder / _LOCK).read_text())
    except (OSError, ValueError):
        return  # it has just started: the next step kills it
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if pid > 1 and run.is_locked():
            os.killpg(pid, number)
