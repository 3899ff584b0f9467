"""Support distributions for users: checked input, compiled core."""

import math
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.exceptions import InputError
from dugraph.search.core import support_distribution as compiled


def support_distribution(probabilities: ArrayLike, tail: float = 0.0) -> NDArray[np.float64]:
    """Distribution of the number of graphs that contain a subgraph (Poisson-binomial).

    Parameters
    ----------
    probabilities : array_like of shape (..., n)
        Containment probabilities of a subgraph in n independent graphs, each in [0, 1]. Leading axes hold
        further subgraphs; short vectors are computed eight at a time.
    tail : float, default=0.0
        Mass that may be neglected, 0 <= tail < 1. A positive value, such as 1e-16, restricts the work to a
        window around the mean and is much faster for long vectors; the masses outside the window are exactly
        0 in the result, and sum to at most `tail` in truth.

    Returns
    -------
    ndarray of shape (..., n + 1)
        Entry i is the probability that exactly i of the n graphs contain the subgraph.

    Raises
    ------
    InputError
        If a probability is missing or outside [0, 1], or `tail` is outside [0, 1).

    Notes
    -----
    O(n^2) for each vector at ``tail=0``, where every mass above 1e-250 has a relative error of at most 1e-12
    for n up to 5,000; about O(n^1.5) for a positive `tail`. The same bytes for one vector and for a batch.

    Examples
    --------
    >>> import dugraph
    >>> dugraph.support_distribution([0.5, 0.5, 1.0])
    array([0.  , 0.25, 0.5 , 0.25])
    """
    x = _checked_probabilities(probabilities)
    n = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), n)
    return compiled(rows, _checked_tail(tail)).reshape(*x.shape[:-1], n + 1)


def _checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    try:
        x = np.asarray(probabilities)
        if np.iscomplexobj(x):
            raise TypeError("complex numbers")
        x = x.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            "probabilities must be an array of real numbers; "
            f"received {type(probabilities).__name__} ({error}). "
            "Pass one row of n probabilities for each subgraph, all rows of equal length."
        ) from error
    if x.ndim == 0:
        raise InputError(
            f"probabilities must have at least one axis, (..., n); received the single number {float(x)!r}. "
            f"Pass [{float(x)!r}] for one graph."
        )
    # Written so that NaN fails too; the place is only looked for once something failed.
    if x.size and not (x.min() >= 0.0 and x.max() <= 1.0):
        _raise_for_first_outside(x)
    return x


def _raise_for_first_outside(x: NDArray[np.float64]) -> NoReturn:
    index = tuple(int(i) for i in np.argwhere(~((x >= 0.0) & (x <= 1.0)))[0])
    place = f"probabilities[{', '.join(map(str, index))}]"
    if np.isnan(x[index]):
        raise InputError(
            f"probabilities must not be missing; {place} is nan. "
            "Leave out the graphs without a value, or give them a probability."
        )
    raise InputError(
        f"probabilities must lie in [0, 1]; {place} is {float(x[index])!r}. Rescale or clip the values first."
    )


def _checked_tail(tail: float) -> float:
    try:
        value = float(tail)
    except (TypeError, ValueError):
        value = np.nan
    if not 0.0 <= value < 1.0:
        raise InputError(
            f"tail must be a number with 0 <= tail < 1; received {tail!r}. "
            "Use 0 for all masses, or a small mass to neglect, such as 1e-16."
        )
    return value
