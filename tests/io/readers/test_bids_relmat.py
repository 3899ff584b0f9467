"""BIDS derivatives with one matrix per subject: any order of regions, atlases, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts_tools import giga_connectome_relmat, xcp_d_relmat
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


def test_numbered_regions_get_names_and_places_from_the_atlas(tmp_path):
    giga_connectome_relmat(tmp_path)
    assert read_cohort(tmp_path)[0].node_labels == ("0", "1", "2", "3", "4")
    atlas = tmp_path / "atlas-MIST_dseg.tsv"
    graphs, _ = read_cohort(tmp_path, atlas=atlas)
    assert graphs.node_coordinates.tolist() == [[i + 0.5, -i, 0] for i in range(1, 6)]
    assert graphs.provenance["atlas"] == "atlas-MIST_dseg.tsv"
    # The background is no region, but index 0 may be one.
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


SHORT = "one row per region: .*atlas.tsv has 2 regions, but .*relmat.tsv has 5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("index\tname\n1\tA\n2\tB\n", SHORT),
        ("number\tword\n1\tA\n", "roi, node, roi name, or x, y and z, but has number, word"),
        ("name\nA\nA\nB\nC\nD\n", "regions must have different names, but 'A' appears twice"),
        ("name\tx\ty\tz\nA\t1\t2\tn/a\nB\t1\t2\t3\n", "columns x, y, z must be numbers"),
        ("name\tx\ty\tz\nA\t1\t2\tinf\nB\t1\t2\t3\n", "columns x, y, z must be finite"),
    ],
)
def test_wrong_atlas_tables(tmp_path, text, message):
    giga_connectome_relmat(tmp_path / "giga")
    (tmp_path / "atlas.tsv").write_text(text)
    refused(message, tmp_path / "giga", atlas=tmp_path / "atlas.tsv")


def called(name):
    return lambda table: table.rename(index={"Amygdala": name}, columns={"Amygdala": name})


def column_called(name):
    return lambda table: table.rename(columns={"Amygdala": name})


def asymmetric(table):
    return table + np.triu(np.ones((5, 5)), 1) * 0.2


def without_values(table):
    return table.where(np.outer(table.index != "Amygdala", table.columns != "Amygdala"))


LACKS = r"lacks 1 region \(Amygdala\)"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t.iloc[:-1, :-1], rf"sub-02.*relmat.tsv {LACKS}, compared with .*sub-01"),
        (called("Insula"), rf"{LACKS} and adds 1 region \(Insula\), .*Drop these regions"),
        (called("RH_Vis_1"), "different names, but 'RH_Vis_1' appears twice. Rename or"),
        (column_called("Insula"), "same names, but 'Amygdala' is on one side only"),
        (lambda t: t.iloc[:-1], "must be square, but it has 4 rows of numbers and 6 columns"),
        (lambda t: t * 2, r'on the diagonal, but there is 2.0. .* add values="fisher_z"'),
        (asymmetric, "sub-02.*must be symmetric, but LH_Default_PFC_1--LH_Vis_1 is .* in one direction and"),
        (without_values, '4 edges in 1 of 4 graphs; region Amygdala has none in .*sub-02.* missing="absent"'),
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
