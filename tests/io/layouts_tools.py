"""Writers of the layouts of HALFpipe, DPABI, AFNI, DSI Studio, QSIRecon and braingraph.org."""

import struct
from pathlib import Path

import networkx as nx
import numpy as np
from binary_files import cell
from layouts_streamlines import streamline_counts
from made_up import (
    REGIONS,
    SUBJECTS,
    Expected,
    correlation_matrices,
    correlations,
    random_series,
    write_participants,
)
from scipy.io import savemat

DPABI_SUBJECTS = ("Sub_001", "Sub_002", "Sub_003", "Sub_010")
COUNTS = {"values": "count", "probability": "largest"}


def _func(folder: Path, subject: str, name: str) -> Path:
    place = folder / subject / "func"
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{subject}_task-rest_feature-corrMatrix1_atlas-schaefer400_{name}"


def halfpipe_series(folder: Path, series=None) -> Expected:
    """HALFpipe: tabs and no header, ten digits after the point, raw signals."""
    series = [np.round(one + 9000, 10) for one in random_series(40)] if series is None else series
    for subject, one in zip(SUBJECTS, series, strict=True):
        np.savetxt(_func(folder, subject, "timeseries.tsv"), one, fmt="%.10f", delimiter="\t")
    write_participants(folder)
    return Expected(correlations(series), regions=None, series=series)


def halfpipe_matrices(folder: Path, matrices=None) -> Expected:
    """HALFpipe: correlations and covariances beside each other, without a header."""
    matrices = correlation_matrices(seed=41) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        np.savetxt(_func(folder, subject, "desc-correlation_matrix.tsv"), matrix, delimiter="\t")
        covariances = np.round(3 * matrix, 10)  # of which a message shows the diagonal
        np.savetxt(_func(folder, subject, "desc-covariance_matrix.tsv"), covariances, delimiter="\t")
    write_participants(folder)
    return Expected(matrices, regions=None, words={"select": {"desc": "correlation"}})


def _dpabi(folder: Path, series) -> Path:
    """y_ExtractROISignal.m: everything as .mat and as .txt, the diagonal of Fisher z infinite."""
    place = folder / "Results" / "ROISignals_FunImgARCWF"
    place.mkdir(parents=True)
    for subject, one in zip(DPABI_SUBJECTS, series, strict=True):
        r = np.corrcoef(one, rowvar=False)
        np.fill_diagonal(r, 1.0)
        with np.errstate(divide="ignore"):
            z = 0.5 * np.log((1 + r) / (1 - r))
        for name, values in (("ROISignals", one), ("ROICorrelation", r), ("ROICorrelation_FisherZ", z)):
            savemat(place / f"{name}_{subject}.mat", {name: values})
            np.savetxt(place / f"{name}_{subject}.txt", values, fmt=" %.16e", delimiter="\t")
        (place / f"ROI_OrderKey_{subject}.tsv").write_text(
            "Order\tLabel in Mask\tROI Definition\n1\t1\taal.nii\n"
        )
    write_participants(folder, DPABI_SUBJECTS)
    return place


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
    """The texts of Fisher z alone, as people copy them."""
    series = random_series(44)
    place = _dpabi(folder, series)
    for file in place.iterdir():
        if not file.name.startswith("ROICorrelation_FisherZ_") or file.suffix != ".txt":
            file.unlink()
    return Expected(correlations(series), None, DPABI_SUBJECTS)


def write_netcc(file: Path, blocks, labels=None) -> None:
    labels = REGIONS if labels is None else labels
    n = len(labels)
    lines = [f"# {n}  # Number of network ROIs", f"# {len(blocks)}  # Number of netcc matrices"]
    lines += ["# WITH_ROI_LABELS", "\t".join(f"{name:>10}" for name in labels)]
    lines.append("\t".join(f"{10 * (i + 1):>10}" for i in range(n)))
    for name, matrix in blocks.items():
        lines += [f"# {name}", *("\t".join(f"{value:12.4f}" for value in row) for row in matrix)]
    file.write_text("\n".join(lines) + "\n")


