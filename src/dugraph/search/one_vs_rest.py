"""Several classes: one search for each class against the rest, and one list of their best in turn."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import check_word
from dugraph.exceptions import InputError
from dugraph.search.result import COUNTERS, MiningResult, Status
from dugraph.words import MULTI_CLASS

Subgraph = tuple[int, ...]


def check_multi_class(multi_class: object) -> bool:
    """Whether each class is compared with the rest."""
    return multi_class is not None and bool(check_word("multi_class", multi_class, MULTI_CLASS))


def one_vs_rest(
    cohort: LabelledGraphs, find: Callable[..., MiningResult], settings: dict[str, Any]
) -> MiningResult:
    """Search for each class against the rest, and take the best of each in turn.

    Parameters
    ----------
    cohort : LabelledGraphs
        Of several groups.
    find : callable
        A search of a cohort of two classes.
    settings : dict
        Its arguments; limits hold for all searches together.

    Returns
    -------
    MiningResult
        Each class in turn adds its best subgraph that is not listed yet. Counters and times are sums.
    """
    wanted = settings["n_subgraphs"]
    found: list[MiningResult] = []
    seconds, nodes = settings["time_limit"], settings["node_limit"]
    for k, group in enumerate(cohort.classes):
        left = len(cohort.classes) - k  # time that a search leaves goes to the later ones
        done_seconds, done_nodes = (sum(getattr(r, name) for r in found) for name in ("seconds", "n_visited"))
        limits = {
            "time_limit": None if seconds is None else max((seconds - done_seconds) / left, 1e-3),
            "node_limit": None if nodes is None else max((nodes - done_nodes) // left, 1),
        }
        found.append(find(cohort.one_against_rest(group), **{**settings, **limits}))
        if found[-1].status is Status.INTERRUPTED:
            break
    chosen = _in_turn([one.subgraphs for one in found], wanted)
    first, places = found[0], list(chosen.values())
    stopped = [one for one in found if not one.success]
    groups = cohort.group_names
    values = np.array([found[k].values[r] for k, r in places])
    sums = {
        name: sum(getattr(one, name) for one in found) for name in (*COUNTERS, "seconds", "setup_seconds")
    }
    return dataclasses.replace(
        first,
        subgraphs=list(chosen),
        values=values,
        status=stopped[0].status if stopped else Status.OPTIMAL,
        message=stopped[0].message if stopped else _proven(len(places), len(groups)),
        threshold=float(values.min()) if len(places) == wanted else -math.inf,
        # Classes left out by an interrupt have no bound.
        best_open_bound=max(one.best_open_bound for one in found) if len(found) == len(groups) else math.inf,
        positive_class=None,
        parameters={**first.parameters, "labels": cohort.kind, "multi_class": MULTI_CLASS[0]},
        contrasts=[f"{groups[k]} against the rest" for k, _ in places],
        **sums,
    )


def _in_turn(lists: list[list[Subgraph]], wanted: int) -> dict[Subgraph, tuple[int, int]]:
    """The chosen subgraphs in order, each with the index of its list and its rank there."""
    chosen: dict[Subgraph, tuple[int, int]] = {}
    left = [iter([(g, (k, r)) for r, g in enumerate(one)]) for k, one in enumerate(lists)]
    grown = True
    while grown:
        grown = False
        for one in left:
            new = next((entry for entry in one if entry[0] not in chosen), None)
            if new is not None and len(chosen) < wanted:
                chosen[new[0]] = new[1]
                grown = True
    return chosen


def _proven(n_found: int, n_groups: int) -> str:
    return (
        f"Proven for each of {n_groups} classes against the rest: taking in turn the best subgraph of each "
        f"class that is not yet listed gives the {n_found} listed."
    )


def refuse_parts(checkpoint: object, shard: object) -> None:
    """Raise InputError for a checkpoint or shard of several searches."""
    for name, value in (("checkpoint", checkpoint), ("shard", shard)):
        if value is not None:
            raise InputError(
                f"{name} applies to one search, but each class is compared with the rest in its own search.",
                parameter=name,
                way_out="Leave it out, or give two classes.",
            )
