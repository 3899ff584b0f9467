"""The paper's studies: phi against error and F1, pruning against time, number of graphs against time."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import as_list
from dugraph.evaluation.brute_force import mode_by_worlds
from dugraph.evaluation.checks import check_seed
from dugraph.evaluation.protocol import evaluate_methods
from dugraph.evaluation.study import Study, Value
from dugraph.evaluation.sweep_checks import check_limits_of_frequency, check_phis, graph_numbers
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.files.opening import check_path
from dugraph.search import MiningResult, mine_subgraphs
from dugraph.words import BOUNDS, Status

PHIS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06)
"""The paper's values of phi for HSIC."""


def phi_study(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    phis: Sequence[float] = PHIS,
    cache: str | os.PathLike[str] | None = None,
    **parameters: Any,
) -> Study:
    """Measure error and F1 of phi-hsic for several phi.

    Parameters
    ----------
    X, y, **parameters
        As for `evaluate_methods`; of these not `methods` and `phi`.
    phis : sequence of float, default 0.01, 0.02, ..., 0.06
    cache : path-like, default None
        Folder for finished cells, one folder in it for each phi.

    Returns
    -------
    Study
        Columns "phi", "t", "error", "f1", "n_found" (mean number of subgraphs).
    """
    rows: list[tuple[Value, ...]] = []
    for phi in check_phis(phis):
        folder = None if cache is None else Path(check_path(cache, "folder")) / f"phi-{float(phi):g}"
        result = evaluate_methods(X, y, methods=["phi-hsic"], phi=phi, cache=folder, **parameters)
        found = float(np.mean([cell.n_found or 0 for cell in result.cells]))
        error, f1 = result.mean("error")[0].tolist(), result.mean("f1")[0].tolist()
        for i, t in enumerate(result.n_subgraphs):
            rows.append((phi, t, error[i], f1[i], min(float(t), found)))
    title = "phi-hsic: error rate and F1 against phi, means over the splits"
    return Study("phi", title, "phi", "error", "t", ("phi", "t", "error", "f1", "n_found"), rows)


def pruning_study(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    min_expected_frequencies: Sequence[float] = (0.6, 0.5, 0.4, 0.3, 0.2),
    bounds: Sequence[str] = BOUNDS,
    n_subgraphs: int = 100,
    time_limit: float | None = 60.0,
    **parameters: Any,
) -> Study:
    """Measure the time of exp-hsic against min_sup, without pruning, with the paper's and with ours.

    Parameters
    ----------
    X, y, n_subgraphs, time_limit, **parameters
        As for `mine_subgraphs`. A bound that hits the time limit is not tried on lower frequencies.
    min_expected_frequencies : sequence of float
        From the highest to the lowest.
    bounds : sequence of str
        Of "frequency" (no pruning by score), "worldwise" (the paper's) and "mass" (ours).

    Returns
    -------
    Study
        Columns "min_expected_frequency", "bound", "seconds", "n_visited", "n_evaluated", "n_found", "status".
    """
    limits = check_limits_of_frequency(min_expected_frequencies)
    rows: list[tuple[Value, ...]] = []
    for bound in as_list(bounds, "bounds", "words"):
        for limit in limits:
            result = _mine(
                X,
                y,
                bound=bound,
                min_expected_frequency=limit,
                n_subgraphs=n_subgraphs,
                time_limit=time_limit,
                **parameters,
            )
            if result is None:
                continue
            counts = (result.n_visited, result.n_evaluated, len(result))
            rows.append((limit, bound, result.seconds, *counts, result.status.value))
            if not result.success:
                break
    columns = ("min_expected_frequency", "bound", "seconds", "n_visited", "n_evaluated", "n_found", "status")
    title = "exp-hsic: time against min_expected_frequency"
    return Study("pruning", title, "min_expected_frequency", "seconds", "bound", columns, rows)


