"""The part "Which differences are real": what a test found, what it needed, what it claims."""

import dataclasses
import re

import numpy as np
import pytest
from reading import words

import dugraph as dg
from dugraph.cli import main

NO_TEST = "no significance test was run"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A cohort in a file that was mined, fitted and tested: its classes, a phenotype, groups."""
    home = tmp_path_factory.mktemp("tested")
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.uniform(0.2, 0.6, (40, 15))
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.3)
    X[:, 14] = np.where(y == 1, 0.2, 0.8)
    table = {
        "dose": 10 * X[:, 0] + rng.random(40),
        "arm": np.array(["u", "v", "w"])[np.arange(40) % 3],
        "site": np.array(["a", "b"])[np.arange(40) // 20],
    }
    graphs = dg.UncertainGraphs(X, node_labels=list("ABCDEF"), participants=table)
    cohort = str(home / "cohort.npz")
    dg.save_cohort(cohort, graphs, np.array(["well", "ill"])[1 - y])
    dg.save_cohort(home / "other.npz", graphs[:30], y[:30])
    few = ["--n-permutations", "199", "--max-edges", "3"]
    for name, flags in {
        "classes": ["--blocks", "site"],
        "dose": ["--phenotype", "dose"],
        "arm": ["--phenotype", "arm"],
    }.items():
        assert main(["test", cohort, *few, *flags, "-o", str(home / name)]) == 0
    assert main(["test", str(home / "other.npz"), *few, "-o", str(home / "other")]) == 0
    assert main(["mine", cohort, "--n-subgraphs", "4", "-o", str(home / "mined")]) == 0
    assert main(["sparse", cohort, "--n-nonzero", "2", "--n-alphas", "4", "-o", str(home / "sparse")]) == 0
    return home


def page_of(home, folder, tmp_path, **more):
    return dg.write_report(home / folder, output=tmp_path / "page.html", **more)


def test_a_test_has_a_page_of_its_own(home, tmp_path):
    said = words(page_of(home, "classes", tmp_path))
    page = (tmp_path / "page.html").read_text()
    result = dg.load_result(home / "classes").result
    assert "Which differences are real" in said
    assert result.message in said
    for k in range(3):
        assert f"is significant if its z exceeds {result.critical_values[k]:.3g};" in said
        chart = re.search(
            f"Subgraphs of {result.size_classes[k]}: the largest z in each of 199 permutations[^<]*", page
        )
        assert f"Values above {result.critical_values[k]:.3g} are significant." in chart[0]
        assert f"observed {result.null_maxima[0, k]:.3g}." in chart[0]
    rows = page.split('<table id="significant">')[1].split("</table>")[0].split("<tr data-k=")[1:]
    places = [int(re.match('"([0-9]+)"', row)[1]) for row in rows]
    assert places == [k for family in result.families for k in family.irreducible]
    assert len(places) == result.irreducible.sum() < len(result)
    for k, row in zip(places, rows, strict=True):
        assert f"{result.p_values[k]:.3g}" in row
        assert ('<svg class="small' in row) == result.representative[k]
    assert f"the other {len(result) - len(rows)} contain edges that may contribute nothing" in said
    assert "on-neg" in page.split('<table id="significant">')[1]
    assert "site; 2 of 2 blocks informative" in said
    assert "--blocks=site" in page
    assert NO_TEST not in said


def test_the_command_on_the_page_repeats_the_test(home, tmp_path, monkeypatch, capsys):
    page = page_of(home, "classes", tmp_path).read_text()
    command = re.search(r"<code>dugraph (test .*?)</code>", page, re.DOTALL)[1].replace("\\\n", " ").split()
    monkeypatch.chdir(home)
    command[-1] = str(tmp_path / "again")
    assert main(command) == 0
    for name in ("results.csv", "null_maxima.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (home / "classes" / name).read_bytes()


@pytest.mark.parametrize("folder", ["mined", "sparse"])
def test_the_caution_disappears_with_a_test_of_the_same_classes_only(folder, home, tmp_path):
    assert NO_TEST in words(page_of(home, folder, tmp_path))
    for phenotype in ("dose", "arm"):
        assert NO_TEST in words(page_of(home, folder, tmp_path, test=home / phenotype))
    said = words(page_of(home, folder, tmp_path, test=home / "classes"))
    assert NO_TEST not in said
    assert "What the test claims" in said
    with pytest.raises(dg.InputError, match="must use the same cohort file, but their hashes differ"):
        page_of(home, folder, tmp_path, test=home / "other")


def test_listed_subgraphs_show_their_p_values(home, tmp_path):
    test, mined = dg.load_result(home / "classes").result, dg.load_result(home / "mined").result
    page = page_of(home, "mined", tmp_path, test=home / "classes").read_text()
    rows = page.split('<table id="ranking">')[1].split("</table>")[0].split("<tr ")[1:]
    found = dict(zip(test.subgraphs, test.p_values, strict=True))
    for subgraph, row in zip(mined.subgraphs, rows, strict=True):
        cell = re.findall(r'data-value="[^"]*">([^<]*)</td>', row)[-1]
        assert cell == (f"{found[subgraph]:.3g}" if subgraph in found else "–")
    page = page_of(home, "mined", tmp_path, test=home / "dose").read_text()
    assert "adjusted p" not in page.split('id="ranking"')[1][:900]


def test_a_test_within_sites_is_named_where_site_and_class_go_together(tmp_path):
    rng = np.random.default_rng(0)
    y, site = np.arange(40) % 2, np.array(["a", "b"])[(np.arange(40) % 2) ^ (np.arange(40) < 6)]
    graphs = dg.UncertainGraphs(rng.random((40, 6)), participants={"site": site})
    for blocks in ("site", None):
        result = dg.significant_subgraphs(graphs, y, blocks=blocks, n_permutations=199)
        said = words(dg.write_report(result, graphs, y, output=tmp_path / "page.html"))
        assert "Site and class are associated" in said
        assert ("The test permuted labels only within sites." in said) is (blocks is not None)


def test_a_phenotype_and_groups_are_described_in_their_words(home, tmp_path):
    dose = words(page_of(home, "dose", tmp_path))
    assert "What varies with dose" in dose
    assert "slope of the containment probability per unit of dose" in dose
    assert "more frequent with larger values of dose" in dose
    arm = words(page_of(home, "arm", tmp_path))
    assert "What varies with arm" in arm
    assert "None of " in arm
    assert "What significance would have required" in arm


def test_a_test_made_with_the_search_is_found_beside_it(home, tmp_path):
    both = tmp_path / "both"
    asked = ["--n-subgraphs", "4", "--max-edges", "3", "--test", "--report", "-o", str(both)]
    assert main(["mine", str(home / "cohort.npz"), *asked]) == 0
    assert NO_TEST not in words(both / "report.html")
    assert NO_TEST not in words(dg.write_report(both))
    dg.save_result(dg.load_result(home / "other").result, both / "test", data=home / "other.npz")
    assert NO_TEST in words(dg.write_report(both))


def test_from_memory(home, tmp_path):
    record = dg.load_result(home / "classes")
    mined = dg.load_result(home / "mined").result
    page = tmp_path / "page.html"
    dg.write_report(mined, record.cohort, test=record.result, output=page)
    assert NO_TEST not in words(page)
    with pytest.raises(dg.InputError, match="must come from the same cohort, but do not"):
        dg.write_report(mined, record.cohort, test=dg.load_result(home / "other"), output=page)
    with pytest.raises(
        dg.InputError, match="test must be a SignificanceResult or its folder: got MiningResult"
    ):
        dg.write_report(mined, record.cohort, test=mined, output=page)


def test_a_size_without_a_critical_value_needs_nothing(home, tmp_path):
    record = dg.load_result(home / "classes")
    values = np.where(
        np.arange(len(record.result.critical_values)) == 0, np.inf, record.result.critical_values
    )
    changed = dataclasses.replace(record.result, critical_values=values)
    said = words(dg.write_report(changed, record.cohort, output=tmp_path / "page.html"))
    assert "exceeds inf" not in said
    assert said.count("is significant if its z exceeds") == np.isfinite(values).sum()


def test_what_cannot_be_joined_is_refused(home, tmp_path, capsys):
    assert main(["report", str(home / "classes"), "--test", str(home / "classes")]) == 1
    assert "but this is a test itself" in capsys.readouterr().err
    assert main(["report", str(home / "mined"), "--test", str(home / "sparse")]) == 1
    assert "the folder must contain what `dugraph test` writes, but does not" in capsys.readouterr().err
