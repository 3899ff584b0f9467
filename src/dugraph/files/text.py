"""Canonical JSON, run ids and escaped names; imports only the standard library, for `dugraph --help`."""

from __future__ import annotations

import hashlib
import json
import math


def json_bytes(content: object) -> bytes:
    """Return canonical JSON (sorted keys, ASCII, no NaN): equal content gives equal bytes."""
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def run_id(table: bytes) -> str:
    """Return the id of a run: a hash of the table of its results, so that equal runs have equal ids."""
    return hashlib.sha256(table).hexdigest()[:16]


def finite(value: float) -> float | None:
    """Return the value, or None if it is infinite or NaN, which JSON cannot represent."""
    return value if math.isfinite(value) else None


def escaped(text: object) -> str:
    """Return text on one line, with unprintable characters replaced by their escape codes.

    These include line breaks, terminal control sequences and marks that change the direction of writing.
    """
    plain = str(text)
    if plain.isprintable():
        return plain
    return "".join(
        one if one.isprintable() and one != "\\" else one.encode("unicode_escape").decode() for one in plain
    )
