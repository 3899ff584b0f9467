"""Labels of graphs: two classes, several groups or a continuous phenotype; `LabelledGraphs` joins both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import (
    abbreviate,
    check_kind,
    check_word,
    counted,
    describe_value,
    listed,
    whole_number,
)
from dugraph.data.columns import Column, as_column, check_present
from dugraph.data.graphs import UncertainGraphs, check_cohort
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.words import TARGETS

CLASSES, GROUPS, PHENOTYPE = "classes", "groups", "phenotype"
"""Types of y."""

# More whole numbers than this are rather ages or questionnaire scores than codes of groups.
_MOST_CLASSES = 10
# Up to this many they may be either.
_MOST_AMBIGUOUS = 20
_READ_AS = {GROUPS: "names several groups", PHENOTYPE: "is a continuous phenotype"}


def label_column(y: object, n_graphs: int, graph_ids: Sequence[str] | None = None) -> Column:
    """Return `y` as a flat column of text, numbers or booleans, with one present label per graph."""
    if y is None:
        raise InputError(
            "y must have one label per graph, but y is missing. Give y, or a LabelledGraphs as X.",
            parameter="y",
        )
    labels = as_column(y, "y")
    if len(labels) != n_graphs:
        raise InputError(
            f"y must have one label per graph: got {counted(len(labels), 'label')} for "
            f"{counted(n_graphs, 'graph')}. Align y with the graphs first.",
            parameter="y",
        )
    check_present(labels, "y", graph_ids or [str(i) for i in range(n_graphs)], "y")
    if labels.dtype.kind not in "biufU":
        types = sorted({type(label).__name__ for label in labels})
        raise InputError(
            f"y must be all text, all numbers or all booleans, but contains {listed(types)}. Convert it "
            "to text for groups, or to numbers for a phenotype.",
            parameter="y",
        )
    return labels


def check_labels(
    y: object, n_graphs: int, pos_label: object = None
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Check class labels and return which graphs are positive.

    Parameters
    ----------
    y : sequence of shape (n_graphs,)
        Class of each graph: text, numbers or booleans, exactly two distinct values.
    n_graphs : int
        Number of graphs in the cohort.
    pos_label : optional
        The positive class; by default the last in sorted order.

    Returns
    -------
    is_positive : ndarray of bool, shape (n_graphs,)
    classes : ndarray of shape (2,)
        Both classes in sorted order.
    """
    return _two_classes(label_column(y, whole_number(n_graphs, "n_graphs")), pos_label)


def _two_classes(labels: Column, pos_label: object) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    classes, sizes = np.unique(labels, return_counts=True)
    if is_continuous(classes):
        raise InputError(
            f"y must have exactly two classes: got {len(classes)} different numbers, and continuous "
            "phenotypes are not supported here.",
            way_out=Spoken(
                "Test it as it is with dugraph.significant_subgraphs, or divide it into two classes first.",
                "Divide it into two classes first; in Python, dugraph.significant_subgraphs tests it as it "
                "is.",
            ),
        )
    if len(classes) != 2:
        found = [
            f"{abbreviate(label)} ({counted(int(size), 'graph')})"
            for label, size in zip(classes, sizes, strict=True)
        ]
        raise InputError(
            f"y must have exactly two classes: got {len(classes)}: {', '.join(found[:5])}"
            f"{', ...' if len(found) > 5 else ''}. Keep the graphs of two classes, or merge classes."
        )
    return labels == positive_class(classes, pos_label), classes


def is_continuous(distinct: NDArray[Any]) -> bool:
    """Return whether labels look like measurements: over two distinct numbers, with fractions or many."""
    if distinct.dtype.kind not in "iuf" or len(distinct) <= 2:
        return False
    return len(distinct) > _MOST_CLASSES or bool((distinct != np.floor(distinct)).any())


def positive_class(classes: NDArray[Any], pos_label: object = None) -> Any:
    """Return the label of the positive one of two sorted classes, by default the last."""
    negative, positive = classes.tolist()  # Python values: NumPy warns when text is compared with numbers
    if pos_label is None:
        return positive
    if isinstance(pos_label, np.ndarray) or pos_label not in (negative, positive):
        raise InputError(
            f"pos_label must be one of the two classes: got {abbreviate(repr(pos_label))}, "
            f"the classes are {abbreviate(repr(negative))} and {abbreviate(repr(positive))}.",
            parameter="pos_label",
        )
    return positive if pos_label == positive else negative


