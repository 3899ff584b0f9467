"""Names of regions in the `readme.txt` of a TUDataset, which says what its node labels stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from dugraph.data.wording import listed, shown
from dugraph.exceptions import InputError, Setting
from dugraph.io.guards import check_length, read_text
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import Names

_MAP = re.compile(r"^=+ *Node Label Conversion *=+ *$(.*?)(?=^===|\Z)", re.MULTILINE | re.DOTALL)
_COMPONENT = re.compile(r"^Component \d+:", re.MULTILINE)
_ROW = re.compile(r"^[ \t]+(\d+)[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_NO_MAP = "node labels, which are numbers of this data set, not of an atlas"


def with_readme_names(node: Names, files: Iterable[Path], options: ReadOptions) -> tuple[Names, str]:
    """Replace node labels by what the readme of a data set says they stand for.

    Parameters
    ----------
    node : Names
        The label of each node.
    files : iterable of Path
        Those of the data set; one may be called readme.txt.
    options : ReadOptions

    Returns
    -------
    node : Names
    named_by : str
        Where the names come from.
    """
    file = next((one for one in files if one.name.lower() in ("readme.txt", "readme")), None)
    names = {} if file is None else _names(file, options)
    if not names:
        if options.atlas is not None and all(name.isdecimal() for name in node.names):
            raise InputError(
                "atlas must be left out for a TUDataset whose readme.txt does not say what its node labels "
                f"stand for: {listed(node.names)} are numbers of the data set, not of an atlas.",
                parameter="atlas",
                way_out=("Add the section Node Label Conversion, or leave out ", Setting("atlas"), "."),
            )
        return node, _NO_MAP
    unknown = [name for name in node.names if name not in names]
    if unknown:
        raise InputError(
            f"{file}: the readme must say what every node label stands for, but lacks {listed(unknown, 8)}. "
            "Take the readme of this data set, or move it away."
        )
    return Names(node.codes, tuple(names[name] for name in node.names)), "readme.txt"


def _names(file: Path, options: ReadOptions) -> dict[str, str]:
    part = _MAP.search(read_text(file, options.budget).decode())
    # Several components would be several labels of a node.
    if part is None or len(_COMPONENT.findall(part[1])) > 1:
        return {}
    names: dict[str, str] = {}
    for label, name in _ROW.findall(part[1]):
        if label in names or name in names.values():
            raise InputError(
                f"{file}: every node label must stand for a region of its own, but {shown(label)} or "
                f"{shown(name)} appears twice. Correct it, or move the file away."
            )
        names[label] = check_length(name, file, "region name")
    return names
