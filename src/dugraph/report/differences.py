"""Age, sex and motion that differ between the classes: what a subgraph may reflect instead of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs
from dugraph.data.columns import is_missing
from dugraph.data.wording import shown

LEVEL = 0.05
"""Of the tests that site, age, sex or motion do not depend on the class."""
_TRAITS = {
    "age": ("age", "age_at_scan", "age_years", "age_at_mri"),
    "sex": ("sex", "gender"),
    "motion": (
        *("mean_fd", "fd_mean", "meanfd", "func_mean_fd", "mean_framewise_displacement"),
        *("framewise_displacement", "fd", "motion", "mean_motion", "rms_motion", "mean_rms"),
    ),
}
"""Columns of participants by what they tell, in any case of letters; the first that is there counts."""
_FEWEST = 3  # values in each class, below which no test says anything


@dataclass(frozen=True)
class Difference:
    """A trait that differs between the classes, and the sentence that says how."""

    trait: str
    text: str


def find_differences(cohort: LabelledGraphs) -> list[Difference]:
    """Traits whose column differs between the classes: by Welch's t test, sex by the chi-squared test."""
    table = cohort.participants or {}
    found = []
    for trait, names in _TRAITS.items():
        column = next((name for name in table if name.lower() in names), None)
        if column is None:
            continue
        values = table[column]
        text = _of_categories(values, cohort) if trait == "sex" else _of_numbers(values, cohort)
        if text is not None:
            found.append(Difference(trait, f"{shown(column)}: {text}"))
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
    try:
        numbers = np.array([np.nan if is_missing(v) else float(v) for v in values.tolist()])
    except ValueError:
        return None  # bands of ages, or codes: no number to compare
    kept = np.isfinite(numbers)
    groups = [numbers[kept & chosen] for chosen in (cohort.positive, ~cohort.positive)]
    if min(map(len, groups)) < _FEWEST or np.ptp(numbers[kept]) == 0:
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
    told = int(np.abs(shares[:, 0] - shares[:, 1]).argmax())
    both = _in_both(cohort, [f"{share:.0%} {shown(categories[told])}" for share in shares[told]])
    return f"{both} (Cramér's V = {strength:.2f}, {_test(p_value)})"


def _in_both(cohort: LabelledGraphs, words: list[str]) -> str:
    positive, negative = map(shown, cohort.names)
    return f"{words[0]} in {positive}, {words[1]} in {negative}"


def _test(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 1e-4 else "p < 0.0001"
