"""The cohort as report and app describe it: sizes, sites, and traits that differ between the classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, listed, pieces
from dugraph.data.columns import is_missing
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.plot.chart import Floats
from dugraph.report.pictures import chart_svg, layer_key, probability_histogram
from dugraph.results.cohort_ref import provenance_without_ids
from dugraph.results.records import group_rows
from dugraph.words import SITE_COLUMNS

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
_FEWEST = 3  # values in each group, below which no test says anything


class Sites(NamedTuple):
    """Sites, the largest first, and how they are associated with the class."""

    column: str
    rows: list[tuple[str, int, int]]  # name, graphs of the positive class, of the negative one
    strength: float  # Cramér's V, from 0 (no association) to 1
    p_value: float  # of the chi-squared test of independence

    @property
    def n_of_one_class(self) -> int:
        """Number of sites whose graphs are all of one class."""
        return sum(1 for _, a, b in self.rows if not (a and b))

    @property
    def associated(self) -> bool:
        """Whether the test says that site and class go together."""
        return self.p_value < LEVEL


class Difference(NamedTuple):
    """A trait that differs between the classes, its column, and the sentence that says how."""

    trait: str
    column: str
    text: str


def group_names(cohort: LabelledGraphs) -> tuple[str, ...]:
    """Names of the classes, the positive one first, or of the groups."""
    return cohort.names if cohort.kind == CLASSES else cohort.group_names


def describe_cohort(
    cohort: LabelledGraphs, phenotype: str | None = None, with_ids: bool = False
) -> dict[str, Any]:
    """The cohort for templates; `phenotype` is the name of the labels, `with_ids` shows the ids of graphs."""
    graphs, two = cohort.graphs, cohort.kind == CLASSES
    row, raw = graphs.describe(), graphs.raw_probability
    members = list(zip(group_names(cohort), group_rows(cohort), strict=True))
    parts = [(name, pieces(raw, rows)) for name, rows in members] if two else [("all graphs", pieces(raw))]
    named: list[tuple[str, list[str]]] = []
    if with_ids:
        ids = np.asarray(graphs.graph_ids, dtype=object)
        named = [(name, ids[rows].tolist()) for name, rows in members] or [("all", ids.tolist())]
    return {
        "kind": cohort.kind,
        "labels": phenotype or ("the groups" if cohort.kind == GROUPS else "the phenotype"),
        "groups": [] if two else [(name, int(rows.sum())) for name, rows in members],
        "n_graphs": graphs.n_graphs,
        "n_pos": cohort.n_pos if two else 0,
        "n_neg": cohort.n_neg if two else 0,
        "n_nodes": graphs.n_nodes,
        "n_edges": graphs.n_edges,
        "mean_edges": float(row["mean_edges"]),
        "mean_probability": float(row["mean_edge_probability"]),
        "layers": layer_key(sorted(set(graphs.edge_layers or ()))),
        "histogram": chart_svg(probability_histogram(parts), width=440.0),
        # Only for classes; confounders of a phenotype or of groups are covariates.
        "sites": find_sites(cohort) if two else None,
        "differences": find_differences(cohort) if two else [],
        "nuisance": describe_nuisance(cohort, phenotype),
        "graph_ids": named,
        "provenance": _provenance(graphs, with_ids),
    }


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


# ---------------------------------------------------------------- sites and traits


def _column(cohort: LabelledGraphs, names: tuple[str, ...]) -> tuple[str, list[Any]] | None:
    """The first column of the participants with one of these names, and its values."""
    table = cohort.participants or {}
    return next(((name, table[name].tolist()) for name in table if name.lower() in names), None)


def find_sites(cohort: LabelledGraphs) -> Sites | None:
    """Sites by the first column of participants that names them; None without one."""
    found = _column(cohort, SITE_COLUMNS)
    if found is None:
        return None
    sites = ["(missing)" if is_missing(site) else str(site) for site in found[1]]
    counts = Counter(zip(sites, cohort.positive.tolist(), strict=True))
    rows = [(name, counts[name, True], counts[name, False]) for name in set(sites)]
    rows.sort(key=lambda row: (-row[1] - row[2], row[0]))
    return Sites(found[0], rows, *_association(np.array([row[1:] for row in rows])))


def find_differences(cohort: LabelledGraphs) -> list[Difference]:
    """Traits whose column differs between the classes: by Welch's t test, sex by the chi-squared test."""
    differences = []
    for trait, names in _TRAITS.items():
        if (found := _column(cohort, names)) is not None:
            column, values = found
            text = _of_categories(cohort, values) if trait == "sex" else _of_numbers(cohort, values)
            if text is not None:
                differences.append(Difference(trait, column, f"{abbreviate(column)}: {text}"))
    return differences


