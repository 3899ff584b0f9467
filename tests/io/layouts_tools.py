"""Writers of folders as programs and archives of connectomes leave them."""

import struct
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from binary_files import cell, write_conn_v7, write_pconn, write_ptseries
from made_up import (
    GROUPS,
    REGIONS,
    SUBJECTS,
    Expected,
    correlation_matrices,
    correlations,
    matrix_layout,
    random_series,
    series_layout,
    write_names_and_matrix,
    write_participants,
    write_text_matrix,
)
from scipy.io import savemat

LARGEST = {"probability": "largest"}
DPABI_SUBJECTS = ("Sub_001", "Sub_002", "Sub_003", "Sub_010")
CONN_SUBJECTS = ("Subject001", "Subject002", "Subject003", "Subject010")
POSITIONS = np.array([[-10.5, -80, 4], [-4, 52, 8], [11, -79, 5], [40, -20, 50], [-22, -4, -18]])


def _bids(folder: Path, subject: str, name: str, kind="func") -> Path:
    place = folder / subject / kind
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{subject}_{name}"


def _written_table(file: Path, values, **how) -> None:
    pd.DataFrame(values, **how).to_csv(file, sep="\t", index=False, na_rep="n/a")


def write_atlas(folder: Path) -> Path:
    """A dseg.tsv as atlases of BIDS have it, with positions."""
    rows = [f"{i}\t{name}\t{i}.5\t-{i}\t0" for i, name in enumerate(REGIONS, 1)]
    file = folder / "atlas-MIST_dseg.tsv"
    file.write_text("\n".join(["index\tname\tx\ty\tz", *rows]) + "\n")
    return file


# XCP-D: a header of names, first column Node, n/a for missing values.


def _xcp_d(folder, subject, matrix, atlas="4S156Parcels", **entities):
    extra = "".join(f"_{key}-{value}" for key, value in entities.items())
    name = f"task-rest_space-MNI152NLin2009cAsym_atlas-{atlas}{extra}_stat-pearsoncorrelation_relmat.tsv"
    write_names_and_matrix(_bids(folder, subject, name), matrix, "Node", sep="\t", na_rep="n/a")


def _xcp_d_before_0_6(folder, subject, matrix):
    name = "task-rest_space-MNI152NLin2009cAsym_atlas-Glasser_measure-pearsoncorrelation_conmat.tsv"
    write_names_and_matrix(_bids(folder, subject, name), matrix, "Node", sep="\t", na_rep="n/a")


def _xcp_d_series(folder, subject, series):
    """No index; confounds of fMRIPrep beside it."""
    name = "task-rest_space-MNI152NLin2009cAsym_atlas-4S156Parcels_stat-mean_timeseries.tsv"
    _written_table(_bids(folder, subject, name), series, columns=REGIONS)
    confounds = _bids(folder, subject, "task-rest_desc-confounds_timeseries.tsv")
    confounds.write_text("csf\ttrans_x\nn/a\t0.1\n")


def _xcp_d_pconn(folder, subject, matrix):
    name = "task-rest_space-fsLR_seg-4S156Parcels_den-91k_stat-pearsoncorrelation_boldmap.pconn.nii"
    write_pconn(_bids(folder, subject, name), matrix, REGIONS)


xcp_d_relmat = matrix_layout(_xcp_d, 0)
xcp_d_conmat = matrix_layout(_xcp_d_before_0_6, 1)
xcp_d_timeseries = series_layout(_xcp_d_series, 3)
xcp_d_pconn = matrix_layout(_xcp_d_pconn, 9, lambda seed: np.float64(np.float32(correlation_matrices(seed))))
# HCP's Workbench: named after the subject.
hcp_ptseries = series_layout(
    lambda folder, subject, series: write_ptseries(folder / f"{subject}.ptseries.nii", series, REGIONS),
    10,
    lambda seed: [np.float64(np.float32(one)) for one in random_series(seed)],
)

# giga_connectome: a header 0, 1, 2, ... and no names; a table of the atlas beside it.


def _giga_matrix(folder, subject, matrix):
    name = "task-rest_seg-MIST_meas-PearsonCorrelation_desc-denoiseSimple_relmat.tsv"
    _written_table(_bids(folder, subject, name), matrix)


def _giga_series(folder, subject, series):
    _written_table(_bids(folder, subject, "task-rest_seg-MIST_desc-denoiseSimple_timeseries.tsv"), series)


def _giga_beside(folder):
    (folder / "meas-PearsonCorrelation_relmat.json").write_text('{"Measure": "Pearson correlation"}')
    write_atlas(folder)


giga_connectome_relmat = matrix_layout(_giga_matrix, 2, beside=_giga_beside)
giga_connectome_timeseries = series_layout(_giga_series, 4, beside=write_atlas)

