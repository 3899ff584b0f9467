"""Canonical JSON: sorted keys, plain ASCII, no NaN; equal content gives equal bytes."""

import json
import math


def json_bytes(content: object) -> bytes:
    """Write content as canonical JSON."""
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def finite(value: float) -> float | None:
    """The value, or None if it is infinite, for which JSON has no word."""
    return value if math.isfinite(value) else None
