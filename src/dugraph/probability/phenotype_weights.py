"""The expected HSIC of any phenotype: weights of the graphs, and the closed form, in readable NumPy.

With linear kernels HSIC is a square of a weighted count: F = scale sum_k (sum_i w_ki I_i)^2, where I_i is the
presence of a subgraph in graph i. Its expectation over possible worlds is closed for any weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs
from dugraph.data.columns import RANK_TOLERANCE, covariate_basis
from dugraph.data.labels import GROUPS
from dugraph.exceptions import InputError, Spoken

Floats = NDArray[np.float64]

# Squares of weights beyond these limits leave the range of double precision.
_SMALLEST, _LARGEST = 1e-100, 1e100


class PhenotypeWeights(NamedTuple):
    """Weights of shape (n_contrasts, n_graphs), and the scale with which two classes give the paper's HSIC.

    There is one contrast for two classes or a phenotype, and one per group for several groups.
    """

    weights: Floats
    scale: float

    def expected_hsic(self, containment: Floats) -> Floats:
        """E F from containment probabilities of shape (..., n_graphs)."""
        means = containment @ self.weights.T
        variances = (containment * (1 - containment)) @ (self.weights**2).sum(axis=0)
        return np.asarray(self.scale * ((means**2).sum(axis=-1) + variances))


def phenotype_weights(
    cohort: LabelledGraphs, covariates: Floats, graphs: NDArray[np.intp] | None = None
) -> PhenotypeWeights:
    """Centre labels of any kind and regress out covariates, with an intercept.

    `graphs` is the order in which graphs are returned and summed, so that the result does not depend on the
    given order, to the bit. Default: as given.
    """
    labels = cohort.contrasts if graphs is None else cohort.contrasts[graphs]
    covariates = covariates if graphs is None else covariates[graphs]
    # Centre twice: the rounding error of a mean far from 0 would leave weights that do not sum to 0.
    centred = labels - labels.mean(axis=0)
    centred = centred - centred.mean(axis=0)
    size = float(np.abs(centred).max())
    if not _SMALLEST < size < _LARGEST:
        raise InputError(
            f"y must vary by more than {_SMALLEST:g} and less than {_LARGEST:g}, but it differs from its "
            f"mean by at most {size:g}. Measure it in other units.",
            parameter="y",
        )
    basis = covariate_basis(covariates, np.zeros(len(labels), dtype=np.int64))
    left = centred - basis @ (basis.T @ centred) if basis.shape[1] else centred
    if np.abs(left).max() <= RANK_TOLERANCE * size:
        raise InputError(
            (
                *(Spoken("y", "The labels"), " must not be a linear combination of covariates: there is no "),
                "residual to rank subgraphs by.",
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", Spoken("y", "the labels"), "."),
        )
    share = 0.5 if cohort.kind == GROUPS else 1.0
    return PhenotypeWeights(np.ascontiguousarray(left.T), share / (len(labels) - 1) ** 2)
