"""The design of a test: which subgraphs are tested, which labels are permuted, and what is adjusted for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, check_word, counted
from dugraph.data.columns import (
    RANK_TOLERANCE,
    column_names,
    covariate_basis,
    covariate_matrix,
    named_columns,
)
from dugraph.data.labels import CLASSES, PHENOTYPE
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.search.core import Prepared
from dugraph.search.problem import canonical_edges
from dugraph.words import PERMUTE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Subgraph = tuple[int, ...]

LABELS = Spoken("y", "the labels")
"""y in messages; on the command line, the labels."""
LEAST_DEGREES_OF_FREEDOM = 10
"""Residual degrees of freedom that covariates must leave."""
REST = " against the rest"
"""End of the name of a contrast of a group."""
_DIGITS = 9  # after the decimal point


@dataclass(frozen=True)
class Phenotype:
    """The label of each graph as a code, which is a row of `values`, of shape (n_labels, n_contrasts).

    Two classes and a continuous phenotype are one contrast. Several groups are one contrast per group, that
    group against the rest: any difference among the groups' means appears in at least one of these. Values
    are 0 or 1 for classes and groups, the phenotype itself otherwise.
    """

    kind: str
    codes: Ints
    values: Floats
    contrasts: tuple[str, ...]


def phenotype_of(cohort: LabelledGraphs) -> Phenotype:
    """Return the labels as codes and contrasts."""
    distinct, codes = np.unique(cohort.y, return_inverse=True)
    if cohort.kind == CLASSES:
        positive, negative = map(abbreviate, cohort.names)
        values = np.asarray(distinct == cohort.positive_class, dtype=np.float64)[:, None]
        return Phenotype(CLASSES, codes, values, (f"{positive} against {negative}",))
    if cohort.kind == PHENOTYPE:
        return Phenotype(PHENOTYPE, codes, distinct[:, None], ("per unit of y",))
    contrasts = tuple(f"{abbreviate(group)}{REST}" for group in distinct)
    return Phenotype(cohort.kind, codes, np.eye(len(distinct)), contrasts)


def block_codes(blocks: Any, cohort: UncertainGraphs) -> tuple[NDArray[np.int64], list[str]]:
    """The block of each graph, numbered in the sorted order of their names, and these names.

    Several columns are crossed: a block is then a combination of values that occurs. None is one block.
    """
    if blocks is None:
        return np.zeros(cohort.n_graphs, dtype=np.int64), ["all"]
    columns = named_columns(blocks, "blocks", cohort)
    for name, column in columns.items():
        if column.dtype.kind not in "biufU":
            raise InputError(
                f"Blocks must be text, numbers or booleans, but {abbreviate(name)} has the dtype "
                f"{column.dtype}. Convert it to text.",
                parameter="blocks",
            )
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns.values()])
    _, first, block = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    names = [" ".join(str(column[i]) for column in columns.values()) for i in first]
    return block.reshape(-1), names


@dataclass(frozen=True)
class Units:
    """The units whose labels, `codes`, a permutation can change within `cells`, numbered from 0.

    `of_graph` is the unit of each graph, or -1, which means weight 0, where no permutation changes anything.
    Informative blocks are those in which a permutation changes something.
    """

    of_graph: Ints
    cells: Ints
    codes: Ints
    n_blocks: int
    n_informative_blocks: int

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.cells)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.cells.max()) + 1


def make_units(phenotype: Phenotype, blocks: Ints, names: list[str], permute: str) -> Units:
    """Units and cells: graphs within their block, or whole blocks among blocks of the same size.

    With "within", a unit is a graph and a cell is a block. With "whole", a unit is a block, and a cell
    consists of the blocks of one size. `names` are those of the blocks.
    """
    if check_word("permute", permute, PERMUTE) == "within":
        units, cells, codes = np.arange(len(blocks)), blocks, phenotype.codes
    else:
        units = blocks
        _, cells = np.unique(np.bincount(blocks), return_inverse=True)
        codes = _one_label_per_block(phenotype.codes, blocks, names)
    varies = np.array([np.ptp(codes[cells == cell]) > 0 for cell in range(cells.max() + 1)])
    if not varies.any():
        raise _nothing_to_permute(permute, len(names))
    movable = varies[cells]
    n_informative = int(movable.sum() if permute == "whole" else varies.sum())
    number = np.where(movable, np.cumsum(movable) - 1, -1)
    renumbered = np.cumsum(varies) - 1
    return Units(number[units], renumbered[cells[movable]], codes[movable], len(names), n_informative)


def _one_label_per_block(codes: Ints, blocks: Ints, names: list[str]) -> Ints:
    first = np.unique(blocks, return_index=True)[1]
    mixed = blocks[codes != codes[first][blocks]]
    if len(mixed):
        raise InputError(
            (
                *(Setting("permute", "whole"), " permutes the labels of whole blocks, so ", LABELS),
                " must be constant within each block, but block "
                f"{abbreviate(names[mixed.min()])} has several values.",
            ),
            parameter="permute",
            way_out=("Use ", Setting("permute", "within"), " to compare graphs within blocks."),
        )
    return codes[first]


def _nothing_to_permute(permute: str, n_blocks: int) -> InputError:
    if permute == "whole":
        return InputError(
            (
                *(
                    Setting("permute", "whole"),
                    " permutes labels among blocks with the same number of graphs, ",
                ),
                *(f"but no two of {counted(n_blocks, 'block')} with the same number differ in ", LABELS, "."),
            ),
            parameter="permute",
            way_out="Keep the same number of graphs in each block, or average them.",
        )
    return InputError(
        (
            *("Labels are permuted within blocks, so ", LABELS, " must vary within a block, but "),
            *(Spoken("it is", "they are"), f" constant in each of {counted(n_blocks, 'block')}."),
        ),
        parameter="blocks",
        way_out=(
            "Use coarser blocks; if blocks are subjects with several graphs, ",
            *(Setting("permute", "whole"), "."),
        ),
    )


@dataclass(frozen=True)
class Design:
    """Units with their labels, and an orthonormal basis of the covariates within cells.

    `values`, of shape (n_labels, n_contrasts), are those of each label. `basis`, of shape (n_graphs, rank),
    has the covariates centred within cells; rows of graphs that no permutation changes are 0.
    """

    units: Units
    values: Floats
    basis: Floats

    @property
    def informative(self) -> NDArray[np.bool_]:
        """Which graphs have a label that a permutation can change."""
        return self.units.of_graph >= 0

    @property
    def adjusted(self) -> bool:
        """Whether there are covariates to adjust for."""
        return bool(self.basis.shape[1])

    @property
    def graph_cells(self) -> NDArray[np.int64]:
        """The cell of each graph; graphs that no permutation changes share a cell after the last."""
        return np.where(self.informative, self.units.cells[self.units.of_graph], self.units.n_cells)

    def centred_labels(self, codes: NDArray[np.int64]) -> Floats:
        """Labels minus the mean of their cell, shape (n_permutations, n_contrasts, n_graphs).

        Permutations stay within cells, so the means are those of the observed labels, to the bit.
        """
        cells, observed = self.graph_cells, self.values[self.units.codes[self.units.of_graph]]
        sizes = np.bincount(cells, minlength=self.units.n_cells + 1)
        sums = np.array([np.bincount(cells, column, len(sizes)) for column in observed.T])
        means = sums / np.maximum(sizes, 1)
        centred = self.values.T[:, codes[:, self.units.of_graph]] - means[:, None, cells]
        return np.ascontiguousarray((centred * self.informative).transpose(1, 0, 2))

    def residual_weights(self, codes: NDArray[np.int64]) -> Floats:
        """w = R y, the labels of each permutation adjusted for cells and covariates.

        `codes` has the label of each unit, shape (n_permutations, n_units); the result has the shape
        (n_permutations, n_contrasts, n_graphs).
        """
        centred = self.centred_labels(codes)
        # Without covariates there is no projection, so that equal labels have equal weights to the bit.
        return centred - (centred @ self.basis) @ self.basis.T if self.adjusted else centred


def make_design(phenotype: Phenotype, units: Units, covariates: Floats) -> Design:
    """Make a design; raise InputError if it leaves nothing to test."""
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
                *(Spoken("y", "The labels"), " must not be a linear combination of blocks and covariates: "),
                "there is no residual to test.",
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", LABELS, "."),
        )
    return design


@dataclass(frozen=True)
class Family:
    """Which subgraphs are tested: connected, with an expected frequency above a limit, not too large.

    Edges, and graphs in the columns of `edge_probability`, are in canonical order. There are `n_classes` size
    classes: subgraphs of 1, 2, ... edges, the last one also of more.
    """

    edges: NDArray[np.int32]
    edge_probability: Floats
    min_expected_frequency: float
    max_edges: int | None
    n_classes: int

    def size_class(self, n_edges: int) -> int:
        """The size class, from 0, of subgraphs with this many edges."""
        return min(n_edges, self.n_classes) - 1

    @cached_property
    def prepared(self) -> Prepared:
        """The edges prepared for the core, for all permutations."""
        return Prepared(
            edges=self.edges,
            edge_probability=self.edge_probability.T,
            n_nodes=int(self.edges.max(initial=-1)) + 1,
            min_expected_frequency=self.min_expected_frequency,
        )


def canonical_order(probability: Floats, *columns: NDArray[np.generic]) -> NDArray[np.intp]:
    """An order of the graphs that does not depend on the order of the input.

    Graphs are sorted by the bytes of their rows, then of the columns. Labels must be the last column, because
    permutations are drawn by position, and graphs that differ only in labels are the same to every statistic.
    Rows are rounded first, since their last digits differ between machines.
    """
    rounded = np.round(probability, _DIGITS)
    keys = [
        b"".join([rounded[i].tobytes(), row.tobytes(), *(column[i].tobytes() for column in columns)])
        for i, row in enumerate(probability)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


@dataclass(frozen=True)
class Setup:
    """A test before any permutation: the input, and family, phenotype and design in canonical order.

    `graphs` and `edges` are the indices in the cohort of the family's graphs and edges. `parameters` record
    the kind of labels and the names of the columns of blocks and covariates.
    """

    cohort: UncertainGraphs
    family: Family
    graphs: NDArray[np.intp]
    edges: NDArray[np.intp]
    phenotype: Phenotype
    design: Design
    parameters: dict[str, Any]


def make_setup(
    X: UncertainGraphs | LabelledGraphs,
    y: object,
    blocks: Any,
    covariates: Any,
    permute: str,
    *,
    min_expected_frequency: float,
    max_edges: int | None,
    n_classes: int,
) -> Setup:
    """Check labels, blocks and covariates, and put everything into canonical order."""
    labelled = LabelledGraphs.of_any(X, y, numbers="phenotype")
    cohort, phenotype = labelled.graphs, phenotype_of(labelled)
    block, names = block_codes(blocks, cohort)
    adjust_for = covariate_matrix(covariates, cohort)
    edges = canonical_edges(cohort)
    rows = cohort.edge_probability[:, edges]
    graphs = canonical_order(rows, block, adjust_for, phenotype.codes)
    family = Family(
        edges=cohort.edges[edges],
        edge_probability=np.ascontiguousarray(rows[graphs].T),
        min_expected_frequency=min_expected_frequency,
        max_edges=max_edges,
        n_classes=n_classes,
    )
    ordered = Phenotype(phenotype.kind, phenotype.codes[graphs], phenotype.values, phenotype.contrasts)
    units = make_units(ordered, block[graphs], names, permute)
    design = make_design(ordered, units, adjust_for[graphs])
    parameters = {
        "labels": phenotype.kind,
        "blocks": column_names(blocks, "blocks", cohort),
        "covariates": column_names(covariates, "covariates", cohort),
    }
    return Setup(cohort, family, graphs, edges, ordered, design, parameters)
