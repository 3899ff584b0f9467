"""Checkpoints and shards on the command line."""

import json
from functools import partial
from pathlib import Path

import pytest

import dugraph
from dugraph.cli import main
from dugraph.search.mining import mine_within

TEST = ["--n-permutations", "99", "--max-edges", "2"]


def files(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def without_counters(folder):
    found = files(folder)
    record = json.loads(found.pop("results.json"))
    record.pop("counters", None)
    found.pop("model.json", None)
    return found, record


@pytest.mark.parametrize(("command", "more"), [("mine", ["--pos-label", "control"]), ("test", TEST)])
def test_shards_and_merge_write_what_one_command_writes(
    command, more, make_cohort, tmp_path, monkeypatch, capsys, refused
):
    monkeypatch.chdir(tmp_path)
    data = make_cohort()
    assert main([command, data, *more, "-o", "whole"]) == 0
    for k in (1, 2):
        assert main([command, data, *more, "--shard", f"{k}/2", "-o", f"shards/{k}"]) == 0
        assert f"Shard {k}/2 is done" in capsys.readouterr().err
    assert main(["merge", "shards/1", "shards/2", "-o", "merged"]) == 0
    assert without_counters("merged") == without_counters("whole")
    said = refused("merge", "shards/1", "-o", "merged")
    assert "All 2 shards are needed, but 1 is missing: 2/2. Run these first." in said


def test_a_search_stopped_by_a_limit_is_resumed_by_the_same_command(
    make_cohort, tmp_path, monkeypatch, refused
):
    command = ["mine", make_cohort(), "--min-expected-frequency", "0.01", "--measure", "mode"]
    checkpoint = ["--checkpoint", str(tmp_path / "search.npz")]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    with monkeypatch.context() as patch:
        patch.setattr("dugraph.mine_subgraphs", partial(mine_within, 10))
        assert main([*command, *checkpoint]) == 3
    assert main([*command, *checkpoint, "-o", str(tmp_path / "again")]) == 0
    assert without_counters(tmp_path / "again") == without_counters(tmp_path / "whole")
    assert "dugraph: --checkpoint must belong to the same computation" in refused(
        *command, *checkpoint, "--n-subgraphs", "7"
    )


def test_a_test_with_a_checkpoint(make_cohort, tmp_path):
    command = ["test", make_cohort(), *TEST]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    for _ in range(2):
        again = ["--checkpoint", str(tmp_path / "test.npz"), "-o", str(tmp_path / "again")]
        assert main([*command, *again]) == 0
        assert files(tmp_path / "again") == files(tmp_path / "whole")


def test_merge_reports_the_limits_of_shards(tmp_path, capsys):
    graphs, y, _ = dugraph.simulate("hiv", n_graphs=40, random_state=0)
    dugraph.save_cohort(tmp_path / "cohort.npz", graphs, y)
    flags = "--min-expected-frequency 0.01 --measure mode --time-limit 1e-9"
    command = ["mine", str(tmp_path / "cohort.npz"), *flags.split()]
    folders = [str(tmp_path / name) for name in "ab"]
    for k, folder in enumerate(folders, start=1):
        assert main([*command, "--shard", f"{k}/2", "-o", folder]) == 3
    assert main(["merge", *folders, "-o", str(tmp_path / "merged")]) == 3
    assert (tmp_path / "merged" / "checkpoint.npz").exists()
    assert "not proven" in capsys.readouterr().err


def test_a_damaged_record_of_a_shard_is_refused(make_cohort, tmp_path, refused):
    folder = tmp_path / "shard"
    assert main(["mine", make_cohort(), "--shard", "1/1", "-o", str(folder)]) == 0
    (folder / "shard.json").write_text('{"command": "mine", "settings": {"score": {}}}')
    assert "shard.json: the results must be as" in refused(
        "merge", str(folder), "-o", str(tmp_path / "merged")
    )
