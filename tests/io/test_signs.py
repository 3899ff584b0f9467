"""Negative correlations: their share is reported, and signed layers keep them."""

import numpy as np
import pytest
from made_up import refused

from dugraph import EdgeProbability, load_cohort, signed_edges
from dugraph.cli import main
from dugraph.io import from_array

ROWS, COLUMNS = np.tril_indices(4, -1)


def correlations(missing=False):
    """Five symmetric matrices of four regions, and their edges."""
    edges = np.random.default_rng(0).uniform(-1, 1, (5, 6))
    if missing:
        edges[1, [0, 1, 3]] = np.nan  # all edges of the first region
    array = np.zeros((5, 4, 4)) + np.eye(4)
    array[:, ROWS, COLUMNS] = array[:, COLUMNS, ROWS] = edges
    return array, edges


@pytest.mark.parametrize("words", [{}, {"threshold": 0.3}, {"density": 0.5}])
def test_signed_probabilities_are_those_of_the_transformer(words):
    array, edges = correlations()
    graphs, _ = from_array(array, node_labels=list("ABCD"), probability="signed", **words)
    expected = EdgeProbability(layers="signed", **words).fit_transform(edges)
    np.testing.assert_array_equal(graphs.edge_probability, expected)
    pairs, layers = signed_edges(np.column_stack([ROWS, COLUMNS]))
    np.testing.assert_array_equal(graphs.edges, pairs)
    assert graphs.edge_layers == layers
    share = f"{100 * (edges < 0).mean():.2g} % of the values are negative and become"
    assert graphs.provenance["signs"] == f"{share} negative links"
    assert from_array(array, **words)[0].provenance["signs"] == f"{share} 0"
    assert "signs" not in from_array(np.abs(array))[0].provenance
    assert "signs" not in from_array(array, probability="absolute")[0].provenance


def test_signed_layers_with_missing_values():
    array, edges = correlations(missing=True)
    absent, _ = from_array(array, probability="signed", missing="absent")
    np.testing.assert_array_equal(absent.edge_probability[:, 1::2], np.nan_to_num(edges).clip(0))
    np.testing.assert_array_equal(absent.edge_probability[:, ::2], (-np.nan_to_num(edges)).clip(0))
    dropped, _ = from_array(array, probability="signed", missing="drop-regions", max_missing=0.5)
    assert dropped.node_labels == ("1", "2", "3")
    np.testing.assert_array_equal(dropped.edge_probability[:, 1::2], edges[:, [2, 4, 5]].clip(0))
    assert dropped.edge_name(0) == "1--2 [negative]"


def test_on_the_command_line(tmp_path, capsys):
    array, edges = correlations()
    for i, matrix in enumerate(array):
        np.savetxt(tmp_path / f"s{i}.txt", matrix)
    output = str(tmp_path / "c.npz")
    assert main(["convert", str(tmp_path), "-o", output]) == 0
    out = capsys.readouterr().out
    share = f"{100 * (edges < 0).mean():.2g} %"
    assert f"{share} of the values are negative and become 0. To keep them, conv" in out
    assert "--probability signed" in out
    assert "--probability absolute" in out
    assert main(["convert", str(tmp_path), "--probability", "signed", "-o", output]) == 0
    assert "To keep them" not in capsys.readouterr().out
    graphs, _ = load_cohort(output)
    np.testing.assert_allclose(graphs.edge_probability[:, 1::2], edges.clip(0), atol=1e-15)
    assert set(graphs.edge_layers) == {"negative", "positive"}


def test_signs_need_correlations():
    message = "for count it may be fraction, largest, rank, but is 'signed'"
    counts = np.ones((2, 3, 3)) - np.eye(3)
    refused(message, counts, by=from_array, values="count", probability="signed")
