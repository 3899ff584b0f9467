"""Tables from delimited text: what is read exactly, and what is refused with file and line."""

import contextlib
import gzip
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import refused

from dugraph.exceptions import InputError
from dugraph.io.delimited import read_numbers, read_records, read_series, read_square
from dugraph.io.guards import MemoryBudget, check_length, library

BUDGET = MemoryBudget()


def written(tmp_path: Path, content: bytes, name: str = "m.csv") -> Path:
    file = tmp_path / name
    file.write_bytes(content)
    return file


@given(
    st.lists(st.floats(allow_nan=False), min_size=9, max_size=9), st.sampled_from([",", "\t", ";", " ", "  "])
)
@settings(max_examples=60)
def test_numbers_keep_every_bit(tmp_path_factory, numbers, delimiter):
    file = tmp_path_factory.mktemp("t") / "m.txt"
    matrix = np.array(numbers).reshape(3, 3)
    file.write_text("\n".join(delimiter.join(map(repr, row)) for row in matrix.tolist()))
    np.testing.assert_array_equal(read_square(file, BUDGET).numbers, matrix)


@pytest.mark.parametrize(
    "content",
    [
        b"A,B\n1,2\n3,4\n",
        b"A,B\r\n1,2\r\n3,4\r\n",
        b"A,B\r1,2\r3,4",
        b"\xef\xbb\xbfA,B\n1,2\n\n3,4\n\n",
        b"# made by hand\n#\nA,B\n1,2\n3,4\n",
        b"Node,A,B\nA,1,2\nB,3,4\n",
        b",A,B\nA,1,2\nB,3,4\n",
        b'"A","B"\n1,2\n3,4\n',
        b"A; B\n1; 2\n3; 4\n",
    ],
)
def test_headers_line_ends_and_names_of_rows(tmp_path, content):
    table = read_square(written(tmp_path, content), BUDGET)
    assert table.columns == ("A", "B")
    assert table.numbers.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (b'"A,1","B"', ("A,1", "B")),
        (b'A "x",B', ('A "x"', "B")),
        (b'"A ""x""",B', ('A "x"', "B")),
        (b'"A", "B"', ("A", "B")),
        (b'"A","B\r\nC"', ("A", "B C")),
    ],
)
def test_quotes_are_those_of_csv(tmp_path, header, names):
    table = read_square(written(tmp_path, header + b'\n1,"2"\n"n/a",n/a\n'), BUDGET)
    assert table.columns == names
    np.testing.assert_array_equal(table.numbers, [[1, 2], [np.nan, np.nan]])


def test_a_header_of_numbers_is_known_by_the_shape(tmp_path):
    assert read_square(written(tmp_path, b"0,1\n1,2\n3,4\n"), BUDGET).columns == ("0", "1")
    assert read_square(written(tmp_path, b"Node,7,8\n7,1,2\n8,3,4\n"), BUDGET).rows == ("7", "8")
    assert read_square(written(tmp_path, b"1,n/a\n3,nan\n"), BUDGET).columns is None
    assert np.isnan(read_square(written(tmp_path, b"1,n/a\n3,\n"), BUDGET).numbers[:, 1]).all()


@pytest.mark.parametrize("name", ["m.csv", "m.tsv"])
@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b",0.5,0.3\n0.5,,0.2\n0.3,0.2,\n", [[None, 0.5, 0.3], [0.5, None, 0.2], [0.3, 0.2, None]]),
        (b",0.5,0.3\n0.5,1,0.2\n0.3,0.2,1\n", [[None, 0.5, 0.3], [0.5, 1, 0.2], [0.3, 0.2, 1]]),
        (b" ,5,5\n5,,2\n5,2,\n", [[None, 5, 5], [5, None, 2], [5, 2, None]]),
        (b",0,-1\n0,,1\n-1,1,\n", [[None, 0, -1], [0, None, 1], [-1, 1, None]]),
        (b",0.5,0.3\n,,0.2\n,,\n", [[None, 0.5, 0.3], [None, None, 0.2], [None] * 3]),
        (b",,\n0.5,,\n0.3,0.2,\n", [[None] * 3, [0.5, None, None], [0.3, 0.2, None]]),
    ],
)
def test_an_empty_diagonal_makes_no_names(tmp_path, name, content, numbers):
    content = content.replace(b",", b"\t" if name == "m.tsv" else b",")
    table = read_square(written(tmp_path, content, name), BUDGET)
    assert (table.columns, table.rows) == (None, None)
    np.testing.assert_array_equal(table.numbers, np.array(numbers, dtype=float))


