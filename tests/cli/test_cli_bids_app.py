"""`dugraph-bids`: the same files as the two commands that it stands for."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dugraph.cli import bids_app, main
from dugraph.cli.program import build_parser

REGIONS = [f"region{i}" for i in range(6)]


@pytest.fixture
def derivatives(tmp_path: Path) -> Path:
    """Matrices as XCP-D writes them, of 24 subjects in two sites; two edges differ between the groups."""
    random = np.random.default_rng(0)
    folder = tmp_path / "xcp_d"
    rows = ["participant_id\tgroup\tsite"]
    for i in range(24):
        group, site = ("patient", "control")[i % 2], ("A", "B")[i // 2 % 2]
        matrix = np.clip(random.normal(0.3, 0.1, (6, 6)), 0, 1)
        if group == "patient":
            matrix[1, 0] = matrix[2, 1] = 0.9
        matrix = np.tril(matrix, -1) + np.tril(matrix, -1).T + np.eye(6)
        place = folder / f"sub-{i:02}" / "func"
        place.mkdir(parents=True)
        table = pd.DataFrame(matrix, index=pd.Index(REGIONS, name="Node"), columns=REGIONS)
        name = f"sub-{i:02}_task-rest_atlas-Six_stat-pearsoncorrelation_relmat.tsv"
        table.to_csv(place / name, sep="\t")
        rows.append(f"sub-{i:02}\t{group}\t{site}")
    (folder / "participants.tsv").write_text("\n".join(rows) + "\n")
    return folder


def test_it_is_convert_and_test_in_one(derivatives, tmp_path, capsys):
    out = tmp_path / "out" / "deep"
    flags = ["--positive", "patient", "--blocks", "site", "--n-permutations", "199"]
    assert bids_app.main([str(derivatives), str(out), "group", *flags]) == 0
    by_hand = tmp_path / "by-hand"
    by_hand.mkdir()
    cohort = str(by_hand / "cohort.npz")
    table = str(derivatives / "participants.tsv")
    assert (
        main(["convert", str(derivatives), "--participants", table, "--positive", "patient", "-o", cohort])
        == 0
    )
    assert main(["test", cohort, *flags[2:], "--report", "-o", str(by_hand / "test")]) == 0
    names = sorted(path.name for path in (by_hand / "test").iterdir())
    assert names == sorted(path.name for path in (out / "test").iterdir())
    assert "report.html" in names
    for name in ("results.csv", "results.json", "null_maxima.csv"):
        assert (out / "test" / name).read_bytes() == (by_hand / "test" / name).read_bytes()
    assert "patient" in capsys.readouterr().out


def test_nothing_is_tested_when_nothing_was_read(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert bids_app.main([str(tmp_path / "empty"), str(tmp_path / "out"), "group"]) == 1
    assert list((tmp_path / "out").iterdir()) == []
    assert capsys.readouterr().err.count("dugraph: ") == 1


@pytest.mark.parametrize("arguments", [[], ["in", "out", "participant"], ["in", "out", "group", "--colour"]])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        bids_app.main(arguments)
    assert end.value.code == 2
    assert "usage: dugraph-bids" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_wrong_usage(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as end:
        bids_app.main([str(tmp_path), str(tmp_path / "file" / "out"), "group"])
    assert end.value.code == 2
    assert "OUTPUT cannot be created" in capsys.readouterr().err


def test_its_options_are_options_of_the_commands():
    whole = build_parser()
    for command, flags in (("convert", bids_app._CONVERT), ("test", bids_app._TEST)):
        known = whole.parse_args([command, "x", *(["-o", "y"] if command == "convert" else [])])
        assert [flag for flag in flags if not hasattr(known, flag.replace("-", "_"))] == []
