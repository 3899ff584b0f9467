"""Age, sex and motion that go with the class are pointed out as sites are; what does not differ is not."""

import numpy as np
import pytest

import dugraph as dg
from dugraph.report.cautions import cautions
from dugraph.report.sections import describe_cohort, find_differences
from dugraph.report.write import Parts
from dugraph.results.cohort_ref import CohortRef

Y = np.repeat(["patient", "control"], 20)
PATIENT = Y == "patient"
rng = np.random.default_rng(0)
SAME = np.tile(rng.normal(30, 5, 20), 2)


def cohort(**participants):
    X = np.full((40, 3), 0.5)
    graphs = dg.UncertainGraphs(X, participants={k: np.asarray(v) for k, v in participants.items()})
    return dg.LabelledGraphs(graphs, Y)


@pytest.mark.parametrize(
    ("participants", "told"),
    [
        (
            {"Age": np.where(PATIENT, 8.0, 0.0) + SAME},
            f"Age: {SAME.mean() + 8:.3g} in patient, {SAME.mean():.3g} in control on average, ",
        ),
        ({"AGE_AT_SCAN": (np.where(PATIENT, 8.0, 0.0) + SAME).astype(str)}, "AGE_AT_SCAN: "),
        ({"sex": np.where(PATIENT, "F", "M")}, "sex: 100% F in patient, 0% F in control (Cramér's V = 1.00"),
        ({"func_mean_fd": np.where(PATIENT, 0.3, 0.1)}, "func_mean_fd: 0.3 in patient, 0.1 in control on"),
        ({"age": SAME}, None),
        ({"age": np.full(40, 20.0)}, None),
        ({"age": np.where(PATIENT, "old", "young")}, None),
        ({"sex": np.tile(["F", "M"], 20)}, None),
        ({"sex": np.full(40, "F")}, None),
        ({"weight": np.where(PATIENT, 90.0, 60.0) + SAME}, None),
        ({}, None),
    ],
)
def test_what_differs_is_told_by_its_column(participants, told):
    texts = [found.text for found in find_differences(cohort(**participants))]
    assert [text[: len(told or "")] for text in texts] == ([told] if told else [])


def test_missing_values_are_left_out():
    age = np.where(PATIENT, 8.0, 0.0) + SAME
    age[[0, 39]] = np.nan
    assert len(find_differences(cohort(age=age))) == 1
    age[2:20] = np.nan  # one patient is left
    assert find_differences(cohort(age=age)) == []
    sex = np.where(PATIENT, "F", "M").astype(object)
    sex[3:20] = "n/a"
    assert len(find_differences(cohort(sex=np.array(sex, dtype=str)))) <= 1


def test_the_report_warns_urgently():
    labelled = cohort(age=np.where(PATIENT, 8.0, 0.0) + SAME, sex=np.where(PATIENT, "F", "M"))
    found = cautions(Parts(CohortRef.of(labelled), None, None), describe_cohort(labelled))
    headings = {caution.heading: caution for caution in found}
    for trait in ("Age", "Sex"):
        caution = headings[f"{trait} and class are associated"]
        assert caution.urgent
        assert f"A subgraph may reflect {trait.lower()} rather than class" in caution.text
    assert "Motion and class are associated" not in headings


def test_hostile_values_are_escaped_in_the_page(tmp_path):
    labelled = cohort(sex=np.where(PATIENT, "<img src=x>", "M"))
    result = dg.mine_subgraphs(labelled, n_subgraphs=2)
    page = dg.write_report(result, X=labelled, output=tmp_path / "page.html").read_text()
    assert "Sex and class are associated" in page
    assert "<img src=x>" not in page
