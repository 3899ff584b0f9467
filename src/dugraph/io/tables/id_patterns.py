"""Where file names contain the id: a pattern such as ``{id}_REST1*``, given or suggested."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dugraph.data.wording import listed, shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes

_ID = "{id}"
# Ids that are compared with names before a pattern is suggested: enough to see what they share.
_TRIED = 50


def with_id_pattern(connectomes: Connectomes, pattern: str | None) -> tuple[Connectomes, dict[str, Any]]:
    """Take ids out of longer names; those that do not fit are left out.

    Parameters
    ----------
    connectomes : Connectomes
    pattern : str, or None
        With ``{id}`` in place of the id; ``*`` stands for anything, ``?`` for one character.

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
    """Return a pattern by which ids of a table are found in the names of files; None if there is none.

    Parameters
    ----------
    names, ids : sequences of str

    Returns
    -------
    str or None
        One that makes different ids of the names, at least half of which are in the table.
    """
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
    candidates = [
        prefix + _ID + suffix,
        prefix + _ID + _common(after) + "*",
        "*" + _common([one[::-1] for one in before])[::-1] + _ID + suffix,
        "*" + _common([one[::-1] for one in before])[::-1] + _ID + _common(after) + "*",
    ]
    known = set(ids)
    n_found = {pattern: _n_found(pattern, names, known) for pattern in candidates}
    # Of those that find as many the first, which leaves least open.
    best = max(candidates, key=n_found.__getitem__)
    return best if 2 * n_found[best] >= min(len(names), len(ids)) else None


def _n_found(pattern: str, names: Sequence[str], known: set[str]) -> int:
    matches = [_compiled(pattern).fullmatch(name) for name in names]
    found = [match[1] for match in matches if match is not None and match[1] in known]
    return len(found) if len(set(found)) == len(found) else 0


def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern.count(_ID) != 1:
        raise InputError(
            f"id_pattern must hold {_ID} once, such as {_ID}_REST1*, but is {shown(pattern)!r}.",
            parameter="id_pattern",
        )
    # Like a shell does; the id is as short as can be, so that what follows it is not part of it.
    parts = re.split(r"(\{id\}|\*|\?)", pattern)
    wild = {_ID: "(.+?)", "*": ".*", "?": "."}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)


def _inside_number(name: str, begin: int, end: int) -> bool:
    """Whether an id was found in the middle of a longer number: 1 in Sub11 is another one."""
    return any(
        name[i].isdigit() and name[j].isdigit()
        for i, j in ((begin - 1, begin), (end - 1, end))
        if i >= 0 and j < len(name)
    )


def _common(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    n = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    return first[:n]
