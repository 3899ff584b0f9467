"""`SparseModel`: a linear model over few connected subgraphs, one point of a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted
from dugraph.probability.containment import containment_columns
from dugraph.search import Status

_ROWS = 10


@dataclass(frozen=True, eq=False, repr=False)
class SparseModel:
    """A linear model over few connected subgraphs: one point of a path.

    Attributes
    ----------
    alpha : float
        The penalty.
    subgraphs : list of tuple of int
        Sorted edge indices, largest coefficient first.
    coef : ndarray of shape (n_nonzero,)
        Positive ones favour the positive class, or a larger phenotype.
    intercept : float
    objective : float
        Mean loss + alpha * sum of abs(coef).
    duality_gap : float
        No model over the admitted subgraphs has an objective lower by more than this.
    status : Status
        OPTIMAL if the gap is within the tolerance; otherwise what ended the work.
    covariate_coef : ndarray of shape (n_covariates,)
        Those of the covariates, which are not penalised.
    """

    alpha: float
    subgraphs: list[tuple[int, ...]]
    coef: NDArray[np.float64]
    intercept: float
    objective: float
    duality_gap: float
    status: Status
    covariate_coef: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def containment(self, X: Any) -> NDArray[Any]:
        """Containment probabilities of its subgraphs, shape (n_graphs, n_nonzero).

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
            Edge probabilities, columns as in the fit.
        """
        return containment_columns(np.asarray(X), self.subgraphs)

    def decision_function(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Decision values, positive for the positive class, or forecasts of a phenotype.

        Parameters
        ----------
        X : as for `containment`
        covariates : array-like of shape (n_graphs, n_covariates), optional
            Numbers, columns as in the fit; by default 0.
        """
        decision = np.asarray(self.containment(X) @ self.coef + self.intercept)
        if covariates is None:
            return decision
        return np.asarray(decision + np.asarray(covariates, dtype=np.float64) @ self.covariate_coef)

    def __repr__(self) -> str:
        lines = [f"SparseModel: {self._summary()}"]
        lines += [f"  {coefficient:<11}  {subgraph}" for coefficient, subgraph in self._rows()]
        return "\n".join(lines + ([f"  ... and {self._n_more()} more"] if self._n_more() else []))

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{a}</td><td>{escape(b)}</td></tr>" for a, b in self._rows())
        more = f"<p>and {self._n_more()} more</p>" if self._n_more() else ""
        return (
            f"<div><p><b>SparseModel</b>: {escape(self._summary())}</p><table><thead><tr><th>coefficient</th>"
            f"<th>edges</th></tr></thead><tbody>{rows}</tbody></table>{more}</div>"
        )

    def _summary(self) -> str:
        return (
            f"{counted(len(self.coef), 'subgraph')} at the penalty {self.alpha:.4g}, intercept "
            f"{self.intercept:.4g}, objective {self.objective:.6g}, {self.status.value} with a duality gap "
            f"of {self.duality_gap:.2g}"
        )

    def _rows(self) -> list[tuple[str, str]]:
        shown = zip(self.coef[:_ROWS], self.subgraphs[:_ROWS], strict=True)
        return [(f"{coefficient:+.6g}", " ".join(map(str, g))) for coefficient, g in shown]

    def _n_more(self) -> int:
        return max(0, len(self.coef) - _ROWS)
