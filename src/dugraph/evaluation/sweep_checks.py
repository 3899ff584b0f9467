"""Checks of the arguments of all studies: the last is not to be refused after the first ran for hours."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import as_list, whole_number
from dugraph.evaluation.checks import check_seed, check_sizes
from dugraph.evaluation.splits import make_splits
from dugraph.exceptions import InputError
from dugraph.probability.scores import default_phi
from dugraph.search.limits import check_min_expected_frequency, check_time_limit, resolve_n_jobs


def check_studies(
    studies: Collection[str],
    cohort: LabelledGraphs,
    *,
    phis: Sequence[float],
    n_splits: int,
    n_subgraphs: Sequence[int],
    min_expected_frequency: float,
    min_expected_frequencies: Sequence[float],
    n_graphs: Sequence[int] | None,
    time_limit: float | None,
    random_state: int,
    n_jobs: int | None,
) -> None:
    """Check what the studies are going to be given.

    Parameters
    ----------
    studies : collection of str
        Of "phi", "pruning" and "scaling"; arguments of the others are not looked at.
    cohort : LabelledGraphs
        Which all of them are about.
    phis, ..., n_jobs
        As for `phi_study`, `pruning_study` and `scaling_study`.
    """
    check_sizes(n_subgraphs)
    check_time_limit(time_limit)
    check_seed(random_state)
    if "phi" in studies:
        check_phis(phis)
        make_splits(cohort.target, cohort.names, n_splits, random_state=random_state)
        resolve_n_jobs(n_jobs)
    if "phi" in studies or "scaling" in studies:
        check_min_expected_frequency(min_expected_frequency)
    if "pruning" in studies:
        check_limits_of_frequency(min_expected_frequencies)
    if "scaling" in studies:
        graph_numbers(n_graphs, cohort)


def check_phis(phis: Sequence[float]) -> list[float]:
    """The phi of HSIC, if there are any and all are finite."""
    chosen = [default_phi("hsic", phi) for phi in as_list(phis, "phis", "numbers")]
    if not chosen:
        raise InputError("phis must be at least one number, such as [0.03]; got none.", parameter="phis")
    return chosen


def check_limits_of_frequency(min_expected_frequencies: Sequence[float]) -> list[float]:
    """The limits from the highest to the lowest."""
    limits = as_list(min_expected_frequencies, "min_expected_frequencies", "numbers")
    return sorted(map(check_min_expected_frequency, limits), reverse=True)


def graph_numbers(n_graphs: Sequence[int] | None, cohort: LabelledGraphs) -> list[int]:
    """How many graphs are drawn, in ascending order; parameters as for `scaling_study`."""
    most = 2 * min(cohort.n_pos, cohort.n_neg)
    if n_graphs is None:
        return [n for n in (4, 8, 12, 16, *range(20, most + 1, 20)) if n <= most]
    sizes = sorted({whole_number(n, "n_graphs") for n in as_list(n_graphs, "n_graphs", "whole numbers")})
    if not sizes or sizes[0] < 4 or sizes[-1] > most or any(n % 2 for n in sizes):
        raise InputError(
            f"n_graphs must be even numbers from 4 to {most}, half of each class; got {sizes}.",
            parameter="n_graphs",
        )
    return sizes
