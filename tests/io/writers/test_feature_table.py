"""Tables of features: exact numbers, ids as they were, no formulas, columns told apart."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest
from exact_tables import read_csv
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError
from dugraph.io import feature_table

NAMES = ["{A--B}", '{"q", x--y}']
HOSTILE = [
    "=1+1",
    "'=1",
    "-x",
    "@y",
    "\tt",
    "two\nlines",
    "cr\r",
    'q"u,o;te',
    "\u202e",
    "007",
    "-1",
    "NA",
    "＝a",
]
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def rows_of(content):
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def frame_of(content):
    return read_csv(io.BytesIO(content), dtype={"graph_id": str}, keep_default_na=False)


def plain(cell):
    return cell.removeprefix("'")


@given(
    st.lists(
        st.tuples(text, st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5, unique_by=lambda r: r[0]
    )
)
def test_everything_comes_back(rows):
    ids, features = [row[0] for row in rows], np.array([row[1:] for row in rows])
    head, *body = rows_of(feature_table("csv", ids, NAMES, features))
    assert head == ["graph_id", *NAMES]
    assert [plain(row[0]) for row in body] == ids
    np.testing.assert_array_equal(np.array([row[1:] for row in body], dtype=float), features)
    back = pd.read_parquet(io.BytesIO(feature_table("parquet", ids, NAMES, features)))
    assert back["graph_id"].tolist() == ids
    np.testing.assert_array_equal(back[NAMES].to_numpy(), features)


def test_no_cell_is_a_formula_and_pandas_reads_every_id():
    content = feature_table("csv", HOSTILE, NAMES, np.full((len(HOSTILE), 2), 0.1), np.array(HOSTILE))
    for cell in (cell for row in rows_of(content) for cell in row):
        assert not cell.startswith(tuple("=+@\t\r\n＝＋－＠"))
        assert not cell.startswith("-") or cell == "-1"  # a number
    frame = frame_of(content)
    assert [plain(name) for name in frame["graph_id"]] == HOSTILE
    assert [plain(name) for name in frame["class"]] == HOSTILE


@pytest.mark.parametrize("y", [np.array([1, -1]), np.array([True, False]), np.array(["ill", "well"])])
def test_classes_keep_their_kind(y):
    for kind, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        frame = read(io.BytesIO(feature_table(kind, ["a", "b"], NAMES, np.zeros((2, 2)), y)))
        assert list(frame) == ["graph_id", "class", *NAMES]
        assert frame["class"].tolist() == y.tolist()


def test_a_subgraph_named_like_another_column_is_told_apart():
    for kind, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        frame = read(io.BytesIO(feature_table(kind, ["a"], ["graph_id", "y"], np.array([[0.1, 0.2]]), ["p"])))
        assert frame["graph_id"].tolist() == ["a"]
        assert frame["graph_id (2)"].tolist() == [0.1]


def test_equal_names_are_told_apart():
    content = feature_table("csv", ["a"], ["{x}", "{x}", "{x} (2)", "{x}"], np.array([[0.1, 0.2, 0.3, 0.4]]))
    assert rows_of(content)[0][1:] == ["{x}", "{x} (2)", "{x} (2) (2)", "{x} (3)"]


def test_other_forms_are_refused(monkeypatch):
    with pytest.raises(InputError, match="can be csv or parquet, but not 'xlsx'"):
        feature_table("xlsx", ["a"], ["{x}"], np.zeros((1, 1)))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'dugraph\[io\]', or choose csv"):
        feature_table("parquet", ["a"], ["{x}"], np.zeros((1, 1)))
