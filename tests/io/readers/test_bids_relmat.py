"""BIDS derivatives with one matrix per subject: round trips, choices, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts_tools import giga_connectome_relmat, xcp_d_conmat, xcp_d_relmat
from made_up import REGIONS, SUBJECTS, refused, write_participants

from dugraph import UncertainGraphs, read_cohort

NAME = "task-rest_space-MNI152NLin2009cAsym_atlas-4S156Parcels_stat-pearsoncorrelation_relmat.tsv"


def file_of(folder, subject):
    return folder / subject / "func" / f"{subject}_{NAME}"


@given(st.data())
@settings(max_examples=25)
def test_round_trip_in_any_order_of_regions(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("xcp_d")
    matrices = np.zeros((4, 5, 5))
    rows, columns = np.tril_indices(5, -1)
    for matrix, subject in zip(matrices, SUBJECTS, strict=True):
        matrix[rows, columns] = data.draw(st.lists(st.floats(-1, 1), min_size=10, max_size=10))
        matrix += matrix.T
        (folder / subject / "func").mkdir(parents=True)
        table = pd.DataFrame(matrix, index=pd.Index(REGIONS, name="Node"), columns=REGIONS)
        # The first subject gives the order; each of the others has its own, of rows and of columns.
        if subject != SUBJECTS[0]:
            table = table.iloc[data.draw(st.permutations(range(5))), data.draw(st.permutations(range(5)))]
        table.to_csv(file_of(folder, subject), sep="\t")
    graphs, y = read_cohort(folder, participants=write_participants(folder), positive="patient")
    truth = UncertainGraphs(
        np.maximum(matrices[:, rows, columns], 0),
        node_labels=REGIONS,
        graph_ids=SUBJECTS,
        participants={"age": [20, 21, 22, 23], "sex": ["F"] * 4, "group": ["patient", "control"] * 2},
        provenance=graphs.provenance,
    )
    assert graphs == truth
    assert y.tolist() == [1, 0, 1, 0]


def test_older_spellings(tmp_path):
    expected = xcp_d_conmat(tmp_path)
    graphs, y = read_cohort(tmp_path)
    assert y is None
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-15)


def test_numbered_regions_get_names_and_places_from_the_atlas(tmp_path):
    expected = giga_connectome_relmat(tmp_path)
    plain, _ = read_cohort(tmp_path)
    assert plain.node_labels == ("0", "1", "2", "3", "4")
    graphs, _ = read_cohort(tmp_path, atlas=tmp_path / "atlas-MIST_dseg.tsv")
    assert graphs.node_labels == REGIONS
    assert graphs.node_coordinates.tolist() == [[i + 0.5, -i, 0] for i in range(1, 6)]
    assert graphs.provenance["atlas"] == "atlas-MIST_dseg.tsv"
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-15)


def test_the_background_is_no_region_but_index_0_may_be_one(tmp_path):
    giga_connectome_relmat(tmp_path)
    atlas = tmp_path / "atlas-MIST_dseg.tsv"
    rows = [f"{i}\t{name}" for i, name in enumerate(REGIONS)]
    atlas.write_text("\n".join(["index\tname", *reversed(rows), "9\tBackground"]))
    assert read_cohort(tmp_path, atlas=atlas)[0].node_labels == REGIONS


def test_an_atlas_places_named_regions_by_name(tmp_path):
    xcp_d_relmat(tmp_path)
    atlas = tmp_path / "atlas.csv"
    lines = [f"{name},{i},0,1" for i, name in enumerate(reversed(REGIONS))]
    atlas.write_text("\n".join(["label,x,y,z", "Cerebellum,9,9,9", *lines]))
    graphs, _ = read_cohort(tmp_path, atlas=atlas)
    assert graphs.node_coordinates[:, 0].tolist() == [4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "index\tname\n1\tA\n2\tB\n",
            r"one row per region: .*atlas.tsv has 2 regions, but .*relmat.tsv has 5",
        ),
        ("number\tword\n1\tA\n", "roi, node, roi name, or x, y and z, but has number, word"),
        ("name\nA\nA\nB\nC\nD\n", "regions must have different names, but 'A' appears twice"),
        ("name\tx\ty\tz\nA\t1\t2\tn/a\nB\t1\t2\t3\n", "columns x, y, z must be numbers"),
    ],
)
def test_wrong_atlas_tables(tmp_path, text, message):
    (tmp_path / "giga").mkdir()
    giga_connectome_relmat(tmp_path / "giga")
    (tmp_path / "atlas.tsv").write_text(text)
    refused(message, tmp_path / "giga", atlas=tmp_path / "atlas.tsv")


def test_several_files_of_a_subject_need_a_choice(tmp_path):
    xcp_d_relmat(tmp_path, run="01")
    expected = xcp_d_relmat(tmp_path, matrices=np.stack([np.eye(5)] * 4), run="02")
    refused(r'4 subjects have several; .* select={"run": "01"} or select={"run": "02"}', tmp_path)
    graphs, _ = read_cohort(tmp_path, select={"run": "2"})
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)
    assert graphs.provenance["select"] == {"run": "2"}
    refused(r"run=3 leaves none; there is run=01, run=02", tmp_path, select={"run": "3"})
    refused(r"'walk' is none of sub, task, space, atlas, run, stat", tmp_path, select={"walk": "3"})


def test_all_subjects_need_the_same_atlas(tmp_path):
    xcp_d_relmat(tmp_path)
    old = file_of(tmp_path, "sub-10")
    old.rename(old.with_name(old.name.replace("4S156Parcels", "Gordon")))
    refused(r"the same atlas, but there is 4S156Parcels, Gordon. Choose one with", tmp_path)


def edited(table, **changes):
    return table.rename(index=changes, columns=changes)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda t: t.iloc[:-1, :-1],
            r"sub-02.*relmat.tsv lacks 1 region \(Amygdala\), compared with .*sub-01",
        ),
        (
            lambda t: edited(t, Amygdala="Insula"),
            r"lacks 1 region \(Amygdala\) and adds 1 region \(Insula\), .*Drop these regions",
        ),
        (
            lambda t: edited(t, Amygdala="RH_Vis_1"),
            "different names, but 'RH_Vis_1' appears twice. Rename or",
        ),
        (
            lambda t: t.rename(columns={"Amygdala": "Insula"}),
            "same names, but 'Amygdala' is on one side only",
        ),
        (lambda t: t.iloc[:-1], "must be square, but it has 4 rows of numbers and 6 columns"),
        (lambda t: t * 2, r'on the diagonal, but there is 2.0. .* add values="fisher_z"'),
        (
            lambda t: t + np.triu(np.ones((5, 5)), 1) * 0.2,
            r"sub-02.*must be symmetric, but LH_Default_PFC_1--LH_Vis_1 is .* in one direction and",
        ),
        (
            lambda t: t.where(np.outer(t.index != "Amygdala", t.columns != "Amygdala")),
            r'for 4 edges in 1 of 4 graphs; region Amygdala has none in .*sub-02.* missing="absent"',
        ),
    ],
)
def test_broken_matrices(tmp_path, edit, message):
    xcp_d_relmat(tmp_path)
    file = file_of(tmp_path, "sub-02")
    edit(pd.read_csv(file, sep="\t", index_col="Node")).to_csv(file, sep="\t", na_rep="n/a")
    refused(message, tmp_path)


def test_what_the_numbers_are_must_be_known(tmp_path):
    xcp_d_relmat(tmp_path)
    for subject in SUBJECTS:
        file = file_of(tmp_path, subject)
        file.rename(file.with_name(file.name.replace("pearsoncorrelation", "covariance")))
    refused(r"'covariance' is not a known measure. State it with values", tmp_path)
    assert read_cohort(tmp_path, values="correlation")[0].n_graphs == 4


def test_a_file_that_is_cut_short_is_named_with_its_line(tmp_path):
    xcp_d_relmat(tmp_path)
    file = file_of(tmp_path, "sub-03")
    file.write_bytes(file.read_bytes()[:-60])
    refused(r"sub-03_.*relmat.tsv, line 6: every row must have as many cells", tmp_path)
