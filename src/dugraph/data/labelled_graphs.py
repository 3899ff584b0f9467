"""`LabelledGraphs`: uncertain graphs with two classes, checked together and once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.class_labels import check_labels
from dugraph.data.class_names import names_of_classes
from dugraph.data.label_order import check_label_order
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.validation import check_cohort
from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LabelledGraphs:
    """Uncertain graphs with two classes: what every search, fit and evaluation is about.

    Graphs, labels and their order are checked here, and nowhere again: every function that takes `X` and `y`
    takes a `LabelledGraphs` as `X` in place of both.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
        Edge probabilities in [0, 1]; 0 means that the edge is absent.
    y : sequence of shape (n_graphs,)
        Class of each graph: text, numbers or booleans, exactly two distinct values. The index of a pandas
        Series must not name the graphs in another order.
    pos_label : optional
        The positive class; by default the greater one in sorted order.
    edges : array-like of int, shape (n_edges, 2), optional
        The two nodes of each column when `X` is an array. Default: all pairs, as for `UncertainGraphs`.

    Attributes
    ----------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,)
    classes : ndarray of shape (2,)
        Both classes in sorted order.
    positive : ndarray of bool, shape (n_graphs,)
        Which graphs are of the positive class.
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
    classes: NDArray[Any]
    positive: NDArray[np.bool_]
    assumed: bool

    def __init__(self, X: Any, y: object, pos_label: object = None, edges: Any = None) -> None:
        graphs = check_cohort(X, edges)
        check_label_order(y, X)
        positive, classes = check_labels(y, graphs.n_graphs, pos_label)
        place = 1 if pos_label is None else classes.tolist().index(pos_label)
        y = classes[np.where(positive, place, 1 - place)]
        self._hold(graphs, y, classes, positive, pos_label is None)

    @classmethod
    def of(cls, X: Any, y: object = None, pos_label: object = None, edges: Any = None) -> LabelledGraphs:
        """Give `X` itself if it is one, else check the four together; parameters as for the class."""
        if not isinstance(X, LabelledGraphs):
            return cls(X, y, pos_label, edges)
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
        classes: NDArray[Any],
        positive: NDArray[np.bool_],
        assumed: bool,
    ) -> None:
        for name, array in {"y": y, "classes": classes, "positive": positive}.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "graphs", graphs)
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
        other._hold(graphs, self.y, self.classes, self.positive, self.assumed)
        return other

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, rows: NDArray[np.intp]) -> Self:
        """Some of the graphs, by their positions; both classes must be among them."""
        positive = self.positive[rows]
        if not positive.any() or positive.all():
            raise InputError(f"Both classes are needed, but all {len(positive)} graphs chosen are of one.")
        chosen = object.__new__(type(self))
        chosen._hold(self.graphs[rows], self.y[rows], self.classes, positive, self.assumed)
        return chosen

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(**state)  # pickling forgets that arrays are read-only

    def __repr__(self) -> str:
        edges, nodes = counted(self.graphs.n_edges, "edge"), counted(self.graphs.n_nodes, "node")
        positive, negative = map(shown, self.names)
        return (
            f"LabelledGraphs: {counted(len(self), 'graph')}, {edges} over {nodes}; positive: {positive} "
            f"({self.n_pos}), negative: {negative} ({self.n_neg})"
        )
