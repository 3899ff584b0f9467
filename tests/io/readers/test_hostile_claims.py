"""Headers that claim huge arrays, bombs, entities and damaged footers: refused in little time and memory."""

import re
import struct

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from binary_files import write_conn_v7, write_pconn
from layouts import LAYOUTS
from test_mat_hostile import HEADER, HUGE, bomb, v73
from watched import MOST_BYTES, MOST_SECONDS

from dugraph import UncertainGraphs, save_cohort

GRAPHML = '{}<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph>{}</graph></graphml>'


def npy(descr, shape):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(64)


def replaced(old, new):
    def write(file):
        content = file.read_bytes()
        assert old in content
        file.write_bytes(content.replace(old, new, 1))

    return write


def content(new):
    """The whole file: bytes, text, or a function that makes what is large only when it is needed."""

    def write(file):
        made = new() if callable(new) else new
        file.write_bytes(made if isinstance(made, bytes) else made.encode())

    return write


def cut(file):
    file.write_bytes(file.read_bytes()[: -file.stat().st_size // 3])


def dimensions(file):
    raw = bytearray(file.read_bytes())
    struct.pack_into("<8q", raw, 16, 6, 1, 1, 1, 1, 300_000, 300_000, 1)
    file.write_bytes(bytes(raw))


def described(old, new):
    """CIFTI whose description is changed, in an extension as long as it says."""

    def write(file):
        raw = file.read_bytes()
        (start,) = struct.unpack_from("<q", raw, 168)
        text = raw[552:start].rstrip(b"\0")
        assert old in text
        text = text.replace(old, new, 1)
        text += bytes(-(len(text) + 8) % 16)
        head = bytearray(raw[:552])
        struct.pack_into("<q", head, 168, 552 + len(text))
        struct.pack_into("<i", head, 544, 8 + len(text))
        file.write_bytes(bytes(head) + text + raw[start:])

    return write


def zeros_parquet(file):
    """Eighty million bytes in a few thousand: one name, one probability."""
    rows = 400_000
    names = pd.Series(["x" * 200]).repeat(rows).reset_index(drop=True)
    frame = pd.DataFrame({"graph_id": names, "source": "a", "target": "b", "probability": 0.5})
    frame.to_parquet(file, compression="zstd", index=False, use_dictionary=False)


LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
BILLION = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>'
SQUARE = f'<!DOCTYPE x [<!ENTITY a "{"x" * 40_000}">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
NODES = "".join(f'<node id="{i}"/>' for i in range(100_000))
ATTRIBUTES = "<node " + " ".join(f'a{i}="1"' for i in range(300_000)) + "/>"


def graphml(inside, before=""):
    return content(lambda: GRAPHML.format(before, inside))


def hdf5(**how):
    return lambda file: v73(file, lambda opened, _: opened.create_dataset("Z", **how))


PARCEL, END = b'<Parcel Name="p"/>', b"</MatrixIndicesMap>"
# pyarrow ends the process when it is asked about the statistics of a column with such levels.
LEVELS = b"\x25\x02\x18\x08graph_id", b"\x25\x00\x18\x08graph_id"

# Layout and file -> name of the attack -> what is done to the file, what is said.
ATTACKS = {
    ("npy_folder", "sub-01.npy"): {
        "claim": (content(npy("<f8", "(3000000, 3000000)")), "must be an intact .npy file"),
        "pickle": (content(npy("|O", "(5, 5)")), "object|plain"),
        "cut": (cut, "truncated|as large|damaged"),
    },
    ("conn_project", "*.mat"): {
        "claim": (
            content(HEADER + struct.pack("<II", 14, 2**31) + bytes(64)),
            "declares 2147483648 bytes, but 64 follow",
        ),
        "bombs": (content(lambda: HEADER + bomb(2**25) + bomb(2**26, b"names")), "designed to fill memory"),
        # Variables that are not wanted are not unpacked.
        "bombs of others": (content(lambda: HEADER + bomb(2**25, b"SE") * 3), "the variables Z and names"),
        "small bomb": (content(lambda: HEADER + bomb(60 * 2**20)), "must hold the variables Z and names"),
        "cut": (cut, "damaged, truncated"),
    },
    ("conn_project_v73", "*.mat"): {
        "claim": (hdf5(shape=HUGE, dtype="f8"), "must take at most"),
        "zeros": (hdf5(data=np.zeros((4000, 4000)), compression=9), "designed to fill memory"),
        "cut": (cut, "damaged, truncated"),
    },
    ("xcp_d_cifti", "*.pconn.nii"): {
        "claim": (dimensions, "must be as large as its header declares"),
        "entities": (described(b"<CIFTI", b'<!DOCTYPE x [<!ENTITY a "b">]><CIFTI'), "must be plain XML"),
        "parcels": (described(END, PARCEL * 49_000 + END), "20000 tags"),
        "fewer parcels": (described(END, PARCEL * 19_000 + END), "must"),
        "cut": (cut, "as large as its header declares"),
    },
    ("edge_list_parquet", "*.parquet"): {
        "bomb": (zeros_parquet, "Write it again from its source"),
        "levels": (replaced(*LEVELS), "must be an intact Parquet file"),
        "cut": (cut, "must be an intact Parquet file"),
    },
    ("graphml", "sub-01.graphml"): {
        "laughs": (graphml("&a9;", BILLION), "without DTD and entities"),
        "square": (graphml("&a;" * 5_000, SQUARE), "without DTD and entities"),
        "outside": (graphml("&a;", OUTSIDE), "without DTD and entities"),
        "depth": (graphml("<desc>" * 10**6), "50 deep"),
        "nodes": (graphml(NODES), "20000 nodes"),
        "attributes": (graphml(ATTRIBUTES), "65536 bytes"),
        "cut": (cut, "well-formed XML"),
    },
    ("TU", "DS_graph_indicator.txt"): {"graphs": (content("999999999999\n" * 20), "must")},
    ("TU", "DS_A.txt"): {"nodes": (content("1, 9999999999\n"), "must")},
    ("csv_folder", "sub-01.csv"): {
        "columns": (content("1," * 120_000 + "1\n"), "1 rows of numbers and 120001 columns"),
        "rows": (content("1,2\n" * 10**6), "an edge of a graph must be given once"),
    },
    ("txt_folder", "sub-01.txt"): {"comments": (content("# x\n" * 10**6), "it is empty")},
}
CASES = [(*where, *attack) for where, attacks in ATTACKS.items() for attack in attacks.values()]
NAMES = [f"{layout}: {name}" for (layout, _), attacks in ATTACKS.items() for name in attacks]


@pytest.mark.parametrize(("layout", "pattern", "attack", "message"), CASES, ids=NAMES)
def test_refused_soon_and_in_a_quarter_of_a_gigabyte(tmp_path, watched, layout, pattern, attack, message):
    expected = LAYOUTS[layout](tmp_path)
    file = sorted(tmp_path.rglob(pattern))[0]
    attack(file)
    outcome = watched.read(tmp_path, participants=next(iter(tmp_path.glob(expected.participants)), None))
    assert outcome.refused, outcome.error
    assert re.search(message, outcome.error), outcome.error
    assert str(file) in outcome.error
    assert outcome.error.isprintable()
    assert len(outcome.error) < 2_000
    assert outcome.seconds < MOST_SECONDS
    assert outcome.n_bytes < MOST_BYTES


def test_a_cohort_file_of_zeros(tmp_path, watched):
    graphs = UncertainGraphs(np.full((2, 3), 0.5))
    save_cohort(tmp_path / "c.npz", graphs, [0, 1])
    assert not watched.read(tmp_path / "c.npz").error
    np.savez_compressed(tmp_path / "bomb.npz", edge_probability=np.zeros((10, 2_000_000)))
    outcome = watched.read(tmp_path / "bomb.npz")
    assert outcome.refused
    assert outcome.seconds < MOST_SECONDS
    # Only one copy of the unpacked array.
    assert outcome.n_bytes < 1.25 * 160_000_000


def test_large_but_honest_files_are_read(tmp_path, watched):
    rng = np.random.default_rng(0)
    names = [f"region-{i}" for i in range(1000)]
    matrix = np.corrcoef(rng.standard_normal((1000, 50)))
    kinds = ("cifti", "conn", "graphml")
    for kind in kinds:
        (tmp_path / kind).mkdir()
    write_pconn(tmp_path / "cifti" / "a.pconn.nii", matrix, names)
    z = np.arctanh(matrix * (1 - np.eye(1000)))
    file = tmp_path / "conn" / "resultsROI_Subject001_Condition001.mat"
    write_conn_v7(file, z, names, names, np.zeros((1000, 3)))
    graph = nx.gnm_random_graph(5_000, 20_000, seed=0)
    nx.set_edge_attributes(graph, 0.5, "probability")
    nx.write_graphml(graph, tmp_path / "graphml" / "a.graphml")
    for kind in kinds:
        assert not watched.read(tmp_path / kind).error
