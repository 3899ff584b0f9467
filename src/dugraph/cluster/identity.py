"""What a part of a computation is a part of: two parts fit together only if all of this is the same."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph._version import __version__


@dataclass(frozen=True)
class Identity:
    """A computation, as far as its result depends on it.

    Attributes
    ----------
    command : str
        "mine" or "test".
    parameters : dict
        What JSON can hold.
    inputs : dict of str to str
        A SHA-256 of each input, by what it is called in a sentence: "graphs", "labels".
    version : str
        The release of dugraph.
    """

    command: str
    parameters: dict[str, Any]
    inputs: dict[str, str]
    version: str = __version__

    def text(self) -> str:
        """All of it in one line; equal computations have equal text."""
        return json.dumps(vars(self), sort_keys=True, default=lambda value: value.item())  # of NumPy

    @classmethod
    def read(cls, text: str) -> Identity:
        """The computation that `text` tells; ValueError if it tells none."""
        told = json.loads(text)
        if not isinstance(told, dict) or set(told) != set(cls.__dataclass_fields__):
            raise ValueError("it does not say which computation it belongs to")
        kinds = {"command": str, "parameters": dict, "inputs": dict, "version": str}
        if not all(isinstance(told[name], kind) for name, kind in kinds.items()):
            raise ValueError("it does not say which computation it belongs to")
        return cls(**told)

    def differences(self, other: Identity) -> list[str]:
        """What differs in the other one, a clause each; none if both are of one computation."""
        ours, theirs = json.loads(self.text()), json.loads(other.text())
        if self.command != other.command:
            return [f"it is of `{theirs['command']}`, not of `{self.command}`"]
        found = []
        if self.version != other.version:
            found.append(f"it was written by dugraph {other.version}, and this is {self.version}")
        found += [
            f"the {name} differ"
            for name in sorted({*ours["inputs"], *theirs["inputs"]})
            if ours["inputs"].get(name) != theirs["inputs"].get(name)
        ]
        for name in sorted({*ours["parameters"], *theirs["parameters"]}):
            mine, its = ours["parameters"].get(name), theirs["parameters"].get(name)
            if mine != its:
                found.append(f"its {name} is {json.dumps(its)}, not {json.dumps(mine)}")
        return found


def digest(*arrays: NDArray[Any]) -> str:
    """A SHA-256 over types, shapes and contents."""
    total = hashlib.sha256()
    for array in arrays:
        kept = np.ascontiguousarray(array)
        total.update(f"{kept.dtype.str}{kept.shape}".encode())
        total.update(kept.data if kept.size else b"")
    return total.hexdigest()
