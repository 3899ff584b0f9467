"""What a caller says about parts: checked before any work."""

from __future__ import annotations

from typing import Any

from dugraph.cluster.checkpoint import check_place
from dugraph.cluster.dask_pool import check_client
from dugraph.cluster.part_file import PathLike
from dugraph.cluster.shards import Shard, check_shard, check_shard_place


def check_parts(shard: str | None, checkpoint: PathLike | None, client: Any) -> Shard | None:
    """Refuse words that no work in parts can be made of; gives the shard."""
    part = check_shard(shard)
    check_shard_place(part, checkpoint)
    if checkpoint is not None:
        check_place(checkpoint)
    if client is not None:
        check_client(client)
    return part
