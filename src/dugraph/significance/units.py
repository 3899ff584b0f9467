"""What moves when labels are permuted: units, and the cells within which they exchange their labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import check_word
from dugraph.data.phenotype import Phenotype
from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.significance.wording import LABELS
from dugraph.words import PERMUTE

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """The units whose labels can move to a place where they differ; all others weigh nothing.

    Attributes
    ----------
    of_graph : ndarray of int, shape (n_graphs,)
        The unit of each graph; -1 where no relabeling changes anything.
    cells : ndarray of int, shape (n_units,)
        Units exchange labels within their cell, numbered from 0.
    codes : ndarray of int, shape (n_units,)
        The label of each unit as observed.
    n_blocks, n_informative_blocks : int
        Blocks in all, and those in which a relabeling changes something.
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
    """Let single graphs move within their block, or whole blocks among blocks of the same size.

    Parameters
    ----------
    phenotype : Phenotype
    blocks : ndarray of int, shape (n_graphs,)
        The block of each graph, numbered from 0.
    names : list of str
        The blocks' names, for messages.
    permute : str
        "within": a unit is a graph, a cell is a block. "whole": a unit is a block, and a cell holds the
        blocks with as many graphs, since only these can take each other's place.
    """
    if check_word("permute", permute, PERMUTE) == "within":
        units, cells, codes = np.arange(len(blocks)), blocks, phenotype.codes
    else:
        units = blocks
        _, cells = np.unique(np.bincount(blocks), return_inverse=True)
        codes = _one_label_per_block(phenotype.codes, blocks, names)
    varies = np.array([np.ptp(codes[cells == cell]) > 0 for cell in range(cells.max() + 1)])
    if not varies.any():
        raise _nothing_moves(permute, len(names))
    kept = varies[cells]
    n_informative = int(kept.sum() if permute == "whole" else varies.sum())
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    renumbered = np.cumsum(varies) - 1
    return Units(number[units], renumbered[cells[kept]], codes[kept], len(names), n_informative)


def _one_label_per_block(codes: Ints, blocks: Ints, names: list[str]) -> Ints:
    first = np.unique(blocks, return_index=True)[1]
    mixed = blocks[codes != codes[first][blocks]]
    if len(mixed):
        raise InputError(
            (
                *(
                    Setting("permute", "whole"),
                    " moves a block's label as one, so ",
                    LABELS,
                    " must be the same ",
                ),
                f"throughout a block: block {shown(names[mixed.min()])} holds different values.",
            ),
            parameter="permute",
            way_out=("Use ", Setting("permute", "within"), " to compare graphs within blocks."),
        )
    return codes[first]


def _nothing_moves(permute: str, n_blocks: int) -> InputError:
    if permute == "whole":
        return InputError(
            (
                *(
                    Setting("permute", "whole"),
                    " exchanges labels among blocks with the same number of graphs: of ",
                ),
                *(f"{counted(n_blocks, 'block')} no two of the same size differ in ", LABELS, "."),
            ),
            parameter="permute",
            way_out="Keep the same number of graphs in each block, or average them.",
        )
    return InputError(
        (
            *("Relabelings stay within blocks, so ", LABELS, " must differ within one: in each of "),
            *(f"{counted(n_blocks, 'block')} ", Spoken("it is", "they are"), " the same throughout."),
        ),
        parameter="blocks",
        way_out=(
            "Use coarser blocks; if blocks are subjects with several graphs, ",
            *(Setting("permute", "whole"), "."),
        ),
    )
