"""Which methods to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dugraph.data.arguments import as_list, told
from dugraph.estimators import METHODS
from dugraph.evaluation.features import (
    COMPARISONS,
    SERIES_COMPARISONS,
    is_known,
    known_words,
    needs_series,
    nilearn_is_there,
)
from dugraph.evaluation.own_methods import check_own
from dugraph.exceptions import InputError

GROUPS = {"paper": METHODS, "comparisons": COMPARISONS, "all": (*METHODS, *COMPARISONS)}
"""Names for many methods."""


Methods = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]


def choose_methods(
    methods: Methods, has_series: bool
) -> tuple[tuple[str, ...], dict[str, str], dict[str, Any]]:
    """Resolve names and groups of methods, and estimators of the user's own.

    Parameters
    ----------
    methods : str, mapping of str to estimator, or sequence of these
        Names of methods or of `GROUPS`; "all" includes those for time series where there are any.
    has_series : bool
        Whether there are time series.

    Returns
    -------
    names : tuple of str
        Each method once, in the given order.
    skipped : dict of str to str
        Methods left out, and why.
    own : dict of str to estimator
        Those that the user brought, by the names given to them.

    Examples
    --------
    >>> choose_methods(["exp-hsic", "comparisons"], has_series=False)
    (('exp-hsic', 'all-edges', 'select-k-best'), {}, {})
    """
    wanted = [methods] if isinstance(methods, str | Mapping) else as_list(methods, "methods", "names")
    names: list[str] = []
    own: dict[str, Any] = {}
    for name in wanted:
        if isinstance(name, Mapping):
            own |= check_own(name, taken=(*GROUPS, *own))
            names.extend(name)
            continue
        if not isinstance(name, str):
            raise InputError(
                f"A method must be a name or a mapping of names to methods, but is {told(name)}.",
                parameter="methods",
            )
        names.extend(GROUPS.get(name, (name,)))
        if name == "all" and has_series:
            names.extend(SERIES_COMPARISONS)
    unknown = [name for name in names if name not in own and not is_known(name)]
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
    return kept, skipped, own
