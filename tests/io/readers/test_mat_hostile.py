"""MATLAB files that claim more values than they contain are refused before memory is allocated."""

import struct
import tracemalloc
import zlib

import h5py
import numpy as np
import pytest
from binary_files import V73_HEADER, cell, put, put_cell, write_conn_v7, write_conn_v73
from made_up import refused
from scipy.io import savemat

from dugraph.io.guards import InflationLimit, MemoryBudget
from dugraph.io.matlab import open_mat

HEADER = b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + b"\x00\x01IM"
HUGE = (200_000, 200_000)


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def matrix(matlab_class, dims, name, rest=b""):
    head = element(6, struct.pack("<II", matlab_class, 0)) + element(5, struct.pack(f"<{len(dims)}i", *dims))
    return element(14, head + element(1, name) + rest)


def packed(data):
    small = zlib.compress(data)
    return struct.pack("<II", 15, len(small)) + small


def bomb(n_bytes, name=b"Z"):
    """A Z of zeros that is a thousandth of itself, written without ever holding it."""
    stream = zlib.compressobj()
    head = matrix(6, (1, n_bytes // 8), name)[8:] + struct.pack("<II", 9, n_bytes)
    parts = [stream.compress(struct.pack("<II", 14, len(head) + n_bytes) + head)]
    parts += [stream.compress(bytes(2**20)) for _ in range(n_bytes // 2**20)]
    small = b"".join([*parts, stream.flush()])
    return struct.pack("<II", 15, len(small)) + small


VALUES = element(9, bytes(8))
LONG_NAME = struct.pack("<II", 14, 64) + matrix(6, (1, 1), b"Z")[8:40] + struct.pack("<II", 1, 2**31)
BEHIND_Z = matrix(6, (1, 1), b"Z")[8:]
TEXT_CELL = matrix(4, (1, 0), b"")
COMPLEX_CELL = matrix(0xFF06, (1, 1), b"", VALUES)
NO_LETTERS = matrix(4, (2**31 - 1, 0), b"names", element(16, b""))
ROWS = "variable names may have 100000 rows of text, but has "
ONE_CELL = "must be one cell array, but holds cells within cells"
HELD = "variable Z must hold numbers, text or cells of them"
UNPACKED = "may hold 16777216 when unpacked, but claims "
PARTS = "values must be one part of a known type"


def many_cells():
    return packed(matrix(1, (1, 150_000), b"names", struct.pack("<II", 14, 0) * 150_000))


# Large content is made by functions, only when it is needed.
V5 = {
    "dimensions": (matrix(6, HUGE, b"Z", VALUES), "dimensions 200000 x 200000"),
    "cells": (matrix(1, (1, 10**9), b"names", TEXT_CELL), "dimensions 1 x 1000000000"),
    "inner cells": (matrix(1, (1, 1), b"names", matrix(1, (1, 10**9), b"")), ONE_CELL),
    "many cells": (many_cells, "variable names may have 100000 cells, but has more"),
    "empty rows": (NO_LETTERS, ROWS + "2147483647"),
    "empty rows in a cell": (matrix(1, (1, 1), b"names", NO_LETTERS), ROWS + "2147483647"),
    "negative": (matrix(6, (-1, 5), b"Z", VALUES), r"a variable has the dimensions \(-1, 5\)"),
    "size": (struct.pack("<II", 14, 2**31) + bytes(64), "a variable claims 2147483648 bytes"),
    "name": (packed(LONG_NAME), "a part claims 2147483648 bytes"),
    "packed size": (packed(struct.pack("<II", 14, 2**32 - 8) + BEHIND_Z), UNPACKED + "4294967288"),
    "false size": (packed(struct.pack("<II", 14, 8) + BEHIND_Z + bytes(2**20)), "variable claims 8 bytes"),
    "bomb": (lambda: bomb(96 * 2**20), UNPACKED + "1006"),
    "many bombs": (lambda: bomb(2**25) * 3, UNPACKED + "3355"),
    "object": (matrix(3, (1, 1), b"Z"), HELD),
    "function": (matrix(16, (1, 1), b"Z"), HELD + ", but is of MATLAB class 16"),
    "sparse": (matrix(5, HUGE, b"Z"), HELD),
    "type": (matrix(6, (1, 1), b"Z", element(0x4000, bytes(8))), PARTS),
    "complex": (matrix(0x806, (1, 1), b"Z", VALUES), "values must be real, but are complex"),
    "complex cell": (matrix(1, (1, 1), b"names", COMPLEX_CELL), "values must be real, but are complex"),
    "no values": (matrix(6, (1, 1), b"Z"), PARTS),
    "twice": (matrix(6, (1, 1), b"Z", VALUES) * 2, "variable Z appears twice"),
}


def variables(file, names=("Z", "names"), budget=2**33):
    return open_mat(file, MemoryBudget(budget))[1](names)


def refused_within(most, message, file):
    tracemalloc.start()
    try:
        refused(message, file, by=variables)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", V5)
def test_version_7(tmp_path, name):
    made, message = V5[name]
    (tmp_path / "a.mat").write_bytes(HEADER + (made() if callable(made) else made))
    refused_within(96 * 2**20, message, tmp_path / "a.mat")


def test_the_elements_made_here_are_read_when_they_are_honest(tmp_path):
    values = element(9, struct.pack("<4d", 1, 2, 3, 4))
    honest = packed(matrix(6, (2, 2), b"Z", values)) + matrix(
        1, (1, 1), b"names", matrix(4, (1, 1), b"", element(16, b"x")) * 2
    )
    opaque = matrix(17, (1, 1), b"table")  # never touched
    (tmp_path / "a.mat").write_bytes(HEADER + opaque + honest)
    found = variables(tmp_path / "a.mat")
    np.testing.assert_array_equal(found["Z"], [[1, 3], [2, 4]])
    assert found["names"] == ["x"]


def test_the_budget_holds_for_what_is_packed(tmp_path):
    savemat(tmp_path / "a.mat", {"Z": np.zeros((200, 200)), "names": cell("ab")}, do_compression=True)
    message = "must take at most 100000 bytes, but with this it would take 320"
    refused(message, tmp_path / "a.mat", ("Z",), 100_000, by=variables)


def v73(file, fill):
    with h5py.File(file, "w", userblock_size=512) as opened:
        fill(opened, file)
    with open(file, "r+b") as stream:
        stream.write(V73_HEADER)


def false_chunk(opened, file):
    dataset = opened.create_dataset("Z", (2, 2), "f4", chunks=(2, 2), compression="gzip")
    dataset.id.write_direct_chunk((0, 0), zlib.compress(bytes(2**26)))


def external(opened, file):
    (file.parent / "other").write_bytes(bytes(32))
    opened.create_dataset("Z", (2, 2), "f8", external=[(str(file.parent / "other"), 0, 32)])


def virtual(opened, file):
    layout = h5py.VirtualLayout((2, 2), float)
    layout[:] = h5py.VirtualSource("other.h5", "Z", (2, 2))
    opened.create_virtual_dataset("Z", layout)


def link(kind):
    return lambda opened, file: opened.__setitem__("Z", kind)


def nested(opened, file):
    put_cell(opened, "inner", ["a"])
    outer = opened.create_dataset("names", (1, 1), dtype=h5py.ref_dtype)
    outer[0, 0] = opened["inner"].ref


CLAIM = "must take at most 8589934592 bytes, but with this it would take 320000000000"
ELSEWHERE = "it is virtual, external or compressed by other filters"
NOTHING = [[h5py.Reference()]] * 3


def dataset(name, shape, kind, **how):
    return lambda opened, file: opened.create_dataset(name, shape, kind, **how)


def dangling(opened, file):
    put_cell(opened, "names", ["ab"])
    opened["#refs#"].pop("r0")


def other_filter(opened, file):
    put(opened, "Z", np.eye(9), "double", compression="lzf")


def empty_rows(opened, file):
    opened.create_dataset("names", (0, 10**9), "u2").attrs["MATLAB_class"] = np.bytes_("char")


V73 = {
    "no data": (dataset("Z", HUGE, "f8"), CLAIM),
    "no chunks": (dataset("Z", HUGE, "f8", chunks=(1000, 1000), compression="gzip"), CLAIM),
    "some data": (dataset("Z", (900, 900), "f8"), "Z claims 6480000 bytes, but the file"),
    "some chunks": (dataset("Z", (90, 90), "f8", chunks=(10, 10)), "81 chunks are claimed, but 0 are there"),
    "false chunk": (false_chunk, "a chunk must hold 16 bytes, but does not"),
    "filter": (other_filter, "compressed by other filters"),
    "external": (external, ELSEWHERE),
    "virtual": (virtual, ELSEWHERE),
    "soft link": (link(h5py.SoftLink("/names")), "is a link to '?/names'?, which is not followed"),
    "file link": (link(h5py.ExternalLink("/etc/x.h5", "Z")), "is a link to '?/etc/x.h5'?, which is not"),
    "struct": (lambda o, f: o.create_group("Z"), "but is a MATLAB struct or object"),
    "text": (lambda o, f: o.create_dataset("Z", data="variable length"), "but is object"),
    "nested": (nested, ONE_CELL),
    "nowhere": (dataset("names", (3, 1), h5py.ref_dtype, data=NOTHING), "a cell of names points to nothing"),
    "many cells": (
        dataset("names", (10**6, 1), h5py.ref_dtype),
        "names may have 100000 cells, but has 1000000",
    ),
    "empty rows": (empty_rows, ROWS + "1000000000"),
    "dangling": (dangling, "must be intact MATLAB content, but it is damaged or cut short"),
}


@pytest.mark.parametrize("name", V73)
def test_version_73(tmp_path, name):
    v73(tmp_path / "a.mat", V73[name][0])
    refused_within(64 * 2**20, V73[name][1], tmp_path / "a.mat")


@pytest.mark.parametrize("write", [write_conn_v7, write_conn_v73])
def test_an_empty_matrix_of_a_large_atlas_is_no_bomb(tmp_path, write):
    names = [f"r{i}" for i in range(400)]
    write(tmp_path / "a.mat", np.zeros((400, 400)), names, names, np.zeros((400, 3)))
    assert variables(tmp_path / "a.mat")["Z"].shape == (400, 400)
    assert InflationLimit.FREE >= 2 * 8 * 1000**2
