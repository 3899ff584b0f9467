"""Every reader against damaged files of its own layout for a given time, in a child that is watched.

python tests/io/fuzzing.py [LAYOUT ...] [--seconds 60] [--seed 0]
python tests/io/fuzzing.py LAYOUT --case 0:17        one case alone, with what it raises

A case is read or refused with InputError. Anything else is a fault: another error, a warning, the end of the
process, more than 10 s of the processor, or memory beyond 4 times the input and 64 MB.
"""

import argparse
import contextlib
import faulthandler
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Arrow's own allocator reserves a gigabyte of addresses at its first string, which a child has not.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

from layouts import LAYOUTS
from mutations import damaged
from watched import memory

from dugraph import read_cohort
from dugraph.exceptions import InputError

LONGEST = 10.0  # seconds of the processor: what the machine does besides does not count
FACTOR, FREE = 4, 64 * 10**6
BATCH = 50  # cases of one child
WORDS = {
    "intersect": [False],
    "missing": ["refuse"],
    "values": ["count", "fisher_z", "correlation", "probability"],
    "probability": ["rank", "absolute", "largest", "none"],
}
NEEDED = {"mrtrix": {"probability": "largest"}}  # by layouts that are refused without
ROOM = 2**30  # bytes that a child may map beyond what it has


@dataclass
class Fuzzed:
    """The slowest and largest case in CPU seconds and bytes; `fault` says how to repeat one, or is empty."""

    n_cases: int = 0
    n_read: int = 0
    slowest: float = 0.0
    largest: float = 0.0
    fault: str = ""


class Layout:
    """A folder of a layout that is damaged and mended again, case by case."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder / name
        self.folder.mkdir()
        self.expected = LAYOUTS[name](self.folder)
        self.contents = {file: file.read_bytes() for file in sorted(self.folder.rglob("*")) if file.is_file()}
        self.atlas = next(iter(self.folder.glob("*dseg.tsv")), None)
        self.table = next(iter(self.folder.glob(self.expected.participants)), None)
        self.read()  # late imports do not count as memory of a case

    def read(self, **words: Any) -> None:
        beside = {"atlas": self.atlas, "participants": self.table, "id_column": self.expected.id_column}
        lenient = {"missing": "absent", "intersect": True, **NEEDED.get(self.name, {})}
        read_cohort(self.folder, **beside, **{**lenient, **self.expected.words, **words})

    def damage(self, case: str) -> tuple[list[Path], dict[str, Any]]:
        """Write the damaged files of a case; give them and the words to read with."""
        rng = random.Random(f"{self.name}:{case}")
        files = rng.sample(list(self.contents), min(rng.choice([1, 1, 1, 2]), len(self.contents)))
        for file in files:
            file.write_bytes(damaged(self.contents[file], rng, list(self.contents.values())))
        return files, {word: rng.choice(values) for word, values in WORDS.items() if rng.random() < 0.2}

    def mend(self, files: list[Path]) -> None:
        for file in files:
            file.write_bytes(self.contents[file])

    def allowed(self) -> float:
        return FREE + FACTOR * sum(file.stat().st_size for file in self.contents)


def fuzz(layout: Layout, seed: int, n_cases: int, seconds: float = 0.0) -> Fuzzed:
    """Try so many cases, and more until the time is over, unless one is a fault."""
    done, end = Fuzzed(), time.monotonic() + seconds
    while not done.fault and (done.n_cases < n_cases or time.monotonic() < end):
        _one_child(layout, min(BATCH, max(n_cases - done.n_cases, 0)) or BATCH, seed, done)
    return done


def _one_child(layout: Layout, n_cases: int, seed: int, done: Fuzzed) -> None:
    sys.stdout.flush()
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork of a process with threads
        child = os.fork()
    if child == 0:
        try:
            _try_cases(layout, seed, range(done.n_cases, done.n_cases + n_cases), theirs)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(theirs)
    case, fault = "", ""
    with os.fdopen(ours) as lines:
        for line in lines:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "case":
                case = rest
                done.n_cases += 1
            elif kind == "done":
                was_read, took, n_bytes = rest.split()
                done.n_read += int(was_read)
                done.slowest, done.largest = max(done.slowest, float(took)), max(done.largest, float(n_bytes))
            else:
                fault = rest
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        fault = "the fuzzer itself broke, as shown above"
    elif os.WIFSIGNALED(status):
        end = os.WTERMSIG(status)
        hung = f"it took more than {LONGEST:g} s of the processor"
        fault = hung if end == signal.SIGPROF else f"the process ended by {signal.Signals(end).name}"
    if fault:
        again = f"python tests/io/fuzzing.py {layout.name} --case {case}"
        done.fault = f"{layout.name}, case {case}: {fault}. Repeat it with: {again}"


def _try_cases(layout: Layout, seed: int, numbers: range, pipe: int) -> None:
    faulthandler.disable()  # the end of a child is told by its parent
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (mapped + ROOM, mapped + ROOM))
    warnings.simplefilter("error")
    layout.read()  # what is copied on the first write after a fork is not a case's
    for number in numbers:
        case = f"{seed}:{number}"
        os.write(pipe, f"case {case}\n".encode())
        files, words = layout.damage(case)
        allowed, before, begin = layout.allowed(), _reset_peak(), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            layout.read(**words)
            was_read = 1
        except InputError:
            was_read = 0
        except BaseException as error:
            fault = ascii(f"{type(error).__name__}: {str(error)[:300]}")
            os.write(pipe, f"fault {fault}\n".encode())
            return
        signal.setitimer(signal.ITIMER_PROF, 0)
        took, n_bytes = time.process_time() - begin, memory("VmHWM") - before
        os.write(pipe, f"done {was_read} {took} {n_bytes}\n".encode())
        if n_bytes > allowed:
            sizes = f"{n_bytes / 1e6:.0f} MB, allowed are {allowed / 1e6:.0f}"
            os.write(pipe, f"fault it took {sizes}\n".encode())
            return
        layout.mend(files)


def _reset_peak() -> int:
    """Begin to measure anew; where that is not possible the peak only grows, which hides no first fault."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return memory("VmHWM")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT", default=list(LAYOUTS))
    parser.add_argument("--seconds", type=float, default=60.0, help="for each layout (default: 60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", help="SEED:NUMBER, as a fault names it")
    options = parser.parse_args()
    n_faults = 0
    for name in options.layouts:
        with tempfile.TemporaryDirectory() as folder:
            layout = Layout(name, Path(folder))
            if options.case:
                files, words = layout.damage(options.case)
                shutil.copytree(layout.folder, f"fuzzed_{name}", dirs_exist_ok=True)
                print(f"copied to fuzzed_{name}; damaged: {[file.name for file in files]}; words: {words}")
                layout.read(**words)
                continue
            done = fuzz(layout, options.seed, 1, options.seconds)
        n_faults += bool(done.fault)
        print(
            f"{name}: {done.n_cases} cases in {options.seconds:g} s from seed {options.seed}, "
            f"{done.n_read} read; slowest {done.slowest:.2f} s, largest {done.largest / 1e6:.1f} MB; "
            f"{done.fault or 'no fault'}",
            flush=True,
        )
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
