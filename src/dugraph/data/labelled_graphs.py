"""`LabelledGraphs`: uncertain graphs with classes or a phenotype, checked together and once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.class_labels import check_labels, label_column
from dugraph.data.class_names import names_of_classes
from dugraph.data.columns import as_column
from dugraph.data.label_order import check_label_order
from dugraph.data.phenotype import CLASSES, GROUPS, PHENOTYPE, check_phenotype, n_distinct
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.validation import check_cohort
from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError

_READ_AS = {GROUPS: "names several groups", PHENOTYPE: "is a continuous phenotype"}


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LabelledGraphs:
    """Uncertain graphs with two classes: what every search, fit and evaluation is about.

    Graphs, labels and their order are checked here, and nowhere again: every function that takes `X` and `y`
    takes a `LabelledGraphs` as `X` in place of both. Several groups and continuous phenotypes, which some
    functions take too, are made by `LabelledGraphs.of_any`.

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
        The classes or groups in sorted order; none for a phenotype.
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
        self._hold_classes(check_cohort(X, edges), X, y, pos_label)

    def _hold_classes(self, graphs: UncertainGraphs, X: Any, y: object, pos_label: object) -> None:
        check_label_order(y, X)
        positive, classes = check_labels(y, graphs.n_graphs, pos_label)
        place = 1 if pos_label is None else classes.tolist().index(pos_label)
        y = classes[np.where(positive, place, 1 - place)]
        self._hold(graphs, y, CLASSES, classes, positive, pos_label is None)

    @classmethod
    def of(cls, X: Any, y: object = None, pos_label: object = None, edges: Any = None) -> LabelledGraphs:
        """Return `X` itself if it is one of two classes, else check the four together, as for the class."""
        if not isinstance(X, LabelledGraphs):
            return cls(X, y, pos_label, edges)
        if X.kind != CLASSES:
            check_labels(X.y, len(X))  # which says what is wrong
            raise InputError(f"X must have two classes, but its y {_READ_AS[X.kind]}. Pass X.graphs and X.y.")
        return cls._given_once(X, y, pos_label, edges)

    @classmethod
    def of_any(cls, X: Any, y: object = None, pos_label: object = None, edges: Any = None) -> LabelledGraphs:
        """As `of`, where text with more than two values names groups and numbers are a phenotype.

        Examples
        --------
        >>> LabelledGraphs.of_any([[0.9], [0.8], [0.2]], [34.5, 41.0, 28.0])
        LabelledGraphs: 3 graphs, 1 edge over 2 nodes; phenotype from 28 to 41
        >>> LabelledGraphs.of_any([[0.9], [0.8], [0.2], [0.1]], ["mild", "none", "mild", "severe"])
        LabelledGraphs: 4 graphs, 1 edge over 2 nodes; groups: mild (2), none (1), severe (1)
        """
        if isinstance(X, LabelledGraphs):
            return cls._given_once(X, y, pos_label, edges)
        graphs = check_cohort(X, edges)
        made = object.__new__(cls)
        if y is None or n_distinct(y) <= 2:
            made._hold_classes(graphs, X, y, pos_label)
            return made
        check_label_order(y, X)
        labels = check_phenotype(y, graphs)
        if pos_label is not None:
            raise InputError(
                f"pos_label names one of two classes, but y {_READ_AS[labels.kind]}. Leave it out.",
                parameter="pos_label",
            )
        column = as_column(y, "y")
        numbers = labels.kind == PHENOTYPE
        made._hold(
            graphs,
            column.astype(np.float64) if numbers else column,
            labels.kind,
            column[:0] if numbers else np.unique(column),
            None,
            False,
        )
        return made

    @classmethod
    def of_groups(
        cls, X: Any, y: object = None, pos_label: object = None, edges: Any = None
    ) -> LabelledGraphs:
        """As `of_any`, where numbers name groups too."""
        if y is None or isinstance(X, LabelledGraphs) or n_distinct(y) <= 2:
            given = cls.of_any(X, y, pos_label, edges)
            if given.kind == PHENOTYPE:
                raise InputError("X must have classes, but its y is a continuous phenotype.", parameter="y")
            return given
        check_label_order(y, X)
        return cls.of_any(
            check_cohort(X, edges), label_column(y, len(as_column(y, "y"))).astype(str), pos_label
        )

    def one_against_rest(self, group: object) -> LabelledGraphs:
        """Two classes: a group, and all others."""
        other = object.__new__(type(self))
        positive = self.y == group
        other._hold(self.graphs, positive, CLASSES, np.array([False, True]), positive.copy(), False)
        return other

    @classmethod
    def _given_once(cls, X: LabelledGraphs, y: object, pos_label: object, edges: Any) -> LabelledGraphs:
        for name, value in {"y": y, "pos_label": pos_label, "edges": edges}.items():
            if value is not None:
                raise InputError(
                    f"{name} must be given once: X is a LabelledGraphs, which has its own. Leave {name} out, "
                    "or pass X.graphs."
                )
        return X

    def _hold(
        self,
        graphs: UncertainGraphs,
        y: NDArray[Any],
        kind: str,
        classes: NDArray[Any],
        positive: NDArray[np.bool_] | None,
        assumed: bool,
    ) -> None:
        for name, array in {"y": y, "classes": classes, "positive": positive}.items():
            if array is None:  # so that code that takes it for granted fails at once
                continue
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "graphs", graphs)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "assumed", assumed)

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
        """The label of the positive class, as a value of Python."""
        return self.y[self.positive][0].item()

    @property
    def negative_class(self) -> Any:
        """The label of the negative class."""
        return self.y[~self.positive][0].item()

    @property
    def names(self) -> tuple[str, str]:
        """What people call the positive and the negative class: as their files did, else their labels."""
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
        """The same labels with other edges of the same graphs."""
        if graphs.n_graphs != len(self.y):
            raise InputError(f"There must be {len(self.y)} graphs, one per label: got {graphs.n_graphs}.")
        other = object.__new__(type(self))
        other._hold(graphs, self.y, self.kind, self.classes, getattr(self, "positive", None), self.assumed)
        return other

    @property
    def group_names(self) -> tuple[str, ...]:
        """What people call the classes or groups, in sorted order; none for a phenotype."""
        if self.kind != CLASSES:
            return tuple(map(str, self.classes.tolist()))
        return names_of_classes(self.graphs, *self.classes.tolist())

    @property
    def contrasts(self) -> NDArray[np.float64]:
        """What each graph's label is worth, shape (n_graphs, n_contrasts).

        Of two classes, 1 for the positive one and 0 for the other; of groups, an indicator of each; of a
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
        """Some of the graphs, by their positions; both classes must be among them."""
        positive = self.positive[rows] if self.kind == CLASSES else None
        if positive is not None and (not positive.any() or positive.all()):
            raise InputError(f"Both classes are needed, but all {len(positive)} graphs chosen are of one.")
        chosen = object.__new__(type(self))
        chosen._hold(self.graphs[rows], self.y[rows], self.kind, self.classes, positive, self.assumed)
        return chosen

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(
            **{"kind": CLASSES, "positive": None, **state}
        )  # pickling forgets that arrays are read-only

    def __repr__(self) -> str:
        edges, nodes = counted(self.graphs.n_edges, "edge"), counted(self.graphs.n_nodes, "node")
        return f"LabelledGraphs: {counted(len(self), 'graph')}, {edges} over {nodes}; {self._labels()}"

    def _labels(self) -> str:
        if self.kind == PHENOTYPE:
            return f"phenotype from {self.y.min():.6g} to {self.y.max():.6g}"
        if self.kind == GROUPS:
            sizes = [f"{shown(group)} ({int((self.y == group).sum())})" for group in self.classes]
            return "groups: " + ", ".join(sizes[:8]) + (", ..." if len(sizes) > 8 else "")
        positive, negative = map(shown, self.names)
        return f"positive: {positive} ({self.n_pos}), negative: {negative} ({self.n_neg})"
