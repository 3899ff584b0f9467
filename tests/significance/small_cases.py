"""Random small cohorts with designs of every kind: ties, zeros, constant edges, tiny and lopsided blocks."""

import numpy as np
from definition import Case

from dugraph.data import check_cohort
from dugraph.significance.design import make_setup

Random = np.random.Generator


def random_case(random, kind, n_graphs, *, n_blocks=1, n_covariates=0, whole=False):
    n_nodes = int(random.integers(3, 6))
    pairs = np.column_stack(np.tril_indices(n_nodes, -1))
    edges = pairs[np.sort(random.permutation(len(pairs))[: int(random.integers(2, 8))])]
    shape = n_graphs, len(edges)
    X = (
        random.random(shape),
        random.integers(0, 2, shape) * 1.0,
        random.integers(1, 5, shape) / 4,
        np.where(random.random(shape) < 0.4, 0.0, random.random(shape)),
        np.where(np.arange(len(edges)) % 2, 0.75, random.random(shape)),
    )[random.integers(5)]
    blocks = np.sort(random.integers(0, n_blocks, n_graphs))
    if whole:
        blocks = np.repeat(np.arange(n_graphs), random.integers(1, 3, n_graphs))[:n_graphs]
    by_block = np.arange(blocks.max() + 1)
    unit = blocks if whole else np.arange(n_graphs)
    count = len(by_block) if whole else n_graphs
    label = {
        "classes": random.integers(0, 2, count),
        "phenotype": random.integers(0, 5, count) / 2 + random.integers(0, 2) * random.random(count),
        "groups": np.array(["a", "b", "c"])[random.integers(0, 3, count)],
    }[kind]
    return Case(
        X,
        edges,
        label[unit],
        blocks,
        random.normal(size=(n_graphs, n_covariates)),
        "whole" if whole else "within",
    )


def design_settings(case):
    """The design of a case as keywords."""
    return {
        "edges": case.edges,
        "blocks": case.blocks,
        "covariates": case.covariates if case.covariates.shape[1] else None,
        "permute": case.permute,
    }


def setup_of(case, *, min_expected_frequency=0.0, max_edges=2, n_classes=1):
    """The design and the family of a case, as the test makes them."""
    design = design_settings(case)
    return make_setup(
        check_cohort(case.X, design.pop("edges")),
        case.y,
        **design,
        min_expected_frequency=min_expected_frequency,
        max_edges=max_edges,
        n_classes=n_classes,
    )
