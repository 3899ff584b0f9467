"""Edge lists in Parquet files: types, nulls, bombs that the footer gives away, damage."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from graph_layouts import edge_frame, in_order_of, probabilities
from made_up import refused

from dugraph import read_cohort


def table(**columns):
    parts = {"graph_id": ["01", "2"], "source": ["a", "a"], "target": ["b", "c"], "probability": [0.5, 1.0]}
    return pa.table({**parts, **columns})


def written(tmp_path, content, **settings):
    pq.write_table(content, tmp_path / "edges.parquet", **settings)
    return tmp_path / "edges.parquet"


@pytest.mark.parametrize(
    "settings", [{}, {"use_dictionary": False, "compression": "zstd"}, {"row_group_size": 7}]
)
@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_round_trip(tmp_path, settings, text):
    matrices = probabilities(3)
    frame = edge_frame(matrices, seed=4).sort_values("graph_id", kind="stable")
    content = pa.Table.from_pandas(frame, preserve_index=False)
    for i, name in enumerate(content.column_names):
        if name != "probability":
            content = content.set_column(i, name, content.column(name).cast(text))
    graphs, y = read_cohort(written(tmp_path, content, **settings), positive="patient")
    expected = in_order_of(frame, matrices)
    assert graphs.graph_ids == expected.subjects
    assert graphs.node_labels == expected.regions
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)
    assert y.tolist() == [1, 0, 1, 0]


def test_batches_are_joined(tmp_path):
    n = 150_000
    columns = {"graph_id": pa.array(np.arange(n) % 300), "source": np.full(n, "hub")}
    columns |= {"target": (np.arange(n) // 300).astype(str), "probability": np.linspace(0, 1, n)}
    graphs, _ = read_cohort(written(tmp_path, pa.table(columns)))
    assert graphs.edge_probability.shape == (300, 500)
    np.testing.assert_array_equal(graphs.edge_probability, np.linspace(0, 1, n).reshape(500, 300).T)
    assert graphs.graph_ids[7] == "7"


NAME = "row 2: target must have 1 to 1000 characters and no NUL, but has "
TWICE = "row 2: .* given once, but a--b is in .*, row 1 too"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": [["a"], ["b"]]}, "column source must be text or whole numbers, but is list<"),
        ({"source": [1.5, 2.5]}, "column source must be text or whole numbers, but is double"),
        ({"probability": ["0.5", "1"]}, "column probability must contain numbers, but is (large_)?string"),
        ({"target": ["b", None]}, "parquet, row 2: target must be filled in, but is null"),
        ({"target": ["b", ""]}, NAME + "0"),
        ({"target": ["b", "x\0y"]}, NAME + "3"),
        ({"target": ["b", "x" * 10**6]}, NAME + "1000000: xxx"),
        ({"target": ["b", "a"]}, "row 2: an edge must join two different regions"),
        ({"probability": [0.5, None]}, "row 2: the probability of an edge must be there, but that of a--c"),
        ({"probability": [0.5, 2.0]}, r"row 2: the probability of an edge must lie in \[0, 1\], but"),
        ({"graph_id": ["1", "1"], "target": ["b", "b"]}, TWICE),
    ],
)
def test_broken_columns(tmp_path, columns, message):
    refused(message, written(tmp_path, table(**columns)))


def test_extension_types_are_refused(tmp_path):
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, b"1" * 16], pa.binary(16)))
    message = "column graph_id must be text or whole numbers, but is"
    refused(message, written(tmp_path, table(graph_id=ids)))


def test_bombs(tmp_path):
    # A million rows with a name of one megabyte, in a dictionary of one entry.
    n = 1_000_000
    name = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int8)), pa.array(["x" * 10**6]))
    content = pa.table({"graph_id": name, "source": name, "target": name, "probability": np.ones(n)})
    file = written(tmp_path, content, compression="zstd")
    assert file.stat().st_size < 30_000
    refused(r"a file of \d+ bytes may contain \d+ rows of different edges, but declares 1000000", file)
    # Few rows, but columns that unpack to 120 MB.
    long = [str(i) + "x" * 40_000 for i in range(1000)]
    content = pa.table({"graph_id": long, "source": long, "target": long, "probability": np.ones(len(long))})
    file = written(tmp_path, content, compression="zstd", use_dictionary=False)
    assert file.stat().st_size < 10**5
    refused(r"a file of \d+ bytes may contain \d+ bytes when unpacked, but declares 120\d+", file)
    refused(r"must take at most 1000 bytes", written(tmp_path, table()), max_memory=1000)


def test_damage(tmp_path):
    file = written(tmp_path, table())
    file.write_bytes(file.read_bytes()[:-10])
    refused(r"must be an intact Parquet file, but it is damaged, truncated or", file)
    file.write_bytes(b"graph_id,source,target,probability\n")
    refused(r"none fits 1 file \(1 .parquet\)", file)
    refused(r"must have rows, but its footer says 0", written(tmp_path, table().slice(0, 0)))


def test_checksums_are_used_where_the_file_has_them(tmp_path):
    settings = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    file = written(tmp_path, table(), write_page_checksum=True, **settings)
    content = file.read_bytes()
    file.write_bytes(content.replace(np.float64(0.5).tobytes(), np.float64(0.25).tobytes(), 1))
    refused(r"must be an intact Parquet file, but .*could not verify page", file)
