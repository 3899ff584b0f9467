"""CONTRIBUTING.md says how to add a score and a measure: done in a copy of the package, up to the report."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dugraph
from dugraph import _core, containment_probability, load_cohort
from dugraph.search import support_distribution

pytestmark = pytest.mark.system

# File -> (line of the recipe's place, what is added before it).
RECIPE = {
    "words.py": [
        ('    "information_gain": 0.05,\n', '    "added_score": 0.3,\n'),
        ('    "information_gain": "information gain",\n', '    "added_score": "added score",\n'),
        (
            '    "mode": MeasureWords(',
            '    "upper_quartile": MeasureWords("upq", "upper quartile of {score}"),\n',
        ),
    ],
    "probability/scores.py": [
        (
            "# The functions above, in the order of",
            "def added_score(a, b, p, q):\n    return np.abs(a / p - b / q)\n\n\n",
        )
    ],
    "probability/measures.py": [
        ('    "mode": lambda', '    "upper_quartile": lambda m, levels, pr: quantile(levels, pr, 0.75),\n')
    ],
    "search/problem.py": [
        (
            "    return Goal.quantile(",
            '    quantiles["upper_quartile"] = 0.75\n',
        )
    ],
}
# The finder of an editable installation would answer before the path does.
RUN = """
import json
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
for name in [name for name in sys.modules if name.partition(".")[0] == "dugraph"]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
from dugraph.cli import main

for command in json.load(sys.stdin):  # in one process: to begin is what takes time
    if code := main(command):
        sys.exit(code)
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A copy of the package with one score and one measure more, as a function that runs its commands."""
    home = tmp_path_factory.mktemp("grown")
    package = home / "dugraph"
    shutil.copytree(Path(dugraph.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_core.__file__, package)
    for name, additions in RECIPE.items():
        text = (package / name).read_text(encoding="utf-8")
        for place, added in additions:
            assert text.count(place) == 1, (name, place)
            text = text.replace(place, added + place)
        (package / name).write_text(text, encoding="utf-8")

    def run(*commands):
        program = [sys.executable, "-W", "error", "-c", RUN, str(home)]
        asked = json.dumps([command.split() for command in commands])
        done = subprocess.run(program, input=asked, capture_output=True, text=True, cwd=home)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return home, run


def distribution(home, edges):
    """All pairs of supports: the score by its definition, and the probability."""
    graphs, y = load_cohort(home / "cohort.npz")
    x = containment_probability(graphs, edges)
    supports = support_distribution(x[y == 1]), support_distribution(x[y == 0])
    a, b = (np.arange(len(support)) / (len(support) - 1) for support in supports)
    return np.abs(a[:, None] - b).ravel(), np.outer(*supports).ravel()


def test_an_added_score_and_measure_go_all_the_way_to_the_report(grown):
    home, run = grown
    small = "--n-subgraphs 5 --max-edges 2"
    mine = f"mine cohort.npz --score added_score {small}"
    methods = "exp-added_score,phi-added_score,upq-added_score,upq-hsic,added_score"
    shown = run(
        "simulate --like hiv --n-graphs 24 -o cohort.npz",
        f"{mine} --measure upper_quartile -o mined",
        f"{mine} -o expected",
        f"evaluate cohort.npz --methods {methods} --n-splits 2 {small} -o evaluation",
        "report mined --evaluation evaluation",
    )
    table = shown[shown.index("exp-added_score") :]
    assert all(method in table for method in methods.split(","))
    page = (home / "mined" / "report.html").read_text(encoding="utf-8")
    assert "upper quartile of added score" in page
    assert all(method in page for method in methods.split(","))
    for folder, rank_by in (("mined", "upper_quartile"), ("expected", "expectation")):
        record = json.loads((home / folder / "results.json").read_text(encoding="utf-8"))
        assert record["parameters"]["measure"] == rank_by
        assert len(record["subgraphs"]) == 5
        for subgraph in record["subgraphs"]:
            score, probability = distribution(home, [edge["index"] for edge in subgraph["edges"]])
            order = np.argsort(score)
            reached = np.searchsorted(np.cumsum(probability[order]), 0.75)
            by_hand = {"upper_quartile": score[order][reached], "expectation": probability @ score}
            assert subgraph["value"] == pytest.approx(by_hand[rank_by], rel=1e-9)
