"""`UncertainGraphs`: a cohort of uncertain graphs over one set of named nodes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dugraph.data import networkx_graphs
from dugraph.data.arguments import (
    RawProbability,
    abbreviate,
    counted,
    edge_label,
    listed,
    raw_array,
    real_array,
)
from dugraph.data.columns import check_names, check_participants, tables_equal
from dugraph.data.edges import (
    SubgraphNaming,
    edge_columns,
    inferred_n_nodes,
    integer_edges,
    named_edges,
    normal_edges,
    triangle_edges,
    triangle_size,
    warn_of_other_names,
)
from dugraph.data.subgraphs import Space, Subgraph, aligned
from dugraph.exceptions import InputError

if TYPE_CHECKING:
    import networkx

Provenance = dict[str, Any]

_SYMMETRY_TOLERANCE = 1e-8


class Owned(np.ndarray[Any, np.dtype[Any]]):
    """Probabilities to which nothing else refers: a cohort takes them without a copy."""


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
        names = edge_columns(edge_probability)
        warn_of_other_names(edge_probability, edges)
        if names is not None:
            edges, node_labels, edge_layers = named_edges(names, edges, node_labels, edge_layers)
        owned = isinstance(edge_probability, Owned)
        probability = raw_array(edge_probability, "edge_probability", 2, "(n_graphs, n_edges)", owned=owned)
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
        self.graph_ids = _numbered(n_graphs)
        if graph_ids is not None:
            self.graph_ids = check_names(graph_ids, "graph_ids", n_graphs, "graph")
        self.edge_layers: tuple[str, ...] | None = None
        if edge_layers is not None:
            self.edge_layers = check_names(edge_layers, "edge_layers", n_edges, "edge", unique=False)
        self.edges = normal_edges(pairs, self.node_labels, self.edge_layers)
        # Values come last, so that messages about them can use every name.
        check_probabilities(probability, self.graph_ids, self.edges, self.node_labels)
        self.node_coordinates = check_coordinates(node_coordinates, self.node_labels)
        self.node_networks = check_networks(node_networks, n_nodes)
        self.participants = check_participants(participants, n_graphs)
        self.provenance = check_provenance(provenance)
        self.raw_probability: RawProbability = probability  # float32 where they were given so
        self._lock_arrays()

    def _lock_arrays(self) -> None:
        columns = (self.participants or {}).values()
        for array in (self.raw_probability, self.edges, self.node_coordinates, *columns):
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
        stack = real_array(matrices, "matrices", 3, "(n_graphs, n_nodes, n_nodes)")
        if stack.shape[1] != stack.shape[2]:
            raise InputError(
                f"matrices must be square: got shape {stack.shape}. Pass one (n_nodes, n_nodes) matrix per "
                "graph; if the last axis counts graphs, np.moveaxis(matrices, -1, 0)."
            )
        rows, columns = triangle_edges(stack.shape[1]).T
        lower, upper = stack[:, rows, columns], stack[:, columns, rows]
        parts = node_labels, node_coordinates, graph_ids, None, participants, None, node_networks
        made = cls(lower, None, *parts)
        differs = ~np.isclose(lower, upper, rtol=0, atol=_SYMMETRY_TOLERANCE)
        if differs.any():
            g, e = np.argwhere(differs)[0].tolist()
            i, j = int(rows[e]), int(columns[e])
            edge, graph = edge_label(made.node_labels, i, j), abbreviate(made.graph_ids[g])
            raise InputError(
                f"matrices must be symmetric: in graph {g} ({graph}), entry [{i}, {j}] ({edge}) is "
                f"{float(lower[g, e])!r} but [{j}, {i}] is {float(upper[g, e])!r}. Average each matrix with "
                "its transpose: (m + m.transpose(0, 2, 1)) / 2."
            )
        return made

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
        if graph_ids is not None:
            parts["graph_ids"] = graph_ids
        return cls(**parts, participants=participants)

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

    @cached_property
    def edge_probability(self) -> NDArray[np.float64]:
        """Probabilities in float64, of shape (n_graphs, n_edges)."""
        wide = self.raw_probability.astype(np.float64, copy=False)
        wide.flags.writeable = False
        return wide

    @cached_property
    def edge_means(self) -> NDArray[np.float64]:
        """Mean of each column: the expected frequency of each edge."""
        return np.asarray(self.raw_probability.mean(axis=0, dtype=np.float64))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == np.float64:
            return self.edge_probability.copy() if copy else self.edge_probability
        if copy is False:
            raise ValueError(
                f"edge_probability is float64; without a copy it cannot become {np.dtype(dtype)}."
            )
        return self.raw_probability.astype(dtype)

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
        present = int(np.count_nonzero(self.raw_probability))
        total = float(self.raw_probability.sum(dtype=np.float64))
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

    @cached_property
    def naming(self) -> SubgraphNaming:
        """Nodes, edges and their names, without the probabilities."""
        return SubgraphNaming(
            self.edges, self.node_labels, self.edge_layers, self.node_coordinates, self.node_networks
        )

    def __len__(self) -> int:
        return self.n_graphs

    def __getitem__(self, index: Any) -> Self:
        """Select graphs by an int, a slice, a boolean mask or a list of ints; the result is a cohort too."""
        rows = selected_rows(index, self.graph_ids)
        chosen = object.__new__(type(self))
        # A selection keeps every rule, so nothing is checked again.
        chosen.__dict__.update(self.__getstate__())
        chosen.graph_ids = tuple(self.graph_ids[i] for i in rows)
        if self.participants is not None:
            chosen.participants = {name: column[rows] for name, column in self.participants.items()}
        chosen.raw_probability = self.raw_probability[rows]
        chosen._lock_arrays()
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
        computed = ("edge_probability", "edge_means", "naming")
        return {name: value for name, value in self.__dict__.items() if name not in computed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock_arrays()  # pickling forgets that arrays are read-only

    def _summary(self) -> dict[str, str]:
        numbers = self.describe()
        present = f"{numbers['mean_edges']:.4g} per graph on average"
        if numbers["mean_edges"]:
            present += f", mean probability {numbers['mean_edge_probability']:.4g}"
        edges, nodes = counted(self.n_edges, "edge"), counted(self.n_nodes, "node")
        rows = {
            type(self).__name__: f"{counted(self.n_graphs, 'graph')}, {edges} over {nodes}",
            "edges present": present,
            "nodes": listed(self.node_labels),
            "graphs": listed(self.graph_ids),
            "layers": listed(dict.fromkeys(self.edge_layers or ())),
            "coordinates": "" if self.node_coordinates is None else "x, y, z of every node",
            "networks": listed(filter(None, dict.fromkeys(self.node_networks or ()))),
            "participants": listed(self.participants or ()),
            "provenance": listed(self.provenance or ()),
        }
        return {name: value for name, value in rows.items() if value}

    def __repr__(self) -> str:
        return "\n  ".join(f"{name}: {value}" for name, value in self._summary().items())

    def _repr_html_(self) -> str:
        (title, numbers), *rows = self._summary().items()
        cells = [f"<th scope='row'>{name}</th><td>{escape(value)}</td>" for name, value in rows]
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><caption>{title}: {numbers}</caption><tbody>{body}</tbody></table>"


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def check_probabilities(
    probability: RawProbability,
    graph_ids: Sequence[str],
    edges: NDArray[np.int32] | None = None,
    node_labels: Sequence[str] = (),
) -> None:
    """Refuse probabilities that are NaN or outside [0, 1], naming the first graph and edge."""
    if not probability.size or (probability.min() >= 0 and probability.max() <= 1):  # false for NaN
        return
    i, e = np.argwhere(~((probability >= 0) & (probability <= 1)))[0].tolist()
    value = float(probability[i, e])
    edge = "" if edges is None else f" ({edge_label(node_labels, edges[e, 1], edges[e, 0])})"
    way_out = "Drop negative correlations or map them with EdgeProbability."
    if np.isnan(value):
        way_out = "Use 0 for an absent edge, or drop the graph."
    raise InputError(
        f"edge_probability must lie in [0, 1]: it is {value!r} at graph {i} ({abbreviate(graph_ids[i])}), "
        f"edge {e}{edge}. {way_out}"
    )


def check_coordinates(coordinates: object, node_labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Return node coordinates of shape (n_nodes, 3); None for None."""
    if coordinates is None:
        return None
    checked = real_array(coordinates, "node_coordinates", 2, "(n_nodes, 3)")
    if checked.shape != (len(node_labels), 3):
        raise InputError(
            f"node_coordinates must have one row of x, y, z per node: got shape {checked.shape} "
            f"for {counted(len(node_labels), 'node')}. Pass an array of shape ({len(node_labels)}, 3)."
        )
    if not np.isfinite(checked).all():
        v, axis = (int(k) for k in np.argwhere(~np.isfinite(checked))[0])
        raise InputError(
            f"node_coordinates must be finite: {'xyz'[axis]} of node {v} ({abbreviate(node_labels[v])}) is "
            f"{float(checked[v, axis])!r}. Fill it in, or leave node_coordinates out."
        )
    return checked


