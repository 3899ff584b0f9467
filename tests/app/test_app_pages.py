"""From files to a question: what the pages say is what the reader, the report and the settings say."""

import json
import re
import shlex
from types import SimpleNamespace

import numpy as np
import pytest
from app_client import READ

from dugraph import UncertainGraphs, load_cohort, save_cohort
from dugraph.app import views
from dugraph.app.forms import KINDS, NOT_IN_FORMS, in_form
from dugraph.app.study import Study
from dugraph.cli import main
from dugraph.exceptions import InputError, UnfinishedTestError
from dugraph.settings import ConvertSettings


def words(page):
    """The text of a page, for comparison."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace("&#34;", '"').replace("&#39;", "'")


@pytest.fixture
def cohort(study_folder):
    flags = ["--participants", str(study_folder / "participants.tsv"), "--id-pattern", "{id}_conn"]
    file = study_folder / "cohort.npz"
    assert main(["convert", str(study_folder / "matrices"), *flags, "-o", str(file)]) == 0
    return file


def test_the_first_page_leads_to_the_files(client):
    page = client.page("/")
    assert "Begin with the files" in page
    assert 'href="/data"' in page


def test_a_file_in_place_of_the_study_and_a_port_that_does_not_exist_are_refused(tmp_path, capsys):
    file = tmp_path / "cohort.npz"
    with pytest.raises(InputError, match=r"the study must be a folder, but no such folder exists\.$"):
        Study.of([str(file)], tmp_path)
    file.touch()
    with pytest.raises(
        InputError, match=r"cohort\.npz: the study must be a folder, but this is a file\. Name "
    ):
        Study.of([str(file)], tmp_path)
    assert main(["app", str(tmp_path), "--port", "99999"]) == 1
    assert "port must be at most 65535, but is 99999." in capsys.readouterr().err


def test_the_layout_the_table_and_a_mismatch_are_shown_with_the_way_out(client):
    text = words(client.page("/data?path=matrices"))
    assert "matrices : one square matrix per subject" in text
    assert "24 files such as P001_conn.csv" in text
    assert "Groups: diagnosis ( control 12, patient 12)" in text
    assert "0 of 24 files match one of 24 rows" in text
    assert "Use id pattern: {id}_conn" in text
    assert str(client.page("/data?path=matrices")).count("<tr>") > 8


def test_the_button_of_the_way_out_enters_the_value(client):
    answer = client.send("/data", path="matrices", fix="id_pattern={id}_conn")
    text = words(answer.text)
    assert "participants with a file and a row 24 " in text
    assert 'value="{id}_conn"' in answer.text
    assert "--id-pattern={id}_conn" in text.replace("'", "")


def test_missing_files_and_rows_are_named(client, study_folder):
    (study_folder / "matrices" / "P001_conn.csv").unlink()
    table = (study_folder / "participants.tsv").read_text().splitlines()
    (study_folder / "participants.tsv").write_text("\n".join(table[:-1]) + "\n")
    text = words(client.send("/data", **READ).text)
    assert "Rows of the table without a file P001 " in text
    assert "Files without a row in the table P024 " in text
    assert "Use intersect" in text


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"where": "age >"}, "where"),
        ({"density": "2"}, "must be at most 1"),
        ({"density": "many"}, "could not convert"),
        ({"positive": "ill"}, "is not one of"),
        ({"group_column": "site", "positive": "Oslo", "negative": "Oslo"}, "must be different groups"),
        ({"participants": "nowhere.tsv"}, "must be a file or folder of the study"),
        ({"select": "run"}, "must be KEY=VALUE"),
        ({"id_column": "nothing"}, "must name a column"),
    ],
)
def test_wrong_entries_are_explained_on_the_page(client, entry, said):
    answer = client.send("/data", **{**READ, **entry})
    assert answer.status_code == 200
    assert said in words(answer.text)


def test_a_folder_without_connectomes_is_described(client, study_folder):
    (study_folder / "docs").mkdir()
    (study_folder / "docs" / "readme.pdf").write_text("x")
    assert "must have a known format" in words(client.page("/data?path=docs"))


def test_the_command_on_the_page_reads_the_same_cohort(client, runs, study_folder, monkeypatch):
    """What the run executes, typed into a terminal, gives the cohort of the form."""
    client.send("/runs", ask="convert", **READ, where="age > 30")
    monkeypatch.chdir(study_folder)
    assert main(shlex.split(runs.all()[0].job.line)[1:]) == 0
    graphs, _ = load_cohort(runs.all()[0].result)
    assert min(graphs.participants["age"]) > 30


def test_the_cohort_page_shows_groups_sites_and_counts(client, cohort):
    text = words(client.page("/cohort?file=cohort.npz"))
    assert "participants 24 regions 6" in text
    assert "patient 12 control 12" in text
    assert "Oslo 6 6" in text
    assert "Count them" in text
    counted = words(client.page("/cohort?file=cohort.npz&count=1"))
    assert re.search(r"0\.1 15 \d+ \d+", counted)
    assert "cohort.npz" in client.page("/")


def test_the_data_page_draws_what_each_map_does(client):
    page = client.send("/data", **READ, threshold="0.5").text
    for name in ("positive", "signed", "absolute", "fisher", "rank"):
        assert f"<title>Edge probability by correlation with the map {name}.</title>" in page
    assert page != client.send("/data", **READ).text


@pytest.mark.parametrize("brain", [True, False])
def test_the_cohort_page_draws_the_mean_network_and_names_missing_regions(client, study_folder, brain):
    names = ["A", "B", "C"]
    places = np.array([[-40.0, 0, 20], [40, 0, 20], [0, 30, 30]]) if brain else None
    graphs = UncertainGraphs(
        [[0.9, 0.5, 0.0], [0.8, 0.0, 0.0], [0.7, 0.4, 0.3]],
        node_labels=names,
        node_coordinates=places,
        graph_ids=["P1", "P2", "P3"],
    )
    save_cohort(study_folder / "few.npz", graphs, ["a", "b", "b"])
    page = client.page("/cohort?file=few.npz")
    title = "<title>Mean network: the 3 edges with the largest mean probability</title>"
    assert page.count(title) == (2 if brain else 1)
    text = words(page)
    assert "1 of 3 participants have regions without any edge" in text
    assert "P2 1 C" in text
    assert "each region has an edge" not in text


def test_the_time_of_a_test_is_measured_when_asked(client, cohort, runs, monkeypatch):
    form = "data=cohort.npz&ask=compare"
    page = client.page(f"/question?{form}&n_permutations=1999")
    assert 'data-load="/question?' in page
    assert "On this computer" not in words(page)
    measured = words(client.page(f"/question?{form}&n_permutations=1999&measure=1"))
    assert "On this computer, the test will take less than a minute" in measured
    assert "less than a minute" in words(client.page(f"/question?{form}&n_permutations=1999"))  # kept
    answers = {"data": "cohort.npz", "ask": "compare"}
    for n, shown in (("1999", True), ("199", False)):  # only measured times are shown
        assert client.send("/runs", **answers, n_permutations=n).status_code == 303
        page = client.page(f"/runs/{runs.all()[0].name}")
        assert ("Expected time of the test: less than a minute" in words(page)) == shown

    def slow(*arguments, **keywords):
        raise UnfinishedTestError(InputError("too slow"))

    monkeypatch.setattr(views, "significant_subgraphs", slow)
    clock = iter([0.0, 300.0])
    monkeypatch.setattr(views, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    asked = f"/question?{form}&max_edges=5&measure=1"
    assert "will take more than 80 minutes" in words(client.page(asked + "&n_permutations=18999"))
    assert "measure=1" not in client.page("/question?data=cohort.npz&ask=rank")


def test_something_that_is_no_cohort_is_refused_on_a_page(client, study_folder):
    answer = client.get("/cohort?file=participants.tsv")
    assert answer.status_code == 400
    assert "That is not possible" in answer.text


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_has_a_form_with_all_options_of_its_command(client, cohort, kind):
    page = client.page(f"/question?data=cohort.npz&ask={kind}")
    for option in in_form(KINDS[kind].settings):
        assert (f'name="{option.name}"' in page or f'name="_shown" value="{option.name}"' in page) == (
            option.name not in KINDS[kind].left_out
        )
    assert not any(f'name="{name}"' in page for name in NOT_IN_FORMS)
    assert set(KINDS[kind].first) <= set(KINDS[kind].settings.options())


def test_the_data_form_has_all_options_of_convert(client):
    page = client.page("/data?path=matrices")
    assert all(f'name="{one.name}"' in page for one in in_form(ConvertSettings))


def test_the_sentence_follows_the_form(client, cohort):
    form = {"data": "cohort.npz", "ask": "compare"}
    plain = words(client.send("/question", **form).text)
    assert "The labels are permuted 999 times among all participants" in plain
    assert "differs in frequency between patient and control" in plain
    assert "There are several sites (site)" in plain
    asked = {**form, "blocks": "site", "covariates": ["age"], "n_permutations": "99", "max_edges": "2"}
    said = words(client.send("/question", **asked).text)
    assert "permuted 99 times only among participants with the same site" in said
    assert "of at most 2 edges" in said
    assert "Adjusted for age." in said
    assert "There are several sites" not in said
    assert "dugraph test cohort.npz --covariates=age --max-edges=2 --blocks=site --n-permutations=99" in said


def test_a_phenotype_must_be_chosen(client, cohort, runs):
    form = {"data": "cohort.npz", "ask": "phenotype"}
    assert "Choose the phenotype first." in words(client.send("/question", **form).text)
    refused = client.send("/runs", **form, max_edges="0")
    assert refused.status_code == 400
    assert "This must be at least 1." in words(refused.text)
    assert runs.all() == []
    assert client.send("/runs", **form, phenotype="age").status_code == 303
    assert "--phenotype=age" in runs.all()[0].job.arguments


def test_confounding_of_site_and_group_is_said(client, study_folder):
    table = (study_folder / "participants.tsv").read_text().splitlines()
    rows = [line.rsplit("\t", 1)[0] + ("\tOslo" if "patient" in line else "\tTurku") for line in table[1:]]
    (study_folder / "participants.tsv").write_text("\n".join([table[0], *rows]) + "\n")
    flags = ["--participants", str(study_folder / "participants.tsv"), "--id-pattern", "{id}_conn"]
    assert main(["convert", str(study_folder / "matrices"), *flags, "-o", str(study_folder / "c.npz")]) == 0
    text = words(client.page("/question?data=c.npz&ask=compare"))
    assert "Site and group are associated (site, Cramér's V 1.00)" in text
    assert "Use site for blocks" in text


def test_a_result_is_shown_compared_and_repeated(client, cohort, runs, study_folder, monkeypatch):
    monkeypatch.chdir(study_folder)
    form = {"data": "cohort.npz", "ask": "compare", "n_permutations": "99"}
    for blocks in ("", "site"):
        assert client.send("/runs", **form, blocks=blocks).status_code == 303
    for run in runs.all():
        assert main(shlex.split(run.job.line)[1:]) == 0
        assert run.state == "done"
    page = client.page("/runs/001-test")
    text = words(page)
    assert "Insula_L--Thalamus_L" in text
    record = json.loads((study_folder / "dugraph-runs/001-test/result/results.json").read_text())
    irreducible = sum(one["irreducible"] for one in record["subgraphs"])
    n_families = max(one["family"] for one in record["subgraphs"])
    assert irreducible < len(record["subgraphs"])
    found = f"{len(record['subgraphs'])} significant subgraphs in {n_families} families that share edges. "
    assert f"{found}{irreducible} irreducible ones are listed" in text
    assert page.partition("<tbody>")[2].partition("</tbody>")[0].count("<tr>") == irreducible
    assert "results.graphml" in text
    assert "Open the report" in text
    report = client.get("/report?folder=dugraph-runs/001-test/result")
    assert report.status_code == 200
    assert "What distinguishes" in report.text
    saved = client.get("/file?path=dugraph-runs/001-test/result/results.csv")
    assert saved.content == (study_folder / "dugraph-runs/001-test/result/results.csv").read_bytes()
    folder = "dugraph-runs/001-test/result"
    assert client.send("/runs", ask="figure", folder=folder, ending="exe").status_code == 400
    assert client.send("/runs", ask="figure", folder=folder, ending="svg", kind="matrix").status_code == 303
    drawing = runs.all()[0]
    assert main(shlex.split(drawing.job.line)[1:]) == 0
    assert "Save the figure" in client.page(f"/runs/{drawing.name}")
    assert client.get("/result?folder=dugraph-runs/001-test/result").status_code == 200
    assert "/result?folder=dugraph-runs" in client.page(f"/runs/{drawing.name}").replace("%2F", "/")
    shown = client.get(f"/picture?path=dugraph-runs/{drawing.name}/figure.svg")
    assert shown.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in shown.headers["content-security-policy"]
    assert client.get("/picture?path=dugraph-runs/001-test/result/results.csv").status_code == 404
    for ids, flags in ({}, []), ({"with_ids": "on"}, ["--with-ids"]):
        assert client.send("/runs", ask="report", folder=folder, **ids).status_code == 303
        assert runs.all()[0].job.settings == flags
    assert main(shlex.split(runs.all()[1].job.line)[1:]) == 0
    page = client.get(f"/report?folder=dugraph-runs/{runs.all()[1].name}")
    assert "P001" not in page.text
    both = "/compare?a=dugraph-runs/001-test/result&b=dugraph-runs/002-test/result"
    compared = client.page(both)
    assert re.search(
        r'class="differs"><th scope="row">blocks</th><td><bdi></bdi></td><td><bdi>site</bdi>', compared
    )
    assert 'value="99"' in client.page("/question?run=001-test")
    assert "Insula_L--Thalamus_L" in words(client.page("/result?folder=dugraph-runs/001-test/result"))


def test_a_holdout_is_described_and_its_result_shown(client, cohort, runs, study_folder, monkeypatch):
    monkeypatch.chdir(study_folder)
    form = {"data": "cohort.npz", "ask": "compare", "n_permutations": "99", "holdout": "0.5", "alpha": "0.2"}
    said = words(client.send("/question", **form).text)
    assert "tested again in the other part (holdout: 0.5)" in said
    assert client.send("/runs", **form).status_code == 303
    run = runs.all()[0]
    assert main(shlex.split(run.job.line)[1:]) == 0
    text = words(client.page(f"/runs/{run.name}"))
    replication = json.loads((run.folder / "result/replication/results.json").read_text())
    assert replication["message"] in text
    assert "replication/results.csv" in text
    saved = client.get(f"/file?path=dugraph-runs/{run.name}/result/replication/results.csv")
    assert saved.status_code == 200


def test_the_runs_are_no_connectomes(client, study_folder):
    """A run in the folder of the study does not change how the study is read."""
    before = words(client.page("/data"))
    (study_folder / "dugraph-runs" / "001-test" / "result").mkdir(parents=True)
    (study_folder / "dugraph-runs" / "001-test" / "result" / "results.csv").write_text("1,2\n2,1\n")
    after = words(client.page("/data"))
    assert re.search(r"\d+ files in all", after)[0] == re.search(r"\d+ files in all", before)[0]
