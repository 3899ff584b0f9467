"""The cohort and the evaluation as the report describes them: numbers and words for the templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, counted, listed, pieces
from dugraph.data.columns import is_missing
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.methods import WHOLE, is_known
from dugraph.evaluation.tables import UNPROVEN, fewer_found, fewer_notes, unproven_notes
from dugraph.report.brain import layer_key
from dugraph.report.charts import chart_svg, folds_chart, forecast_chart, probability_histogram
from dugraph.results.cohort_ref import provenance_without_ids
from dugraph.results.records import group_rows
from dugraph.words import METRIC_WORDS, SITE_COLUMNS, TASKS

N_NAMED = 1000
"""Graphs of a group that are named on the page; the cohort file has the others."""
LEVEL = 0.05
"""Level of the tests that site, age, sex or motion do not depend on the class."""
_TRAITS = {
    "age": ("age", "age_at_scan", "age_years", "age_at_mri"),
    "sex": ("sex", "gender"),
    "motion": (
        *("mean_fd", "fd_mean", "meanfd", "func_mean_fd", "mean_framewise_displacement"),
        *("framewise_displacement", "fd", "motion", "mean_motion", "rms_motion", "mean_rms"),
    ),
}
"""Columns of participants that describe a trait, case-insensitive; the first one is used."""
_FEWEST = 3  # values in each class, below which no test says anything

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sites:
    """The numbers of graphs of both classes at each site.

    Attributes
    ----------
    column : str
        The column of the participants that names the site.
    rows : list of (name, n_pos, n_neg)
        The largest site first.
    strength : float
        Cramér's V, from 0 (no association with the class) to 1.
    p_value : float
        Of the chi-squared test of independence.
    n_of_one_class : int
        Number of sites whose graphs are all of one class.
    """

    column: str
    rows: list[tuple[str, int, int]]
    strength: float
    p_value: float
    n_of_one_class: int

    @property
    def associated(self) -> bool:
        """Whether the test says that site and class go together."""
        return self.p_value < LEVEL


@dataclass(frozen=True)
class Difference:
    """A trait that differs between the classes, its column, and the sentence that says how."""

    trait: str
    column: str
    text: str


@dataclass(frozen=True)
class CohortPart:
    """The cohort in numbers; `groups` are the names and sizes of more than two, `labels` is what was mined.

    `kind` is that of the cohort; `n_pos` and `n_neg` are 0 where there are not two classes.
    """

    kind: str
    labels: str
    groups: list[tuple[str, int]]
    n_graphs: int
    n_pos: int
    n_neg: int
    n_nodes: int
    n_edges: int
    mean_edges: float
    mean_probability: float
    layers: list[tuple[str, Markup]]
    histogram: Markup
    sites: Sites | None
    differences: list[Difference]
    nuisance: str
    graph_ids: list[tuple[str, list[str]]]
    provenance: list[tuple[str, str]]


def describe_cohort(
    cohort: LabelledGraphs, phenotype: str | None = None, with_ids: bool = False
) -> CohortPart:
    """Count and draw the graphs of a cohort.

    `phenotype` is the name of the labels; `with_ids` names graphs, and those left out, by their ids.
    """
    graphs, two = cohort.graphs, cohort.kind == CLASSES
    row = graphs.describe()
    raw, rows = graphs.raw_probability, group_rows(cohort)
    names = cohort.names if two else cohort.group_names
    histogram = probability_histogram([pieces(raw)], ["all graphs"])
    if two:
        histogram = probability_histogram([pieces(raw, one) for one in rows], names)
    ids = [
        (name, np.asarray(graphs.graph_ids, dtype=object)[one].tolist())
        for name, one in zip(names, rows, strict=True)
    ]
    return CohortPart(
        kind=cohort.kind,
        labels=phenotype or ("the groups" if cohort.kind == GROUPS else "the phenotype"),
        groups=[] if two else [(name, int(one.sum())) for name, one in zip(names, rows, strict=True)],
        n_graphs=graphs.n_graphs,
        n_pos=cohort.n_pos if two else 0,
        n_neg=cohort.n_neg if two else 0,
        n_nodes=graphs.n_nodes,
        n_edges=graphs.n_edges,
        mean_edges=float(row["mean_edges"]),
        mean_probability=float(row["mean_edge_probability"]),
        layers=layer_key(sorted(set(graphs.edge_layers or ()))),
        histogram=chart_svg(histogram, width=440.0),
        # Only for classes; confounders of a phenotype or of groups are covariates.
        sites=find_sites(cohort) if two else None,
        differences=find_differences(cohort) if two else [],
        nuisance=describe_nuisance(cohort, phenotype),
        graph_ids=(ids or [("all", list(graphs.graph_ids))]) if with_ids else [],
        provenance=_provenance(graphs, with_ids),
    )


def _provenance(graphs: UncertainGraphs, with_ids: bool) -> list[tuple[str, str]]:
    """The provenance of the cohort; participants left out are listed with ids, else counted."""
    record = (graphs.provenance or {}) if with_ids else provenance_without_ids(graphs) or {}
    written = []
    for key, value in record.items():
        if key == "left_out" and isinstance(value, Mapping):
            value = "; ".join(
                f"{why}: {n if isinstance(n, int) else listed(n, most=len(n))}" for why, n in value.items()
            )
        written.append((str(key).replace("_", " "), str(value)))
    return written


def _column(cohort: LabelledGraphs, names: tuple[str, ...]) -> str | None:
    """The first column of the participants with one of these names."""
    return next((name for name in cohort.participants or {} if name.lower() in names), None)


def find_sites(cohort: LabelledGraphs) -> Sites | None:
    """Sites by the first column of participants that names them; None without one."""
    table, column = cohort.participants or {}, _column(cohort, SITE_COLUMNS)
    if column is None:
        return None
    sites = ["(missing)" if is_missing(site) else str(site) for site in table[column].tolist()]
    counts = Counter(zip(sites, cohort.positive.tolist(), strict=True))
    rows = [(name, counts[name, True], counts[name, False]) for name in dict.fromkeys(sites)]
    rows.sort(key=lambda row: (-row[1] - row[2], row[0]))
    strength, p_value = association(np.array([row[1:] for row in rows]))
    return Sites(column, rows, strength, p_value, sum(1 for _, a, b in rows if not (a and b)))


def find_differences(cohort: LabelledGraphs) -> list[Difference]:
    """Traits whose column differs between the classes: by Welch's t test, sex by the chi-squared test."""
    found = []
    for trait, names in _TRAITS.items():
        column = _column(cohort, names)
        if column is None:
            continue
        values = (cohort.participants or {})[column]
        text = _of_categories(values, cohort) if trait == "sex" else _of_numbers(values, cohort)
        if text is not None:
            found.append(Difference(trait, column, f"{abbreviate(column)}: {text}"))
    return found


