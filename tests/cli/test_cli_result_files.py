"""The files of `dugraph mine -o`: exact, equal for equal runs, all or nothing, repeatable."""

import csv
import hashlib
import json
import os
import tomllib
from pathlib import Path

import pytest

from dugraph import containment_probability, load_cohort, mine_subgraphs
from dugraph.cli import main
from dugraph.cli.config_file import config_text
from dugraph.data.atomic import write_files
from dugraph.exceptions import InputError

NAMES = ("config.toml", "results.csv", "results.json")


@pytest.fixture
def mined(make_cohort, tmp_path):
    path = make_cohort()
    folder = tmp_path / "a" / "out"
    arguments = ["mine", path, "--measure", "phi_probability", "--phi", "0.01", "--n-subgraphs", "4"]
    assert main([*arguments, "-o", str(folder)]) == 0
    return path, folder, arguments


def test_the_record_is_exact(mined):
    path, folder, _ = mined
    assert sorted(os.listdir(folder)) == sorted(NAMES)
    text = (folder / "results.json").read_text()
    record = json.loads(text)
    assert text == json.dumps(record, indent=1, sort_keys=True) + "\n"
    graphs, y = load_cohort(path)
    result = mine_subgraphs(graphs, y, measure="phi_probability", phi=0.01, n_subgraphs=4)
    subgraphs = record["subgraphs"]
    assert [tuple(e["index"] for e in s["edges"]) for s in subgraphs] == result.subgraphs
    assert [s["value"] for s in subgraphs] == result.values.tolist()
    assert [float.fromhex(s["value_hex"]) for s in subgraphs] == result.values.tolist()
    x = containment_probability(graphs, result.subgraphs[0])
    assert subgraphs[0]["expected_frequency_positive"] == x[y == "patient"].mean()
    assert subgraphs[0]["expected_frequency_negative"] == x[y == "control"].mean()
    first = subgraphs[0]["edges"][0]
    assert first["node_labels"] == [graphs.node_labels[node] for node in first["nodes"]]
    assert record["parameters"] == result.parameters
    assert record["input"]["sha256"] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert record["input"]["positive_class"] == "patient"
    assert record["proof"]["status"] == "OPTIMAL"
    assert record["proof"]["gap"] == 0
    assert record["counters"]["n_visited"] == result.n_visited


def test_the_table_of_numbers(mined):
    _, folder, _ = mined
    with open(folder / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    record = json.loads((folder / "results.json").read_text())
    assert [float(row["value"]) for row in rows] == [s["value"] for s in record["subgraphs"]]
    assert [row["edge_index"].split() for row in rows] == [
        [str(e["index"]) for e in s["edges"]] for s in record["subgraphs"]
    ]


def test_equal_runs_give_equal_bytes_and_the_record_repeats_a_run(mined, tmp_path):
    path, folder, arguments = mined
    assert main([*arguments, "-o", str(tmp_path / "again" / "out")]) == 0
    config = str(folder / "config.toml")
    assert main(["mine", path, "--config", config, "-o", str(tmp_path / "repeated" / "out")]) == 0
    for name in NAMES:
        expected = (folder / name).read_bytes()
        assert (tmp_path / "again" / "out" / name).read_bytes() == expected
        assert (tmp_path / "repeated" / "out" / name).read_bytes() == expected


def test_flags_win_over_the_configuration(make_cohort, tmp_path, capsys):
    config = tmp_path / "c.toml"
    config.write_text('score = "confidence"\nn-subgraphs = 2\nprogress = false\npos_label = "control"\n')
    assert main(["mine", make_cohort(), "--config", str(config), "--score", "g_test"]) == 0
    assert "exp-g_test: 2 subgraphs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n_subgraph = 3", "got 'n_subgraph'. Known are score, measure"),
        ("score = [1]", "score must be a number or a text; got [1]"),
        ("progress = 1", "progress must be true or false; got 1"),
        ("score = hsic", "must be a TOML file"),
    ],
)
def test_wrong_configurations(text, message, make_cohort, tmp_path, capsys):
    (tmp_path / "c.toml").write_text(text)
    assert main(["mine", make_cohort(), "--config", str(tmp_path / "c.toml")]) == 1
    assert message in capsys.readouterr().err


def test_every_setting_survives_its_record():
    settings = {"a": 'x"\\\n\x7f\u202e', "b": 1e-300, "c": float("inf"), "d": 10**18, "e": True, "f": None}
    read = tomllib.loads(config_text("a comment", settings))
    assert read == {key: value for key, value in settings.items() if value is not None}


@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_an_error_while_writing_keeps_older_results(place, mined, monkeypatch, capsys):
    _, folder, arguments = mined
    before = {name: (folder / name).read_bytes() for name in NAMES}

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, place, fail)
    assert main([*arguments, "--n-subgraphs", "2", "-o", str(folder)]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert {name: (folder / name).read_bytes() for name in os.listdir(folder)} == before


def test_no_file_is_replaced_before_all_are_written(tmp_path):
    write_files(tmp_path, {"a": b"old", "b": b"old"})
    with pytest.raises(TypeError):
        write_files(tmp_path, {"a": b"new", "b": None})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old", "b": b"old"}


def test_a_folder_that_cannot_be_is_told_before_the_search(make_cohort, tmp_path, monkeypatch, capsys):
    path = make_cohort()
    monkeypatch.setattr("dugraph.cli.mine._mine", None)  # never reached
    assert main(["mine", path, "-o", path]) == 1
    assert "must name a folder, but a file is there" in capsys.readouterr().err
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="must be writable"):
        write_files(tmp_path, {"a": b""})
