"""The t best connected subgraphs of a cohort: the paper's DUG, exactly."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs
from dugraph.data.phenotype import CLASSES
from dugraph.exceptions import SearchInterrupted
from dugraph.probability.scores import Score
from dugraph.search.find import find_subgraphs
from dugraph.search.messages import warn_about
from dugraph.search.one_vs_rest import check_multi_class, one_vs_rest, refuse_parts
from dugraph.search.result import MiningResult, Status


def mine_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    score: Score = "hsic",
    measure: str = "expectation",
    phi: float | None = None,
    quantile: float = 0.5,
    n_subgraphs: int = 100,
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    max_correlation: float | None = None,
    score_cap: float | None = None,
    bound: str = "mass",
    pos_label: object = None,
    multi_class: str | None = None,
    covariates: Any = None,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    node_limit: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    threshold_file: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> MiningResult:
    """Find the connected subgraphs with the largest measure of their score, exactly.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1]; 0 means that the edge is absent.
    y : array-like of shape (n_graphs,)
        Two classes; omitted, like `pos_label`, with LabelledGraphs, which have their own. With "hsic" and
        "expectation" also a continuous phenotype, numbers with more than two values, or several groups, text
        with more than two values: write the numbers of groups as text.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: taken from the columns of a DataFrame if they name their edges,
        ``A--B``; otherwise all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    score : str or callable, default "hsic"
        "confidence", "frequency_ratio", "g_test", "hsic", "information_gain", or a vectorised f(a, b, p, q).
    measure : str, default "expectation"
        "expectation", "median", "quantile", "mode", "phi_probability", or "frequency", which ranks by
        expected frequency without looking at the classes.
    phi : float, optional
        The smallest score that counts as discriminative, for "phi_probability".
    quantile : float, default 0.5
        For "quantile"; strictly between 0 and 1.
    n_subgraphs : int, default 100
        How many subgraphs to find (t).
    min_expected_frequency : float, default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
    max_edges : int, optional
        Restrict the search to subgraphs of at most this many edges; the answer is optimal among these.
    max_correlation : float in [0, 1], optional
        For subgraphs that complement each other: going down the ranking, one is left out if the absolute
        Pearson correlation of its containment probabilities with those of an earlier one exceeds this. Exact:
        the search goes as far down as it takes to keep `n_subgraphs`. Two subgraphs that are constant over
        the graphs repeat each other (correlation 1); a constant one and one that varies do not (correlation
        0). Default, and 1: no subgraph is left out.
    score_cap : float, optional
        Larger scores, including infinite ones, become this value. Default: max(1000, largest finite score).
    bound : str, default "mass"
        "frequency" prunes only by expected frequency, "worldwise" adds the paper's bounds, "mass" adds ours.
        The answer is the same to the byte; the work differs.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    multi_class : {"ovr"}, optional
        How other scores and measures treat more than two classes: "ovr" compares each with the rest, and
        lists in turn the best of each class that is not listed yet. Values of different classes are then not
        comparable, and numbers are classes too.
    covariates : str, list of str, DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p), optional
        What to adjust for, with "hsic" and "expectation": values, or names of columns of ``participants``.
        Text and booleans become indicators. Subgraphs are then ranked by what the covariates leave of y.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors, -2 all but one.
    time_limit : float, optional
        Seconds after which the best subgraphs so far are returned, with a valid gap and a warning; going
        through them for `max_correlation` may take a tenth more.
    node_limit : int, optional
        The same for the number of admitted subgraphs seen; the search stops soon after it. Both hold for all
        rounds of `max_correlation` together.
    client : distributed.Client, optional
        Dask workers to search with instead of this process, each task with `n_jobs` threads. They may join,
        leave or be lost during the run; the answer is the same to the byte.
    checkpoint : path-like, optional
        A file that saves the state of the search: written every 20 seconds and when it ends, whatever
        ends it. A call with the same graphs and parameters resumes from it, even on another machine and with
        other limits, which hold for each call alone, or another `n_jobs`; the answer is that of one search,
        to the byte. A file of another search, or a damaged one, is refused. It stays when the answer is
        proven; calls then return it at once.
    shard : str, optional
        "3/16": only the third of 16 parts of the search, for job arrays. The answer is the best of that part;
        `merge_shards` merges the checkpoints of all shards.
    threshold_file : path-like, optional
        With `shard`: a small file, one for all shards of a search, through which they share what they
        have reached. It saves work and does not change a byte of what `merge_shards` returns; one of another
        search, or a damaged one, is refused.
    progress : bool or callable, optional
        True shows a live line; a callable receives a dict of numbers about ten times a second.

    Returns
    -------
    MiningResult
        Subgraphs, values, and what is proven about them.

    Raises
    ------
    SearchInterrupted
        On Ctrl-C: a KeyboardInterrupt whose attribute `result` has the best subgraphs so far.

    Warns
    -----
    LimitReachedWarning
        A limit was reached: the answer is valid, but not proven.
    FewerSubgraphsWarning
        Fewer subgraphs are admitted than requested, or left by `max_correlation`.
    AssumedClassWarning
        The score is "confidence", classes are not 1 and 0 or -1, and `pos_label` is not given.

    Examples
    --------
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> result = mine_subgraphs(X, [1, 1, 0, 0], n_subgraphs=2, min_expected_frequency=0.3)
    >>> result.subgraphs, result.status.name
    ([(0, 1), (1,)], 'OPTIMAL')
    >>> asked = {"n_subgraphs": 2, "min_expected_frequency": 0.3, "max_correlation": 0.55}
    >>> mine_subgraphs(X, [1, 1, 0, 0], **asked).subgraphs
    [(0, 1), (0,)]

    A phenotype, and the same adjusted for a covariate:

    >>> age, motion = [61, 58, 44, 40], [0.3, 0.1, 0.2, 0.1]
    >>> mine_subgraphs(X, age, n_subgraphs=1).subgraphs
    [(0, 1)]
    >>> mine_subgraphs(X, age, covariates=motion, n_subgraphs=1).values.round(2)
    array([14.12])
    """
    one_by_one = check_multi_class(multi_class)
    any_y = LabelledGraphs.of_groups if one_by_one else LabelledGraphs.of_any
    labelled = any_y(X, y, pos_label, edges)
    settings: dict[str, Any] = {
        "score": score,
        "measure": measure,
        "phi": phi,
        "quantile": quantile,
        "n_subgraphs": n_subgraphs,
        "min_expected_frequency": min_expected_frequency,
        "max_edges": max_edges,
        "max_correlation": max_correlation,
        "score_cap": score_cap,
        "bound": bound,
        "covariates": covariates,
        "n_jobs": n_jobs,
        "time_limit": time_limit,
        "node_limit": node_limit,
        "client": client,
        "checkpoint": checkpoint,
        "shard": shard,
        "threshold_file": threshold_file,
        "progress": progress,
    }
    if one_by_one and labelled.kind != CLASSES:
        refuse_parts(checkpoint, shard)
        result = one_vs_rest(labelled, find_subgraphs, settings)
    else:
        result = find_subgraphs(labelled, **settings)
    if result.status is Status.INTERRUPTED:
        raise SearchInterrupted(result)
    if shard is None or not result.success:
        warn_about(result, labelled.graphs)
    return result
