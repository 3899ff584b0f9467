"""Data sets of nilearn: what the fetchers return, made by hand with their keys, tables and names."""

import numpy as np
import pandas as pd
import pytest
from made_up import REGIONS, correlations, random_series, refused
from sklearn.utils import Bunch

from dugraph import from_nilearn, read_cohort

FILE_IDS = ["Pitt_0050003", "Pitt_0050004", "NYU_0050952", "UCLA_1_0051201"]
ADHD_IDS = ["0010042", "0010064", "1018959", "2014113"]


def abide(seed=40, **changes):
    """As fetch_abide_pcp(derivatives=["rois_aal"]) gives it."""
    numbers = [50003, 50004, 50952, 51201]
    columns = {"i": range(4), "SUB_ID": numbers, "subject": numbers}
    columns |= {"SITE_ID": ["PITT", "PITT", "NYU", "UCLA_1"], "FILE_ID": FILE_IDS}
    columns |= {"DX_GROUP": [1, 1, 2, 2], "AGE_AT_SCAN": [24.45, 19.0, np.nan, 11.5]}
    table = pd.DataFrame(columns, index=[1, 2, 301, 700])  # filters of the fetcher leave gaps
    return Bunch(**{"description": "...", "phenotypic": table, "rois_aal": random_series(seed), **changes})


def adhd(**changes):
    """As fetch_adhd gives it: images in the order of ids, the table in another one."""
    func = [f"/data/adhd/data/{i}/{i}_rest_tshift_RPI_voreg_mni.nii.gz" for i in ADHD_IDS]
    table = pd.DataFrame({"Subject": ADHD_IDS[::-1], "site": list("NNPP"), "adhd": [0, 1, 0, 1]})
    confounds = [f"/data/adhd/data/{i}/{i}_regressors.csv" for i in ADHD_IDS]
    parts = {"func": func, "confounds": confounds, "phenotypic": table, "description": "...", "t_r": 2.0}
    return Bunch(**parts | changes)


def positive_edges(series):
    return np.maximum(correlations(series)[:, *np.tril_indices(5, -1)], 0)


def test_abide():
    bunch = abide()
    graphs, y = from_nilearn(bunch, node_labels=REGIONS)
    np.testing.assert_allclose(graphs.edge_probability, positive_edges(bunch.rois_aal), atol=1e-14)
    assert graphs.graph_ids == tuple(FILE_IDS)
    assert graphs.node_labels == REGIONS
    assert y.tolist() == [1, 1, 0, 0]  # 1 is autism
    assert graphs.participants["SITE_ID"].tolist() == ["PITT", "PITT", "NYU", "UCLA_1"]
    np.testing.assert_array_equal(graphs.participants["AGE_AT_SCAN"], [24.45, 19.0, np.nan, 11.5])
    assert (graphs.provenance["source"], graphs.provenance["series"]) == ("nilearn", "rois_aal")
    assert from_nilearn(bunch, positive="2")[1].tolist() == [0, 0, 1, 1]
    assert from_nilearn(bunch, negative="1")[1].tolist() == [0, 0, 1, 1]


def test_white_space_removed_from_the_table_is_recorded():
    bunch = abide()
    bunch.phenotypic["SITE_ID"] = ["PITT ", "PITT", "NYU", "UCLA_1"]
    graphs, _ = from_nilearn(bunch)
    assert graphs.participants["SITE_ID"].tolist() == ["PITT", "PITT", "NYU", "UCLA_1"]
    assert graphs.provenance["white_space"] == "removed around 1 value (SITE_ID 1)"


def test_it_is_what_the_files_give(tmp_path):
    # Sorted as the files are: the random numbers go with the place of a graph.
    bunch, order = abide(), np.argsort(FILE_IDS)
    bunch.phenotypic, bunch.rois_aal = bunch.phenotypic.iloc[order], [bunch.rois_aal[i] for i in order]
    for file_id, one in zip(bunch.phenotypic["FILE_ID"], bunch.rois_aal, strict=True):
        np.savetxt(tmp_path / f"{file_id}_rois_aal.1D", one, delimiter="\t", fmt="%.18e")
    words = {"probability": "bootstrap", "threshold": 0.2, "random_state": 7}
    files, _ = read_cohort(tmp_path, **words)
    graphs, _ = from_nilearn(bunch, **words)
    assert graphs.graph_ids == files.graph_ids
    np.testing.assert_array_equal(graphs.edge_probability, files.edge_probability)


