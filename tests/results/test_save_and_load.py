"""save_result, load_result and write_report: one schema, in memory and on disk."""

import json

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.results import record_of
from dugraph.results.cohort_ref import open_cohort


@pytest.fixture(scope="module")
def cohort():
    rng = np.random.default_rng(0)
    y = np.array(["control", "patient"])[np.arange(20) % 2]
    X = rng.uniform(0.2, 0.6, (20, 10))
    X[:, :2] = np.where(y[:, None] == "patient", 0.95, 0.3)
    graphs = dg.UncertainGraphs(X, node_labels=list("ABCDE"), node_coordinates=np.arange(15.0).reshape(5, 3))
    return dg.LabelledGraphs(graphs, y)


@pytest.fixture(scope="module")
def results(cohort):
    return {
        "mine": dg.mine_subgraphs(cohort, n_subgraphs=4, measure="phi_probability"),
        "sparse": dg.SparseSubgraphClassifier(n_alphas=4, cv=2).fit(cohort),
        "evaluate": dg.evaluate(
            cohort, methods=["exp-hsic", "all-edges"], n_subgraphs=[3], cv=dg.RandomSplits(2)
        ),
        "test": dg.significant_subgraphs(cohort, n_permutations=99),
    }


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.parametrize("command", ["mine", "sparse", "evaluate", "test"])
def test_a_result_comes_back_as_it_was(command, cohort, results, tmp_path):
    result = results[command]
    saved = dg.save_result(result, tmp_path / "first", cohort)
    assert saved.left_out == []
    assert {file.name for file in saved.files} == set(contents(tmp_path / "first"))
    record = dg.load_result(tmp_path / "first")
    assert record.command == command
    assert record.cohort.graphs == cohort.graphs
    assert record.cohort.y.tolist() == cohort.y.tolist()
    # Whatever the result holds besides times is the same, since its files are.
    dg.save_result(record.result, tmp_path / "again", record.cohort)
    first, again = contents(tmp_path / "first"), contents(tmp_path / "again")
    for one in (first, again):
        one.pop("timings.csv", None)
    assert first == again


@pytest.mark.parametrize("command", ["mine", "test"])
def test_a_loaded_result_shows_no_time(command, cohort, results, tmp_path):
    result = results[command]
    taken = f"{result.seconds:.2f} s"
    dg.save_result(result, tmp_path, cohort)
    loaded = dg.load_result(tmp_path).result
    for ours, theirs in ((repr(result), repr(loaded)), (result._repr_html_(), loaded._repr_html_())):
        assert taken in ours
        assert theirs == ours.replace(f", {taken}", "", 1).replace(f" in {taken}", "", 1)


@pytest.mark.parametrize("command", ["mine", "sparse", "evaluate", "test"])
def test_the_page_is_the_same_from_memory_and_from_a_folder(command, cohort, results, tmp_path):
    dg.save_result(results[command], tmp_path, cohort)
    page = dg.write_report(tmp_path, seconds=1.0)
    direct = dg.write_report(results[command], cohort, seconds=1.0, output=tmp_path / "direct.html")
    assert page.read_bytes() == direct.read_bytes()
    assert 'id="cohort"' in page.read_text()


def test_evaluation_and_subgraphs_in_one_page_without_any_folder(cohort, results, tmp_path):
    page = tmp_path / "both.html"
    dg.write_report(results["mine"], cohort, evaluation=results["evaluate"], output=page)
    assert 'id="ranking"' in page.read_text()
    assert 'id="classification"' in page.read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["both.html"]


FLAGS = {
    "mine": ["--n-subgraphs", "4", "--measure", "phi_probability"],
    "sparse": ["--n-alphas", "4", "--cv", "2"],
    "evaluate": ["--methods", "exp-hsic,all-edges", "--n-subgraphs", "3", "--n-splits", "2"],
    "test": ["--n-permutations", "99"],
}


@pytest.mark.parametrize("command", FLAGS)
def test_the_command_line_writes_what_save_result_writes(command, cohort, results, tmp_path):
    data = tmp_path / "cohort.npz"
    dg.save_cohort(data, cohort.graphs, cohort.y)
    assert main([command, str(data), *FLAGS[command], "-o", str(tmp_path / "line")]) == 0
    dg.save_result(results[command], tmp_path / "python", cohort, data=data)
    line, python = contents(tmp_path / "line"), contents(tmp_path / "python")
    assert line.keys() == python.keys()
    assert "cohort.npz" not in python
    # The command line has settings that a result does not remember, and a caption with the name of the file.
    others = {"config.toml", "timings.csv", "table.md", "table.tex", *(["model.json"] * (command == "mine"))}
    for name in line.keys() - others:
        assert line[name] == python[name], name


def test_the_positive_class_is_kept(cohort, tmp_path):
    other = dg.LabelledGraphs(cohort.graphs, cohort.y, pos_label="control")
    for folder, given in (("noun", {"X": other}), ("apart", {"X": cohort.graphs, "y": cohort.y})):
        more = {} if folder == "noun" else {"pos_label": "control"}
        dg.save_result(dg.mine_subgraphs(other, n_subgraphs=2), tmp_path / folder, **given, **more)
        record = dg.load_result(tmp_path / folder)
        assert record.cohort.names == ("control", "patient")
        assert 'pos_label = "control"' in (tmp_path / folder / "config.toml").read_text()
    model = dg.SparseSubgraphClassifier(alpha=0.05).fit(cohort)
    ours, theirs = record_of(model, cohort), record_of(model, other)
    assert [one.value for one in ours.subgraphs] == [-one.value for one in theirs.subgraphs]
    assert ours.intercept == -theirs.intercept


