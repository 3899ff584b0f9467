"""The words of `dugraph.words`: each has its implementation, and no other list of them exists."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dugraph
from dugraph import words
from dugraph._core import Bound
from dugraph.evaluation.cells import class_metrics
from dugraph.evaluation.evaluate import LIKE_PAPER
from dugraph.io import layouts, probabilities
from dugraph.probability import SCORES
from dugraph.probability.measures import Measure
from dugraph.search.problem import class_goal
from dugraph.simulation import simulate
from dugraph.sparse.losses import check_loss

FAMILIES = {
    "scores": words.SCORES,
    "measures": tuple(words.MEASURES),
    "bounds": words.BOUNDS,
    "metrics": tuple(words.METRICS),
    "titles of metrics": tuple(metric.title for metric in words.METRICS.values()),
    "states": tuple(status.value for status in words.Status),
    "formats": layouts.FORMATS,
    "probabilities": tuple(words.PROBABILITIES),
    "datasets": words.PAPER_DATASETS,
}
# Tables that give a word its meaning have the same words as keys.
MEANINGS = {
    # Those that are large for one class only.
    ("scores", "probability/scores.py"),
    ("measures", "probability/measures.py"),
    ("measures", "search/problem.py"),
    # Shown for every distribution, independent of the measure of the ranking.
    ("measures", "results/save.py"),
    ("measures", "results/tables.py"),
    ("measures", "plot/chart.py"),
    ("measures", "plot/groups.py"),
    # The schema declares what a file may contain; a type needs its values written out.
    ("states", "results/schema.py"),
    ("metrics", "evaluation/cells.py"),
    ("probabilities", "estimators/probabilities.py"),
    ("probabilities", "io/probabilities.py"),
    ("datasets", "evaluation/evaluate.py"),
    ("datasets", "simulation/cohort.py"),
}


def strings(node: ast.AST) -> set[str]:
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def test_no_other_file_lists_them():
    root = Path(dugraph.__file__).parent
    found = {
        (family, path.relative_to(root).as_posix())
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if len(named := strings(node)) >= 3
        for family, members in FAMILIES.items()
        if len(named & set(members)) >= 3
    }
    others = {place for place in found if place[1] != "words.py"} - MEANINGS
    assert not others, "take these from dugraph.words; if they give the words a meaning, add to MEANINGS"
    assert {family for family, path in found if path == "words.py"} >= {"scores", "measures", "metrics"}


@pytest.mark.system
def test_reading_the_words_loads_no_library():
    code = "import sys, dugraph.words, dugraph.exceptions; print('numpy' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"


def test_every_score_is_a_function_of_its_name():
    assert {name: function.__name__ for name, function in SCORES.items()} == {n: n for n in words.SCORES}
    assert set(words.PAPER_SCORES) <= set(words.SCORES)


@pytest.mark.parametrize("measure", words.MEASURES)
def test_every_measure_can_be_taken_and_searched_for(measure):
    levels, probabilities_ = np.array([0.0, 1.0]), np.array([0.25, 0.75])
    assert 0 <= Measure(measure, phi=0.5)(levels, probabilities_) <= 1
    assert class_goal(np.array([True, False]), "hsic", measure, None, 0.5, 0.5) is not None


def test_an_unknown_measure_is_no_quantile():
    with pytest.raises(KeyError):
        class_goal(np.array([True, False]), "hsic", "mean", None, 0.5, 0.5)


def test_the_bounds_are_those_of_the_core():
    assert tuple(bound.name for bound in Bound) == words.BOUNDS


def test_every_metric_is_measured():
    y = np.array([0, 1])
    assert list(class_metrics(y, y, y.astype(float))) == list(words.METRICS)
    assert [name for name, metric in words.METRICS.items() if not metric.largest_first] == ["error"]


def test_every_other_word_has_a_meaning():
    assert all(check_loss(name) for name in words.LOSSES)
    assert tuple(LIKE_PAPER) == words.PAPER_DATASETS
    assert all(simulate(name, n_graphs=4).graphs.n_graphs == 4 for name in words.PAPER_DATASETS)
    assert {method for known in probabilities.METHODS.values() for method in known} == set(
        words.PROBABILITIES
    )
    assert set(probabilities.METHODS) == {*words.MATRIX_VALUES, "series"}


def test_methods_are_named_as_in_the_papers_tables():
    assert words.method_name("median", "confidence") == "med-confidence"
    assert words.method_name("frequency", "hsic") == "exp-freq"
