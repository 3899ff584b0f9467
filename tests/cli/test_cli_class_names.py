"""Cohorts from files have the classes 1 and 0; people see the names of the groups."""

import json
import re

import pytest
from matplotlib import pyplot as plt

from dugraph import load_cohort, plot, save_cohort
from dugraph.cli import main


@pytest.fixture
def converted(make_cohort):
    """A cohort as `dugraph convert` writes it."""
    path = make_cohort(provenance={"format": "matrices", "positive": "patient", "negative": "control"})
    graphs, y = load_cohort(path)
    save_cohort(path, graphs, (y == "patient").astype(int))
    return path


def mine(*arguments):
    return main(["mine", *arguments, "--n-subgraphs", "3"])


def test_info_lists_labels_and_names(converted, capsys):
    assert main(["info", converted]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["class", "name", "graphs", "default", "role"] in lines
    assert ["0", "control", "10", "negative"] in lines
    assert ["1", "patient", "10", "positive"] in lines


def test_the_table_of_mine_has_a_column_for_each_class(converted, make_cohort, capsys):
    assert mine(converted) == 0
    assert ["rank", "value", "patient", "control", "edges"] in columns(capsys)
    assert mine(converted, "--pos-label", "0") == 0
    assert ["rank", "value", "control", "patient", "edges"] in columns(capsys)
    assert mine(make_cohort(classes=(0, 1))) == 0
    assert ["rank", "value", "positive", "negative", "edges"] in columns(capsys)


def test_the_table_of_sparse_names_the_classes(converted, capsys):
    for flags, names in (((), ("patient", "control")), (("--pos-label", "0"), ("control", "patient"))):
        assert main(["sparse", converted, "--alpha", "0.05", *flags]) == 0
        lines = columns(capsys)
        assert ["rank", "coefficient", *names, "edges"] in lines
        assert f"positive coefficients favour {names[0]};" in " ".join(lines[0])


def columns(capsys):
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_positive_class_may_be_chosen_by_its_name(converted, tmp_path, capsys):
    for folder, label in (("a", "0"), ("b", "control")):
        assert mine(converted, "--pos-label", label, "-o", str(tmp_path / folder)) == 0
    assert (tmp_path / "a" / "results.json").read_bytes() == (tmp_path / "b" / "results.json").read_bytes()
    record = json.loads((tmp_path / "a" / "results.json").read_text())["input"]
    assert [record[f"{side}_{what}"] for side in ("positive", "negative") for what in ("class", "name")] == [
        *("0", "control"),
        *("1", "patient"),
    ]
    capsys.readouterr()
    assert mine(converted, "--pos-label", "ill") == 1
    assert "got 'ill', the classes are 0 (control) and 1 (patient)." in capsys.readouterr().err


def test_the_report_names_the_groups(converted, tmp_path):
    assert mine(converted, "--report", "-o", str(tmp_path / "out")) == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<h1>What distinguishes <bdi>patient</bdi> from <bdi>control</bdi></h1>" in page
    assert re.search(
        r"Containment probabilities of all graphs: mean 0\.\d+ in patient, mean 0\.\d+ in con", page
    )
    assert "--pos-label=1" in page
    assert "class&nbsp;<bdi>1</bdi>" not in page


def test_the_plots_name_the_groups(converted):
    graphs, y = load_cohort(converted)
    ax = plot.plot_containment(graphs, y, (0, 1))
    names = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    assert {"patient", "control"} <= {text.get_text().split()[0] for text in names}
    plt.close(ax.figure)
