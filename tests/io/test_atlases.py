"""Names of regions by a plain list, by a table, or by the name of an atlas that needs no download."""

import socket

import numpy as np
import pytest
from layouts import csv_matrices, npy_matrices

from dugraph import InputError, read_cohort
from dugraph.cli import main
from dugraph.io.atlas import NAMED_ATLASES, named_atlas, read_atlas
from dugraph.io.guards import MemoryBudget
from dugraph.words import ATLASES

BUDGET = MemoryBudget(2**30)
SIZES = {"AAL90": 90, "AAL116": 116, "Power264": 264, "Dosenbach160": 160, "Seitzman300": 300}


@pytest.fixture
def offline(monkeypatch):
    def refuse(*_):
        raise AssertionError("an atlas by name must not ask the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_the_words_are_the_atlases():
    assert tuple(NAMED_ATLASES) == ATLASES


@pytest.mark.parametrize("name", NAMED_ATLASES)
def test_named_atlases_are_complete_without_network(name, offline):
    if not name.startswith("AAL"):
        pytest.importorskip("nilearn")
    atlas = named_atlas(name.lower())
    assert len(set(atlas.names)) == len(atlas.names) == SIZES[name]
    assert atlas.coordinates.shape == (SIZES[name], 3)
    assert np.abs(atlas.coordinates).max() < 110
    if atlas.numbers is not None:
        # By its number a region has the name and the place that it has by its order.
        assert sorted(map(int, atlas.numbers)) == list(range(1, SIZES[name] + 1))
        names, places = atlas.applied(("7", "3"), 2, "file")
        assert names == tuple(atlas.names[atlas.numbers.index(number)] for number in ("7", "3"))
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
    with pytest.raises(InputError, match=r"atlas must be a file or one of AAL90, .*no file 'Schaefer400'"):
        read_cohort(folder, atlas="Schaefer400")
    arguments = ["convert", str(folder), "--atlas", "Schaefer400", "-o", str(tmp_path / "c.npz")]
    assert main(arguments) == 1
    assert (
        "Schaefer400: there is no such file, and no atlas of this name among AAL90, AAL116"
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
    with pytest.raises(InputError, match="A"):
        read_atlas(file, BUDGET)
    file.write_text("A,B\nC,D\n")
    with pytest.raises(InputError, match="an atlas table must have one of the columns"):
        read_atlas(file, BUDGET)


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
    with pytest.raises(
        InputError, match=r"every line has three numbers, which look like positions. Write x, y"
    ):
        read_cohort(tmp_path, atlas=atlas)
    atlas.write_text("\n".join(["x,y,z", *rows[:4]]) + "\n")
    with pytest.raises(
        InputError, match=r"one row per region: .*atlas.csv has 4 regions, but .*sub-01.npy has 5"
    ):
        read_cohort(tmp_path, atlas=atlas)


def test_positions_without_names_belong_to_no_named_region(tmp_path):
    csv_matrices(tmp_path)
    atlas = tmp_path / "atlas.tsv"
    atlas.write_text("x\ty\tz\n" + "1\t2\t3\n" * 5)
    with pytest.raises(
        InputError, match=r"atlas.tsv: an atlas table must name the regions, since .*sub-01.csv does"
    ):
        read_cohort(tmp_path, atlas=atlas)