# HALFpipe: no header, ten digits after the point, raw signals; covariances beside the correlations.

HALFPIPE = "task-rest_feature-corrMatrix1_atlas-schaefer400_{}.tsv"


def _halfpipe_matrices(folder, subject, matrix):
    file = _bids(folder, subject, HALFPIPE.format("desc-correlation_matrix"))
    np.savetxt(file, matrix, delimiter="\t")
    file = _bids(folder, subject, HALFPIPE.format("desc-covariance_matrix"))
    np.savetxt(file, np.round(3 * matrix, 10), delimiter="\t")


halfpipe_series = series_layout(
    lambda folder, subject, series: np.savetxt(
        _bids(folder, subject, HALFPIPE.format("timeseries")), series, fmt="%.10f", delimiter="\t"
    ),
    40,
    lambda seed: [np.round(one + 9000, 10) for one in random_series(seed)],
    regions=None,
)
halfpipe_matrices = matrix_layout(
    _halfpipe_matrices, 41, regions=None, words={"select": {"desc": "correlation"}}
)

# CONN: Fisher z with NaN on the diagonal, two targets more than sources, positions of all targets.


def _conn(folder, subject, matrix, write=write_conn_v7, condition=1, analysis="SBC_01"):
    place = folder / "results" / "firstlevel" / analysis
    place.mkdir(parents=True, exist_ok=True)
    z = np.full((5, 7), 0.125)
    with np.errstate(divide="ignore"):
        z[:, :5] = np.arctanh(np.where(np.eye(5), np.nan, matrix))
    xyz = np.vstack([POSITIONS, np.full((2, 3), np.nan)])
    file = place / f"resultsROI_{subject}_Condition{condition:03}.mat"
    write(file, z, REGIONS, (*REGIONS, "White Matter", "CSF"), xyz)


conn_results = matrix_layout(_conn, 8, subjects=CONN_SUBJECTS)

# DPABI, y_ExtractROISignal.m: everything as .mat and as .txt, the diagonal of Fisher z infinite.


def _dpabi(folder, series, fisher_z_alone=False):
    place = folder / "Results" / "ROISignals_FunImgARCWF"
    place.mkdir(parents=True)
    for subject, one in zip(DPABI_SUBJECTS, series, strict=True):
        r = np.corrcoef(one, rowvar=False)
        np.fill_diagonal(r, 1.0)
        with np.errstate(divide="ignore"):
            z = 0.5 * np.log((1 + r) / (1 - r))
        np.savetxt(place / f"ROICorrelation_FisherZ_{subject}.txt", z, fmt=" %.16e", delimiter="\t")
        if fisher_z_alone:
            continue
        savemat(place / f"ROICorrelation_FisherZ_{subject}.mat", {"ROICorrelation_FisherZ": z})
        for name, values in (("ROISignals", one), ("ROICorrelation", r)):
            savemat(place / f"{name}_{subject}.mat", {name: values})
            np.savetxt(place / f"{name}_{subject}.txt", values, fmt=" %.16e", delimiter="\t")
        key = "Order\tLabel in Mask\tROI Definition\n1\t1\taal.nii\n"
        (place / f"ROI_OrderKey_{subject}.tsv").write_text(key)
    write_participants(folder, DPABI_SUBJECTS)


def dpabi_signals(folder: Path, series=None) -> Expected:
    series = random_series(42) if series is None else series
    _dpabi(folder, series)
    words = {"format": "dpabi-signals"}
    return Expected(correlations(series), None, DPABI_SUBJECTS, series, words=words)


def dpabi_correlations(folder: Path) -> Expected:
    series = random_series(43)
    _dpabi(folder, series)
    return Expected(correlations(series), None, DPABI_SUBJECTS, words={"format": "dpabi-correlations"})


def dpabi_fisher_z(folder: Path) -> Expected:
    series = random_series(44)
    _dpabi(folder, series, fisher_z_alone=True)
    return Expected(correlations(series), None, DPABI_SUBJECTS)


# AFNI, 3dNetCorr -fish_z: four digits; its Fisher z of 1 is large, not infinite.


def write_netcc(file: Path, blocks) -> None:
    n = len(REGIONS)
    lines = [f"# {n}  # Number of network ROIs", f"# {len(blocks)}  # Number of netcc matrices"]
    lines += ["# WITH_ROI_LABELS", "\t".join(f"{name:>10}" for name in REGIONS)]
    lines.append("\t".join(f"{10 * (i + 1):>10}" for i in range(n)))
    for name, matrix in blocks.items():
        lines += [f"# {name}", *("\t".join(f"{value:12.4f}" for value in row) for row in matrix)]
    file.write_text("\n".join(lines) + "\n")


