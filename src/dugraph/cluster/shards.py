"""Shards: a computation divided into parts for a job array, each with a checkpoint, and merged in the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dugraph.cluster.checkpoint import Identity, check_layout, read_part
from dugraph.exceptions import InputError

MOST_SHARDS = 100_000
_PARAMETER = "shard"


class Shard(NamedTuple):
    """Part `number`, from 1, of `n_shards`."""

    number: int
    n_shards: int

    def __str__(self) -> str:
        return f"{self.number}/{self.n_shards}"


class ShardFile(NamedTuple):
    """The content of a shard's checkpoint."""

    path: Path
    shard: Shard
    whole: Identity
    content: dict[str, NDArray[Any]]


def check_shard(shard: object) -> Shard | None:
    """Parse ``"3/16"``; None for None."""
    if shard is None:
        return None
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", shard) if isinstance(shard, str) else None
    part = Shard(int(match[1]), int(match[2])) if match else Shard(0, 0)
    if not 1 <= part.number <= part.n_shards <= MOST_SHARDS:
        raise InputError(
            f"shard must be like 3/16, the third of 16 parts, with at most {MOST_SHARDS} of them, but is "
            f"{shard!r}.",
            parameter="shard",
        )
    return part


def of_shard(whole: Identity, shard: Shard | None) -> Identity:
    """The identity of a shard's checkpoint, or of the whole without a shard."""
    return whole if shard is None else replace(whole, parameters={**whole.parameters, _PARAMETER: str(shard)})


def read_shards(paths: Sequence[Path], layouts: Mapping[str, Mapping[str, str]]) -> list[ShardFile]:
    """Read all shards of one computation, in their order.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    layouts : mapping of str to mapping
        Arrays of a file, by command.

    Raises
    ------
    InputError
        If a shard is missing, appears twice or belongs to another computation: with its name.
    """
    if not paths:
        raise InputError("At least one shard is needed to merge, but none is named.")
    files = [_read(path, layouts) for path in paths]
    first, by_number = files[0], dict[int, ShardFile]()
    for file in files:
        differences = first.whole.differences(file.whole)
        if first.shard.n_shards != file.shard.n_shards:
            differences.append(f"it is one of {file.shard.n_shards} shards, not of {first.shard.n_shards}")
        if differences:
            raise InputError(
                f"{file.path}: the shards must belong to one computation, but this one differs from "
                f"{first.path}: {'; '.join(differences)}. Merge only shards that belong together."
            )
        other = by_number.setdefault(file.shard.number, file)
        if other is not file:
            raise InputError(
                f"{file.path}: each shard must appear once, but this is shard {file.shard}, and so is "
                f"{other.path}. Leave one of them out."
            )
    missing = [k for k in range(1, first.shard.n_shards + 1) if k not in by_number]
    if missing:
        named = ", ".join(f"{k}/{first.shard.n_shards}" for k in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise InputError(
            f"All {first.shard.n_shards} shards are needed, but {len(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing: {named}{more}. Run these first."
        )
    return [by_number[k] for k in sorted(by_number)]


def _read(path: Path, layouts: Mapping[str, Mapping[str, str]]) -> ShardFile:
    identity, content = read_part(path)
    parameters = dict(identity.parameters)
    shard = check_shard(parameters.pop(_PARAMETER, None))
    if shard is None or identity.command not in layouts:
        raise InputError(f"{path}: the file must be a shard, but is a checkpoint of a whole computation.")
    check_layout(path, content, layouts[identity.command])
    return ShardFile(path, shard, replace(identity, parameters=parameters), content)
