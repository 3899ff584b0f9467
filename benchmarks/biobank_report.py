"""`dugraph mine -o DIR --report` on 40,000 graphs over 55 regions, in float32: time, memory and the page.

Each run is a process of its own with one thread: reading, search, files and page. Its seconds are those of
the processor; those of the search are by the clock, and include waiting for a processor.

python benchmarks/biobank_report.py --n-subgraphs 20
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from biobank import biobank
from memory import in_a_process_of_its_own

import dugraph as dg
from dugraph.words import SCORES


def write_cohort(file: Path, n_graphs: int) -> None:
    X, y = biobank(n_graphs)
    ids = [f"sub-{i:07}" for i in range(n_graphs)]
    dg.save_cohort(file, dg.UncertainGraphs(X.astype(np.float32), graph_ids=ids), y)


def measure(command: list[str]) -> tuple[str, float, float]:
    """What `dugraph` printed in a process of its own, its processor seconds and its peak in megabytes."""
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen([sys.executable, "-m", "dugraph", *command], stdout=printed) as child,
    ):
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
    if child.returncode:
        raise SystemExit(f"dugraph {' '.join(command)} ended with {child.returncode}")
    return text, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", type=int, default=40_000)
    parser.add_argument("--min-expected-frequency", default="0.15")
    parser.add_argument("--n-subgraphs", default="100")
    exp = [f"expectation-{score}" for score in SCORES]
    parser.add_argument("--variants", nargs="+", default=[*exp, "phi_probability-g_test"])
    options = parser.parse_args()
    print("| variant | subgraphs | search, s | processor, s | peak, MB | page, MB | features.csv, MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        file, folder = Path(name) / "cohort.npz", Path(name) / "results"
        in_a_process_of_its_own(write_cohort, file, options.graphs)
        for variant in options.variants:
            kind, score = variant.split("-")
            asked = ["mine", str(file), "--measure", kind, "--score", score]
            asked += ["--min-expected-frequency", options.min_expected_frequency]
            asked += ["--n-subgraphs", options.n_subgraphs]
            printed, seconds, peak = measure([*asked, "-o", str(folder), "--report"])
            searched = re.findall(r"OPTIMAL in ([\d.]+) s", printed)[0]
            page, table = ((folder / one).stat().st_size / 1e6 for one in ("report.html", "features.csv"))
            print(
                f"| {variant} | {options.n_subgraphs} | {searched} | {seconds:.0f} "
                f"| {peak:,.0f} | {page:.2f} | {table:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
