"""Pages of a grid of designs: what was found in plain words, and no sentence that does not fit."""

import html
import re

import designs
import numpy as np
import pytest
from scipy.stats import f_oneway, pearsonr, ttest_ind
from test_report_sentences import words

FAULTS = (
    r"\b1 (edges|nodes|subgraphs|groups of|families|blocks|participants|graphs)\b",
    r"\b(one|1) of them (are|share)\b",
    r"\b0 of \d+ subgraphs share",
    r"with (larger|smaller) the\b",
    r"log odds",
    r"\b(nan|None of None|inf)\b",
    r"\(\)|\{\}|\bof \.",
    r" ,  |,,|\.\.(?!\.)",
)


@pytest.mark.parametrize("name", [name for name in designs.DESIGNS if name != "module"])
def test_no_sentence_has_a_known_fault(pages, name):
    text = words(pages(name)[1])
    text = text[: text.index("Text for the paper", text.index("All cautions"))]
    found = [text[max(0, one.start() - 80) : one.end() + 40] for one in re.finditer("|".join(FAULTS), text)]
    assert found == []


def overview(pages, name):
    page = html.unescape(words(pages(name)[1]))
    found = page[page.index("What we found") : page.index("All cautions")]
    return found.replace(" ,", ",").replace(" .", ".")


def test_the_clearest_finding_with_its_frequencies(pages):
    result, graphs, y = (pages("three")[0][key] for key in ("result", "X", "y"))
    assert len(result.families) == 3
    said = overview(pages, "three")
    assert "3 separate groups of connections differ between patient and control graphs" in said
    (edge,) = result.subgraphs[0]
    x, patient = graphs.edge_probability[:, edge], y == "patient"
    assert f"joins {graphs.edge_name(edge).replace('--', ' and ')}." in said
    assert f"in {x[patient].mean():.0%} of patient graphs and in {x[~patient].mean():.0%} of control" in said
    # By hand: the difference within sites, each with the weight of a least-squares fit.
    site = np.asarray(graphs.participants["site"])[:, None] == np.unique(graphs.participants["site"])
    fit = np.linalg.lstsq(np.column_stack([patient, site]), x, rcond=None)[0]
    assert fit[0] < 0
    assert f"With site taken into account, it is {-100 * fit[0]:.1f} percentage points less frequent" in said
    assert "list is at most 5%." in said


def test_without_a_finding_no_difference_is_not_claimed(pages):
    said = overview(pages, "null")
    assert "No group of connections was shown to differ" in said
    assert "This does not show that there is no difference" in said
    assert "may contribute nothing" not in words(pages("null")[1])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("phenotype", "vary with the phenotype more than chance explains"),
        ("phenotype", "The larger the phenotype, the more often it is present"),
        ("groups", "One group of connections differs between high dose, low dose and placebo graphs"),
        ("one_site", "One group of connections differs"),
        ("one_site", "is about 5%."),
        ("ranking", "Whether this is more than chance is not known: no test was made."),
        (
            "tested_ranking",
            "The best of 2 methods classified 3% of the graphs left out of training wrongly; guessing",
        ),
        ("sparse", "A model chose 4 groups of connections that together distinguish the classes best."),
    ],
)
def test_each_design_has_its_words(pages, name, said):
    assert said in overview(pages, name)


@pytest.mark.parametrize("name", ["one_site", "motion", "phenotype"])
def test_assumptions_on_covariates_are_in_plain_words(pages, name):
    kind = "linear" if name == "phenotype" else "logistic"
    page = words(pages(name)[1])
    assert f"as in a {kind} regression, without curves or interactions" in page
    assert "so it is not the difference of the percentages" in page or name == "phenotype"


def test_z_is_not_a_standard_normal_variable(pages):
    assert "It does not follow a standard normal distribution" in words(pages("three")[1])


def test_motion_and_connectivity_are_compared(pages):
    design, _ = pages("motion")
    graphs, patient = design["X"], design["y"] == "patient"
    fd = graphs.participants["mean_fd"]
    said = overview(pages, "motion")
    assert ttest_ind(fd[patient], fd[~patient], equal_var=False).pvalue < 1e-4
    means = f"{fd[patient].mean():.3g} in patient, {fd[~patient].mean():.3g} in control"
    assert f"Head motion (mean_fd): {means} (p < 0.0001)." in said
    mean = graphs.edge_probability.mean(axis=1)
    p = ttest_ind(mean[patient], mean[~patient], equal_var=False).pvalue
    assert f"control (p = {p:.2g})" in said
    assert "no column such as mean_fd" not in said


def test_connectivity_of_groups_and_with_a_phenotype(pages):
    design, _ = pages("groups")
    mean = design["X"].edge_probability.mean(axis=1)
    p = f_oneway(*(mean[design["y"] == arm] for arm in np.unique(design["y"]))).pvalue
    assert f"placebo (p = {p:.2g})" in overview(pages, "groups")
    design, _ = pages("phenotype")
    r, p = pearsonr(design["X"].edge_probability.mean(axis=1), design["y"])
    assert f"correlation {r:.2f} with the phenotype (p = {p:.2g})" in overview(pages, "phenotype")


def test_missing_motion_is_named(pages):
    assert "Head motion is not recorded: the participants have no column such as mean_fd." in overview(
        pages, "null"
    )


def test_no_line_of_a_chart_is_drawn_over_its_texts(pages):
    for chart in re.findall(r'<svg class="chart".*?</svg>', pages("three")[1].read_text()):
        marks = re.findall(r'<g class="mark[^"]*">(<path|<text)', chart)
        assert marks == sorted(marks)