@pytest.mark.parametrize("labels", [["0", "1", "2"], ["2001", "2002", "2101"], ["7", "3", "5"]])
@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[0, 4, 8], [4, 0, 12], [8, 12, 0]]),
        np.array([[np.nan, 4, 8], [4, np.nan, 12], [8, 12, np.nan]]),
        np.array([[np.nan, 0.5, 0.3], [0.5, np.nan, 0.2], [0.3, 0.2, np.nan]]),
    ],
    ids=["counts", "counts without a diagonal", "correlations without a diagonal"],
)
def test_numbers_of_regions_that_pandas_writes_are_names(tmp_path, labels, matrix):
    pd.DataFrame(matrix, index=labels, columns=labels).to_csv(tmp_path / "m.csv")
    table = read_square(tmp_path / "m.csv", BUDGET)
    assert table.columns == table.rows == tuple(labels)
    np.testing.assert_array_equal(table.numbers, matrix)


CUT = "must be square, but it has "
CELLS = "every row must have as many cells as the first, 2, but it has "
NAMES_OR_COUNTS = "clear whether the first row names the regions, .* Node in the first"
EMPTY_DIAGONAL = "with an empty diagonal and whole numbers it may also be counts. For counts, wr"
DECIMAL = "line 2: .* has 3. The file is damaged, or has decimal commas; write it again"
UTF_16 = "begins with the bytes ff fe, the mark of UTF-16. Save it as UTF-8"
WORKBOOK = "m.csv: a table must be text, but this is an Excel workbook .* Export the"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b",1,2\n1,,5\n2,5,\n", NAMES_OR_COUNTS),
        (b",2,1\n,,5\n,,\n", EMPTY_DIAGONAL),
        (b"", "m.csv: the file must hold a table, but it is empty"),
        (b" \n\n", "but it is empty. Write or copy it again"),
        (b"# only a comment", "but it is empty"),
        (b"1,2\n3\n", f"m.csv, line 2: {CELLS}1"),
        (b'"1",2\n0,5,1\n', DECIMAL),
        (b"1,2\n\n3,4,5\n", f"line 3: {CELLS}3"),
        (b"A,B\n1,2\n3,x\n", "m.csv, line 3: column B must be a number, but is 'x'"),
        (b"1,2\nx,4\n", "m.csv, line 2: column 1 must be a number, but is 'x'"),
        (b"1,2\n3,1_0\n", "m.csv, line 2: column 2 must be a number, but is '1_0'"),
        ("1,2\n3,\u0663\n".encode(), "m.csv, line 2: column 2 must be a number, but is '\u0663'"),
        (b"1,2\n3,4\n5,6\n7,8\n", f"m.csv, line 4: .* {CUT}2 columns and more rows"),
        (b"1," * 2**22, "1 rows of numbers and 4194305 columns. The last column is empty: delete it"),
        (b"#\n" * 10**6, "but it is empty"),
        (b"A,B\n", f"{CUT}0 rows|header only"),
        (b"1,2,,\n3,4,,\n", f"{CUT}2 rows of numbers and 4 columns. The last 2 columns are empty: delete"),
        (b"A,B,\n1,2,\n3,4,\n", "2 rows of numbers and 3 columns. The last column is empty: delete it"),
        (b"1,.2\n.3,4\n,\n", "3 rows of numbers and 2 columns. The last row is empty: delete it"),
        (b"1,2, ,\n3,4,,\n,,,\n", "The last 2 columns and the last row are empty: delete them"),
        (b"A,B\n1,2\n3,4\n,\n,\n", "m.csv, line 4: .* 2 columns and more rows. This row is empty: delete"),
        (b"g,p\na,0,5\n", DECIMAL),
        ("1,é\n2,3\n".encode("latin-1"), r"line 1: text must be UTF-8, but it holds the byte 0xe9 \(Latin-1"),
        ("1,2\n3,é\n".encode("latin-1"), "m.csv, line 2: text must be UTF-8"),
        ("1,2\n3,4\n".encode("utf-16"), UTF_16),
        (b"1,2\n3,\0\n", "m.csv, line 2: text must not contain NUL bytes"),
        (b"PK\3\4\x14\0\6\0", WORKBOOK),
        (b"\xd0\xcf\x11\xe0\xa1\0", r"this is an old Excel workbook \(.xls\). Export the table as CSV"),
        (gzip.compress(b"1,2\n3,4\n", mtime=0), "but this is compressed with gzip. Unpack it first"),
        (b'1,"2\n3,4\n', "m.csv, line 2: the table must be well formed, but: unexpected end of data"),
        (b"A," + b"B" * 2_000 + b"\n1,2\n3,4\n", "region name may have 1000 characters, but one has 2000"),
    ],
    ids=itertools.count(),  # the tables themselves are millions of characters
)
def test_broken_tables_name_file_line_and_rule(tmp_path, content, message):
    refused(message, written(tmp_path, content), BUDGET, by=read_square)


