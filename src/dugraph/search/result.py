"""What a search answers: the best subgraphs, and what is proven about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.subgraph_names import SubgraphNaming
from dugraph.search.core import COUNTERS as COUNTERS
from dugraph.search.display import result_html, result_text
from dugraph.words import Status as Status


@dataclass(frozen=True, repr=False)
class MiningResult:
    """The best connected subgraphs of a cohort, and what the search for them did.

    With `max_correlation` the search takes several rounds: counters and times are sums over these, and the
    subgraphs listed with a value above `best_open_bound` are proven in any case.

    Attributes
    ----------
    subgraphs : list of tuple of int
        Sorted edge indices, best subgraph first.
    values : ndarray of shape (n_found,)
        The measure of each subgraph.
    status : Status
        OPTIMAL, TIME_LIMIT, NODE_LIMIT, INTERRUPTED or MEMORY_LIMIT.
    message : str
        The same as a sentence.
    threshold : float
        The value of the worst subgraph listed, if as many were found as requested; otherwise minus infinity.
    best_open_bound : float
        No unseen subgraph exceeds this; minus infinity when the answer is proven.
    n_visited : int
        Admitted subgraphs seen.
    n_candidates : int
        Extensions whose expected frequency was tested.
    n_evaluated : int
        Dynamic programs run (both classes count as one).
    n_pruned_by_frequency : int
        Extensions that were not admitted.
    n_pruned_by_bound : int
        Subgraphs whose supergraphs a bound excluded.
    seconds, setup_seconds : float
        Total time of the search, and time for its tables before the first subgraph.
    parameters : dict
        The parameters of the call.
    naming : SubgraphNaming
        What `names` are created from.
    positive_class : object
        The class that was positive, as it is in `y`; None for a phenotype or several groups.
    effects : ndarray of shape (n_found,), or None
        Adjusted for covariates: of a phenotype, the slope of the containment probability per unit of it; of
        two classes, the difference in expected frequency. None for groups, and for two classes without
        covariates.
    contrasts : list of str, or None
        Which comparison found each subgraph, if classes were compared one by one.
    """

    subgraphs: list[tuple[int, ...]]
    values: NDArray[np.float64]
    status: Status
    message: str
    threshold: float
    best_open_bound: float
    n_visited: int
    n_candidates: int
    n_evaluated: int
    n_pruned_by_frequency: int
    n_pruned_by_bound: int
    seconds: float
    setup_seconds: float
    parameters: dict[str, Any]
    naming: SubgraphNaming
    positive_class: Any
    effects: NDArray[np.float64] | None = None
    contrasts: list[str] | None = None

    @property
    def success(self) -> bool:
        """True only when the answer is proven."""
        return self.status is Status.OPTIMAL

    @property
    def gap(self) -> float:
        """How much better an unseen subgraph could be than the worst listed; 0 when proven."""
        return 0.0 if self.success else max(0.0, self.best_open_bound - self.threshold)

    @cached_property
    def names(self) -> list[str]:
        """The subgraphs by the names of their nodes, created on demand."""
        return self.naming.subgraph_names(self.subgraphs)

    def __len__(self) -> int:
        return len(self.subgraphs)

    def __repr__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        return result_html(self)
