"""`dugraph mine` of classes, groups and phenotypes: tables, limits, progress, hints, and --test."""

import csv
import json
import re
import tomllib
from functools import partial

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli import output as progress_module
from dugraph.estimators import load_model
from dugraph.search.limits import clear_line, progress_line
from dugraph.search.mining import mine_within

BY_PHI = ["--measure", "phi_probability", "--n-subgraphs", "3", "--phi"]
LARGEST_HSIC = (10 * 10 / 20 / 19) ** 2  # of 10 graphs with and 10 without a subgraph
NOW = {"n_visited": 5, "n_evaluated": 2, "threshold": 0.1, "best_open_bound": 0.2}


def test_the_table(make_cohort, shell):
    shown = shell("mine", make_cohort(), "--n-subgraphs", "3", "--max-edges", "2")
    rows = [line for line in shown.out.splitlines() if re.match(r" +\d+  ", line)]
    assert len(rows) == 3
    assert rows[0].endswith("region-0--region-1, region-0--region-2")
    assert rows[0].split()[2:4] == ["0.9025", "0.09000"]  # 0.95 ** 2 in patients, 0.3 ** 2 in controls
    assert "OPTIMAL" in shown.out
    assert shown.err == ""


def test_subgraphs_that_complement_each_other(make_cohort, shell):
    data = make_cohort()
    shown = shell("mine", data, "--n-subgraphs", "3", "--max-correlation", "0.5").out
    expected = dg.mine_subgraphs(*dg.load_cohort(data), n_subgraphs=3, max_correlation=0.5)
    assert all(name.strip("{}") in shown for name in expected.names)
    assert expected.subgraphs[:1] == [(0, 1)]
    assert (0,) not in expected.subgraphs  # a part of the first one repeats it


@pytest.mark.parametrize("classes", [("control", "patient"), (0, 1), (False, True)])
def test_the_positive_class_is_chosen_by_its_text(classes, make_cohort, shell):
    flags = ["--n-subgraphs", "1", "--max-edges", "1", "--score", "confidence", "--measure", "median"]
    path = make_cohort(classes=classes)
    asked = {"n_subgraphs": 1, "max_edges": 1, "score": "confidence", "measure": "median"}
    expected = dg.mine_subgraphs(*dg.load_cohort(path), **asked, pos_label=classes[0])
    assert expected.names[0].strip("{}") in shell("mine", path, *flags, "--pos-label", classes[0]).out


def test_fewer_subgraphs_than_asked_for_are_reported(make_cohort, shell):
    shown = shell("mine", make_cohort(), "--max-edges", "1", "--n-subgraphs", "50")
    assert "50 subgraphs were requested" in shown.err
    assert shown.err.count("\n") == 1


def test_a_limit_exits_with_3(make_cohort, tmp_path, shell, monkeypatch):
    monkeypatch.setattr("dugraph.mine_subgraphs", partial(mine_within, 1))
    asked = ["--n-subgraphs", "2", "--min-expected-frequency", "0", "-o", tmp_path / "out"]
    shown = shell("mine", make_cohort(), *asked, code=3)
    assert "NODE_LIMIT" in shown.out
    assert "not proven" in shown.err
    assert (tmp_path / "out" / "results.json").exists()


def test_values_just_below_1_are_distinguished(tmp_path, shell):
    y = np.arange(40) % 2
    X = np.where(y[:, None] == 1, [[0.95, 0.9, 0.7]], [[0.1, 0.1, 0.1]])
    dg.save_cohort(tmp_path / "c.npz", dg.UncertainGraphs(X), y)
    asked = {"measure": "phi_probability", "phi": 0.005, "n_subgraphs": 3, "max_edges": 1}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    shown = shell("mine", tmp_path / "c.npz", *flags).out
    values = dg.mine_subgraphs(*dg.load_cohort(tmp_path / "c.npz"), **asked).values
    assert 0.9999 < values[1] < values[0] < 1
    assert [f"1 - {1 - value:.2g}" in shown for value in values[:2]] == [True, True]


# ---------------------------------------------------------------- progress


