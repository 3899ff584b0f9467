"""Runs: `dugraph` commands in their own processes, one after another; the state of a run is in its folder.

A folder contains `job.json` (the command), `log.txt` and `output.txt` (stderr and stdout), the checkpoint
and the result. The process, `python -m dugraph.app.jobs`, locks the file `lock`, which the system releases
however the process ends. `exit.json` has the exit code, that of an interrupt if the user stops the run. A run
survives the app, and a run killed with the machine resumes from its checkpoint when the app is started
again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.app.study import RECORDS, RefusedError
from dugraph.files.atomic import atomic_file, make_folder
from dugraph.files.text import json_bytes

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import signal

WAITING, RUNNING, STOPPING, STOPPED = "waiting", "running", "stopping", "stopped"
DONE, LIMIT, FAILED = "done", "limit reached", "failed"
ENDED = (DONE, LIMIT, FAILED, STOPPED)

RESULTS = {"convert": "cohort.npz", "plan": "plan.toml", "report": "report.html", "plot": "figure.png"}
"""The file that a command writes; other commands write a folder."""
FOLDER, CHECKPOINT = "result", "checkpoint.npz"
LOCK, EXIT = "lock", "exit.json"
_JOB, _LOG, _OUTPUT = "job.json", "log.txt", "output.txt"
_INTERRUPTED = 130
_STATES = {0: DONE, 3: LIMIT, _INTERRUPTED: STOPPED}  # by exit code; others are failures
_NAME = re.compile(r"(\d{3,6})-([a-z]+)")
_PATIENCE = 0.7  # seconds between an interrupt and a kill
_TAIL = 2**16  # bytes of a log that are read
_PAUSE = 0.1
_BYTE = 2**30  # Windows locks bytes: one beyond the content, which can then be read
_ATTEMPTS, _SHORT_PAUSE = (
    50,
    0.02,
)  # another process may have the lock for a moment, to see whether it is free
_looking = threading.Lock()  # a lock is tried by one thread at a time


def lock(path: Path) -> int | None:
    """Lock a file until the descriptor is closed or the process ends; None if it is locked already."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            os.lseek(file, _BYTE, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def end(pid: int, at_once: bool) -> None:
    """Interrupt or kill a process and those that it started; Windows can only kill them."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/PID", str(pid), "/T", "/F"], capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.killpg(pid, signal.SIGKILL if at_once else signal.SIGTERM)


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
        """The name of its folder, such as 002-test: the number, then the command."""
        return self.folder.name

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
            return int(json.loads((self.folder / EXIT).read_bytes())["code"])
        return None

    @property
    def state(self) -> str:
        """One of the words above."""
        code = self.code
        if code in (None, _INTERRUPTED) and self.is_locked():
            return RUNNING if code is None else STOPPING
        if code is not None:
            return _STATES.get(code, FAILED)
        # It ended while no app was running to record the exit code; results are written last.
        records = [self.result / name for name in RECORDS]
        return DONE if any(path.is_file() for path in (self.result, *records)) else WAITING

    def is_locked(self) -> bool:
        """Whether its process exists."""
        if not (self.folder / LOCK).exists():
            return False
        with _looking:
            file = lock(self.folder / LOCK)
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

    def start(self, home: Path) -> subprocess.Popen[bytes]:
        """Start the command in a session of its own, so that it survives the app."""
        detached = [getattr(subprocess, name, 0) for name in ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP")]
        with open(self.folder / _OUTPUT, "wb") as stdout, open(self.folder / _LOG, "wb") as stderr:
            return subprocess.Popen(
                # -P: no module is imported from the folder of the study.
                [sys.executable, "-P", "-m", "dugraph.app.jobs", str(self.folder), *self.job.arguments],
                cwd=home,
                env={**os.environ, "DUGRAPH_PROGRESS": "json"},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                creationflags=sum(detached),
            )

    def ended(self, code: int) -> None:
        """Record the exit code."""
        _write(self.folder / EXIT, {"code": code})


def _tail(path: Path) -> str:
    """The last lines of a file; empty if there is none."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
        file.seek(start)
        text = file.read().decode("utf-8", "replace")
        return text.partition("\n")[2] if start else text
    return ""


def _write(path: Path, content: dict[str, Any]) -> None:
    with atomic_file(path) as file:
        file.write(json_bytes(content))


class Runs:
    """The runs of a study, and the queue that starts them one after another.

    `home` is the working folder of the commands; `folder` is created with the first run.
    """

    def __init__(self, folder: Path, home: Path, start: Callable[[Run, Path], Any] = Run.start) -> None:
        self.folder, self.home = folder, home
        self._start = start
        self._started: tuple[Run, Any] | None = None
        self._changing = threading.Lock()
        self._queue: int | None = None

    def all(self) -> list[Run]:
        """All runs, the most recent first."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        known = [name for name in names if _NAME.fullmatch(name) and (self.folder / name / _JOB).is_file()]
        return [Run(self.folder / name) for name in sorted(known, key=_number, reverse=True)]

    def get(self, name: str) -> Run:
        """A run by its name."""
        if not (_NAME.fullmatch(name) and (self.folder / name / _JOB).is_file()):
            raise RefusedError(404, "There is no such run.")
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
        with self._changing:
            number = 1 + max((_number(run.name) for run in self.all()), default=0)
            while (folder := self.folder / f"{number:03d}-{command}").exists():
                number += 1
            folder.mkdir()
        job = Job(command, arguments(folder), values, title, time.strftime("%Y-%m-%d %H:%M"), expected)
        _write(folder / _JOB, vars(job))
        return Run(folder)

    def stop(self, run: Run) -> None:
        """Stop a run: at once if it is waiting; otherwise its process saves the checkpoint, or is killed."""
        with self._changing:
            if run.code is not None:
                return
            run.ended(_INTERRUPTED)
        if (pid := run.pid) is not None:
            end(pid, at_once=False)
            threading.Timer(_PATIENCE, _kill, (run, pid)).start()

    def resume(self, run: Run) -> None:
        """Queue a stopped or failed run again; it resumes from its checkpoint."""
        if run.state in (STOPPED, FAILED):
            (run.folder / EXIT).unlink(missing_ok=True)

    def step(self) -> None:
        """Record the end of the run that was started, and start the next one."""
        if self._started is not None:
            run, process = self._started
            if (code := process.poll()) is None:
                return
            self._started = None
            with self._changing:
                if code in (0, 3) or run.code is None:  # else it was stopped, not failed
                    run.ended(code)
        if self._queue is None and self.folder.is_dir():  # the first of several apps on a folder starts runs
            self._queue = lock(self.folder / ".queue")
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


def _number(name: str) -> int:
    return int(name.split("-")[0])


def _kill(run: Run, pid: int) -> None:
    if run.pid == pid:
        end(pid, at_once=True)


def main() -> None:
    """Lock the folder given first, unless another process works there, and run the command that follows."""
    folder, *arguments = sys.argv[1:]
    for _ in range(_ATTEMPTS):
        if (file := lock(Path(folder, LOCK))) is not None:
            break
        time.sleep(_SHORT_PAUSE)
    else:
        sys.exit("dugraph: another process works on this run.")
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, str(os.getpid()).encode())
    if Path(folder, EXIT).exists():  # it has been stopped
        sys.exit(_INTERRUPTED)
    sys.argv = ["dugraph", *arguments]
    runpy.run_module("dugraph", run_name="__main__")


if __name__ == "__main__":
    main()
