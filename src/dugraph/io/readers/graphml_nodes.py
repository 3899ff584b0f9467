"""Names and positions of the nodes of a GraphML graph, whatever its program calls their attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Floats

_NAMES = ("label", "name")
# Programs put their own word before it: dn_fsname of the Connectome Mapper, dn_position_x.
_NAME_ENDINGS = ("_fsname", "_label", "_name")
_AXES = ("x", "y", "z")


def names_of(graph: Any) -> tuple[str, tuple[str, ...]]:
    """Return the attribute that names the nodes, and the names: label, name, an ending of them, or the id."""
    nodes = [{**graph.graph["node_default"], **data} for _, data in graph.nodes(data=True)]
    present = sorted({str(name) for data in nodes for name in data})
    prefixed = [name for ending in _NAME_ENDINGS for name in present if name.endswith(ending)]
    for attribute in (*_NAMES, *prefixed):
        names = [str(data.get(attribute) or "").strip() for data in nodes]
        # A word with something before it may also be one of a group of nodes.
        if names and all(names) and (attribute in _NAMES or len(set(names)) == len(names)):
            return f"node {attribute}", tuple(names)
    return "node id", tuple(graph.nodes)


def coordinates_of(graph: Any, file: Path, names: tuple[str, ...]) -> Floats | None:
    """Return the positions of the nodes if all have them: x, y, z, or one word before each of these."""
    nodes = [{**graph.graph["node_default"], **data} for _, data in graph.nodes(data=True)]
    common = set.intersection(*({str(name) for name in data} for data in nodes)) if nodes else set()
    starts = sorted(name[:-1] for name in common if name == "x" or name.endswith("_x"))
    axes = next(([s + a for a in _AXES] for s in starts if {s + a for a in _AXES} <= common), None)
    if axes is None:
        return None
    rows = [[number(d[a], a, file, name) for a in axes] for d, name in zip(nodes, names, strict=True)]
    positions = np.array(rows).reshape(-1, 3)
    if not np.isfinite(positions).all():
        raise InputError(
            f"{file}: {', '.join(axes[:-1])} and {axes[-1]} of every region must be finite numbers. Correct "
            "or drop them."
        )
    return positions


def number(value: Any, name: str, file: Path, region: str) -> float:
    """Return an attribute as a number, NaN if it is empty."""
    if value is None or value == "":
        return np.nan
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{file}: {name} must be a number, but is {shown(value)!r} at {shown(region)}."
        ) from error
