"""`SparseModel`: a linear model over a few connected subgraphs, one point of a path; and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import counted, real_array
from dugraph.data.graphs import edges_and_probability
from dugraph.data.subgraphs import aligned, check_subgraph
from dugraph.estimators.model_file import decode, encode
from dugraph.exceptions import InputError
from dugraph.probability.containment import containment_columns
from dugraph.search import Status
from dugraph.search.result import Drawable

if TYPE_CHECKING:
    import pandas

_ROWS = 10
_FLOATS = ("alpha", "intercept", "objective", "duality_gap")


@dataclass(frozen=True, eq=False, repr=False)
class SparseModel(Drawable):
    """A linear model over a few connected subgraphs: one point of a path.

    Attributes
    ----------
    alpha : float
        The penalty.
    subgraphs : list of tuple of int
        Sorted edge indices, largest coefficient first.
    coef : ndarray of shape (n_nonzero,)
        Positive coefficients favour the positive class, or a larger phenotype.
    intercept : float
    objective : float
        The minimised mean loss plus penalty.
    duality_gap : float
        No model over the admitted subgraphs has an objective lower by more than this.
    status : Status
        OPTIMAL if the gap is within the tolerance; otherwise the reason for stopping.
    covariate_coef : ndarray of shape (n_covariates,)
        Coefficients of the covariates, which are not penalised.
    ridge_alpha : float or None
        L2 penalty with which the coefficients were fitted again; None without a refit. The objective and its
        gap are those of the fit before, which chose the subgraphs.
    """

    alpha: float
    subgraphs: list[tuple[int, ...]]
    coef: NDArray[np.float64]
    intercept: float
    objective: float
    duality_gap: float
    status: Status
    covariate_coef: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    ridge_alpha: float | None = None

    def containment(self, X: Any) -> NDArray[Any]:
        """Containment probabilities of its subgraphs, shape (n_graphs, n_nonzero).

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
            Edge probabilities, columns as in the fit.
        """
        probability, space = edges_and_probability(X)
        # The number of columns in the fit is not stored, only those that the subgraphs use.
        last = max((edge for subgraph in self.subgraphs for edge in subgraph), default=-1)
        if probability.shape[1] <= last:
            raise InputError(
                f"X must have the columns of the fit, at least {last + 1}, but has {probability.shape[1]}.",
                parameter="X",
            )
        # An array is used as given, so that single precision is preserved.
        values = probability if isinstance(X, UncertainGraphs) else np.asarray(X)
        return containment_columns(values, [aligned(subgraph, space) for subgraph in self.subgraphs])

    def decision_function(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Decision values, positive for the positive class, or predictions of a phenotype.

        Parameters
        ----------
        X : as for `containment`
        covariates : array-like of shape (n_graphs, n_covariates), optional
            Numbers, columns as in the fit; by default 0.
        """
        decision = np.asarray(self.containment(X) @ self.coef + self.intercept)
        if covariates is None:
            return decision
        values = real_array(covariates, "covariates", 2, "(n_graphs, n_covariates)")
        shape = (len(decision), len(self.covariate_coef))
        if values.shape != shape:
            raise InputError(
                f"covariates must have the shape {shape}, one row per graph and one column per covariate of "
                f"the fit, but have {values.shape}.",
                parameter="covariates",
            )
        return np.asarray(decision + values @ self.covariate_coef)

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgraph, largest coefficient first, as a pandas DataFrame.

        Columns: `coefficient`, `n_edges`, and `edges` (the tuple of edge indices). A fitted estimator, which
        knows the names of the subgraphs, has them in its `to_frame`.
        """
        import pandas

        sizes = [len(subgraph) for subgraph in self.subgraphs]
        return pandas.DataFrame({"coefficient": self.coef, "n_edges": sizes, "edges": self.subgraphs})

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
            + (
                f"; ridge refit with the penalty {self.ridge_alpha:.3g}"
                if self.ridge_alpha is not None
                else ""
            )
        )

    def _rows(self) -> list[tuple[str, str]]:
        rows = zip(self.coef[:_ROWS], self.subgraphs[:_ROWS], strict=True)
        return [(f"{coefficient:+.6g}", " ".join(map(str, subgraph))) for coefficient, subgraph in rows]

    def _n_more(self) -> int:
        return max(0, len(self.coef) - _ROWS)


def model_members(model: SparseModel) -> dict[str, Any]:
    """Return a model as JSON values, floats to the last bit."""
    covariates = {"covariate_coef": encode(model.covariate_coef, "coef")}
    return {
        "subgraphs": [list(subgraph) for subgraph in model.subgraphs],
        "coef": encode(model.coef, "coef"),
        **(covariates if len(model.covariate_coef) else {}),
        "status": model.status.value,
        **({} if model.ridge_alpha is None else {"ridge_alpha": encode(model.ridge_alpha, "ridge_alpha")}),
        **{name: encode(float(getattr(model, name)), name) for name in _FLOATS},
    }


def restored_model(stored: Mapping[str, Any], n_edges: int, n_covariates: int) -> SparseModel:
    """Inverse of `model_members`; raises KeyError, TypeError or ValueError on other content."""
    subgraphs = [check_subgraph(subgraph, n_edges) for subgraph in stored["subgraphs"]]
    coef = decode(stored["coef"])
    if coef.shape != (len(subgraphs),) or coef.dtype != np.float64:
        raise ValueError("there must be as many coefficients as subgraphs")
    covariate_coef = decode(stored["covariate_coef"]) if "covariate_coef" in stored else np.empty(0)
    if covariate_coef.shape != (n_covariates,) or covariate_coef.dtype != np.float64:
        raise ValueError("there must be as many coefficients as covariates")
    return SparseModel(
        subgraphs=subgraphs,
        coef=coef,
        status=Status(stored["status"]),
        covariate_coef=covariate_coef,
        ridge_alpha=float(decode(stored["ridge_alpha"])) if "ridge_alpha" in stored else None,
        **{name: float(decode(stored[name])) for name in _FLOATS},
    )
