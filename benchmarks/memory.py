"""Peak memory of `dugraph info`, `mine` and `convert` on large cohorts, beside the size of their data.

Cohort files of float32 and float64, 40,000 graphs over 55 regions and 5,000 over 200, and 5,000 matrices of
200 regions in separate files are simulated in a temporary folder. Another process writes the cohort files,
because the system counts the memory of a parent as that of its child. A peak is the largest resident memory
of the process, pages of mapped files included.

python benchmarks/memory.py 40000x55 5000x200 --commands info mine convert
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import dugraph as dg

ALLOWED = 1.5, 500.0
"""Times the data, and megabytes beyond it."""


def made_up(n_graphs: int, n_regions: int, dtype: type) -> dg.UncertainGraphs:
    """Edges of very different frequency, as of correlations: a third of them above 0.2."""
    rng = np.random.default_rng(0)
    mean = rng.beta(1, 5, n_regions * (n_regions - 1) // 2).astype(np.float32)
    X = np.empty((n_graphs, len(mean)), dtype)
    for first in range(0, n_graphs, 500):
        some = X[first : first + 500]
        noise = rng.standard_normal(some.shape, dtype=np.float32) * (0.12 * np.sqrt(mean * (1 - mean)))
        some[:] = np.clip(mean + noise, 0, 1)
    return dg.UncertainGraphs(X)


def measure(command: list[str]) -> tuple[float, float]:
    """Megabytes at the peak, and seconds, of `dugraph` in a process of its own."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "dugraph", *command], stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"dugraph {' '.join(command)} ended with {child.returncode}")
    return used.ru_maxrss * 1024 / 1e6, time.perf_counter() - began


def write_cohort(file: Path, n_graphs: int, n_regions: int, dtype: type) -> None:
    dg.save_cohort(file, made_up(n_graphs, n_regions, dtype), np.arange(n_graphs) % 2)


def in_a_process_of_its_own(work: Callable[..., object], *arguments: object) -> None:
    process = get_context("spawn").Process(target=work, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{work.__name__} ended with {process.exitcode}")


def show(cohort: str, precision: str, command: str, megabytes: float, arguments: list[str]) -> None:
    peak, seconds = measure(arguments)
    most = ALLOWED[0] * megabytes + ALLOWED[1]
    words = "yes" if peak <= most else "NO"
    print(
        f"| {cohort} | {precision} | {command} | {megabytes:,.0f} | {most:,.0f} | {peak:,.0f} | {words} "
        f"| {seconds:.0f} |",
        flush=True,
    )


def write_matrices(folder: Path, n_graphs: int, n_regions: int) -> Path:
    """One .npy file for each subject."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    lower = np.tril_indices(n_regions, -1)
    for i in range(n_graphs):
        matrix = np.eye(n_regions)
        matrix[lower] = np.clip(rng.normal(0.1, 0.2, len(lower[0])), -1, 1)
        np.save(folder / f"sub-{i:05}.npy", matrix + np.tril(matrix, -1).T)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cohorts", nargs="+", metavar="GRAPHSxREGIONS")
    parser.add_argument(
        "--commands", nargs="+", default=["info", "mine"], choices=("info", "mine", "convert")
    )
    parser.add_argument("--min-expected-frequency", default="0.2")
    options = parser.parse_args()
    print("| cohort | given in | command | data, MB | allowed, MB | peak, MB | within | s |")
    print("|---|---|---|---:|---:|---:|---|---:|")
    with tempfile.TemporaryDirectory() as name:
        for cohort in options.cohorts:
            n_graphs, n_regions = map(int, cohort.split("x"))
            numbers = n_graphs * n_regions * (n_regions - 1) // 2 / 1e6
            file = Path(name) / "cohort.npz"
            for dtype in (np.float32, np.float64):
                if {"info", "mine"} & set(options.commands):
                    in_a_process_of_its_own(write_cohort, file, n_graphs, n_regions, dtype)
                for command in ("info", "mine"):
                    if command in options.commands:
                        limit = ["--min-expected-frequency", options.min_expected_frequency, "--n-jobs", "2"]
                        arguments = [command, str(file), *(limit if command == "mine" else [])]
                        megabytes = numbers * np.dtype(dtype).itemsize
                        show(cohort, np.dtype(dtype).name, command, megabytes, arguments)
            if "convert" in options.commands:
                folder = write_matrices(Path(name) / cohort, n_graphs, n_regions)
                arguments = ["convert", str(folder), "-o", str(file)]
                show(cohort, "float64", "convert", 8 * numbers, arguments)


if __name__ == "__main__":
    main()
