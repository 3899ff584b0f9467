"""`dugraph evaluate`: files, exit codes, messages, a run repeated from its record."""

from functools import partial

import pytest

from dugraph.cli import main
from dugraph.search.mining import mine_within

QUICK = ["--n-splits", "2", "--n-subgraphs", "2,4", "--min-expected-frequency", "0.1"]
FILES = {"table.csv", "table.md", "table.tex", "results.csv", "evaluation.json", "config.toml", "input.json"}


def test_evaluate_writes_what_it_promises_and_repeats_from_its_record(make_cohort, tmp_path, capsys):
    data, first, again = make_cohort(), tmp_path / "first", tmp_path / "again"
    methods = ["--methods", "exp-hsic,phi-hsic,comparisons", "--phi", "hsic=0.02"]
    assert main(["evaluate", data, *QUICK, *methods, "-o", str(first)]) == 0
    shown = capsys.readouterr().out
    assert "error rate t=2" in shown
    assert "select-k-best" in shown
    assert {path.name for path in first.iterdir()} == FILES | {"timings.csv", "cache"}
    assert main(["evaluate", data, "--config", str(first / "config.toml"), "-o", str(again)]) == 0
    for name in FILES:
        assert (again / name).read_bytes() == (first / name).read_bytes()


def test_a_wide_table_is_printed_for_the_largest_number_of_subgraphs(make_cohort, tmp_path, capsys):
    flags = ["--methods", "all-edges", "--n-splits", "2", "--n-subgraphs", "2,3,4"]
    assert main(["evaluate", make_cohort(), *flags, "-o", str(tmp_path / "out")]) == 0
    _, heads, *_, note = capsys.readouterr().out.splitlines()
    assert " ".join(heads.split()) == "method error rate t=4 F1 t=4 AUC t=4 avg. rank"
    assert note == "t=2 and 3: see table.md"
    assert "error rate t=2" in (tmp_path / "out" / "table.md").read_text()


def test_a_limit_gives_exit_code_3(make_cohort, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 1))
    flags = ["--methods", "exp-hsic"]
    assert main(["evaluate", make_cohort(), *QUICK, *flags, "-o", str(tmp_path / "out")]) == 3
    said = capsys.readouterr()
    assert "~ A limit was reached in" in said.err
    assert "cells not proven" in said.out.splitlines()[0]


def test_a_method_without_features_has_no_rank(make_cohort, tmp_path, capsys):
    data, out = make_cohort(), tmp_path / "out"
    # The last of several equal flags counts.
    flags = [*QUICK, "--min-expected-frequency", "0.95", "-o", str(out)]
    assert main(["evaluate", data, "--methods", "exp-hsic,med-hsic,all-edges", *flags]) == 0
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.splitlines() if line.startswith(("exp", "med"))]
    assert rows == [["exp-hsic", *"-------"], ["med-hsic", *"-------"]]
    said = "dugraph: No rank for exp-hsic, med-hsic: no features in 2 of 2 splits. No subgraph has an"
    assert said in shown.err
    assert "Warning" not in shown.err
    assert "exp-hsic,,,,,,,,,,,,,,0\n" in (out / "table.csv").read_text()
    assert main(["evaluate", data, "--methods", "exp-hsic,med-hsic", *flags]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(
        "dugraph: At least one method must have features in a split, but none of exp-"
    )
    assert shown.err.count("\n") == 1


def test_fewer_subgraphs_than_requested_are_reported(make_cohort, tmp_path, capsys):
    flags = ["--methods", "exp-hsic", "--n-splits", "2", "--max-edges", "1", "--n-subgraphs", "2,400"]
    assert main(["evaluate", make_cohort(), *flags, "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().err
    # Each of the 10 edges is admitted.
    assert "dugraph: Fewer subgraphs than t were found" in shown
    assert ": 10 by exp-hsic for t=400.\n" in shown
    assert "Warning" not in shown


def test_wrong_input_gives_exit_code_1_and_wrong_usage_2(make_cohort, tmp_path, capsys, refused):
    out = str(tmp_path / "out")
    assert "needs class labels" in refused("evaluate", make_cohort(labels=False), "-o", out)
    data = make_cohort()
    assert main(["evaluate", data, "--methods", "none", "-o", out]) == 1
    said = capsys.readouterr().err
    assert "got 'none'" in said
    assert "nilearn" not in said  # needs what cannot be given here
    assert main(["evaluate", data, "--methods", "all-edges,nilearn-tangent", "-o", out]) == 1
    said = capsys.readouterr().err
    assert "nilearn-tangent: time series of the graphs are needed, which a cohort file does not hold" in said
    assert "available only in Python: evaluate(..., series=...)" in said
    for wrong in (["--n-subgraphs", "1,x"], ["--phi", "a=b"], ["--methods", "a,,b"]):
        with pytest.raises(SystemExit) as error:
            main(["evaluate", data, *wrong, "-o", out])
        assert error.value.code == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--min-expected-frequency", "2"],
            "--min-expected-frequency must be a number of at least 0 and below 1",
        ),
        (["--phi", "nan"], "phi must be a finite number, but is nan"),
        (["--n-splits", "0"], "--n-splits must be a whole number of at least 1"),
        (["--n-subgraphs", "0"], "--n-subgraphs must be a whole number of at least 1"),
        (["--time-limit", "0"], "--time-limit must be a positive number of seconds"),
        (["--n-jobs", "0"], "--n-jobs must be -1 or a whole number"),
        (["--random-state", "-1"], "--random-state must be a whole number from 0 to 4294967295, but is -1"),
        (["--like-paper", "adhd"], "100 graphs of each class are needed to draw from, but there are 10"),
        (["--like-paper", "adhd"], "Give --min-expected-frequency instead of --like-paper."),
    ],
)
def test_wrong_settings_are_named_by_their_flags(make_cohort, tmp_path, capsys, flags, message):
    assert main(["evaluate", make_cohort(), *QUICK, *flags, "-o", str(tmp_path / "out")]) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert not (tmp_path / "out" / "cache").exists()


def test_groups_are_a_column_of_participants(make_cohort, tmp_path, capsys, refused):
    data = make_cohort(participants={"site": [f"site {i // 4}" for i in range(20)]})
    first, again = tmp_path / "first", tmp_path / "again"
    flags = [*QUICK, "--methods", "all-edges"]
    assert main(["evaluate", data, *flags, "--groups", "site", "-o", str(first)]) == 0
    assert 'groups = "site"' in (first / "config.toml").read_text()
    assert main(["evaluate", data, "--config", str(first / "config.toml"), "-o", str(again)]) == 0
    assert (again / "results.csv").read_bytes() == (first / "results.csv").read_bytes()
    capsys.readouterr()
    assert main(["evaluate", data, *flags, "--groups", "place", "-o", str(tmp_path / "no")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("dugraph: --groups must name a column of participants, but there is no 'place'.")
    assert "site" in said
    assert "convert it with --participants FILE" in refused(
        "evaluate", make_cohort("bare.npz"), "--groups", "site", "-o", str(tmp_path / "no")
    )
