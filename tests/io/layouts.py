"""Writers of folders in exactly the layouts that pipelines document; docs tests and fuzzers use them too.

Each takes a folder to fill and gives the cohort that must come out of it; `LAYOUTS` names them as
docs/files.md does.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from binary_files import write_conn_v7, write_conn_v73, write_pconn, write_ptseries
from graph_layouts import csv_edge_list, graphml_folder, parquet_edge_list, tu_dataset, tu_dataset_certain
from layouts_archives import abide_pcp, adhd200
from layouts_labs import (
    array_mat,
    array_npy,
    array_npz,
    brainnet_files,
    class_folders,
    csv_edge_lists,
    hcp_netmats,
    mat_matrices,
    named_files,
    networkx_edge_lists,
    npz_subjects,
    series_csv,
    series_mat,
    series_npy,
    series_txt,
    ssv_files,
    subject_folders,
    subject_rows,
    subject_triangles,
)
from layouts_streamlines import fsl_network, mrtrix_connectomes
from layouts_tools import (
    afni_netcc,
    braingraph,
    dpabi_correlations,
    dpabi_fisher_z,
    dpabi_signals,
    dsi_studio,
    halfpipe_matrices,
    halfpipe_series,
    qsirecon,
)
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

__all__ = ["GROUPS", "LAYOUTS", "REGIONS", "SUBJECTS", "Expected", "correlation_matrices", "random_series"]


def _func(folder: Path, subject: str, name: str) -> Path:
    place = folder / subject / "func"
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{subject}_task-rest_{name}"


def xcp_d_relmat(folder: Path, matrices=None, atlas="4S156Parcels", **entities) -> Expected:
    """XCP-D today: header of names, first column Node, n/a for missing values."""
    matrices = correlation_matrices() if matrices is None else matrices
    extra = "".join(f"_{key}-{value}" for key, value in entities.items())
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        name = f"space-MNI152NLin2009cAsym_atlas-{atlas}{extra}_stat-pearsoncorrelation_relmat.tsv"
        table = pd.DataFrame(matrix, index=pd.Index(REGIONS, name="Node"), columns=REGIONS)
        table.to_csv(_func(folder, subject, name), sep="\t", na_rep="n/a")
    write_participants(folder)
    return Expected(matrices)


def xcp_d_conmat(folder: Path, matrices=None) -> Expected:
    """XCP-D before its version 0.6: conmat, measure- instead of stat-."""
    matrices = correlation_matrices(seed=1) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        name = "space-MNI152NLin2009cAsym_atlas-Glasser_measure-pearsoncorrelation_conmat.tsv"
        table = pd.DataFrame(matrix, index=pd.Index(REGIONS, name="Node"), columns=REGIONS)
        table.to_csv(_func(folder, subject, name), sep="\t", na_rep="n/a")
    write_participants(folder)
    return Expected(matrices)


def write_atlas(folder: Path) -> Path:
    """A dseg.tsv as atlases of BIDS have it, with positions."""
    rows = [f"{i}\t{name}\t{i}.5\t-{i}\t0" for i, name in enumerate(REGIONS, 1)]
    file = folder / "atlas-MIST_dseg.tsv"
    file.write_text("\n".join(["index\tname\tx\ty\tz", *rows]) + "\n")
    return file


def giga_connectome_relmat(folder: Path, matrices=None) -> Expected:
    """giga_connectome: a header 0, 1, 2, ... and no names; a table of the atlas beside it."""
    matrices = correlation_matrices(seed=2) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        name = "seg-MIST_meas-PearsonCorrelation_desc-denoiseSimple_relmat.tsv"
        pd.DataFrame(matrix).to_csv(_func(folder, subject, name), sep="\t", index=False)
    (folder / "meas-PearsonCorrelation_relmat.json").write_text('{"Measure": "Pearson correlation"}')
    write_participants(folder)
    write_atlas(folder)
    return Expected(matrices)


def xcp_d_timeseries(folder: Path, series=None) -> Expected:
    """XCP-D: one column per region, no index; confounds of fMRIPrep beside it."""
    series = random_series(3) if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        name = "space-MNI152NLin2009cAsym_atlas-4S156Parcels_stat-mean_timeseries.tsv"
        pd.DataFrame(one, columns=REGIONS).to_csv(
            _func(folder, subject, name), sep="\t", index=False, na_rep="n/a"
        )
        _func(folder, subject, "desc-confounds_timeseries.tsv").write_text("csf\ttrans_x\nn/a\t0.1\n")
    write_participants(folder)
    return Expected(correlations(series), series=series)


def giga_connectome_timeseries(folder: Path, series=None) -> Expected:
    """giga_connectome: a header 0, 1, 2, ..."""
    series = random_series(4) if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        name = "seg-MIST_desc-denoiseSimple_timeseries.tsv"
        pd.DataFrame(one).to_csv(_func(folder, subject, name), sep="\t", index=False)
    write_participants(folder)
    write_atlas(folder)
    return Expected(correlations(series), series=series)


def csv_matrices(folder: Path, matrices=None) -> Expected:
    """One .csv per subject with names of regions in the header, as pandas writes it."""
    matrices = correlation_matrices(seed=5) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        pd.DataFrame(matrix, index=REGIONS, columns=REGIONS).to_csv(folder / f"{subject}.csv")
    write_participants(folder)
    return Expected(matrices)


def npy_matrices(folder: Path, matrices=None) -> Expected:
    """One .npy per subject, as numpy.save writes it."""
    matrices = correlation_matrices(seed=6) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.save(folder / f"{subject}.npy", matrix)
    write_participants(folder)
    return Expected(matrices, regions=None)


def txt_matrices(folder: Path, matrices=None) -> Expected:
    """One .txt per subject, as numpy.savetxt writes it."""
    matrices = correlation_matrices(seed=7) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.savetxt(folder / f"{subject}.txt", matrix, fmt="%.18e")
    write_participants(folder)
    return Expected(matrices, regions=None)


CONN_SUBJECTS = ("Subject001", "Subject002", "Subject003", "Subject010")
POSITIONS = np.array([[-10.5, -80, 4], [-4, 52, 8], [11, -79, 5], [40, -20, 50], [-22, -4, -18]])


def conn_results(
    folder: Path, write=write_conn_v7, matrices=None, condition=1, analysis="SBC_01"
) -> Expected:
    """CONN: Fisher z with NaN on the diagonal, two targets more than sources, positions of all targets."""
    matrices = correlation_matrices(seed=8) if matrices is None else matrices
    place = folder / "results" / "firstlevel" / analysis
    place.mkdir(parents=True, exist_ok=True)
    targets = (*REGIONS, "White Matter", "CSF")
    xyz = np.vstack([POSITIONS, np.full((2, 3), np.nan)])
    for subject, matrix in zip(CONN_SUBJECTS, matrices, strict=True):
        z = np.full((5, 7), 0.125)
        with np.errstate(divide="ignore"):
            z[:, :5] = np.arctanh(np.where(np.eye(5), np.nan, matrix))
        write(place / f"resultsROI_{subject}_Condition{condition:03}.mat", z, REGIONS, targets, xyz)
    write_participants(folder, CONN_SUBJECTS)
    return Expected(matrices, subjects=CONN_SUBJECTS)


def conn_results_v73(folder: Path, matrices=None) -> Expected:
    """CONN with files saved by MATLAB as version 7.3."""
    return conn_results(folder, write_conn_v73, matrices)


def xcp_d_pconn(folder: Path, matrices=None) -> Expected:
    """XCP-D for CIFTI: single precision, names of parcels in the file."""
    matrices = np.float64(np.float32(correlation_matrices(seed=9) if matrices is None else matrices))
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        name = "space-fsLR_seg-4S156Parcels_den-91k_stat-pearsoncorrelation_boldmap.pconn.nii"
        write_pconn(_func(folder, subject, name), matrix, REGIONS)
    write_participants(folder)
    return Expected(matrices)


def hcp_ptseries(folder: Path, series=None) -> Expected:
    """HCP's Workbench: one .ptseries.nii per subject, named after it."""
    series = [np.float64(np.float32(one)) for one in random_series(10)] if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        write_ptseries(folder / f"{subject}.ptseries.nii", one, REGIONS)
    write_participants(folder)
    return Expected(correlations(series), series=series)


