"""Time and memory of `dugraph convert` on two folders of a multi-site study.

python benchmarks/abide_folder.py [series|edges] [--subjects 1035] [--regions 116] [--incomplete 87]
                                  [--timepoints 200]

series: one .1D file of time series per subject and the phenotype table, as ABIDE Preprocessed has them;
regions of the incomplete subjects never change, as those out of the scanner's view.
edges: one edge list of three columns per subject, ABIDE1_SITE_ID.txt, an atlas file with one name per line,
and a table of participants in which some values end with blanks.

The data are simulated; the commands are those of docs/files.md.
"""

import argparse
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

COMMANDS = {
    "series": "convert abide_pcp --participants abide_pcp/Phenotypic_V1_0b_preprocessed1.csv --id-column "
    "FILE_ID --group-column DX_GROUP --positive 1 --missing drop-subjects -o cohort.npz",
    "edges": "convert abide_edges --participants participants.csv --id-pattern 'ABIDE1_*_{id}' "
    "--positive ASD --values correlation --atlas names.txt -o cohort.npz",
}
SITES = ("NYU", "UM_1", "USM", "UCLA_1", "Pitt", "Yale", "KKI", "Stanford")


def write_series(folder: Path, n_subjects: int, n_regions: int, n_incomplete: int, n_timepoints: int) -> None:
    """Write one .1D file per subject and the phenotype table."""
    place = folder / "abide_pcp" / "cpac" / "filt_global" / "rois_aal"
    place.mkdir(parents=True)
    rng = np.random.default_rng(0)
    header = "\t".join(f"#{2001 + i}" for i in range(n_regions))
    incomplete = set(rng.choice(n_subjects, n_incomplete, replace=False).tolist())
    rows = ["SUB_ID,SITE_ID,FILE_ID,DX_GROUP,AGE_AT_SCAN"]
    for i in range(n_subjects):
        site = SITES[i % len(SITES)]
        series = rng.standard_normal((n_timepoints, n_regions)) + rng.standard_normal((n_timepoints, 1))
        if i in incomplete:
            series[:, rng.choice(n_regions, rng.integers(1, 6), replace=False)] = 0.0
        file_id = f"{site}_{50000 + i:07}"
        np.savetxt(
            place / f"{file_id}_rois_aal.1D", series, "%.6f", delimiter="\t", header=header, comments=""
        )
        rows.append(f"{50000 + i},{site.upper()},{file_id},{1 + i % 2},{10 + i % 30}.5")
    (folder / "abide_pcp" / "Phenotypic_V1_0b_preprocessed1.csv").write_text("\n".join(rows) + "\n")


def write_edges(folder: Path, n_subjects: int, n_regions: int, n_timepoints: int) -> None:
    """Write one edge list per subject, names of the regions, and the table of participants."""
    (folder / "abide_edges").mkdir()
    rng = np.random.default_rng(0)
    names = [f"{side}H_Region_{i}" for side in "LR" for i in range(1, n_regions // 2 + 1)]
    (folder / "names.txt").write_text("\n".join(names) + "\n")
    larger, smaller = np.tril_indices(len(names), -1)
    rows = ["participant_id,group,site,age"]
    for i in range(n_subjects):
        site = SITES[i % len(SITES)]
        series = rng.standard_normal((n_timepoints, len(names))) + rng.standard_normal((n_timepoints, 1))
        r = np.corrcoef(series, rowvar=False)[larger, smaller]
        table = pd.DataFrame({"source": smaller + 1, "target": larger + 1, "r": r})
        file = folder / "abide_edges" / f"ABIDE1_{site}_{50000 + i:07}.txt"
        table.to_csv(file, sep="\t", header=False, index=False, float_format="%.6f")
        rows.append(f"{50000 + i:07},{('ASD', 'control')[i % 2]}{' ' * (i % 3 == 0)},{site},{10 + i % 30}.5")
    (folder / "participants.csv").write_text("\n".join(rows) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="?", choices=COMMANDS, default="series")
    for flag, default in (
        ("--subjects", 1035),
        ("--regions", 116),
        ("--incomplete", 87),
        ("--timepoints", 200),
    ):
        parser.add_argument(flag, type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        size = (options.subjects, options.regions)
        if options.kind == "series":
            write_series(Path(place), *size, options.incomplete, options.timepoints)
        else:
            write_edges(Path(place), *size, options.timepoints)
        command = COMMANDS[options.kind]
        print(f"dugraph {command}", flush=True)
        begin = time.monotonic()
        subprocess.run([sys.executable, "-m", "dugraph", *shlex.split(command)], cwd=place, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = time.monotonic() - begin
        print(
            f"{took:.1f} s, of which the processor worked {used.ru_utime + used.ru_stime:.1f} s; "
            f"{used.ru_maxrss / 1024:.0f} MB at most"
        )


if __name__ == "__main__":
    main()