COMMA = r" This looks like a decimal comma: save the file with decimal points\."


QUOTED = b'1,"0,5","0,3"\n"0,5",1,"0,2"\n"0,3","0,2",1\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.csv", b"1,0;0,5;0,3\n0,5;1,0;0,2\n0,3;0,2;1,0\n", r"line 1: .* begins with 1,0;0,5;0,3\."),
        ("m.csv", b"# by hand\n1;-0,5\n-0,5;1\n", r"line 2: .* begins with 1;-0,5\."),
        ("m.csv", b"A;1;1,5e-2\nB;1,5e-2;1\n", r"line 1: .* begins with A;1;1,5e-2\."),
        ("m.txt", b"1,0  0,5\n0,5  1,0\n", r"line 1: numbers must have decimal points, .* with 1,0  0,5\."),
        ("m.tsv", b"1,0\t0,5\n0,5\t1,0\n", r"line 1: column 2 must be a number, but is '0,5'\."),
        ("m.csv", QUOTED, r"line 1: column 2 must be a number, but is '0,5'\."),
        ("m.csv", b";A;B\nA;1;0,5\nB;0,5;1\n", r"m.csv, line 2: column B must be a number, but is '0,5'\."),
        ("m.txt", b"A B\n1,0 0,5\n0,5 1,0\n", r"m.txt, line 2: column A must be a number, but is '1,0'\."),
    ],
)
def test_decimal_commas_are_named(tmp_path, name, content, message):
    refused(message + COMMA, written(tmp_path, content, name), BUDGET, by=read_square)


def records(tmp_path, content, name="p.tsv"):
    table, lines, padded = read_records(written(tmp_path, content, name), BUDGET)
    return table.to_numpy().tolist(), lines.tolist(), padded


def test_commas_that_separate_are_no_decimal_commas(tmp_path):
    for content in (b"1, 2\n3, 4\n", b"1 ,2\n3 ,4\n", b"1,2\n3,4\n"):
        assert read_square(written(tmp_path, content), BUDGET).numbers.tolist() == [[1, 2], [3, 4]]
    table, *_ = read_records(written(tmp_path, b"Visit 1,2\na,b\n"), BUDGET)
    assert table.columns.tolist() == ["Visit 1", "2"]


