"""What `dugraph mine` says about settings that do not do what they seem to do, and about long searches."""

import re

import numpy as np
import pytest

import dugraph
from dugraph.cli import main
from dugraph.cli import output as progress_module

BY_PHI = ["--measure", "phi_probability", "--n-subgraphs", "3", "--phi"]
LARGEST_HSIC = (10 * 10 / 20 / 19) ** 2  # of 10 graphs with and 10 without a subgraph


def said(capsys, *arguments):
    assert main(["mine", *arguments]) == 0
    return capsys.readouterr().err


def test_a_phi_out_of_reach_is_told_with_the_largest_score(make_cohort, capsys):
    data = make_cohort()
    assert said(capsys, data, *BY_PHI, "5") == (
        "dugraph: all 3 listed values are 0, chosen and ordered only by the tie rule, fewer edges first. "
        f"phi is 5, the largest hsic that 10 and 10 graphs can have is {LARGEST_HSIC:.4g}. Choose a smaller "
        "--phi.\n"
    )
    # This score is the largest one: it is reached, if with a small probability.
    assert said(capsys, data, *BY_PHI, str(LARGEST_HSIC)) == ""
    assert "all listed values are 0, " in said(capsys, data, *BY_PHI, "5", "--n-subgraphs", "1")
    assert "values are 0" in said(capsys, data, *BY_PHI, str(LARGEST_HSIC * 1.001))


def test_some_values_of_0_are_counted(tmp_path, capsys):
    # Of three edges that do not touch, the last two are in all graphs or in none, whatever their class.
    X = [[0.9, 1.0, 1.0], [0.8, 1.0, 1.0], [0.2, 1.0, 1.0], [0.1, 1.0, 1.0]]
    graphs = dugraph.UncertainGraphs(X, edges=[[0, 1], [2, 3], [4, 5]])
    dugraph.save_cohort(tmp_path / "c.npz", graphs, [1, 1, 0, 0])
    assert said(capsys, str(tmp_path / "c.npz"), "--n-subgraphs", "3") == (
        "dugraph: 2 of the 3 listed values are 0, chosen and ordered only by the tie rule, fewer edges "
        "first.\n"
    )


def test_a_phi_that_all_reach_is_told(make_cohort, capsys):
    data = make_cohort()
    shown = said(capsys, data, *BY_PHI, "0")
    assert shown.startswith("dugraph: all 3 listed values are 1, chosen and ordered only by the tie rule")
    assert f"can have is {LARGEST_HSIC:.4g}. Choose a larger --phi.\n" in shown
    assert said(capsys, data, *BY_PHI, "0.02") == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--quantile", "0.1"],
            "--quantile 0.1 does not affect a ranking by expectation. Add --measure quant",
        ),
        (["--quantile", "0.1", "--measure", "median"], "--quantile 0.1 does not affect a ranking by median."),
        (["--phi", "0.01"], "--phi 0.01 does not affect a ranking by expectation. Add --measure phi_prob"),
        (["--quantile", "0.1", "--measure", "quantile"], None),
        (["--phi", "0.01", "--measure", "phi_probability"], None),
        ([], None),
    ],
)
def test_a_parameter_of_another_measure_is_named(arguments, message, make_cohort, capsys):
    shown = said(capsys, make_cohort(), "--n-subgraphs", "2", *arguments)
    hints = re.findall("^dugraph: (.*)$", shown, re.MULTILINE)
    assert len(hints) == (message is not None)
    assert message is None or hints[0].startswith(message)


def test_a_long_search_says_once_what_can_be_done(make_cohort, monkeypatch, capsys):
    now = {"n_visited": 5, "n_evaluated": 2, "threshold": 0.1, "best_open_bound": 0.2}
    search = dugraph.mine_subgraphs

    def slow(*arguments, progress, **more):
        for seconds in (1.0, 59.0, 61.0, 70.0):
            if progress is not None:
                progress({**now, "seconds": seconds})
        return search(*arguments, **more)

    monkeypatch.setattr(dugraph, "mine_subgraphs", slow)
    arguments = [make_cohort(), "--n-subgraphs", "2"]
    hint = (
        "mining: this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit in"
    )
    shown = said(capsys, *arguments)  # stderr is no terminal here
    assert shown.startswith(hint)
    assert shown.count("\n") == 1
    assert said(capsys, *arguments, "--no-progress") == ""
    assert said(capsys, *arguments, "--time-limit", "1000") == ""
    lines = said(capsys, *arguments, "--progress").splitlines()
    assert [line.startswith(hint) for line in lines] == [False, True, False]
    assert progress_module.LONG_SECONDS == 60


def test_certain_edges_without_a_limit_are_announced_before_the_search(tmp_path, capsys, monkeypatch):
    """Subgraphs that all graphs share are admitted whatever their size: there may be no end."""
    X = np.ones((8, 28))
    X[:4, 0] = 0.0

    def never(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dugraph.mine_subgraphs", never)
    dugraph.save_cohort(tmp_path / "c.npz", dugraph.UncertainGraphs(X), [0, 1] * 4)
    assert main(["mine", str(tmp_path / "c.npz")]) == 130
    assert "all edges are certain (0 or 1), and 28 occur in more than 0.2 of the graphs" in (
        said := capsys.readouterr().err
    )
    assert "add --max-edges 3" in said
    for flags, values in ((["--max-edges", "2"], X), ([], X * 0.9), ([], X[:, :21])):
        dugraph.save_cohort(tmp_path / "c.npz", dugraph.UncertainGraphs(values), [0, 1] * 4)
        assert main(["mine", str(tmp_path / "c.npz"), *flags]) == 130
        assert "certain" not in capsys.readouterr().err


def test_control_characters_of_names_are_escaped_in_the_table_of_features(tmp_path):
    X = np.random.default_rng(0).random((12, 3))
    graphs = dugraph.UncertainGraphs(X, node_labels=["x\x1b[31m", "y", "z"])
    dugraph.save_cohort(tmp_path / "c.npz", graphs, np.array(["a\x1b[0m", "b"])[np.arange(12) % 2])
    assert main(["mine", str(tmp_path / "c.npz"), "--n-subgraphs", "2", "-o", str(tmp_path / "out")]) == 0
    table = (tmp_path / "out/features.csv").read_text()
    assert "\x1b" not in table
    assert r"x\x1b[31m--" in table
    assert r'"a\x1b[0m"' in table
