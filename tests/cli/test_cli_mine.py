"""`dugraph mine`: the table, wrong inputs, limits, progress."""

import re
from functools import partial

import numpy as np
import pytest

from dugraph import UncertainGraphs, load_cohort, mine_subgraphs, save_cohort
from dugraph.cli import main
from dugraph.cli import output as progress_module
from dugraph.search.mining import mine_within
from dugraph.search.progress import progress_line


def test_the_table(make_cohort, capsys):
    assert main(["mine", make_cohort(), "--n-subgraphs", "3", "--max-edges", "2"]) == 0
    shown = capsys.readouterr()
    rows = [line for line in shown.out.splitlines() if re.match(r" +\d+  ", line)]
    assert len(rows) == 3
    assert rows[0].endswith("region-0--region-1, region-0--region-2")
    assert rows[0].split()[2:4] == ["0.9025", "0.09000"]  # 0.95 ** 2 in patients, 0.3 ** 2 in controls
    assert "OPTIMAL" in shown.out
    assert shown.err == ""


def test_subgraphs_that_complement_each_other(make_cohort, capsys):
    arguments = ["mine", make_cohort(), "--n-subgraphs", "3", "--max-correlation"]
    assert main([*arguments, "0.5"]) == 0
    shown = capsys.readouterr().out
    expected = mine_subgraphs(*load_cohort(arguments[1]), n_subgraphs=3, max_correlation=0.5)
    assert all(name.strip("{}") in shown for name in expected.names)
    assert expected.subgraphs[:1] == [(0, 1)]
    assert (0,) not in expected.subgraphs  # a part of the first one repeats it
    assert main([*arguments, "2"]) == 1
    assert "--max-correlation must be a number from 0 to 1, but is 2.0" in capsys.readouterr().err


def test_the_positive_class_is_chosen_by_its_text(make_cohort, capsys):
    arguments = ["--n-subgraphs", "1", "--max-edges", "1", "--score", "confidence", "--measure", "median"]
    for classes, label in ((("control", "patient"), "control"), ((0, 1), "0"), ((False, True), "False")):
        path = make_cohort(classes=classes)
        assert main(["mine", path, *arguments, "--pos-label", label]) == 0
        expected = mine_subgraphs(
            *load_cohort(path),
            n_subgraphs=1,
            max_edges=1,
            score="confidence",
            measure="median",
            pos_label=classes[0],
        )
        assert expected.names[0].strip("{}") in capsys.readouterr().out


def test_fewer_subgraphs_than_asked_for_is_told(make_cohort, capsys):
    assert main(["mine", make_cohort(), "--max-edges", "1", "--n-subgraphs", "50"]) == 0
    shown = capsys.readouterr()
    assert "50 subgraphs were requested" in shown.err
    assert shown.err.count("\n") == 1


def test_a_limit_exits_with_3(make_cohort, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("dugraph.mine_subgraphs", partial(mine_within, 1))
    arguments = ["mine", make_cohort(), "--n-subgraphs", "2", "--min-expected-frequency", "0"]
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 3
    shown = capsys.readouterr()
    assert "NODE_LIMIT" in shown.out
    assert "not proven" in shown.err
    assert (tmp_path / "out" / "results.json").exists()


def test_values_just_below_1_are_told_apart(tmp_path, capsys):
    y = np.arange(40) % 2
    X = np.where(y[:, None] == 1, [[0.95, 0.9, 0.7]], [[0.1, 0.1, 0.1]])
    save_cohort(tmp_path / "c.npz", UncertainGraphs(X), y)
    arguments = ["--measure", "phi_probability", "--phi", "0.005", "--n-subgraphs", "3", "--max-edges", "1"]
    assert main(["mine", str(tmp_path / "c.npz"), *arguments]) == 0
    shown = capsys.readouterr().out
    values = mine_subgraphs(
        *load_cohort(tmp_path / "c.npz"), measure="phi_probability", phi=0.005, n_subgraphs=3, max_edges=1
    ).values
    assert 0.9999 < values[1] < values[0] < 1
    assert [f"1 - {1 - value:.2g}" in shown for value in values[:2]] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--pos-label", "patients"], 1, "--pos-label must be one of the two classes: got 'patients'"),
        (["--min-expected-frequency", "20"], 1, "at least 0 and below 1, but is 20.0"),
        (["--min-expected-frequency", "0.99"], 1, "No subgraph has an expected frequency above"),
        (["--n-subgraphs", "0"], 1, "--n-subgraphs must be a whole number of at least 1"),
        (["--time-limit", "-1"], 1, "--time-limit must be a positive number"),
        (["--config", "none.toml"], 1, "none.toml: No such file or directory."),
        (["--score", "HSIC"], 2, "invalid choice: 'HSIC'"),
        (["--n-subgraphs", "1e3"], 2, "--n-subgraphs: must be a whole number in digits, but is '1e3'"),
        (["--n-sub", "3"], 2, "unrecognized arguments: --n-sub"),
    ],
)
def test_wrong_inputs(arguments, code, message, make_cohort, capsys):
    arguments = ["mine", make_cohort(), *arguments]
    if code == 2:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
        assert message in capsys.readouterr().err
        return
    assert main(arguments) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_cohort_without_classes_cannot_be_mined(make_cohort, capsys):
    assert main(["mine", make_cohort(labels=False)]) == 1
    assert "needs class labels" in capsys.readouterr().err


def test_progress_begins_after_two_seconds(make_cohort, monkeypatch, capsys):
    now = {"n_visited": 5, "n_evaluated": 2, "threshold": 0.1, "best_open_bound": 0.2, "seconds": 1.0}
    assert progress_module.progress("mining", None, progress_line) is None  # stderr is no terminal here
    show = progress_module.progress("mining", True, progress_line)
    show(now)
    assert capsys.readouterr().err == ""
    for seconds in (2.5, 2.6):  # in a log one line in ten seconds
        show({**now, "seconds": seconds})
    assert capsys.readouterr().err == "mining: 5 admitted (2/s), 2 evaluated, threshold 0.1, gap 0.1, 2.5 s\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress_module.progress("mining", None, progress_line)({**now, "seconds": 3.0})
    progress_module.clear_line()
    shown = capsys.readouterr().err
    assert shown.startswith("\r\x1b[Kmining: 5 admitted")
    assert shown.endswith("\r\x1b[K")
    monkeypatch.setattr(progress_module, "QUIET_SECONDS", 0.0)
    assert main(["mine", make_cohort(), "--progress", "--n-subgraphs", "2"]) == 0
