"""The oracle of the engine, by definition: every admitted subgraph, every permutation, in NumPy.

Parameters and what is returned are those of `dugraph.significance.maxima`.
"""

import numpy as np

from dugraph.significance.maxima import Listed, Maxima

# The admission limit's tolerance (rule 8).
FREQUENCY_TOLERANCE = 1e-12
# A squared denominator below this share of what x could have had at most is that of a constant x.
ZERO_SHARE = 1e-12


def null_maxima(family, weights, denominator, excluded=()):
    """The largest statistic of each permutation in each size class, over all admitted subgraphs."""
    left_out = set(excluded)
    maxima = np.zeros((len(weights), family.n_classes))
    n_admitted = np.zeros(family.n_classes, dtype=np.int64)
    for subgraphs, containment in admitted_levels(family):
        size_class = family.size_class(len(subgraphs[0]))
        n_admitted[size_class] += len(subgraphs)
        counted = np.array([subgraph not in left_out for subgraph in subgraphs])
        if counted.any():
            values = contrast_statistics(containment[counted], weights, denominator).max(axis=(0, 2))
            maxima[:, size_class] = np.maximum(maxima[:, size_class], values)
    return Maxima(maxima, n_admitted, int(n_admitted.sum()))


def list_subgraphs(family, weights, denominator, thresholds):
    """All admitted subgraphs whose statistic is at least the threshold of their size class."""
    found = []
    statistics, contrasts = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for subgraphs, containment in admitted_levels(family):
        values = contrast_statistics(containment, weights, denominator)[:, 0]
        largest = values.max(axis=1)
        keep = np.flatnonzero(largest >= thresholds[family.size_class(len(subgraphs[0]))])
        found += [subgraphs[k] for k in keep]
        statistics.append(largest[keep])
        contrasts.append(values[keep].argmax(axis=1))
    return Listed(found, np.concatenate(statistics), np.concatenate(contrasts))


def squared_denominators(containment, denominator):
    """Squared denominators of subgraphs, shape (n_subgraphs, n_contrasts or 1); 0 where x is constant.

    Parameters
    ----------
    containment : ndarray of shape (n_subgraphs, n_graphs)
    denominator : Denominator
    """
    if denominator.statistic == "difference":
        return np.ones((len(containment), 1))
    cells, scale = denominator.cells, denominator.cell_scale
    member = np.eye(scale.shape[1])[cells]
    sizes = member.sum(axis=0)
    means = containment @ member / np.maximum(sizes, 1)
    if denominator.statistic == "z":
        squares = (sizes * means * (1 - means)) @ scale.T
        largest = np.broadcast_to(scale @ sizes, squares.shape)
    else:
        residual = (containment - means[:, cells]) * scale[0, cells]
        residual -= (residual @ denominator.basis) @ denominator.basis.T
        squares = (residual**2).sum(axis=1, keepdims=True)
        largest = (containment**2).sum(axis=1, keepdims=True)
    return np.where(squares > ZERO_SHARE * largest, squares, 0.0)


def contrast_statistics(containment, weights, denominator):
    """Statistics per contrast, shape (n_subgraphs, n_permutations, n_contrasts); 0 where x is constant.

    Parameters
    ----------
    containment : ndarray of shape (n_subgraphs, n_graphs)
    weights : ndarray of shape (n_permutations, n_contrasts, n_graphs)
        As `scaled_weights` gives them.
    denominator : Denominator
    """
    products = np.einsum("gi,rci->grc", containment, weights, optimize=True)
    products = np.maximum(products, 0.0) if denominator.one_sided else np.abs(products)
    by = np.sqrt(squared_denominators(containment, denominator))[:, None, :]
    return np.asarray(np.divide(products, by, out=np.zeros_like(products), where=by > 0))


def admitted_levels(family):
    """All admitted subgraphs, size by size, with their containment probabilities.

    Every connected set of edges can lose an edge and stay connected, and no expected frequency grows with the
    set: so the admitted subgraphs of a size are among those of the size before with one adjacent edge more.

    Yields
    ------
    subgraphs : list of tuple of int
        Sorted edge indices; all of one size, sorted.
    containment : ndarray of shape (n_subgraphs, n_graphs)
        Products in ascending order of the edges.
    """
    touching = {}
    for edge, pair in enumerate(family.edges.tolist()):
        for node in pair:
            touching.setdefault(node, set()).add(edge)
    candidates = [(edge,) for edge in range(len(family.edges))]
    size = 1
    single = set()
    while candidates and (family.max_edges is None or size <= family.max_edges):
        index = np.array(candidates)
        containment = family.edge_probability[index[:, 0]].copy()
        for k in range(1, size):
            containment *= family.edge_probability[index[:, k]]
        keep = containment.mean(axis=1) > family.min_expected_frequency + FREQUENCY_TOLERANCE
        level = [subgraph for subgraph, admitted in zip(candidates, keep, strict=True) if admitted]
        if not level:
            return
        yield level, containment[keep]
        single = single or {edge for (edge,) in level}
        larger = set()
        for subgraph in level:
            nodes = {node for edge in subgraph for node in family.edges[edge].tolist()}
            near = set().union(*(touching[node] for node in nodes)) & single
            larger.update(tuple(sorted((*subgraph, edge))) for edge in near.difference(subgraph))
        candidates = sorted(larger)
        size += 1
