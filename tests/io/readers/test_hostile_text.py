"""Text files with wrong encodings, line ends, bytes and names, for every layout of text that is read."""

import os
import re

import pytest
from layouts import LAYOUTS
from watched import MOST_BYTES, MOST_SECONDS

from dugraph import read_cohort

# Layout -> the files to attack, by their endings, and the words to read with.
TEXTS = {
    "xcp_d": ("*_relmat.tsv", {}),
    "giga_connectome": ("*_relmat.tsv", {}),
    "xcp_d_series": ("*Parcels_stat-mean_timeseries.tsv", {}),
    "csv_folder": ("sub-*.csv", {}),
    "txt_folder": ("sub-*.txt", {}),
    "abide_pcp": ("*.1D", {}),
    "adhd200": ("*.1D", {"positive": "1", "negative": "0"}),
    "fsl": ("fdt_network_matrix", {}),
    "mrtrix": ("*_connectome.csv", {"probability": "largest"}),
    "edge_list": ("edges.csv", {}),
    "graphml": ("*.graphml", {}),
    "TU": ("DS_A.txt", {}),
}
NAMED = ("xcp_d", "xcp_d_series", "csv_folder", "edge_list", "graphml")


@pytest.fixture
def attack(tmp_path, watched):
    """Change one file of a layout, read the folder in another process, and hold it to the limits."""

    def attacked(name, change, pattern=None):
        expected = LAYOUTS[name](tmp_path)
        default, words = TEXTS[name]
        file = sorted(tmp_path.rglob(pattern or default))[0]
        file.write_bytes(change(file.read_bytes()))
        words = {"participants": next(iter(tmp_path.glob(expected.participants)), None), **words}
        words |= {"id_column": expected.id_column, "atlas": next(iter(tmp_path.glob("*dseg.tsv")), None)}
        outcome = watched.read(tmp_path, **words)
        assert outcome.seconds < MOST_SECONDS
        assert outcome.n_bytes < MOST_BYTES
        # A sentence, whatever the file holds.
        assert all(line.isprintable() for line in outcome.error.split("\n"))
        assert outcome.refused or not outcome.error, outcome.error
        return outcome.error, file, words

    return attacked


def last_row_cut(content):
    """The last row ends within a number, as when a disk was full."""
    return content[: content.rstrip().rfind(b"\n") + 4]


REFUSED = {
    "NUL": (lambda c: c[:40] + b"\0" + c[40:], r", line \d+: text must not contain NUL bytes"),
    "UTF-16": (lambda c: c.decode().encode("utf-16"), "must be UTF-8, but it begins with the bytes ff fe"),
    "UTF-16 without a mark": (lambda c: c.decode().encode("utf-16-le"), "NUL bytes"),
    "Latin-1": (lambda c: c.rstrip() + b"\xe9\n", r", line \d+: text must be UTF-8, but .* byte 0xe9"),
    "empty": (lambda c: b"", "is empty|there are none|must hold"),
    "blank": (lambda c: b"\n \n", "is empty|there are none|must hold"),
    "one line": (lambda c: b"1" * 20_000_000, r"may have|must be|must have"),
    "cut": (last_row_cut, "must|cannot"),
}


def pairs(kinds):
    """Every layout with every kind; in a quick run every third pair, so that both are met several times."""
    return [
        (name, kind)
        for i, name in enumerate(TEXTS)
        for j, kind in enumerate(kinds)
        if os.environ.get("DUGRAPH_SOAK") or (i + j) % 3 == 0
    ]


@pytest.mark.parametrize(("name", "kind"), pairs(REFUSED))
def test_what_no_reader_can_know(attack, name, kind):
    change, message = REFUSED[kind]
    error, file, _ = attack(name, change)
    assert re.search(message, error), error
    # Files that are hardly there may not even be taken for files of the format.
    assert str(file) in error or kind in ("empty", "blank", "one line", "cut")


@pytest.mark.parametrize("kind", ["NUL", "UTF-16", "Latin-1", "empty", "one line"])
def test_the_table_of_subjects(attack, kind):
    change, message = REFUSED[kind]
    error, file, _ = attack("csv_folder", change, "participants.tsv")
    assert re.search(message, error), error
    assert str(file) in error


HANDLED = {
    "Windows line ends": lambda c: c.replace(b"\n", b"\r\n"),
    "byte order mark": lambda c: b"\xef\xbb\xbf" + c,
    "no last line end": lambda c: c.rstrip(b"\n"),
}


@pytest.mark.parametrize(("name", "kind"), pairs(HANDLED))
def test_what_is_read_all_the_same(attack, tmp_path, name, kind, tmp_path_factory):
    error, _, words = attack(name, HANDLED[kind])
    assert not error
    intact = tmp_path_factory.mktemp("intact")
    LAYOUTS[name](intact)
    expected, y = read_cohort(intact, **{k: in_folder(v, intact) for k, v in words.items()})
    found, found_y = read_cohort(tmp_path, **words)
    assert found.edge_probability.tolist() == expected.edge_probability.tolist()
    assert found.node_labels == expected.node_labels
    assert found_y.tolist() == y.tolist()


def in_folder(value, folder):
    return folder / value.name if hasattr(value, "name") else value


OLD = b"RH_Vis_1"
NAMES = {
    "HTML": "<script>alert(1)</script>",
    "path": "../../x",
    "formula": "=cmd|' /C calc'!A0",
    "right to left": "\u202eturned\u202c",
    "markup": "[red]x[/red]",
    "terminal": "\x1b[2Jx",
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("name", NAMED)
def test_hostile_names_are_names(attack, name, kind):
    new = NAMES[kind].encode()
    if name == "graphml":
        new = new.replace(b"<", b"&lt;").replace(b"\x1b", b"&#27;")
    error, file, words = attack(name, lambda c: c.replace(OLD, new))
    if name in ("edge_list", "graphml") and not error:
        found, _ = read_cohort(file.parent, **{**words, "missing": "absent"})
        assert NAMES[kind] in found.node_labels
    else:
        # In one file of several it is another region, which the message shows harmlessly.
        assert re.search("region|XML", error)


@pytest.mark.parametrize("name", NAMED)
def test_a_name_of_a_megabyte(attack, name):
    error, file, _ = attack(name, lambda c: c.replace(OLD, b"x" * 2**20))
    assert str(file) in error
    assert re.search("may have|must have 1 to 1000|field larger than field limit", error)
    assert len(error) < 1_000
