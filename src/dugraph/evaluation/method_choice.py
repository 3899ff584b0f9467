"""Which methods to compare."""

from __future__ import annotations

from collections.abc import Sequence

from dugraph.estimators import METHODS
from dugraph.evaluation.features import (
    COMPARISONS,
    SERIES_COMPARISONS,
    is_known,
    known_words,
    needs_series,
    nilearn_is_there,
)
from dugraph.exceptions import InputError

GROUPS = {"paper": METHODS, "comparisons": COMPARISONS, "all": (*METHODS, *COMPARISONS)}
"""Names for many methods."""


def choose_methods(methods: str | Sequence[str], has_series: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """Resolve names and groups of methods.

    Parameters
    ----------
    methods : str or sequence of str
        Names of methods or of `GROUPS`; "all" includes those for time series where there are any.
    has_series : bool
        Whether there are time series.

    Returns
    -------
    names : tuple of str
        Each method once, in the given order.
    skipped : dict of str to str
        Methods left out, and why.

    Examples
    --------
    >>> choose_methods(["exp-hsic", "comparisons"], has_series=False)
    (('exp-hsic', 'all-edges', 'select-k-best'), {})
    """
    wanted = [methods] if isinstance(methods, str) else list(methods)
    names: list[str] = []
    for name in wanted:
        names.extend(GROUPS.get(name, (name,)))
        if name == "all" and has_series:
            names.extend(SERIES_COMPARISONS)
    unknown = [name for name in names if not is_known(name)]
    if unknown:
        known = f"{', '.join(GROUPS)}, {known_words(has_series)}"
        raise InputError(f"A method must be one of {known}; got {unknown[0]!r}.")
    of_series = [name for name in dict.fromkeys(names) if name in SERIES_COMPARISONS]
    if of_series and not has_series:
        raise InputError(needs_series(", ".join(of_series)))
    skipped = {}
    if not nilearn_is_there():
        why = "nilearn is missing: pip install 'dugraph[report]'"
        skipped = {name: why for name in names if name in SERIES_COMPARISONS}
    kept = tuple(name for name in dict.fromkeys(names) if name not in skipped)
    if not kept:
        raise InputError("At least one method must be left to evaluate. " + "; ".join(skipped.values()))
    return kept, skipped
