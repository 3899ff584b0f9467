"""Memory of a cohort: float32 stays float32, and probabilities are stored once."""

import tracemalloc

import numpy as np
import pytest

import dugraph as dg
from dugraph.data import LabelledGraphs
from dugraph.exceptions import InputError
from dugraph.io import connectomes
from dugraph.results.records import RankedSubgraphs


def narrow_cohort(n_graphs=60, n_nodes=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_graphs, n_nodes * (n_nodes - 1) // 2), dtype=np.float32)
    X[:, ::3] **= np.float32(0.2)
    return X, np.arange(n_graphs) % 2


def allocated(call):
    """The most bytes that Python and NumPy had at once beyond what there was, and what the call gives."""
    tracemalloc.start()
    try:
        given = call()
        return tracemalloc.get_traced_memory()[1], given
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """48 MB of probabilities that do not compress."""
    path = tmp_path_factory.mktemp("large") / "cohort.npz"
    X = np.random.default_rng(0).random((4_000, 1_485))
    X[:, 50:] *= 0.1
    dg.save_cohort(path, dg.UncertainGraphs(X), np.arange(len(X)) % 2)
    return path, X


def test_float32_is_held_as_it_is_and_shown_in_float64(tmp_path):
    X, y = narrow_cohort()
    graphs = dg.UncertainGraphs(X)
    assert graphs.raw_probability.dtype == np.float32
    assert graphs.edge_probability.dtype == np.float64
    assert graphs.edge_probability is graphs.edge_probability
    assert np.array_equal(graphs.edge_probability, X.astype(np.float64))
    assert graphs == dg.UncertainGraphs(X.astype(np.float64))
    assert graphs[3:5].raw_probability.dtype == np.float32
    assert np.array_equal(graphs[3:5].edge_probability, X[3:5])
    dg.save_cohort(tmp_path / "cohort.npz", graphs, y)
    with np.load(tmp_path / "cohort.npz") as arrays:
        assert arrays["edge_probability"].dtype == np.float32
    assert dg.load_cohort(tmp_path / "cohort.npz")[0].raw_probability.dtype == np.float32


@pytest.mark.parametrize("measure", ["expectation", "median", "mode", "phi_probability", "frequency"])
@pytest.mark.parametrize("seed", range(3))
def test_float32_gives_the_same_bytes_as_float64(measure, seed):
    X, y = narrow_cohort(seed=seed)
    settings = {"measure": measure, "min_expected_frequency": 0.4, "n_subgraphs": 30}
    narrow, wide = (dg.mine_subgraphs(one, y, **settings) for one in (X, X.astype(np.float64)))
    assert narrow.subgraphs == wide.subgraphs
    assert narrow.values.tobytes() == wide.values.tobytes()
    assert narrow.n_visited == wide.n_visited


def test_float32_gives_the_same_bytes_for_phenotypes_and_thinned_lists():
    X, y = narrow_cohort()
    for labels, settings in (
        (np.linspace(20, 80, len(X)), {}),
        (y, {"max_correlation": 0.5, "n_subgraphs": 5}),
    ):
        narrow, wide = (
            dg.mine_subgraphs(one, labels, min_expected_frequency=0.4, **settings)
            for one in (X, X.astype(np.float64))
        )
        assert narrow.subgraphs == wide.subgraphs
        assert narrow.values.tobytes() == wide.values.tobytes()


def test_a_large_file_is_loaded_and_searched_with_one_copy(large_file):
    path, X = large_file
    peak, (graphs, y) = allocated(lambda: dg.load_cohort(path))
    assert peak < 1.75 * X.nbytes  # the array and two pieces of 16 MB, whatever its size
    assert np.array_equal(graphs.edge_probability, X)
    peak, found = allocated(lambda: dg.mine_subgraphs(graphs, y, min_expected_frequency=0.45, n_subgraphs=5))
    assert peak < 0.2 * X.nbytes
    assert found.success
    assert (
        found.values.tobytes()
        == dg.mine_subgraphs(X, y, min_expected_frequency=0.45, n_subgraphs=5).values.tobytes()
    )


def test_damage_in_a_large_array_is_noticed(large_file, tmp_path):
    content = bytearray(large_file[0].read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "damaged.npz").write_bytes(content)
    with pytest.raises(
        InputError, match=r"must be an intact \.npz file.*Bad CRC-32 for file 'edge_probability"
    ):
        dg.load_cohort(tmp_path / "damaged.npz")


def test_reading_matrices_keeps_their_edges_once(monkeypatch):
    monkeypatch.setattr(connectomes, "_PIECE", 2**20)  # so that it shows in a small cohort
    matrices = np.random.default_rng(0).random((400, 150, 150))
    matrices += matrices.transpose(0, 2, 1)
    matrices /= 2
    matrices[:, range(150), range(150)] = 1
    size = 400 * 150 * 149 // 2 * 8
    settings = {"probability": "fisher", "n_timepoints": 100}
    dg.io.from_array(matrices[:2], **settings)  # imports
    # The smaller of two: what is imported or cached meanwhile, also by other threads, is counted once.
    first, (graphs, _) = allocated(lambda: dg.io.from_array(matrices, **settings))
    second, _ = allocated(lambda: dg.io.from_array(matrices, **settings))
    assert graphs.edge_probability.nbytes == size
    assert min(first, second) < 1.3 * size


def test_describing_subgraphs_reads_their_columns_only():
    X = np.random.default_rng(1).random((4_000, 1_485), dtype=np.float32)
    cohort = LabelledGraphs.of(dg.UncertainGraphs(X), np.arange(len(X)) % 2)
    subgraphs = [(3,), (3, 70), (5, 100, 1_200)]

    def describe():
        return RankedSubgraphs(subgraphs, [0.3, 0.2, 0.1], cohort)[:]

    most, described = allocated(describe)
    assert most < X.nbytes / 10
    for one, subgraph in zip(described, subgraphs, strict=True):
        whole = [dg.UncertainGraphs(X[cohort.positive == side]) for side in (True, False)]
        assert one.frequency == dg.expected_frequency(X.astype(np.float64), subgraph)
        assert one.by_group == tuple(dg.expected_frequency(part, subgraph) for part in whole)
