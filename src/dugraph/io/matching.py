"""Matching of connectome files with rows of a participants table, by id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.input_files import check_one_file
from dugraph.io.participants import Participants, bare_id, check_named


class Match(NamedTuple):
    """Files paired with rows of a table.

    Attributes
    ----------
    participants : Participants
        With leading zeros restored.
    n_restored : int
        How many ids of the table got their zeros back.
    files, rows : list of int
        Positions of the pairs, in the order of the files.
    left_out : dict of str to list of str
        Ids without a row, and without a file.
    """

    participants: Participants
    n_restored: int
    files: list[int]
    rows: list[int]
    left_out: dict[str, list[str]]


def match_subjects(
    ids: Sequence[str],
    participants: Participants,
    positive: str | None = None,
    negative: str | None = None,
    intersect: bool = False,
    id_digits: int | None = None,
) -> Match:
    """Pair files with rows of the table, by id with or without ``sub-``.

    Parameters
    ----------
    ids : sequence of str
        The id of each file.
    participants : Participants
    positive, negative : str, optional
        If both are given, rows of other groups, and their files, are ignored.
    intersect : bool, default False
        Whether subjects with only a file or only a row are left out instead of refused.
    id_digits : int, optional
        How many digits every id has, so that leading zeros that the table lost can be restored.
    """
    n_restored = 0
    if id_digits is not None:
        participants, n_restored = _with_zeros(participants, id_digits)
    ignored = {bare_id(one) for one in participants.excluded}
    if positive is not None and negative is not None:
        # Wrong names are reported with all groups of the table.
        check_named(participants.groups, positive, negative, participants.file)
        pairs = zip(participants.ids, participants.groups, strict=True)
        ignored |= {bare_id(one) for one, group in pairs if group not in (positive, negative)}
    bare = [bare_id(one) for one in ids]
    has_file = _by_bare_id(ids, "graphs", participants.file)
    rows = _by_bare_id(participants.ids, "rows", participants.file)
    row_of = {one: i for one, i in rows.items() if one not in ignored}
    no_row = [ids[i] for i, one in enumerate(bare) if one not in row_of and one not in ignored]
    no_file = [participants.ids[i] for one, i in row_of.items() if one not in has_file]
    files = [i for i, one in enumerate(bare) if one in row_of]
    if (no_row or no_file) and not (intersect and files):
        raise _one_sided(no_row, no_file, participants.file, len(files))
    left_out = {"without a row": no_row, "without a file": no_file}
    left_out = {why: some for why, some in left_out.items() if some}
    return Match(participants, n_restored, files, [row_of[bare[i]] for i in files], left_out)


def _with_zeros(participants: Participants, n_digits: int) -> tuple[Participants, int]:
    """Restore the leading zeros of ids that must have `n_digits` digits; count them."""

    def padded(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(one.zfill(n_digits) if one.isdecimal() else one for one in ids)

    ids, excluded = padded(participants.ids), padded(participants.excluded)
    spelled: dict[str, str] = {}
    for before, after in zip(participants.ids, ids, strict=True):
        if spelled.setdefault(after, before) != before:
            raise InputError(
                f"{participants.file}: a subject must have one row, but {abbreviate(spelled[after])} and "
                f"{abbreviate(before)} are both {abbreviate(after)} when leading zeros are restored. Keep "
                "one of them."
            )
    n_restored = sum(after != before for after, before in spelled.items())
    return replace(participants, ids=ids, excluded=excluded), n_restored


def _by_bare_id(ids: Sequence[str], what: str, file: Path) -> dict[str, int]:
    positions: dict[str, int] = {}
    for i, one in enumerate(ids):
        first = positions.setdefault(bare_id(one), i)
        if first != i:
            raise InputError(
                f"{file}: ids of {what} must differ without the prefix sub-, because they are matched "
                f"without it, but {abbreviate(ids[first])} and {abbreviate(one)} do not. Rename or remove "
                "one of them."
            )
    return positions


def _one_sided(no_row: list[str], no_file: list[str], file: Path, n_common: int) -> InputError:
    n_files, n_rows = n_common + len(no_row), n_common + len(no_file)
    parts = [
        f"there is no {what} for {counted(len(ids), 'subject')} ({first_few(ids)})"
        for ids, what in ((no_row, "row"), (no_file, "file"))
        if ids
    ]
    rows = [bare_id(one) for one in no_file]
    pattern, n_found = suggested_pattern(no_row, rows)
    way: Sentence
    if {bare_id(one).lstrip("0") for one in no_row} & {one.lstrip("0") for one in rows}:
        way = "Some differ only in leading zeros, which spreadsheets remove: restore them in the table."
    elif pattern is not None and n_found > n_common:
        known = f"The file names contain the ids of the table: {n_found} of {n_files} match with "
        way = (known, Setting("id_pattern", pattern), ".")
    elif n_common:
        common = f"Complete them, or take the {counted(n_common, 'common one')} with "
        way = (common, Setting("intersect", True), ".")
    else:
        way = ("No id matches: check ", Setting("id_column"), " and ", Setting("id_pattern"), ".")
    return InputError(
        f"{file}: every subject must have a file and a row, but {n_common:,} of {counted(n_files, 'file')} "
        f"{'matches' if n_common == 1 else 'match'} one of {counted(n_rows, 'row')}: {' and '.join(parts)}.",
        way_out=way,
    )


def first_few(ids: Sequence[str], most: int = 5) -> str:
    """List the first ids, and how many more there are."""
    more = len(ids) - most
    shorter = ", ".join(abbreviate(one) for one in ids[:most])
    return f"{shorter} and {more:,} more" if more > 0 else shorter


@dataclass
class SubjectFilter:
    """Chooses subjects by their names: before any file is opened if the layout lists its files by name.

    Attributes
    ----------
    match : Match, or None
        How the table was matched; None before `choose`, and without a table.
    record : dict
        Which files were not chosen, for the provenance.
    """

    participants: Participants | None = None
    id_pattern: str | None = None
    positive: str | None = None
    negative: str | None = None
    intersect: bool = False
    applied: bool = field(default=False, init=False)
    match: Match | None = field(default=None, init=False)
    record: dict[str, Any] = field(default_factory=dict, init=False)

    def choose(
        self, names: Sequence[str], files: Sequence[Path], id_digits: int | None = None
    ) -> tuple[list[int], list[str]]:
        """Return the positions of the files to read, and their ids.

        `names` are those of the files, or the ids that the layout takes from them; `id_digits` is as for
        `match_subjects`.
        """
        self.applied = True
        chosen, ids, self.record = ids_by_pattern(names, self.id_pattern)
        check_one_file(ids, [files[i] for i in chosen])
        if self.participants is not None:
            self.match = match_subjects(
                ids, self.participants, self.positive, self.negative, self.intersect, id_digits
            )
            if self.match.left_out:
                self.record["left_out"] = self.match.left_out
            chosen, ids = [chosen[i] for i in self.match.files], [ids[i] for i in self.match.files]
        return chosen, ids

    def select(self, connectomes: Connectomes) -> Connectomes:
        """Return the chosen connectomes; all of them if the reader has read the chosen files only."""
        if self.applied:
            return connectomes
        rows, ids = self.choose(connectomes.graph_ids, connectomes.files, connectomes.id_digits)
        self.record.pop("left_out", None)  # `build_cohort` lists it behind the classes
        return replace(connectomes.subset(rows), graph_ids=tuple(ids))


# --- Patterns: where file names contain the id, such as {id}_REST1* -----------------------------------------

_ID = "{id}"
# Ids that are compared with the file names before a pattern is suggested.
_TRIED = 50
# Sub11 does not contain the id 1.
_NOT_WITHIN_NUMBER = r"(?:(?<!\d)|(?!\d))"


def ids_by_pattern(names: Sequence[str], pattern: str | None) -> tuple[list[int], list[str], dict[str, Any]]:
    """Return the positions of the file names that fit a pattern, their ids, and a record for the provenance.

    ``{id}`` stands for the id, ``*`` for any text, ``?`` for one character; None keeps whole names.
    """
    if pattern is None:
        return list(range(len(names))), list(names), {}
    compiled = _compiled(pattern)
    matches = [compiled.fullmatch(one) for one in names]
    fitting = [i for i, match in enumerate(matches) if match is not None]
    if not fitting:
        raise InputError(
            f"id_pattern must fit the names of the files, but {abbreviate(pattern)!r} fits none of "
            f"{listed(names, 6)}.",
            parameter="id_pattern",
        )
    record: dict[str, Any] = {"id_pattern": pattern}
    others = [one for one, match in zip(names, matches, strict=True) if match is None]
    if others:
        record["not_of_the_pattern"] = others
    return fitting, [match[1] for match in matches if match is not None], record


def suggested_pattern(names: Sequence[str], ids: Sequence[str]) -> tuple[str | None, int]:
    """Return a pattern by which at least half of the file names give unique ids of the table.

    The second value is the number of files that it matches with the table.
    """
    around: Counter[tuple[str, str]] = Counter()
    for one in ids[:_TRIED]:
        whole = re.compile(_NOT_WITHIN_NUMBER + re.escape(one) + _NOT_WITHIN_NUMBER)
        for name in names:
            found = whole.search(name)
            if found is not None:
                around[name[: found.start()], name[found.end() :]] += 1
    if not around:
        return None, 0
    (prefix, suffix), _ = around.most_common(1)[0]
    shared_prefix = _common([before[::-1] for before, _ in around])[::-1]
    shared_suffix = _common([after for _, after in around])
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
    enough = 2 * n_found[best] >= min(len(names), len(ids))
    return (best, n_found[best]) if enough else (None, 0)


def _common(texts: Sequence[str]) -> str:
    """Return the longest common prefix."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n]


def _n_found(pattern: str, names: Sequence[str], known: set[str]) -> int:
    matches = [_compiled(pattern).fullmatch(name) for name in names]
    found = [match[1] for match in matches if match is not None and match[1] in known]
    return len(found) if len(set(found)) == len(found) else 0


def _compiled(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str) or pattern.count(_ID) != 1:
        raise InputError(
            f"id_pattern must hold {_ID} once, such as {_ID}_REST1*, but is {abbreviate(pattern)!r}.",
            parameter="id_pattern",
        )
    # The shortest possible id, so that the text after it is not part of it.
    parts = re.split(r"(\{id\}|\*|\?)", pattern)
    wild = {_ID: "(.+?)", "*": ".*", "?": "."}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)
