"""A run as a process, which locks the folder of the run until it ends: `python -m dugraph.app.process`."""

from __future__ import annotations

import contextlib
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import signal

LOCK, STOP = "lock", "stop"
"""Files of a run: the lock, which contains the id of the process, and the mark of a run that was stopped."""
_BYTE = 2**30  # Windows locks bytes: one beyond the content, which can then be read
_ATTEMPTS, _PAUSE = 50, 0.02  # another process may have the lock for a moment, to find out whether it is free


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


def start(folder: Path, arguments: list[str], home: Path, output: str, log: str) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, so that it survives the app."""
    detached = [getattr(subprocess, name, 0) for name in ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP")]
    with open(folder / output, "wb") as stdout, open(folder / log, "wb") as stderr:
        return subprocess.Popen(
            # -P: no module is imported from the folder of the study.
            [sys.executable, "-P", "-m", "dugraph.app.process", str(folder), *arguments],
            cwd=home,
            env={**os.environ, "DUGRAPH_PROGRESS": "json"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            creationflags=sum(detached),
        )


def end(pid: int, at_once: bool) -> None:
    """Interrupt or kill a process and those that it started; Windows can only kill them."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/PID", str(pid), "/T", "/F"], capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.killpg(pid, signal.SIGKILL if at_once else signal.SIGTERM)


def main() -> None:
    """Lock the folder given first, unless another process works there, and run the command that follows."""
    folder, *arguments = sys.argv[1:]
    for _ in range(_ATTEMPTS):
        if (file := lock(Path(folder, LOCK))) is not None:
            break
        time.sleep(_PAUSE)
    else:
        sys.exit("dugraph: another process works on this run.")
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, str(os.getpid()).encode())
    if Path(folder, STOP).exists():
        sys.exit(130)
    sys.argv = ["dugraph", *arguments]
    runpy.run_module("dugraph", run_name="__main__")


if __name__ == "__main__":
    main()
