"""Writers of what laboratories have: one array, matrices or series per subject, folders, edge lists."""

from pathlib import Path

import numpy as np
import pandas as pd
from binary_files import cell
from graph_layouts import COLUMNS, ROWS, in_order_of, probabilities
from made_up import (
    GROUPS,
    REGIONS,
    SUBJECTS,
    Expected,
    correlation_matrices,
    matrix_layout,
    random_series,
    series_layout,
    write_names_and_matrix,
    write_participants,
    write_text_matrix,
)
from scipy.io import savemat

CLASS_SUBJECTS = ("sub-02", "sub-10", "sub-01", "sub-03")
CLASS_GROUPS = ("control", "control", "patient", "patient")
HCP_SUBJECTS = ("100206", "100307", "100408", "211720")

# One matrix per subject.
csv_matrices = matrix_layout(lambda f, subject, m: write_names_and_matrix(f / f"{subject}.csv", m), 5)
npy_matrices = matrix_layout(lambda f, subject, m: np.save(f / f"{subject}.npy", m), 6, regions=None)
txt_matrices = matrix_layout(lambda f, subject, m: np.savetxt(f / f"{subject}.txt", m), 7, regions=None)
npz_subjects = matrix_layout(
    lambda f, subject, m: np.savez(f / f"{subject}.npz", connectivity=m, labels=np.array(REGIONS)), 21
)
mat_matrices = matrix_layout(
    lambda f, subject, m: savemat(f / f"{subject}.mat", {"R": m, "n": 5.0}, do_compression=True),
    30,
    regions=None,
)
subject_folders = matrix_layout(lambda f, subject, m: write_names_and_matrix(f / subject / "corr.csv", m), 32)
named_files = matrix_layout(
    lambda f, subject, m: np.savetxt(f / f"{subject}_REST1_LR_corr.txt", m),
    33,
    subjects=HCP_SUBJECTS,
    regions=None,
    words={"id_pattern": "{id}_REST1*"},
)


def _nodes(folder: Path) -> None:
    lines = [f"{10 * i}\t-{i}.5\t{i}\t1\t1\t{name}" for i, name in enumerate(REGIONS)]
    (folder / "nodes.node").write_text("# made up\n" + "\n".join(lines) + "\n")


# BrainNet Viewer: one .node file for all subjects.
brainnet_files = matrix_layout(
    lambda f, subject, m: np.savetxt(f / f"{subject}.edge", m, fmt="%.17g", delimiter="\t"), 37, beside=_nodes
)

# Time series; only those in .npy are regions by time points.
AS_SERIES = {"format": "series"}
series_txt = series_layout(
    lambda f, subject, s: np.savetxt(f / f"{subject}.txt", s), 26, regions=None, words=AS_SERIES
)
series_csv = series_layout(
    lambda f, subject, s: pd.DataFrame(s, columns=REGIONS).to_csv(f / f"{subject}.csv", index=False),
    27,
    words=AS_SERIES,
)
series_npy = series_layout(
    lambda f, subject, s: np.save(f / f"{subject}.npy", s.T),
    28,
    lambda seed: [one[:30] for one in random_series(seed)],
    regions=None,
    words={**AS_SERIES, "time_axis": "columns"},
)
series_mat = series_layout(
    lambda f, subject, s: savemat(f / f"{subject}.mat", {"ts": s, "TR": 2.0}),
    29,
    regions=None,
    words=AS_SERIES,
)


def array_npy(folder: Path, matrices=None) -> Expected:
    """Subjects x regions x regions, in the order of the table."""
    matrices = correlation_matrices(20) if matrices is None else matrices
    np.save(folder / "matrices.npy", matrices)
    write_participants(folder)
    return Expected(matrices, regions=None)


def array_npz(folder: Path, matrices=None) -> Expected:
    """The array and the names of its regions."""
    matrices = correlation_matrices(21) if matrices is None else matrices
    np.savez(folder / "all.npz", connectivity=matrices, roi_names=np.array(REGIONS), tr=2.0)
    write_participants(folder)
    return Expected(matrices, words={"names_variable": "roi_names"})


