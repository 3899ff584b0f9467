"""How long `dugraph convert` takes for a folder as ABIDE Preprocessed has it: 1,035 subjects, 116 regions.

python benchmarks/abide_folder.py [--subjects 1035] [--regions 116] [--incomplete 87] [--timepoints 200]

The series are made up; regions of the incomplete subjects never change, as those out of the scanner's view.
The command is the one of docs/files.md.
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

COMMAND = (
    "convert abide_pcp --participants abide_pcp/Phenotypic_V1_0b_preprocessed1.csv --id-column FILE_ID "
    "--group-column DX_GROUP --positive 1 --missing drop-subjects -o cohort.npz"
)
SITES = ("NYU", "UM_1", "USM", "UCLA_1", "Pitt", "Yale", "KKI", "Stanford")


def write_folder(folder: Path, n_subjects: int, n_regions: int, n_incomplete: int, n_timepoints: int) -> None:
    """Write one .1D file per subject and the phenotype table."""
    place = folder / "cpac" / "filt_global" / "rois_aal"
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
    (folder / "Phenotypic_V1_0b_preprocessed1.csv").write_text("\n".join(rows) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("subjects", 1035), ("regions", 116), ("incomplete", 87), ("timepoints", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "abide_pcp")
        folder.mkdir()
        write_folder(folder, options.subjects, options.regions, options.incomplete, options.timepoints)
        print(f"dugraph {COMMAND}", flush=True)
        begin = time.monotonic()
        subprocess.run([sys.executable, "-m", "dugraph", *shlex.split(COMMAND)], cwd=place, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = time.monotonic() - begin
        print(f"{took:.1f} s, of which the processor worked {used.ru_utime + used.ru_stime:.1f} s")


if __name__ == "__main__":
    main()
