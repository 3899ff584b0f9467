"""Writers of what laboratories have: one array, plain series, folders of subjects or of classes."""

from pathlib import Path

import numpy as np
import pandas as pd
from binary_files import cell
from graph_layouts import COLUMNS, ROWS, probabilities
from made_up import (
    GROUPS,
    REGIONS,
    SUBJECTS,
    Expected,
    correlation_matrices,
    correlations,
    random_series,
    write_participants,
)
from scipy.io import savemat

CLASS_SUBJECTS = ("sub-02", "sub-10", "sub-01", "sub-03")
CLASS_GROUPS = ("control", "control", "patient", "patient")


def array_npy(folder: Path, matrices=None) -> Expected:
    """numpy.save of (subjects, regions, regions), in the order of the table."""
    matrices = correlation_matrices(seed=20) if matrices is None else matrices
    np.save(folder / "matrices.npy", matrices)
    write_participants(folder)
    return Expected(matrices, regions=None)


def array_npz(folder: Path, matrices=None) -> Expected:
    """numpy.savez of the array and the names of its regions."""
    matrices = correlation_matrices(seed=21) if matrices is None else matrices
    np.savez(folder / "all.npz", connectivity=matrices, roi_names=np.array(REGIONS), tr=2.0)
    write_participants(folder)
    return Expected(matrices, words={"names_variable": "roi_names"})


def array_mat(folder: Path, matrices=None, **how) -> Expected:
    """MATLAB's (regions, regions, subjects), as NBS and BCT want it, among other variables."""
    matrices = correlation_matrices(seed=22) if matrices is None else matrices
    variables = {"A": matrices.transpose(1, 2, 0), "ROInames": cell(REGIONS), "mean_A": matrices.mean(axis=0)}
    variables["B"] = variables["A"] / 2
    savemat(folder / "group.mat", variables, **how)
    write_participants(folder)
    return Expected(matrices, words={"variable": "A", "names_variable": "ROInames"})


def hcp_netmats(folder: Path) -> Expected:
    """HCP's PTN release: a row of V x V numbers per subject, the diagonal 0, ids in a file of their own."""
    z = np.arctanh(np.where(np.eye(len(REGIONS)), 0, correlation_matrices(seed=23)))
    place = folder / "netmats" / "3T_HCP1200_MSMAll_d5_ts2"
    place.mkdir(parents=True)
    ids = ("100206", "100307", "100408", "211720")
    np.savetxt(place / "netmats1.txt", 9.5 * z.reshape(len(z), -1))
    (folder / "subjectIDs.txt").write_text("\n".join(ids) + "\n")
    write_participants(folder, ids)
    words = {"values": "fisher_z", "probability": "rank"}
    return Expected(np.tanh(9.5 * z), regions=None, subjects=ids, words=words)


def subject_rows(folder: Path, matrices=None) -> Expected:
    """One row per subject, a column A--B per edge, as pandas writes it."""
    matrices = correlation_matrices(seed=24) if matrices is None else matrices
    names = [f"{REGIONS[v]}--{REGIONS[u]}" for u, v in zip(ROWS, COLUMNS, strict=True)]
    table = pd.DataFrame(matrices[:, ROWS, COLUMNS], columns=names)
    table.insert(0, "participant_id", SUBJECTS)
    table.to_csv(folder / "edges.csv", index=False)
    write_participants(folder)
    return Expected(matrices, words={"values": "correlation"})


def subject_triangles(folder: Path, matrices=None) -> Expected:
    """One row per subject: an id and the upper triangle row by row, without a header."""
    matrices = correlation_matrices(seed=25) if matrices is None else matrices
    upper = matrices[:, *np.triu_indices(len(REGIONS), 1)]
    lines = [
        ",".join([subject, *map(repr, row)]) for subject, row in zip(SUBJECTS, upper.tolist(), strict=True)
    ]
    (folder / "triangles.csv").write_text("\n".join(lines) + "\n")
    write_participants(folder)
    return Expected(
        matrices, regions=None, words={"format": "subject-rows", "triangle": "upper", "values": "correlation"}
    )


def series_txt(folder: Path, series=None) -> Expected:
    """numpy.savetxt of time points by regions; the series differ in length."""
    series = random_series(26) if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        np.savetxt(folder / f"{subject}.txt", one)
    write_participants(folder)
    return Expected(correlations(series), regions=None, series=series, words={"format": "series"})


def series_csv(folder: Path, series=None) -> Expected:
    """pandas: names of regions in the header."""
    series = random_series(27) if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        pd.DataFrame(one, columns=REGIONS).to_csv(folder / f"{subject}.csv", index=False)
    write_participants(folder)
    return Expected(correlations(series), series=series, words={"format": "series"})


