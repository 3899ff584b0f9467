"""Names of regions by a plain list, by a table, or by the name of an atlas that needs no download."""

import socket

import numpy as np
import pytest
from layouts_labs import csv_matrices, npy_matrices
from made_up import refused

from dugraph import read_cohort
from dugraph.io.atlas import named_atlas, read_atlas
from dugraph.io.guards import MemoryBudget
from dugraph.words import ATLASES

BUDGET = MemoryBudget(2**30)
SIZES = {"AAL90": 90, "AAL116": 116, "Power264": 264, "Dosenbach160": 160, "Seitzman300": 300}
SIZES |= {"Desikan68": 68}


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
    folder = matrices(tmp_path / "m", 90)
    graphs, _ = read_cohort(folder, atlas="AAL90")
    assert graphs.node_labels[:2] == ("Precentral_L", "Precentral_R")
    assert graphs.node_coordinates.shape == (90, 3)
    assert graphs.provenance["atlas"] == "AAL90"
    # The command line says it in its own words: mistakes.md.
    refused("atlas must be a file or one of AAL90, .*no file 'Gordon333'", folder, atlas="Gordon333")


@pytest.fixture
def atlas_of(tmp_path):
    """Read a text as an atlas."""

    def read(text, name="atlas.txt"):
        (tmp_path / name).write_text(text)
        return read_atlas(tmp_path / name, BUDGET)

    return read


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# seeds\nLeft A\nRight A\n\nThalamus 1\nBackground\n", ("Left A", "Right A", "Thalamus 1")),
        ("name\nA\nB\n", ("A", "B")),
        ("Region\nA\nB\n", ("A", "B")),
        ("index name\n2 B\n1 A\n", ("A", "B")),
        ("Region x y z\nA 1 2 3\nB 4 5 6\n", ("A", "B")),
        ("Region A\nRegion B\nRegion C\n", ("Region A", "Region B", "Region C")),
    ],
)
def test_a_plain_list_is_read_line_by_line_and_a_table_stays_a_table(atlas_of, text, names):
    assert atlas_of(text).names == names


def test_wrong_lists_are_named(atlas_of):
    refused("A", "A\nB\nA\n", by=atlas_of)
    refused("an atlas table must have one of the columns", "A,B\nC,D\n", by=atlas_of)
    refused("an atlas must list regions, but lists background only", "0 Background\n", by=atlas_of)


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
    message = "every line has three numbers, which look like positions. Write x, y"
    refused(message, tmp_path, atlas=atlas)
    atlas.write_text("\n".join(["x,y,z", *rows[:4]]) + "\n")
    message = "one row per region: .*atlas.csv has 4 regions, but .*sub-01.npy has 5"
    refused(message, tmp_path, atlas=atlas)


def test_positions_without_names_belong_to_no_named_region(tmp_path):
    csv_matrices(tmp_path)
    atlas = tmp_path / "atlas.tsv"
    atlas.write_text("x\ty\tz\n" + "1\t2\t3\n" * 5)
    message = "atlas.tsv: an atlas table must name the regions, since .*sub-01.csv does"
    refused(message, tmp_path, atlas=atlas)


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
def test_tables_are_read_as_programs_write_them(atlas_of, program):
    atlas = atlas_of(TABLES[program].replace("LEFT", LEFT).replace("RIGHT", RIGHT))
    assert atlas.names == (LEFT, RIGHT)
    assert atlas.networks == ("Vis", "Default")
    assert atlas.numbers == (None if "older" in program or "Brain" in program else ("1", "2"))
    if "centroids" in program or "Brain" in program:
        assert atlas.coordinates.tolist() == [[-26, -34, -18], [5, 6, 7]]
    else:
        assert atlas.coordinates is None


def test_a_table_with_communities_and_without_names(atlas_of):
    atlas = atlas_of("ParcelID,Hem,Community\n1,L,Default\n2,L,n/a\n", "gordon.csv")
    assert atlas.names == ("Default_1", "None_2")
    assert atlas.networks == ("Default", "")


def test_an_atlas_of_fsl(atlas_of):
    label, name = '<label index="{}" x="1" y="2" z="3">{}</label>', "HarvardOxford-Cortical.xml"
    labels = label.format(1, "Insular Cortex") + label.format(0, "Frontal Pole")
    atlas = atlas_of(f'<?xml version="1.0"?><atlas><data>{labels}</data></atlas>', name)
    assert (atlas.names, atlas.numbers) == (("Frontal Pole", "Insular Cortex"), ("1", "2"))
    entities = '<!DOCTYPE a [<!ENTITY b "c">]><atlas>&b;</atlas>'
    refused("must be XML of FSL", entities, name, by=atlas_of)


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


LIST, FROM_1, BY_TENS = "A\nB\nC\n", "index,name\n1,A\n2,B\n3,C\n", "index,name\n10,A\n20,B\n30,C\n"


@pytest.mark.parametrize(
    ("text", "numbers", "found"),
    [
        (LIST, "02", "AC"),
        (LIST, "31", "CA"),
        (LIST, "012", "ABC"),
        (LIST, "123", "ABC"),
        (FROM_1, "12", "AB"),
        (FROM_1, "02", "AC"),
    ],
)
def test_numbers_count_the_lines_of_a_list_unless_an_index_decides(atlas_of, text, numbers, found):
    assert atlas_of(text, "atlas.csv").applied(tuple(numbers), len(numbers), "edges.csv")[0] == tuple(found)


@pytest.mark.parametrize(
    ("text", "numbers", "message"),
    [
        (LIST, "12", r"1 is 'B' counted from 0, and 'A' counted from 1\. Add a column index"),
        (LIST, "03", "lacks 0, 3"),
        (LIST, "41", "lacks 4, 1"),
        (BY_TENS, "12", "lacks 1, 2 of edges.csv in its column index"),
    ],
)
def test_numbers_that_no_line_has(atlas_of, text, numbers, message):
    applied = atlas_of(text, "atlas.csv").applied
    refused(message, tuple(numbers), len(numbers), "edges.csv", by=applied)
