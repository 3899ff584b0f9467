"""Three broken variants, or more, of each layout that laboratories have; messages in full."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from binary_files import cell
from layouts import LAYOUTS
from layouts_tools import write_netcc
from refusals import refusal
from scipy.io import savemat

from dugraph import read_cohort

SQUARE = np.eye(5)


def nothing(folder):
    """Only the words are wrong."""


def text(name, change):
    """Change the text of the first file of a name."""

    def spoil(folder):
        file = next(folder.rglob(name))
        before = file.read_text()
        file.write_text(change(before))
        assert file.read_text() != before

    return spoil


def replaced(name, old, new):
    return text(name, lambda before: before.replace(old, new, 1))


def cut(name, n_lines):
    """Take lines away at the end."""
    return text(name, lambda before: "\n".join(before.splitlines()[:-n_lines]) + "\n")


def written(name, content):
    return lambda folder: next(folder.rglob(name), folder / name).write_text(content)


def removed(name):
    return lambda folder: next(folder.rglob(name)).unlink()


def saved(name, array):
    return lambda folder: np.save(folder / name, array)


def saved_npz(name, **arrays):
    return lambda folder: np.savez(folder / name, **arrays)


def saved_mat(name, **variables):
    return lambda folder: savemat(next(folder.rglob(name), folder / name), variables)


def saved_text(name, array):
    return lambda folder: np.savetxt(next(folder.rglob(name), folder / name), array)


def in_folder(name, *files):
    """Copy files into a folder of their own."""

    def spoil(folder):
        (folder / name).mkdir()
        for file in files:
            shutil.copy(next(folder.rglob(file)), folder / name)

    return spoil


def called_fa(folder):
    for file in sorted(folder.glob("*.mat")):
        file.rename(file.with_name(file.name.replace("count", "fa")))


def all_of_one_length(folder):
    for file in folder.glob("*.txt"):
        file.write_text("\n".join(file.read_text().splitlines()[:30]) + "\n")


def cut_bytes(folder):
    file = next(folder.glob("sub-02*"))
    file.write_bytes(file.read_bytes()[:60])


def second_network(folder):
    write_netcc(folder / "sub-02_001.netcc", {"CC": SQUARE})


# Layout -> what is spoiled, and the words to read it with; broken_layouts.txt says what comes of it.
BROKEN = {
    "array_npy": [
        (saved("matrices.npy", np.zeros((4, 5, 6))), {}),
        (saved("matrices.npy", np.zeros((3, 5, 5))), {}),
        (saved("matrices.npy", np.ones((5, 5, 5))), {}),
        (nothing, {"variable": "A"}),
    ],
    "array_npz": [
        (nothing, {"names_variable": "names"}),
        (nothing, {"names_variable": "tr"}),
        (saved_npz("all.npz", a=np.zeros((4, 5, 5)), b=np.zeros((4, 5, 5))), {"names_variable": None}),
        (saved_npz("all.npz", a=np.zeros((4, 5))), {}),
    ],
    "array_mat": [
        (nothing, {"variable": None}),
        (nothing, {"variable": "mean_A"}),
        (nothing, {"variable": "C"}),
        (saved_mat("group.mat", A=np.zeros((5, 5, 4)), ROInames=cell(("a", "b"))), {}),
        (written("group.mat", "no MATLAB"), {}),
    ],
    "hcp_ptn": [
        (nothing, {"values": None, "probability": None}),
        (removed("subjectIDs.txt"), {}),
        (cut("subjectIDs.txt", 1), {}),
        (written("netmats2.txt", "1 2 3\n"), {}),
        (written("netmats2.txt", "1 2 3\n4 5 6\n"), {"select": {"netmats": "2"}}),
    ],
    "subject_rows": [
        (nothing, {"values": None}),
        (replaced("edges.csv", "sub-01", ""), {}),
        (replaced("edges.csv", "LH_Vis_1--RH_Vis_1", "LH_Default_PFC_1--LH_Vis_1"), {}),
        (nothing, {"triangle": "lower"}),
        (replaced("edges.csv", "participant_id,", "LH_Vis_1--Thalamus,"), {}),
    ],
    "subject_triangles": [
        (nothing, {"triangle": None}),
        (nothing, {"triangle": "both"}),
        (written("triangles.csv", "a,0.1,0.2,0.3,0.4\n"), {}),
        (replaced("triangles.csv", ",0.", ",x"), {}),
        (written("triangles.csv", "0.1,0.2,0.3\n0.1,0.2,0.3\n"), {}),
    ],
    "series_txt": [
        (all_of_one_length, {}),
        (saved_text("sub-02.txt", SQUARE), {}),
        (cut("sub-02.txt", 29), {}),
        (nothing, {"values": "correlation"}),
    ],
    "series_csv": [
        (nothing, {"time_axis": "columns"}),
        (replaced("sub-02.csv", "Amygdala", "Thalamus"), {}),
        (replaced("sub-02.csv", "Amygdala", "RH_Vis_1"), {}),
    ],
    "series_npy": [
        (nothing, {"time_axis": None}),
        (nothing, {"time_axis": "time"}),
        (saved("sub-02.npy", np.zeros((6, 30))), {}),
        (saved("sub-02.npy", np.zeros((5, 30, 2))), {}),
    ],
    "series_mat": [
        (saved_mat("sub-02.mat", ts=np.ones((30, 5)), other=np.ones((30, 5))), {}),
        (saved_mat("sub-02.mat", TR=2.0), {}),
        (nothing, {"variable": "TR"}),
    ],
    "mat_folder": [
        (saved_mat("sub-02.mat", R=SQUARE, S=SQUARE), {}),
        (saved_mat("sub-02.mat", R=np.ones((5, 4))), {}),
        (written("sub-02.mat", ""), {}),
    ],
    "class_folders": [
        (in_folder("third", "sub-02.txt", "sub-01.txt"), {}),
        (in_folder("control/x", "sub-01.txt"), {}),
        (nothing, {"positive": "ill"}),
        (saved_text("sub-02.txt", 2 * SQUARE), {}),
    ],
    "subject_folders": [
        (lambda folder: (folder / "sub-02" / "cov.csv").write_text("1"), {}),
        (cut("sub-02/corr.csv", 1), {}),
        (removed("sub-02/corr.csv"), {}),
    ],
    "named_files": [
        (nothing, {"id_pattern": None}),
        (nothing, {"id_pattern": "REST1"}),
        (nothing, {"id_pattern": "{id}_REST2*"}),
        (saved_text("100206_REST1_RL_corr.txt", SQUARE), {}),
    ],
    "ssv": [
        (nothing, {"values": None}),
        (replaced("sub-02.ssv", " RH_Vis_1", ""), {}),
        (replaced("sub-02.ssv", " 0.", " x"), {}),
        (replaced("sub-02.ssv", " 0.", " 7."), {}),
    ],
    "edgelists": [
        (nothing, {"values": None}),
        (replaced("sub-02.edgelist", ": 0.", ": x"), {}),
        (written("sub-02.edgelist", "# empty\n"), {}),
        (written("sub-02.edgelist", "a b {}\n"), {}),
    ],
    "csv_edges": [
        (replaced("sub-02.csv", "weight", "FA"), {}),
        (cut("sub-02.csv", 9), {}),
        (replaced("sub-02.csv", "LH_Vis_1,RH_SomMot_2", "LH_Vis_1,LH_Vis_1"), {}),
    ],
    "brainnet": [
        (cut("nodes.node", 1), {}),
        (replaced("nodes.node", "Amygdala", "left Amygdala"), {}),
        (written("second.node", ""), {}),
        (written("sub-01.edge", "1 2\n3 4\n"), {}),
    ],
    "halfpipe": [
        (cut("sub-02_*.tsv", 29), {}),
        (written("sub-02_*.tsv", "3\t5\t9\t11\t12\n4\t5\t6\t7\t8\n"), {}),
        (written("sub-02_*.tsv", "a\tb\tc\td\te\n1.5\t2\t3\t4\t5\n"), {}),
    ],
    "halfpipe_matrices": [
        (nothing, {"select": None}),
        (nothing, {"select": {"desc": "covariance"}}),
        (nothing, {"select": {"desc": "covariance"}, "values": "correlation"}),
        (cut("sub-02_*correlation_matrix.tsv", 1), {}),
    ],
    "dpabi": [
        (nothing, {"format": None}),
        (saved_mat("ROISignals_Sub_002.mat", ROISignals=np.ones((30, 4))), {}),
        (saved_mat("ROISignals_Sub_002.mat", a=np.ones((30, 5)), b=np.ones((30, 5))), {}),
    ],
    "dpabi_all": [
        (saved_mat("ROICorrelation_Sub_002.mat", ROICorrelation=2 * SQUARE), {}),
        (saved_mat("ROICorrelation_Sub_002.mat", ROICorrelation=np.ones((5, 4))), {}),
        (in_folder("copy", "ROICorrelation_Sub_002.txt"), {}),
    ],
    "dpabi_z": [
        (nothing, {"values": "correlation"}),
        (saved_text("*Sub_002.txt", SQUARE), {}),
        (cut("*Sub_002.txt", 1), {}),
    ],
    "afni": [
        (nothing, {"variable": "PC"}),
        (nothing, {"variable": "XY"}),
        (replaced("sub-02_000.netcc", "# 5 ", "# 6 "), {}),
        (replaced("sub-02_000.netcc", "# 5 ", f"# {'5' * 5000} "), {}),
        (replaced("sub-02_000.netcc", "-", "- "), {}),
        (replaced("sub-02_000.netcc", "# FZ", "# CC"), {}),
        (second_network, {}),
    ],
    "dsi_studio": [
        (nothing, {"probability": None}),
        (called_fa, {}),
        (cut_bytes, {}),
    ],
    "qsirecon": [
        (nothing, {"variable": None}),
        (nothing, {"variable": "atlas_AAL5_radius2_meanlength_connectivity"}),
        (saved_mat("sub-02_*.mat", atlas_AAL5_radius2_count=SQUARE), {}),
    ],
    "braingraph": [
        (nothing, {"edge_attribute": "fibers"}),
        (nothing, {"values": None, "probability": None}),
        (nothing, {"edge_attribute": None}),
        (replaced("sub-02.graphml", "</graphml>", ""), {}),
    ],
}
PAGE = Path(__file__).with_name("broken_layouts.txt")


def messages():
    """The lines of the page by the layouts that they begin with."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    names = dict.fromkeys(line.partition(": ")[0] for line in lines)
    return {name: [line for line in lines if line.startswith(f"{name}: ")] for name in names}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_layout_is_refused_in_full(tmp_path, name):
    """With DUGRAPH_NEW_BASELINES=1 the messages are written anew."""
    found = []
    for i, (spoil, words) in enumerate(BROKEN[name]):
        folder = tmp_path / str(i)
        folder.mkdir()
        expected = LAYOUTS[name](folder)
        spoil(folder)
        table = next(iter(folder.glob(expected.participants)), None)
        error = refusal(read_cohort, folder, **{"participants": table, **expected.words, **words})
        found.append(f"{name}: {error}".replace(f"{folder}/", "").replace(str(folder), "FOLDER"))
    if os.environ.get("DUGRAPH_NEW_BASELINES"):
        written = messages() | {name: found}
        lines = [line for other in BROKEN for line in written.get(other, ())]
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        assert found == messages().get(name, [])


def test_every_new_layout_is_broken_three_times():
    new = list(LAYOUTS)[list(LAYOUTS).index("array_npy") :]
    assert [name for name in new if len(BROKEN.get(name, ())) < 3] == []
    assert list(messages()) == list(BROKEN)