def test_progress_begins_after_two_seconds(make_cohort, monkeypatch, capsys):
    assert progress_module.progress("mining", None, progress_line) is None  # stderr is no terminal here
    show = progress_module.progress("mining", True, progress_line)
    show({**NOW, "seconds": 1.0})
    assert capsys.readouterr().err == ""
    for seconds in (2.5, 2.6):  # in a log one line in ten seconds
        show({**NOW, "seconds": seconds})
    assert capsys.readouterr().err == "mining: 5 admitted (2/s), 2 evaluated, threshold 0.1, gap 0.1, 2.5 s\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    progress_module.progress("mining", None, progress_line)({**NOW, "seconds": 3.0})
    clear_line()
    shown = capsys.readouterr().err
    assert shown.startswith("\r\x1b[Kmining: 5 admitted")
    assert shown.endswith("\r\x1b[K")
    monkeypatch.setattr(progress_module, "QUIET_SECONDS", 0.0)
    assert main(["mine", make_cohort(), "--progress", "--n-subgraphs", "2"]) == 0


def test_a_long_search_says_once_what_can_be_done(make_cohort, monkeypatch, shell):
    search = dg.mine_subgraphs

    def slow(*arguments, progress, **more):
        for seconds in (1.0, 59.0, 61.0, 70.0):
            if progress is not None:
                progress({**NOW, "seconds": seconds})
        return search(*arguments, **more)

    monkeypatch.setattr(dg, "mine_subgraphs", slow)
    command = ["mine", make_cohort(), "--n-subgraphs", "2"]
    hint = "mining: this may take a while. Ctrl-C writes the best so far; --time-limit SECONDS sets a limit"
    shown = shell(*command).err  # stderr is no terminal here
    assert shown.startswith(hint)
    assert shown.count("\n") == 1
    assert shell(*command, "--no-progress").err == ""
    assert shell(*command, "--time-limit", "1000").err == ""
    lines = shell(*command, "--progress").err.splitlines()
    assert [line.startswith(hint) for line in lines] == [False, True, False]
    assert progress_module.LONG_SECONDS == 60


# ---------------------------------------------------------------- hints


def test_a_phi_out_of_reach_is_reported(make_cohort, shell):
    command = ["mine", make_cohort(), *BY_PHI]
    assert shell(*command, "5").err == (
        "dugraph: all 3 listed values are 0, so they are chosen and ordered only by the tie rule "
        "(fewer edges first). phi is 5. Choose a smaller --phi.\n"
    )
    # This score is the largest one: it is reached, if with a small probability.
    assert shell(*command, LARGEST_HSIC).err == ""
    assert "all listed values are 0, " in shell(*command, "5", "--n-subgraphs", "1").err
    assert "values are 0" in shell(*command, LARGEST_HSIC * 1.001).err


def test_some_values_of_0_are_counted(tmp_path, shell):
    # Of three edges that do not touch, the last two are in all graphs or in none, whatever their class.
    X = [[0.9, 1.0, 1.0], [0.8, 1.0, 1.0], [0.2, 1.0, 1.0], [0.1, 1.0, 1.0]]
    graphs = dg.UncertainGraphs(X, edges=[[0, 1], [2, 3], [4, 5]])
    dg.save_cohort(tmp_path / "c.npz", graphs, [1, 1, 0, 0])
    assert shell("mine", tmp_path / "c.npz", "--n-subgraphs", "3").err == (
        "dugraph: 2 of the 3 listed values are 0, so they are chosen and ordered only by the tie rule "
        "(fewer edges first).\n"
    )


def test_a_phi_that_all_reach_is_reported(make_cohort, shell):
    command = ["mine", make_cohort(), *BY_PHI]
    shown = shell(*command, "0").err
    begin = "dugraph: all 3 listed values are 1, so they are chosen and ordered only by the tie rule"
    assert shown.startswith(begin)
    assert "phi is 0. Choose a larger --phi.\n" in shown
    assert shell(*command, "0.02").err == ""


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
def test_a_parameter_of_another_measure_is_named(arguments, message, make_cohort, shell):
    shown = shell("mine", make_cohort(), "--n-subgraphs", "2", *arguments).err
    hints = re.findall("^dugraph: (.*)$", shown, re.MULTILINE)
    assert len(hints) == (message is not None)
    assert message is None or hints[0].startswith(message)


