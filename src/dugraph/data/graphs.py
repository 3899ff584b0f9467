"""`UncertainGraphs`: a cohort of uncertain graphs over one set of named nodes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dugraph.data import networkx_graphs
from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.arrays import (
    RawProbability,
    check_coordinates,
    check_probabilities,
    lower_triangles,
    raw_array,
    real_array,
    selected_rows,
)
from dugraph.data.columns import check_names, check_participants, tables_equal
from dugraph.data.edge_names import edge_columns, named_edges, warn_of_other_names
from dugraph.data.edges import (
    SubgraphNaming,
    inferred_n_nodes,
    integer_edges,
    normal_edges,
    triangle_edges,
    triangle_size,
)
from dugraph.data.subgraphs import Space, Subgraph, aligned
from dugraph.exceptions import InputError

if TYPE_CHECKING:
    import networkx

Provenance = dict[str, Any]


class UncertainGraphs:
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
        Where the cohort came from and how its probabilities were computed; `read_cohort` fills it in.
    node_networks : sequence of str, length n_nodes, optional
        The network, lobe or other module of each node, such as "Default" or "Frontal"; empty text for a node
        that belongs to none.

    Attributes
    ----------
    edge_probability : ndarray of float64, shape (n_graphs, n_edges)
        Float32 input is stored as it is, in half the memory, and converted when this is first accessed.
    edges : ndarray of int32, shape (n_edges, 2)
        Each row as (larger node, smaller node); the order of rows is the order given.
    node_labels, graph_ids : tuple of str
    node_coordinates : ndarray of float64, shape (n_nodes, 3), or None
    edge_layers : tuple of str, or None
    participants : dict of str to ndarray of shape (n_graphs,), or None
    provenance : dict of str to text, numbers, booleans, None, lists and dicts of these; or None
    node_networks : tuple of str, or None
        None if no node has a network.

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
        node_networks: Iterable[str] | None = None,
    ) -> None:
        optional = node_coordinates, graph_ids, edge_layers, participants, provenance, node_networks
        self._set_parts(edge_probability, edges, node_labels, *optional)

    @classmethod
    def _owning(cls, edge_probability: RawProbability, **parts: Any) -> Self:
        """Build a cohort of probabilities that nobody else refers to, without a copy."""
        cohort = object.__new__(cls)
        cohort._set_parts(edge_probability, **parts, owned=True)
        return cohort

    def _set_parts(
        self,
        edge_probability: Any,
        edges: Any = None,
        node_labels: Any = None,
        node_coordinates: Any = None,
        graph_ids: Any = None,
        edge_layers: Any = None,
        participants: Any = None,
        provenance: Any = None,
        node_networks: Any = None,
        *,
        owned: bool = False,
    ) -> None:
        """Check the parts against each other, in the order shapes, names, edges, values; fill in defaults."""
        names = edge_columns(edge_probability)
        warn_of_other_names(edge_probability, edges, stacklevel=4)
        if names is not None:
            edges, node_labels, edge_layers = named_edges(names, edges, node_labels, edge_layers)
        shape = "(n_graphs, n_edges)"
        probability = raw_array(edge_probability, "edge_probability", 2, shape, owned=owned)
        n_graphs, n_edges = probability.shape
        if n_graphs == 0 or n_edges == 0:
            raise InputError(
                "A cohort needs at least one graph and one edge: "
                f"edge_probability has shape {probability.shape}. Check the filter or the file it came from."
            )
        labels = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
        if edges is None:
            n_nodes = triangle_size(n_edges, None if labels is None else len(labels))
            pairs = triangle_edges(n_nodes).astype(np.int64)
        else:
            pairs = integer_edges(edges, n_edges)
            n_nodes = inferred_n_nodes(pairs) if labels is None else len(labels)
        self.node_labels = _numbered(n_nodes) if labels is None else labels
        self.graph_ids = (
            _numbered(n_graphs)
            if graph_ids is None
            else check_names(graph_ids, "graph_ids", n_graphs, "graph")
        )
        self.edge_layers = (
            None
            if edge_layers is None
            else check_names(edge_layers, "edge_layers", n_edges, "edge", unique=False)
        )
        self.edges = normal_edges(pairs, self.node_labels, self.edge_layers)
        # Values come last, so that messages about them can use every name.
        check_probabilities(probability, self.edges, self.node_labels, self.graph_ids)
        self.node_coordinates = check_coordinates(node_coordinates, self.node_labels)
        self.node_networks = check_networks(node_networks, n_nodes)
        self.participants = check_participants(participants, n_graphs)
        self.provenance = check_provenance(provenance)
        self._set_probability(probability)

    def _set_probability(self, raw: RawProbability) -> None:
        self._raw = raw
        self._float64: NDArray[np.float64] | None = None
        self._means: NDArray[np.float64] | None = None
        self._naming: SubgraphNaming | None = None
        self._lock_arrays()

    def _lock_arrays(self) -> None:
        for array in (self._raw, self.edges, self.node_coordinates, *(self.participants or {}).values()):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_matrices(
        cls,
        matrices: ArrayLike,
        node_labels: Iterable[str] | None = None,
        node_coordinates: ArrayLike | None = None,
        graph_ids: Iterable[str] | None = None,
        participants: Any = None,
        node_networks: Iterable[str] | None = None,
    ) -> Self:
        """Build a cohort from symmetric matrices of probabilities; their diagonals are ignored.

        Parameters
        ----------
        matrices : array-like of shape (n_graphs, n_nodes, n_nodes)
            Symmetric to within 1e-8; the lower triangle is kept.
        node_labels, node_coordinates, graph_ids, participants, node_networks
            As for `UncertainGraphs`.

        Returns
        -------
        UncertainGraphs
            All pairs of nodes are edges, in ``np.tril_indices(n_nodes, -1)`` order.
        """
        labels = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
        ids = None if graph_ids is None else check_names(graph_ids, "graph_ids", noun="graph")
        probability = lower_triangles(matrices, labels, ids)
        parts = labels, node_coordinates, ids, None, participants, None, node_networks
        return cls(probability, None, *parts)

    @classmethod
    def from_networkx(
        cls,
        graphs: Sequence[networkx.Graph],
        probability: str = "probability",
        graph_ids: Iterable[str] | None = None,
        participants: Any = None,
    ) -> Self:
        """Build a cohort from undirected networkx graphs, joined by the names of their nodes.

        Parameters
        ----------
        graphs : sequence of networkx.Graph, length n_graphs
            The nodes of all graphs are merged, in the order in which they first appear; an edge that a graph
            does not have gets probability 0 there. Coordinates are kept if every node has the attributes x, y
            and z; networks, if nodes have the attribute network. The keys of a MultiGraph are the layers of
            its edges.
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
        return cls(**parts._asdict() | {"graph_ids": ids}, participants=participants)

    def to_networkx(self) -> list[networkx.Graph]:
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

    @property
    def edge_probability(self) -> NDArray[np.float64]:
        """Probabilities in float64, of shape (n_graphs, n_edges)."""
        if self._raw.dtype == np.float64:
            return cast(NDArray[np.float64], self._raw)
        if self._float64 is None:
            self._float64 = self._raw.astype(np.float64)
            self._float64.flags.writeable = False
        return self._float64

    @property
    def raw_probability(self) -> RawProbability:
        """The same probabilities as they are stored: float32 where they were given so."""
        return self._raw

    @property
    def edge_means(self) -> NDArray[np.float64]:
        """Mean of each column: the expected frequency of each edge."""
        if self._means is None:
            self._means = np.asarray(self._raw.mean(axis=0, dtype=np.float64))
        return self._means

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == np.float64:
            return self.edge_probability.copy() if copy else self.edge_probability
        if copy is False:
            raise ValueError(
                f"edge_probability is float64; without a copy it cannot become {np.dtype(dtype)}."
            )
        return self._raw.astype(dtype)

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
        row: dict[str, int | float] = {"n_graphs": self.n_graphs}
        if y is not None:
            from dugraph.data.labels import check_labels

            n_pos = int(check_labels(y, self.n_graphs)[0].sum())
            row |= {"n_pos": n_pos, "n_neg": self.n_graphs - n_pos}
        present = int(np.count_nonzero(self._raw))
        total = float(self._raw.sum(dtype=np.float64))
        return row | {
            "n_nodes": self.n_nodes,
            "mean_edges": present / self.n_graphs,
            "mean_edge_probability": total / present if present else float("nan"),
        }

    def edge_name(self, edge: int) -> str:
        """Name an edge by its nodes, the earlier node first: ``A--B``, or ``A--B [layer]``."""
        return self.naming.edge_name(edge)

    def subgraph_name(self, subgraph: Iterable[int]) -> str:
        """Name a subgraph, a collection of edge indices, by its edges in default order: ``{A--B, B--C}``."""
        known = aligned(subgraph, self.naming) if isinstance(subgraph, Subgraph) else subgraph
        return self.naming.subgraph_name(known)

    @property
    def naming(self) -> SubgraphNaming:
        """Nodes, edges and their names, without the probabilities."""
        if self._naming is None:
            self._naming = SubgraphNaming(
                self.edges, self.node_labels, self.edge_layers, self.node_coordinates, self.node_networks
            )
        return self._naming

    def __len__(self) -> int:
        return self.n_graphs

    def __getitem__(self, index: Any) -> Self:
        """Select graphs by an int, a slice, a boolean mask or a list of ints; the result is a cohort too."""
        rows = selected_rows(index, self.graph_ids)
        chosen = object.__new__(type(self))
        # A selection keeps every rule, so nothing is checked again.
        chosen.__dict__.update(self.__dict__)
        chosen.graph_ids = tuple(self.graph_ids[i] for i in rows)
        if self.participants is not None:
            chosen.participants = {name: column[rows] for name, column in self.participants.items()}
        chosen._set_probability(self._raw[rows])
        return chosen

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(self.n_graphs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UncertainGraphs):
            return NotImplemented
        names = ("node_labels", "graph_ids", "edge_layers", "node_networks")
        arrays = ("raw_probability", "edges", "node_coordinates")
        return (
            all(getattr(self, name) == getattr(other, name) for name in names)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
            and tables_equal(self.participants, other.participants)
            # As text, since the order of names counts.
            and json.dumps(self.provenance) == json.dumps(other.provenance)
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_float64": None, "_means": None, "_naming": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock_arrays()  # pickling forgets that arrays are read-only

    def _summary(self) -> tuple[str, list[tuple[str, str]]]:
        """A title, and rows of a name and a value, for display."""
        edges, nodes = counted(self.n_edges, "edge"), counted(self.n_nodes, "node")
        title = f"{type(self).__name__}: {counted(self.n_graphs, 'graph')}, {edges} over {nodes}"
        numbers = self.describe()
        present = f"{numbers['mean_edges']:.4g} per graph on average"
        if numbers["mean_edges"]:
            present += f", mean probability {numbers['mean_edge_probability']:.4g}"
        rows = [("edges present", present), ("nodes", listed(self.node_labels))]
        rows.append(("graphs", listed(self.graph_ids)))
        if self.edge_layers is not None:
            rows.append(("layers", listed(dict.fromkeys(self.edge_layers))))
        if self.node_coordinates is not None:
            rows.append(("coordinates", "x, y, z of every node"))
        if self.node_networks is not None:
            rows.append(("networks", listed(name for name in dict.fromkeys(self.node_networks) if name)))
        if self.participants is not None:
            rows.append(("participants", listed(self.participants)))
        if self.provenance is not None:
            rows.append(("provenance", listed(self.provenance)))
        return title, rows

    def __repr__(self) -> str:
        title, rows = self._summary()
        return "\n".join([title, *(f"  {name}: {value}" for name, value in rows)])

    def _repr_html_(self) -> str:
        title, rows = self._summary()
        body = "".join(
            f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows
        )
        return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def check_networks(networks: Any, n_nodes: int) -> tuple[str, ...] | None:
    """Return the network of each node; None if no node has one."""
    if networks is None:
        return None
    names = check_names(networks, "node_networks", n_nodes, "node", unique=False)
    return names if any(names) else None


def check_provenance(provenance: object) -> Provenance | None:
    """Return a copy of a mapping in plain values that survive a file; None for None."""
    if provenance is None:
        return None
    if not isinstance(provenance, Mapping) or not all(isinstance(key, str) for key in provenance):
        raise InputError(
            f"provenance must map names to plain values: got {abbreviate(repr(provenance))}. Pass a dict."
        )
    try:
        return dict(json.loads(json.dumps(dict(provenance), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            "provenance must hold text, finite numbers, booleans, None, and lists and dicts of these: "
            f"{abbreviate(error)}. Convert its values first."
        ) from error


def check_cohort(X: Any, edges: Any = None) -> UncertainGraphs:
    """Return `X` as a checked cohort.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
        A cohort is returned as it is; an array becomes one.
    edges : array-like of int, shape (n_edges, 2), optional
        The two nodes of each column, for an array only; by default all pairs of nodes in
        ``np.tril_indices(n_nodes, -1)`` order.

    Returns
    -------
    UncertainGraphs
    """
    if isinstance(X, (str, os.PathLike)):
        raise InputError(
            f"X must be graphs, but is the name of a file, {abbreviate(X)}. Read a cohort file with "
            "load_cohort, and the files of a pipeline with read_study."
        )
    if not isinstance(X, UncertainGraphs):
        return UncertainGraphs(X, edges=edges)
    if edges is not None:
        raise InputError(
            "edges must be given once: X is an UncertainGraphs, which has its own edges. "
            "Leave edges out, or pass X.edge_probability with them."
        )
    return X


def check_edge_probability(X: Any) -> NDArray[np.float64]:
    """Return the probabilities of `X`, for functions that do not depend on which nodes an edge joins.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)

    Returns
    -------
    ndarray of float64, shape (n_graphs, n_edges)
    """
    if isinstance(X, UncertainGraphs):
        return X.edge_probability
    probability = real_array(X, "X", 2, "(n_graphs, n_edges)")
    inside = (probability >= 0) & (probability <= 1)  # false for NaN
    if not inside.all():
        i, e = (int(k) for k in np.argwhere(~inside)[0])
        raise InputError(
            f"Edge probabilities must lie in [0, 1]: X[{i}, {e}] is {float(probability[i, e])!r}. "
            "Use 0 for an absent edge, and map other values to probabilities first."
        )
    return probability


def edges_and_probability(X: Any) -> tuple[NDArray[np.float64], Space]:
    """Return the probabilities of `X`, and what subgraphs of it are matched to.

    Parameters
    ----------
    X : UncertainGraphs, LabelledGraphs, or array-like of shape (n_graphs, n_edges)

    Returns
    -------
    probability : ndarray of float64, shape (n_graphs, n_edges)
    space : SubgraphNaming, or int
        The number of edges, for an array or a data frame that does not name them.
    """
    graphs = getattr(X, "graphs", X)  # of LabelledGraphs, which are made of this module's cohorts
    if not isinstance(graphs, UncertainGraphs) and edge_columns(X) is not None:
        graphs = UncertainGraphs(X)
    probability = check_edge_probability(graphs)
    return probability, graphs.naming if isinstance(graphs, UncertainGraphs) else probability.shape[1]
