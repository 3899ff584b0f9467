"""Permutations: counted, enumerated, uniform, and each a function of (random_state, number) alone."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from dugraph.data import LabelledGraphs, check_cohort
from dugraph.significance.design import make_design, make_units, phenotype_of
from dugraph.significance.permutations import Permutations, all_permutations, count_distinct


def phenotype(codes):
    graphs = check_cohort(np.full((len(codes), 1), 0.5), [[0, 1]])
    return phenotype_of(LabelledGraphs.of_any(graphs, np.array(codes) * 1.0, numbers="phenotype"))


def design_of(codes, blocks, covariates=None):
    y = phenotype(codes)
    units = make_units(y, np.array(blocks), [str(b) for b in range(max(blocks) + 1)], "within")
    return make_design(y, units, np.empty((len(codes), 0)) if covariates is None else covariates)


labels_in_blocks = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=7).filter(
    lambda pairs: any(a[0] != b[0] and a[1] == b[1] for a in pairs for b in pairs)
)


@given(labels_in_blocks)
@settings(max_examples=100)
def test_all_permutations_are_distinct_stay_within_blocks_and_are_as_many_as_counted(pairs):
    # Blocks are numbered without gaps.
    _, blocks = np.unique([b for _, b in pairs], return_inverse=True)
    units = design_of([a for a, _ in pairs], blocks.tolist()).units
    table = all_permutations(units)
    assert len({tuple(row) for row in table.tolist()}) == len(table) == count_distinct(units)
    assert (table[0] == units.codes).all()
    for cell in range(units.n_cells):
        inside = units.cells == cell
        assert (np.sort(table[:, inside], axis=1) == np.sort(units.codes[inside])).all()


def test_the_count_is_the_product_of_binomials():
    assert (
        count_distinct(design_of([0, 1] * 20 + [0, 0, 1], [0] * 40 + [1] * 3).units) == math.comb(40, 20) * 3
    )


def test_blocks_with_equal_labels_are_not_permuted():
    design = design_of([0, 0, 0, 1, 0, 1], [0, 0, 1, 1, 1, 1])
    assert design.units.of_graph.tolist() == [-1, -1, 0, 1, 2, 3]
    assert (design.units.n_blocks, design.units.n_informative_blocks) == (2, 1)
    weights = design.residual_weights(design.units.codes[None])[0, 0]
    assert weights.tolist() == [0, 0, -0.5, 0.5, -0.5, 0.5]


def test_whole_blocks_are_permuted_among_blocks_of_the_same_size():
    y = phenotype([0, 0, 1, 1, 0, 1, 1, 1, 1])
    blocks = np.array([0, 0, 1, 1, 2, 3, 4, 4, 4])
    units = make_units(y, blocks, list("abcde"), "whole")
    # The block of three has no other to exchange with.
    assert units.of_graph.tolist() == [0, 0, 1, 1, 2, 3, -1, -1, -1]
    assert units.cells.tolist() == [1, 1, 0, 0]
    assert (units.n_blocks, units.n_informative_blocks) == (5, 4)
    assert count_distinct(units) == 4


@pytest.mark.parametrize("covariates", [False, True])
def test_any_range_can_be_drawn_by_itself(covariates):
    random = np.random.default_rng(0)
    codes, blocks = random.integers(0, 3, 40).tolist(), np.sort(random.integers(0, 2, 40)).tolist()
    z = random.normal(size=(40, 1)) if covariates else None
    drawn = Permutations(design_of(codes, blocks, z), 300, 5)
    whole = drawn.codes(0, 301)
    assert (whole[0] == codes).all()
    for begin, end in ((0, 1), (0, 7), (7, 300), (129, 130), (300, 301)):
        again = Permutations(design_of(codes, blocks, z), 300, 5).codes(begin, end)
        assert again.tobytes() == whole[begin:end].tobytes()
    other = Permutations(design_of(codes, blocks, z), 300, 6).codes(0, 301)
    assert (other[1:] != whole[1:]).any(axis=1).mean() > 0.99


def test_random_permutations_are_uniform():
    design = design_of([0, 1, 2, 0, 1], [0, 0, 0, 1, 1])
    n = 12_000
    drawn = Permutations(design, 5, 3)
    assert drawn.n_distinct == 12
    assert not drawn.exact
    rows, counts = np.unique(drawn.codes(1, n + 1), axis=0, return_counts=True)
    assert len(rows) == 12
    assert ((counts - n / 12) ** 2 / (n / 12)).sum() < chi2.isf(1e-6, 11)


def test_all_permutations_are_used_if_they_are_few():
    design = design_of([0, 1, 2, 0, 1], [0, 0, 0, 1, 1])
    assert Permutations(design, 11, 0).exact
    assert not Permutations(design, 10, 0).exact