def _afni(folder, subject, matrix):
    fisher = np.arctanh(np.clip(matrix, -0.999329, 0.999329))
    write_netcc(folder / f"{subject}_000.netcc", {"CC": matrix, "FZ": fisher})


afni_netcc = matrix_layout(_afni, 45, lambda seed: np.round(correlation_matrices(seed), 4))

# Counts of streamlines: FSL probtrackx2, MRtrix3, DSI Studio, QSIRecon, braingraph.org.


def streamline_counts(seed=10):
    """Counts in both directions, zero in the diagonal."""
    counts = np.random.default_rng(seed).integers(0, 900, (len(SUBJECTS), len(REGIONS), len(REGIONS)))
    counts[:, range(len(REGIONS)), range(len(REGIONS))] = 0
    return counts.astype(float)


def symmetric_counts(seed):
    return streamline_counts(seed) + streamline_counts(seed).transpose(0, 2, 1)


def fsl_waytotals(seed=11):
    return np.random.default_rng(seed).integers(4000, 5000, (len(SUBJECTS), len(REGIONS))).astype(float)


def write_ascii_matrix(file: Path, matrix) -> None:
    """As FSL does: two spaces after each number."""
    write_text_matrix(file, matrix, fmt="%g", delimiter="  ", newline="  \n")


def fsl_network(folder: Path, below="", matrices=None) -> Expected:
    """probtrackx2 --network: rows are seeds; one line of waytotal per seed."""
    counts = streamline_counts() if matrices is None else matrices
    for subject, matrix, waytotal in zip(SUBJECTS, counts, fsl_waytotals(), strict=True):
        place = folder / subject / below
        write_ascii_matrix(place / "fdt_network_matrix", matrix)
        write_ascii_matrix(place / "waytotal", waytotal)
        (place / "probtrackx.log").write_text("probtrackx2 --network\n")
    write_participants(folder)
    return Expected(counts, regions=None)


def mrtrix_connectomes(folder: Path, version=3, nested=False, symmetric=False, matrices=None) -> Expected:
    """tck2connectome: the upper triangle without -symmetric; commas and a comment since version 3.0."""
    counts = np.triu(streamline_counts(12)) + 10 * np.eye(len(REGIONS)) if matrices is None else matrices
    mirrored = counts + np.triu(counts, 1).transpose(0, 2, 1)
    for subject, matrix in zip(SUBJECTS, mirrored if symmetric else counts, strict=True):
        file = folder / subject / "connectome.csv" if nested else folder / f"{subject}_connectome.csv"
        header = f"command_history: tck2connectome {subject}.tck nodes.mif out.csv" if version >= 3 else ""
        write_text_matrix(file, matrix, fmt="%g", delimiter="," if version >= 3 else " ", header=header)
    write_participants(folder)
    return Expected(mirrored, regions=None)


def write_v4(file: Path, **variables) -> None:
    """MATLAB's version 4, as DSI Studio writes it: single precision, letters as bytes."""
    with open(file, "wb") as stream:
        for name, array in variables.items():
            stored = {"float32": 10, "uint8": 50}[array.dtype.name]
            stream.write(struct.pack("<5i", stored, *array.shape, 0, len(name) + 1) + name.encode() + b"\0")
            stream.write(np.asfortranarray(array).tobytes("F"))


def _dsi_studio(folder, subject, matrix):
    name = np.frombuffer(("\n".join(REGIONS) + "\n").encode(), np.uint8)[None]
    atlas = np.frombuffer(b"aal", np.uint8)[None]
    file = folder / f"{subject}.tt.gz.aal.count.pass.connectivity.mat"
    write_v4(file, connectivity=np.float32(matrix), name=name, atlas=atlas)


def _qsirecon(folder, subject, matrix):
    """Several atlases and measures in one file, names of each atlas beside them."""
    variables = {}
    for atlas, part in (("AAL", matrix[:4, :4]), ("AAL5", matrix)):
        variables[f"atlas_{atlas}_region_ids"] = np.arange(1.0, len(part) + 1)
        variables[f"atlas_{atlas}_region_labels"] = cell(REGIONS[: len(part)])
        variables[f"atlas_{atlas}_radius2_count_connectivity"] = part
        variables[f"atlas_{atlas}_radius2_meanlength_connectivity"] = part / 9
    name = "space-T1w_desc-preproc_dhollanderconnectome_connectivity.mat"
    savemat(_bids(folder, subject, name, "dwi"), variables, long_field_names=True)