def class_names(graphs: object, y: object, pos_label: object = None) -> tuple[str, str]:
    """Name the positive and the negative class.

    Reading files creates the classes 1 and 0; the names of their groups are in the provenance of the cohort.
    Other labels are names themselves.

    Parameters
    ----------
    graphs : UncertainGraphs or array
    y : sequence of shape (n_graphs,)
        Class of each graph.
    pos_label : optional
        The positive class; by default the last in sorted order.

    Returns
    -------
    positive, negative : str
        As they are in the files: escape them before display.
    """
    labels = as_column(y, "y")
    is_positive, _ = check_labels(labels, len(labels), pos_label)
    return names_of_classes(graphs, labels[is_positive][0].item(), labels[~is_positive][0].item())


def names_of_classes(graphs: object, positive: object, negative: object) -> tuple[str, str]:
    """Name two labels that have been checked; see `class_names`."""
    if {positive, negative} == {0, 1} and isinstance(graphs, UncertainGraphs):
        origin = graphs.provenance or {}
        known = {1: origin.get("positive"), 0: origin.get("negative")}
        # Only together do the names tell the classes apart.
        if all(isinstance(name, str) and name for name in known.values()) and known[0] != known[1]:
            return str(known[positive]), str(known[negative])  # type: ignore[index]
    return str(positive), str(negative)


def n_distinct(y: object) -> int:
    """Return the number of values that y takes; 0 if they cannot be compared."""
    labels = as_column(y, "y")
    return len(np.unique(labels)) if labels.dtype.kind in "biufU" else 0


def may_be_codes(labels: Column) -> bool:
    """Return whether labels are whole numbers with 3 to 20 values, which may be groups or a phenotype."""
    distinct = np.unique(labels)
    few = 3 <= len(distinct) <= _MOST_AMBIGUOUS and len(distinct) < len(labels)
    return few and labels.dtype.kind in "iuf" and bool((distinct == np.floor(distinct)).all())


def check_finite(phenotype: NDArray[np.float64], graph_ids: Sequence[str]) -> None:
    """Raise InputError if a value of the phenotype is not finite."""
    wrong = np.flatnonzero(~np.isfinite(phenotype))
    if wrong.size:
        i = int(wrong[0])
        raise InputError(
            f"A phenotype must be finite: that of {abbreviate(graph_ids[i])} is {float(phenotype[i])!r}. "
            "Drop the graph, or correct its value.",
            parameter="y",
        )


def check_label_order(y: object, X: object) -> None:
    """Refuse a pandas Series whose index has the id of a graph at the position of another graph.

    An index without ids of the graphs, such as row numbers, says nothing about them and is ignored. Only an
    UncertainGraphs has ids; a data frame has its own index.

    Examples
    --------
    >>> import pandas as pd
    >>> graphs = UncertainGraphs([[0.9], [0.2]], graph_ids=["sub-01", "sub-02"])
    >>> check_label_order(pd.Series([1, 0], index=["sub-01", "sub-02"]), graphs)
    >>> check_label_order(pd.Series([0, 1], index=["sub-02", "sub-01"]), graphs)
    Traceback (most recent call last):
    dugraph.exceptions.InputError: y must be in the order of the graphs, but according to its index the \
label at position 0 belongs to sub-02, while the graph there is sub-01. Use y.reindex(graphs.graph_ids).
    """
    given, wanted = _row_ids(y), _row_ids(X)
    way_out = "Use y.reindex(X.index), or y.to_numpy() if the order is right."
    if isinstance(X, UncertainGraphs):
        wanted, way_out = list(X.graph_ids), "Use y.reindex(graphs.graph_ids)."
    if given is None or wanted is None:
        return
    known = set(wanted)
    # Row numbers on one side only say nothing, unless the other side has the same numbers in another order.
    if _is_numbered(given) != _is_numbered(wanted) and set(given) != known:
        return
    # Whether there are as many labels as graphs is checked where they are read.
    for i, (here, there) in enumerate(zip(given, wanted, strict=False)):
        if here != there and here in known:
            raise InputError(
                "y must be in the order of the graphs, but according to its index the label at position "
                f"{i} belongs to {abbreviate(here)}, while the graph there is {abbreviate(there)}. {way_out}"
            )


