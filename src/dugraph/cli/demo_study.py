"""What the demo mines, and how its findings relate to what was planted."""

from typing import NamedTuple

from dugraph import UncertainGraphs

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
ALL_EDGES = "all-edges"  # the comparison of `dugraph evaluate`


def relation_to_planted(subgraph: Subgraph, graphs: UncertainGraphs, planted: list[Subgraph]) -> str:
    """Say how a mined subgraph relates to the planted ones."""
    if subgraph in planted:
        return "yes"
    if any(set(subgraph) < set(truth) for truth in planted):
        return "part"
    nodes = set(graphs.edges[list(subgraph)].ravel().tolist())
    # Edges among the regions of one planted subgraph carry its signal, too.
    if any(nodes <= set(graphs.edges[list(truth)].ravel().tolist()) for truth in planted):
        return "its regions"
    return "no"