def association(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Cramér's V of a table of two columns, and the p-value of the chi-squared test.

    One category is associated with nothing.
    """
    if len(counts) < 2:
        return 0.0, 1.0
    from scipy.stats import chi2_contingency  # here, since it takes its time to load

    answer = chi2_contingency(counts, correction=False)
    return float(np.sqrt(answer.statistic / counts.sum())), float(answer.pvalue)


def _of_numbers(values: NDArray[Any], cohort: LabelledGraphs) -> str | None:
    numbers = _numbers(values)
    if numbers is None:
        return None
    known = np.isfinite(numbers)
    groups = [numbers[known & chosen] for chosen in (cohort.positive, ~cohort.positive)]
    if min(map(len, groups)) < _FEWEST or np.ptp(numbers[known]) == 0:
        return None
    from scipy.stats import ttest_ind

    means = [float(group.mean()) for group in groups]
    spread = float(np.sqrt(np.mean([group.var(ddof=1) for group in groups])))
    # Without any spread in the classes but that of rounding, means are as different as can be.
    spread = spread if spread > 1e-9 * max(map(abs, means)) else 0.0
    p_value = 0.0 if spread == 0 else float(ttest_ind(*groups, equal_var=False).pvalue)
    if p_value >= LEVEL:
        return None
    distance = f", {abs(means[0] - means[1]) / spread:.2g} standard deviations apart" if spread else ""
    return f"{_in_both(cohort, [f'{mean:.3g}' for mean in means])} on average{distance} ({_test(p_value)})"


def _of_categories(values: NDArray[Any], cohort: LabelledGraphs) -> str | None:
    known = np.array([not is_missing(value) for value in values.tolist()])
    texts = np.array([str(value) for value in values.tolist()])
    categories = np.unique(texts[known])
    sides = (known & cohort.positive, known & ~cohort.positive)
    if len(categories) < 2 or min(side.sum() for side in sides) < _FEWEST:
        return None
    counts = np.array([[int((texts[side] == one).sum()) for side in sides] for one in categories])
    strength, p_value = association(counts)
    if p_value >= LEVEL:
        return None
    shares = counts / counts.sum(axis=0)
    widest = int(np.abs(shares[:, 0] - shares[:, 1]).argmax())
    both = _in_both(cohort, [f"{share:.0%} {abbreviate(categories[widest])}" for share in shares[widest]])
    return f"{both} (Cramér's V = {strength:.2f}, {_test(p_value)})"


def describe_nuisance(cohort: LabelledGraphs, phenotype: str | None = None) -> str:
    """Head motion and mean connectivity in each group, or their correlation with the phenotype."""
    column = _column(cohort, _TRAITS["motion"])
    if column is None:
        motion = (
            "Head motion is not recorded: the participants have no column such as mean_fd. If motion is "
            "associated with the labels, a subgraph may reflect it."
        )
    else:
        numbers = _numbers((cohort.participants or {})[column])
        compared = None if numbers is None else _compare(cohort, numbers, phenotype)
        words = "cannot be compared" if compared is None else compared[0]
        motion = f"Head motion ({abbreviate(column)}): {words}."
    compared = _compare(cohort, cohort.graphs.raw_probability.mean(axis=1, dtype=np.float64), phenotype)
    words, p_value = ("cannot be compared", 1.0) if compared is None else compared
    caution = " Differences in single subgraphs may follow from this difference of the whole graph."
    return f"{motion} Mean edge probability of a graph: {words}.{caution if p_value < LEVEL else ''}"


def _numbers(values: NDArray[Any]) -> Floats | None:
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values.tolist()])
    except ValueError:
        return None  # bands of ages, or codes: no number to compare


def _compare(cohort: LabelledGraphs, numbers: Floats, phenotype: str | None) -> tuple[str, float] | None:
    """Means of the groups, or the correlation with a phenotype, and the p-value; None without a spread."""
    from scipy.stats import f_oneway, pearsonr, ttest_ind

    known = np.isfinite(numbers)
    if known.sum() < _FEWEST or np.ptp(numbers[known]) <= 1e-12 * np.abs(numbers[known]).max():
        return None
    groups = [numbers[known & rows] for rows in group_rows(cohort)]
    if not groups:
        r, p_value = pearsonr(numbers[known], cohort.y[known])
        words = f"correlation {r:.2f} with {phenotype or 'the phenotype'}"
    else:
        if min(map(len, groups)) < _FEWEST or max(float(np.ptp(group)) for group in groups) <= 1e-12:
            return None
        names = cohort.names if cohort.kind == CLASSES else cohort.group_names
        words = ", ".join(
            f"{group.mean():.3g} in {abbreviate(n)}" for group, n in zip(groups, names, strict=True)
        )
        p_value = (ttest_ind(*groups, equal_var=False) if len(groups) == 2 else f_oneway(*groups)).pvalue
    return f"{words} ({_test(float(p_value))})", float(p_value)


def _in_both(cohort: LabelledGraphs, words: list[str]) -> str:
    positive, negative = map(abbreviate, cohort.names)
    return f"{words[0]} in {positive}, {words[1]} in {negative}"


def _test(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"


# ---------------------------------------------------------------- the evaluation


@dataclass(frozen=True)
class MethodRow:
    """One method with a number of features, or all there are: its metrics on every split."""

    method: str
    features: int | str
    values: dict[str, Floats]
    proven: tuple[bool, ...]

    @property
    def n_unproven(self) -> int:
        """Splits in which the subgraphs are not proven to be the best."""
        return self.proven.count(False)

    def mean(self, metric: str) -> float:
        """Mean over the splits."""
        return float(self.values[metric].mean())

    def spread(self, metric: str) -> float:
        """Standard deviation over the splits."""
        return float(self.values[metric].std())

    def goodness(self, metric: str) -> float:
        """Its mean, or minus its mean where smaller values are better."""
        return self.mean(metric) * (1 if METRIC_WORDS[metric].largest_first else -1)


def describe_evaluation(
    evaluation: EvaluationResult, cohort: CohortPart, column: str | None = None
) -> dict[str, Any]:
    """The splits of each method and number of features; `column` is what was evaluated, not the classes.

    A method that takes all features is shown once. `first` is the metric of the `best` row, and `chance` what
    guessing gives of it.
    """
    task, metrics = evaluation.task, tuple(evaluation.metrics)
    first = TASKS[task].first
    sizes = sorted(evaluation.n_subgraphs)
    own = [method for method in evaluation.methods if not is_known(method, task)]
    mined = {cell.method for cell in evaluation.cells if cell.n_found is not None}
    # Without subgraphs an estimator of the user's own has one set of features, whatever t is.
    once = {*WHOLE, *own} - mined
    values = {name: evaluation.values(name) for name in metrics}
    rows = [
        MethodRow(
            method,
            "all" if method in once else t,
            {name: values[name][i, evaluation.n_subgraphs.index(t)] for name in metrics},
            tuple(cell.proven for cell in evaluation.cells if cell.method == method),
        )
        for i, method in enumerate(evaluation.methods)
        for t in (sizes[:1] if method in once else sizes)
    ]
    finished = [row for row in rows if np.isfinite(row.mean(first))]
    whole = {row.method for row in finished}
    found = [
        (cell.method, t, cell.n_found)
        for cell in evaluation.cells
        for t in evaluation.n_subgraphs
        if cell.method in whole
    ]
    chance = _chance(evaluation, cohort)
    drawn = [
        (f"{row.method}, {row.features}{f' {UNPROVEN}' if row.n_unproven else ''}", row.values[first])
        for row in rows
    ]
    guess = "no forecast" if task == "phenotype" else "guessing"
    folds = folds_chart(drawn, METRIC_WORDS[first].title, chance, guess)
    what = column or ("the phenotype" if task == "phenotype" else "the groups")
    return {
        "task": task,
        "unit": "split" if task == "classes" else "fold",
        "what": what,
        "beyond": listed(evaluation.parameters.get("covariates") or [], most=12),
        "first": first,
        "grid": evaluation.table_cells(),
        "rows": rows,
        "best_marks": _best_marks(rows),
        "n_splits": evaluation.n_splits,
        "best": max(finished, key=lambda row: row.goodness(first), default=None),
        "positive": str(evaluation.parameters.get("positive_class")),
        "chance": chance,
        "chart": chart_svg(folds, 600.0, 72.0 + 20.0 * len(drawn), 195.0),
        "left_out": {**evaluation.skipped, **evaluation.failures},
        "fewer": fewer_notes(fewer_found(found)),
        "unproven": unproven_notes(evaluation.unproven, evaluation.n_splits, len(evaluation.cells)),
        "splitting": _splitting(evaluation),
        "own": own,
        "metrics": metrics,
        "scatter": _scatter(evaluation, what),
    }


def _chance(evaluation: EvaluationResult, cohort: CohortPart) -> float | None:
    """The first metric of guessing: the larger class, any group, or the same for all.

    None where the page is about other labels than the classes that were evaluated.
    """
    if evaluation.task == "classes":
        return min(cohort.n_pos, cohort.n_neg) / cohort.n_graphs if cohort.n_pos else None
    return 0.0 if evaluation.task == "phenotype" else 1.0 / max(2, evaluation.parameters["n_groups"])


def _best_marks(rows: list[MethodRow]) -> set[tuple[int, str]]:
    """Which row is best in which metric, as (position, metric)."""
    marks = set()
    for metric in rows[0].values:
        means = [row.goodness(metric) for row in rows]
        if np.isfinite(means).any():
            marks.add((int(np.nanargmax(means)), metric))
    return marks


def _scatter(evaluation: EvaluationResult, name: str) -> tuple[str, Markup] | None:
    """Forecasts of the first method that has them, with the largest number of features."""
    held_out = evaluation.held_out
    if held_out is None:
        return None
    method = next(iter(held_out.forecasts))[0]
    t = max(size for one, size in held_out.forecasts if one == method)
    beyond = ", beyond covariates" if evaluation.parameters.get("covariates") else ", minus the training mean"
    features = "" if method in WHOLE else f" with {counted(t, 'feature')}"
    caption = (
        f"Forecasts of {method}{features} for each graph when left out, averaged over the folds that tested "
        "it. On the line, forecast and phenotype are equal."
    )
    chart = forecast_chart(held_out.observed, held_out.forecasts[method, t], f"{name}{beyond}")
    return caption, chart_svg(chart, 480.0, 300.0)


def _splitting(evaluation: EvaluationResult) -> str:
    parameters = evaluation.parameters
    random = evaluation.task == "classes" or "test_size" in parameters
    splits = counted(evaluation.n_splits, "split" if random else "fold")
    if parameters.get("cv") is not None:
        return f"{splits}, given in advance ({abbreviate(parameters['cv'])})"
    column = parameters.get("groups")
    groups = f"groups of {abbreviate(column)}" if column else "given groups"
    if "n_folds" in parameters:
        whole = f" with {groups} kept whole" if column else ""
        times = counted(parameters["n_repeats"], "time")
        return f"{splits}, {parameters['n_folds']} drawn {times} at random{whole}"
    if parameters.get("splits") is not None:
        return f"{splits}, drawn at random with {groups} kept whole"
    return f"{splits}, drawn at random ({1 - float(parameters['test_size']):.0%} for training)"
