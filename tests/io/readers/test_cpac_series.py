"""C-PAC and ABIDE Preprocessed: headers, names by an atlas, subjects without a file, what is refused."""

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


def test_the_table_of_subjects(folder):
    table = folder / "Phenotypic_V1_0b_preprocessed1.csv"
    graphs, _ = read_cohort(folder, participants=table, id_column="FILE_ID")
    assert graphs.participants["SITE_ID"].tolist() == ["CALTECH", "KKI", "NYU", "UCLA_1"]
    assert graphs.participants["COMORBIDITY"].tolist() == ["ADHD, phobia"] * 4
    assert graphs.provenance["left_out"] == {"FILE_ID no_filename": ["line 3", "line 4"]}
    refused(r"FILE_ID could. Name it with id_column", folder, participants=table)


@pytest.mark.parametrize(
    ("header", "names"), [("\t".join(AAL_NUMBERS) + "\n", AAL_NUMBERS), ("", tuple("01234"))]
)
def test_headers_without_signs_and_no_headers(tmp_path, header, names):
    expected = abide_pcp(tmp_path)
    for file in tmp_path.rglob("*.1D"):
        file.write_text(header + file.read_text().split("\n", 1)[1])
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == names
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
    message = r"aal.tsv: the column index must hold different whole numbers, since"
    refused(message, folder, atlas=atlas)


def test_two_strategies_need_a_choice(folder):
    abide_pcp(folder, random_series(20), "cpac/nofilt_noglobal/rois_aal")
    refused(
        r"4 subjects have several; Caltech_0051456 has 2 files.*Choose: "
        r'select={"strategy": "filt_global"} or select={"strategy": "nofilt_noglobal"}',
        folder,
    )
    assert read_cohort(folder, select={"strategy": "filt_global"})[0].graph_ids == ABIDE_IDS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#2001\t", "Time\t", r"line 1: the header must number the regions, #2001.*'Time'"),
        ("#2002", "#2001", "regions must have different names, but '2001' appears twice"),
        ("#2002", "#2003", r"lacks 1 region \(2003\) and adds 1 region \(2002\)"),
        ("\n", "\nx", "Caltech_0051456_rois_aal.1D, line 2: column #2001 must be a number, but is 'x"),
        ("#2002", "#", r"#2001 and so on, or be left out, but begins with '#2001'"),
    ],
)
def test_broken_files(folder, old, new, message):
    file = min(folder.rglob("*.1D"))
    file.write_text(file.read_text().replace(old, new, 1))
    refused(message, folder)
