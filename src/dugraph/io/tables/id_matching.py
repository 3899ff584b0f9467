"""Which graph belongs to which row of a participants table, by id."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.tables.id_patterns import suggested_pattern
from dugraph.io.tables.participants import Participants, bare_id


def with_zeros(participants: Participants, n_digits: int) -> tuple[Participants, int]:
    """Restore the leading zeros of ids that are known to have so many digits.

    Parameters
    ----------
    participants : Participants
    n_digits : int

    Returns
    -------
    participants : Participants
        Ids that are numbers of fewer digits are filled up; if two rows then have one id, they are refused.
    n_restored : int
        How many ids were filled up.
    """
    ids = tuple(one.zfill(n_digits) if one.isdecimal() else one for one in participants.ids)
    spelled: dict[str, str] = {}
    for before, after in zip(participants.ids, ids, strict=True):
        if after in spelled:
            raise InputError(
                f"{participants.file}: a subject must have one row, but {shown(spelled[after])} and "
                f"{shown(before)} are both {shown(after)} when leading zeros are restored. Keep one of them."
            )
        spelled[after] = before
    n_restored = sum(a != b for a, b in zip(participants.ids, ids, strict=True))
    return replace(participants, ids=ids), n_restored


def match_ids(
    graph_ids: tuple[str, ...], participants: Participants, ignored: set[str], intersect: bool
) -> tuple[list[int], list[int], dict[str, list[str]]]:
    """Pair graphs with rows of the table, by id with or without ``sub-``.

    Parameters
    ----------
    graph_ids : tuple of str
    participants : Participants
    ignored : set of str
        Bare ids that are left out on both sides.
    intersect : bool
        Whether subjects on one side only are left out instead of refused.

    Returns
    -------
    graphs, rows : lists of int
        Positions of the pairs, in the order of the graphs.
    left_out : dict of str to list of str
        Ids without a row, and without a file.
    """
    bare = [bare_id(graph_id) for graph_id in graph_ids]
    has_file = _by_bare_id(graph_ids, "graphs", participants.file)
    rows = _by_bare_id(participants.ids, "rows", participants.file)
    row_of = {one: i for one, i in rows.items() if one not in ignored}
    no_row = [graph_ids[i] for i, one in enumerate(bare) if one not in row_of and one not in ignored]
    no_file = [participants.ids[i] for one, i in row_of.items() if one not in has_file]
    graphs = [i for i, one in enumerate(bare) if one in row_of]
    if (no_row or no_file) and not (intersect and graphs):
        raise _one_sided(no_row, no_file, participants.file, len(graphs))
    left_out = {"without a row": no_row, "without a file": no_file}
    return graphs, [row_of[bare[i]] for i in graphs], {why: ids for why, ids in left_out.items() if ids}


def _by_bare_id(ids: tuple[str, ...], what: str, file: Path) -> dict[str, int]:
    """Return the position of each id without its prefix, by which graphs and rows are matched."""
    positions: dict[str, int] = {}
    for i, one in enumerate(ids):
        first = positions.setdefault(bare_id(one), i)
        if first != i:
            raise InputError(
                f"{file}: ids of {what} must differ without the prefix sub-, because they are matched "
                f"without it, but {shown(ids[first])} and {shown(one)} do not. Rename or remove one of "
                "them."
            )
    return positions


def _one_sided(no_row: list[str], no_file: list[str], file: Path, n_common: int) -> InputError:
    parts = [
        f"there is no {what} for {counted(len(ids), 'subject')} ({listed(ids, 20)})"
        for ids, what in ((no_row, "row"), (no_file, "file"))
        if ids
    ]
    way: Sentence
    if _without_zeros(no_row) & _without_zeros(no_file):
        way = "Some differ only in leading zeros, which spreadsheets remove: restore them in the table."
    elif n_common:
        common = f"Complete them, or take the {counted(n_common, 'common one')} with "
        way = (common, Setting("intersect", True), ".")
    elif (pattern := suggested_pattern(no_row, [bare_id(one) for one in no_file])) is not None:
        names = "No id matches, but the file names contain the ids of the table: add "
        way = (names, Setting("id_pattern", pattern), ".")
    else:
        way = ("No id matches: check ", Setting("id_column"), " and ", Setting("id_pattern"), ".")
    return InputError(
        f"{file}: every subject must have a file and a row, but {' and '.join(parts)}.", way_out=way
    )


def _without_zeros(ids: list[str]) -> set[str]:
    return {bare_id(one).lstrip("0") for one in ids}
