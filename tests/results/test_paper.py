"""Text for papers: every number is the result's, every name is text, every reference is cited."""

import dataclasses
import itertools
import json
import re

import markdown_it
import numpy as np
import pytest

import dugraph as dg
from dugraph.results.records import record_of
from dugraph.results.schema import PlanRef

LABELS = ["Amygdala_L", "Amygdala_R", "Insula", "Caudate", "Pons"]
N = 36


def make_graphs(labels=LABELS, column=0, **names):
    rng = np.random.default_rng(2)
    X = rng.uniform(0.2, 0.6, (N, 10))
    table = {
        "group": np.array([names.get("a", "control"), names.get("b", "patient")])[np.arange(N) % 2],
        "diagnosis": np.array(["ADHD", "ASD", "TD"])[np.arange(N) % 3],
        "age": rng.normal(30, 8, N),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, N)],
        "site": np.array(["Basel", "Ulm"])[np.arange(N) // 18],
        "subject": np.array([f"s{k}" for k in np.arange(N) // 2]),
        "arm": np.repeat(np.array(["pre", "post"])[np.arange(N // 2) % 2], 2),
    }
    for k, name in enumerate(("group", "diagnosis", "arm")):
        marked = table[name] == np.unique(table[name])[-1]
        X[:, 2 * k] = np.where(marked, 0.9, 0.2) + rng.uniform(-0.1, 0.1, N)
    X[:, 7] = np.clip((table["age"] - 10) / 45, 0, 1)
    return dg.UncertainGraphs(X, node_labels=labels, participants=table)


@pytest.fixture(scope="module")
def graphs():
    return make_graphs()


def text_of(graphs, column, **asked):
    y = graphs.participants[column]
    asked = {"n_permutations": 99, "max_edges": 3, **asked}
    result = dg.significant_subgraphs(graphs, y, **asked)
    return result, dg.paper_text(result, graphs, y)


DESIGNS = {
    "sites": {"blocks": "site"},
    "age and sex": {"covariates": ["age", "sex"]},
    "all": {"blocks": "site", "covariates": "sex"},
    "none": {},
}
STATISTICS, ALTERNATIVES = ("z", "difference", "t"), ("two-sided", "greater", "less")
# Every pair of two options.
GRID = [
    (column, design, statistic, ALTERNATIVES[(i + j + k) % 3])
    for (i, column), (j, design), (k, statistic) in itertools.product(
        enumerate(("group", "diagnosis", "age")), enumerate(DESIGNS), enumerate(STATISTICS)
    )
    if not (column == "age" and "age" in DESIGNS[design].get("covariates", []))
]


def check_prose(text):
    assert not re.search(r"\bNone\b(?! of)|\bnan\b|[{}]|  |\.\.|,,|, \.|\( |%s", text.replace("\\", "")), text
    for paragraph in text.split("\n\n"):
        assert paragraph[0].isupper() or paragraph[0] in "#|-", paragraph


@pytest.mark.parametrize(("column", "design", "statistic", "alternative"), GRID)
def test_every_design_is_written_with_its_own_numbers(column, design, statistic, alternative, graphs):
    result, text = text_of(
        graphs, column, **DESIGNS[design], statistic=statistic, alternative=alternative, step_down=True
    )
    check_prose(text.methods)
    check_prose(text.results)
    asked = result.parameters
    assert f"All {result.n_admitted.sum()} connected subgraphs with at most 3 edges" in text.methods
    assert "exceeded 0.1" in text.methods
    assert "99 random permutations" in text.methods
    assert f"p-value was {3 / 100:.3f}" in text.methods
    assert ("one-sided" in text.methods) == (alternative != "two-sided")
    assert ("defined by site" in text.methods) == (asked["blocks"] is not None)
    assert ("conditional probability" in text.methods) == (asked["covariates"] is not None)
    assert "random seed was 0" in text.methods
    # The guarantee is that of the message, word for word.
    guarantee = re.search(r"The probability of listing.*?looking at the \w+\.", result.message).group()
    assert guarantee in text.methods
    if not len(result):
        assert f"None of {result.n_admitted.sum()} connected subgraphs" in text.results
        assert f"p = {result.best_p_values.min():.3f}" in text.results or "p = 1" in text.results
        return
    assert f"Of {result.n_admitted.sum()} connected subgraphs, {len(result)} " in text.results
    assert f"{result.irreducible.sum()} of these" in text.results
    k = result.families[0].irreducible[0]
    slope = result.parameters["labels"] == "phenotype"
    shown = f"{result.effects[k]:+.3g}" if slope else f"{result.effects[k]:+.2f}"
    assert f" {shown}, 95 % confidence interval" in text.results or f" {shown} per unit, 95 %" in text.results
    assert f"r = {result.partial_correlations[k]:.2f}" in text.results
    assert f"adjusted p = {result.p_values[k]:.3f}" in text.results
    rows = [line for line in text.results.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(result.families)


def test_the_frequencies_are_those_of_the_classes(graphs):
    result, text = text_of(graphs, "group")
    k, y = result.families[0].irreducible[0], graphs.participants["group"]
    ill, well = (
        dg.expected_frequency(graphs[y == one], result.subgraphs[k]) for one in ("patient", "control")
    )
    assert f"expected frequencies {ill:.2f} in patient and {well:.2f} in control" in text.results
    assert "(18 in the patient group, 18 in the control group)" in text.methods


def test_the_direction_does_not_depend_on_the_positive_class(graphs):
    y = graphs.participants["group"]
    for pos_label in ("patient", "control"):
        labelled = dg.LabelledGraphs(graphs, y, pos_label)
        result = dg.significant_subgraphs(labelled, n_permutations=99, max_edges=1)
        text = dg.paper_text(result, labelled)
        assert "was more frequent in the patient group than in the control group" in text.results
        assert f"difference in expected frequency {result.effects[0]:+.2f}" in text.results
        assert (result.effects[0] > 0) == (pos_label == "patient")


def test_a_covariate_that_is_constant_within_blocks_is_said_to_be(graphs):
    scanner = (graphs.participants["site"] == "Ulm").astype(float)
    _, text = text_of(graphs, "group", blocks="site", covariates=scanner)
    assert "Because the covariates did not vary within blocks, no further adjustment" in text.methods
    assert "Berrett" not in text.bibtex


def test_a_phenotype_is_described(graphs):
    result, text = text_of(graphs, "age")
    assert len(result)
    age = graphs.participants["age"]
    assert f"mean {age.mean():.4g}, standard deviation {age.std(ddof=1):.4g}" in text.methods


def test_whole_blocks_and_exhaustive_permutations(graphs):
    _, text = text_of(graphs, "arm", blocks="subject", permute="whole")
    assert "The group labels of whole blocks, defined by subject, were permuted among blocks" in text.methods
    assert "All 18 blocks had counterparts" in text.methods
    assert "dependence within blocks" in text.methods
    few = graphs[:8]
    result, text = text_of(few, "group", blocks="subject", size_classes=1, alpha=0.2, max_edges=1)
    assert result.exact
    assert f"All {result.n_distinct_permutations} distinct permutations" in text.methods
    assert "seed" not in text.methods
    assert "Phipson" not in text.bibtex


CITED = {"step_down": "Romano and Wolf", "blocks": "Winkler et al.", "covariates": "Berrett et al."}
EVERYTHING = {"step_down": True, "blocks": "site", "covariates": "age"}


@pytest.mark.parametrize("asked", [{}, *({name: EVERYTHING[name]} for name in CITED), EVERYTHING], ids=len)
def test_the_references_are_those_of_the_methods_used(asked, graphs):
    _, text = text_of(graphs, "group", **asked)
    prose, _, listed = text.methods.partition("## References")
    assert "Westfall and Young" in prose
    assert {name for name, who in CITED.items() if who in prose} == set(asked)
    cited = set(re.findall(r"([A-Z][\w ]+?(?: et al\.| and \w+)?, (?:19|20)\d\d)\b", prose))
    years = re.findall(r"\((\d{4})\)\. ", listed)
    assert len(cited) == len(years) == text.bibtex.count("\n@") + 1
    for one in cited:
        family, year = one.rsplit(", ", 1)
        assert re.search(rf"{family.split(' ')[0]}.*\({year}\)", listed), one
    assert text.bibtex.count("{") == text.bibtex.count("}")


def test_without_findings_nothing_is_said_of_effects(graphs):
    result, text = text_of(graphs, "sex")
    assert not len(result)
    assert "Zhong" not in text.methods + text.bibtex
    power = re.search(r"The power was about.*?largest\.", result.message).group()
    assert power in text.results


HOSTILE = [
    "*A*|B",
    "_x_ [a](http://b.c) `d`",
    "<script>alert(1)</script>",
    "~~s~~ $x^2$ @you #1",
    "line\nbreak www.a.bc\\",
]


def test_names_are_text(tmp_path):
    graphs = make_graphs(HOSTILE, a="[c](http://d.e)|*f*", b="<b>&amp;")
    y = graphs.participants["group"]
    result = dg.significant_subgraphs(graphs, y, n_permutations=99, max_edges=3)
    text = dg.paper_text(result, graphs, y)
    parser = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).enable("table")
    for part in (text.methods.partition("## References")[0], text.results):
        page = parser.render(part)
        assert not re.search("<(a|em|strong|script|s|code|b|img)[ >]", page), page
    page = parser.render(text.results)
    assert len(set(map(len, (re.findall("<t[hd]>", row) for row in page.split("</tr>")[:-1])))) == 1
    assert "&lt;b&gt;&amp;amp; group" in page
    assert "[c](http://d.e)|*f* group" in page
    assert "http" not in text.bibtex.replace("https://doi.org", "")


def test_the_folder_and_a_loaded_record_have_the_same_text(graphs, tmp_path):
    y = graphs.participants["group"]
    result = dg.significant_subgraphs(graphs, y, n_permutations=99, blocks="site")
    text = dg.paper_text(result, graphs, y)
    dg.save_result(result, tmp_path, graphs, y)
    names = ("methods.md", "results.md", "references.bib")
    assert tuple((tmp_path / name).read_text(encoding="utf-8") for name in names) == tuple(text)
    assert dg.paper_text(dg.load_result(tmp_path)) == dg.paper_text(tmp_path) == text


@pytest.mark.parametrize("column", ["group", "sex"])
def test_a_plan_is_named(column, graphs):
    y = graphs.participants[column]
    result = dg.significant_subgraphs(graphs, y, n_permutations=99)
    record = record_of(result, graphs, y)
    planned = dataclasses.replace(record, plan=PlanRef("2026-03-01", "0123456789abcdef"))
    methods = dg.paper_text(planned).methods
    assert "looking at the labels. The test had been planned on 2026-03-01: settings" in methods
    assert "(checksum 0123456789ab)" in methods
    assert "planned" not in dg.paper_text(record).methods


def test_a_tampered_message_is_text(graphs, tmp_path):
    y = graphs.participants["group"]
    dg.save_result(dg.significant_subgraphs(graphs, y, n_permutations=99), tmp_path, graphs, y)
    record = json.loads((tmp_path / "results.json").read_text())
    record["message"] += " <script>alert(1)</script> *x*"
    (tmp_path / "results.json").write_text(json.dumps(record))
    assert "<script>" not in dg.paper_text(dg.load_result(tmp_path)).methods


def test_labels_that_the_cohort_does_not_have(graphs, tmp_path):
    """A test of other labels, saved with the classes of the cohort, is written without their names."""
    y, other = graphs.participants["group"], np.arange(N) % 5 + 0.5
    for labels in (other, np.array(list("vwxyz"))[np.arange(N) % 5]):
        result = dg.significant_subgraphs(graphs, labels, n_permutations=99)
        text = dg.paper_text(result, graphs, y)
        check_prose(text.methods)
        assert "The sample comprised 36 connectomes of 5 regions" in text.methods


def test_a_replication_is_written_after_its_discovery(graphs, tmp_path):
    y = graphs.participants["group"]
    both = dg.find_and_replicate(graphs, y, max_edges=2, n_permutations=99, covariates="sex", blocks="site")
    text = dg.paper_text(both, graphs, y)
    check_prose(text.methods)
    check_prose(text.results)
    held = int(both.holdout.sum())
    assert f"The sample comprised {N - held} connectomes" in text.methods
    assert f"{held} others were held out" in text.methods
    assert f"The {len(both)} irreducible subgraphs were tested one-sided" in text.methods
    assert f"Of {len(both)} subgraphs, {both.replicated.sum()} " in text.results
    dg.save_result(both, tmp_path, graphs, y)
    methods = (tmp_path / "methods.md").read_text(encoding="utf-8")
    check_prose(methods)
    assert f"The sample comprised {held} connectomes" in methods
    second = dg.replicate(both.discovery, graphs[both.holdout], y[both.holdout])
    alone = dg.paper_text(second, graphs[both.holdout], y[both.holdout])
    assert "Subgraphs found in another cohort were tested for replication in this one" in alone.methods


def test_a_replication_of_nothing(graphs):
    y = graphs.participants["sex"]
    both = dg.find_and_replicate(graphs, y, max_edges=2, n_permutations=99)
    text = dg.paper_text(both, graphs, y)
    assert text.results.endswith("since none was significant in the first analysis.\n")


def test_searches_and_models(graphs):
    y, age = graphs.participants["group"], graphs.participants["age"]
    found = dg.mine_subgraphs(graphs, y, n_subgraphs=3)
    text = dg.paper_text(found, graphs, y)
    assert "the 3 with the largest expected HSIC (Gretton et al., 2005) were listed" in text.methods
    assert f"had a value of {found.values[0]:.4g}" in text.results
    ratio = dg.mine_subgraphs(graphs, y, n_subgraphs=3, score="g_test", max_correlation=0.5)
    text = dg.paper_text(ratio, graphs, y)
    assert "Gretton" not in text.bibtex
    assert "correlated above 0.5" in text.methods
    slopes = dg.mine_subgraphs(graphs, age, n_subgraphs=3, covariates=["sex"])
    text = dg.paper_text(slopes, graphs, age)
    assert "associated with the phenotype beyond what sex explains" in text.methods
    check_prose(text.methods)
    model = dg.SparseSubgraphClassifier(n_nonzero=2).fit(graphs, y)
    text = dg.paper_text(model, graphs, y)
    assert "logistic regression. Features were" in text.methods
    assert f"no model has an objective lower by more than {model.duality_gap_:.2g}" in text.methods
    assert f"{len(model.subgraphs_)} subgraph" in text.results
    check_prose(text.results)


def test_an_evaluation_is_refused(graphs):
    y = graphs.participants["group"]
    evaluation = dg.evaluate(graphs, y, "all-edges", cv=dg.RandomSplits(2, 0.25))
    with pytest.raises(dg.InputError) as caught:
        dg.paper_text(evaluation, graphs, y)
    assert str(caught.value) == "A text for a paper is about subgraphs or a test, but this is an evaluation."


def test_the_report_has_the_text(graphs, tmp_path):
    y = graphs.participants["group"]
    result = dg.significant_subgraphs(graphs, y, n_permutations=99)
    page = dg.write_report(result, graphs, y, output=tmp_path / "page.html").read_text(encoding="utf-8")
    section = page.partition('<section id="paper"')[2].partition("</section>")[0]
    assert "Amygdala_L – " in section  # no escapes for Markdown
    assert "compared with the permutation distribution of the largest statistic" in section
    assert "@book{westfall1993resampling" in section
