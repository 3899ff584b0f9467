"""Forged cohort files are refused or load unchanged, and claim no memory."""

import contextlib
import io
import os
import zipfile

import numpy as np
import pytest
from numpy.lib import format as npy

from dugraph import load_cohort, save_cohort
from dugraph.exceptions import InputError

Y = ["control", "patient"] * 3


def npy_bytes(header, body=b"", version=(1, 0)):
    padded = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return npy.magic(*version) + len(padded).to_bytes(2, "little") + padded + body


def header(descr="'<f8'", shape="(6, 10)"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


MEMBERS = {
    "huge": npy_bytes(header(shape="(1000000000, 1000000000)")),
    "short": npy_bytes(header(shape="(6, 10)"), bytes(479)),
    "long": npy_bytes(header(shape="(6, 10)"), bytes(481)),
    "negative": npy_bytes(header(shape="(-6, -10)"), bytes(480)),
    "no width": npy_bytes(header("'<U0'", "(1000000000000,)")),
    "objects": npy_bytes(header("'|O'")),
    "python 2": npy_bytes(header(shape="(6L, 10L)"), bytes(480)),
    "brackets": npy_bytes(header(shape="(" * 500)),
    "version": npy_bytes(header(), bytes(480), version=(3, 0)),
    "text": b"not an array",
    "empty": b"",
}
DTYPE = "array 'edge_probability' must have a plain dtype, but its dtype is "


@pytest.mark.parametrize("name", MEMBERS)
def test_arrays_with_false_claims(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "c.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("edge_probability.npy", MEMBERS[name])
    message = {"no width": DTYPE + "<U0", "objects": DTYPE + "object; pickled"}.get(
        name, "must be an intact .npz file"
    )
    with pytest.raises(InputError, match=f"c.npz: .*{message}"):
        load_cohort(tmp_path / "c.npz")


def test_the_limit_on_bytes(graphs, tmp_path):
    path = tmp_path / "c.npz"
    save_cohort(path, graphs, Y)
    with pytest.raises(InputError, match=r"at most 1000 bytes together, but they claim \d+. Raise max_bytes"):
        load_cohort(path, max_bytes=1000)


def test_files_of_another_kind(graphs, tmp_path):
    with pytest.raises(InputError, match=r"none.npz: there is no such file. Check the path."):
        load_cohort(tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"the file cannot be read: Is a directory"):
        load_cohort(tmp_path)
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "results.json").touch()
    with pytest.raises(
        InputError, match=r"Is a directory\. It is the folder of a result: name the cohort file\."
    ):
        load_cohort(tmp_path / "test")
    path = tmp_path / "c.npz"
    path.write_text("graph,edge,probability\n")
    with pytest.raises(InputError, match=r"c.npz: must be an intact .npz file.*not a zip file"):
        load_cohort(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"must be an array with a name of its own, but 'readme.txt' is not"):
        load_cohort(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("y.npy", "hello")
    with pytest.raises(InputError, match="compression method 12"):
        load_cohort(path)


def test_a_changed_array_does_not_match_the_checksum(graphs, tmp_path):
    save_cohort(tmp_path / "a.npz", graphs, Y)
    changed = io.BytesIO()
    np.save(changed, np.array(Y[::-1]))
    with zipfile.ZipFile(tmp_path / "a.npz") as old, zipfile.ZipFile(tmp_path / "b.npz", "w") as new:
        for name in old.namelist():
            new.writestr(name, changed.getvalue() if name == "y.npy" else old.read(name))
    with pytest.raises(InputError, match=r"must match its checksum, but the file is damaged. Copy it again"):
        load_cohort(tmp_path / "b.npz")


def test_damage_in_the_table_of_members_never_hides_an_array(graphs, tmp_path):
    # A damaged length there makes one entry swallow those after it, without any zip checksum noticing.
    path = tmp_path / "c.npz"
    save_cohort(path, graphs, Y)
    content = path.read_bytes()
    all_changes = (0x01, 0x40, 0xFF)
    for position in range(content.index(b"PK\x01\x02"), len(content)):
        changes = all_changes if os.environ.get("DUGRAPH_SOAK") else [all_changes[position % 3]]
        for change in changes:
            path.write_bytes(
                content[:position] + bytes([content[position] ^ change]) + content[position + 1 :]
            )
            with contextlib.suppress(InputError):
                loaded, y = load_cohort(path)
                assert loaded == graphs
                assert y.tolist() == Y


def test_arrays_after_headers_of_any_length_are_aligned(graphs, tmp_path):
    # NumPy pads headers to 64 bytes, other programs need not.
    probability, text = graphs.edge_probability, header(shape=graphs.shape).encode() + b"\n"
    assert len(text) % 8 != 6
    content = npy.magic(1, 0) + len(text).to_bytes(2, "little") + text + probability.tobytes()
    save_cohort(tmp_path / "a.npz", graphs)
    with zipfile.ZipFile(tmp_path / "a.npz") as old, zipfile.ZipFile(tmp_path / "b.npz", "w") as new:
        for name in old.namelist()[1:]:  # without the checksum
            new.writestr(name, content if name == "edge_probability.npy" else old.read(name))
    loaded, _ = load_cohort(tmp_path / "b.npz")
    assert loaded == graphs
    assert loaded.raw_probability.flags.aligned