# ---------------------------------------------------------------- --test


def test_significant_subgraphs_are_marked(make_cohort, tmp_path, shell):
    data, folder = make_cohort(), tmp_path / "out"
    asked = ["--n-subgraphs", "12", "--min-expected-frequency", "0.15", "--max-edges", "3"]
    shown = shell("mine", data, *asked, "--test", "-o", folder).out
    result = dg.significant_subgraphs(*dg.load_cohort(data), min_expected_frequency=0.15, max_edges=3)
    found = dict(zip(result.subgraphs, result.p_values.tolist(), strict=True))
    mined = dg.load_result(folder)
    expected = [found.get(subgraph) for subgraph in mined.result.subgraphs]
    assert None in expected
    assert any(p is not None for p in expected)
    assert mined.p_values == expected
    with open(folder / "results.csv", newline="") as file:
        cells = [row["p_value"] for row in csv.DictReader(file)]
    assert cells == ["" if p is None else repr(p) for p in expected]
    lines = shown.splitlines()
    at = lines[1].split().index("adjusted")
    assert [line.split()[at] for line in lines[3:15]] == ["-" if p is None else f"{p:.3g}" for p in expected]
    assert shown.rstrip().endswith(result.message)
    assert dg.load_result(folder / "test").result.subgraphs == result.subgraphs


def test_without_the_flag_there_is_no_column(make_cohort, tmp_path, shell):
    assert "adjusted p" not in shell("mine", make_cohort(), "-o", tmp_path / "out").out
    assert "p_value" not in (tmp_path / "out" / "results.csv").read_text()
    assert not (tmp_path / "out" / "test").exists()
    assert dg.load_result(tmp_path / "out").p_values is None


def test_a_time_limit_leaves_the_list_and_no_p_values(make_cohort, tmp_path, shell):
    asked = ["--test", "--time-limit", "1e-9", "--n-subgraphs", "2", "-o", tmp_path / "out"]
    shown = shell("mine", make_cohort(), *asked, code=3)
    assert "so there are no p-values" in shown.err
    assert "Raise --time-limit or --min-expected-frequency, or set --max-edges." in shown.err
    assert "adjusted p" not in shown.out
    assert not (tmp_path / "out" / "test").exists()


# ---------------------------------------------------------------- groups, phenotypes, covariates


@pytest.fixture
def cohort_file(tmp_path):
    """Two edges follow the dose, a third one the site; the file has three arms and no classes."""
    rng = np.random.default_rng(0)
    dose, site = np.linspace(0, 10, 60), rng.integers(0, 3, 60)
    X = rng.uniform(0.3, 0.6, (60, 6))
    X[:, :2] = (0.2 + 0.07 * dose)[:, None]
    X[:, 5] = 0.3 + 0.3 * site
    table = {
        "dose": dose,
        "site": [f"site {k}" for k in site],
        "arm": np.array(["high", "low", "none"])[np.arange(60) % 3],
        "sex": np.arange(60) % 2,
        "missing": np.where(np.arange(60) == 7, np.nan, dose),
    }
    graphs = dg.UncertainGraphs(X, node_labels=list("ABCD"), participants=table)
    dg.save_cohort(tmp_path / "cohort.npz", graphs)
    dg.save_cohort(tmp_path / "arms.npz", graphs, table["arm"])
    return tmp_path / "cohort.npz"


