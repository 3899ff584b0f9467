"""Where a cohort came from, as plain values that survive a file: checked, written as JSON, read back."""

import json
from collections.abc import Mapping
from typing import Any

from dugraph.data.wording import shown
from dugraph.exceptions import InputError

Provenance = dict[str, Any]


def check_provenance(provenance: object) -> Provenance | None:
    """Return a copy in plain values, or refuse what JSON cannot hold.

    Parameters
    ----------
    provenance : mapping of str to text, numbers, booleans, None, or lists and mappings of these; or None

    Returns
    -------
    dict or None
    """
    if provenance is None:
        return None
    if not isinstance(provenance, Mapping) or not all(isinstance(key, str) for key in provenance):
        raise InputError(
            f"provenance must map names to plain values: got {shown(repr(provenance))}. Pass a dict."
        )
    try:
        return dict(json.loads(provenance_text(provenance)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            "provenance must hold text, finite numbers, booleans, None, and lists and dicts of these: "
            f"{shown(error)}. Convert its values first."
        ) from error


def provenance_text(provenance: Mapping[str, Any]) -> str:
    """Write provenance as JSON in ASCII; the order of names is kept, since a reader sees it."""
    return json.dumps(dict(provenance), allow_nan=False)


def provenance_equal(a: Provenance | None, b: Provenance | None) -> bool:
    """Compare as a file would: the order of names counts."""
    return a is b if a is None or b is None else provenance_text(a) == provenance_text(b)


def read_provenance(texts: list[str]) -> Provenance:
    """Read the one text that `provenance_text` wrote; anything else is refused."""
    text = texts[0] if len(texts) == 1 else ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"'provenance' must be JSON text: {shown(error)}. Write the file again.") from error
    if not isinstance(value, dict):
        raise InputError(f"'provenance' must be a JSON object: got {shown(text)}. Write the file again.")
    return value