def test_a_tsv_without_tabs_is_separated_by_what_it_has(tmp_path):
    for delimiter in (b",", b";", b"\t"):
        assert records(tmp_path, b"id,name\n1,Jo\n".replace(b",", delimiter))[0] == [["1", "Jo"]]
    assert records(tmp_path, b"id\tname\n1\tJo, Mary; Ann\n")[0] == [["1", "Jo, Mary; Ann"]]


def test_records_stay_text(tmp_path):
    values, lines, padded = records(tmp_path, b"id\tage\n007\t 20\n\n008\tn/a\n")
    assert padded == {"age": [" 20", "n/a"]}
    assert values == [["007", "20"], ["008", "n/a"]]
    assert lines == [2, 4]
    message = "column names must be unique, but 'age' appears twice"
    refused(message, tmp_path, b"age,age\n1,2\n", "m.csv", by=records)
    message = "2 have none, the first being column 2. Name them, or delete"
    refused(message, tmp_path, b"age,,\n1,,\n", "m.csv", by=records)


def test_numbers_take_their_header_as_asked(tmp_path):
    file = written(tmp_path, b"0\t1\n0.5\t1\n2\t3\n", "s.tsv")
    assert read_numbers(file, BUDGET, header=True).columns == ("0", "1")
    assert read_numbers(file, BUDGET, header=False).numbers.shape == (3, 2)


@pytest.mark.parametrize(
    ("first", "second", "columns"),
    [
        ("a\t2", "0.5\t1", ("a", "2")),
        ("0\t1", "0.5\t1", ("0", "1")),
        ("7\t12", "0.5\t1", ("7", "12")),
        ("0.5\t1.5", "0.5\t1", None),
        ("n/a\t1.5", "0.5\t1", None),
        ("7\t7", "0.5\t1", None),
        ("7.0\t12.0", "0.5\t1", None),
        ("0\t1", "5\t3", ("0", "1")),
        ("1\t2", "5\t3", ("1", "2")),
        ("9\t4", "5\t3", None),
    ],
)
def test_a_first_row_of_numbers_is_a_header_of_series_if_it_counts_regions(tmp_path, first, second, columns):
    table = read_series(written(tmp_path, f"{first}\n{second}\n".encode(), "s.tsv"), BUDGET)
    assert table.columns == columns
    assert len(table.numbers) == (2 if columns is None else 1)


@pytest.mark.parametrize("text", ["4\t9\n5\t3\n", "9\t4\n0.5\t3\n"])
def test_a_first_row_that_may_be_either_is_refused(tmp_path, text):
    message = "s.tsv: it must be clear whether the first row numbers the regions"
    refused(message, written(tmp_path, text.encode(), "s.tsv"), BUDGET, by=read_series)
    message = "must have rows, but it has a header only"
    refused(message, written(tmp_path, b"a\tb\n", "s.tsv"), BUDGET, by=read_series)


def test_sizes_are_checked_before_content(tmp_path):
    file = written(tmp_path, b"1,2\n3,4\n")
    message = r"must take at most 4 bytes, but with this it would take 8\. Raise max_memory"
    refused(message, file, MemoryBudget(4), by=read_square)
    budget = MemoryBudget(100)
    budget.claim(95, "before")
    refused("it would take 103", [file], by=budget.check_files)


def test_a_library_that_is_not_there(monkeypatch):
    refused(r"needs no_such_library, .* pip install 'dugraph\[io\]'", "no_such_library.part", by=library)
    assert check_length("x" * 1000, "f", "name") == "x" * 1000


@given(st.binary(max_size=200) | st.text('019.-,;\t\n\r "#nax/e', max_size=80).map(str.encode))
@settings(max_examples=400)
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    for name in ("any.csv", "any.tsv", "any.txt"):
        file = tmp_path_factory.getbasetemp() / name
        file.write_bytes(content)
        for read in (read_square, read_series, read_records):
            with contextlib.suppress(InputError):
                read(file, BUDGET)