def test_a_phenotype(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    asked = ["--phenotype", "dose", "--covariates", "site,sex", "--n-subgraphs", "5"]
    assert main(["mine", str(cohort_file), *asked, "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "adjusted slope per unit of dose" in shown
    graphs, _ = dg.load_cohort(cohort_file)
    expected = dg.mine_subgraphs(
        graphs, graphs.participants["dose"], covariates=["site", "sex"], n_subgraphs=5
    )
    record = dg.load_result(folder)
    assert record.result.subgraphs == expected.subgraphs
    assert record.result.values.tobytes() == expected.values.tobytes()
    assert record.result.effects.tobytes() == expected.effects.tobytes()
    assert record.result.parameters == expected.parameters
    assert (record.cohort.kind, record.source.phenotype) == ("phenotype", "dose")
    stored = json.loads((folder / "results.json").read_bytes())
    assert stored["input"]["labels"] == "phenotype"
    assert "positive_class" not in stored["input"]
    config = tomllib.loads((folder / "config.toml").read_text())
    assert (config["phenotype"], config["covariates"]) == ("dose", "site,sex")
    # The record of one run is the --config of another, and a model for new graphs.
    assert main(["mine", str(cohort_file), "--config", str(folder / "config.toml")]) == 0
    assert capsys.readouterr().out.splitlines()[2:7] == shown.splitlines()[2:7]
    model = load_model(folder / "model.json")
    x = graphs.edge_probability[:, list(expected.subgraphs[0])].prod(axis=1)
    assert model.transform(graphs)[:, 0].tolist() == pytest.approx(x.tolist())
    assert model.classes_.size == 0
    assert model.result_.positive_class is None


def test_a_slope_is_that_of_a_regression(cohort_file):
    graphs, _ = dg.load_cohort(cohort_file)
    dose, sex = graphs.participants["dose"], graphs.participants["sex"]
    result = dg.mine_subgraphs(graphs, dose, covariates="sex", n_subgraphs=3)
    for subgraph, effect in zip(result.subgraphs, result.effects, strict=True):
        x = graphs.edge_probability[:, list(subgraph)].prod(axis=1)
        known = np.column_stack([np.ones(60), sex])
        left = [v - known @ np.linalg.lstsq(known, v, rcond=None)[0] for v in (dose, x)]
        assert effect == pytest.approx(np.polyfit(*left, 1)[0])


def test_groups(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    assert main(["mine", str(tmp_path / "arms.npz"), "--n-subgraphs", "3", "-o", str(folder)]) == 0
    heading = capsys.readouterr().out.splitlines()[1]
    assert heading.split()[:5] == ["rank", "value", "high", "low", "none"]
    record = dg.load_result(folder)
    assert record.cohort.kind == "groups"
    first = record.subgraphs[0]
    for group, frequency in zip(("high", "low", "none"), first.by_group, strict=True):
        chosen = record.cohort.graphs.edge_probability[record.cohort.y == group]
        assert frequency == pytest.approx(chosen[:, list(first.edges)].prod(axis=1).mean())
    assert "expected_frequency of low" in (folder / "results.csv").read_text().splitlines()[0]
    again = tmp_path / "again"
    dg.save_result(record, again)
    assert (again / "results.csv").read_bytes() == (folder / "results.csv").read_bytes()


def test_each_group_against_the_rest(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    asked = ["--multi-class", "ovr", "--measure", "median", "--n-subgraphs", "6", "-o", str(folder)]
    assert main(["mine", str(tmp_path / "arms.npz"), *asked]) == 0
    assert "high against the rest" in capsys.readouterr().out
    record = dg.load_result(folder)
    graphs, y = dg.load_cohort(tmp_path / "arms.npz")
    expected = dg.mine_subgraphs(graphs, y, measure="median", multi_class="ovr", n_subgraphs=6)
    assert record.result.subgraphs == expected.subgraphs
    assert record.result.contrasts == expected.contrasts


def test_a_test_of_the_same(cohort_file, tmp_path):
    folder = tmp_path / "out"
    asked = ["--phenotype", "dose", "--covariates", "sex", "--test", "-o", str(folder)]
    assert main(["mine", str(cohort_file), *asked]) == 0
    assert dg.load_result(folder).p_values[0] < 0.05
    record = dg.load_result(folder / "test")
    assert record.phenotype == "dose"
    assert record.result.parameters["covariates"] == ["sex"]


def test_two_values_of_a_column_are_two_classes_of_their_own_names(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    assert (
        main(["mine", str(cohort_file), "--phenotype", "sex", "--n-subgraphs", "2", "-o", str(folder)]) == 0
    )
    record = dg.load_result(folder)
    assert (record.cohort.kind, record.cohort.names) == ("classes", ("1", "0"))
    assert record.result.positive_class == "1"