def _association(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Cramér's V of a table of two columns, and the p-value of the chi-squared test; one row has none."""
    if len(counts) < 2:
        return 0.0, 1.0
    from scipy.stats import chi2_contingency  # here, since it takes its time to load

    answer = chi2_contingency(counts, correction=False)
    return float(np.sqrt(answer.statistic / counts.sum())), float(answer.pvalue)


def _of_numbers(cohort: LabelledGraphs, values: list[Any]) -> str | None:
    compared = _compare_means(cohort, _numbers(values))
    if compared is None or compared[2] >= LEVEL:
        return None
    means, spread, p_value = compared
    apart = f", {abs(means[0] - means[1]) / spread:.2g} standard deviations apart" if spread else ""
    return f"{_in_groups(cohort, [f'{mean:.3g}' for mean in means])} on average{apart} ({_test(p_value)})"


def _of_categories(cohort: LabelledGraphs, values: list[Any]) -> str | None:
    pairs = zip(values, cohort.positive.tolist(), strict=True)
    counted = Counter((str(value), positive) for value, positive in pairs if not is_missing(value))
    names = sorted({name for name, _ in counted})
    counts = np.array([[counted[name, side] for side in (True, False)] for name in names]).reshape(-1, 2)
    if len(names) < 2 or counts.sum(axis=0).min() < _FEWEST:
        return None
    strength, p_value = _association(counts)
    if p_value >= LEVEL:
        return None
    shares = counts / counts.sum(axis=0)
    widest = int(np.abs(shares[:, 0] - shares[:, 1]).argmax())
    both = _in_groups(cohort, [f"{share:.0%} {abbreviate(names[widest])}" for share in shares[widest]])
    return f"{both} (Cramér's V = {strength:.2f}, {_test(p_value)})"


def describe_nuisance(cohort: LabelledGraphs, phenotype: str | None = None) -> str:
    """Head motion and mean connectivity in each group, or their correlation with the phenotype."""
    motion = (
        "Head motion is not recorded: the participants have no column such as mean_fd. If motion is "
        "associated with the labels, a subgraph may reflect it."
    )
    if (found := _column(cohort, _TRAITS["motion"])) is not None:
        motion = (
            f"Head motion ({abbreviate(found[0])}): {_compare(cohort, _numbers(found[1]), phenotype)[0]}."
        )
    connectivity = cohort.graphs.raw_probability.mean(axis=1, dtype=np.float64)
    words, p_value = _compare(cohort, connectivity, phenotype)
    caution = " Differences in single subgraphs may follow from this difference of the whole graph."
    return f"{motion} Mean edge probability of a graph: {words}.{caution if p_value < LEVEL else ''}"


def _numbers(values: list[Any]) -> Floats:
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    except ValueError:
        return np.full(len(values), np.nan)  # bands of ages, or codes: no number to compare


def _compare(cohort: LabelledGraphs, numbers: Floats, phenotype: str | None) -> tuple[str, float]:
    """Means of the groups, or the correlation with a phenotype, in words; and the p-value."""
    if group_rows(cohort):
        compared = _compare_means(cohort, numbers)
        if compared is None:
            return "cannot be compared", 1.0
        words, p_value = _in_groups(cohort, [f"{mean:.3g}" for mean in compared[0]]), compared[2]
    else:
        known = np.isfinite(numbers)
        if known.sum() < _FEWEST or _is_constant(numbers[known]):
            return "cannot be compared", 1.0
        from scipy.stats import pearsonr

        r, p_value = map(float, pearsonr(numbers[known], cohort.y[known]))
        words = f"correlation {r:.2f} with {phenotype or 'the phenotype'}"
    return f"{words} ({_test(p_value)})", p_value


def _compare_means(cohort: LabelledGraphs, numbers: Floats) -> tuple[list[float], float, float] | None:
    """Mean of each group, spread within groups, and p-value; None if there is nothing to compare."""
    known = np.isfinite(numbers)
    groups = [numbers[known & rows] for rows in group_rows(cohort)]
    if min(map(len, groups)) < _FEWEST or _is_constant(numbers[known]):
        return None
    from scipy.stats import f_oneway, ttest_ind

    means = [float(group.mean()) for group in groups]
    spread = float(np.sqrt(np.mean([group.var(ddof=1) for group in groups])))
    # Without any spread in the groups but that of rounding, means are as different as can be.
    if spread <= 1e-9 * max(map(abs, means)):
        return means, 0.0, 0.0
    test = ttest_ind(*groups, equal_var=False) if len(groups) == 2 else f_oneway(*groups)
    return means, spread, float(test.pvalue)


def _is_constant(numbers: Floats) -> bool:
    return bool(np.ptp(numbers) <= 1e-12 * np.abs(numbers).max())


def _in_groups(cohort: LabelledGraphs, words: Iterable[str]) -> str:
    pairs = zip(words, group_names(cohort), strict=True)
    return ", ".join(f"{word} in {abbreviate(name)}" for word, name in pairs)


def _test(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"
