"""The questions, the command for each, and what could mislead its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dugraph import settings
from dugraph.words import MOTION_COLUMNS, SITE_COLUMNS

if TYPE_CHECKING:
    from dugraph.app.cohorts import CohortView

_LONGEST, _MOST_NAMES = 40, 6
FEW = 30  # participants of the smaller group


@dataclass(frozen=True)
class Kind:
    """A question and its command: the options shown first, those it requires, those of another question.

    With `by_group` the groups are compared, so that their own column cannot be a covariate.
    """

    name: str
    title: str
    about: str
    settings: type[settings.Settings]
    first: tuple[str, ...]
    needed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    by_group: bool = False


_TEST = ("blocks", "covariates", "min_expected_frequency", "max_edges", "n_permutations")
_FREQUENCIES = ("n_edges", "frequencies")
_SIZE = ("max_edges", "min_expected_frequency")
_QUESTIONS = (
    Kind(
        *("compare", "Compare groups", "Which connected subgraphs differ between the groups?"),
        *(settings.TestSettings, _TEST),
        left_out=("phenotype",),
        by_group=True,
    ),
    Kind(
        *("phenotype", "Follow a phenotype"),
        "Which connected subgraphs vary with age, a score or another column?",
        *(settings.TestSettings, ("phenotype", *_TEST)),
        needed=("phenotype",),
        left_out=("pos_label",),
    ),
    Kind(
        *("plan", "Plan a comparison"),
        "Fix the settings of a comparison before looking at the groups, with the expected power.",
        *(settings.PlanSettings, ("blocks", "covariates", *_FREQUENCIES, *_SIZE)),
        by_group=True,
    ),
    Kind(
        *("power", "Size of a study"),
        "How many participants does a comparison need to find a subgraph? This cohort serves as the pilot.",
        *(settings.PowerSettings, (*_FREQUENCIES, "n_graphs", "power", *_SIZE)),
        needed=_FREQUENCIES,
    ),
    Kind(
        *("replicate", "Replicate", "Are the subgraphs of an earlier test confirmed in this cohort?"),
        *(settings.ReplicateSettings, ("result", "blocks", "covariates", "subgraphs")),
        needed=("result",),
        by_group=True,
    ),
    Kind(
        *("predict", "Predict"),
        "How well do subgraphs predict the group, or a phenotype, of participants that were not used?",
        settings.EvaluateSettings,
        ("phenotype", "methods", "n_subgraphs", "groups", "covariates", "n_splits"),
    ),
    Kind(
        *("model", "Fit a sparse model"),
        "Which few subgraphs together separate the groups, or forecast a phenotype?",
        *(settings.SparseSettings, ("phenotype", "covariates", "n_nonzero", "min_expected_frequency")),
    ),
    Kind(
        *("rank", "List the best subgraphs"),
        "Which subgraphs have the largest score? A list without p-values.",
        *(settings.MineSettings, ("score", "measure", "n_subgraphs", "min_expected_frequency", "max_edges")),
    ),
)
KINDS = {kind.name: kind for kind in _QUESTIONS}
READ = Kind(
    *("convert", "Read the files", "Read matrices or time series, and the participants table."),
    settings.ConvertSettings,
    (
        *("participants", "id_column", "group_column", "id_pattern", "positive", "negative", "intersect"),
        *("probability", "missing", "atlas"),
    ),
)
_PRODUCTS = (
    Kind(
        *("report", "Write a report", "One page of this result, without ids of participants."),
        *(settings.ReportSettings, ("with_ids",)),
    ),
    Kind(
        *("figure", "Draw a figure"),
        "The subgraphs on the brain, as a matrix or as a circle, for a paper.",
        *(settings.PlotSettings, ("kind", "family", "view", "width")),
    ),
)
OF_RESULTS = {kind.name: kind for kind in _PRODUCTS}
"""Products of a result."""
ALL = {**KINDS, READ.name: READ, **OF_RESULTS}
TIMED = ("compare", "phenotype", "plan")
"""Questions for which the time of the test can be measured in advance."""


def shortened(name: object) -> str:
    """A name in a sentence."""
    text = str(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def listed(names: Sequence[object]) -> str:
    """Names in a sentence: a, b and c."""
    shown = [shortened(name) for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)}, …"
    return " and ".join([*([", ".join(shown[:-1])] if shown[1:] else []), *shown[-1:]])


def cautions(kind: Kind, view: CohortView, values: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """A caution: a sentence, and optionally a fix with the label of its button."""
    options, part, found = kind.settings.options(), view.part, []
    used = {*(values.get("blocks") or ()), *(values.get("covariates") or ()), values.get("groups")}
    by = next((name for name in ("blocks", "groups", "covariates") if name in options), "")
    if kind.name == "power":
        return []
    site = next((name for name in view.columns if name.lower() in SITE_COLUMNS), None)
    if site is not None and site not in used and by:
        why = f"There are several sites ({shortened(site)}), and scanners differ."
        sites = part["sites"] if part is not None else None
        if sites is not None and sites.associated:
            why = (
                f"Site and group go together ({shortened(site)}, Cramér's V {sites.strength:.2f}): a "
                "difference between scanners would look like one between the groups."
            )
        columns = site if by == "groups" else ",".join([*(values.get(by) or []), site])
        found.append((why, f"{by}={columns}", f"Use {shortened(site)} for {by}"))
    # Predictions of classes are not adjusted, only those of a phenotype.
    adjusts = "covariates" in options and (kind.name != "predict" or "phenotype" in values)
    for one in part["differences"] if part is not None and kind.name != "phenotype" and adjusts else ():
        if one.column not in {*used, values.get("phenotype")}:
            chosen = ",".join([*(values.get("covariates") or []), one.column])
            found.append((f"{one.text}.", f"covariates={chosen}", f"Adjust for {shortened(one.column)}"))
    if not any(name.lower() in MOTION_COLUMNS for name in view.columns):
        why = (
            "No column contains the head motion of the participants. Motion changes connectivity, and groups "
            "often differ in it."
        )
        found.append((why, "", ""))
    if part is not None and part["n_pos"] and (n := min(part["n_pos"], part["n_neg"])) < FEW:
        why = f"The smaller group has {n} participants: only large differences can be detected."
        found.append((why, "", ""))
    return found
