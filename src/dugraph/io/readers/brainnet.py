"""BrainNet Viewer: `SUBJECT.edge`, a square matrix each, and a `.node` file with positions and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Floats, Sample, joined
from dugraph.io.delimited import is_number, read_square
from dugraph.io.format import Format
from dugraph.io.guards import read_text
from dugraph.io.options import ReadOptions
from dugraph.io.readers.per_subject import SubjectFiles, files_with, subject_files
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.source import Source

_EDGE, _NODE = (".edge",), ".node"
# x, y, z, colour, size, label; a label of - stands for none.
_N_CELLS = 6
_NO_LABEL = "-"


def finds(source: Source) -> str | None:
    """Return whether there are .edge files, by their ending."""
    files = files_with(source, _EDGE)
    return f"{counted(len(files), 'file')} .edge" if files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per .edge file; names and positions from the .node file, if there is one."""
    found = subject_files(source, _EDGE, "BrainNet Viewer", options)
    if options.select:
        raise InputError(
            "select must be left out for .edge files: every file is one subject.", parameter="select"
        )
    nodes = [file for file in source.files if file.suffix.lower() == _NODE]
    options.budget.check_files([*found.files, *nodes])
    samples = _samples(found, nodes, options)
    connectomes = joined(samples, options.values or "correlation", options.budget, options.atlas)
    return replace(connectomes, y=found.y, y_file=source.path)


def _samples(found: SubjectFiles, nodes: list[Path], options: ReadOptions) -> Iterator[Sample]:
    read: dict[Path, tuple[tuple[str, ...] | None, Floats]] = {}
    for graph_id, file in zip(found.ids, found.files, strict=True):
        sample = matrix_sample(read_square(file, options.budget), graph_id, file)
        node = _node_file(file, nodes)
        if node is not None:
            if node not in read:
                read[node] = _nodes(node, options)
            labels, places = read[node]
            if len(places) != len(sample.values):
                raise InputError(
                    f"{node}: there must be one line per region, but it has {len(places)}, and {file} has "
                    f"{counted(len(sample.values), 'region')}. Use the file that belongs to these matrices."
                )
            sample = replace(sample, node_labels=labels, node_coordinates=places)
        yield sample


def _node_file(file: Path, nodes: list[Path]) -> Path | None:
    """Return the .node file of the same name, or the only one."""
    own = [node for node in nodes if node.with_suffix("") == file.with_suffix("")]
    if own or len(nodes) <= 1:
        return next(iter(own or nodes), None)
    raise InputError(
        f"{file}: it needs one {_NODE} file, but there are "
        f"{listed(one.name for one in nodes)}. Keep one for all subjects, or name them like the .edge files."
    )


def _nodes(file: Path, options: ReadOptions) -> tuple[tuple[str, ...] | None, Floats]:
    lines = enumerate(read_text(file, options.budget).decode().splitlines(), 1)
    rows = [(i, line.split()) for i, line in lines if line.strip() and not line.startswith("#")]
    for i, cells in rows:
        if len(cells) != _N_CELLS or not all(map(is_number, cells[:5])):
            raise InputError(
                f"{file}, line {i}: a line must hold x, y, z, colour, size, a label without spaces, but is "
                f"{shown(' '.join(cells))!r}. Correct it."
            )
    if not rows:
        raise InputError(f"{file}: the file must have a line per region, but has none.")
    places = np.array([[float(cell) for cell in cells[:3]] for _, cells in rows])
    if not np.isfinite(places).all():
        raise InputError(f"{file}: x, y and z of every region must be finite numbers. Correct them.")
    labels = tuple(cells[5] for _, cells in rows)
    return None if set(labels) == {_NO_LABEL} else labels, places


FORMAT = Format(
    "brainnet",
    "BrainNet Viewer: one .edge matrix per subject, with a .node file of positions and labels",
    finds,
    read,
)
