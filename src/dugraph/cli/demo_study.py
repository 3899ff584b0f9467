"""The study of the demo: how well subgraphs mined in training graphs tell the classes of unseen graphs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC

from dugraph import MiningResult, UncertainGraphs, containment_probability, mine_subgraphs

Subgraph = tuple[int, ...]


class Method(NamedTuple):
    """A measure of a score."""

    score: str
    measure: str


METHODS = (
    Method("hsic", "expectation"),
    Method("confidence", "median"),
    Method("frequency_ratio", "phi_probability"),
)
SIZES = (20, 100)  # numbers of subgraphs that the classifier gets
ALL_EDGES = "all edges"


@dataclass(frozen=True)
class Accuracy:
    """Share of unseen graphs classified rightly, by method, number of features and split."""

    method: Method | str
    n_features: int
    split: int
    value: float


def cross_validate(
    graphs: UncertainGraphs, y: NDArray[Any], n_splits: int, random_state: int, n_jobs: int
) -> Iterator[Accuracy]:
    """Train a linear support vector machine on 80 % of the graphs and test it on the others, several times.

    The subgraphs are mined anew in each training part, so nothing of a test graph reaches its features but
    their containment probabilities. The same splits and the same machine serve all edges as features.
    """
    X = graphs.edge_probability
    splits = StratifiedShuffleSplit(n_splits, test_size=0.2, random_state=random_state)
    for number, (train, test) in enumerate(splits.split(X, y)):
        for method in METHODS:
            found = proven(
                mine_subgraphs(
                    graphs[train], y[train], **method._asdict(), n_subgraphs=max(SIZES), n_jobs=n_jobs
                )
            )
            features = np.column_stack([containment_probability(graphs, g) for g in found.subgraphs])
            # The list is ranked, so its beginning is the answer for a smaller number of subgraphs.
            for size in SIZES:
                yield Accuracy(method, size, number, _accuracy(features[:, :size], y, train, test))
        yield Accuracy(ALL_EDGES, graphs.n_edges, number, _accuracy(X, y, train, test))


def proven(result: MiningResult) -> MiningResult:
    """Give the result back; without a limit only Ctrl-C leaves it unproven, and that is to end the demo."""
    if not result.success:
        raise KeyboardInterrupt
    return result


def mean_and_spread(
    accuracies: Iterable[Accuracy], method: Method | str, n_features: int
) -> tuple[float, float]:
    """Mean and standard deviation over the splits."""
    values = [a.value for a in accuracies if (a.method, a.n_features) == (method, n_features)]
    return float(np.mean(values)), float(np.std(values))


def _accuracy(features: Any, y: Any, train: Any, test: Any) -> float:
    machine = SVC(kernel="linear").fit(features[train], y[train])
    return float(machine.score(features[test], y[test]))


def relation_to_planted(subgraph: Subgraph, graphs: UncertainGraphs, planted: list[Subgraph]) -> str:
    """Tell how a mined subgraph relates to the planted ones."""
    if subgraph in planted:
        return "yes"
    if any(set(subgraph) < set(truth) for truth in planted):
        return "part"
    nodes = set(graphs.edges[list(subgraph)].ravel().tolist())
    # Edges among the regions of one planted subgraph carry its signal, too.
    if any(nodes <= set(graphs.edges[list(truth)].ravel().tolist()) for truth in planted):
        return "its regions"
    return "no"
