"""Who lacks values, by class and by site: a confound where the shares are unequal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown

SITE_COLUMNS = ("site", "site_id", "siteid", "site_name", "center", "centre", "scanner")
# Shares that chance alone would give more rarely are called unequal.
_LEVEL = 0.05
_CLASSES, _SITES = "incomplete_by_class", "incomplete_by_site"


def incomplete_by(
    incomplete: NDArray[np.bool_],
    classes: NDArray[np.str_] | None,
    columns: Mapping[str, NDArray[Any]] | None,
) -> dict[str, Any]:
    """Say how many graphs of each class and each site are incomplete, and whether the shares are unequal.

    Parameters
    ----------
    incomplete : ndarray of bool, shape (n_graphs,)
    classes : ndarray of str, shape (n_graphs,), or None
        Names of the classes.
    columns : mapping of str to ndarray of shape (n_graphs,), or None
        The table of subjects; a column of sites is found by its usual name.

    Returns
    -------
    dict
        For the provenance; empty if no graph is incomplete.
    """
    if not incomplete.any():
        return {}
    groups = {} if classes is None else {_CLASSES: classes}
    site = next((name for name in columns or {} if name.lower() in SITE_COLUMNS), None)
    if columns is not None and site is not None:
        groups[_SITES] = np.asarray(columns[site]).astype(str)
    record: dict[str, Any] = {}
    unequal = []
    for name, values in groups.items():
        sizes = {
            str(one): (int(incomplete[values == one].sum()), int((values == one).sum()))
            for one in np.unique(values)
        }
        told = (f"{shown(one)} {n} of {total}" for one, (n, total) in sizes.items() if n or name == _CLASSES)
        record[name] = ", ".join(told)
        p_value = _p_value(np.array(list(sizes.values())))
        if p_value < _LEVEL:
            unequal.append(f"{'classes' if name == _CLASSES else 'sites'} (p = {p_value:.2g})")
    if unequal:
        record["caution"] = (
            f"the shares of incomplete subjects differ between {' and '.join(unequal)}: missing values may "
            "be what separates the classes"
        )
    return record


def _p_value(sizes: NDArray[np.int64]) -> float:
    """Test whether groups of given sizes have equal shares: exactly for two, by chi-squared for more."""
    from scipy.stats import chi2_contingency, fisher_exact

    table = np.stack([sizes[:, 0], sizes[:, 1] - sizes[:, 0]])
    if len(sizes) < 2 or not table.sum(axis=1).all():
        return 1.0
    return float(fisher_exact(table)[1] if len(sizes) == 2 else chi2_contingency(table)[1])