def afni_netcc(folder: Path, matrices=None) -> Expected:
    """3dNetCorr -fish_z: four digits; its Fisher z of 1 is large, not infinite."""
    matrices = np.round(correlation_matrices(seed=45) if matrices is None else matrices, 4)
    for subject, matrix in zip(SUBJECTS, matrices, strict=True):
        fisher = np.arctanh(np.clip(matrix, -0.999329, 0.999329))
        write_netcc(folder / f"{subject}_000.netcc", {"CC": matrix, "FZ": fisher})
    write_participants(folder)
    return Expected(matrices)


def write_v4(file: Path, **variables) -> None:
    """MATLAB's version 4, as DSI Studio writes it: single precision, letters as bytes."""
    with open(file, "wb") as stream:
        for name, array in variables.items():
            stored = {"float32": 10, "uint8": 50}[array.dtype.name]
            stream.write(struct.pack("<5i", stored, *array.shape, 0, len(name) + 1) + name.encode() + b"\0")
            stream.write(np.asfortranarray(array).tobytes("F"))


def dsi_studio(folder: Path, matrices=None) -> Expected:
    """DSI Studio: counts of tracts that pass, names in lines."""
    counts = np.float32(streamline_counts(46))
    counts = np.float64(counts + counts.transpose(0, 2, 1)) if matrices is None else matrices
    name = np.frombuffer(("\n".join(REGIONS) + "\n").encode(), np.uint8)[None]
    for subject, matrix in zip(SUBJECTS, counts, strict=True):
        file = folder / f"{subject}.tt.gz.aal.count.pass.connectivity.mat"
        write_v4(
            file, connectivity=np.float32(matrix), name=name, atlas=np.frombuffer(b"aal", np.uint8)[None]
        )
    write_participants(folder)
    return Expected(counts, words={"probability": "largest"})


def qsirecon(folder: Path, matrices=None) -> Expected:
    """QSIRecon: several atlases and measures in one file, names of each atlas beside them."""
    counts = streamline_counts(47)
    counts = counts + counts.transpose(0, 2, 1) if matrices is None else matrices
    for subject, matrix in zip(SUBJECTS, counts, strict=True):
        place = folder / subject / "dwi"
        place.mkdir(parents=True)
        variables = {}
        for atlas, part in (("AAL", matrix[:4, :4]), ("AAL5", matrix)):
            variables[f"atlas_{atlas}_region_ids"] = np.arange(1.0, len(part) + 1)
            variables[f"atlas_{atlas}_region_labels"] = cell(REGIONS[: len(part)])
            variables[f"atlas_{atlas}_radius2_count_connectivity"] = part
            variables[f"atlas_{atlas}_radius2_meanlength_connectivity"] = part / 9
        file = place / f"{subject}_space-T1w_desc-preproc_dhollanderconnectome_connectivity.mat"
        savemat(file, variables, long_field_names=True)
    write_participants(folder)
    words = {"variable": "atlas_AAL5_radius2_count_connectivity", "probability": "largest"}
    return Expected(counts, words=words)


def braingraph(folder: Path) -> Expected:
    """braingraph.org: GraphML of the Connectome Mapper, names and positions by its own words."""
    counts = np.tril(streamline_counts(48), -1)
    counts += counts.transpose(0, 2, 1)
    counts[0][counts[0] < 300] = 0
    for subject, matrix in zip(SUBJECTS, counts, strict=True):
        graph = nx.Graph()
        for i, region in enumerate(REGIONS):
            place = {f"dn_position_{axis}": float(i) for axis in "xyz"}
            graph.add_node(i + 1, dn_name=region, dn_fsname=region, dn_hemisphere="left", **place)
        for u, v in np.argwhere(np.tril(matrix)):
            edge = {"number_of_fibers": int(matrix[u, v]), "FA_mean": 0.4, "fiber_length_mean": 30.5}
            graph.add_edge(int(u) + 1, int(v) + 1, **edge)
        nx.write_graphml(graph, folder / f"{subject}.graphml")
    write_participants(folder)
    return Expected(counts, words={**COUNTS, "edge_attribute": "number_of_fibers"})
