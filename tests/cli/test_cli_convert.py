"""`dugraph convert`: what it prints, what it writes, how it ends."""

import numpy as np
import pytest

from dugraph import load_cohort, read_cohort
from dugraph.cli import main
from dugraph.io.layouts import FORMATS


@pytest.fixture
def folder(tmp_path):
    """Three subjects, a table of three, one of them another one."""
    place = tmp_path / "connectomes"
    place.mkdir()
    for i, name in enumerate(("01", "02", "03")):
        r = 0.1 + 0.2 * i
        (place / f"sub-{name}.csv").write_text(f"Insula,<b>x</b>\u202e\n1,{r}\n{r},1\n")
    table = "participant_id\tgroup\nsub-01\tpatient\nsub-02\tcontrol\nsub-04\tcontrol\n"
    (place / "participants.tsv").write_text(table)
    return place


def test_it_prints_what_was_read_and_writes_what_the_api_gives(folder, tmp_path, capsys):
    out, table = tmp_path / "c.npz", folder / "participants.tsv"
    words = ["--participants", str(table), "--positive", "patient", "--intersect", "--threshold", "0.2"]
    assert main(["convert", str(folder), *words, "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    for text in (
        "format         matrices",
        "format reason  3 files such as sub-01.csv\n",
        "left out       without a row: sub-03; without a file: sub-04",
        "rule           the correlation itself, negative ones become 0",
        "threshold      0.2",
        "positive       patient",
    ):
        assert text in shown.out
    graphs, y = load_cohort(out)
    expected = read_cohort(folder, participants=table, positive="patient", intersect=True, threshold=0.2)
    assert graphs == expected[0]
    assert y.tolist() == expected[1].tolist() == [1, 0]
    np.testing.assert_array_equal(graphs.edge_probability, [[0.0], [0.1 + 0.2]])
    assert main(["info", str(out)]) == 0
    assert capsys.readouterr().out == shown.out


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_the_table_in_the_folder_is_used(folder, tmp_path, capsys, ending, refused):
    table = folder / "participants.tsv"
    rows = table.read_text().replace("sub-04", "sub-03").replace("\t", "\t" if ending == "tsv" else ",")
    table.unlink()
    (folder / f"participants.{ending}").write_text(rows)
    assert main(["convert", str(folder), "-o", str(tmp_path / "c.npz")]) == 0
    assert f"participants   participants.{ending}" in capsys.readouterr().out
    assert load_cohort(tmp_path / "c.npz")[1].tolist() == [1, 0, 0]
    assert main(["convert", str(folder), "--participants", "none", "-o", str(tmp_path / "c.npz")]) == 0
    assert load_cohort(tmp_path / "c.npz")[1] is None
    (folder / f"participants.{ending}").write_text(rows.replace("sub-03", "sub-04"))
    assert "The files are read without this table by --participants none." in refused(
        "convert", str(folder), "-o", str(tmp_path / "c.npz")
    )


def test_the_help_lists_the_formats(capsys):
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    # Lines break where the terminal is narrow.
    shown = "".join(capsys.readouterr().out.split())
    assert f"Formats:{','.join(FORMATS)}." in shown


def test_sizes_in_words(folder, tmp_path):
    for size in ("1M", "2g", "100000"):
        words = ["--participants", "none", "--max-memory", size]
        assert main(["convert", str(folder), *words, "-o", str(tmp_path / "c.npz")]) == 0
