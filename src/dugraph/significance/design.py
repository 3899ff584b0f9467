"""A design: which labels move, what they are adjusted for, and the weights that a relabeling gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data.covariates import RANK_TOLERANCE, covariate_basis
from dugraph.data.phenotype import Phenotype
from dugraph.exceptions import InputError, Spoken
from dugraph.significance.units import Units
from dugraph.significance.wording import LABELS

Floats = NDArray[np.float64]
LEAST_DEGREES_OF_FREEDOM = 10
"""Residual degrees of freedom that covariates must leave."""


@dataclass(frozen=True)
class Design:
    """Units with their labels, and an orthonormal basis of the covariates within cells.

    Attributes
    ----------
    units : Units
    values : ndarray of shape (n_labels, n_contrasts)
        What each label is worth.
    basis : ndarray of shape (n_graphs, rank)
        The covariates, centred within cells, made orthonormal; rows of graphs that do not move are 0.
    """

    units: Units
    values: Floats
    basis: Floats

    @property
    def informative(self) -> NDArray[np.bool_]:
        """Which graphs have a label that can move."""
        return self.units.of_graph >= 0

    @property
    def adjusted(self) -> bool:
        """Whether there are covariates to adjust for."""
        return bool(self.basis.shape[1])

    @property
    def graph_cells(self) -> NDArray[np.int64]:
        """The cell of each graph; those that do not move share a cell after the last."""
        return np.where(self.informative, self.units.cells[self.units.of_graph], self.units.n_cells)

    def centred_labels(self, codes: NDArray[np.int64]) -> Floats:
        """Labels minus the mean of their cell, shape (n_relabelings, n_contrasts, n_graphs).

        Relabelings stay within cells, so the means are those of the observed labels, to the bit.
        """
        cells, observed = self.graph_cells, self.values[self.units.codes[self.units.of_graph]]
        sizes = np.bincount(cells, minlength=self.units.n_cells + 1)
        sums = np.array([np.bincount(cells, column, len(sizes)) for column in observed.T])
        means = sums / np.maximum(sizes, 1)
        centred = self.values.T[:, codes[:, self.units.of_graph]] - means[:, None, cells]
        return np.ascontiguousarray((centred * self.informative).transpose(1, 0, 2))

    def residual_weights(self, codes: NDArray[np.int64]) -> Floats:
        """w = R y of each relabeling: its labels adjusted for cells and covariates.

        Parameters
        ----------
        codes : ndarray of int, shape (n_relabelings, n_units)
            The label of each unit.

        Returns
        -------
        ndarray of shape (n_relabelings, n_contrasts, n_graphs)
        """
        centred = self.centred_labels(codes)
        # Without covariates nothing is projected, so that equal labels keep equal weights, to the bit.
        return centred - (centred @ self.basis) @ self.basis.T if self.adjusted else centred


def make_design(phenotype: Phenotype, units: Units, covariates: Floats) -> Design:
    """Put a design together and refuse one that leaves nothing to test."""
    unadjusted = Design(units, phenotype.values, np.empty((len(units.of_graph), 0)))
    inside = unadjusted.informative
    within = covariate_basis(covariates[inside], unadjusted.graph_cells[inside])
    basis = np.zeros((len(inside), within.shape[1]))
    basis[inside] = within
    design = Design(units, phenotype.values, basis)
    if not design.adjusted:
        return design
    freedom = units.n_units - units.n_cells - basis.shape[1]
    if freedom < LEAST_DEGREES_OF_FREEDOM:
        raise InputError(
            f"Covariates must leave at least {LEAST_DEGREES_OF_FREEDOM} residual degrees of freedom: "
            f"{units.n_units} units in {units.n_cells} cells with {basis.shape[1]} independent covariate "
            f"columns leave {freedom}.",
            parameter="covariates",
            way_out="Use fewer covariates, or coarser blocks.",
        )
    observed = units.codes[None]
    left = np.abs(design.residual_weights(observed)).max()
    if left <= RANK_TOLERANCE * np.abs(unadjusted.residual_weights(observed)).max():
        raise InputError(
            (
                *(Spoken("y", "The labels"), " must not be a sum of blocks and covariates: nothing of "),
                *(Spoken("it is", "them is"), " left to test."),
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", LABELS, "."),
        )
    return design
