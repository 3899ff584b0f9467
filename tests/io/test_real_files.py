"""Files as public data sets have them, where they are at hand: DUGRAPH_REAL_FILES, or beside the project."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dugraph import read_cohort
from dugraph.exceptions import InputError

FOLDER = Path(
    os.environ.get("DUGRAPH_REAL_FILES", Path(__file__).parents[3] / "shared" / "data" / "real_files")
)


def real(name: str) -> Path:
    folder = FOLDER / name
    if not folder.exists():
        pytest.skip(f"the real files {name} are not at hand (DUGRAPH_REAL_FILES)")
    return folder


def test_halfpipe_has_no_header():
    folder = real("halfpipe")
    graphs, y = read_cohort(folder)
    assert y is None
    files = sorted(folder.glob("sub-*/func/*.tsv"))
    assert graphs.graph_ids == tuple(file.parts[-3] for file in files)
    assert graphs.n_nodes == 60
    assert graphs.node_labels[:3] == ("0", "1", "2")
    assert graphs.provenance["regions"].startswith("without names in the files: numbered from 0")
    rows, columns = np.tril_indices(60, -1)
    for file, probability in zip(files, graphs.edge_probability, strict=True):
        series = np.loadtxt(file)
        assert len(series) == 152  # the first time point too
        np.testing.assert_allclose(
            probability, np.maximum(np.corrcoef(series, rowvar=False)[rows, columns], 0), atol=1e-12
        )


def test_abide_with_another_atlas_and_its_own_phenotype_table():
    folder = real("abide_ho")
    table = folder / "Phenotypic_V1_0b_preprocessed1.csv"
    words = {"participants": table, "id_column": "FILE_ID", "group_column": "DX_GROUP", "positive": "1"}
    try:
        graphs, y = read_cohort(folder, **words, missing="drop-subjects", max_missing=0.9)
    except InputError as error:
        pytest.fail(str(error))
    phenotypes = pd.read_csv(table, dtype=str).set_index("FILE_ID")
    expected = [int(phenotypes.loc[one, "DX_GROUP"] == "1") for one in graphs.graph_ids]
    assert y.tolist() == expected
    first = next(folder.rglob(f"{graphs.graph_ids[0]}_rois_ho.1D"))
    series = np.loadtxt(first)
    header = first.read_text().split("\n")[0].replace("#", "").split("\t")
    kept = [header.index(label) for label in graphs.node_labels]
    rows, columns = graphs.edges[:, 0], graphs.edges[:, 1]
    r = np.corrcoef(series[:, kept], rowvar=False)
    np.testing.assert_allclose(graphs.edge_probability[0], np.maximum(r[rows, columns], 0), atol=1e-12)


def test_kki_names_its_nodes_in_the_readme():
    folder = real("tu_kki") / "KKI"
    graphs, y = read_cohort(folder)
    labels = [int(line) for line in (folder / "KKI_graph_labels.txt").read_text().split()]
    assert y.tolist() == [int(label == 1) for label in labels]
    assert graphs.n_graphs == len(labels)
    # Node label 0 stands for n_1, 1 for n_187, 168 for n_0: readme.txt.
    assert set(graphs.node_labels) == {f"n_{k}" for k in range(190)}
    assert graphs.node_labels[:3] == ("n_1", "n_187", "n_133")
    assert graphs.provenance["regions_named_by"] == "readme.txt"
    indicator = np.loadtxt(folder / "KKI_graph_indicator.txt", dtype=int)
    edges = np.loadtxt(folder / "KKI_A.txt", dtype=int, delimiter=",") - 1
    n_edges = np.bincount(indicator[edges[:, 0]], minlength=len(labels) + 1)[1:] // 2
    assert (graphs.edge_probability > 0).sum(axis=1).tolist() == n_edges.tolist()
