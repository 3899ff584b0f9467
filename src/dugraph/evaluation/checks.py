"""Checks of the numbers of an evaluation, before anything is computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from dugraph.data.arguments import check_positive_int, is_whole, told
from dugraph.data.wording import is_one_of
from dugraph.exceptions import InputError
from dugraph.probability.scores import default_phi
from dugraph.search.limits import check_min_expected_frequency, check_time_limit
from dugraph.words import DEFAULT_PHI


def check_sizes(n_subgraphs: Sequence[int]) -> tuple[int, ...]:
    """The numbers of features, if they are different whole numbers."""
    if not isinstance(n_subgraphs, Iterable) or isinstance(n_subgraphs, str):
        raise InputError(
            f"n_subgraphs must be a list of numbers, such as [100, 200]; got {n_subgraphs!r}.",
            parameter="n_subgraphs",
        )
    sizes = tuple(check_positive_int("n_subgraphs", t, "Each of ") for t in n_subgraphs)
    if not sizes or len(set(sizes)) < len(sizes):
        raise InputError(
            f"n_subgraphs must be different positive numbers, at least one; got {sizes}.",
            parameter="n_subgraphs",
        )
    return sizes


def check_limits(parameters: Mapping[str, Any]) -> None:
    """Check what every mining gets."""
    check_min_expected_frequency(parameters["min_expected_frequency"])
    check_time_limit(parameters["time_limit"])
    for name in ("max_edges", "node_limit"):
        if parameters[name] is not None:
            check_positive_int(name, parameters[name])


def check_metric(metric: object, known: Collection[str]) -> None:
    """Refuse what was not measured."""
    if not is_one_of(metric, known):
        raise InputError(f"metric must be one of {', '.join(known)}: got {told(metric)}.", parameter="metric")


def check_phi(phi: float | Mapping[str, float] | None) -> dict[str, float]:
    """The phi of each score: its own, unless another is given."""
    if phi is None or isinstance(phi, Mapping):
        given = dict(phi or {})
        unknown = [score for score in given if score not in DEFAULT_PHI]
        if unknown:
            raise InputError(
                f"phi must be given for {', '.join(DEFAULT_PHI)}; got {unknown[0]!r}.", parameter="phi"
            )
        return {**DEFAULT_PHI, **{score: default_phi(score, value) for score, value in given.items()}}
    return {score: default_phi(score, phi) for score in DEFAULT_PHI}


def check_seed(random_state: int) -> int:
    """The seed, if it is one that both NumPy and scikit-learn take."""
    if not is_whole(random_state) or not 0 <= random_state < 2**32:
        raise InputError(
            f"random_state must be a whole number from 0 to {2**32 - 1}, but is {random_state!r}.",
            parameter="random_state",
        )
    return int(random_state)
