"""The folder of a shard, and `merge_shards`: one checkpoint made of those of all shards."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from dugraph.cluster.parts import check_place, read_shards
from dugraph.exceptions import InputError
from dugraph.files.atomic import check_path, write_folder
from dugraph.files.text import json_bytes
from dugraph.results import schema
from dugraph.results.cohort_ref import CohortRef, PathLike, input_record, recorded_cohort
from dugraph.search.parts import write_merged as write_merged_search
from dugraph.significance.maxima import write_merged as write_merged_test

SHARD_FILE = "shard.npz"
"""The checkpoint of a shard, in its folder."""
_RECORD = "shard.json"


class _ShardFile(Struct):
    """shard.json: the command, input and settings of a shard."""

    command: Literal["mine", "test"]
    input: schema.Input
    settings: dict[str, str | int | schema.Number | bool | list[str] | None]


class Merged(NamedTuple):
    """The command of the merged shards, and whether all of them are complete."""

    command: str
    is_done: bool


def merge_shards(files: Iterable[PathLike], checkpoint: PathLike) -> Merged:
    """Merge the checkpoints of all shards.

    `mine_subgraphs` or `significant_subgraphs`, called with it and what the shards were called with, then
    give the answer at once, to the byte that of one call without shards.

    Parameters
    ----------
    files : iterable of path-like
        The checkpoints of all shards of one search or test; of a search they need not be done.
    checkpoint : path-like
        The file to write.

    Returns
    -------
    Merged
        ``command``, "mine" or "test", and ``is_done``.

    Raises
    ------
    InputError
        If a shard is missing, appears twice, is of something else, is damaged, or, of a test, not done.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", random_state=0)
    >>> asked = {"n_subgraphs": 2, "min_expected_frequency": 0.5}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = [Path(folder) / f"{k}.npz" for k in (1, 2)]
    ...     for k, part in enumerate(parts, start=1):
    ...         shard = dg.mine_subgraphs(graphs, y, **asked, shard=f"{k}/2", checkpoint=part)
    ...     merged = dg.results.merge_shards(parts, Path(folder) / "merged.npz")
    ...     result = dg.mine_subgraphs(graphs, y, **asked, checkpoint=Path(folder) / "merged.npz")
    >>> result.subgraphs == dg.mine_subgraphs(graphs, y, **asked).subgraphs
    True
    """
    if isinstance(files, (str, bytes, os.PathLike)) or not isinstance(files, Iterable):
        raise InputError(f"files must be the paths of all shards, but is {reprlib.repr(files)}.")
    shards = read_shards([Path(check_path(file)) for file in files])
    place, command = check_place(checkpoint), shards[0].whole.command
    if command == "mine":
        return Merged(command, write_merged_search(shards, place))
    write_merged_test(shards, place)
    return Merged(command, True)


def begin_shard(folder: PathLike, command: Any, source: CohortRef, settings: Mapping[str, Any]) -> Path:
    """Write the record of a shard into its folder; return the path of its checkpoint."""
    record = _ShardFile(command, input_record(source, folder, brief=True), dict(settings))
    write_folder(folder, {_RECORD: json_bytes(msgspec.to_builtins(record))})
    return Path(folder) / SHARD_FILE


class ShardRun(NamedTuple):
    """The command, input and settings of a shard."""

    command: str
    source: CohortRef
    settings: dict[str, Any]


def read_shard_run(folder: PathLike, data: PathLike | None) -> ShardRun:
    """Read the record of a shard; `data` is the cohort file, if it has moved."""
    file = Path(folder) / _RECORD
    record = schema.read_json(file, _ShardFile)
    return ShardRun(record.command, recorded_cohort(file, record.input, data), dict(record.settings))
