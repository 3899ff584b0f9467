"""Computations in parts: checkpoints to resume from, shards of job arrays, and the loop over the parts.

A checkpoint is an .npz file with the identity of the computation that it belongs to and the arrays of its
state. It is replaced as a whole, so that it is never half written. The parts run in this process or on the
workers of a cluster.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from dugraph._version import __version__
from dugraph.cluster.dask import DaskPool, check_client
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import read_archive, write_archive

SECONDS = 20.0
"""Time between two saves: the most that a killed run loses, besides the part it was working on."""
SHARE = 0.01
"""Largest share of the time spent saving: large checkpoints are saved less often."""
MOST_SHARDS = 100_000
_IDENTITY, _SHARD = "part_of", "shard"

Arrays = Mapping[str, NDArray[Any]]
PathLike = str | os.PathLike[str]


# ---------------------------------------------------------------- what a file belongs to


@dataclass(frozen=True)
class Identity:
    """Everything that the result of a computation depends on.

    `command` is "mine" or "test", `parameters` are JSON values, and `inputs` has the SHA-256 of each input by
    its name in an error message: "graphs", "labels".
    """

    command: str
    parameters: dict[str, Any]
    inputs: dict[str, str]
    version: str = __version__

    def text(self) -> str:
        """JSON on one line; equal computations have equal text."""
        return json.dumps(vars(self), sort_keys=True, default=lambda value: value.item())  # NumPy scalars

    def differences(self, other: Identity) -> list[str]:
        """Clauses that say how `other` differs; empty for the same computation."""
        ours, theirs = json.loads(self.text()), json.loads(other.text())
        if self.command != other.command:
            return [f"it was written by `{other.command}`, not by `{self.command}`"]
        found = []
        if self.version != other.version:
            found.append(f"it was written by dugraph {other.version}, and this is {self.version}")
        for member, clause in (
            ("inputs", "the {name} differ"),
            ("parameters", "its {name} is {its}, not {mine}"),
        ):
            for name in sorted({*ours[member], *theirs[member]}):
                mine, its = ours[member].get(name), theirs[member].get(name)
                if mine != its:
                    found.append(clause.format(name=name, its=json.dumps(its), mine=json.dumps(mine)))
        return found


def digest(*arrays: NDArray[Any]) -> str:
    """SHA-256 of types, shapes and contents."""
    total = hashlib.sha256()
    for array in arrays:
        contiguous = np.ascontiguousarray(array)
        total.update(f"{contiguous.dtype.str}{contiguous.shape}".encode())
        total.update(contiguous.data if contiguous.size else b"")
    return total.hexdigest()


def write_part(path: PathLike, identity: Identity, content: Arrays) -> None:
    """Write the identity and the arrays of a part, replacing the file as a whole."""
    write_archive(path, {_IDENTITY: np.array([identity.text()]), **content})


def read_part(path: PathLike) -> tuple[Identity, dict[str, NDArray[Any]]]:
    """Read a file of `write_part` and verify its checksum."""
    arrays = read_archive(path)
    try:
        return msgspec.json.decode(str(arrays.pop(_IDENTITY)[0]), type=Identity), arrays
    except (LookupError, msgspec.MsgspecError) as error:
        raise _not_a_part(path) from error


def check_layout(path: PathLike, arrays: Arrays, like: Arrays) -> None:
    """Raise InputError unless a file has arrays of the same names, types and dimensions as `like`."""
    ours, theirs = ({name: (one.dtype.str, one.ndim) for name, one in x.items()} for x in (like, arrays))
    if ours != theirs:
        raise _not_a_part(path)


def _not_a_part(path: PathLike) -> InputError:
    return InputError(
        f"{path}: the file must hold a part of a computation, written with the same release of dugraph, but "
        "it holds something else. Name another file."
    )


class Checkpoint:
    """The file of one computation; without a path, nothing is saved.

    `identify` returns the identity of the computation; it is called only if there is a path.
    """

    def __init__(self, path: PathLike | None, identify: Callable[[], Identity]) -> None:
        self._path = None if path is None else Path(path).absolute()
        self._identify = identify
        self._due = time.monotonic() + SECONDS

    def __bool__(self) -> bool:
        return self._path is not None

    @cached_property
    def _identity(self) -> Identity:
        return self._identify()

    def load(self, like: Arrays) -> dict[str, NDArray[Any]] | None:
        """Read what an earlier run saved, which has arrays as `like`; None without a file.

        A damaged file, or one of another computation, is refused.
        """
        if self._path is None or not self._path.exists():
            return None
        try:
            found, content = read_part(self._path)
            differences = self._identity.differences(found)
            if not differences:
                check_layout(self._path, content, like)
                return content
        except InputError as error:
            raise InputError(
                f"{error} Nothing was computed. Without the file, the run starts from the beginning.",
                parameter="checkpoint",
            ) from error
        raise InputError(
            f"checkpoint must belong to the same computation, but in {self._path} {'; '.join(differences)}. "
            "Use the settings of that file, name another file, or remove this one.",
            parameter="checkpoint",
        )

    @property
    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return self._path is not None and time.monotonic() >= self._due

    def save(self, content: Arrays) -> None:
        """Write the state of the run."""
        if self._path is not None:
            begin = time.monotonic()
            write_part(self._path, self._identity, content)
            end = time.monotonic()
            self._due = end + max(SECONDS, (end - begin) / SHARE)


def check_place(path: PathLike) -> Path:
    """Validate the path of a checkpoint: a file, or a name in a writable folder."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        what = f"must be the path of a file or None, but is {path!r}."
    elif (place := Path(path).absolute()).is_dir():
        what = f"must name a file, but {path} is a folder. Add the name of the file."
    elif not os.access(place.parent, os.W_OK | os.X_OK):
        what = f"must name a file in a writable folder, but {place.parent} is not one."
    else:
        return place
    raise InputError(f"checkpoint {what}", parameter="checkpoint")


