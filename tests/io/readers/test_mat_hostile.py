"""MATLAB files that claim more than they contain are refused before memory is allocated."""

import struct
import tracemalloc
import zlib

import h5py
import numpy as np
import pytest
from binary_files import V73_HEADER, cell, put_cell, write_conn_v7, write_conn_v73
from made_up import refused
from scipy.io import savemat

from dugraph.io.arrays import open_mat
from dugraph.io.guards import MemoryBudget

HEADER = b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + b"\x00\x01IM"
HUGE = (200_000, 200_000)
DAMAGED = "must be an intact MATLAB file of .* damaged, truncated or in another format"
BOMB = "is designed to fill memory"


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
NO_LETTERS = matrix(4, (2**31 - 1, 0), b"names", element(16, b""))
BEHIND_Z = matrix(6, (1, 1), b"Z")[8:]
# scipy ends the process, takes gigabytes or reads beyond the content for most of these.
V5 = {
    "dimensions": matrix(6, HUGE, b"Z", VALUES),
    "no dimensions": matrix(4, (), b"names", element(16, b"x")),
    "cells": matrix(1, (1, 10**9), b"names", matrix(4, (1, 0), b"", element(16, b""))),
    "inner cells": matrix(1, (1, 1), b"names", matrix(1, (1, 10**9), b"")),
    "empty rows": NO_LETTERS,
    "empty rows in a cell": matrix(1, (1, 1), b"names", NO_LETTERS),
    "negative": matrix(6, (-1, -5), b"Z", VALUES),
    "size": struct.pack("<II", 14, 2**31) + bytes(64),
    "false size": packed(struct.pack("<II", 14, 8) + BEHIND_Z + bytes(2**20)),
    "object": matrix(3, (1, 1), b"Z"),
    "sparse": matrix(5, HUGE, b"Z"),
    "type": matrix(6, (1, 1), b"Z", element(0x4000, bytes(8))),
    "complex": matrix(0x806, (1, 1), b"Z", VALUES),
    "complex cell": matrix(1, (1, 1), b"names", matrix(0xFF06, (1, 1), b"", VALUES)),
    "no values": matrix(6, (1, 1), b"Z"),
    "letters": matrix(6, (1, 8), b"Z", element(16, b"abcdefgh")),
    "rows in a cell": matrix(1, (1, 1), b"names", matrix(4, (2, 2), b"", element(16, b"acbd"))),
    "unknown": struct.pack("<I", 0x800E) + matrix(6, (1, 1), b"Z", VALUES)[4:],
    "twice": matrix(6, (1, 1), b"Z", VALUES) * 2,
    "many cells": packed(matrix(1, (1, 150_000), b"names", struct.pack("<II", 14, 0) * 150_000)),
    "checksum": packed(matrix(6, (1, 1), b"Z", VALUES))[:-1] + b"?",
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
    (tmp_path / "a.mat").write_bytes(HEADER + V5[name])
    refused_within(2**25, DAMAGED, tmp_path / "a.mat")


def test_a_bomb_of_version_7(tmp_path):
    for made in (bomb(96 * 2**20), packed(struct.pack("<II", 14, 2**32 - 8) + BEHIND_Z)):
        (tmp_path / "a.mat").write_bytes(HEADER + made)
        refused_within(2**24, BOMB, tmp_path / "a.mat")


def test_the_elements_made_here_are_read_when_they_are_honest(tmp_path):
    values = element(9, struct.pack("<4d", 1, 2, 3, 4))
    letters = element(4, "zürich".encode("utf-16-le"))
    honest = packed(matrix(6, (2, 2), b"Z", values)) + matrix(
        1, (1, 2), b"names", matrix(4, (1, 1), b"", element(16, b"x")) + matrix(4, (1, 6), b"", letters)
    )
    opaque = matrix(17, (1, 1), b"table")  # never touched
    (tmp_path / "a.mat").write_bytes(HEADER + opaque + honest)
    found = variables(tmp_path / "a.mat")
    np.testing.assert_array_equal(found["Z"], [[1, 3], [2, 4]])
    assert found["names"] == ["x", "zürich"]


def test_the_budget_holds_for_what_is_packed(tmp_path):
    savemat(tmp_path / "a.mat", {"Z": np.zeros((200, 200)), "names": cell("ab")}, do_compression=True)
    message = "must take at most 100000 bytes, but with this it would take 320"
    refused(message, tmp_path / "a.mat", ("Z",), 100_000, by=variables)


def v73(file, fill):
    with h5py.File(file, "w", userblock_size=512) as opened:
        fill(opened, file)
    with open(file, "r+b") as stream:
        stream.write(V73_HEADER)


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


def false_chunk(opened, file):
    dataset = opened.create_dataset("Z", (2, 2), "f4", chunks=(2, 2), compression="gzip")
    dataset.id.write_direct_chunk((0, 0), zlib.compress(bytes(2**26)))


def some_chunks(opened, file):
    opened.create_dataset("Z", (90, 90), "f8", chunks=(10, 10))[:50] = 1


def many_cells(opened, file):
    text = opened.create_dataset("text", data=np.array([[65]], "u2"))
    cells = opened.create_dataset("names", (150_000, 1), h5py.ref_dtype, compression="gzip")
    cells[...] = text.ref


def text_in_cell(letters):
    def fill(opened, file):
        text = opened.create_dataset("text", data=letters)
        text.attrs["MATLAB_class"] = np.bytes_("char")
        opened.create_dataset("names", (1, 1), h5py.ref_dtype)[0, 0] = text.ref

    return fill


def dataset(name, shape, kind, **how):
    return lambda opened, file: opened.create_dataset(name, shape, kind, **how)


def dangling(opened, file):
    put_cell(opened, "names", ["ab"])
    opened["#refs#"].pop("r0")


def empty_rows(opened, file):
    opened.create_dataset("names", (0, 10**9), "u2").attrs["MATLAB_class"] = np.bytes_("char")


V73 = {
    "no data": (dataset("Z", HUGE, "f8"), "must take at most 8589934592 bytes, but .* 320000000000"),
    "zeros": (dataset("Z", (4000, 4000), "f8", chunks=(1000, 1000), compression="gzip"), BOMB),
    "empty rows": (empty_rows, BOMB),
    "some data": (dataset("Z", (900, 900), "f8"), "values are declared that the file does not contain"),
    "some chunks": (some_chunks, "81 chunks are declared, but the file contains 45"),
    "false chunk": (false_chunk, "a chunk must hold 16 bytes, but does not"),
    "filter": (dataset("Z", (9, 9), "f8", compression="lzf"), "compressed in a way that MATLAB does not use"),
    "rows in a cell": (text_in_cell(np.ones((2, 2), "u2")), "text in a cell must be one row"),
    "no letters": (text_in_cell(np.zeros(2, "u8")), "text must be rows of letters"),
    "many cells": (many_cells, "an array may have 100000 cells, but has 150000"),
    "external": (external, DAMAGED),
    "virtual": (virtual, DAMAGED),
    "soft link": (link(h5py.SoftLink("/names")), "variable Z is a link, which is not followed"),
    "file link": (link(h5py.ExternalLink("/etc/x.h5", "Z")), "variable Z is a link, which is not followed"),
    "struct": (lambda o, f: o.create_group("Z"), DAMAGED),
    "text": (lambda o, f: o.create_dataset("Z", data="variable length"), DAMAGED),
    "nested": (nested, DAMAGED),
    "nowhere": (dataset("names", (3, 1), h5py.ref_dtype, data=[[h5py.Reference()]] * 3), DAMAGED),
    "dangling": (dangling, DAMAGED),
}


@pytest.mark.parametrize("name", V73)
def test_version_73(tmp_path, name):
    v73(tmp_path / "a.mat", V73[name][0])
    refused_within(2**24, V73[name][1], tmp_path / "a.mat")


@pytest.mark.parametrize("write", [write_conn_v7, write_conn_v73])
def test_an_empty_matrix_of_a_large_atlas_is_no_bomb(tmp_path, write):
    names = [f"r{i}" for i in range(1000)]
    write(tmp_path / "a.mat", np.zeros((1000, 1000)), names, names, np.zeros((1000, 3)))
    assert variables(tmp_path / "a.mat")["Z"].shape == (1000, 1000)


def test_a_signalling_nan_is_missing(tmp_path):
    head = struct.pack("<5I", 10, 1, 1, 0, 2) + b"Z\0"  # version 4, single precision
    (tmp_path / "a.mat").write_bytes(head + struct.pack("<I", 0x7FA00000))
    assert np.isnan(variables(tmp_path / "a.mat")["Z"]).all()
