"""`--where`: a subset of the cohort is used and recorded, with the results of a file of these graphs."""

import numpy as np
import pytest
from exact_tables import read_csv

from dugraph import UncertainGraphs, load_cohort, load_result, save_cohort
from dugraph.cli import main

WHERE = "site != 'B'"
SMALL = ["--min-expected-frequency", "0.1", "--max-edges", "2"]
COMMANDS = {
    "mine": ["mine", "--n-subgraphs", "4", *SMALL],
    "test": ["test", "--n-permutations", "39", *SMALL],
    "sparse": ["sparse", "--alpha", "0.05", *SMALL],
    "evaluate": ["evaluate", "--methods", "exp-hsic", "--n-subgraphs", "3", "--n-splits", "2", *SMALL],
}


@pytest.fixture
def cohorts(tmp_path):
    """A cohort of three sites, with three diagnoses, and the file of those outside site B."""
    rng = np.random.default_rng(0)
    site = np.array(["A", "B", "C"])[np.arange(48) % 3]
    y = np.array(["patient", "control"])[np.arange(48) // 3 % 2]
    y[(site == "B") & (np.arange(48) < 12)] = "relative"  # of a third group only in site B
    X = rng.random((48, 6)) * 0.6 + 0.3 * (y == "patient")[:, None]
    ids = [f"s{i}" for i in range(48)]
    participants = {"site": site, "age": rng.integers(8, 60, 48).astype(float)}
    graphs = UncertainGraphs(X, node_labels=list("ABCD"), graph_ids=ids, participants=participants)
    inside = site != "B"
    save_cohort(tmp_path / "all.npz", graphs, y)
    save_cohort(tmp_path / "some.npz", graphs[inside], y[inside])
    return str(tmp_path / "all.npz"), str(tmp_path / "some.npz"), inside


@pytest.mark.parametrize("name", COMMANDS)
def test_a_condition_gives_the_results_of_these_graphs_alone(name, cohorts, tmp_path):
    whole, some, _ = cohorts
    command, *asked = COMMANDS[name]
    assert main([command, whole, *asked, "--where", WHERE, "-o", str(tmp_path / "a")]) == 0
    assert main([command, some, *asked, "-o", str(tmp_path / "b")]) == 0
    table = "results.csv"
    a, b = (read_csv(tmp_path / folder / table) for folder in "ab")
    seconds = [column for column in a if "seconds" in column]
    np.testing.assert_array_equal(a.drop(columns=seconds), b.drop(columns=seconds))


@pytest.mark.parametrize("name", ["mine", "test", "sparse"])
def test_the_subset_is_recorded_loaded_and_reported(name, cohorts, tmp_path):
    whole, _, inside = cohorts
    command, *asked = COMMANDS[name]
    folder = tmp_path / "out"
    assert main([command, whole, *asked, "--where", WHERE, "--report", "-o", str(folder)]) == 0
    record = load_result(folder)
    assert record.cohort.graphs == load_cohort(whole)[0][inside]
    assert "where = \"site != 'B'\"" in (folder / "config.toml").read_text()
    assert "site != &#39;B&#39;" in (folder / "report.html").read_text().replace("&#x27;", "&#39;")
    assert main(["report", str(folder)]) == 0


def test_shards_of_a_subset_merge_to_its_results(cohorts, tmp_path, capsys):
    whole, _, _ = cohorts
    asked = [*COMMANDS["mine"][1:], "--where", WHERE]
    assert main(["mine", whole, *asked, "-o", str(tmp_path / "one")]) == 0
    for k in (1, 2):
        assert main(["mine", whole, *asked, "--shard", f"{k}/2", "-o", str(tmp_path / str(k))]) == 0
    assert main(["merge", str(tmp_path / "1"), str(tmp_path / "2"), "-o", str(tmp_path / "both")]) == 0
    one, both = (load_result(tmp_path / name) for name in ("one", "both"))
    assert both.result.subgraphs == one.result.subgraphs
    assert both.cohort.graphs == one.cohort.graphs
    other = [*COMMANDS["mine"][1:], "--where", "site != 'C' and age > 9"]
    main(["mine", whole, *other, "--target", "groups", "--shard", "2/2", "-o", str(tmp_path / "3")])
    capsys.readouterr()
    assert main(["merge", str(tmp_path / "1"), str(tmp_path / "3"), "-o", str(tmp_path / "x")]) == 1


def test_a_checkpoint_of_another_subset_is_refused(cohorts, tmp_path, refused):
    whole, some, _ = cohorts
    command = ["test", "--n-permutations", "39", *SMALL, "--checkpoint", str(tmp_path / "state.npz")]
    assert main([command[0], whole, *command[1:], "--where", WHERE]) == 0
    assert main([command[0], some, *command[1:]]) == 0  # the same graphs
    assert "checkpoint" in refused(command[0], whole, *command[1:], "--where", "site == 'A'")


def test_info_describes_the_subset(cohorts, capsys):
    whole, some, _ = cohorts
    assert main(["info", whole, "--where", WHERE]) == 0
    of_whole = capsys.readouterr().out.replace(whole, "")
    assert main(["info", some]) == 0
    assert of_whole == capsys.readouterr().out.replace(some, "")


def test_a_plan_fixes_the_condition(cohorts, tmp_path, shell):
    whole, _, _ = cohorts
    plan, asked = str(tmp_path / "plan.toml"), ["--n-permutations", "39", *SMALL]
    assert main(["plan", whole, *asked, "--where", WHERE, "-o", plan]) == 0
    assert main(["test", whole, *asked, "--where", WHERE, "--plan", plan]) == 0
    assert "where" in shell("test", whole, *asked, "--where", "site == 'A'", "--plan", plan, code=1).err