def _braingraph(folder, subject, matrix):
    """GraphML of the Connectome Mapper, names and positions by its own words."""
    graph = nx.Graph()
    for i, region in enumerate(REGIONS):
        place = {f"dn_position_{axis}": float(i) for axis in "xyz"}
        graph.add_node(i + 1, dn_name=region, dn_fsname=region, dn_hemisphere="left", **place)
    for u, v in np.argwhere(np.tril(matrix)):
        edge = {"number_of_fibers": int(matrix[u, v]), "FA_mean": 0.4, "fiber_length_mean": 30.5}
        graph.add_edge(int(u) + 1, int(v) + 1, **edge)
    nx.write_graphml(graph, folder / f"{subject}.graphml")


def braingraph(folder: Path) -> Expected:
    counts = np.tril(streamline_counts(48), -1)
    counts += counts.transpose(0, 2, 1)
    counts[0][counts[0] < 300] = 0
    words = {**LARGEST, "values": "count", "edge_attribute": "number_of_fibers"}
    return matrix_layout(_braingraph, 48, words=words)(folder, counts)


dsi_studio = matrix_layout(_dsi_studio, 46, symmetric_counts, words=LARGEST)
qsirecon = matrix_layout(
    _qsirecon,
    47,
    symmetric_counts,
    words={"variable": "atlas_AAL5_radius2_count_connectivity", **LARGEST},
)

# Archives: .1D files and phenotype tables.

AAL_NUMBERS = ("2001", "2002", "2101", "2102", "2111")
ABIDE_IDS = ("Caltech_0051456", "KKI_0050772", "NYU_0050952", "UCLA_1_0051201")
ADHD_IDS = ("0010001", "0010002", "0026001", "1018959")


def _tabbed(rows) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def abide_pcp(folder: Path, series=None, where="cpac/filt_global/rois_aal") -> Expected:
    """ABIDE Preprocessed as its bucket has it: numbers after # in the header, subjects without a file."""
    series = random_series(8) if series is None else series
    place = folder / where
    place.mkdir(parents=True, exist_ok=True)
    header = [f"#{number}" for number in AAL_NUMBERS]
    for file_id, one in zip(ABIDE_IDS, series, strict=True):
        (place / f"{file_id}_rois_aal.1D").write_text(_tabbed([header, *one.tolist()]))
    names = ",Unnamed: 0,SUB_ID,X,subject,SITE_ID,FILE_ID,DX_GROUP,AGE_AT_SCAN,SEX,COMORBIDITY"
    rows = []
    for i, (file_id, group) in enumerate(zip(ABIDE_IDS, GROUPS, strict=True)):
        site, number = file_id.rsplit("_", 1)
        sub, diagnosis = int(number), 1 if group == "patient" else 2
        site_and_id = f"{site.upper()},{file_id},{diagnosis}"
        rows.append(f'{i},{i},{sub},{i},{sub},{site_and_id},{20 + i}.5,1,"ADHD, phobia"')
    for i, sub in enumerate((50002, 50123), len(rows)):
        rows.insert(1, f"{i},{i},{sub},{i},{sub},PITT,no_filename,1,16.77,1,")
    table = "Phenotypic_V1_0b_preprocessed1.csv"
    (folder / table).write_text("\n".join([names, *rows]) + "\n")
    return Expected(correlations(series), AAL_NUMBERS, ABIDE_IDS, series, table, "FILE_ID")


def adhd200_file(
    folder: Path, subject: str, letters="sfnwmrda", scan="session_1_rest_1", atlas="aal"
) -> Path:
    place = folder / "NYU" / subject
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{letters}{subject}_{scan}_{atlas}_TCs.1D"


def adhd200(folder: Path, series=None, **name) -> Expected:
    """The Athena pipeline: tables of 3dROIstats; the phenotype file has lost the leading zeros of its ids."""
    series = random_series(9) if series is None else series
    header = ["File", "Sub-brick", *(f"Mean_{number}  " for number in AAL_NUMBERS)]
    for subject, one in zip(ADHD_IDS, series, strict=True):
        file = adhd200_file(folder, subject, **name)
        rows = [[f"{file.stem}.nii.gz", f"{t}[?]", *row] for t, row in enumerate(one.tolist())]
        file.write_text(_tabbed([header, *rows]))
    rows = [["ScanDir ID", "Site", "Gender", "Age", "DX", "QC_Athena"]]
    for i, (one, group) in enumerate(zip(ADHD_IDS, GROUPS, strict=True)):
        rows.append([int(one), 5, i % 2, f"9.{i}", int(group == "patient"), 1])
    # The inattentive type, and the test set, without files here.
    rows += [[10003, 5, 1, 10.1, 3, 1], [10004, 5, 1, 8.8, "pending", 1]]
    table = "adhd200_preprocessed_phenotypics.tsv"
    (folder / table).write_text(_tabbed(rows))
    return Expected(correlations(series), AAL_NUMBERS, ADHD_IDS, series, table)
