"""The distribution of a support by the paper's recursion: the reference of the compiled core."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def support_distribution(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Distribution of the number of graphs that contain a subgraph (Poisson-binomial).

    Parameters
    ----------
    probabilities : array_like of shape (..., n)
        Containment probabilities of a subgraph in n independent graphs, each in [0, 1].

    Returns
    -------
    ndarray of shape (..., n + 1)
        Entry i is Pr[i, D~(n)], the probability that exactly i of the n graphs contain the subgraph.

    Notes
    -----
    O(n^2). Probabilities are only multiplied and added, so tiny ones keep their relative accuracy.

    Examples
    --------
    >>> support_distribution([0.5, 0.5])
    array([0.25, 0.5 , 0.25])
    """
    x = np.asarray(probabilities, dtype=np.float64)
    n = x.shape[-1]
    pmf = np.zeros((*x.shape[:-1], n + 1))
    pmf[..., 0] = 1.0
    for k in range(n):
        present = x[..., k, np.newaxis]
        absent = 1.0 - present
        # Graph k either contains the subgraph, and the support was one less before, or it does not.
        pmf[..., 1 : k + 2] = absent * pmf[..., 1 : k + 2] + present * pmf[..., : k + 1]
        pmf[..., :1] *= absent
    return pmf
