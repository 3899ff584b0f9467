"""What a caller asks of a search in parts: checked, and made into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dugraph.cluster.checkpoint import Checkpoint, check_place
from dugraph.cluster.dask_pool import DaskPool
from dugraph.cluster.identity import Identity, digest
from dugraph.cluster.part_file import PathLike
from dugraph.cluster.parts import check_parts
from dugraph.cluster.pool import InThisProcess, Pool
from dugraph.cluster.shards import Shard, of_shard
from dugraph.exceptions import InputError, Setting
from dugraph.search.parted import PartedSearch
from dugraph.search.search_state import SearchState
from dugraph.search.shards import shard_state
from dugraph.search.shared_threshold import SharedThreshold
from dugraph.search.slices import SearchProblem


class Parts(NamedTuple):
    """Who searches which part, and where it is kept.

    Attributes
    ----------
    client : distributed.Client or None
    checkpoint : path-like or None
    shard : Shard or None
    threshold_file : path-like or None
        What shards help each other by.
    """

    client: Any = None
    checkpoint: PathLike | None = None
    shard: Shard | None = None
    threshold_file: PathLike | None = None


def check_search_parts(
    client: Any,
    checkpoint: PathLike | None,
    shard: str | None,
    threshold_file: PathLike | None,
    max_correlation: float | None,
) -> Parts:
    """Refuse words that no search in parts can be made of."""
    part = check_parts(shard, checkpoint, client)
    if part is not None and max_correlation not in (None, 1):
        raise InputError(
            "max_correlation needs the ranking of the whole search, which a shard does not have.",
            parameter="max_correlation",
            way_out=("Leave out ", Setting("shard"), "."),
        )
    if threshold_file is not None:
        check_place(threshold_file, "threshold_file")
        if part is None:
            raise InputError(
                "threshold_file is shared by the shards of one search, but this is not a shard.",
                parameter="threshold_file",
                way_out=("Leave it out, or give ", Setting("shard"), " too."),
            )
    return Parts(client, checkpoint, part, threshold_file)


def parted_search(
    problem: SearchProblem,
    parameters: Mapping[str, Any],
    inputs: Callable[[], Mapping[str, NDArray[Any]]],
    parts: Parts,
) -> PartedSearch:
    """The search for what `mine_subgraphs` was asked, in parts as far as it was asked for that.

    Parameters
    ----------
    problem : SearchProblem
    parameters : mapping
        Those of `mine_subgraphs`; the answer does not depend on `bound`.
    inputs : callable
        Gives what else enters the answer, by its name in a sentence; asked only where parts are kept.
    parts : Parts
    """
    whole, shard = partial(_identity, problem, parameters, inputs), parts.shard
    kept = Checkpoint(parts.checkpoint, lambda: of_shard(whole(), shard))
    shared = SharedThreshold(parts.threshold_file, whole)
    pool: Pool = InThisProcess(problem) if parts.client is None else DaskPool(parts.client, problem)
    if shard is None:
        return PartedSearch(problem, kept, pool, SearchState, shared)
    return PartedSearch(problem, kept, pool, partial(shard_state, problem, shard), shared)


def _identity(
    problem: SearchProblem,
    parameters: Mapping[str, Any],
    inputs: Callable[[], Mapping[str, NDArray[Any]]],
) -> Identity:
    graphs = problem.graphs
    return Identity(
        command="mine",
        parameters={name: value for name, value in parameters.items() if name != "bound"},
        inputs={
            "graphs": digest(graphs.edges, graphs.edge_probability),
            **{name: digest(array) for name, array in inputs().items()},
        },
    )
