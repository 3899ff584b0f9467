"""Subjects and regions without values: what is refused, absent or dropped, against the definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from layouts_labs import npy_matrices
from layouts_tools import ABIDE_IDS, abide_pcp, xcp_d_timeseries
from made_up import REGIONS, random_series, refused

from dugraph import read_cohort
from dugraph.cli import main
from dugraph.exceptions import InputError
from dugraph.io import from_array

V = 4
ROWS, COLUMNS = np.tril_indices(V, -1)


@st.composite
def arrays(draw):
    """Some matrices of which some entries, and some whole regions, are missing."""
    n = draw(st.integers(2, 5))
    array = np.full((n, V, V), 0.5) + np.eye(V) / 2
    for i, v in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, V - 1)), max_size=3)):
        array[i, v] = array[i, :, v] = np.nan
    for i, e in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 5)), max_size=2)):
        array[i, ROWS[e], COLUMNS[e]] = array[i, COLUMNS[e], ROWS[e]] = np.nan
    return array


def lacking(*regions_of):
    """Matrices of which these regions are missing, one set of them per graph."""
    array = np.full((len(regions_of), V, V), 0.5) + np.eye(V) / 2
    for i, regions in enumerate(regions_of):
        array[i, regions] = array[i, :, regions] = np.nan
    return array


@example(lacking([1, 2], [0]), "drop-regions", 1.0)  # one region stays, and no edge
@given(arrays(), st.sampled_from(["refuse", "absent", "drop-regions", "drop-subjects"]), st.floats(0, 1))
@settings(max_examples=150)
def test_what_stays_is_what_the_definition_says(array, rule, limit):
    edges = array[:, ROWS, COLUMNS]
    gone = np.isnan(edges)
    # A region is missing in a graph if all of its edges are.
    touches = [(v == ROWS) | (v == COLUMNS) for v in range(V)]
    whole = np.array([[gone[i, touch].all() for touch in touches] for i in range(len(array))])
    dropped = whole.any(axis=0) if rule == "drop-regions" else np.zeros(V, dtype=bool)
    inside = ~(dropped[ROWS] | dropped[COLUMNS])
    share = {
        "refuse": 1.0 if gone.any() else 0.0,
        "absent": gone.mean(),
        "drop-regions": dropped.mean(),
        "drop-subjects": gone.any(axis=1).mean(),
    }[rule]
    words = {} if rule == "refuse" else {"max_missing": limit}
    refused = share == 1 if rule != "absent" else False
    refused |= rule == "refuse" and gone.any()
    refused |= rule != "refuse" and share > limit
    refused |= rule == "drop-regions" and (gone[:, inside].any() or dropped.sum() > V - 2)
    if refused:
        with pytest.raises(InputError):
            from_array(array, missing=rule, **words)
        return
    graphs, _ = from_array(array, missing=rule, **words)
    kept = ~gone.any(axis=1) if rule == "drop-subjects" else np.ones(len(array), dtype=bool)
    assert graphs.graph_ids == tuple(str(i + 1) for i in np.flatnonzero(kept))
    assert graphs.node_labels == tuple(str(v) for v in np.flatnonzero(~dropped))
    np.testing.assert_array_equal(graphs.edge_probability, np.nan_to_num(edges)[kept][:, inside])
    if gone.any():
        assert graphs.provenance["n_graphs_with_missing"] == gone.any(axis=1).sum()
        assert graphs.provenance["n_missing"] == gone.sum()


def flat(regions_of):
    """Series in which some regions of some subjects never change."""
    series = random_series(8)
    for i, regions in regions_of.items():
        series[i][:, regions] = 7.0
    return series


def test_regions_and_subjects_that_lack_most_are_listed(tmp_path, capsys):
    xcp_d_timeseries(tmp_path / "x", flat({1: [2], 3: [2, 4]}))
    with pytest.raises(InputError) as error:
        read_cohort(tmp_path / "x")
    first, *table = str(error.value).split("\n")
    ways = 'missing="absent" or missing="drop-regions" or missing="drop-subjects".'
    assert first.endswith(f"Correct the files, or choose how to treat such edges: {ways}")
    assert table == [
        "  region    lacks",
        "  RH_Vis_1  2 subjects",
        "  Amygdala  1 subject",
        "  subject  lacks",
        "  sub-10   2 regions",
        "  sub-02   1 region",
    ]
    assert main(["convert", str(tmp_path / "x"), "-o", str(tmp_path / "c.npz")]) == 1
    shown = capsys.readouterr().err.splitlines()
    assert "--missing absent or --missing drop-regions or --missing drop-subjects." in shown[0]
    assert shown[1:] == table


def test_dropped_regions_leave_the_others_as_they_are(tmp_path):
    expected = xcp_d_timeseries(tmp_path, flat({1: [2], 3: [2]}))
    words = {"missing": "drop-regions", "max_missing": 0.2}
    graphs, _ = read_cohort(tmp_path, **words)
    assert graphs.node_labels == tuple(name for name in REGIONS if name != "RH_Vis_1")
    kept = [0, 1, 3, 4]
    rows, columns = np.tril_indices(4, -1)
    among = expected.matrices[:, kept][:, :, kept][:, rows, columns]
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(among, 0), atol=1e-12)
    assert graphs.provenance["dropped_regions"] == ["RH_Vis_1"]
    message = "^The share of dropped regions must be at most 0.1, but would be 0.2. Raise it, or"
    refused(message, tmp_path, missing="drop-regions")


def test_abide_with_incomplete_subjects(tmp_path):
    expected = abide_pcp(tmp_path, flat({1: [2]}))
    table = tmp_path / expected.participants
    words = {"participants": table, "id_column": "FILE_ID", "positive": "1", "missing": "drop-subjects"}
    graphs, y = read_cohort(tmp_path, **words, max_missing=0.25)
    assert graphs.graph_ids == (ABIDE_IDS[0], *ABIDE_IDS[2:])
    assert y.tolist() == [1, 1, 0]
    assert graphs.participants["SITE_ID"].tolist() == ["CALTECH", "NYU", "UCLA_1"]
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges[[0, 2, 3]], 0), atol=1e-12)
    assert graphs.provenance["dropped_subjects"] == [ABIDE_IDS[1]]
    assert graphs.provenance["incomplete_by_class"] == "1 0 of 2, 2 1 of 2"
    assert graphs.provenance["incomplete_by_site"] == "KKI 1 of 1"
    assert "caution" not in graphs.provenance
    refused(r"dropped subjects must be at most 0.1, but would be 0.25", tmp_path, **words)


def test_an_unequal_share_is_said_to_be_a_confound():
    rng = np.random.default_rng(0)
    array = np.full((60, 3, 3), 0.5) + np.eye(3) / 2
    array[:12, 0, 1] = array[:12, 1, 0] = np.nan
    group = np.array(["patient"] * 30 + ["control"] * 30)
    site = rng.permuted(np.array(["a", "b", "c"] * 20))
    table = pd.DataFrame({"id": [f"s{i}" for i in range(60)], "group": group, "Site": site})
    for rule, n in (("absent", 60), ("drop-subjects", 48)):
        graphs, _ = from_array(array, table, missing=rule, max_missing=0.3)
        assert graphs.n_graphs == n
        assert graphs.provenance["incomplete_by_class"] == "control 0 of 30, patient 12 of 30"
        # Fisher's exact test of 12 of 30 and 0 of 30.
        caution = "the shares of incomplete subjects differ between classes (p = 0.00012)"
        assert graphs.provenance["caution"].startswith(caution)
    equal = array.copy()
    equal[:12], equal[24:36] = array[12:24], array[:12]
    graphs, _ = from_array(equal, table, missing="absent")
    assert graphs.provenance["incomplete_by_class"] == "control 6 of 30, patient 6 of 30"
    assert "classes" not in graphs.provenance.get("caution", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"max_missing": 0.1}, r"must be left out unless something may be dropped or absent\. Add"),
        ({"missing": "absent", "max_missing": 5.0}, r"must be a share from 0 to 1, but is 5\.0\.$"),
    ],
)
def test_words_that_do_not_fit(tmp_path, words, message):
    npy_matrices(tmp_path)
    refused("^max_missing " + message, tmp_path, **words)


def test_a_class_must_stay(tmp_path):
    xcp_d_timeseries(tmp_path, flat({0: [1], 2: [1]}))
    words = {"participants": tmp_path / "participants.tsv", "missing": "drop-subjects", "max_missing": 0.5}
    message = "^Every class must keep at least one subject with all values, but one class keeps none"
    refused(message, tmp_path, **words)


@pytest.mark.parametrize("method", ["positive", "absolute", "fisher", "rank"])
def test_an_absent_edge_has_probability_0_by_every_method(method):
    array = lacking([0], [])
    graphs, _ = from_array(array, missing="absent", probability=method, n_timepoints=20)
    assert graphs.edge_probability[0, COLUMNS == 0].tolist() == [0.0] * 3
    assert (graphs.edge_probability[1] > 0).all()
