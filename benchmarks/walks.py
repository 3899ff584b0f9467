"""Files and functions of the package that four calls touch, and repeated work.

python benchmarks/walks.py

Traces `dugraph mine -o FOLDER --report`, `dugraph test -o FOLDER`, `dugraph convert` of six CSV files and
`SubgraphSelector.fit_transform` on a simulated cohort. It calls public names only, so that the same file
traces other versions of the package: run it with their Python.
"""

import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dugraph as dg
from dugraph.cli import main as dugraph

PACKAGE = str(Path(dg.__file__).resolve().parent)


class Walk:
    """Functions of the package that a call touches, and openings of one file."""

    def __init__(self, cohort: str = "") -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.opened = 0
        self._cohort, self._watching = cohort, False
        sys.addaudithook(self._audit)

    def __call__(self, work: Callable[[], object]) -> "Walk":
        self._watching = True
        sys.setprofile(self._profile)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                work()
        finally:
            sys.setprofile(None)
            self._watching = False
        return self

    def _profile(self, frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            self.calls[code.co_filename, code.co_qualname] += 1

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if (
            self._watching
            and event == "open"
            and self._cohort
            and isinstance(arguments[0], (str, os.PathLike))
        ):
            self.opened += os.path.realpath(os.fspath(arguments[0])) == self._cohort

    def times(self, name: str) -> int:
        """How often a function of this name was called."""
        return sum(n for (_, function), n in self.calls.items() if function.split(".")[-1] == name)

    def row(self, name: str) -> str:
        """The walk as a row of the table."""
        files = len({file for file, _ in self.calls})
        opened = str(self.opened) if self._cohort else ""
        checks = f"{self.times('check_labels')} | {self.times('check_label_order')}"
        return (
            f"| {name} | {len(self.calls)} | {files} | {opened} | {self.times('read_archive')} | {checks} |"
        )


def write_matrices(folder: Path) -> str:
    """Six matrices of correlations among five regions, one file for each subject."""
    folder.mkdir()
    random = np.random.default_rng(0)
    for subject in range(6):
        matrix = np.corrcoef(random.normal(size=(5, 40)) + random.normal(size=40))
        lines = [",".join(f"{value:.6f}" for value in row) for row in matrix]
        (folder / f"sub-{subject:02}.csv").write_text("\n".join(lines) + "\n")
    return str(folder)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        graphs, y, _ = dg.simulate("hiv", random_state=0)
        cohort = os.path.realpath(f"{name}/cohort.npz")
        dg.save_cohort(cohort, graphs, y)
        command = ["mine", cohort, "--n-subgraphs", "10", "-o", f"{name}/results", "--report"]
        selector = dg.SubgraphSelector(n_subgraphs=10)
        test = ["test", cohort, "--n-permutations", "19", "--alpha", "0.5", "--max-edges", "1"]
        convert = ["convert", write_matrices(Path(name) / "study"), "-o"]
        # Modules are imported before the walk, which therefore excludes code that runs at import.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            dugraph([*command[:-2], f"{name}/first", "--report"])
            dugraph([*test, "-o", f"{name}/first test"])
            dugraph([*convert, f"{name}/first.npz"])
        print(f"dugraph {dg.__version__}")
        print("| walk | functions | files | cohort opened | cohort read | labels checked | order checked |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        print(Walk(cohort)(lambda: dugraph(command)).row("`mine -o DIR --report`"))
        print(Walk(cohort)(lambda: dugraph([*test, "-o", f"{name}/test"])).row("`test -o DIR`"))
        print(Walk()(lambda: dugraph([*convert, f"{name}/new.npz"])).row("`convert` of six CSV files"))
        print(Walk()(lambda: selector.fit_transform(graphs, y)).row("`fit_transform`"))


if __name__ == "__main__":
    main()
