"""The test by its definition, with nothing of the package: the oracle of the tests of significance."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A cohort with a design; labels are text for groups, numbers otherwise."""

    X: Floats
    edges: NDArray[np.int64]
    y: NDArray[Any]
    blocks: NDArray[np.int64]
    covariates: Floats
    permute: str = "within"


def family(case, limit, max_edges):
    """All admitted connected sets of edges, by trying every set."""
    most = len(case.edges) if max_edges is None else min(max_edges, len(case.edges))
    found = []
    for size in range(1, most + 1):
        for chosen in itertools.combinations(range(len(case.edges)), size):
            if _connected(case.edges[list(chosen)]) and presence(case, chosen).mean() > limit + 1e-12:
                found.append(chosen)
    return found


def _connected(pairs):
    reached, grown = set(pairs[0].tolist()), True
    while grown:
        grown = False
        for u, v in pairs.tolist():
            if (u in reached) != (v in reached):
                reached |= {u, v}
                grown = True
    return all(u in reached for u in pairs[:, 0].tolist())


def presence(case, subgraph):
    product = np.ones(len(case.X))
    for edge in subgraph:
        product = product * case.X[:, edge]
    return product


def contrasts(y):
    """The numbers that stand for labels: one column, or one per group."""
    distinct = sorted(set(y.tolist()))
    if len(distinct) == 2:
        return [(y == distinct[1]).astype(float)]
    if y.dtype.kind == "U":
        return [(y == group).astype(float) for group in distinct]
    return [y.astype(float)]


def cells(case):
    """The graphs among which labels move: those of a block, or of all blocks of one size."""
    sizes = np.array([(case.blocks == b).sum() for b in case.blocks])
    return sizes if case.permute == "whole" else case.blocks


def statistics_table(case, subgraphs, permutations, kind, alternative="two-sided", only=None):
    """Statistics of every subgraph under every permutation, shape (n_subgraphs, n_permutations).

    The largest of all contrasts, or that of `only` one of them.
    """
    cell = cells(case)
    moving = np.array([len(set(case.y[cell == c].tolist())) > 1 for c in cell])
    cell, block = cell[moving], case.blocks[moving]
    known = np.column_stack(
        [(cell == c).astype(float) for c in sorted(set(cell.tolist()))] + [case.covariates[moving]]
    )

    def residual(column):
        return column - known @ np.linalg.lstsq(known, column, rcond=None)[0]

    present = [presence(case, g)[moving] for g in subgraphs]
    unexplained = [np.sqrt((residual(x) ** 2).sum()) for x in present]
    table = np.zeros((len(subgraphs), len(permutations)))
    for r, labels in enumerate(permutations):
        for column in (one[moving] for c, one in enumerate(contrasts(labels)) if only in (None, c)):
            w = residual(column)
            for k, x in enumerate(present):
                over = {
                    "z": lambda x=x, y=column: _z_denominator(x, y, cell, block, case.permute == "whole"),
                    "difference": lambda w=w: (w**2).sum(),
                    "t": lambda w=w, k=k: np.sqrt((w**2).sum()) * unexplained[k],
                }[kind]()
                if over > 1e-9:
                    product = (w * x).sum()
                    counted = {"two-sided": abs(product), "greater": product, "less": -product}
                    table[k, r] = max(table[k, r], counted[alternative] / over)
    return table


def _z_denominator(x, y, cell, block, whole):
    total = 0.0
    for c in set(cell.tolist()):
        inside = cell == c
        units = len(set(block[inside].tolist())) if whole else inside.sum()
        m = x[inside].mean()
        deviations = ((y[inside] - y[inside].mean()) ** 2).sum()
        total += deviations / (units - 1) * inside.sum() * m * (1 - m)
    return float(np.sqrt(total))


def distinct_permutations(case):
    """All distinct assignments, by going through every permutation; the observed one first."""
    if case.permute == "whole":
        names = sorted(set(case.blocks.tolist()))
        sizes = [int((case.blocks == b).sum()) for b in names]
        label = [case.y[case.blocks == b][0] for b in names]
        found = set()
        for order in itertools.permutations(range(len(names))):
            if all(sizes[k] == sizes[order[k]] for k in range(len(names))):
                moved = {names[k]: label[order[k]] for k in range(len(names))}
                found.add(tuple(moved[b] for b in case.blocks.tolist()))
    else:
        found = {()}
        places = []
        for b in sorted(set(case.blocks.tolist())):
            inside = np.flatnonzero(case.blocks == b).tolist()
            orders = set(itertools.permutations(case.y[inside].tolist()))
            found = {done + more for done in found for more in orders}
            places += inside
        found = {tuple(np.array(one)[np.argsort(places)].tolist()) for one in found}
    observed = tuple(case.y.tolist())
    found.discard(observed)
    return [case.y, *(np.array(one, dtype=case.y.dtype) for one in sorted(found))]


def size_maxima(subgraphs, table, n_classes):
    """The largest statistic of each permutation among subgraphs of each size class; 0 if there are none."""
    sizes = np.array([min(len(g), n_classes) for g in subgraphs])
    return np.array(
        [
            table[sizes == k].max(axis=0) if (sizes == k).any() else np.zeros(table.shape[1])
            for k in range(1, n_classes + 1)
        ]
    ).T


def p_values(subgraphs, table, n_classes, step_down_at=None):
    """Adjusted p-values from counting, ties with a tolerance far above rounding.

    In step-down, subgraphs rejected at this alpha leave the maxima until no new one is rejected; a p-value is
    never smaller than one before it.
    """
    size = np.minimum([len(g) for g in subgraphs], n_classes) - 1
    left, rejected = np.ones(len(subgraphs), dtype=bool), {}
    while True:
        maxima = size_maxima(
            [g for g, one in zip(subgraphs, left, strict=True) if one], table[left], n_classes
        )
        least = table[:, 0] * (1 - 1e-9)
        p = np.minimum(1.0, n_classes * (maxima[:, size] >= least).mean(axis=0))
        new = np.flatnonzero(left & (p <= (step_down_at or 0) * (1 + 1e-9)))
        rejected |= {k: max(p[k], *rejected.values(), 0.0) for k in new.tolist()}
        left[new] = False
        if not len(new):
            return np.array([rejected.get(k, one) for k, one in enumerate(p.tolist())])
