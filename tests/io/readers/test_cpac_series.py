"""C-PAC and ABIDE Preprocessed: round trip, names by an atlas, subjects without a file, what is refused."""

import numpy as np
import pytest
from layouts_tools import AAL_NUMBERS, ABIDE_IDS, abide_pcp
from made_up import random_series, refused

from dugraph import read_cohort

NAMES = ("Precentral_L", "Precentral_R", "Frontal_Sup_L", "Frontal_Sup_R", "Frontal_Sup_Orb_L")


@pytest.fixture
def folder(tmp_path):
    abide_pcp(tmp_path)
    return tmp_path


def table_of(folder):
    return {"participants": folder / "Phenotypic_V1_0b_preprocessed1.csv", "id_column": "FILE_ID"}


def test_round_trip(tmp_path):
    expected = abide_pcp(tmp_path)
    graphs, y = read_cohort(tmp_path, **table_of(tmp_path), positive="1")
    assert graphs.provenance["format"] == "cpac-series"
    assert graphs.graph_ids == ABIDE_IDS
    assert graphs.node_labels == AAL_NUMBERS
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.participants["SITE_ID"].tolist() == ["CALTECH", "KKI", "NYU", "UCLA_1"]
    assert graphs.participants["COMORBIDITY"].tolist() == ["ADHD, phobia"] * 4


def test_subjects_without_a_file_are_left_out_with_their_lines(folder):
    graphs, _ = read_cohort(folder, **table_of(folder))
    assert graphs.provenance["left_out"] == {"FILE_ID no_filename": ["line 3", "line 4"]}


def test_numbers_alone_are_a_header_too(tmp_path):
    expected = abide_pcp(tmp_path)
    for file in tmp_path.rglob("*.1D"):
        file.write_text(file.read_text().replace("#", ""))
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == AAL_NUMBERS
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)


def test_the_same_series_without_a_header_have_no_names(tmp_path):
    expected = abide_pcp(tmp_path)
    for file in tmp_path.rglob("*.1D"):
        file.write_text("".join(file.read_text().splitlines(keepends=True)[1:]))
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == ("0", "1", "2", "3", "4")
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)


def test_an_atlas_names_numbers_by_its_index(folder, tmp_path_factory):
    atlas = tmp_path_factory.mktemp("atlas") / "aal.tsv"
    rows = [f"{n}\t{name}\t{i}\t0\t-1" for i, (n, name) in enumerate(zip(AAL_NUMBERS, NAMES, strict=True))]
    # In another order, and with a region that the files lack.
    atlas.write_text("\n".join(["index\tname\tx\ty\tz", "9170\tVermis_10\t0\t0\t0", *reversed(rows)]))
    graphs, _ = read_cohort(folder, atlas=atlas)
    assert graphs.node_labels == NAMES
    assert graphs.node_coordinates[:, 0].tolist() == [0, 1, 2, 3, 4]
    atlas.write_text("\n".join(["index\tname", *(f"{i}\t{name}" for i, name in enumerate(NAMES, 1))]))
    refused(r"aal.tsv lacks 2001, 2002, .*_rois_aal.1D in its column index. Give", folder, atlas=atlas)
    atlas.write_text("\n".join(["index\tname", *(f"2001\t{name}" for name in NAMES)]))
    refused(r"aal.tsv: the column index must hold different whole numbers, since", folder, atlas=atlas)


def test_two_strategies_need_a_choice(folder):
    abide_pcp(folder, random_series(20), "cpac/nofilt_noglobal/rois_aal")
    refused(
        r"4 subjects have several; Caltech_0051456 has 2 files.*Choose: "
        r'select={"strategy": "filt_global"} or select={"strategy": "nofilt_noglobal"}',
        folder,
    )
    graphs, _ = read_cohort(folder, select={"strategy": "filt_global"})
    assert graphs.graph_ids == ABIDE_IDS


def first_file(folder):
    return min(folder.rglob("*.1D"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.replace("#2001\t", "Time\t"),
            r"line 1: the header must number the regions, #2001.*'Time'",
        ),
        (
            lambda t: t.replace("#2002", "#2001"),
            "regions must have different names, but '2001' appears twice",
        ),
        (lambda t: t.replace("#2002", "#2003"), r"lacks 1 region \(2003\) and adds 1 region \(2002\)"),
        (
            lambda t: t[: t.rindex("\t")] + "\n",
            r"Caltech_0051456_rois_aal.1D, line 31: every row must have as",
        ),
        (lambda t: t.replace("\n", "\nx", 1), "line 2: column #2001 must be a number, but is 'x"),
        (lambda t: t.replace("#2002", "#"), r"#2001 and so on, or be left out, but begins with '#2001'"),
    ],
)
def test_broken_files(folder, change, message):
    file = first_file(folder)
    file.write_text(change(file.read_text()))
    refused(message, folder)


def test_two_columns_may_hold_the_ids(folder):
    refused(r"FILE_ID could. Name it with id_column", folder, participants=table_of(folder)["participants"])
