"""Covariates of a fit and of its folds: each fold learns their code from its own training graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.covariate_coding import CovariateCode

Floats = NDArray[np.float64]


class CohortCovariates:
    """Covariates of all graphs of a fit.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_graphs,)
        By name; none is fine.
    graph_ids : sequence of str
        For messages.

    Attributes
    ----------
    code : CovariateCode
        Learned from all of these graphs.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> None:
        self._columns, self._graph_ids = columns, graph_ids
        self.code = CovariateCode.of(columns, graph_ids)

    def numbers(self) -> Floats:
        """Those of all graphs, shape (n_graphs, n_covariates)."""
        return self.code.numbers(self._columns, self._graph_ids)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Those of some training graphs and of test graphs, by a code that knows the training graphs only."""
        (trained, known), (tested, others) = self._rows(train), self._rows(test)
        code = CovariateCode.of(trained, known)
        return code.numbers(trained, known), code.numbers(tested, others)

    def _rows(self, rows: NDArray[np.intp]) -> tuple[dict[str, NDArray[Any]], list[str]]:
        ids = np.asarray(self._graph_ids, dtype=object)[rows].tolist()
        return {name: column[rows] for name, column in self._columns.items()}, ids
