"""BIDS derivatives with series: correlations against NumPy, the estimators themselves, what is refused."""

import numpy as np
import pytest
from layouts_tools import giga_connectome_timeseries, xcp_d_relmat, xcp_d_timeseries
from made_up import random_series, refused
from scipy.stats import pearsonr

from dugraph import TimeSeriesEdgeProbability, read_cohort


def test_series_become_correlations(tmp_path):
    expected = xcp_d_timeseries(tmp_path)
    graphs, _ = read_cohort(tmp_path)
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)
    assert graphs.provenance["values"] == "series"
    assert graphs.provenance["negative_values"] == (expected.edges < 0).sum()
    absolute, _ = read_cohort(tmp_path, probability="absolute", threshold=0.3)
    strong = np.where(np.abs(expected.edges) >= 0.3, np.abs(expected.edges), 0)
    np.testing.assert_allclose(absolute.edge_probability, strong, atol=1e-14)


def test_fisher_knows_the_length_of_each_series(tmp_path):
    expected = xcp_d_timeseries(tmp_path)
    graphs, _ = read_cohort(tmp_path, probability="fisher")
    rows, columns = np.tril_indices(5, -1)
    for probability, series in zip(graphs.edge_probability, expected.series, strict=True):
        p_values = pearsonr(series[:, rows], series[:, columns], alternative="greater", axis=0).pvalue
        np.testing.assert_allclose(probability, 1 - p_values, atol=1e-10)


def test_bootstrap_is_the_estimator(tmp_path):
    expected = giga_connectome_timeseries(tmp_path)
    words = {"threshold": 0.2, "random_state": 3}
    graphs, _ = read_cohort(tmp_path, probability="bootstrap", **words)
    step = TimeSeriesEdgeProbability("bootstrap", **words)
    np.testing.assert_array_equal(graphs.edge_probability, step.fit_transform(expected.series))
    assert (words | {"probability": "bootstrap"}).items() <= graphs.provenance.items()


@pytest.mark.parametrize("value", [np.nan, 7.0], ids=["missing", "constant"])
@pytest.mark.parametrize("probability", ["positive", "bootstrap"])
def test_a_region_without_signal(tmp_path, value, probability):
    series = random_series(3)
    series[1][:, 2] = value
    xcp_d_timeseries(tmp_path, series)
    message = "for 4 edges in 1 of 4 graphs; region RH_Vis_1 has none in .*sub-02"
    refused(message, tmp_path, probability=probability)
    graphs, _ = read_cohort(tmp_path, probability=probability, missing="absent")
    touched = (graphs.edges == 2).any(axis=1)
    assert (graphs.edge_probability[1, touched] == 0).all()
    assert (graphs.edge_probability[1, ~touched] > 0).any()
    assert (graphs.provenance["n_missing"], graphs.provenance["missing"]) == (4, "absent")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s[:2], "a series needs at least 3 time points, but has 2. Rows are time points"),
        (lambda s: np.where(np.arange(len(s))[:, None] == 4, np.nan, s), r"LH_Vis_1 is nan at time point 5"),
        (lambda s: s * 1e120, r"a series must be finite, but region LH_Vis_1 is .*e\+1"),
    ],
)
def test_broken_series(tmp_path, change, message):
    series = random_series(3)
    series[2] = change(series[2])
    xcp_d_timeseries(tmp_path, series)
    refused(message, tmp_path)


PROBABILITIES = "for series it may be positive, signed, absolute, fisher, rank, bootstrap, but is"
MISSING = "missing must be refuse, absent, drop-regions or drop-subjects, but is 'drop'"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"probability": "fraction"}, PROBABILITIES),
        ({"probability": "bootstrap", "density": 0.5}, 'left out with probability="bootstrap"'),
        ({"missing": "drop"}, MISSING),
        ({"threshold": 3.0}, "threshold must be a number from 0 to 1"),
    ],
)
def test_words_that_do_not_fit(tmp_path, words, message):
    xcp_d_timeseries(tmp_path)
    refused(message, tmp_path, **words)


def test_matrices_and_series_in_one_folder_need_a_choice(tmp_path):
    xcp_d_relmat(tmp_path)
    xcp_d_timeseries(tmp_path)
    refused(r'2 do: bids-relmat \(4 files .* Name one with format="bids-relmat" or', tmp_path)
    assert read_cohort(tmp_path, format="bids-timeseries")[0].provenance["format_reason"] == "as requested"


def test_confounds_are_no_regions(tmp_path):
    (tmp_path / "sub-01_desc-confounds_timeseries.tsv").write_text("csf\n1\n")
    message = r"named .*sub-\*_atlas-\*_timeseries.tsv .* none among 1 file \(1 .tsv\)"
    refused(message, tmp_path, format="bids-timeseries")
