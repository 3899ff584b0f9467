"""Two versions of dugraph side by side: the files that the same commands write, member by member.

python benchmarks/version_files.py OTHER/.venv/bin/dugraph [--cohorts hiv age abide] [--only TEXT]

OTHER is a checkout of another version with its own environment, as for `versions.py`. Both read the same
cohort files and run `mine` with every measure and score, `test`, `sparse` and `evaluate` on one thread. For
each file the table says in how many folders its bytes are the same, which members (columns, keys) one version
alone has, and which differ, with the largest difference of numbers, relative to the larger of them.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import cohorts

import dugraph as dg

SCORES = ("confidence", "frequency_ratio", "g_test", "hsic", "information_gain")
MEASURES = ("expectation", "median", "mode", "phi_probability")
MINE = [f"mine {{cohort}} --measure {measure} --score {score}" for measure in MEASURES for score in SCORES]
COMMANDS = [
    *MINE,
    "mine {cohort} --measure frequency",
    "test {cohort} --n-permutations 99 --max-edges 2",
    "sparse {cohort} --alpha 0.05",
    "sparse {cohort} --n-nonzero 5 --n-alphas 8",
    "evaluate {cohort} --methods exp-hsic,med-g_test,select-k-best,all-edges,sparse --n-subgraphs 5,10 "
    "--n-splits 3",
]
# Members that differ between runs: times and places.
OWN = re.compile(
    r"seconds|/created$|/dugraph$|version|/path$|_s$|machine|/python$|/numpy$|/scipy$|/scikit-learn$"
)


class Differences:
    """Differences between files of one name."""

    def __init__(self) -> None:
        self.n_files = self.n_same = 0
        self.members: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.largest: dict[str, float] = defaultdict(float)
        self.example: dict[str, str] = {}

    def add(self, other: Path, this: Path) -> None:
        """Compare a file of both versions."""
        self.n_files += 1
        if other.read_bytes() == this.read_bytes():
            self.n_same += 1
            return
        old, new = members(other), members(this)
        seen = set()
        for key in {**old, **new}:
            general = re.sub(r"\[\d+\]", "[]", key)
            kind = "other alone" if key not in new else "this alone" if key not in old else "differ"
            if kind == "differ" and old[key] == new[key]:
                continue
            if kind == "differ":
                self.largest[general] = max(self.largest[general], distance(old[key], new[key]))
            if (kind, general) not in seen:
                seen.add((kind, general))
                self.members[kind, general]["files"] += 1
            self.members[kind, general]["members"] += 1
            self.example.setdefault(general, f"{str(old.get(key))[:60]} | {str(new.get(key))[:60]}")

    def show(self, name: str) -> None:
        """Print the differences."""
        print(f"\n{name}: {self.n_same} of {self.n_files} the same bytes")
        for (kind, member), count in sorted(self.members.items()):
            size = f", by at most {self.largest[member]:.2g}" if kind == "differ" else ""
            own = " (its own of every run)" if OWN.search(member) else ""
            print(f"  {kind}: {member} in {count['files']} files, {count['members']} times{size}{own}")
            if not own:
                print(f"      {self.example[member]}")


def members(path: Path) -> dict[str, object]:
    """The content of a file by the names of its members, or its lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return dict(flattened(json.loads(text), ""))
    if path.suffix == ".csv":
        rows = list(csv.DictReader(text.splitlines()))
        return {f"[{i}]/{column}": number(cell) for i, row in enumerate(rows) for column, cell in row.items()}
    return {f"line[{i}]": line for i, line in enumerate(text.splitlines())}


def flattened(value: object, place: str) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [pair for key, one in value.items() for pair in flattened(one, f"{place}/{key}")]
    if isinstance(value, list):
        return [pair for i, one in enumerate(value) for pair in flattened(one, f"{place}[{i}]")]
    return [(place, value)]


def number(cell: str) -> object:
    try:
        return float(cell)
    except ValueError:
        return cell


def distance(one: object, other: object) -> float:
    """Relative difference of two numbers; infinite for anything else."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) / max(abs(one), abs(other))
    return float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="the other version's dugraph")
    parser.add_argument("--cohorts", nargs="+", default=["hiv"], help="names of benchmarks/cohorts.py")
    parser.add_argument("--limit", type=float, default=0.3, help="min_expected_frequency")
    parser.add_argument("--only", default="", help="commands that contain this text")
    parser.add_argument("--keep", type=Path, help="folder for the results, which stay")
    options = parser.parse_args()
    programs = {"other": options.other.absolute(), "this": Path(sys.executable).with_name("dugraph")}
    found: dict[str, Differences] = defaultdict(Differences)
    with tempfile.TemporaryDirectory() as folder:
        home = (options.keep or Path(folder)).absolute()
        for name, (X, y) in cohorts.named(options.cohorts):
            cohort = home / f"{name}.npz"
            home.mkdir(parents=True, exist_ok=True)
            if not cohort.exists():
                dg.save_cohort(
                    cohort, dg.UncertainGraphs(X) if not isinstance(X, dg.UncertainGraphs) else X, y
                )
            for k, command in enumerate(one for one in COMMANDS if options.only in one):
                folders = {}
                for version, program in programs.items():
                    folders[version] = home / version / f"{name}-{k}"
                    words = command.format(cohort=cohort).split()
                    limits = ["--min-expected-frequency", str(options.limit), "-o", str(folders[version])]
                    size = ["--n-subgraphs", "50"] if words[0] == "mine" else []
                    if not (folders[version] / "config.toml").exists():
                        subprocess.run(
                            [program, *words, *size, *limits],
                            check=True,
                            capture_output=True,
                            env={**os.environ, "PYTHONWARNINGS": "ignore"},
                        )
                compare(words[0], folders["other"], folders["this"], found)
    for name in sorted(found):
        found[name].show(name)


def compare(command: str, other: Path, this: Path, found: dict[str, Differences]) -> None:
    """Compare two folders of a command, file by file."""
    files = {
        version: {p.relative_to(at) for p in at.rglob("*") if p.is_file()}
        for version, at in (("o", other), ("t", this))
    }
    for path in sorted(files["o"] ^ files["t"]):
        print(f"{command}: only one version writes {path} ({'other' if path in files['o'] else 'this'})")
    for path in sorted(files["o"] & files["t"]):
        name = f"{command}: {re.sub(r'[0-9]{4}', 'NNNN', path.as_posix())}"
        found[name].add(other / path, this / path)


if __name__ == "__main__":
    main()
