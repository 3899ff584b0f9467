"""The greedy choice down a ranking by its definition: plain loops, correlations by NumPy or by fractions."""

from fractions import Fraction

import numpy as np

# A correlation so near to the limit is computed once more without rounding.
_NEAR = 1e-8
_TOLERANCE = Fraction(1, 10**12)


def greedy_choice(edge_probability, ranked, limit, wanted):
    """The subgraphs of a ranking that do not correlate above a limit with one selected before."""
    kept = []
    for g in ranked:
        if len(kept) < wanted and not any(exceeds(edge_probability, g, h, limit) for h in kept):
            kept.append(g)
    return kept


def exceeds(edge_probability, g, h, limit):
    """Whether two subgraphs correlate above the limit, by more than the tolerance."""
    x, z = (edge_probability[:, list(one)].prod(axis=1) for one in (g, h))
    constant = [np.ptp(v) <= 1e-12 * v.max() for v in (x, z)]
    if any(constant):
        return all(constant) and Fraction(limit) + _TOLERANCE < 1
    r = abs(float(np.corrcoef(x, z)[0, 1]))
    if abs(r - limit) > _NEAR:
        return r > limit
    return _squared_correlation(edge_probability, g, h) > (Fraction(limit) + _TOLERANCE) ** 2


def _squared_correlation(edge_probability, g, h):
    x, z = (
        [_product(row[e] for e in one) for row in edge_probability.tolist()] for one in (list(g), list(h))
    )
    n = len(x)
    mean_x, mean_z = sum(x) / n, sum(z) / n
    products = sum((a - mean_x) * (b - mean_z) for a, b in zip(x, z, strict=True))
    return products**2 / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_z) ** 2 for b in z))


def _product(factors):
    product = Fraction(1)
    for factor in factors:
        product *= Fraction(factor)
    return product
