"""Reading cohorts: each layout against a plain loop of pandas or NumPy over the same files.

python benchmarks/convert.py [LAYOUT ...] [--subjects 1000] [--regions 200] [--timepoints 150]

The plain loop reads every file into an array of (subjects, pairs), without a check, in the same process and
run; the ratio of the processor's seconds is what matters. Memory is the peak beyond the
imports, by the array of the cohort.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dugraph import read_cohort

N_KEPT = 3  # different contents: written once, then linked under many names


def matrices(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [np.corrcoef(rng.standard_normal((n, 100))) for _ in range(N_KEPT)]


def series(n: int, length: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((length, n)) for _ in range(N_KEPT)]


def write_many(folder: Path, n_subjects: int, name: str, write: Callable[[Path, int], None]) -> list[Path]:
    files = []
    for i in range(n_subjects):
        file = folder / name.format(f"{i:04}")
        file.parent.mkdir(parents=True, exist_ok=True)
        if i < N_KEPT:
            write(file, i)
        else:
            os.link(files[i % N_KEPT], file)
        files.append(file)
    return files


def plain_matrix(read: Callable[[Path], Any]) -> Callable[[Path], np.ndarray]:
    def one(file: Path) -> np.ndarray:
        matrix = np.asarray(read(file), dtype=float)
        return matrix[np.tril_indices(len(matrix), -1)]

    return one


def plain_edges(separator: str, header: int | None) -> Callable[[Path], np.ndarray]:
    def one(file: Path) -> np.ndarray:
        return pd.read_csv(file, sep=separator, header=header).iloc[:, 2].to_numpy(dtype=float)

    return one


def plain_series(read: Callable[[Path], Any]) -> Callable[[Path], np.ndarray]:
    def one(file: Path) -> np.ndarray:
        matrix = np.corrcoef(np.asarray(read(file), dtype=float), rowvar=False)
        return matrix[np.tril_indices(len(matrix), -1)]

    return one


def layouts(n: int, length: int) -> dict[str, tuple[str, Any, Any, dict[str, Any]]]:
    """Name -> names of files, writer, plain reader of one file, words of `read_cohort`."""
    R, T = matrices(n), series(n, length)
    names = [f"region_{i:03}" for i in range(n)]
    rows, columns = np.tril_indices(n, -1)
    edges = [pd.DataFrame({"source": rows, "target": columns, "weight": one[rows, columns]}) for one in R]
    named = [pd.DataFrame(one, index=names, columns=names) for one in R]
    correlation = {"values": "correlation"}

    def csv(tables: list[pd.DataFrame], **words: Any) -> Callable[[Path, int], None]:
        return lambda file, i: tables[i].to_csv(file, **words)

    import scipy.io

    return {
        "csv with names": (
            "s{}.csv",
            csv(named),
            plain_matrix(lambda f: pd.read_csv(f, index_col=0)),
            {},
        ),
        "bids-relmat": (
            "sub-{0}/func/sub-{0}_task-rest_seg-A_relmat.tsv",
            csv(named, sep="\t"),
            plain_matrix(lambda f: pd.read_csv(f, index_col=0, sep="\t")),
            {},
        ),
        "txt": ("s{}.txt", lambda f, i: np.savetxt(f, R[i]), plain_matrix(np.loadtxt), {}),
        "npy": ("s{}.npy", lambda f, i: np.save(f, R[i]), plain_matrix(np.load), {}),
        "mat": (
            "s{}.mat",
            lambda f, i: scipy.io.savemat(f, {"R": R[i]}, do_compression=True),
            plain_matrix(lambda f: scipy.io.loadmat(f)["R"]),
            {},
        ),
        "edge list, space": (
            "s{}.txt",
            csv(edges, sep=" ", header=False, index=False),
            plain_edges(" ", None),
            correlation,
        ),
        "edge list, comma": ("s{}.csv", csv(edges, index=False), plain_edges(",", 0), correlation),
        "edge list, tab": (
            "s{}.tsv",
            csv(edges, sep="\t", header=False, index=False),
            plain_edges("\t", None),
            correlation,
        ),
        "series, csv": (
            "s{}.csv",
            lambda f, i: pd.DataFrame(T[i], columns=names).to_csv(f, index=False),
            plain_series(pd.read_csv),
            {"format": "series"},
        ),
        "cpac-series": (
            "s{}_rois_aal.1D",
            lambda f, i: np.savetxt(
                f, T[i], delimiter="\t", header="\t".join(f"#{k}" for k in range(1, n + 1)), comments=""
            ),
            plain_series(lambda f: pd.read_csv(f, sep="\t")),
            {},
        ),
    }


def plain_loop(files: list[Path], one: Callable[[Path], np.ndarray], n_pairs: int) -> np.ndarray:
    values = np.empty((len(files), n_pairs))
    for i, file in enumerate(files):
        values[i] = one(file)
    return values


def peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def measured(call: Callable[[], Any]) -> tuple[float, int, Any]:
    Path("/proc/self/clear_refs").write_text("5")
    before, begin = peak(), time.process_time()
    result = call()
    return time.process_time() - begin, peak() - before, result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="LAYOUT")
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--regions", type=int, default=200)
    parser.add_argument("--timepoints", type=int, default=150)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    n_pairs = options.regions * (options.regions - 1) // 2
    size = 8 * options.subjects * n_pairs
    print(f"| layout | plain loop, s | dugraph, s | ratio | memory by cohort ({size / 1e6:.0f} MB) |")
    print("|---|---|---|---|---|")
    for name, (file_name, write, one, words) in layouts(options.regions, options.timepoints).items():
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_many(Path(folder, "few"), 3, file_name, write)
            read_cohort(Path(folder, "few"), probability="absolute", **words)  # imports
            files = write_many(Path(folder, "all"), options.subjects, file_name, write)

            took_plain, _, expected = measured(partial(plain_loop, files, one, n_pairs))
            expected = np.abs(expected).sum()
            took, n_bytes, (graphs, _) = measured(
                partial(read_cohort, Path(folder, "all"), probability="absolute", **words)
            )
            assert np.isclose(np.float64(graphs.edge_probability).sum(), expected)
            del graphs
        print(
            f"| {name} | {took_plain:.2f} | {took:.2f} | {took / took_plain:.2f} | {n_bytes / size:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
