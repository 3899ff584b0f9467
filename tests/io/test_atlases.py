"""Names of regions by a plain list, by a table, or by the name of an atlas that needs no download."""

import socket

import numpy as np
import pytest
from layouts_labs import csv_matrices, npy_matrices
from made_up import refused

from dugraph import InputError, read_cohort
from dugraph.cli import main
from dugraph.io.atlas import named_atlas, read_atlas
from dugraph.io.guards import MemoryBudget
from dugraph.words import ATLASES

BUDGET = MemoryBudget(2**30)
SIZES = {
    "AAL90": 90,
    "AAL116": 116,
    "Power264": 264,
    "Dosenbach160": 160,
    "Seitzman300": 300,
    "Desikan68": 68,
}


@pytest.fixture
def offline(monkeypatch):
    def refuse(*_):
        raise AssertionError("an atlas by name must not ask the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("name", SIZES)
def test_named_atlases_are_complete_without_network(name, offline):
    assert name in ATLASES
    if not name.startswith(("AAL", "Desikan")):
        pytest.importorskip("nilearn")
    atlas = named_atlas(name.lower())
    assert len(set(atlas.names)) == len(atlas.names) == SIZES[name]
    if name != "Power264":
        assert len(atlas.networks) == SIZES[name]
        assert all(atlas.networks)
    if name == "Desikan68":
        assert atlas.names[::34] == ("ctx-lh-bankssts", "ctx-rh-bankssts")
        assert dict(zip(atlas.numbers, atlas.names, strict=True))["2035"] == "ctx-rh-insula"
        return
    assert atlas.coordinates.shape == (SIZES[name], 3)
    assert np.abs(atlas.coordinates).max() < 110
    if atlas.numbers is not None:
        # By its number a region has the name and the place that it has by its order.
        assert sorted(map(int, atlas.numbers)) == list(range(1, SIZES[name] + 1))
        names, places, networks = atlas.applied(("7", "3"), 2, "file")
        assert names == tuple(atlas.names[atlas.numbers.index(number)] for number in ("7", "3"))
        if atlas.networks is not None:
            assert networks == tuple(atlas.networks[atlas.names.index(name)] for name in names)
        assert np.array_equal(places[0], atlas.coordinates[atlas.numbers.index("7")])


def matrices(folder, n):
    folder.mkdir()
    for subject in ("a", "b"):
        np.save(folder / f"{subject}.npy", np.full((n, n), 0.5) + 0.5 * np.eye(n))
    return folder


def test_regions_of_files_are_named_by_it(tmp_path):
    graphs, _ = read_cohort(matrices(tmp_path / "m", 90), atlas="AAL90")
    assert graphs.node_labels[:2] == ("Precentral_L", "Precentral_R")
    assert graphs.node_coordinates.shape == (90, 3)
    assert graphs.provenance["atlas"] == "AAL90"


def test_other_names_are_refused_with_the_list(tmp_path, capsys):
    folder = matrices(tmp_path / "m", 4)
    refused(r"atlas must be a file or one of AAL90, .*no file 'Gordon333'", folder, atlas="Gordon333")
    arguments = ["convert", str(folder), "--atlas", "Gordon333", "-o", str(tmp_path / "c.npz")]
    assert main(arguments) == 1
    assert (
        "Gordon333: there is no such file, and no atlas of this name among AAL90, AAL116"
        in capsys.readouterr().err
    )


def test_a_plain_list_is_read_line_by_line(tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("# seeds\nLeft Amygdala\nRight Amygdala\n\nThalamus 1\nBackground\n")
    assert read_atlas(file, BUDGET).names == ("Left Amygdala", "Right Amygdala", "Thalamus 1")
    graphs, _ = read_cohort(matrices(tmp_path / "m", 3), atlas=file)
    assert graphs.node_labels == ("Left Amygdala", "Right Amygdala", "Thalamus 1")
    assert graphs.node_coordinates is None


@pytest.mark.parametrize("heading", ["name", "index name", "Region x y z"])
def test_a_table_stays_a_table(tmp_path, heading):
    file = tmp_path / "names.txt"
    row = {"name": "A\nB", "index name": "2 B\n1 A", "Region x y z": "A 1 2 3\nB 4 5 6"}[heading]
    file.write_text(f"{heading}\n{row}\n")
    assert read_atlas(file, BUDGET).names == ("A", "B")


def test_wrong_lists_are_named(tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("A\nB\nA\n")
    refused("A", file, BUDGET, by=read_atlas)
    file.write_text("A,B\nC,D\n")
    refused("an atlas table must have one of the columns", file, BUDGET, by=read_atlas)


def test_positions_without_names(tmp_path):
    npy_matrices(tmp_path)
    atlas = tmp_path / "atlas.csv"
    rows = [f"{10 * i},{i},-{i}" for i in range(5)]
    for header, delimiter in (("x,y,z", ","), ("x y z", " "), ("mni_x\tmni_y\tmni_z", "\t")):
        atlas.write_text("\n".join([header, *rows]).replace(",", delimiter) + "\n")
        graphs, _ = read_cohort(tmp_path, atlas=atlas)
        assert graphs.node_labels == ("0", "1", "2", "3", "4")
        np.testing.assert_array_equal(graphs.node_coordinates, [[10 * i, i, -i] for i in range(5)])
        assert graphs.provenance["regions"].startswith("without names")
    atlas.write_text("\n".join(rows).replace(",", " ") + "\n")
    refused(r"every line has three numbers, which look like positions. Write x, y", tmp_path, atlas=atlas)
    atlas.write_text("\n".join(["x,y,z", *rows[:4]]) + "\n")
    refused(r"one row per region: .*atlas.csv has 4 regions, but .*sub-01.npy has 5", tmp_path, atlas=atlas)


def test_positions_without_names_belong_to_no_named_region(tmp_path):
    csv_matrices(tmp_path)
    atlas = tmp_path / "atlas.tsv"
    atlas.write_text("x\ty\tz\n" + "1\t2\t3\n" * 5)
    refused(
        r"atlas.tsv: an atlas table must name the regions, since .*sub-01.csv does", tmp_path, atlas=atlas
    )


# The first lines of tables as the programs write them.
LEFT, RIGHT = "7Networks_LH_Vis_1", "7Networks_RH_Default_PFC_1"
TABLES = {
    "CBIG centroids": "ROI Label,ROI Name,R,A,S\n1,LEFT,-26,-34,-18\n2,RIGHT,5,6,7\n",
    "CBIG centroids, older": "ROI Name,R,A,S\nLEFT,-26,-34,-18\nRIGHT,5,6,7\n",
    "CBIG order": "1\tLEFT\t120\t18\t131\t0\n2\tRIGHT\t205\t62\t78\t0\n",
    "FSL lut": "1 0.47 0.07 0.52 LEFT\n2 0.8 0.2 0.3 RIGHT\n",
    "nilearn": "index,name,color\n0,Background,#000000\n2,RIGHT,#cd3e4e\n1,LEFT,#781283\n",
    "BrainNet Viewer": "-26\t-34\t-18\t1\t1\tLEFT\n5\t6\t7\t2\t1\tRIGHT\n",
    "FreeSurfer": "#No. Label Name:   R   G   B   A\n\n0   Unknown  0  0  0  0\n"
    "1   LEFT    70  130 180 0\n2   RIGHT  245 245 245 0\n",
    "MRtrix": "# labels\n0 ??? Unknown 0 0 0 0\n1 L.V LEFT 25 100 40 255\n2 R.D RIGHT 125 100 160 255\n",
    "numbered": "1,LEFT\n2,RIGHT\n",
    "BIDS": "index\tlabel\tnetwork_label\n1\tLEFT\tVis\n2\tRIGHT\tDefault\n",
}


@pytest.mark.parametrize("program", TABLES)
def test_tables_are_read_as_programs_write_them(tmp_path, program):
    file = tmp_path / "atlas.txt"
    file.write_text(TABLES[program].replace("LEFT", LEFT).replace("RIGHT", RIGHT))
    atlas = read_atlas(file, BUDGET)
    assert atlas.names == (LEFT, RIGHT)
    assert atlas.networks == ("Vis", "Default")
    assert atlas.numbers == (None if "older" in program or "Brain" in program else ("1", "2"))
    if "centroids" in program or "Brain" in program:
        assert atlas.coordinates.tolist() == [[-26, -34, -18], [5, 6, 7]]
    else:
        assert atlas.coordinates is None


def test_a_table_with_communities_and_without_names(tmp_path):
    file = tmp_path / "gordon.csv"
    file.write_text("ParcelID,Hem,Community\n1,L,Default\n2,L,n/a\n")
    atlas = read_atlas(file, BUDGET)
    assert atlas.names == ("Default_1", "None_2")
    assert atlas.networks == ("Default", "")


def test_an_atlas_of_fsl(tmp_path):
    file = tmp_path / "HarvardOxford-Cortical.xml"
    label = '<label index="{}" x="1" y="2" z="3">{}</label>'
    labels = label.format(1, "Insular Cortex") + label.format(0, "Frontal Pole")
    file.write_text(f'<?xml version="1.0"?><atlas><data>{labels}</data></atlas>')
    atlas = read_atlas(file, BUDGET)
    assert (atlas.names, atlas.numbers) == (("Frontal Pole", "Insular Cortex"), ("1", "2"))
    file.write_text('<!DOCTYPE a [<!ENTITY b "c">]><atlas>&b;</atlas>')
    refused("must be XML of FSL", file, BUDGET, by=read_atlas)


def test_an_atlas_that_another_program_has_downloaded(tmp_path, monkeypatch, offline):
    for variable in ("NILEARN_DATA", "TEMPLATEFLOW_HOME", "CBIG_CODE_DIR", "FSLDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    refused(r"not found in .*schaefer_2018\(n_rois=100, yeo_networks=17\)", "schaefer100-17", by=named_atlas)
    folder = tmp_path / "NILEARN_DATA" / "schaefer_2018"
    folder.mkdir(parents=True)
    names = [f"17Networks_{side}H_VisCent_{i}" for side in "LR" for i in range(50)]
    lines = [f"{i}\t{name}\t1\t2\t3\t0" for i, name in enumerate(names, start=1)]
    (folder / "Schaefer2018_100Parcels_17Networks_order.txt").write_text("\n".join(lines))
    atlas = named_atlas("schaefer100-17")
    assert list(atlas.names) == names
    assert set(atlas.networks) == {"VisCent"}


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        (("0", "2"), ("A", "C")),
        (("3", "1"), ("C", "A")),
        (("0", "1", "2"), ("A", "B", "C")),
        (("1", "2", "3"), ("A", "B", "C")),
        (("1", "2"), r"1 is 'B' counted from 0, and 'A' counted from 1\. Add a column index"),
        (("0", "3"), "lacks 0, 3"),
        (("4", "1"), "lacks 4, 1"),
    ],
)
def test_numbers_count_the_lines_of_a_list(tmp_path, numbers, found):
    file = tmp_path / "names.txt"
    file.write_text("A\nB\nC\n")
    atlas = read_atlas(file, BUDGET)
    if isinstance(found, tuple):
        assert atlas.applied(numbers, len(numbers), "edges.csv")[0] == found
    else:
        refused(found, numbers, len(numbers), "edges.csv", by=atlas.applied)


def test_an_index_decides_before_the_order(tmp_path):
    file = tmp_path / "atlas.csv"
    file.write_text("index,name\n1,A\n2,B\n3,C\n")
    atlas = read_atlas(file, BUDGET)
    assert atlas.applied(("1", "2"), 2, "edges.csv")[0] == ("A", "B")
    assert atlas.applied(("0", "2"), 2, "edges.csv")[0] == ("A", "C")
    file.write_text("index,name\n10,A\n20,B\n30,C\n")
    with pytest.raises(InputError, match=r"lacks 1, 2 of edges.csv in its column index"):
        read_atlas(file, BUDGET).applied(("1", "2"), 2, "edges.csv")


def test_names_that_begin_with_a_word_for_a_column_are_a_list(tmp_path):
    (tmp_path / "atlas.txt").write_text("Region A\nRegion B\nRegion C\n")
    assert read_atlas(tmp_path / "atlas.txt", BUDGET).names == ("Region A", "Region B", "Region C")
    (tmp_path / "one.txt").write_text("Region\nA\nB\n")  # a heading
    assert read_atlas(tmp_path / "one.txt", BUDGET).names == ("A", "B")
