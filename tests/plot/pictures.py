"""One small picture per plotting function and state, always the same: for image tests and for manners."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.text import Text

import dugraph as dg
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.cells import Cell

METHODS = ("exp-hsic", "med-hsic", "exp-freq", "all-edges")
# Names that files may hold: formulas, line ends, marks of direction, markup, far too much, nothing.
HOSTILE = (
    "$\\frac{1}$ x_1^2 $",
    "a\nb\tc\r\u2028d",
    "\u202eleft\u202c \u05d0\u05d1 \U0001f600 \u6f22",
    "</script><script>alert(1)</script><!-- &amp;",
    "long " * 2000,
    "",
    '"quoted" \\ %s {} #',
)


def brain() -> tuple[dg.UncertainGraphs, np.ndarray]:
    """20 graphs over ten AAL regions, half of them patients."""
    atlas = dg.aal_atlas(90)
    chosen = [0, 1, 28, 29, 36, 37, 58, 59, 80, 81]
    rng = np.random.default_rng(0)
    y = np.repeat(["patient", "control"], 10)
    X = rng.uniform(0.05, 0.5, (20, 45))
    X[:10, :6] += 0.4
    X[:, 40] = 0
    labels = [atlas.labels[i] for i in chosen]
    return dg.UncertainGraphs(X, node_labels=labels, node_coordinates=atlas.coordinates[chosen]), y


def layered(labels: Any = "abcde", coordinates: Any = None) -> tuple[dg.UncertainGraphs, np.ndarray]:
    """20 graphs of five nodes with edges of two layers, some of them parallel."""
    rng = np.random.default_rng(1)
    graphs = dg.UncertainGraphs(
        rng.uniform(0.1, 0.9, (20, 6)),
        edges=[(1, 0), (1, 0), (2, 1), (3, 1), (3, 1), (4, 3)],
        node_labels=list(labels),
        node_coordinates=coordinates,
        edge_layers=["plus", "minus", "plus", "plus", "minus", "minus"],
    )
    return graphs, np.arange(20) % 2


def evaluation(methods: tuple[str, ...] = METHODS, n_splits: int = 8) -> EvaluationResult:
    """A comparison with known values; the last method has no value in split 0."""
    rng = np.random.default_rng(2)
    cells = []
    for i, method in enumerate(methods):
        for split in range(n_splits):
            metrics = {}
            for t in (100, 200, 300):
                error = 0.2 + 0.05 * i + rng.uniform(0, 0.08) - t / 5000
                metrics[t] = {"error": error, "f1": 1 - error, "balanced_accuracy": 1 - error, "auc": 0.9}
            failed = method == "all-edges" and split == 0
            cells.append(
                Cell(
                    method=method,
                    split=split,
                    metrics={} if failed else metrics,
                    n_found=300,
                    proven=True,
                    failure="no subgraph" if failed else "",
                    mining_seconds=1.0,
                    svm_seconds=1.0,
                )
            )
    return EvaluationResult(cells, methods, (100, 200, 300), {}, {})


def many_levels() -> dg.probability.ScoreDistribution:
    """Several thousand score levels."""
    values = np.linspace(0, 0.1, 5001)
    weights = np.exp(-(((values - 0.04) / 0.012) ** 2)) * (1 + np.sin(np.arange(5001)))
    possible = weights > 0
    return dg.probability.ScoreDistribution(values[possible], weights[possible] / weights.sum())


def few_levels() -> dg.probability.ScoreDistribution:
    """The example of docs/measures.md."""
    X = [[p] for p in (0.9, 0.9, 0.9, 0.6, 0.6, 0.6, 0.6, 0.5, 0.6, 0.4, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1)]
    return dg.score_distribution(X, [1] * 8 + [0] * 8, (0,), "hsic")


def fitted(labels: Any = "abcd") -> dg.SparseSubgraphClassifier:
    """A classifier with coefficients of both signs, chosen by cross-validation."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 20)
    X = rng.uniform(0.2, 0.7, (40, 6))
    X[y == 1, :2] += 0.25
    X[y == 0, 4] += 0.25
    classifier = dg.SparseSubgraphClassifier(node_labels=list(labels), cv=3, n_alphas=8)
    return classifier.fit(X, np.where(y, "patient", "control"))


