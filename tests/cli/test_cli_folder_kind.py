"""One folder, one command: results of another command are neither overwritten nor mixed with new ones."""

import pytest

from dugraph.cli import main

COMMANDS = {
    "mine": ["--n-subgraphs", "3"],
    "sparse": ["--n-nonzero", "2", "--n-alphas", "4"],
    "test": ["--n-permutations", "99"],
    "evaluate": ["--methods", "all-edges", "--n-subgraphs", "2", "--n-splits", "2"],
}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("first", COMMANDS)
def test_a_folder_of_another_command_is_refused_and_stays(first, make_cohort, tmp_path, capsys):
    data, folder = make_cohort(), tmp_path / "out"
    assert main([first, data, *COMMANDS[first], "-o", str(folder)]) == 0
    before = contents(folder)
    for second in COMMANDS.keys() - {first}:
        capsys.readouterr()
        # Refused before any work: the cohort is not even looked for.
        assert main([second, "absent.npz", *COMMANDS[second], "-o", str(folder)]) == 1
        shown = capsys.readouterr()
        assert f"this one has those of `dugraph {first}`" in shown.err
        assert "Choose another folder with -o." in shown.err
        assert shown.err.count("\n") == 1
        assert shown.out == ""
        assert contents(folder) == before
    assert main(["report", str(folder)]) == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_replaces_its_own_results(command, make_cohort, tmp_path):
    data, folder = make_cohort(), tmp_path / "out"
    (tmp_path / "out").mkdir()
    (folder / "results.json").write_text('{"mine": "of someone else"}')
    for _ in range(2):
        assert main([command, data, *COMMANDS[command], "-o", str(folder)]) == 0


def test_cells_of_an_evaluation_that_was_interrupted_are_kept(make_cohort, tmp_path, refused):
    (tmp_path / "out" / "cache" / "cells").mkdir(parents=True)
    assert "this one has those of `dugraph evaluate`" in refused(
        "mine", make_cohort(), "-o", str(tmp_path / "out")
    )