def test_a_cohort_file_is_enough(cohort, results, tmp_path):
    dg.save_cohort(tmp_path / "cohort.npz", cohort.graphs, cohort.y)
    dg.save_result(results["mine"], tmp_path / "results", data=tmp_path / "cohort.npz")
    assert json.loads((tmp_path / "results" / "results.json").read_text())["input"]["path"] == "../cohort.npz"
    assert (
        open_cohort(tmp_path / "cohort.npz", "this needs").sha256
        == dg.load_result(tmp_path / "results").source.sha256
    )


def test_a_score_of_the_users_own_has_no_distribution_in_the_files(cohort, tmp_path):
    result = dg.mine_subgraphs(cohort, n_subgraphs=2, score=lambda a, b, p, q: a / p + 0 * b)
    dg.save_result(result, tmp_path, cohort, features="none")
    assert "score_distribution" not in json.loads((tmp_path / "results.json").read_text())["subgraphs"][0]
    assert dg.load_result(tmp_path).result.subgraphs == result.subgraphs
    assert dg.write_report(tmp_path).exists()


def test_results_that_cannot_be_saved_are_refused(cohort, results, tmp_path):
    with pytest.raises(dg.InputError, match="Give X and y, or the cohort file as data"):
        dg.save_result(results["mine"], tmp_path)
    with pytest.raises(dg.InputError, match=r"must be a MiningResult, .* got dict"):
        dg.save_result({}, tmp_path, cohort)
    with pytest.raises(dg.InputError, match="must be that of the search, 'patient', but is 'control'"):
        dg.save_result(results["mine"], tmp_path, cohort.graphs, cohort.y, pos_label="control")
    with pytest.raises(dg.InputError, match="Pass the page's path as output"):
        dg.write_report(results["mine"], cohort)
    dg.save_result(results["mine"], tmp_path / "mined", cohort)
    with pytest.raises(dg.InputError, match="this one has those of `dugraph mine`"):
        dg.save_result(results["sparse"], tmp_path / "mined", cohort)
    with pytest.raises(dg.InputError, match="a folder records its own cohort"):
        dg.write_report(tmp_path / "mined", cohort)
    (tmp_path / "other").mkdir()
    dg.save_cohort(tmp_path / "other" / "cohort.npz", cohort.graphs[:4], cohort.y[:4])
    with pytest.raises(dg.InputError, match="another cohort is already here"):
        dg.save_result(results["mine"], tmp_path / "other", cohort)
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["cohort.npz"]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"command": "mine"', '"command": "guess"', "but command: invalid value 'guess'"),
        (
            '"parameters": {',
            '"parameters": {"labels": "guess",',
            "parameters.labels: invalid enum value 'guess'",
        ),
    ],
)
def test_results_of_an_unknown_command_or_kind_of_labels_are_refused(
    before, after, message, cohort, results, tmp_path
):
    dg.save_result(results["mine"], tmp_path, cohort)
    file = tmp_path / "results.json"
    file.write_text(file.read_text().replace(before, after))
    with pytest.raises(dg.InputError, match=message):
        dg.load_result(tmp_path)


def test_a_model_of_another_run_is_refused(cohort, results, tmp_path):
    for folder, model in (("a", results["sparse"]), ("b", dg.SparseSubgraphClassifier(alpha=1).fit(cohort))):
        dg.save_result(model, tmp_path / folder, cohort)
    (tmp_path / "b" / "model.json").replace(tmp_path / "a" / "model.json")
    with pytest.raises(dg.InputError, match=r"model.json: .* its subgraphs are not those of results.json"):
        dg.load_result(tmp_path / "a")


def test_an_evaluation_with_a_row_missing_or_twice_is_refused(cohort, results, tmp_path):
    dg.save_result(results["evaluate"], tmp_path, cohort)
    table = tmp_path / "results.csv"
    lines = table.read_text().splitlines()
    for changed in (lines[:-1], [*lines, lines[-1]], [*lines[:-1], lines[-2]]):
        table.write_text("\n".join(changed) + "\n")
        with pytest.raises(dg.InputError, match="one row for each split and number of subgraphs"):
            dg.load_result(tmp_path)
    cells = lines[1].split(",")
    for column, wrong in ((1, "0.5"), (1, ""), (2, "2.5"), (3, "1.5")):
        changed = ",".join([*cells[:column], wrong, *cells[column + 1 :]])
        table.write_text("\n".join([lines[0], changed, *lines[2:]]) + "\n")
        with pytest.raises(dg.InputError, match="split, t, n_found must be whole numbers"):
            dg.load_result(tmp_path)


@pytest.mark.parametrize("labels", ["classes", "groups", "phenotype"])
@pytest.mark.parametrize("cv", [3, None, dg.RepeatedFolds(3, n_repeats=2), dg.RandomSplits(2, test_size=0.4)])
def test_evaluations_with_any_splits_and_scoring_come_back(labels, cv, cohort, tmp_path):
    n = len(cohort)
    y = {"classes": cohort.y, "groups": np.array(list("abc"))[np.arange(n) % 3], "phenotype": np.arange(n)}
    scoring = "r" if labels == "phenotype" else ["error"]
    asked = {"cv": cv, "scoring": scoring, "n_subgraphs": [3]}
    result = dg.evaluate(cohort.graphs, y[labels], ["all-edges"], **asked)
    dg.save_result(result, tmp_path / "first", cohort.graphs, y[labels])
    again = dg.load_result(tmp_path / "first")
    assert again.result.parameters == result.parameters
    assert again.result.table("markdown") == result.table("markdown")
    dg.save_result(again, tmp_path / "second")
    assert contents(tmp_path / "second")["table.csv"] == contents(tmp_path / "first")["table.csv"]
    assert dg.write_report(tmp_path / "first").is_file()
