"""The search of a shard: a part of the work that all shards cut alike, and what becomes of all parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dugraph.cluster.identity import digest
from dugraph.cluster.part_file import write_part
from dugraph.cluster.shards import Shard, ShardFile
from dugraph.exceptions import InputError
from dugraph.files.archive_writing import AnyArray
from dugraph.search.core import NO_LIMIT
from dugraph.search.open_work import OpenWork
from dugraph.search.pieces import Piece
from dugraph.search.result import Status
from dugraph.search.search_state import SearchState
from dugraph.search.slices import Effort, SearchProblem, search_slice

PIECES_PER_SHARD = 64
"""Open subgraphs to deal out: so many that shards are about equally long."""
_DEEPEST = 5  # edges of subgraphs that are dealt out, at most


def shard_state(problem: SearchProblem, shard: Shard, n_subgraphs: int) -> SearchState:
    """What a shard begins with: subgraphs of a few edges met, and its part of what extends them.

    Every shard computes this anew, on one thread and from nothing but the problem, so that all cut the work
    alike; `SearchState.dealt` tells whether they did.
    """
    state = SearchState(n_subgraphs)
    for size in range(2, _DEEPEST + 1):
        if not state.ready or state.ready[0].work.n_open >= PIECES_PER_SHARD * shard.n_shards:
            break
        effort = Effort(n_subgraphs, *state.start, math.inf, NO_LIMIT, open_at=size, n_threads=1)
        piece = state.ready[0]
        found = search_slice(problem, piece.work, effort, state.listing)
        if found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        state = state.sent(size, piece).returned(size, found)
    if not state.ready:
        return state
    whole = state.ready[0]
    hands = whole.work.dealt(shard.n_shards)
    own = hands[shard.number - 1] if shard.number <= len(hands) else OpenWork.of_tasks(())
    ready = () if own.is_empty else (Piece(own, whole.bound),)
    return replace(state, ready=ready, dealt=bytes.fromhex(digest(*whole.work[1:])))


def write_merged(files: Sequence[ShardFile], path: Path) -> bool:
    """Write the checkpoint of the whole search that shards are parts of; True if all of them are done.

    Raises
    ------
    InputError
        If the shards have not cut the work alike, or were cut by a threshold that they do not reach.
    """
    states = [SearchState.from_arrays(file.content) for file in files]
    for file, state in zip(files, states, strict=True):
        if state.dealt != states[0].dealt:
            raise InputError(
                f"{file.path}: all shards must divide the work in the same way, but this one differs from "
                f"{files[0].path}. Run them with the same build of dugraph."
            )
    merged = replace(states[0].recalled(), dealt=b"")
    for state in states[1:]:
        merged = replace(
            merged,
            listing=merged.listing.merged(state.listing, merged.n_subgraphs),
            ready=(*merged.ready, *state.ready),
        ).hearing(state.told)
    if merged.is_done:
        merged.check_told()
    finished = merged if merged.is_done else SearchState(0, ready=())
    content: dict[str, AnyArray] = {
        **merged.arrays(),
        **{f"finished_{name}": array for name, array in finished.arrays().items()},
        "seconds": np.sum([file.content["seconds"] for file in files], axis=0),
        "counters": np.sum([file.content["counters"] for file in files], axis=0),
    }
    write_part(path, files[0].whole, content)
    return merged.is_done
