"""Parameters and arrays as plain JSON values and back, floats to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from dugraph.exceptions import InputError

# Text has no width here: a forged width would claim memory.
_DTYPES = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "str"),
    )
}


def encode(value: Any, name: str) -> Any:
    """Turn a value into JSON: floats as hexadecimal text, arrays with their dtype, functions as their name.

    Parameters
    ----------
    value : None, bool, int, float, str, list, tuple, dict with str keys, array-like or function
    name : str
        What it is, for messages.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (list, tuple)):
        return [encode(entry, name) for entry in value]
    if isinstance(value, dict):
        return {"dict": {str(key): encode(entry, name) for key, entry in value.items()}}
    if callable(value):
        return {"function": getattr(value, "__name__", type(value).__name__)}
    if hasattr(value, "__array__"):
        return _encode_array(np.asarray(value), name)
    raise InputError(
        f"{name} must be made of text, numbers and arrays to be saved, but is of type "
        f"{type(value).__name__}. "
        "Convert it first."
    )


def _encode_array(array: np.ndarray[Any, Any], name: str) -> Any:
    if array.dtype == object:
        return encode(array.tolist(), name)
    dtype = "str" if array.dtype.kind == "U" else array.dtype.name
    if dtype not in _DTYPES:
        raise InputError(
            f"{name} must be made of text, numbers and arrays to be saved, but has dtype {array.dtype}. "
            "Convert it first."
        )
    return {"dtype": dtype, "values": encode(array.tolist(), name)}


def decode(value: Any) -> Any:
    """Undo `encode`; lists stay lists, and a function comes back as its name."""
    if isinstance(value, list):
        return [decode(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"float": str(text)}:
            return float.fromhex(text)
        case {"function": str(name)}:
            return name
        case {"dict": dict(entries)}:
            return {key: decode(entry) for key, entry in entries.items()}
        case {"dtype": str(dtype), "values": list(values)}:
            return np.array(decode(values), dtype=_DTYPES[dtype])
    raise ValueError(f"unknown kind of value: {sorted(value)}")
