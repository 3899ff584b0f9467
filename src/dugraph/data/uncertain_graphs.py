"""`UncertainGraphs`: a cohort of uncertain graphs over one set of named nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import display, networkx_graphs, summary
from dugraph.data.cohort_parts import CohortParts, check_parts
from dugraph.data.columns import tables_equal
from dugraph.data.graph_arrays import lower_triangles, selected_rows
from dugraph.data.held import HeldProbabilities
from dugraph.data.names import check_names
from dugraph.data.provenance import provenance_equal
from dugraph.data.subgraph_names import SubgraphNaming

if TYPE_CHECKING:
    import networkx


class UncertainGraphs(HeldProbabilities):
    """A cohort of uncertain graphs over one set of named nodes.

    Edge `e` exists in graph `i` with probability ``edge_probability[i, e]``, independently of all others; 0
    means that the edge is absent. Everything is checked once, here; the arrays are read-only afterwards.

    Parameters
    ----------
    edge_probability : array-like of shape (n_graphs, n_edges)
        Probabilities in [0, 1].
    edges : array-like of int, shape (n_edges, 2), optional
        The two nodes of each edge, in either order. By default as the columns of a DataFrame say if they name
        their edges, ``A--B``; else all pairs of nodes in ``np.tril_indices(n_nodes, -1)`` order, the order in
        which nilearn vectorises connectivity matrices.
    node_labels : sequence of str, length n_nodes, optional
        Unique names; by default "0", "1", ...
    node_coordinates : array-like of shape (n_nodes, 3), optional
        Positions, finite.
    graph_ids : sequence of str, length n_graphs, optional
        Unique names; by default "0", "1", ...
    edge_layers : sequence of str, length n_edges, optional
        Layer of each edge. Two edges may join the same nodes only in different layers.
    participants : dict of str to sequence of length n_graphs, or pandas.DataFrame, optional
        Further columns about the graphs, such as age and sex.
    provenance : dict of str to plain values, optional
        Where the cohort came from and how its probabilities were made; `read_cohort` fills it in.

    Attributes
    ----------
    edge_probability : ndarray of float64, shape (n_graphs, n_edges)
        Float32 input is held as it is, in half the memory, and widened when this is first asked for.
    edges : ndarray of int32, shape (n_edges, 2)
        Each row as (larger node, smaller node); the order of rows is the order given.
    node_labels, graph_ids : tuple of str
    node_coordinates : ndarray of float64, shape (n_nodes, 3), or None
    edge_layers : tuple of str, or None
    participants : dict of str to ndarray of shape (n_graphs,), or None
    provenance : dict of str to text, numbers, booleans, None, lists and dicts of these; or None

    Raises
    ------
    InputError
        If the input breaks a rule; the message names the rule, the first entry that breaks it and the way
        out.

    Examples
    --------
    >>> from dugraph import UncertainGraphs
    >>> graphs = UncertainGraphs(
    ...     [[0.9, 0.8, 0.0], [0.7, 0.0, 0.2]], node_labels=["A", "B", "C"], graph_ids=["sub-01", "sub-02"]
    ... )
    >>> graphs
    UncertainGraphs: 2 graphs, 3 edges over 3 nodes
      edges present: 2 per graph on average, mean probability 0.65
      nodes: A, B, C
      graphs: sub-01, sub-02
    >>> graphs.subgraph_name((0, 2))
    '{A--B, B--C}'
    >>> graphs[1:].graph_ids
    ('sub-02',)
    """

    def __init__(
        self,
        edge_probability: ArrayLike,
        edges: ArrayLike | None = None,
        node_labels: Iterable[str] | None = None,
        node_coordinates: ArrayLike | None = None,
        graph_ids: Iterable[str] | None = None,
        edge_layers: Iterable[str] | None = None,
        participants: Any = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        optional = node_coordinates, graph_ids, edge_layers, participants, provenance
        self._hold(check_parts(edge_probability, edges, node_labels, *optional))

    @classmethod
    def _owning(cls, edge_probability: NDArray[np.float64], **parts: Any) -> Self:
        """As the class itself, of probabilities that nobody else has and that are not copied."""
        named = dict.fromkeys(("edges", "node_labels", "node_coordinates", "graph_ids", "edge_layers"))
        return cls._of_parts(
            check_parts(edge_probability, **{**named, "participants": None, **parts}, owned=True)
        )

    @classmethod
    def _of_parts(cls, parts: CohortParts) -> Self:
        made = object.__new__(cls)
        made._hold(parts)
        return made

    def _hold(self, parts: CohortParts) -> None:
        self._hold_probability(parts.edge_probability)
        self.edges = parts.edges
        self.node_labels, self.node_coordinates = parts.node_labels, parts.node_coordinates
        self.graph_ids, self.edge_layers = parts.graph_ids, parts.edge_layers
        self.participants, self.provenance = parts.participants, parts.provenance
        self._lock_arrays()

    @classmethod
    def from_matrices(
        cls,
        matrices: ArrayLike,
        node_labels: Iterable[str] | None = None,
        node_coordinates: ArrayLike | None = None,
        graph_ids: Iterable[str] | None = None,
        participants: Any = None,
    ) -> Self:
        """Build a cohort from symmetric matrices of probabilities; their diagonals are ignored.

        Parameters
        ----------
        matrices : array-like of shape (n_graphs, n_nodes, n_nodes)
            Symmetric to within 1e-8; the lower triangle is kept.
        node_labels, node_coordinates, graph_ids, participants
            As for `UncertainGraphs`.

        Returns
        -------
        UncertainGraphs
            All pairs of nodes are edges, in ``np.tril_indices(n_nodes, -1)`` order.
        """
        labels = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
        ids = None if graph_ids is None else check_names(graph_ids, "graph_ids", noun="graph")
        probability = lower_triangles(matrices, labels, ids)
        return cls(probability, None, labels, node_coordinates, ids, None, participants)

    @classmethod
    def from_networkx(
        cls,
        graphs: Sequence["networkx.Graph"],
        probability: str = "probability",
        graph_ids: Iterable[str] | None = None,
        participants: Any = None,
    ) -> Self:
        """Build a cohort from undirected networkx graphs, joined by the names of their nodes.

        Parameters
        ----------
        graphs : sequence of networkx.Graph, length n_graphs
            Nodes of all graphs are united, in the order in which they are first seen; an edge that a graph
            does not have gets probability 0 there. Coordinates are kept if every node has the attributes x, y
            and z. The keys of a MultiGraph are the layers of its edges.
        probability : str, default "probability"
            The edge attribute that holds the probability.
        graph_ids : sequence of str, optional
            By default the names of the graphs, if all have different ones; else "0", "1", ...
        participants
            As for `UncertainGraphs`.

        Returns
        -------
        UncertainGraphs
            Edges in order of (larger node, smaller node, layer).
        """
        parts = networkx_graphs.read_networkx(graphs, probability)
        ids = parts.graph_ids if graph_ids is None else graph_ids
        return cls(
            parts.edge_probability,
            parts.edges,
            parts.node_labels,
            parts.node_coordinates,
            ids,
            parts.edge_layers,
            participants,
        )

    def to_networkx(self) -> list["networkx.Graph"]:
        """Return one networkx graph per graph, with all nodes and the edges of positive probability.

        Returns
        -------
        list of networkx.Graph, or of networkx.MultiGraph keyed by layer if the edges have layers
            Edges carry ``probability``; nodes carry ``x``, ``y``, ``z`` if they have coordinates.
        """
        return networkx_graphs.write_networkx(self)

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.graph_ids)

    @property
    def n_edges(self) -> int:
        """Number of edges that a graph can have."""
        return len(self.edges)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_labels)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_graphs, n_edges)``, as of the plain array."""
        return self.n_graphs, self.n_edges

    def describe(self, y: object = None) -> dict[str, int | float]:
        """Summarise the cohort: a row of the paper's Table 3.

        Parameters
        ----------
        y : sequence of shape (n_graphs,), optional
            Two classes; the last in sorted order is positive.

        Returns
        -------
        dict
            n_graphs; n_pos and n_neg (if `y` is given); n_nodes; mean_edges, the mean number of edges with
            positive probability per graph; mean_edge_probability, the mean probability of these (NaN if there
            are none).
        """
        return summary.describe(self, y)

    def edge_name(self, edge: int) -> str:
        """Name an edge by its nodes, the earlier node first: ``A--B``, or ``A--B [layer]``."""
        return self.naming.edge_name(edge)

    def subgraph_name(self, subgraph: Iterable[int]) -> str:
        """Name a subgraph, a collection of edge indices, by its edges in default order: ``{A--B, B--C}``."""
        return self.naming.subgraph_name(subgraph)

    @property
    def naming(self) -> SubgraphNaming:
        """What the names of subgraphs are made of, without the probabilities."""
        return SubgraphNaming(self.edges, self.node_labels, self.edge_layers)

    def __len__(self) -> int:
        return self.n_graphs

    def __getitem__(self, index: Any) -> Self:
        """Select graphs by an int, a slice, a boolean mask or a list of ints; the result is a cohort too."""
        rows = selected_rows(index, self.graph_ids)
        chosen = object.__new__(type(self))
        # Selection keeps every rule, so nothing is checked again.
        chosen.__dict__.update(self.__dict__)
        chosen._hold_probability(self._held[rows])
        chosen.graph_ids = tuple(self.graph_ids[i] for i in rows)
        if self.participants is not None:
            chosen.participants = {name: column[rows] for name, column in self.participants.items()}
        chosen._lock_arrays()
        return chosen

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(self.n_graphs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UncertainGraphs):
            return NotImplemented
        names = ("node_labels", "graph_ids", "edge_layers")
        arrays = ("held_probability", "edges", "node_coordinates")
        return (
            all(getattr(self, name) == getattr(other, name) for name in names)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
            and tables_equal(self.participants, other.participants)
            and provenance_equal(self.provenance, other.provenance)
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Pickling forgets that arrays are read-only.
        self._lock_arrays()

    def _lock_arrays(self) -> None:
        for array in (
            self._held,
            self.edges,
            self.node_coordinates,
            *(self.participants or {}).values(),
        ):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        return display.text_view(self)

    def _repr_html_(self) -> str:
        return display.html_view(self)