# ---------------------------------------------------------------- shards


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
    return whole if shard is None else replace(whole, parameters={**whole.parameters, _SHARD: str(shard)})


def read_shards(paths: Sequence[Path]) -> list[ShardFile]:
    """Read all shards of one computation, in their order; missing, double and foreign ones are refused."""
    if not paths:
        raise InputError("At least one shard is needed to merge, but none is named.")
    files = [_read_shard(path) for path in paths]
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
    n_shards = first.shard.n_shards
    missing = [str(Shard(k, n_shards)) for k in range(1, n_shards + 1) if k not in by_number]
    if missing:
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise InputError(
            f"All {n_shards} shards are needed, but {len(missing)} {'is' if len(missing) == 1 else 'are'} "
            f"missing: {', '.join(missing[:20])}{more}. Run these first."
        )
    return [by_number[k] for k in sorted(by_number)]


def _read_shard(path: Path) -> ShardFile:
    identity, content = read_part(path)
    parameters = dict(identity.parameters)
    shard = check_shard(parameters.pop(_SHARD, None))
    if shard is None or identity.command not in ("mine", "test"):
        raise InputError(f"{path}: the file must be a shard, but is a checkpoint of a whole computation.")
    return ShardFile(path, shard, replace(identity, parameters=parameters), content)


# ---------------------------------------------------------------- running


class InThisProcess:
    """A pool that runs one task ``function(subject, *arguments)`` at a time in this process.

    `n_workers` is the number of worker processes, None here, and `n_wanted` the number of tasks to keep
    submitted, so that no worker is idle.
    """

    n_workers: int | None = None
    n_wanted = 1

    def __init__(self, subject: Any) -> None:
        self._subject = subject
        self._waiting: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._numbers = itertools.count()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Queue a task and return its number."""
        number = next(self._numbers)
        self._waiting.append((number, function, arguments))
        return number

    def done(self) -> Iterable[tuple[int, Any]]:
        """Run the queued tasks; yield number and result of each."""
        while self._waiting:
            number, function, arguments = self._waiting.pop(0)
            yield number, function(self._subject, *arguments)

    def cancel(self) -> None:
        """Empty the queue."""
        self._waiting.clear()


Pool = InThisProcess | DaskPool


class Job(Protocol):
    """The state of a computation in parts: what is done, what is open, what is running.

    `submit` submits open work until the pool has as many tasks as it wants, and `receive` adds the result of
    a task. `content` is the state as arrays, in which running parts count as open; `numbers` are counters for
    the progress function, `n_tasks` among them.

    An interrupt may come at any time. Results are therefore added before the work that gave them is removed:
    at worst, a part is done twice.
    """

    @property
    def is_done(self) -> bool: ...
    def submit(self, pool: Pool) -> None: ...
    def receive(self, task: int, found: Any) -> None: ...
    def content(self) -> Arrays: ...
    def numbers(self) -> Mapping[str, Any]: ...


def run_parts(
    job: Job,
    pool: Pool,
    checkpoint: Checkpoint,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Run a job to its end; whatever ends the run, the checkpoint is saved.

    `progress` is called with the job's numbers while workers compute; in this process, tasks call it.
    """
    try:
        while not job.is_done:
            job.submit(pool)
            for task, found in pool.done():
                job.receive(task, found)
            if progress is not None and pool.n_workers is not None:
                progress({**job.numbers(), "n_workers": pool.n_workers})
            if checkpoint.is_due:
                checkpoint.save(job.content())
    finally:
        pool.cancel()
        checkpoint.save(job.content())


def make_pool(client: Any, subject: Any) -> Pool:
    """A pool of the client's workers, or of this process if there is no client."""
    return InThisProcess(subject) if client is None else DaskPool(client, subject)


def check_parts(shard: str | None, checkpoint: PathLike | None, client: Any) -> Shard | None:
    """Validate shard, checkpoint and client; return the shard."""
    part = check_shard(shard)
    if part is not None and checkpoint is None:
        raise InputError(
            "shard needs a file to save its part in, but none is given.",
            parameter="shard",
            way_out=("Give ", Setting("checkpoint"), " too, a file for each shard."),
        )
    if checkpoint is not None:
        check_place(checkpoint)
    if client is not None:
        check_client(client)
    return part
