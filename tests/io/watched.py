"""Reads in forks of a process with all imports, with their CPU time and memory beyond the imports."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

LIBRARIES = (
    *("pandas", "h5py", "scipy.io", "nibabel", "networkx", "defusedxml.ElementTree", "pyarrow.parquet"),
    *("bids2table", "dugraph.io"),
)
# CPU seconds: one on the quiet machine of a soak; elsewhere enough to exclude work that grows much faster
# than the file.
MOST_SECONDS, MOST_BYTES = 1.0 if os.environ.get("DUGRAPH_SOAK") else 60.0, 256 * 10**6
ROOM = 2**30  # bytes that a strict read may map


@dataclass(frozen=True)
class Outcome:
    """`error` is the message of an InputError (`refused`) or of another failure; empty if all was read."""

    error: str
    refused: bool
    seconds: float
    n_bytes: float


class Watched:
    def __init__(self) -> None:
        # Arrow's own allocator reserves more addresses than a strict read may map.
        environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
        command = [sys.executable, __file__]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, env=environment, **pipes)

    def read(self, path: Path, strict: float = 0.0, **words: object) -> Outcome:
        """Read a cohort; warnings are errors and memory is limited if it may take `strict` CPU seconds."""
        return self._ask(strict, path=str(path), words=words)

    def run(self, code: str, strict: float) -> Outcome:
        """Run code in place of a read."""
        return self._ask(strict, code=code)

    def import_for(self, path: Path, **words: object) -> Outcome:
        """Read in the process itself, so that its late imports are not counted in the next reads."""
        return self._ask(0.0, path=str(path), words=words, in_fork=False)

    def _ask(self, strict: float, **request: object) -> Outcome:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"strict": strict, **request}, default=str) + "\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Answer requests, one line of JSON each."""
    for name in LIBRARIES:
        module = import_module(name)
    for reader in walk_packages(module.__path__, "dugraph.io."):
        import_module(reader.name)
    _outcome(path=os.devnull)  # imports at first use
    for line in sys.stdin:
        request = json.loads(line)
        answer = _in_fork(request) if request.pop("in_fork", True) else _outcome(**request)
        print(json.dumps(answer), flush=True)


def _in_fork(request: dict[str, object]) -> dict[str, object]:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, json.dumps(_outcome(**request)).encode())  # type: ignore[arg-type]
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    end = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {status}"
    error = (
        f"it took more than {request['strict']:g} s" if end in ("SIGXCPU", "SIGKILL") else f"ended by {end}"
    )
    return {"error": error, "refused": False, "seconds": 0, "n_bytes": 0}


def _outcome(
    strict: float = 0.0, path: str = "", words: dict[str, object] | None = None, code: str = ""
) -> dict[str, object]:
    from dugraph import load_cohort, read_cohort
    from dugraph.exceptions import InputError

    if strict:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (mapped + ROOM, mapped + ROOM))
        resource.setrlimit(resource.RLIMIT_CPU, (int(strict), int(strict)))
        warnings.simplefilter("error")
    before, begin, error, refused = memory("VmRSS"), time.process_time(), "", False
    try:
        if code:
            exec(code)
        elif path.endswith(".npz"):
            load_cohort(path)
        else:
            read_cohort(path, **(words or {}))  # type: ignore[arg-type]
    except InputError as found:
        error, refused = str(found), True
    except BaseException as found:
        error = f"{type(found).__name__}: {found}"
    seconds = time.process_time() - begin
    return {"error": error, "refused": refused, "seconds": seconds, "n_bytes": memory("VmHWM") - before}


def memory(what: str) -> int:
    """Bytes of this process: VmRSS now, VmHWM at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what + ":"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    serve()