def _row_ids(values: object) -> list[Any] | None:
    index = getattr(values, "index", None)
    # A list has a method called index.
    return None if index is None or callable(index) else list(index)


def _is_numbered(ids: Sequence[Any]) -> bool:
    return all(isinstance(one, int) and one == i for i, one in enumerate(ids))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LabelledGraphs:
    """Uncertain graphs with two classes: the input of every search, fit and evaluation.

    Graphs, labels and their order are checked here, once: every function that takes `X` and `y` accepts a
    `LabelledGraphs` as `X` instead of both. Several groups and continuous phenotypes, which some
    functions accept too, are built by `LabelledGraphs.of_any`.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
        Edge probabilities in [0, 1]; 0 means that the edge is absent.
    y : sequence of shape (n_graphs,)
        Class of each graph: text, numbers or booleans, exactly two distinct values. The index of a pandas
        Series must not name the graphs in another order.
    pos_label : optional
        The positive class; by default the last in sorted order.
    edges : array-like of int, shape (n_edges, 2), optional
        The two nodes of each column when `X` is an array. Default: all pairs, as for `UncertainGraphs`.

    Attributes
    ----------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,)
    kind : {"classes", "groups", "phenotype"}
        Whether y has two classes, names several groups or is a continuous phenotype.
    classes : ndarray of shape (n_classes,)
        The classes or groups in sorted order; empty for a phenotype.
    positive : ndarray of bool, shape (n_graphs,)
        Which graphs are of the positive class; only two classes have it.
    assumed : bool
        Whether the positive class was not given: it is then the last in sorted order.

    Examples
    --------
    >>> import dugraph as dg
    >>> cohort = dg.LabelledGraphs([[0.9], [0.8], [0.2]], ["patient", "patient", "control"])
    >>> cohort
    LabelledGraphs: 3 graphs, 1 edge over 2 nodes; positive: patient (2), negative: control (1)
    >>> dg.mine_subgraphs(cohort, n_subgraphs=1).subgraphs
    [(0,)]
    """

    graphs: UncertainGraphs
    y: NDArray[Any]
    kind: str
    classes: NDArray[Any]
    positive: NDArray[np.bool_]
    assumed: bool

    def __init__(self, X: Any, y: object, pos_label: object = None, edges: Any = None) -> None:
        graphs = check_cohort(X, edges)
        check_label_order(y, X)
        labels = label_column(y, graphs.n_graphs, graphs.graph_ids)
        positive, classes = _two_classes(labels, pos_label)
        self._set(graphs, labels, CLASSES, classes, positive, pos_label is None)

    @classmethod
    def of(cls, X: Any, y: object = None, pos_label: object = None, edges: Any = None) -> LabelledGraphs:
        """Return `X` itself if it is a LabelledGraphs of two classes, else check all four arguments."""
        if not isinstance(X, LabelledGraphs):
            return cls(X, y, pos_label, edges)
        if X.kind != CLASSES:
            check_labels(X.y, len(X))  # raises with a more specific message
            raise InputError(f"X must have two classes, but its y {_READ_AS[X.kind]}. Pass X.graphs and X.y.")
        return X._given_once(y=y, pos_label=pos_label, edges=edges)

    @classmethod
    def of_any(
        cls,
        X: Any,
        y: object = None,
        pos_label: object = None,
        edges: Any = None,
        target: str | None = None,
        *,
        numbers: str = "ask",
        word: str = "target",
    ) -> LabelledGraphs:
        """As `of`, where text with more than two values names groups and numbers are a phenotype.

        Whole numbers with 3 to 20 values need ``target="groups"`` or ``target="phenotype"``, unless `numbers`
        states what numbers with more than two values are: "groups" or "phenotype"; with "codes", whole
        numbers with 3 to 20 values name groups, as elsewhere in scikit-learn. `word` is what the caller calls
        the parameter `target`.

        Examples
        --------
        >>> LabelledGraphs.of_any([[0.9], [0.8], [0.2]], [34.5, 41.0, 28.0])
        LabelledGraphs: 3 graphs, 1 edge over 2 nodes; phenotype from 28 to 41
        >>> LabelledGraphs.of_any([[0.9], [0.8], [0.2], [0.1]], ["mild", "none", "mild", "severe"])
        LabelledGraphs: 4 graphs, 1 edge over 2 nodes; groups: mild (2), none (1), severe (1)
        """
        if target is not None:
            check_word(word, target, TARGETS)
        if isinstance(X, LabelledGraphs):
            if numbers == GROUPS and X.kind == PHENOTYPE:
                raise InputError("X must have classes, but its y is a continuous phenotype.", parameter="y")
            return X._given_once(y=y, pos_label=pos_label, edges=edges, **{word: target})
        numbers = target or numbers
        graphs = check_cohort(X, edges)
        check_label_order(y, X)
        labels = label_column(y, graphs.n_graphs, graphs.graph_ids)
        distinct, sizes = np.unique(labels, return_counts=True)
        if len(distinct) == 2:
            return cls._made(
                graphs, labels, CLASSES, *_two_classes(labels, pos_label)[::-1], pos_label is None
            )
        if len(distinct) < 2:
            raise InputError(
                f"y must take at least two values: every graph has {abbreviate(repr(distinct.tolist()[0]))}.",
                parameter="y",
                way_out=("Without a difference in ", Setting("y"), " there is nothing to test."),
            )
        if numbers == "ask" and may_be_codes(labels):
            raise InputError(
                "Whole numbers with few values may be group codes or a phenotype, and y has the values "
                f"{listed(distinct.astype(np.int64))}.",
                parameter="y",
                way_out=("Say which: ", Setting(word, GROUPS), " or ", Setting(word, PHENOTYPE), "."),
            )
        as_text = numbers == GROUPS or (numbers == "codes" and may_be_codes(labels))
        kind = GROUPS if labels.dtype.kind == "U" or as_text else PHENOTYPE
        if pos_label is not None:
            raise InputError(
                f"pos_label names one of two classes, but y {_READ_AS[kind]}. Leave it out.",
                parameter="pos_label",
            )
        if kind == PHENOTYPE:
            labels = labels.astype(np.float64)
            check_finite(labels, graphs.graph_ids)
            return cls._made(graphs, labels, kind, labels[:0])
        if sizes.max() == 1:
            each = f"A group must have several graphs, but each of the {len(distinct)} values of "
            raise InputError(
                (each, Setting("y"), f" ({listed(distinct)}) belongs to one graph."),
                parameter="y",
                way_out=("If ", Setting("y"), " is a phenotype, pass numbers instead of text."),
            )
        if target == PHENOTYPE:
            raise InputError(
                f'A phenotype must be numeric, but y contains text: {listed(distinct)}. Use {word}="groups".',
                parameter="y",
            )
        if labels.dtype.kind == "f" and bool((labels == np.floor(labels)).all()):
            labels = labels.astype(np.int64)  # 1.0, as pandas writes it beside missing values, is 1
        labels = labels.astype(str)
        return cls._made(graphs, labels, kind, np.unique(labels))

    def _given_once(self, **others: object) -> Self:
        for name, value in others.items():
            if value is not None:
                raise InputError(
                    f"{name} must be given once: X is a LabelledGraphs, which has its own. Leave {name} out, "
                    "or pass X.graphs."
                )
        return self

    def one_against_rest(self, group: object) -> LabelledGraphs:
        """Return two classes: a group, and all others."""
        known = np.unique(self.y).tolist()
        if isinstance(group, np.ndarray) or group not in known:
            raise InputError(
                f"group must be one of {listed(known)}, got {describe_value(group)}.", parameter="group"
            )
        positive = self.y == group
        return self._made(self.graphs, positive, CLASSES, np.array([False, True]), positive.copy())

    @classmethod
    def _made(cls, *parts: Any) -> Self:
        """Return labelled graphs of parts that have been checked, those of `_set`."""
        made = object.__new__(cls)
        made._set(*parts)
        return made

    def _set(
        self,
        graphs: UncertainGraphs,
        y: NDArray[Any],
        kind: str,
        classes: NDArray[Any],
        positive: NDArray[np.bool_] | None = None,
        assumed: bool = False,
    ) -> None:
        parts = {"graphs": graphs, "y": y, "kind": kind, "classes": classes, "assumed": assumed}
        if positive is not None:  # without the attribute, code that relies on it fails at once
            parts["positive"] = positive
        for name, value in parts.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def n_pos(self) -> int:
        """Number of positive graphs."""
        return int(self.positive.sum())

    @property
    def n_neg(self) -> int:
        """Number of negative graphs."""
        return len(self.positive) - self.n_pos

    @property
    def positive_class(self) -> Any:
        """The label of the positive class, as a Python value."""
        return self.y[self.positive][0].item()

    @property
    def negative_class(self) -> Any:
        """The label of the negative class."""
        return self.y[~self.positive][0].item()

    @property
    def names(self) -> tuple[str, str]:
        """Names of the positive and the negative class: those in their files, else their labels."""
        return names_of_classes(self.graphs, self.positive_class, self.negative_class)

    @property
    def participants(self) -> dict[str, NDArray[Any]] | None:
        """Further columns about the graphs, such as age and sex."""
        return self.graphs.participants

    @property
    def target(self) -> NDArray[np.int64]:
        """1 for positive and 0 for negative graphs."""
        return self.positive.astype(np.int64)

    def with_graphs(self, graphs: UncertainGraphs) -> Self:
        """Return the same labels with other edges of the same graphs."""
        check_kind(graphs, UncertainGraphs, "graphs")
        if graphs.n_graphs != len(self.y):
            raise InputError(f"There must be {len(self.y)} graphs, one per label: got {graphs.n_graphs}.")
        positive = getattr(self, "positive", None)
        return self._made(graphs, self.y, self.kind, self.classes, positive, self.assumed)

    @property
    def group_names(self) -> tuple[str, ...]:
        """Names of the classes or groups, in sorted order; empty for a phenotype."""
        if self.kind != CLASSES:
            return tuple(map(str, self.classes.tolist()))
        return names_of_classes(self.graphs, *self.classes.tolist())

    @property
    def contrasts(self) -> NDArray[np.float64]:
        """The value of each graph's label, shape (n_graphs, n_contrasts).

        With two classes, 1 for the positive one and 0 for the other; with groups, an indicator of each; for a
        phenotype, its value.
        """
        if self.kind == CLASSES:
            return self.positive[:, None].astype(np.float64)
        if self.kind == PHENOTYPE:
            return np.asarray(self.y[:, None], dtype=np.float64)
        return np.asarray(self.y[:, None] == self.classes, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, rows: NDArray[np.intp]) -> Self:
        """Select graphs by position; both classes must be among them."""
        if np.ndim(rows) == 0 and not isinstance(rows, slice):  # unpacking asks for 0
            raise InputError(
                "A LabelledGraphs is indexed by a list, mask or slice of graphs: got "
                f"{describe_value(rows)}. Its parts are .graphs and .y; functions also take it whole, in "
                "place of graphs and labels."
            )
        positive = self.positive[rows] if self.kind == CLASSES else None
        if positive is not None and (not positive.any() or positive.all()):
            raise InputError(f"Both classes are needed, but all {len(positive)} graphs chosen are of one.")
        return self._made(self.graphs[rows], self.y[rows], self.kind, self.classes, positive, self.assumed)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickling forgets that arrays are read-only.
        self._set(**{"kind": CLASSES, "positive": None, **state})

    def __repr__(self) -> str:
        edges, nodes = counted(self.graphs.n_edges, "edge"), counted(self.graphs.n_nodes, "node")
        return f"LabelledGraphs: {counted(len(self), 'graph')}, {edges} over {nodes}; {self._labels()}"

    def _labels(self) -> str:
        if self.kind == PHENOTYPE:
            return f"phenotype from {self.y.min():.6g} to {self.y.max():.6g}"
        if self.kind == GROUPS:
            sizes = [f"{abbreviate(group)} ({int((self.y == group).sum())})" for group in self.classes]
            return "groups: " + ", ".join(sizes[:8]) + (", ..." if len(sizes) > 8 else "")
        positive, negative = map(abbreviate, self.names)
        return f"positive: {positive} ({self.n_pos}), negative: {negative} ({self.n_neg})"
