"""Writers of the layouts of FSL probtrackx2 and MRtrix3: counts of streamlines between numbered regions."""

from pathlib import Path

import numpy as np
from made_up import REGIONS, SUBJECTS, Expected, write_participants


def streamline_counts(seed=10):
    """Counts in both directions, zero in the diagonal."""
    counts = np.random.default_rng(seed).integers(0, 900, (len(SUBJECTS), len(REGIONS), len(REGIONS)))
    counts[:, range(len(REGIONS)), range(len(REGIONS))] = 0
    return counts.astype(float)


def fsl_waytotals(seed=11):
    return np.random.default_rng(seed).integers(4000, 5000, (len(SUBJECTS), len(REGIONS))).astype(float)


def write_ascii_matrix(file: Path, matrix) -> None:
    """As FSL does: two spaces after each number."""
    file.write_text("".join("".join(f"{value:g}  " for value in row) + "\n" for row in matrix))


def fsl_network(folder: Path, below="", matrices=None) -> Expected:
    """probtrackx2 --network: rows are seeds; one line of waytotal per seed."""
    counts = streamline_counts() if matrices is None else matrices
    for subject, matrix, waytotal in zip(SUBJECTS, counts, fsl_waytotals(), strict=True):
        place = folder / subject / below
        place.mkdir(parents=True)
        write_ascii_matrix(place / "fdt_network_matrix", matrix)
        write_ascii_matrix(place / "waytotal", waytotal[:, None])
        (place / "probtrackx.log").write_text("probtrackx2 --network\n")
    write_participants(folder)
    return Expected(counts, regions=None)


def mrtrix_connectomes(folder: Path, version=3, nested=False, symmetric=False, matrices=None) -> Expected:
    """tck2connectome: the upper triangle without -symmetric; commas and a comment since version 3.0."""
    counts = np.triu(streamline_counts(12)) + 10 * np.eye(len(REGIONS)) if matrices is None else matrices
    for subject, upper in zip(SUBJECTS, counts, strict=True):
        matrix = upper + np.triu(upper, 1).T if symmetric else upper
        text = "" if version < 3 else f"# command_history: tck2connectome {subject}.tck nodes.mif out.csv\n"
        text += "\n".join((" " if version < 3 else ",").join(f"{v:g}" for v in row) for row in matrix) + "\n"
        file = folder / subject / "connectome.csv" if nested else folder / f"{subject}_connectome.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    write_participants(folder)
    return Expected(counts + np.triu(counts, 1).transpose(0, 2, 1), regions=None)
