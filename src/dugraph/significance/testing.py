"""`significant_subgraphs`: which connected subgraphs differ, with control of the family-wise error."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.cluster.parts import check_parts
from dugraph.data import LabelledGraphs
from dugraph.data.arguments import (
    check_fraction,
    check_kind,
    check_positive_int,
    check_word,
    resolve_seed,
)
from dugraph.exceptions import InputError, Setting
from dugraph.probability.containment import containment_columns
from dugraph.search.limits import (
    check_min_expected_frequency,
    check_time_limit,
    cluster_text,
    none_admitted,
    progress_reporter,
    refuse_too_large,
    resolve_n_jobs,
)
from dugraph.significance.design import Family, Setup, Subgraph, make_setup
from dugraph.significance.maxima import Listed, Maxima, PartedMaxima, TestProblem, list_subgraphs
from dugraph.significance.permutations import (
    Permutations,
    check_alpha_reachable,
    check_labels_move,
)
from dugraph.significance.result import (
    SignificanceResult,
    claim,
    edge_disjoint,
    irreducible_subgraphs,
    shard_done,
)
from dugraph.significance.statistics import (
    TIE_TOLERANCE,
    Denominator,
    adjusted_p_values,
    conditional_intervals,
    critical_values,
    effect_errors,
    effects,
    is_significant,
    make_denominator,
    n_size_classes,
    partial_correlations,
    scaled_weights,
    size_class_names,
)
from dugraph.words import ALTERNATIVES, STATISTICS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Per permutation, contrast and graph: label, weight, a copy in the core's order, one in single precision.
_BYTES_PER_WEIGHT = 36
POWER_QUANTILE = 0.8416212335729143  # of the normal law, for a power of 0.8


def significant_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    target: str | None = None,
    edges: ArrayLike | None = None,
    blocks: Any = None,
    covariates: Any = None,
    statistic: str = "z",
    alternative: str = "two-sided",
    n_permutations: int = 999,
    alpha: float = 0.05,
    size_classes: int = 4,
    step_down: bool = False,
    permute: str = "within",
    min_expected_frequency: float = 0.1,
    max_edges: int | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = 0,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> SignificanceResult:
    """Test all admitted connected subgraphs at once, with strong control of the family-wise error.

    Labels are permuted, and the largest statistic over all admitted subgraphs is found in every permutation.
    A subgraph is significant if few permutations reach its statistic anywhere.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1]; 0 means that the edge is absent. Effects in a LabelledGraphs are those
        of its positive class against the other one.
    y : array-like of shape (n_graphs,), left out with LabelledGraphs
        Two classes of any names; numbers with more than two values are a continuous phenotype; text with
        more than two values names groups, each of which is compared with the rest.
    target : {"groups", "phenotype"}, optional
        Whether numbers with more than two values are codes of groups or a continuous phenotype. Required for
        whole numbers with 3 to 20 values; other numbers are a phenotype.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    blocks : str, list of str, or array-like of shape (n_graphs,), optional
        Sites, pairs, strata: labels are permuted only within blocks. Values, or names of columns of
        ``participants``; several columns are crossed. Default: one block.
    covariates : str, list of str, DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p), optional
        Variables to adjust for: values, or names of columns of ``participants``. Text and booleans become
        indicators. Permutations are then drawn with their probability given the covariates (see Notes).
    statistic : {"z", "difference", "t"}, default "z"
        The weighted difference of containment probabilities, divided by its standard deviation
        over graphs and possible worlds ("z"), itself ("difference"), or as a partial correlation ("t").
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" finds only subgraphs with a positive effect: more frequent in the positive class, increasing
        with the phenotype, or more frequent in a group than in the rest; "less" only those with a negative
        one. The direction must be fixed before looking at the labels.
    n_permutations : int, default 999
        Random permutations. All distinct ones are used instead if there are no more than that.
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
        Subgraphs are admitted if their expected frequency exceeds this, whatever their labels. The default is
        lower than that of `mine_subgraphs`, 0.2: the calibration and power of the test were studied at 0.1,
        and one traversal serves all permutations, so additional subgraphs cost little.
    max_edges : int, optional
        Test subgraphs of at most this many edges.
    random_state : int, numpy.random.Generator, RandomState or None, default 0
        Seed of the permutations. A generator, or None for a new seed in every call, draws one;
        ``parameters["random_state"]`` of the result repeats the test. A checkpoint needs a number.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors, -2 all but one.
    time_limit : float, optional
        Seconds after which the test ends with an error: an unfinished test has no p-values.
    client : distributed.Client, optional
        Dask workers that compute the permutations instead of this process, each task with `n_jobs` threads.
        Workers may join and leave during the run; the answer is the same to the byte.
    checkpoint : path-like, optional
        A file for the finished permutations, written every 20 seconds and at the end, also after an
        interrupt. A call with the same input and parameters resumes from it and gives the same result, to the
        byte. A file of another test, or a damaged one, is refused.
    shard : str, optional
        "3/16": only the third of 16 parts of the permutations, for job arrays. It ends with
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

    Without covariates the error is controlled exactly. Given covariates, permutations are drawn in proportion
    to their probability given the covariates, by log odds that are linear in them and estimated from y; the
    control is then approximate. Strata of a covariate as `blocks` keep it exact.

    Examples
    --------
    >>> X = [[0.9, 0.9, 0.2], [0.9, 0.8, 0.4], [0.8, 0.9, 0.1], [0.9, 0.9, 0.3], [0.9, 0.9, 0.3],
    ...      [0.2, 0.1, 0.3], [0.1, 0.2, 0.2], [0.3, 0.1, 0.4], [0.1, 0.1, 0.1], [0.1, 0.2, 0.2]]
    >>> result = significant_subgraphs(X, ["ill"] * 5 + ["well"] * 5, max_edges=2)
    >>> result.subgraphs, result.n_permutations, result.exact
    ([(0, 1), (1,), (0,)], 252, True)
    >>> result.p_values.round(3)
    array([0.016, 0.016, 0.016])
    """
    begin = time.monotonic()
    labelled = LabelledGraphs.of_any(X, y, edges=edges, target=target)
    cohort = labelled.graphs
    parameters: dict[str, Any] = {
        "statistic": check_word("statistic", statistic, STATISTICS),
        "alternative": check_word("alternative", alternative, ALTERNATIVES),
        "n_permutations": check_positive_int("n_permutations", n_permutations),
        "alpha": check_alpha(alpha),
        "size_classes": check_positive_int("size_classes", size_classes),
        "step_down": check_kind(step_down, bool, "step_down"),
        "permute": permute,
        "min_expected_frequency": check_min_expected_frequency(min_expected_frequency),
        "max_edges": None if max_edges is None else check_positive_int("max_edges", max_edges),
        "random_state": resolve_seed(random_state, saved=checkpoint is not None),
    }
    limit, n_threads = check_time_limit(time_limit), resolve_n_jobs(n_jobs)
    part = check_parts(shard, checkpoint, client)
    if part is not None and step_down:
        raise InputError(
            "step_down needs the maxima of all permutations, which a shard does not have.",
            parameter="step_down",
            way_out=("Leave out ", Setting("shard"), "."),
        )
    n_classes = n_size_classes(parameters["size_classes"], parameters["max_edges"], cohort.n_edges)
    setup = make_setup(
        labelled,
        None,
        blocks,
        covariates,
        permute,
        min_expected_frequency=parameters["min_expected_frequency"],
        max_edges=parameters["max_edges"],
        n_classes=n_classes,
    )
    parameters |= setup.parameters
    permutations, weights, denominator = permuted_weights(setup, parameters, n_classes)
    problem = TestProblem(setup.family, denominator, n_threads)
    maxima = PartedMaxima(problem, weights, parameters, checkpoint=checkpoint, shard=part, client=client)
    with progress_reporter(progress, progress_line) as report:

        def maxima_without(excluded: Collection[Subgraph]) -> Maxima:
            return maxima(excluded, limit - (time.monotonic() - begin), report)

        def list_from(thresholds: NDArray[np.float64]) -> Listed:
            left = limit - (time.monotonic() - begin)
            return list_subgraphs(problem, weights[:1], thresholds, left, report)

        first = maxima_without(())
        if part is not None:
            raise shard_done(part)
        if not first.n_admitted.any():
            raise none_admitted(cohort, parameters["min_expected_frequency"])
        again = maxima_without if step_down else None
        rejections = reject(setup.family, first, parameters["alpha"], list_from, again)
    return make_result(setup, permutations, first, rejections, parameters, time.monotonic() - begin)


def permuted_weights(
    setup: Setup, parameters: dict[str, Any], n_classes: int = 1
) -> tuple[Permutations, Floats, Denominator]:
    """Draw the permutations of a test and scale their weights; refuse those that cannot reach alpha."""
    alpha, n_graphs = parameters["alpha"], setup.cohort.n_graphs
    permutations = Permutations(setup.design, parameters["n_permutations"], parameters["random_state"])
    check_alpha_reachable(alpha, n_classes, len(permutations), permutations.n_distinct)
    refuse_too_large(
        _BYTES_PER_WEIGHT * len(permutations) * len(setup.phenotype.contrasts) * n_graphs,
        "The test needs",
        f" for {len(permutations):,} permutations of {n_graphs:,} graphs",
        ("Use a smaller ", Setting("n_permutations"), "."),
    )
    codes = permutations.codes(0, len(permutations))
    if setup.design.adjusted:
        check_labels_move(codes, alpha, n_classes)
    kind = parameters["statistic"], parameters.get("alternative", ALTERNATIVES[0])
    weights = scaled_weights(setup.design.residual_weights(codes), *kind)
    return permutations, weights, make_denominator(setup.design, *kind)


def check_alpha(alpha: float) -> float:
    """Refuse an alpha that is not a probability."""
    meaning = "It is the probability of any false discovery that you are willing to accept: 0.05 means 5 %."
    return check_fraction("alpha", alpha, meaning)


def progress_line(now: dict[str, Any]) -> str:
    """The state of a test in a line."""
    rate = now["n_visited"] / max(now["seconds"], 1e-9)
    return f"{now['n_visited']:,} subgraphs tested ({rate:,.0f}/s), {cluster_text(now)}{now['seconds']:.1f} s"


class Rejections(NamedTuple):
    """Listed subgraphs with their adjusted p-values, and the critical values of the last step."""

    listed: Listed
    classes: NDArray[np.int64]
    p_values: Floats
    critical_values: Floats


def reject(
    family: Family,
    first: Maxima,
    alpha: float,
    list_from: Callable[[Floats], Listed],
    maxima_without: Callable[[Collection[Subgraph]], Maxima] | None,
) -> Rejections:
    """List every significant subgraph, and the best of each class even if it is not significant.

    Step-down (Romano and Wolf, 2005): rejected subgraphs leave the family, the maxima shrink, and more may be
    rejected, until no new one is. The error is still controlled: before the first wrong rejection only true
    discoveries had left, so that all true nulls were among the maxima.

    `first` are the maxima over the whole family. `list_from` lists the subgraphs that reach a threshold per
    class; `maxima_without` gives the maxima without some subgraphs, and is None for a single step.
    """
    maxima = first.maxima
    critical = critical_values(maxima, alpha)
    significant: dict[Subgraph, float] = {}
    while True:
        listed = list_from(_thresholds(critical, first.maxima[0]))
        classes = np.array([family.size_class(len(g)) for g in listed.subgraphs], dtype=np.int64)
        p_values = adjusted_p_values(listed.statistics, classes, maxima)
        # A p-value is never smaller than one that was rejected before it.
        floor = max(significant.values(), default=0.0)
        known = len(significant)
        for k in np.flatnonzero(is_significant(p_values, alpha)).tolist():
            significant.setdefault(listed.subgraphs[k], max(float(p_values[k]), floor))
        if maxima_without is None or len(significant) == known:
            break
        maxima = maxima_without(significant.keys()).maxima
        # A class that was rejected as a whole keeps its last critical value.
        left = maxima.any(axis=0)
        critical = np.where(left, critical_values(maxima, alpha), critical)
    p_values = np.array([significant.get(g, p) for g, p in zip(listed.subgraphs, p_values, strict=True)])
    return Rejections(listed, classes, p_values, critical)


def _thresholds(critical: Floats, observed: Floats) -> Floats:
    """Thresholds that include all significant subgraphs and the best of each class."""
    # The tolerance includes the best even if another order of additions makes it smaller.
    return np.where(observed > 0, np.minimum(critical, observed) * (1 - TIE_TOLERANCE), np.inf)


def make_result(
    setup: Setup,
    permutations: Permutations,
    maxima: Maxima,
    rejections: Rejections,
    parameters: dict[str, Any],
    seconds: float,
) -> SignificanceResult:
    """Rank the significant subgraphs and build the result."""
    listed, design, units = rejections.listed, setup.design, setup.design.units
    alpha, n_classes = parameters["alpha"], len(maxima.n_admitted)
    ranked = sorted(
        np.flatnonzero(is_significant(rejections.p_values, alpha)).tolist(),
        key=lambda k: (
            rejections.p_values[k],
            -listed.statistics[k],
            len(listed.subgraphs[k]),
            listed.subgraphs[k],
        ),
    )
    chosen = np.array(ranked, dtype=np.int64)
    original = [tuple(sorted(setup.edges[list(g)].tolist())) for g in listed.subgraphs]
    subgraphs = [original[k] for k in ranked]
    statistics = listed.statistics[chosen]
    irreducible = irreducible_subgraphs(subgraphs, statistics)
    representative = edge_disjoint(subgraphs, irreducible)
    containment, contrasts = _containment(setup, listed, chosen), listed.contrasts[chosen]
    estimates = effects(containment, contrasts, design)
    # With its own denominator, the effect at which a subgraph has the critical value of its class.
    critical = rejections.critical_values[rejections.classes[chosen]]
    intervals = conditional_intervals(
        estimates,
        effect_errors(containment, contrasts, design),
        np.abs(estimates) * critical / statistics,
        one_sided=parameters["alternative"] != "two-sided",
    )
    # The best of each class; NaN and None for classes without subgraphs.
    best = _best_of_classes(rejections, n_classes)
    best_subgraphs: list[Subgraph | None] = [None] * n_classes
    best_p_values, critical_effects = np.full(n_classes, np.nan), np.full(n_classes, np.nan)
    for size_class, k in best.items():
        best_subgraphs[size_class], best_p_values[size_class] = original[k], rejections.p_values[k]
        effect = abs(effects(_containment(setup, listed, [k]), listed.contrasts[[k]], design)[0])
        critical_effects[size_class] = effect * rejections.critical_values[size_class] / listed.statistics[k]
    return SignificanceResult(
        subgraphs=subgraphs,
        p_values=rejections.p_values[chosen],
        statistics=statistics,
        effects=estimates,
        effect_intervals=intervals,
        contrasts=[setup.phenotype.contrasts[c] for c in contrasts],
        sizes=np.array([len(g) for g in subgraphs], dtype=np.int64),
        representative=representative,
        size_classes=size_class_names(n_classes, setup.family.max_edges),
        critical_values=np.where(maxima.n_admitted > 0, rejections.critical_values, np.nan),
        critical_effects=critical_effects,
        best_subgraphs=best_subgraphs,
        best_p_values=best_p_values,
        null_maxima=maxima.maxima,
        n_admitted=maxima.n_admitted,
        n_permutations=len(permutations),
        n_distinct_permutations=permutations.n_distinct,
        exact=permutations.exact,
        n_blocks=units.n_blocks,
        n_informative_blocks=units.n_informative_blocks,
        message=claim(
            setup,
            parameters,
            n_significant=len(subgraphs),
            n_irreducible=int(irreducible.sum()),
            n_families=int(representative.sum()),
            n_tested=int(maxima.n_admitted.sum()),
            smallest_p=np.nanmin(best_p_values, initial=1.0),
            detectable=_detectable(setup, maxima, rejections, parameters["statistic"]),
        ),
        seconds=seconds,
        parameters=parameters,
        naming=setup.cohort.naming,
        partial_correlations=partial_correlations(containment, contrasts, design),
    )


def _containment(setup: Setup, listed: Listed, chosen: Iterable[int]) -> Floats:
    """Containment probabilities of chosen subgraphs, shape (n_chosen, n_graphs)."""
    subgraphs = [listed.subgraphs[k] for k in chosen]
    return np.asarray(containment_columns(setup.family.edge_probability.T, subgraphs).T)


def _best_of_classes(rejections: Rejections, n_classes: int) -> dict[int, int]:
    """The listed subgraph with the largest statistic of each class that has one; the first of equal ones."""
    inside = {k: np.flatnonzero(rejections.classes == k) for k in range(n_classes)}
    statistics = rejections.listed.statistics
    return {k: int(rows[np.argmax(statistics[rows])]) for k, rows in inside.items() if len(rows)}


def _detectable(setup: Setup, maxima: Maxima, rejections: Rejections, statistic: str) -> dict[str, float]:
    """The effect per size that the test finds with a power of 0.8, in the least favourable case.

    That is a subgraph that is certainly present in half of the graphs and certainly absent from the others:
    others have smaller variances, and need smaller effects.
    """
    design = setup.design
    squares = (design.residual_weights(design.units.codes[None])[0] ** 2).sum(axis=1)
    names = size_class_names(len(maxima.n_admitted), setup.family.max_edges)
    n_moving = int(design.informative.sum())
    cell_scale = make_denominator(design, "z").cell_scale
    sizes = np.bincount(design.graph_cells, minlength=cell_scale.shape[1])
    error = np.sqrt(cell_scale @ sizes / 4) / squares
    by = {"z": error, "t": np.sqrt(n_moving / 4) / np.sqrt(squares), "difference": np.ones(len(squares))}[
        statistic
    ]
    return {
        name: float((critical * by + POWER_QUANTILE * error).max())
        for name, critical, n in zip(names, rejections.critical_values, maxima.n_admitted, strict=True)
        if n
    }