def test_record_arrays_of_bytes():
    table = abide().phenotypic[["FILE_ID", "DX_GROUP", "AGE_AT_SCAN"]]
    types = {"FILE_ID": "S20", "DX_GROUP": "<f8"}
    graphs, y = from_nilearn(abide(phenotypic=table.to_records(index=False, column_dtypes=types)))
    assert graphs.graph_ids == tuple(FILE_IDS)
    assert y.tolist() == [1, 1, 0, 0]
    np.testing.assert_array_equal(graphs.participants["DX_GROUP"], [1, 1, 2, 2])


def test_adhd_images_need_series_and_are_paired_by_name():
    message = r"but has images: func, .*NiftiLabelsMasker\(labels_img\).fit_trans"
    refused(message, adhd(), by=from_nilearn)
    series = random_series(41)
    graphs, y = from_nilearn(adhd(), series=series)
    assert graphs.graph_ids == tuple(ADHD_IDS)
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.participants["site"].tolist() == ["P", "P", "N", "N"]
    np.testing.assert_allclose(graphs.edge_probability, positive_edges(series), atol=1e-14)
    assert graphs.provenance["series"] == "series"


def test_abide_images_with_series():
    images = [f"/x/{one}_func_preproc.nii.gz" for one in FILE_IDS]
    bunch = abide(func_preproc=images[::-1])
    graphs, y = from_nilearn(bunch, series=bunch.pop("rois_aal"))
    assert graphs.graph_ids == tuple(FILE_IDS[::-1])
    assert y.tolist() == [0, 0, 1, 1]


def test_two_atlases_need_a_choice():
    bunch = abide(rois_cc200=random_series(42))
    message = "one of the series in the bunch, rois_aal, rois_cc200, but derivative is "
    refused(message + "l", bunch, by=from_nilearn)
    refused(message + "'rois_ho'", bunch, by=from_nilearn, derivative="rois_ho")
    graphs, _ = from_nilearn(bunch, derivative="rois_cc200")
    np.testing.assert_allclose(graphs.edge_probability, positive_edges(bunch.rois_cc200), atol=1e-14)


def with_column(name, values):
    return abide(phenotypic=abide().phenotypic.assign(**{name: values}))


SERIES = random_series()
SHAPE = r"rois_aal\[0\]: a series must have the shape .* but has \(30,\)"
NAMES = r"rois_aal\[0\]: every region needs one name, but there are 2"
TEXT = r"bunch.rois_aal\[0\]: a series must be an array of numbers, but is a"
SHORT = r"rois_aal\[0\]: a series needs at least 3 time points"


@pytest.mark.parametrize(
    ("bunch", "words", "message"),
    [
        ([1, 2], {}, "bunch must be what fetch_abide_pcp or fetch_adhd returns, .* but is list"),
        (Bunch(func=["a"]), {}, "with the key phenotypic, but is Bunch with func"),
        (abide(phenotypic="table.csv"), {}, "must be a table with one row per subject, .* but is str"),
        (abide(rois_aal=SERIES[:3]), {}, "bunch.rois_aal has 3, but the bunch has 4 subjects"),
        (abide(rois_aal=["a.1D"] * 4), {}, TEXT),
        (abide(rois_aal=np.zeros((4, 30))), {}, SHAPE),
        (abide(rois_aal=np.zeros((4, 2, 5))), {}, SHORT),
        (abide(), {"node_labels": ["a", "b"]}, NAMES),
        (
            abide(),
            {"group_column": "dx"},
            "group_column must name a column, but 'dx' is not one of i, SUB_ID",
        ),
        (
            with_column("DX_GROUP", 2),
            {},
            r"positive must name a group, but '1' is not one of 2 \(4 subjects\)",
        ),
        (with_column("FILE_ID", "NYU_1"), {}, "a subject must have one row, but NYU_1 is in line 0 too"),
        (adhd(func=["a.nii"] * 4), {"series": SERIES}, "must be named after their subjects, as nilearn"),
        (adhd(), {"series": SERIES[:2]}, "series has 2, but the bunch has 4 subjects. Give them in the"),
    ],
)
def test_broken_bunches(bunch, words, message):
    refused(message, bunch, by=from_nilearn, **words)
