"""Every reader against damaged files of its own layout for a given time.

python tests/io/fuzzing.py [LAYOUT ...] [--seconds 60] [--seed 0]
python tests/io/fuzzing.py LAYOUT --case 0:17        one case alone, with what it raises

A case is read or refused with InputError. Anything else is a fault: another error, a warning, the end of the
process, more than 10 s of the processor, or memory beyond 4 times the input and 64 MB.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from layouts import LAYOUTS
from mutations import damaged
from watched import Watched

from dugraph import read_cohort

LONGEST = 10.0  # seconds of the processor
FACTOR, FREE = 4, 64 * 10**6
WORDS = {
    "intersect": [False],
    "missing": ["refuse"],
    "values": ["count", "fisher_z", "correlation", "probability"],
    "probability": ["rank", "absolute", "largest", "none"],
}
NEEDED = {"mrtrix": {"probability": "largest"}}  # by layouts that are refused without


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
        expected = LAYOUTS[name](self.folder)
        self.contents = {file: file.read_bytes() for file in sorted(self.folder.rglob("*")) if file.is_file()}
        atlas = next(iter(self.folder.glob("*dseg.tsv")), None)
        table = next(iter(self.folder.glob(expected.participants)), None)
        self.words = {"atlas": atlas, "participants": table, "id_column": expected.id_column}
        self.words |= {"missing": "absent", "intersect": True, **NEEDED.get(name, {}), **expected.words}

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


def fuzz(layout: Layout, process: Watched, seed: int, n_cases: int, seconds: float = 0.0) -> Fuzzed:
    """Try a number of cases, and more until the time is over, unless one is a fault."""
    done, end = Fuzzed(), time.monotonic() + seconds
    intact = process.import_for(layout.folder, **layout.words)
    assert not intact.error, intact.error
    while not done.fault and (done.n_cases < n_cases or time.monotonic() < end):
        case = f"{seed}:{done.n_cases}"
        files, words = layout.damage(case)
        allowed = layout.allowed()
        one = process.read(layout.folder, strict=LONGEST, **{**layout.words, **words})
        layout.mend(files)
        done.n_cases += 1
        done.n_read += not one.error
        done.slowest, done.largest = max(done.slowest, one.seconds), max(done.largest, one.n_bytes)
        fault = "" if one.refused else ascii(one.error[:300]) * bool(one.error)
        if one.n_bytes > allowed:
            fault = f"it took {one.n_bytes / 1e6:.0f} MB, allowed are {allowed / 1e6:.0f}"
        if fault:
            again = f"python tests/io/fuzzing.py {layout.name} --case {case}"
            done.fault = f"{layout.name}, case {case}: {fault}. Repeat it with: {again}"
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT", default=list(LAYOUTS))
    parser.add_argument("--seconds", type=float, default=60.0, help="for each layout (default: 60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", help="SEED:NUMBER, as a fault names it")
    options = parser.parse_args()
    n_faults, process = 0, Watched()
    for name in options.layouts:
        with tempfile.TemporaryDirectory() as folder:
            layout = Layout(name, Path(folder))
            if options.case:
                files, words = layout.damage(options.case)
                shutil.copytree(layout.folder, f"fuzzed_{name}", dirs_exist_ok=True)
                print(f"copied to fuzzed_{name}; damaged: {[file.name for file in files]}; words: {words}")
                read_cohort(layout.folder, **{**layout.words, **words})
                continue
            done = fuzz(layout, process, options.seed, 1, options.seconds)
        n_faults += bool(done.fault)
        print(
            f"{name}: {done.n_cases} cases in {options.seconds:g} s from seed {options.seed}, "
            f"{done.n_read} read; slowest {done.slowest:.2f} s, largest {done.largest / 1e6:.1f} MB; "
            f"{done.fault or 'no fault'}",
            flush=True,
        )
    process.close()
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
