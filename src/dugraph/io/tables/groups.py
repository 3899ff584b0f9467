"""Two classes from the groups of a table: which is positive, which is negative, who is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Setting, Spoken

_BOTH = (Setting("positive", "A"), Spoken(", ", " "), Setting("negative", "B"))


@dataclass(frozen=True)
class Classes:
    """The two classes of a cohort.

    Attributes
    ----------
    positive, negative : str
        Names of the groups.
    """

    positive: str
    negative: str

    def y(self, groups: Sequence[str]) -> NDArray[np.int64]:
        """Return 1 for the positive and 0 for the negative group."""
        return np.array([int(group == self.positive) for group in groups], dtype=np.int64)


def two_classes(
    groups: Sequence[str], ids: Sequence[str], positive: str | None, negative: str | None, where: object
) -> Classes:
    """Decide which groups are the classes.

    Parameters
    ----------
    groups : sequence of str
        The group of each subject; empty if it is missing.
    ids : sequence of str
        The subjects, for messages.
    positive, negative : str, optional
        Names of groups. With both, all other groups are left out; else there must be two. Without
        `positive`, it is the greater name in sorted order.
    where : object
        The file, for messages.

    Returns
    -------
    Classes
    """
    sizes = check_named(groups, positive, negative, where)
    if positive is not None and positive == negative:
        raise InputError(
            (
                *(Setting("positive"), " and ", Setting("negative")),
                f" must be different groups, but both are {shown(positive)!r}.",
            ),
            parameter="negative",
        )
    if positive is not None and negative is not None:
        return Classes(positive, negative)
    _check_known(groups, ids, where)
    if len(sizes) != 2:
        raise InputError(
            f"{where}: there must be exactly two groups, but there {'is' if len(sizes) == 1 else 'are'} "
            f"{_sizes(sizes)}.",
            way_out=(
                *("Name two of them with ", *_BOTH, "; the others are left out. To keep all groups, name "),
                *("their column with ", Setting("group_column"), "."),
            )
            if len(sizes) > 2
            else ("Check ", Setting("group_column"), ", or add the other group."),
        )
    low, high = sorted(sizes)
    chosen = positive if positive is not None else low if negative == high else high
    return Classes(chosen, high if chosen == low else low)


def all_groups(groups: Sequence[str], ids: Sequence[str], where: object) -> NDArray[np.str_]:
    """Return the names of more than two groups as labels; the parameters of `two_classes`."""
    _check_known(groups, ids, where)
    return np.array(groups, dtype=np.str_)


def _check_known(groups: Sequence[str], ids: Sequence[str], where: object) -> None:
    missing = [one for one, group in zip(ids, groups, strict=True) if not group]
    if missing:
        raise InputError(
            f"{where}: every subject must have a group, but {counted(len(missing), 'subject')} "
            f"{'has' if len(missing) == 1 else 'have'} none: {listed(missing, 20)}.",
            way_out=("Fill it in, or leave them out by naming both groups (", *_BOTH, ")."),
        )


def check_named(
    groups: Sequence[str], positive: str | None, negative: str | None, where: object
) -> Counter[str]:
    """Refuse names that no group has, and give the size of each group; the parameters of `two_classes`."""
    sizes = Counter(group for group in groups if group)
    for name, asked in (("positive", positive), ("negative", negative)):
        if asked is not None and asked not in sizes:
            raise InputError(
                (
                    *(f"{where}: ", Setting(name)),
                    f" must name a group, but {shown(asked)!r} is none of {_sizes(sizes)}.",
                ),
                parameter=name,
                way_out=(
                    "Spell it as in the table, or choose another column (",
                    Setting("group_column"),
                    ").",
                ),
            )
    return sizes


def _sizes(sizes: Counter[str]) -> str:
    # The counts are ours, so the parts are joined here instead of being shortened again.
    parts = [f"{shown(group)} ({counted(n, 'subject')})" for group, n in sorted(sizes.items())]
    return ", ".join(parts[:8]) + (", ..." if len(parts) > 8 else "")
