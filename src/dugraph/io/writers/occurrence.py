"""Where edges and nodes occur in a ranked list of subgraphs."""

from collections.abc import Sequence

from dugraph.data import UncertainGraphs

Ranks = dict[int, list[int]]


def edge_ranks(subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """The ranks, 1 for the best, of the subgraphs that hold each edge, by edge in ascending order."""
    ranks: Ranks = {edge: [] for edge in sorted({edge for subgraph in subgraphs for edge in subgraph})}
    for rank, subgraph in enumerate(subgraphs, start=1):
        for edge in subgraph:
            ranks[edge].append(rank)
    return ranks


def node_ranks(graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]]) -> Ranks:
    """The same for the nodes that the edges join."""
    return edge_ranks([sorted(set(graphs.edges[list(subgraph)].ravel().tolist())) for subgraph in subgraphs])
