"""`dugraph evaluate`: files, exit codes, messages, a run repeated from its record."""

from functools import partial

from dugraph.cli import main
from dugraph.search.mining import mine_within

QUICK = ["--n-splits", "2", "--n-subgraphs", "2,4", "--min-expected-frequency", "0.1"]
FILES = {"table.csv", "table.md", "table.tex", "results.csv", "evaluation.json", "config.toml", "input.json"}


def test_evaluate_writes_what_it_promises(make_cohort, tmp_path, capsys):
    first, methods = tmp_path / "first", ["--methods", "exp-hsic,phi-hsic,comparisons", "--phi", "hsic=0.02"]
    assert main(["evaluate", make_cohort(), *QUICK, *methods, "-o", str(first)]) == 0
    shown = capsys.readouterr().out
    assert "error rate t=2" in shown
    assert "select-k-best" in shown
    assert {path.name for path in first.iterdir()} == FILES | {"timings.csv", "cache"}


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
