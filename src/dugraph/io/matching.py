"""Matching of connectome files and rows of a participants table, by id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.participants import Participants, bare_id

_ID = "{id}"
# Ids that are compared with the file names before a pattern is suggested.
_TRIED = 50


def with_zeros(participants: Participants, n_digits: int) -> tuple[Participants, int]:
    """Restore the leading zeros of ids that must have `n_digits` digits.

    Returns
    -------
    participants : Participants
        Ids that are numbers with fewer digits are padded; two rows that then share an id are refused.
    n_restored : int
        How many ids were padded.
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
        Ids without prefix that are left out on both sides.
    intersect : bool
        Whether subjects with only a file or only a row are left out instead of refused.

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


# --- Patterns: where file names contain the id, such as {id}_REST1* -----------------------------------------


def with_id_pattern(connectomes: Connectomes, pattern: str | None) -> tuple[Connectomes, dict[str, Any]]:
    """Extract the ids from file names; files that do not fit the pattern are left out.

    Parameters
    ----------
    connectomes : Connectomes
    pattern : str, or None
        With ``{id}`` in place of the id; ``*`` stands for any text, ``?`` for one character.

    Returns
    -------
    connectomes : Connectomes
    record : dict
        For the provenance.
    """
    if pattern is None:
        return connectomes, {}
    compiled = _compiled(pattern)
    matches = [compiled.fullmatch(one) for one in connectomes.graph_ids]
    fitting = [i for i, match in enumerate(matches) if match is not None]
    if not fitting:
        raise InputError(
            f"id_pattern must fit the names of the files, but {shown(pattern)!r} fits none of "
            f"{listed(connectomes.graph_ids, 6)}.",
            parameter="id_pattern",
        )
    others = [one for one, match in zip(connectomes.graph_ids, matches, strict=True) if match is None]
    record: dict[str, Any] = {"id_pattern": pattern}
    if others:
        record["not_of_the_pattern"] = others
    ids = tuple(match[1] for match in matches if match is not None)
    return replace(connectomes.subset(fitting), graph_ids=ids), record


def suggested_pattern(names: Sequence[str], ids: Sequence[str]) -> str | None:
    """Return a pattern by which at least half of the file names give unique ids of the table, or None."""
    around: Counter[tuple[str, str]] = Counter()
    for one in ids[:_TRIED]:
        for name in names:
            at = name.find(one)
            if at >= 0 and not _inside_number(name, at, at + len(one)):
                around[name[:at], name[at + len(one) :]] += 1
    if not around:
        return None
    before = [pair[0] for pair in around]
    after = [pair[1] for pair in around]
    (prefix, suffix), _ = around.most_common(1)[0]
    shared_prefix, shared_suffix = _common([one[::-1] for one in before])[::-1], _common(after)
    candidates = [
        f"{prefix}{_ID}{suffix}",
        f"{prefix}{_ID}{shared_suffix}*",
        f"*{shared_prefix}{_ID}{suffix}",
        f"*{shared_prefix}{_ID}{shared_suffix}*",
    ]
    known = set(ids)
    n_found = {pattern: _n_found(pattern, names, known) for pattern in candidates}
    # The first of the best candidates is the most specific.
    best = max(candidates, key=n_found.__getitem__)
    return best if 2 * n_found[best] >= min(len(names), len(ids)) else None


def _n_found(pattern: str, names: Sequence[str], known: set[str]) -> int:
    matches = [_compiled(pattern).fullmatch(name) for name in names]
    found = [match[1] for match in matches if match is not None and match[1] in known]
    return len(found) if len(set(found)) == len(found) else 0


def _compiled(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str) or pattern.count(_ID) != 1:
        raise InputError(
            f"id_pattern must hold {_ID} once, such as {_ID}_REST1*, but is {shown(pattern)!r}.",
            parameter="id_pattern",
        )
    # The shortest possible id, so that the text after it is not part of it.
    parts = re.split(r"(\{id\}|\*|\?)", pattern)
    wild = {_ID: "(.+?)", "*": ".*", "?": "."}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)


def _inside_number(name: str, begin: int, end: int) -> bool:
    """Return whether an id was found inside a longer number: Sub11 does not contain the id 1."""
    return any(
        name[i].isdigit() and name[j].isdigit()
        for i, j in ((begin - 1, begin), (end - 1, end))
        if i >= 0 and j < len(name)
    )


def _common(texts: Sequence[str]) -> str:
    """Return the longest common prefix."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n]