def selected_rows(index: Any, graph_ids: Sequence[str]) -> NDArray[np.intp]:
    """Return the rows that an int, slice, boolean mask or list of ints selects, each at most once.

    A trailing Ellipsis, ``graphs[rows, ...]``, is accepted: scikit-learn indexes rows this way.
    """
    n_graphs = len(graph_ids)
    if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
        index = index[0]
    chosen: Any = index
    if not isinstance(index, slice):
        chosen = np.asarray(index)
        if chosen.size == 0:
            chosen = chosen.astype(np.intp)
        is_mask = chosen.dtype.kind == "b" and chosen.shape == (n_graphs,)
        if not is_mask and (chosen.dtype.kind not in "iu" or chosen.ndim > 1 or isinstance(index, tuple)):
            raise InputError(
                f"Graphs are selected by an int, a slice, a mask of length {n_graphs} or a list of ints: "
                f"got {abbreviate(repr(index))}. Select edges on graphs.edge_probability."
            )
    rows = np.atleast_1d(np.arange(n_graphs)[chosen])  # its IndexError ends Python's iteration over graphs
    if len(rows) == 0:
        raise InputError(
            f"A cohort needs at least one graph: {abbreviate(repr(index))} selects none of {n_graphs}."
        )
    twice = np.flatnonzero(np.bincount(rows) > 1)
    if twice.size:
        raise InputError(
            f"A graph may be selected once, since graph_ids are unique: graph {twice[0]} "
            f"({abbreviate(graph_ids[twice[0]])}) is selected more than once. For a bootstrap, index "
            "graphs.edge_probability."
        )
    return rows


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
    check_probabilities(probability, _numbered(len(probability)))
    return probability


def edges_and_probability(X: Any) -> tuple[NDArray[np.float64], Space]:
    """Return the probabilities of `X`, and the edges to which subgraphs are matched.

    These are a number of edges for an array, and for a data frame whose columns do not name edges.
    """
    graphs = getattr(X, "graphs", X)  # of LabelledGraphs, which are made of this module's cohorts
    if not isinstance(graphs, UncertainGraphs) and edge_columns(X) is not None:
        graphs = UncertainGraphs(X)
    probability = check_edge_probability(graphs)
    return probability, graphs.naming if isinstance(graphs, UncertainGraphs) else probability.shape[1]
