"""Subgraphs as arguments: results, names or edge indices, matched to the cohort they are applied to."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, SupportsIndex, overload

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.edges import SEPARATOR, SubgraphNaming, tidy
from dugraph.exceptions import InputError

SubgraphLike = str | Sequence[int] | Sequence[str]
"""One subgraph: its name, the names of its edges, or their indices."""


class Subgraph(tuple[int, ...]):
    """Sorted edge indices of a subgraph, together with the names of the edges of its cohort.

    Equal to the plain tuple of its indices. Functions that receive it with another cohort match its edges by
    the names of their regions.
    """

    naming: SubgraphNaming

    def __new__(cls, edges: Iterable[int], naming: SubgraphNaming) -> Subgraph:
        one = super().__new__(cls, edges)
        one.naming = naming
        return one

    def __reduce__(self) -> tuple[Any, ...]:
        return Subgraph, (tuple(self), self.naming)


class Subgraphs(list[tuple[int, ...]]):
    """A list of subgraphs of one cohort; its items are `Subgraph`, made when they are accessed."""

    def __init__(self, subgraphs: Iterable[tuple[int, ...]], naming: SubgraphNaming) -> None:
        super().__init__(map(tuple, subgraphs))
        self.naming = naming

    @overload
    def __getitem__(self, index: SupportsIndex) -> Subgraph: ...
    @overload
    def __getitem__(self, index: slice) -> Subgraphs: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Subgraph | Subgraphs:
        if isinstance(index, slice):
            return Subgraphs(super().__getitem__(index), self.naming)
        return Subgraph(super().__getitem__(index), self.naming)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (Subgraph(edges, self.naming) for edges in super().__iter__())

    def __reduce__(self) -> tuple[Any, ...]:
        return Subgraphs, (list(super().__iter__()), self.naming)


Space = int | SubgraphNaming
"""The edges to which subgraphs are matched: those of a cohort, or the columns of an array without names."""


def check_subgraph(subgraph: object, space: Space) -> tuple[int, ...]:
    """Return one subgraph as a sorted tuple of edge indices; raise InputError if it is invalid.

    A subgraph is given by edge indices; by names of edges, ``["A--B", "B--C"]``; or by one string, ``"A--B"``
    or ``"{A--B, B--C}"``. Indices from a result of another cohort are matched by the names of regions and
    layers.

    Examples
    --------
    >>> check_subgraph((2, 0), 3)
    (0, 2)
    """
    if is_several(subgraph):
        several = list(_listed(subgraph))
        raise InputError(
            f"One subgraph is needed, but {counted(len(several), 'subgraph')} were given. Choose one, for "
            "example result.subgraphs[0]."
        )
    if isinstance(subgraph, Subgraph):
        return tuple(sorted(aligned(subgraph, space)))
    words: list[Any] = [subgraph] if isinstance(subgraph, str) else []
    if not words and isinstance(subgraph, Iterable):
        words = list(subgraph)
    if words and all(isinstance(word, str) for word in words):
        return _checked([edge for word in words for edge in _named(word, space)], space)
    try:
        edges = [operator.index(edge) for edge in words or iter(subgraph)]  # type: ignore[call-overload]
    except TypeError as error:
        raise InputError(
            f"A subgraph is a sequence of integers, but {subgraph!r} was given ({error}). "
            "Give edge indices, e.g. (0, 3) or result.subgraphs[0]."
        ) from error
    return _checked(edges, space)


def check_subgraphs(subgraphs: object, space: Space, *, gaps: bool = False) -> list[tuple[int, ...]]:
    """Return several subgraphs, or those of a result, as sorted tuples of edge indices.

    With `gaps`, a subgraph may be empty, to preserve the ranks of those after it.

    Examples
    --------
    >>> check_subgraphs([(2, 0), [1]], 3)
    [(0, 2), (1,)]
    """
    listed_ones = _listed(subgraphs)
    several: list[Any] = [listed_ones] if isinstance(listed_ones, str) else []
    if not several:
        several = list(listed_ones) if isinstance(listed_ones, Iterable) else [listed_ones]
    numbers = [entry for entry in several if isinstance(entry, Integral)]
    if numbers:
        raise InputError(
            f"subgraphs must be a sequence of subgraphs, but it holds the number {numbers[0]}. "
            "Put a single subgraph into a list: [subgraph]."
        )
    return [
        () if gaps and isinstance(subgraph, tuple) and not subgraph else check_subgraph(subgraph, space)
        for subgraph in several
    ]


def is_several(subgraph: object) -> bool:
    """Return whether an argument is a result or a sequence of subgraphs, not one subgraph."""
    chosen = _listed(subgraph)
    if chosen is not subgraph or isinstance(chosen, Subgraphs):
        return True
    if isinstance(chosen, str) or not isinstance(chosen, Sequence):
        return getattr(chosen, "ndim", 1) == 2
    return bool(chosen) and all(_is_one(entry) for entry in chosen)


def _is_one(entry: object) -> bool:
    """Return whether an entry of a list is a subgraph, not an edge."""
    if isinstance(entry, str):
        return _in_braces(entry)
    return isinstance(entry, Sequence) or getattr(entry, "ndim", 0) == 1


def _listed(subgraphs: Any) -> Any:
    """The subgraphs of a result, a loaded record or a fitted model; other arguments as they are."""
    if isinstance(subgraphs, (str, Sequence)):
        return subgraphs
    holder = getattr(subgraphs, "result", subgraphs)
    return getattr(holder, "subgraphs", getattr(holder, "subgraphs_", subgraphs))


def _checked(edges: Sequence[int], space: Space) -> tuple[int, ...]:
    n_edges = space if isinstance(space, int) else space.n_edges
    if not edges:
        raise InputError(
            "A subgraph needs at least one edge, but it is empty. Give edge indices, e.g. (0, 3)."
        )
    chosen: set[int] = set()
    for e in edges:
        if not 0 <= e < n_edges:
            raise InputError(
                f"A subgraph's edges are column indices from 0 to {n_edges - 1}, but {e} was given. "
                "Use the positions of the edges in `edges`."
            )
        if e in chosen:
            raise InputError(
                f"A subgraph contains each edge once, but edge {e} appears twice in "
                f"{abbreviate(tuple(edges))}. Remove one."
            )
        chosen.add(e)
    return tuple(sorted(edges))


# --- Indices from another cohort ----------------------------------------------------------------------------


def aligned(subgraph: Iterable[int], space: Space) -> tuple[int, ...]:
    """Return the edges of a `Subgraph` as indices of another cohort; plain tuples stay as they are."""
    if not isinstance(subgraph, Subgraph):
        return tuple(subgraph)
    naming = subgraph.naming
    if isinstance(space, int):
        if naming.n_edges != space:
            raise InputError(
                f"The subgraph was found among {naming.n_edges} edges, but X is an array of {space} columns "
                "without names. Give UncertainGraphs or a DataFrame with columns A--B, whose edges are "
                "matched by name."
            )
        return tuple(subgraph)
    if naming is space or naming == space or naming.same_positions(space):
        return tuple(subgraph)
    if naming.is_numbered or space.is_numbered:
        raise InputError(
            "The subgraph was found among other edges, and its regions cannot be matched, because those of "
            f"{'its cohort' if naming.is_numbered else 'these graphs'} have no names. Give node_labels to "
            "both cohorts."
        )
    found = []
    for edge in subgraph:
        regions, layer = naming.edge_key(edge)
        name = abbreviate(naming.edge_name(edge))
        if missing := sorted(regions.difference(space.node_labels)):
            raise InputError(
                f"The graphs must have every region of the subgraph, but {abbreviate(missing[0])!r} of its "
                f"edge {name!r} cannot be found by name{_similar(missing[0], space)}. Name regions as in the "
                "cohort of the result."
            )
        if (regions, layer) not in space.edge_of:
            raise InputError(
                f"The graphs must have every edge of the subgraph, but {name!r} is missing. If no "
                "graph has this edge, add it with probability 0."
            )
        found.append(space.edge_of[regions, layer])
    return tuple(found)


# --- Names --------------------------------------------------------------------------------------------------


def _in_braces(text: str) -> bool:
    return text.startswith("{") and text.endswith("}")


def _named(text: str, space: Space) -> list[int]:
    """The edges of ``"A--B"``, ``"A--B, B--C"`` or ``"{A--B, B--C}"``, read in the only possible way."""
    if isinstance(space, int):
        raise InputError(
            f"{abbreviate(text)!r} is a name, but X is an array of {space} columns without names. Give "
            "UncertainGraphs or a DataFrame with columns A--B."
        )
    inner = text[1:-1] if _in_braces(text) else text
    called = space.edges_called
    whole = called.get(tidy(inner), [])
    if len(whole) == 1:
        return whole
    # Names of regions may contain commas: an edge is one piece, or several up to the most in any name.
    pieces, most = inner.split(","), 1 + space.most_commas
    n_ways, last = [1], [(0, 0)]  # how often the first pieces can be read, and the last edge of a reading
    for end in range(1, len(pieces) + 1):
        n_ways.append(0)
        last.append((0, 0))
        for begin in range(max(0, end - most), end):
            edges = called.get(tidy(",".join(pieces[begin:end])), []) if n_ways[begin] else []
            if edges:
                n_ways[end] = min(2, n_ways[end] + n_ways[begin] * len(edges))
                last[end] = begin, edges[0]
    if n_ways[-1] == 0:
        raise _unknown(inner, space)
    if n_ways[-1] > 1:
        raise InputError(
            f"A name must identify its edges, but {abbreviate(text)!r} can be read in more than one way. "
            "Give edge indices."
        )
    found, end = [], len(pieces)
    while end:
        end, edge = last[end]
        found.append(edge)
    return found[::-1]


def _unknown(text: str, space: SubgraphNaming) -> InputError:
    """The error for a name that matches no edge, with the first reason."""
    called = space.edges_called
    first = next((piece for piece in text.split(", ") if tidy(piece) not in called), text).strip()
    shown = abbreviate(first)
    if SEPARATOR not in first:
        return InputError(
            f"A subgraph is named by its edges, A{SEPARATOR}B, but {shown!r} names none. Write both regions."
        )
    layers = list(dict.fromkeys(space.edge_layers or ()))
    if layers and not any(first.endswith(f" [{layer}]") for layer in layers):
        return InputError(
            f"The name of an edge must include its layer, {listed(layers)}, but {shown!r} does not. Write "
            f"{abbreviate(f'{first} [{layers[0]}]')!r}."
        )
    labels = {label.strip() for label in space.node_labels}
    strange = next((end for end in tidy(first).split(SEPARATOR, 1) if end not in labels), None)
    if layers or strange is None:
        return InputError(f"No edge is called {shown!r}. Use the names of graphs.edge_name.")
    return InputError(
        f"No edge is called {shown!r}: there is no region {abbreviate(strange)!r}{_similar(strange, space)}. "
        "Use names of node_labels."
    )


def _similar(region: str, space: SubgraphNaming) -> str:
    near = difflib.get_close_matches(region, space.node_labels, n=1)
    return f" (similar: {abbreviate(near[0])!r})" if near else ""
