"""Arguments that are refused: the message gives the rule and the value, and no figure is left open."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pictures import (
    ARMS,
    BRAIN,
    LAYERED,
    METHODS,
    PATHS,
    PICTURES,
    SIGNED,
    evaluation,
    few_levels,
    fitted,
    made_replication,
    made_test,
)

import dugraph as dg
from dugraph import InputError
from dugraph.plot.matrices import node_modules

P = dg.plot
GRAPHS, Y = BRAIN
RANDOM = np.random.default_rng(0)
NOISE = dg.UncertainGraphs(RANDOM.random((20, 45)))
TESTED, REPLICATED, SPARSE = made_test(GRAPHS, Y), made_replication(*SIGNED), fitted()
NOTHING = made_test(NOISE, Y)
EMPTY = dg.SparseSubgraphClassifier(alpha=9.0).fit([[0.9, 0.5, 0.5], [0.4, 0.5, 0.5]], [0, 1])
OF_GROUPS = dg.SparseSubgraphClassifier(alpha=0.1).fit(
    RANDOM.uniform(0.2, 0.9, (30, 3)), np.array(["a", "b", "c"])[np.arange(30) % 3]
)
NONE = RANDOM.random((40, 3)), np.arange(40) % 2
NOT_FOUND = dg.sensitivity_analysis(*NONE, n_permutations=99)
NOT_REPLICATED = dg.find_and_replicate(RANDOM.random((40, 6)), np.arange(40) % 2)
THREE_LAYERS = dg.UncertainGraphs(
    [[0.1, 0.2, 0.3]] * 2, [(1, 0)] * 3, node_labels=["a", "b"], edge_layers=["x", "y", "z"]
)
ONE_METHOD = evaluation((METHODS[0], METHODS[3]))


def refused(words, function, *arguments, **options):
    name = f"{function.__name__}: {words[:60]}"
    return pytest.param(words, function, arguments, options, id=name)


@pytest.mark.parametrize(
    ("words", "function", "arguments", "options"),
    [
        refused("ax must be an Axes of matplotlib: got str.", P.plot_subgraph, GRAPHS, (0, 1), ax="ax"),
        # One subgraph
        refused("behind, network: got 'top'", P.plot_subgraph, GRAPHS, (0,), view="top"),
        refused("view='above' needs node_coordinates", P.plot_subgraph, LAYERED[0], (0,), view="above"),
        refused("column indices from 0 to 44, but 99", P.plot_subgraph, GRAPHS, (99,)),
        refused("A union needs at least one subgraph", P.plot_subgraph_union, GRAPHS, []),
        refused("top must be a whole number of at least 1", P.plot_subgraph_union, GRAPHS, PATHS, top=0),
        refused("top must be a whole number of at least 1", P.plot_subgraph_union, GRAPHS, PATHS, top="all"),
        refused("Put a single subgraph into a list", P.plot_subgraph_union, GRAPHS, PATHS[0]),
        refused("but it holds the number 5", P.view_subgraph, GRAPHS, 5),
        refused("A 3-D view needs node_coordinates", P.view_subgraph, LAYERED[0], (0,)),
        refused("numbers with more than two values, but has classes", P.plot_phenotype, GRAPHS, ARMS, (0,)),
        refused("y must have exactly two classes", P.plot_containment, GRAPHS, np.zeros(20), (0,)),
        refused("must be a ScoreDistribution, got [0.1] (list)", P.plot_score_distribution, [0.1]),
        refused("phi must be a finite number, got nan", P.plot_score_distribution, few_levels(), phi=np.nan),
        refused("phi must be a finite number, got 'a'", P.plot_score_distribution, few_levels(), phi="a"),
        # Matrices
        refused("the cohort has 3: x, y, z. Choose by", P.plot_group_difference, THREE_LAYERS, [0, 1]),
        refused("layers (x, y, z): got w", P.plot_group_difference, THREE_LAYERS, [0, 1], layers=["w"]),
        refused("one entry per node: got the shape (1,) for 2 nodes", node_modules, ["a", "b"], ["m"]),
        refused("Redundancy needs at least one subgraph", P.plot_redundancy, GRAPHS, []),
        # Comparisons
        refused("got 'best'", P.plot_metric, evaluation(), methods=["best"]),
        refused("highlight must name methods of the res", P.plot_metric, evaluation(), highlight=["other"]),
        refused("balanced_accuracy, auc, but is 'loss'", P.plot_metric, evaluation(), metric="loss"),
        refused("result must be an EvaluationResult, got {} (dict)", P.plot_ranks, {}),
        refused("two methods with a value in every split: the result has 8 and 1", P.plot_ranks, ONE_METHOD),
        # Tests
        refused("the result has no subgraph", P.plot_significant_subgraphs, NOTHING, NOISE),
        refused("result must be a SignificanceResult, got [] (list)", P.plot_null_maxima, []),
        refused("its regions cannot be matched", P.plot_significant_subgraphs, TESTED, [[0.5]] * 20),
        refused("result must be a ReplicationResult, got ", P.plot_replication, TESTED),
        refused("subgraph must be a position from 0 to", P.plot_replication, REPLICATED, len(REPLICATED)),
        refused("no subgraph was tested in the second cohort", P.plot_replication, NOT_REPLICATED),
        refused("result must be a PowerResult, got 0.8", P.plot_power, 0.8),
        refused("result must be a SensitivityResult, got 3", P.plot_sensitivity, 3),
        refused("no setting found one", P.plot_sensitivity, NOT_FOUND, edges=True),
        # Sparse models
        *(refused("Call fit or sparse_path", P.plot_sparse_path, path) for path in (None, [], "a", [1])),
        refused("Call fit or sparse_path first", P.plot_sparse_path, dg.SparseSubgraphClassifier()),
        refused("of two classes", P.plot_sparse_path, OF_GROUPS),
        refused("Call fit first", P.plot_coefficients, dg.SparseSubgraphClassifier()),
        refused("must be those of one model, but there are 3", P.plot_coefficients, OF_GROUPS),
        refused("no subgraph, so there is no coefficient to draw", P.plot_coefficients, EMPTY),
        *(refused("top must be a whole", P.plot_coefficients, SPARSE, top=top) for top in (0, True, 1.5)),
        # Figures for papers
        refused("kind must be one of brain, matrix, chord", P.subgraph_figure, TESTED, kind="tree"),
        refused("kind must be one of brain, matrix, chord", TESTED.plot, kind="tree"),
        refused("width must be one of one, two", P.subgraph_figure, TESTED, width="three"),
        refused("view must be one of above, left", P.subgraph_figure, TESTED, view=["above", "top"]),
        refused("view must be one or several different", P.subgraph_figure, TESTED, view=["above", "above"]),
        refused("'chord' has none. Leave out view", P.subgraph_figure, TESTED, view="above", kind="chord"),
        refused("the number of a family from 1 to 3: got 99", P.subgraph_figure, TESTED, family=99),
        refused("got 'first'", P.subgraph_figure, TESTED, family="first"),
        refused("Small multiples are views", P.subgraph_figure, TESTED, family="each", kind="matrix"),
        refused("modules must have one entry per node", P.subgraph_figure, TESTED, networks=["a", "b"]),
        refused("needs the result of significant_subgraphs", P.subgraph_figure, [(0, 1)]),
        refused("its regions cannot be matched", P.subgraph_figure, TESTED, np.full((2, 3), 0.5)),
        refused("The sparse model must be fitted", P.subgraph_figure, dg.SparseSubgraphClassifier()),
        refused("A sparse model does not know the names of its regions", P.subgraph_figure, SPARSE.model_),
        # Files
        refused(".pdf, .svg, .png, but the file ends in .jpg", P.save_figure, None, "figure.jpg"),
        refused("but the file ends in nothing", P.save_figure, None, "figure"),
        refused("figure must be a Figure or Axes of", P.save_figure, "figure", "figure.png"),
        refused("a number from 10 to 2400: got 5", P.save_figure, plt.Figure(), "figure.png", dpi=5),
    ],
)  # fmt: skip
def test_it_is_refused(words, function, arguments, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refusal:
        function(*arguments, **options)
    assert words in str(refusal.value)
    assert plt.get_fignums() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "name", "function", "arguments"),
    [
        ("networkx", "networkx", P.plot_subgraph, (LAYERED[0], (0,))),
        ("nilearn.plotting", "nilearn", P.view_subgraph, (GRAPHS, (0,))),
        ("matplotlib.figure", "matplotlib", P.subgraph_figure, (TESTED,)),
        *(("matplotlib.axes", "matplotlib", draw, (None,)) for draw in PICTURES.values()),
    ],
)
def test_a_missing_package_is_named(module, name, function, arguments, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"{name}, which is missing: pip install 'dugraph\[plot\]'"):
        function(*arguments)
