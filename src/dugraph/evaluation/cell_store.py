"""Finished cells on disk: an interrupted run resumes where it stopped.

A folder holds the cells of one cohort with one set of parameters, told by a fingerprint; of another it is
refused. Methods and splits may be added to it, since they change no other cell.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.features import Subjects, is_known
from dugraph.exceptions import InputError
from dugraph.files.at_exit import noted
from dugraph.files.atomic import atomic_file, make_folder

_FINGERPRINT = "fingerprint.json"
_CELL_NAME = re.compile(r"[a-z0-9_+-]+\.[0-9]{4,6}\.json")


def fingerprint(arrays: Iterable[NDArray[Any]], parameters: Mapping[str, Any]) -> str:
    """Return a SHA-256 over the data and the parameters on which cells depend.

    Parameters
    ----------
    arrays : iterable of ndarray
        Of numbers or text.
    parameters : mapping
        What JSON can hold.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    for array in arrays:
        kept = np.ascontiguousarray(array)
        digest.update(f"{kept.dtype.str}{kept.shape}".encode())
        digest.update(kept.tobytes())
    return digest.hexdigest()


def cohort_arrays(subjects: Subjects) -> list[NDArray[Any]]:
    """What cells of classes depend on."""
    graphs = subjects.cohort.graphs
    return [*graph_arrays(graphs), subjects.cohort.target, *(subjects.series or ())]


def graph_arrays(graphs: UncertainGraphs) -> list[NDArray[Any]]:
    """Probabilities, edges and layers."""
    layers = [] if graphs.edge_layers is None else [np.array(graphs.edge_layers)]
    return [graphs.edge_probability, graphs.edges, *layers]


class CellStore:
    """Cells by method and split, in a folder or, with none, nowhere.

    Parameters
    ----------
    folder : path-like or None
        Created if it does not exist.
    mark : str
        The fingerprint of data and parameters.
    parameters : mapping
        The parameters, kept next to it for readers.
    known : callable, optional
        Tells whether a name is a method's; default: those of `evaluate_methods`.

    Raises
    ------
    InputError
        If the folder holds cells of other data or parameters.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None,
        mark: str,
        parameters: Mapping[str, Any],
        known: Callable[[str], bool] = is_known,
    ) -> None:
        self._mark, self._known = mark, known
        self._cells: Path | None = None
        if folder is None:
            return
        root = make_folder(folder)
        _check_mark(root / _FINGERPRINT, mark, parameters)
        # Absolute: a process that was started earlier may be in another folder.
        self._cells = make_folder(root / "cells").absolute()

    def load(self, method: str, split: int) -> Cell | None:
        """Read a cell; None if it is not there or damaged, which means that it is to be computed."""
        path = self._path(method, split)
        if path is None or not path.is_file():
            return None
        try:
            record = json.loads(path.read_bytes())
            if record.pop("fingerprint") != self._mark:
                return None
            cell = Cell.from_record(record)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        return cell if (cell.method, cell.split) == (method, split) else None

    def save(self, cell: Cell) -> None:
        """Write a cell, all or nothing."""
        path = self._path(cell.method, cell.split)
        if path is not None:
            record = {**cell.as_record(), "fingerprint": self._mark}
            with atomic_file(path) as file:
                file.write((json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n").encode())

    def at_work(self) -> AbstractContextManager[None]:
        """While processes write cells: what one of them has half written when a signal comes is removed."""
        return nullcontext() if self._cells is None else noted(self._cells)

    def _path(self, method: str, split: int) -> Path | None:
        if self._cells is None:
            return None
        name = f"{method}.{split:04d}.json"
        if not self._known(method) or not _CELL_NAME.fullmatch(name):
            raise InputError(f"A cell must be of a known method and a split from 0 to 999999; got {name!r}.")
        return self._cells / name


def _check_mark(path: Path, mark: str, parameters: Mapping[str, Any]) -> None:
    if not path.exists():
        content = {"fingerprint": mark, "parameters": parameters}
        with atomic_file(path) as file:
            file.write((json.dumps(content, indent=1, sort_keys=True) + "\n").encode())
        return
    try:
        found = json.loads(path.read_bytes())
        known, before = found["fingerprint"], found["parameters"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: the fingerprint of a cache must be readable, but is damaged. Choose another folder."
        ) from error
    if known != mark:
        wanted = json.loads(json.dumps(dict(parameters)))
        changed = [key for key in wanted if not isinstance(before, dict) or before.get(key) != wanted[key]]
        cause = f"its {', '.join(changed)} differ" if changed else "its data differ"
        raise InputError(
            f"{path.parent}: a cache must hold cells of the same data and parameters, but {cause}. "
            "Choose another folder, or repeat the run that started this one."
        )
