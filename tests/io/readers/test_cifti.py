"""CIFTI parcels: matrices and series to cohorts, hostile headers and XML refused."""

import sys
import tracemalloc

import numpy as np
import pytest
from binary_files import write_pconn, write_ptseries
from layouts_tools import hcp_ptseries, xcp_d_pconn
from made_up import REGIONS, refused

from dugraph import read_cohort
from dugraph.io.guards import MemoryBudget
from dugraph.io.toolboxes import read_parcels


def test_a_name_without_bids_is_the_subject(tmp_path):
    write_pconn(tmp_path / "100307.pconn.nii", np.eye(5), REGIONS)
    write_pconn(tmp_path / "100408_REST1.pconn.nii", np.eye(5), REGIONS[::-1])
    graphs, _ = read_cohort(tmp_path)
    assert graphs.graph_ids == ("100307", "100408_REST1")
    assert graphs.provenance["n_reordered"] == 1
    refused("select must be left out unless all files have names of BIDS", tmp_path, select={"run": "1"})


def test_both_in_one_folder_need_a_format(tmp_path):
    xcp_d_pconn(tmp_path)
    hcp_ptseries(tmp_path)
    refused('format="cifti-pconn" or format="cifti-ptseries"', tmp_path)
    assert read_cohort(tmp_path, format="cifti-ptseries")[0].provenance["values"] == "series"


def test_rows_and_columns(tmp_path):
    write_pconn(tmp_path / "a.pconn.nii", np.eye(5), REGIONS, rows=REGIONS[::-1])
    refused("a.pconn.nii: rows and columns must be the same parcels in the same", tmp_path)
    write_pconn(tmp_path / "a.ptseries.nii", np.eye(5), REGIONS)
    refused("the rows must be time points, but they are parcels", tmp_path, format="cifti-ptseries")
    write_ptseries(tmp_path / "a.pconn.nii", np.ones((5, 5)), REGIONS)
    refused("rows and columns must be the same parcels", tmp_path, format="cifti-pconn")


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    hcp_ptseries(tmp_path)
    monkeypatch.setitem(sys.modules, "nibabel", None)
    refused(r"needs nibabel, which is not installed: pip install 'dugraph\[io\]'", tmp_path)


def changed(content, position, number):
    return content[:position] + int(number).to_bytes(8, "little") + content[position + 8 :]


def with_xml(content, old, new):
    """Replace text of the description, keeping its length; it is padded with NUL bytes."""
    assert old in content
    longer = content.replace(old, new, 1)
    start = int.from_bytes(content[168:176], "little")
    # The padding before the values grows or shrinks by 16 bytes at a time.
    grown = -(-max(len(new) - len(old), 0) // 16) * 16
    cut = start + len(new) - len(old)
    longer = longer[:cut] + bytes(grown - (len(new) - len(old))) + longer[cut:]
    size = int.from_bytes(content[544:548], "little") + grown
    longer = longer[:544] + size.to_bytes(4, "little") + longer[548:]
    return changed(longer, 168, start + grown)


BOMB = b'<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><CIFTI '
UTF_16 = "<!DOCTYPE x>".encode("utf-16-le")
ENTITIES = "must be plain XML, but it declares entities"
SIZE = "must be as large as its header declares"
PARCELS = b'<Parcel Name=""/>' * 60_000 + b"<Parcel "
HOSTILE = {
    "dimensions": (lambda c: changed(c, 16 + 6 * 8, 2**40), r"take 219\d+ bytes, but the file has \d+"),
    "all dimensions": (lambda c: changed(changed(c, 24, 2**62), 32, 2**62), SIZE),
    "no dimensions": (lambda c: changed(c, 16, 0), "it has no dimensions"),
    "negative": (lambda c: changed(c, 24, 2**64 - 1), "it has no dimensions"),
    "offset": (lambda c: changed(c, 168, 2**50), SIZE),
    "low offset": (lambda c: changed(c, 168, 0), SIZE),
    "extension": (lambda c: c[:544] + b"\xf0\xff\xff\x7f" + c[548:], "must be an intact CIFTI-2"),
    "type": (lambda c: c[:12] + b"\x07\x07" + c[14:], "must be an intact CIFTI-2"),
    "complex": (lambda c: c[:12] + b"\x20\x00\x40\x00" + c[16:] + bytes(200), "must be an intact CIFTI-2"),
    "entities": (lambda c: with_xml(c, b"<CIFTI ", BOMB), ENTITIES),
    "utf-16": (lambda c: with_xml(c, b"<CIFTI ", UTF_16), ENTITIES),
    "long": (lambda c: with_xml(c, b"<Matrix>", b"<Matrix>" + b" " * 2**22), "4194304 bytes, but has 419"),
    "many parcels": (lambda c: with_xml(c, b"<Parcel ", PARCELS), "may have at most 20000 tags, but has 600"),
    "xml": (lambda c: c.replace(b"</CIFTI>", b"</CIFTY>"), "must be an intact CIFTI-2"),
    "no parcels": (lambda c: c.replace(b"_TYPE_PARCELS", b"_TYPE_SCALARS"), "must be an intact CIFTI-2"),
    "cut": (lambda c: c[:-1], SIZE),
    "short": (lambda c: c[:300], "300 bytes are not a NIfTI-2 header"),
    "gzip": (lambda c: b"\x1f\x8b" + c[2:], "it has no NIfTI-2 header"),
    "empty": (lambda c: b"", "0 bytes are not a NIfTI-2 header"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(tmp_path, name, capfd):
    file = tmp_path / "a.pconn.nii"
    write_pconn(file, np.eye(5), REGIONS)
    change, message = HOSTILE[name]
    file.write_bytes(change(file.read_bytes()))
    tracemalloc.start()
    try:
        refused(message, file, MemoryBudget(), by=read_parcels)
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()
    assert capfd.readouterr() == ("", "")


def test_the_way_of_changing_xml_keeps_a_file_whole(tmp_path):
    file = tmp_path / "a.pconn.nii"
    write_pconn(file, np.eye(5), REGIONS)
    file.write_bytes(with_xml(file.read_bytes(), b"Amygdala", b"A much longer name of the amygdala"))
    values, rows, columns = read_parcels(file, MemoryBudget())
    assert "A much longer name of the amygdala" in columns + (rows or ())
    np.testing.assert_array_equal(values, np.eye(5))


def test_the_memory_of_values_is_limited(tmp_path):
    file = tmp_path / "a.ptseries.nii"
    write_ptseries(file, np.zeros((2000, 5)), REGIONS)
    message = "must take at most 60000 bytes, but with this it would take 121"
    refused(message, file, MemoryBudget(60_000), by=read_parcels)
