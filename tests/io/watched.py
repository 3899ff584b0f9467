"""Reads in forks of a process with all imports, with their CPU time and memory beyond the imports."""

import json
import os
import resource
import subprocess
import sys
import time
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


@dataclass(frozen=True)
class Outcome:
    """`error` is the message of an InputError (`refused`) or of another failure; empty if all was read."""

    error: str
    refused: bool
    seconds: float
    n_bytes: float


class Watched:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def read(self, path: Path, **words: object) -> Outcome:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"path": str(path), **{k: str(v) if isinstance(v, Path) else v for k, v in words.items()}}
        self._process.stdin.write(json.dumps(request) + "\n")
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
    _outcome({"path": os.devnull})  # what is imported at first use
    for line in sys.stdin:
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(theirs, json.dumps(_outcome(json.loads(line))).encode())
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as answer:
            outcome = answer.read()
        _, status = os.waitpid(child, 0)
        lost = {"error": f"the process ended with {status}", "refused": False, "seconds": 0, "n_bytes": 0}
        print(outcome or json.dumps(lost), flush=True)


def _outcome(request: dict[str, object]) -> dict[str, object]:
    from dugraph import load_cohort, read_cohort
    from dugraph.exceptions import InputError

    path = str(request.pop("path"))
    before, begin, error, refused = memory("VmRSS"), time.process_time(), "", False
    try:
        load_cohort(path) if path.endswith(".npz") else read_cohort(path, **request)  # type: ignore[arg-type]
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
