"""Where edges and nodes occur in a ranked list of subgraphs, and what numbers belong to these."""

from collections.abc import Sequence

from dugraph.data import UncertainGraphs
from dugraph.data.graph_arrays import real_array
from dugraph.data.wording import counted
from dugraph.exceptions import InputError

Ranks = dict[int, list[int]]


def checked_numbers(coefficients: object, n_subgraphs: int, name: str = "coefficients") -> list[float] | None:
    """A number of each subgraph; None where there are none."""
    if coefficients is None:
        return None
    numbers = real_array(coefficients, name, 1, "(n_subgraphs,)").tolist()
    if len(numbers) != n_subgraphs:
        raise InputError(
            f"{name} must be one for each subgraph: got {len(numbers)} for "
            f"{counted(n_subgraphs, 'subgraph')}.",
            parameter=name,
        )
    return list(numbers)


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
