"""`replicate`: test the subgraphs found in one cohort in another one.

The family is fixed by the first result, so it is small, and each of its subgraphs is tested in the direction
found. Permutations of the second cohort's labels give the maxima over the family; step-down removes subgraphs
already confirmed. Effects in the second cohort are not biased by the selection in the first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import (
    abbreviate,
    check_kind,
    check_positive_int,
    check_word,
    counted,
    is_real,
    listed,
    resolve_seed,
)
from dugraph.data.columns import named_columns, select_participants
from dugraph.data.edges import SEPARATOR
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.data.networkx_graphs import subgraphs_to_networkx
from dugraph.data.subgraphs import SubgraphLike, Subgraphs, check_subgraphs
from dugraph.exceptions import InputError, Setting
from dugraph.search.result import ResultTable, TabularResult, more_rows
from dugraph.significance.design import Phenotype, Setup, block_codes, make_setup, phenotype_of
from dugraph.significance.permutations import (
    SPLIT,
    stream,
)
from dugraph.significance.result import SignificanceResult, compared, error_bound, interval_text
from dugraph.significance.statistics import (
    block_effects,
    directed_statistics,
    effect_intervals,
    effects,
    is_significant,
    step_down_p_values,
)
from dugraph.significance.testing import check_alpha, permuted_weights, significant_subgraphs
from dugraph.words import FAMILIES, STATISTICS

if TYPE_CHECKING:
    import networkx
    import pandas

Floats = NDArray[np.float64]
_SMALL_BLOCK = 8
_ROWS = 20


@dataclass(frozen=True, repr=False)
class ReplicationResult(TabularResult):
    """Subgraphs of a first cohort, tested in a second one.

    Attributes
    ----------
    subgraphs : list of tuple of int
        Edge indices in the first cohort, in the order of its result.
    names : list of str
        The subgraphs by the names of their regions.
    p_values : ndarray of shape (n_subgraphs,)
        One-sided p-values in the second cohort, adjusted for all of `subgraphs`.
    replicated : ndarray of bool, shape (n_subgraphs,)
        Whether the p-value is at most alpha.
    first_p_values : ndarray of shape (n_subgraphs,)
        Adjusted p-values in the first cohort.
    conjunction_p_values : ndarray of shape (n_subgraphs,)
        The larger of the two p-values: small only if both cohorts show the difference (partial conjunction).
    statistics : ndarray of shape (n_subgraphs,)
        In the second cohort, positive in the direction found.
    effects, first_effects : ndarray of shape (n_subgraphs,)
        Differences in expected frequency, or slopes, in the second and in the first cohort. Those of the
        first cohort are inflated by selection.
    effect_intervals : ndarray of shape (n_subgraphs, 2)
        95 % bootstrap intervals of the effects in the second cohort, which are not affected by selection.
    contrasts : list of str
        The groups that each effect compares.
    n_permutations : int
        Permutations used, including the observed labels.
    n_distinct_permutations : int
    exact : bool
        Whether all distinct permutations were used.
    n_blocks, n_informative_blocks : int
    block_names : list of str
        The blocks, such as sites, that are large enough for a separate effect; empty without blocks.
    block_sizes : ndarray of int, shape (n_named_blocks,)
        Their numbers of graphs.
    block_effects : ndarray of shape (n_subgraphs, n_named_blocks)
        The effects within these blocks, adjusted for the covariates.
    block_intervals : ndarray of shape (n_subgraphs, n_named_blocks, 2)
        Their 95 % intervals, with standard errors robust to unequal variances (HC2).
    message : str
        The claim with its assumption.
    seconds : float
    parameters : dict
        The parameters of the call.
    discovery : SignificanceResult
        The result of the first cohort.
    holdout : ndarray of bool, shape (n_graphs,), or None
        For one cohort split in two parts, the graphs of the second part.

    Examples
    --------
    >>> from dugraph import find_and_replicate, simulate
    >>> graphs, y, _ = simulate("adhd", n_graphs=120, random_state=1)
    >>> result = find_and_replicate(graphs, y, min_expected_frequency=0.25)
    >>> result.to_frame().loc[0, ["first_effect", "effect"]].astype(float).round(2).tolist()
    [0.53, 0.34]
    """

    subgraphs: list[tuple[int, ...]]
    names: list[str]
    p_values: Floats
    replicated: NDArray[np.bool_]
    first_p_values: Floats
    conjunction_p_values: Floats
    statistics: Floats
    effects: Floats
    first_effects: Floats
    effect_intervals: Floats
    contrasts: list[str]
    n_permutations: int
    n_distinct_permutations: int
    exact: bool
    n_blocks: int
    n_informative_blocks: int
    block_names: list[str]
    block_sizes: NDArray[np.int64]
    block_effects: Floats
    block_intervals: Floats
    message: str
    seconds: float
    parameters: dict[str, Any]
    discovery: SignificanceResult
    holdout: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "subgraphs", Subgraphs(self.subgraphs, self.discovery.naming))

    def __len__(self) -> int:
        return len(self.subgraphs)

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgraph, as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(
            {
                "subgraph": self.names,
                "contrast": self.contrasts,
                "first_p_value": self.first_p_values,
                "p_value": self.p_values,
                "conjunction_p_value": self.conjunction_p_values,
                "replicated": self.replicated,
                "first_effect": self.first_effects,
                "effect": self.effects,
                "effect_lower": self.effect_intervals[:, 0],
                "effect_upper": self.effect_intervals[:, 1],
            }
        )

    def to_networkx(self) -> networkx.Graph:
        """The union of the subgraphs as one networkx graph, a MultiGraph if edges have layers.

        Nodes and edges are those of the first cohort. Edges have `index`, `n_subgraphs`, and `rank`,
        `p_value`, `effect` and `replicated` of the first subgraph in the list that contains them.
        """
        values = {"p_value": self.p_values, "effect": self.effects, "replicated": self.replicated}
        return subgraphs_to_networkx(self.discovery.naming, self.subgraphs, values)

    def _summary(self) -> str:
        n, tested = int(self.replicated.sum()), counted(len(self), "subgraph")
        return f"{n} of {tested} {'is' if n == 1 else 'are'} confirmed at {self.parameters['alpha']:g}"

    def _tables(self, n_rows: int = _ROWS) -> list[ResultTable]:
        rows = [
            (
                "yes" if self.replicated[k] else "no",
                f"{self.p_values[k]:.4g}",
                f"{self.conjunction_p_values[k]:.4g}",
                f"{self.first_effects[k]:+.3g}",
                f"{self.effects[k]:+.3g}",
                interval_text(self.effect_intervals[k]),
                self.names[k],
            )
            for k in range(min(n_rows, len(self)))
        ]
        effects = ("first effect", "effect", "95 % interval")
        heads = ("confirmed", "adjusted p", "both cohorts", *effects, "subgraph")
        title = f"effect: {compared(self.contrasts)}"
        return [ResultTable(heads, rows, more_rows(len(self), n_rows), title)] if rows else []


def replicate(
    result: SignificanceResult,
    X: ArrayLike | UncertainGraphs | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    subgraphs: str | Sequence[SubgraphLike] = "irreducible",
    blocks: Any = None,
    covariates: Any = None,
    statistic: str = "t",
    n_permutations: int = 999,
    alpha: float = 0.05,
    permute: str = "within",
    random_state: int | np.random.Generator | np.random.RandomState | None = 0,
) -> ReplicationResult:
    """Test subgraphs found in a first cohort in a second one, with control of the family-wise error.

    Subgraphs are matched by the names of their regions. Each is tested in the direction of its effect in the
    first cohort. Labels of the second cohort are permuted; an observed statistic is compared with the largest
    statistic over the family in each permutation, and confirmed subgraphs leave the maxima (step-down).

    Parameters
    ----------
    result : SignificanceResult
        The first cohort's result.
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        The second cohort. It must not share subjects with the first.
    y : array-like of shape (n_graphs,), left out with LabelledGraphs
        Labels of the same kind and with the same class or group names as in the first cohort.
    edges : array-like of shape (n_edges, 2), optional
        As in `significant_subgraphs`.
    subgraphs : {"irreducible", "representative", "all"} or list of subgraphs, default "irreducible"
        The family, which must be fixed before looking at the second cohort. A list contains some of
        ``result.subgraphs``, by edge indices or names.
    blocks, covariates, permute, random_state
        The design of the second cohort, as in `significant_subgraphs`.
    statistic : {"t", "z", "difference"}, default "t"
        The default, the partial correlation, has the same null distribution for all subgraphs of the family.
    n_permutations : int, default 999
    alpha : float, default 0.05
        The family-wise error in the second cohort.

    Returns
    -------
    ReplicationResult
        Adjusted p-values of the second cohort and of the conjunction, and the effects of both cohorts.

    Raises
    ------
    InputError
        If the result has no significant subgraph, or the second cohort has other regions or classes.

    Examples
    --------
    >>> from dugraph import simulate, significant_subgraphs
    >>> graphs, y, _ = simulate("adhd", n_graphs=120, random_state=1)
    >>> first = significant_subgraphs(graphs[:60], y[:60], min_expected_frequency=0.25)
    >>> second = replicate(first, graphs[60:], y[60:])
    >>> len(second), int(second.replicated.sum())
    (6, 5)
    """
    begin = time.monotonic()
    check_kind(result, SignificanceResult, "result")
    rows = _family(result, subgraphs)
    if not rows:
        raise InputError(
            "The result must have a significant subgraph: there is nothing to replicate.", parameter="result"
        )
    parameters: dict[str, Any] = {
        "subgraphs": subgraphs if isinstance(subgraphs, str) else "chosen",
        "statistic": check_word("statistic", statistic, STATISTICS),
        "n_permutations": check_positive_int("n_permutations", n_permutations),
        "alpha": check_alpha(alpha),
        "permute": permute,
        "random_state": resolve_seed(random_state),
    }
    numbers = GROUPS if result.parameters["labels"] == GROUPS else PHENOTYPE
    labelled = _same_labels(result, LabelledGraphs.of_any(X, y, edges=edges, numbers=numbers))
    cohort, phenotype = labelled.graphs, phenotype_of(labelled)
    setup = make_setup(
        labelled,
        None,
        blocks,
        covariates,
        permute,
        min_expected_frequency=0.0,
        max_edges=1,
        n_classes=1,
    )
    parameters |= setup.parameters
    chosen = [result.subgraphs[k] for k in rows]
    containment = _aligned_containment(result, chosen, cohort)[:, setup.graphs]
    block, block_names = block_codes(blocks, cohort)
    contrasts = np.array(
        [0 if phenotype.kind == PHENOTYPE else phenotype.contrasts.index(result.contrasts[k]) for k in rows]
    )
    permutations, weights, denominator = permuted_weights(setup, parameters)
    direction = np.sign(result.effects[rows])
    table = direction * directed_statistics(containment, weights, contrasts, denominator)
    p_values = step_down_p_values(table)
    replicated = is_significant(p_values, parameters["alpha"])
    first_p_values, first_effects = result.p_values[rows], result.effects[rows]
    second_effects = effects(containment, contrasts, setup.design)
    within, intervals = block_effects(containment, contrasts, setup.design, block[setup.graphs])
    named = np.flatnonzero(~np.isnan(within).any(axis=0)) if len(block_names) > 1 else np.empty(0, np.intp)
    return ReplicationResult(
        subgraphs=chosen,
        names=result.naming.subgraph_names(chosen),
        p_values=p_values,
        replicated=replicated,
        first_p_values=first_p_values,
        conjunction_p_values=np.maximum(first_p_values, p_values),
        statistics=table[0],
        effects=second_effects,
        first_effects=first_effects,
        effect_intervals=effect_intervals(containment, contrasts, setup.design, parameters["random_state"]),
        contrasts=[result.contrasts[k] for k in rows],
        n_permutations=len(permutations),
        n_distinct_permutations=permutations.n_distinct,
        exact=permutations.exact,
        n_blocks=setup.design.units.n_blocks,
        n_informative_blocks=setup.design.units.n_informative_blocks,
        block_names=[block_names[k] for k in named],
        block_sizes=np.bincount(block)[named],
        block_effects=within[:, named],
        block_intervals=intervals[:, named],
        message=_claim(setup, parameters, replicated, second_effects / first_effects),
        seconds=time.monotonic() - begin,
        parameters=parameters,
        discovery=result,
    )


def _family(result: SignificanceResult, subgraphs: str | Sequence[SubgraphLike]) -> list[int]:
    """Positions in the result of the subgraphs to replicate."""
    if isinstance(subgraphs, str) and SEPARATOR not in subgraphs:
        word = check_word("subgraphs", subgraphs, FAMILIES)
        masks = {"irreducible": result.irreducible, "representative": result.representative}
        return np.flatnonzero(masks.get(word, np.ones(len(result), dtype=bool))).tolist()
    position = {g: k for k, g in enumerate(result.subgraphs)}
    rows = []
    for key in check_subgraphs(subgraphs, result.naming):
        if key not in position:
            raise InputError(
                f"subgraphs must be significant subgraphs of the result, but {list(key)} is not one.",
                parameter="subgraphs",
                way_out="Choose from result.subgraphs.",
            )
        rows.append(position[key])
    return sorted(set(rows))


def _same_labels(result: SignificanceResult, labelled: LabelledGraphs) -> LabelledGraphs:
    """The labels of the second cohort, with the positive class of the first; the kinds must be the same."""
    kind, wanted = result.parameters["labels"], set(result.contrasts)
    phenotype = phenotype_of(labelled)
    if phenotype.kind == kind == CLASSES:
        reverse = LabelledGraphs(labelled.graphs, labelled.y, labelled.negative_class)
        if set(phenotype_of(reverse).contrasts) == wanted:
            return reverse
    missing = sorted(wanted.difference(phenotype.contrasts)) if kind != PHENOTYPE else []
    if phenotype.kind != kind or missing:
        ours = phenotype.kind if phenotype.kind != kind else listed(phenotype.contrasts)
        theirs = kind if phenotype.kind != kind else listed(missing)
        raise InputError(
            f"y must be labels like those of the result, {theirs}, but the second cohort has {ours}. Name "
            "classes and groups as in the first cohort.",
            parameter="y",
        )
    return labelled


def aligned_subgraphs(
    result: SignificanceResult, subgraphs: Sequence[Sequence[int]], cohort: UncertainGraphs
) -> list[tuple[int, ...] | None]:
    """The edges of subgraphs of a result in a second cohort, matched by the names of regions and layers.

    None for a subgraph with an edge between known regions that the second cohort does not list: it is absent
    from all of its graphs.
    """
    column = {cohort.naming.edge_key(edge): edge for edge in range(cohort.n_edges)}
    layers, regions = {layer for _, layer in column}, set(cohort.node_labels)
    aligned: list[tuple[int, ...] | None] = []
    for subgraph in subgraphs:
        found = []
        for edge in subgraph:
            names, layer = result.naming.edge_key(edge)
            strangers = sorted(names - regions)
            if strangers or layer not in layers:
                noun = "region" if strangers else "layer"
                name = abbreviate(strangers[0] if strangers else str(layer))
                raise InputError(
                    f"The second cohort must have every {noun} of the subgraphs, but {name} cannot be found "
                    "by name.",
                    parameter="X",
                    way_out=(
                        "Name regions and layers as in the first cohort, or choose ",
                        *(Setting("subgraphs"), " without it."),
                    ),
                )
            found.append(column.get((names, layer)))
        known = [edge for edge in found if edge is not None]
        aligned.append(tuple(sorted(known)) if len(known) == len(found) else None)
    return aligned


def _aligned_containment(
    result: SignificanceResult, subgraphs: list[tuple[int, ...]], cohort: UncertainGraphs
) -> Floats:
    """Containment probabilities in the second cohort, shape (n_subgraphs, n_graphs)."""
    containment = np.zeros((len(subgraphs), cohort.n_graphs))
    for k, found in enumerate(aligned_subgraphs(result, subgraphs, cohort)):
        if found is not None:
            containment[k] = cohort.edge_probability[:, found].prod(axis=1)
    return containment


def _claim(setup: Setup, parameters: dict[str, Any], replicated: NDArray[np.bool_], ratios: Floats) -> str:
    n, yes = len(replicated), int(replicated.sum())
    return (
        f"{yes:,} of {counted(n, 'subgraph')} {'is' if yes == 1 else 'are'} confirmed in the second cohort, "
        "in the direction found in the first. The median effect is "
        f"{np.median(ratios):.2g} times that of the first cohort. The probability of confirming "
        f"{error_bound(setup, parameters)}, and that the subgraphs and the test were fixed without looking "
        "at the second cohort, which shares no subject with the first."
    )


def find_and_replicate(
    X: ArrayLike | UncertainGraphs | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    holdout: float | str | ArrayLike = 0.5,
    edges: ArrayLike | None = None,
    blocks: Any = None,
    covariates: Any = None,
    permute: str = "within",
    subgraphs: str = "irreducible",
    alpha: float = 0.05,
    n_permutations: int = 999,
    random_state: int | np.random.Generator | np.random.RandomState | None = 0,
    **options: Any,
) -> ReplicationResult:
    """Find subgraphs in one part of a cohort and test them in the other.

    Effects and p-values of the second part are not affected by selection, but power is lower, because each
    part is smaller.

    Parameters
    ----------
    X, y, edges, blocks, covariates, permute, alpha, n_permutations
        As in `significant_subgraphs`, for both parts.
    holdout : float, str, or array-like of bool, shape (n_graphs,), default 0.5
        The graphs of the second part: a mask; a condition on columns of ``participants``, such as
        ``"site == 'NYU'"``; or a share of each block and class, drawn at random by `random_state`. Blocks of
        fewer than 8 graphs stay together.
    subgraphs : {"irreducible", "representative", "all"}, default "irreducible"
        The subgraphs to test in the second part.
    random_state : int, numpy.random.Generator, RandomState or None, default 0
        Seed of the split and of the permutations.
    **options
        Further options of `significant_subgraphs` for the first part.

    Returns
    -------
    ReplicationResult
        It has no subgraphs if none is significant in the first part. ``discovery`` is the result of the first
        part, ``holdout`` marks the graphs of the second.

    Examples
    --------
    >>> from dugraph import simulate
    >>> graphs, y, _ = simulate("adhd", n_graphs=120, random_state=1)
    >>> result = find_and_replicate(graphs, y, min_expected_frequency=0.25)
    >>> int(result.holdout.sum()), len(result), int(result.replicated.sum())
    (60, 14, 13)
    """
    seed = resolve_seed(random_state)
    labelled = LabelledGraphs.of_any(X, y, edges=edges, target=options.pop("target", None))
    cohort, column = labelled.graphs, labelled.y
    positive_class = labelled.positive_class if labelled.kind == CLASSES else None
    given = {
        name: None if value is None else named_columns(value, name, cohort)
        for name, value in {"blocks": blocks, "covariates": covariates}.items()
    }
    if isinstance(holdout, str):
        holdout = _where(holdout, cohort)
    mask = holdout_mask(holdout, phenotype_of(labelled), block_codes(blocks, cohort)[0], permute, seed)

    def part(inside: NDArray[np.bool_]) -> tuple[UncertainGraphs, NDArray[Any], dict[str, Any]]:
        rows = np.flatnonzero(inside)
        columns = {
            name: None if table is None else {key: values[rows] for key, values in table.items()}
            for name, table in given.items()
        }
        return cohort[rows], column[rows], columns

    shared: dict[str, Any] = {
        "permute": permute,
        "alpha": alpha,
        "n_permutations": n_permutations,
        "random_state": seed,
    }
    graphs, first_y, columns = part(~mask)
    first = LabelledGraphs.of_any(graphs, first_y, positive_class, numbers="phenotype")
    found = significant_subgraphs(first, **columns, **shared, **options)
    if not len(found):
        return _nothing_found(found, mask, subgraphs)
    graphs, second_y, columns = part(mask)
    confirmed = replicate(found, graphs, second_y, subgraphs=subgraphs, **columns, **shared)
    return ReplicationResult(**{**vars(confirmed), "holdout": mask})


def _where(condition: str, cohort: UncertainGraphs) -> NDArray[np.bool_]:
    try:
        return select_participants(cohort.participants or {}, condition)
    except InputError as error:
        raise error.renamed("holdout") from error


def holdout_mask(
    holdout: float | ArrayLike, phenotype: Phenotype, blocks: NDArray[np.int64], permute: str, seed: int
) -> NDArray[np.bool_]:
    """The graphs held out: the given mask, or a random share of each block and class."""
    n_graphs = len(blocks)
    if not is_real(holdout):
        mask = np.asarray(holdout)
        if mask.shape != (n_graphs,) or mask.dtype != np.bool_:
            raise InputError(
                "holdout must be a share, or one True or False per graph: got an array of shape "
                f"{mask.shape} and dtype {mask.dtype} for {counted(n_graphs, 'graph')}.",
                parameter="holdout",
            )
        if not mask.any() or mask.all():
            raise InputError(
                f"holdout must leave graphs in both parts, but marks {'all' if mask.all() else 'none'}.",
                parameter="holdout",
            )
        return mask
    share = float(holdout)
    if not 0 < share < 1:
        raise InputError(
            "holdout must be a share above 0 and below 1, or one True or False per graph, but is "
            f"{holdout!r}.",
            parameter="holdout",
        )
    together = np.full(n_graphs, permute == "whole") | (np.bincount(blocks)[blocks] < _SMALL_BLOCK)
    unit = np.where(together, n_graphs + blocks, np.arange(n_graphs))
    _, first, of_graph = np.unique(unit, return_index=True, return_inverse=True)
    label = np.zeros(n_graphs, dtype=np.int64) if phenotype.kind == PHENOTYPE else phenotype.codes
    stratum = np.where(together, -1, blocks)
    random = stream(seed, SPLIT, 0)
    order = np.lexsort((random.random(len(first)), label[first], stratum[first]))
    # Systematic sampling from the sorted units: every stratum contributes its share, up to one unit.
    steps = np.floor(share * np.arange(len(first) + 1) + random.random())
    chosen = np.zeros(len(first), dtype=bool)
    chosen[order] = np.diff(steps) > 0
    return np.asarray(chosen[of_graph])


def _nothing_found(found: SignificanceResult, mask: NDArray[np.bool_], subgraphs: str) -> ReplicationResult:
    numbers = ("p_values", "first_p_values", "conjunction_p_values", "statistics", "effects", "first_effects")
    shared = ("n_permutations", "alpha", "permute", "random_state", "labels", "blocks", "covariates")
    same = {name: found.parameters[name] for name in shared}
    return ReplicationResult(
        subgraphs=[],
        names=[],
        replicated=np.empty(0, dtype=bool),
        effect_intervals=np.empty((0, 2)),
        contrasts=[],
        n_permutations=0,
        n_distinct_permutations=0,
        exact=False,
        n_blocks=0,
        n_informative_blocks=0,
        block_names=[],
        block_sizes=np.empty(0, dtype=np.int64),
        block_effects=np.empty((0, 0)),
        block_intervals=np.empty((0, 0, 2)),
        message=f"The first part has no significant subgraph, so nothing was tested in the second. "
        f"{found.message}",
        seconds=found.seconds,
        parameters={"subgraphs": subgraphs, "statistic": "t", **same},
        discovery=found,
        holdout=mask,
        **{name: np.empty(0) for name in numbers},
    )