def series_npy(folder: Path, series=None) -> Expected:
    """numpy.save of regions by time points, all of one length."""
    series = [one[:30] for one in random_series(28)] if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        np.save(folder / f"{subject}.npy", one.T)
    write_participants(folder)
    words = {"format": "series", "time_axis": "columns"}
    return Expected(correlations(series), regions=None, series=series, words=words)


def series_mat(folder: Path, series=None) -> Expected:
    """MATLAB: one variable of time points by regions per file, and a number."""
    series = random_series(29) if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        savemat(folder / f"{subject}.mat", {"ts": one, "TR": 2.0})
    write_participants(folder)
    return Expected(correlations(series), regions=None, series=series, words={"format": "series"})


def mat_matrices(folder: Path, matrices=None) -> Expected:
    """MATLAB: one square variable per file."""
    matrices = correlation_matrices(seed=30) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        savemat(folder / f"{subject}.mat", {"R": matrix, "n": 5.0}, do_compression=True)
    write_participants(folder)
    return Expected(matrices, regions=None)


def class_folders(folder: Path, matrices=None) -> Expected:
    """One folder per class, one matrix per subject, no table."""
    matrices = correlation_matrices(seed=31) if matrices is None else matrices
    for group in set(GROUPS):
        (folder / group).mkdir()
    for subject, group, matrix in zip(SUBJECTS, GROUPS, matrices, strict=True):
        np.savetxt(folder / group / f"{subject}.txt", matrix)
    order = [SUBJECTS.index(subject) for subject in CLASS_SUBJECTS]
    return Expected(matrices[order], regions=None, subjects=CLASS_SUBJECTS, groups=CLASS_GROUPS)


def subject_folders(folder: Path, matrices=None) -> Expected:
    """One folder per subject, the matrix in each of the same name."""
    matrices = correlation_matrices(seed=32) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        (folder / subject).mkdir()
        pd.DataFrame(matrix, index=REGIONS, columns=REGIONS).to_csv(folder / subject / "corr.csv")
    write_participants(folder)
    return Expected(matrices)


def named_files(folder: Path, matrices=None) -> Expected:
    """Files whose names hold more than the id."""
    matrices = correlation_matrices(seed=33) if matrices is None else matrices
    ids = ("100206", "100307", "100408", "211720")
    for one, matrix in zip(ids, matrices, strict=True):
        np.savetxt(folder / f"{one}_REST1_LR_corr.txt", matrix)
    write_participants(folder, ids)
    return Expected(matrices, regions=None, subjects=ids, words={"id_pattern": "{id}_REST1*"})


def _order_of_mention(pairs, matrices) -> Expected:
    regions = tuple(dict.fromkeys(region for pair in pairs for region in pair))
    order = [REGIONS.index(region) for region in regions]
    return Expected(matrices[:, order][:, :, order], regions, words={"values": "probability"})


def _edge_files(folder: Path, seed: int, ending: str, line: str, header: str = "") -> Expected:
    matrices, pairs = probabilities(seed), []
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        rows = [(REGIONS[v], REGIONS[u], float(matrix[u, v])) for u, v in zip(ROWS, COLUMNS, strict=True)]
        rows = [row for row in rows if row[2]]
        pairs += [row[:2] for row in rows]
        text = "".join(line.format(*row) + "\n" for row in rows)
        (folder / f"{subject}{ending}").write_text(header + text)
    write_participants(folder)
    return _order_of_mention(pairs, matrices)


def ssv_files(folder: Path) -> Expected:
    """ndmg: a source, a target and a weight per line, separated by spaces."""
    return _edge_files(folder, 34, ".ssv", "{} {} {!r}")


def networkx_edge_lists(folder: Path) -> Expected:
    """networkx.write_edgelist: attributes as Python writes a dictionary."""
    return _edge_files(folder, 35, ".edgelist", "{} {} {{'weight': {!r}}}")


def csv_edge_lists(folder: Path) -> Expected:
    """networkx.to_pandas_edgelist: a table with a header per subject."""
    return _edge_files(folder, 36, ".csv", "{},{},{!r}", "source,target,weight\n")


def brainnet_files(folder: Path, matrices=None) -> Expected:
    """BrainNet Viewer: .edge files of numbers, and one .node file."""
    matrices = correlation_matrices(seed=37) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.savetxt(folder / f"{subject}.edge", matrix, fmt="%.17g", delimiter="\t")
    lines = [f"{10 * i}\t-{i}.5\t{i}\t1\t1\t{name}" for i, name in enumerate(REGIONS)]
    (folder / "nodes.node").write_text("# made up\n" + "\n".join(lines) + "\n")
    write_participants(folder)
    return Expected(matrices)


def npz_subjects(folder: Path, matrices=None) -> Expected:
    """One .npz per subject, as numpy.savez writes it, with the matrix and the names of its regions."""
    matrices = correlation_matrices(seed=21) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.savez(folder / f"{subject}.npz", connectivity=matrix, labels=np.array(REGIONS))
    write_participants(folder)
    return Expected(matrices)