LAYOUTS: dict[str, Callable[[Path], Expected]] = {
    "xcp_d": xcp_d_relmat,
    "xcp_d_old": xcp_d_conmat,
    "giga_connectome": giga_connectome_relmat,
    "xcp_d_series": xcp_d_timeseries,
    "giga_connectome_series": giga_connectome_timeseries,
    "csv_folder": csv_matrices,
    "npy_folder": npy_matrices,
    "txt_folder": txt_matrices,
    "npz_subjects": npz_subjects,
    "abide_pcp": abide_pcp,
    "adhd200": adhd200,
    "fsl": fsl_network,
    "mrtrix": mrtrix_connectomes,
    "conn_project": conn_results,
    "conn_project_v73": conn_results_v73,
    "xcp_d_cifti": xcp_d_pconn,
    "hcp_series": hcp_ptseries,
    "edge_list": csv_edge_list,
    "edge_list_parquet": parquet_edge_list,
    "graphml": graphml_folder,
    "TU": tu_dataset,
    "TU_certain": tu_dataset_certain,
    "array_npy": array_npy,
    "array_npz": array_npz,
    "array_mat": array_mat,
    "hcp_ptn": hcp_netmats,
    "subject_rows": subject_rows,
    "subject_triangles": subject_triangles,
    "series_txt": series_txt,
    "series_csv": series_csv,
    "series_npy": series_npy,
    "series_mat": series_mat,
    "mat_folder": mat_matrices,
    "class_folders": class_folders,
    "subject_folders": subject_folders,
    "named_files": named_files,
    "ssv": ssv_files,
    "edgelists": networkx_edge_lists,
    "csv_edges": csv_edge_lists,
    "brainnet": brainnet_files,
    "halfpipe": halfpipe_series,
    "halfpipe_matrices": halfpipe_matrices,
    "dpabi": dpabi_signals,
    "dpabi_all": dpabi_correlations,
    "dpabi_z": dpabi_fisher_z,
    "afni": afni_netcc,
    "dsi_studio": dsi_studio,
    "qsirecon": qsirecon,
    "braingraph": braingraph,
}
"""The folder that a command of docs/files.md names -> what fills it."""
