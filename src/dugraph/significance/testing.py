"""`significant_subgraphs`: which connected subgraphs really differ."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.cluster.parts import check_parts
from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import check_kind, check_positive_int, check_word, is_real
from dugraph.data.label_order import check_label_order
from dugraph.data.participant_columns import column_names
from dugraph.data.phenotype import CLASSES
from dugraph.exceptions import InputError, Setting
from dugraph.search.limits import (
    check_min_expected_frequency,
    check_time_limit,
    none_admitted,
    refuse_too_large,
    resolve_n_jobs,
)
from dugraph.search.progress import crew_text, progress_reporter
from dugraph.significance.answer import make_result
from dugraph.significance.family import Subgraph
from dugraph.significance.maxima import Listed, Maxima, TestProblem, list_subgraphs, parted_maxima
from dugraph.significance.messages import shard_done
from dugraph.significance.random_streams import check_random_state
from dugraph.significance.relabelings import Relabelings, check_alpha_reachable, check_labels_move
from dugraph.significance.result import SignificanceResult
from dugraph.significance.setup import make_setup
from dugraph.significance.size_classes import n_size_classes
from dugraph.significance.statistics import make_denominator, scaled_weights
from dugraph.significance.step_down import reject
from dugraph.words import STATISTICS

# Of one relabeling, contrast and graph: labels, weights, a copy in the core's order, one in single precision.
_BYTES_PER_WEIGHT = 36


def significant_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    blocks: Any = None,
    covariates: Any = None,
    statistic: str = "z",
    n_permutations: int = 999,
    alpha: float = 0.05,
    size_classes: int = 4,
    step_down: bool = False,
    permute: str = "within",
    min_expected_frequency: float = 0.1,
    max_edges: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> SignificanceResult:
    """Test all admitted connected subgraphs at once, with strong control of the family-wise error.

    Labels are permuted, and in every relabeling the largest statistic over all admitted subgraphs is found. A
    subgraph is significant if few relabelings reach its statistic anywhere.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1]; 0 means that the edge is absent. Effects in a LabelledGraphs are those
        of its positive class against the other one.
    y : array-like of shape (n_graphs,), left out with LabelledGraphs
        Two classes, whatever they are called; numbers with more than two values are a continuous phenotype;
        text with more than two values names groups, each of which is compared with the rest.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    blocks : str, list of str, or array-like of shape (n_graphs,), optional
        Sites, pairs, strata: labels are permuted only within blocks. Values, or names of columns of
        ``participants``; several columns are crossed. Default: one block.
    covariates : str, list of str, DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p), optional
        What to adjust for: values, or names of columns of ``participants``. Text and booleans become
        indicators. Relabelings then have the probabilities that the covariates imply (see Notes).
    statistic : {"z", "difference", "t"}, default "z"
        The weighted difference of containment probabilities, divided by its standard deviation
        over graphs and possible worlds ("z"), itself ("difference"), or as a partial correlation ("t").
    n_permutations : int, default 999
        Random relabelings. All distinct ones are used instead if there are no more than that.
    alpha : float, default 0.05
        The family-wise error.
    size_classes : int, default 4
        Subgraphs of 1, 2, ..., and of `size_classes` or more edges have separate null distributions and share
        alpha equally.
    step_down : bool, default False
        Leave significant subgraphs out of the maxima and test again until no new one is found.
    permute : {"within", "whole"}, default "within"
        "within": labels are permuted within blocks. "whole": for repeated scans, labels of whole blocks are
        permuted among blocks with the same number of graphs.
    min_expected_frequency : float, default 0.1
        Subgraphs are admitted if their expected frequency exceeds this, whatever their labels.
    max_edges : int, optional
        Test subgraphs of at most this many edges.
    random_state : int, default 0
        Seed of the relabelings.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors, -2 all but one.
    time_limit : float, optional
        Seconds after which the test ends with an error: an unfinished test has no p-values.
    client : distributed.Client, optional
        Dask workers that go through the relabelings instead of this process, each task with `n_jobs` threads.
        They may join, leave or be lost during the run; the answer is the same to the byte.
    checkpoint : path-like, optional
        A file that saves the finished relabelings: written every 20 seconds and when the test ends,
        whatever ends it. A call with the same input and parameters resumes from it, and ends with the same
        bytes. A file of another test, or a damaged one, is refused.
    shard : str, optional
        "3/16": only the third of 16 parts of the relabelings, for job arrays. It ends with
        ShardDone, since a part has no p-values; `merge_shards` merges the checkpoints of all shards.
    progress : bool or callable, optional
        True shows a live line; a callable receives a dict of numbers about ten times a second.

    Returns
    -------
    SignificanceResult
        The significant subgraphs with adjusted p-values and effects, and the claim that is made about them.

    Raises
    ------
    InputError
        If the input breaks a rule, or if no p-value could be as small as alpha.
    UnfinishedTestError
        If the time limit was reached.

    Notes
    -----
    The null hypothesis of a subgraph is that its presence is independent of y within blocks, not only that
    means are equal. Statistic, sizes and limits must be fixed before looking at y, and so must the edge
    probabilities.

    Without covariates the error is controlled exactly. Given covariates, relabelings are drawn in proportion
    to their probability given the covariates, by log odds that are linear in them and estimated from y; the
    control is then approximate. Strata of a covariate as `blocks` keep it exact.

    Examples
    --------
    >>> X = [[0.9, 0.9, 0.2], [0.9, 0.8, 0.4], [0.8, 0.9, 0.1], [0.9, 0.9, 0.3], [0.9, 0.9, 0.3],
    ...      [0.2, 0.1, 0.3], [0.1, 0.2, 0.2], [0.3, 0.1, 0.4], [0.1, 0.1, 0.1], [0.1, 0.2, 0.2]]
    >>> result = significant_subgraphs(X, ["ill"] * 5 + ["well"] * 5, max_edges=2)
    >>> result.subgraphs, result.n_relabelings, result.exact
    ([(0, 1), (1,), (0,)], 252, True)
    >>> result.p_values.round(3)
    array([0.016, 0.016, 0.016])
    """
    begin = time.monotonic()
    cohort, y, pos_label = _given(X, y, edges)
    parameters: dict[str, Any] = {
        "statistic": check_word("statistic", statistic, STATISTICS),
        "n_permutations": check_positive_int("n_permutations", n_permutations),
        "alpha": _check_alpha(alpha),
        "size_classes": check_positive_int("size_classes", size_classes),
        "step_down": check_kind(step_down, bool, "step_down"),
        "permute": permute,
        "min_expected_frequency": check_min_expected_frequency(min_expected_frequency),
        "max_edges": None if max_edges is None else check_positive_int("max_edges", max_edges),
        "random_state": check_random_state(random_state),
    }
    limit, n_threads = check_time_limit(time_limit), resolve_n_jobs(n_jobs)
    part = check_parts(shard, checkpoint, client)
    if part is not None and step_down:
        raise InputError(
            "step_down needs the maxima of all relabelings, which a shard does not have.",
            parameter="step_down",
            way_out=("Leave out ", Setting("shard"), "."),
        )
    n_classes = n_size_classes(parameters["size_classes"], parameters["max_edges"], cohort.n_edges)
    setup = make_setup(
        cohort,
        y,
        blocks,
        covariates,
        permute,
        pos_label=pos_label,
        min_expected_frequency=parameters["min_expected_frequency"],
        max_edges=parameters["max_edges"],
        n_classes=n_classes,
    )
    parameters |= {
        "labels": setup.phenotype.kind,
        "blocks": column_names(blocks, "blocks", cohort),
        "covariates": column_names(covariates, "covariates", cohort),
    }
    relabelings = Relabelings(setup.design, parameters["n_permutations"], parameters["random_state"])
    check_alpha_reachable(parameters["alpha"], n_classes, len(relabelings), relabelings.n_distinct)
    refuse_too_large(
        _BYTES_PER_WEIGHT * len(relabelings) * len(setup.phenotype.contrasts) * cohort.n_graphs,
        "The test needs",
        f" for {len(relabelings):,} relabelings of {cohort.n_graphs:,} graphs",
        ("Use a smaller ", Setting("n_permutations"), "."),
    )
    codes = relabelings.codes(0, len(relabelings))
    if setup.design.adjusted:
        check_labels_move(codes, parameters["alpha"], n_classes)
    weights = scaled_weights(setup.design.residual_weights(codes), statistic)
    denominator = make_denominator(setup.design, statistic)
    problem = TestProblem(setup.family, denominator, n_threads)
    maxima = parted_maxima(problem, weights, parameters, checkpoint=checkpoint, shard=part, client=client)
    with progress_reporter(progress, progress_line) as report:

        def maxima_without(excluded: Collection[Subgraph]) -> Maxima:
            return maxima(excluded, limit - (time.monotonic() - begin), report)

        def list_from(thresholds: NDArray[np.float64]) -> Listed:
            left = limit - (time.monotonic() - begin)
            return list_subgraphs(setup.family, weights[:1], denominator, thresholds, n_threads, left, report)

        first = maxima_without(())
        if part is not None:
            raise shard_done(part)
        if not first.n_admitted.any():
            raise none_admitted(cohort, parameters["min_expected_frequency"])
        again = maxima_without if step_down else None
        rejections = reject(setup.family, first, parameters["alpha"], list_from, again)
    return make_result(setup, relabelings, first, rejections, parameters, time.monotonic() - begin)


def _given(
    X: ArrayLike | LabelledGraphs, y: ArrayLike | None, edges: ArrayLike | None
) -> tuple[UncertainGraphs, Any, object]:
    """The graphs, their labels, and the positive class where there is a choice."""
    if isinstance(X, LabelledGraphs):
        labelled = LabelledGraphs.of_any(X, y, edges=edges)
        return labelled.graphs, labelled.y, labelled.positive_class if labelled.kind == CLASSES else None
    if y is None:
        raise InputError(
            "y must have one label per graph, but there is none. Give y, or a LabelledGraphs as X.",
            parameter="y",
        )
    cohort = check_cohort(X, edges)
    check_label_order(y, X)
    return cohort, y, None


def _check_alpha(alpha: float) -> float:
    if not is_real(alpha) or not 0 < alpha < 1:
        raise InputError(
            f"alpha must be a number above 0 and below 1, but is {alpha!r}. It is the probability of any "
            "false discovery that you are willing to accept: 0.05 means 5 %.",
            parameter="alpha",
        )
    return float(alpha)


def progress_line(now: dict[str, Any]) -> str:
    """The state of a test in a line."""
    rate = now["n_visited"] / max(now["seconds"], 1e-9)
    return f"{now['n_visited']:,} subgraphs tested ({rate:,.0f}/s), {crew_text(now)}{now['seconds']:.1f} s"