def made_test(graphs: dg.UncertainGraphs, y: Any) -> dg.SignificanceResult:
    """A test with significant subgraphs."""
    return dg.significant_subgraphs(graphs, y, n_permutations=199, max_edges=2)


def made_replication(graphs: dg.UncertainGraphs, y: Any, site: Any = "ab") -> dg.ReplicationResult:
    """A replication in which subgraphs of both signs are confirmed, at two sites."""
    sites = np.array(list(site))[np.arange(20) // 5 % 2]
    return dg.replicate(made_test(graphs, y), graphs, y, blocks=sites, n_permutations=199)


def made_power() -> dg.PowerResult:
    """Power of a test of single edges, with no detectable frequency for the smallest number of graphs."""
    sizes = (4, 40, 60, 80, 120)
    return dg.power_analysis(
        BRAIN[0], n_edges=1, frequencies=(0.6, 0.3), n_graphs=sizes, n_permutations=399, max_edges=2
    )


def made_sensitivity(graphs: dg.UncertainGraphs, y: Any) -> dg.SensitivityResult:
    """Tests of both signs under four settings."""
    limits = [0.5, 0.2]
    return dg.sensitivity_analysis(
        graphs, y, min_expected_frequencies=limits, n_permutations=199, max_edges=2
    )


def signed() -> tuple[dg.UncertainGraphs, np.ndarray]:
    """The ten regions with an edge that is more frequent in controls as well."""
    graphs, y = brain()
    X = graphs.edge_probability.copy()
    X[10:, 30] += 0.45
    return dg.UncertainGraphs(X, node_labels=graphs.node_labels, node_coordinates=graphs.node_coordinates), y


P, BRAIN, LAYERED, SIGNED = dg.plot, brain(), layered(), signed()
ARMS = np.array(["high", "low", "none"])[np.arange(20) % 3]
DOSE = 12 + np.linspace(10, 0, 20) + np.cos(np.arange(20))
PATHS = [(0, 1), (0, 1, 2), (0, 2, 5), (0,), (4, 9)]
PICTURES: dict[str, Callable[[Any], Any]] = {
    "subgraph_above": lambda ax: P.plot_subgraph(BRAIN[0], PATHS[1], ax=ax),
    "subgraph_right": lambda ax: P.plot_subgraph(BRAIN[0], PATHS[2], view="right", ax=ax),
    "subgraph_network": lambda ax: P.plot_subgraph(LAYERED[0], range(6), ax=ax),
    "subgraph_union": lambda ax: P.plot_subgraph_union(BRAIN[0], PATHS, top=4, ax=ax),
    "score_few": lambda ax: P.plot_score_distribution(few_levels(), phi=0.03, ax=ax),
    "score_many": lambda ax: P.plot_score_distribution(many_levels(), phi=0.05, ax=ax),
    "support": lambda ax: P.plot_support_distributions(*BRAIN, PATHS[0], ax=ax),
    "containment": lambda ax: P.plot_containment(*BRAIN, PATHS[0], ax=ax),
    "containment_groups": lambda ax: P.plot_containment(BRAIN[0], ARMS, PATHS[0], ax=ax),
    "phenotype": lambda ax: P.plot_phenotype(BRAIN[0], DOSE, PATHS[0], name="dose", ax=ax),
    "phenotype_adjusted": lambda ax: P.plot_phenotype(
        BRAIN[0], DOSE, PATHS[0], covariates=np.arange(20) % 3, ax=ax
    ),
    "difference": lambda ax: P.plot_group_difference(*BRAIN, PATHS, ax=ax),
    "difference_layers": lambda ax: P.plot_group_difference(*LAYERED, [(0, 1, 3)], ax=ax),
    "redundancy": lambda ax: P.plot_redundancy(BRAIN[0], PATHS, ax=ax),
    "metric": lambda ax: P.plot_metric(evaluation(), metric="f1", ax=ax),
    "ranks": lambda ax: P.plot_ranks(evaluation(), ax=ax),
    "coefficients": lambda ax: P.plot_coefficients(fitted(), ax=ax),
    "sparse_path": lambda ax: P.plot_sparse_path(fitted(), ax=ax),
    "null_maxima": lambda ax: P.plot_null_maxima(made_test(*BRAIN), ax=ax),
    "significant_subgraphs": lambda ax: P.plot_significant_subgraphs(
        made_test(*SIGNED), SIGNED[0], view="network", ax=ax
    ),
    "power": lambda ax: P.plot_power(made_power(), ax=ax),
    "power_detectable": lambda ax: P.plot_power(made_power(), detectable=True, ax=ax),
    "replication": lambda ax: P.plot_replication(made_replication(*SIGNED), ax=ax),
    "sensitivity": lambda ax: P.plot_sensitivity(made_sensitivity(*SIGNED), ax=ax),
    "sensitivity_edges": lambda ax: P.plot_sensitivity(made_sensitivity(*SIGNED), edges=True, ax=ax),
    "replication_blocks": lambda ax: P.plot_replication(made_replication(*SIGNED), 0, ax=ax),
    "significant_matrix": lambda ax: P.plot_significant_subgraphs(made_test(*SIGNED), kind="matrix", ax=ax),
    "significant_chord": lambda ax: P.plot_significant_subgraphs(made_test(*SIGNED), kind="chord", ax=ax),
}


def hostile_pictures() -> dict[str, Callable[[Any], Any]]:
    """The same functions with hostile names wherever a name can come from a file."""
    graphs, y = layered(HOSTILE[:5])
    placed, _ = layered(HOSTILE[:5], BRAIN[0].node_coordinates[:5])
    classes = np.where(y, "$p$\0\n" + "w" * 5000, "<b>$n_1$</b>\u202e")
    X = np.where(y[:, None] == [1, 1, 0, 0, 0, 0], 0.9, 0.2)
    strong = dg.UncertainGraphs(X, graphs.edges, graphs.node_labels, edge_layers=graphs.edge_layers)
    found = made_test(strong, y)
    result = evaluation(("$a_1$ " + "x" * 9000, "\u202e\0\n", "<i>c</i>"))
    return {
        "subgraph": lambda ax: P.plot_subgraph(graphs, range(6), ax=ax),
        "subgraph_brain": lambda ax: P.plot_subgraph(placed, range(6), ax=ax),
        "union": lambda ax: P.plot_subgraph_union(graphs, [range(6), (0,)], ax=ax),
        "support": lambda ax: P.plot_support_distributions(graphs, classes, (0, 1), ax=ax),
        "containment": lambda ax: P.plot_containment(graphs, classes, (0, 1), ax=ax),
        "containment_groups": lambda ax: P.plot_containment(
            graphs, np.array(HOSTILE)[np.arange(20) % 5], (0, 1), ax=ax
        ),
        "phenotype": lambda ax: P.plot_phenotype(graphs, DOSE, (0, 1), name=HOSTILE[0] + HOSTILE[4], ax=ax),
        "difference": lambda ax: P.plot_group_difference(
            graphs, classes, [(0, 1)], modules=HOSTILE[2:], ax=ax
        ),
        "difference_nodes": lambda ax: P.plot_group_difference(graphs, classes, ax=ax),
        "coefficients": lambda ax: P.plot_coefficients(fitted(HOSTILE[:4]), ax=ax),
        "metric": lambda ax: P.plot_metric(result, ax=ax),
        "ranks": lambda ax: P.plot_ranks(result, ax=ax),
        "significant": lambda ax: P.plot_significant_subgraphs(found, strong, ax=ax),
        "sensitivity": lambda ax: P.plot_sensitivity(made_sensitivity(strong, y), edges=True, ax=ax),
        "replication": lambda ax: P.plot_replication(made_replication(strong, y, HOSTILE[3:5]), 0, ax=ax),
    }


def edges_of(ax):
    """Edge index to line, of all edges drawn as lines."""
    lines = [line for line in ax.lines if line.get_label().startswith("_edge ")]
    found = {int(line.get_label().split()[1]): line for line in lines}
    assert len(found) == len(lines)
    return found


def legend_words(parent):
    """The texts of the legend of axes, or of the only legend of a figure."""
    legend = parent.get_legend() if hasattr(parent, "get_legend") else parent.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def drawn_texts(figure, monkeypatch):
    """All text that is really drawn; axes hold more, such as the names of ticks beyond their limits."""
    texts = []
    draw = Text.draw
    with monkeypatch.context() as patch:
        patch.setattr(Text, "draw", lambda text, renderer: (texts.append(text), draw(text, renderer)))
        figure.draw_without_rendering()
    return [text for text in texts if text.get_visible() and text.get_text()]