def array_mat(folder: Path, matrices=None, **how) -> Expected:
    """Regions x regions x subjects, as NBS and BCT want it, among other variables."""
    matrices = correlation_matrices(22) if matrices is None else matrices
    array = matrices.transpose(1, 2, 0)
    variables = {"A": array, "ROInames": cell(REGIONS), "mean_A": matrices.mean(axis=0), "B": array / 2}
    savemat(folder / "group.mat", variables, **how)
    write_participants(folder)
    return Expected(matrices, words={"variable": "A", "names_variable": "ROInames"})


def hcp_netmats(folder: Path) -> Expected:
    """HCP's PTN release: a row of V x V numbers per subject, the diagonal 0, ids in a file of their own."""
    z = 9.5 * np.arctanh(np.where(np.eye(len(REGIONS)), 0, correlation_matrices(23)))
    write_text_matrix(folder / "netmats" / "3T_HCP1200_MSMAll_d5_ts2" / "netmats1.txt", z.reshape(len(z), -1))
    (folder / "subjectIDs.txt").write_text("\n".join(HCP_SUBJECTS) + "\n")
    write_participants(folder, HCP_SUBJECTS)
    words = {"values": "fisher_z", "probability": "rank"}
    return Expected(np.tanh(z), regions=None, subjects=HCP_SUBJECTS, words=words)


def subject_rows(folder: Path, matrices=None) -> Expected:
    """One row per subject, a column A--B per edge."""
    matrices = correlation_matrices(24) if matrices is None else matrices
    names = [f"{REGIONS[v]}--{REGIONS[u]}" for u, v in zip(ROWS, COLUMNS, strict=True)]
    table = pd.DataFrame(matrices[:, ROWS, COLUMNS], columns=names)
    table.insert(0, "participant_id", SUBJECTS)
    table.to_csv(folder / "edges.csv", index=False)
    write_participants(folder)
    return Expected(matrices, words={"values": "correlation"})


def subject_triangles(folder: Path, matrices=None) -> Expected:
    """One row per subject: an id and the upper triangle row by row, without a header."""
    matrices = correlation_matrices(25) if matrices is None else matrices
    upper = matrices[:, *np.triu_indices(len(REGIONS), 1)]
    pd.DataFrame(upper, SUBJECTS).to_csv(folder / "triangles.csv", header=False)
    write_participants(folder)
    words = {"format": "subject-rows", "triangle": "upper", "values": "correlation"}
    return Expected(matrices, regions=None, words=words)


def class_folders(folder: Path, matrices=None) -> Expected:
    """One folder per class, one matrix per subject, no table."""
    matrices = correlation_matrices(31) if matrices is None else matrices
    for subject, group, matrix in zip(SUBJECTS, GROUPS, matrices, strict=True):
        write_text_matrix(folder / group / f"{subject}.txt", matrix)
    order = [SUBJECTS.index(subject) for subject in CLASS_SUBJECTS]
    return Expected(matrices[order], regions=None, subjects=CLASS_SUBJECTS, groups=CLASS_GROUPS)


def _edge_lists(seed: int, ending: str, line: str, header: str = ""):
    def write(folder: Path) -> Expected:
        matrices, frames = probabilities(seed), []
        for subject, matrix in zip(SUBJECTS, matrices, strict=True):
            rows = [(REGIONS[v], REGIONS[u], float(matrix[u, v])) for u, v in zip(ROWS, COLUMNS, strict=True)]
            frames.append(pd.DataFrame([row for row in rows if row[2]], columns=["source", "target", "p"]))
            text = "".join(line.format(*row) + "\n" for row in rows if row[2])
            (folder / f"{subject}{ending}").write_text(header + text)
        write_participants(folder)
        return in_order_of(pd.concat(frames), matrices, words={"values": "probability"})

    return write


ssv_files = _edge_lists(34, ".ssv", "{} {} {!r}")  # ndmg
networkx_edge_lists = _edge_lists(35, ".edgelist", "{} {} {{'weight': {!r}}}")  # write_edgelist
csv_edge_lists = _edge_lists(36, ".csv", "{},{},{!r}", "source,target,weight\n")  # to_pandas_edgelist