def scaling_study(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    n_graphs: Sequence[int] | None = None,
    n_subgraphs: int = 100,
    min_expected_frequency: float = 0.2,
    time_limit: float = 60.0,
    pos_label: object = None,
    edges: ArrayLike | None = None,
    random_state: int = 0,
    **parameters: Any,
) -> Study:
    """Measure the time of mod-hsic against the number of graphs, with the brute force as far as it gets.

    The brute force enumerates the possible worlds of the most frequent edge alone, whose number doubles with
    every graph: what it is given is far less than what the search is given.

    Parameters
    ----------
    X, y, n_subgraphs, min_expected_frequency, pos_label, edges, **parameters
        As for `mine_subgraphs`.
    n_graphs : sequence of int, default None
        Even numbers, half of each class, drawn at random; None: 4, 8, 12, 16, 20, 40, ... up to
        what there is.
    time_limit : float, default 60.0
        Seconds for each search. The brute force ends before a step that would take longer.
    random_state : int, default 0
        Seed of drawing graphs.

    Returns
    -------
    Study
        Columns "n_graphs", "way" ("search" or "possible worlds"), "seconds", "n_subgraphs", "value" (the mode
        for the most frequent edge, "possible worlds" only), "status".
    """
    labelled = LabelledGraphs.of(X, y, pos_label, edges)
    cohort, positive = labelled.graphs, labelled.positive
    sizes = graph_numbers(n_graphs, labelled)
    rows: list[tuple[Value, ...]] = []
    order = _shuffled(positive, random_state)
    for n in sizes:
        chosen = np.sort(np.concatenate([members[: n // 2] for members in order]))
        result = _mine(
            cohort[chosen],
            positive[chosen],
            measure="mode",
            n_subgraphs=n_subgraphs,
            min_expected_frequency=min_expected_frequency,
            time_limit=time_limit,
            **parameters,
        )
        if result is not None:
            rows.append((n, "search", result.seconds, len(result), None, result.status.value))
    rows.extend(_brute_force(cohort, positive, order, sizes, time_limit))
    columns = ("n_graphs", "way", "seconds", "n_subgraphs", "value", "status")
    return Study(
        "scaling", "mod-hsic: time against the number of graphs", "n_graphs", "seconds", "way", columns, rows
    )


def _mine(X: Any, y: Any, **parameters: Any) -> MiningResult | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        try:
            return mine_subgraphs(X, y, **parameters)
        except NoneAdmitted:
            return None  # too high a limit for this cohort; lower ones follow


def _shuffled(positive: NDArray[np.bool_], random_state: int) -> list[NDArray[np.intp]]:
    rng = np.random.default_rng(check_seed(random_state))
    return [rng.permutation(np.flatnonzero(positive == label)) for label in (True, False)]


def _brute_force(
    cohort: UncertainGraphs,
    positive: NDArray[np.bool_],
    order: list[NDArray[np.intp]],
    sizes: list[int],
    time_limit: float,
) -> list[tuple[Value, ...]]:
    edge = int(cohort.edge_probability.mean(axis=0).argmax())
    rows: list[tuple[Value, ...]] = []
    # What only the first call has to do must not count as the time of the smallest number of graphs.
    mode_by_worlds(np.full((2, 1), 0.5), np.array([True, False]))
    last, seconds = 0, 0.0
    for n in sizes:
        expected = seconds * 2.0 ** (n - last)
        if last and expected > time_limit:
            rows.append((n, "possible worlds", None, 1, None, f"not tried: about {expected:.3g} s"))
            break
        chosen = np.sort(np.concatenate([members[: n // 2] for members in order]))
        begin = time.perf_counter()
        value = mode_by_worlds(cohort.edge_probability[chosen][:, [edge]], positive[chosen])
        last, seconds = n, time.perf_counter() - begin
        rows.append((n, "possible worlds", seconds, 1, value, Status.OPTIMAL.value))
    return rows
