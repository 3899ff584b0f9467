"""`dugraph simulate`."""

import json

import pytest

from dugraph import load_cohort, simulate
from dugraph.cli import main


def test_the_cohort_and_its_planted_subgraphs(tmp_path, capsys):
    path = tmp_path / "c.npz"
    arguments = ["simulate", "--like", "hiv", "--n-graphs", "10", "--n-planted", "2", "--effect", "0.9"]
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert capsys.readouterr().out.count("\n") == 2
    expected = simulate("hiv", n_graphs=10, n_planted=2, effect=0.9, random_state=5)
    graphs, y = load_cohort(path)
    assert graphs == expected.graphs
    assert y.tolist() == expected.y.tolist()
    record = json.loads((tmp_path / "c.planted.json").read_text())
    assert [tuple(subgraph["edge_index"]) for subgraph in record["planted"]] == expected.planted
    assert record["planted"][0]["edges"] == [graphs.edge_name(edge) for edge in expected.planted[0]]
    assert record["simulated_with"]["random_state"] == 5
    first = path.read_bytes()
    assert main([*arguments, "--random-state", "5", "-o", str(path)]) == 0
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--n-graphs", "7"], 1, "--n-graphs must be an even integer"),
        (["--effect", "50"], 1, "effect must be from 0"),
        (["--n-planted", "-1"], 1, "--n-planted must be an integer from 0"),
        (["--random-state", "-3"], 1, "--random-state must be"),
        (["--like", "ADHD200"], 2, "invalid choice: 'ADHD200'"),
        (["--n-graphs", "ten"], 2, "--n-graphs: must be a whole number in digits, but is 'ten'"),
    ],
)
def test_wrong_inputs(arguments, code, message, tmp_path, capsys):
    arguments = ["simulate", *arguments, "-o", str(tmp_path / "c.npz")]
    if code == 2:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
    else:
        assert main(arguments) == code
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["s.csv", "s"])
def test_another_ending_than_npz_is_refused_before_any_work(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("dugraph.simulate", None)
    path = tmp_path / name
    assert main(["simulate", "-o", str(path)]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"dugraph: {path}: the name of a cohort file must end in .npz.")
    assert shown.endswith(f" Write -o {tmp_path / 's.npz'}.\n")
    assert list(tmp_path.iterdir()) == []


def test_messages_name_flags(make_cohort, tmp_path, capsys):
    data, out = make_cohort(), ["-o", str(tmp_path / "c.npz")]
    for arguments, message in (
        (["simulate", "--n-graphs", "7", *out], "Choose an even number, or leave it out for the paper's."),
        (["simulate", "--effect", "2", *out], "in this range, or leave it out for the default."),
        (["simulate", "--random-state", "-1", *out], "must be a non-negative integer; got -1."),
        (["mine", data, "--time-limit", "0"], "must be a positive number of seconds, but is 0.0."),
        (["mine", data, "--max-correlation", "2"], "must be a number from 0 to 1, but is 2.0."),
        (["mine", data, "--score-cap", "inf"], "but is inf. Leave it out for the default."),
        (["mine", data, "--score-cap", "-1"], "would be equal. Leave it out for the default."),
        (["sparse", data, "--alpha", "-1"], "alpha must be a positive number or cv, but is -1.0."),
    ):
        assert main(arguments) == 1
        shown = capsys.readouterr().err
        assert message in shown
        assert "None" not in shown
