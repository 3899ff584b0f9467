"""The questions, the command for each, and a plain description of what it does and what could mislead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dugraph.settings import (
    EvaluateSettings,
    MineSettings,
    PlanSettings,
    PlotSettings,
    PowerSettings,
    ReplicateSettings,
    ReportSettings,
    Settings,
    SparseSettings,
    TestSettings,
)
from dugraph.words import MOTION_COLUMNS, SITE_COLUMNS

if TYPE_CHECKING:
    from dugraph.app.cohorts import CohortView


@dataclass(frozen=True)
class Kind:
    """A question and its command.

    Attributes
    ----------
    title, about : str
    settings : type
        Of the command.
    first : tuple of str
        The options that are shown first.
    needed : tuple of str
        Options that the question requires.
    left_out : tuple of str
        Options that belong to another question.
    by_group : bool
        Whether the groups are compared, so that their own column cannot be a covariate.
    """

    name: str
    title: str
    about: str
    settings: type[Settings]
    first: tuple[str, ...]
    needed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    by_group: bool = False


_TEST = ("blocks", "covariates", "min_expected_frequency", "max_edges", "n_permutations")
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "compare",
            "Compare groups",
            "Which connected subgraphs differ between the groups?",
            TestSettings,
            _TEST,
            left_out=("phenotype",),
            by_group=True,
        ),
        Kind(
            "phenotype",
            "Follow a phenotype",
            "Which connected subgraphs vary with age, a score or another column?",
            TestSettings,
            ("phenotype", *_TEST),
            needed=("phenotype",),
            left_out=("pos_label",),
        ),
        Kind(
            "plan",
            "Plan a comparison",
            "Fix the settings of a comparison before looking at the groups, with the expected power.",
            PlanSettings,
            ("blocks", "covariates", "n_edges", "frequencies", "max_edges", "min_expected_frequency"),
            by_group=True,
        ),
        Kind(
            "power",
            "Size of a study",
            "How many participants does a comparison need to find a subgraph? This cohort serves as the "
            "pilot.",
            PowerSettings,
            ("n_edges", "frequencies", "n_graphs", "power", "max_edges", "min_expected_frequency"),
            needed=("n_edges", "frequencies"),
        ),
        Kind(
            "replicate",
            "Replicate",
            "Are the subgraphs of an earlier test confirmed in this cohort?",
            ReplicateSettings,
            ("result", "blocks", "covariates", "subgraphs"),
            needed=("result",),
            by_group=True,
        ),
        Kind(
            "predict",
            "Predict",
            "How well do subgraphs predict the group, or a phenotype, of participants that were not used?",
            EvaluateSettings,
            ("phenotype", "methods", "n_subgraphs", "groups", "covariates", "n_splits"),
        ),
        Kind(
            "model",
            "Fit a sparse model",
            "Which few subgraphs together separate the groups, or forecast a phenotype?",
            SparseSettings,
            ("phenotype", "covariates", "n_nonzero", "min_expected_frequency"),
        ),
        Kind(
            "rank",
            "List the best subgraphs",
            "Which subgraphs have the largest score? A list without p-values.",
            MineSettings,
            ("score", "measure", "n_subgraphs", "min_expected_frequency", "max_edges"),
        ),
    )
}

OF_RESULTS = {
    kind.name: kind
    for kind in (
        Kind(
            "report",
            "Write a report",
            "One page of this result, without ids of participants.",
            ReportSettings,
            ("with_ids",),
        ),
        Kind(
            "figure",
            "Draw a figure",
            "The subgraphs on the brain, as a matrix or as a circle, for a paper.",
            PlotSettings,
            ("kind", "family", "view", "width"),
        ),
    )
}
"""Products of a result."""


@dataclass
class Text:
    """What will be done, and cautions, each with the fix that a button applies, or without one."""

    sentences: list[str] = field(default_factory=list)
    cautions: list[tuple[str, str, str]] = field(default_factory=list)


def describe(kind: Kind, view: CohortView, values: Mapping[str, Any]) -> Text:
    """Describe what a command will do with these settings.

    Parameters
    ----------
    kind : Kind
    view : CohortView
    values : dict
        Options that are not the default.
    """
    page_text = Text()
    settings: Any = kind.settings.of(dict(values))
    sides = _sides(view, getattr(settings, "phenotype", None))
    if kind.settings is ReplicateSettings:
        page_text.sentences += [
            "Each subgraph found by the test is tested in this cohort, in the direction of its effect there. "
            "Regions and groups are matched by name.",
            f"The probability of confirming any subgraph that does not differ here is at most "
            f"{settings.alpha:.0%}. The two cohorts must have no participants in common.",
        ]
    elif values.get("plan"):
        page_text.sentences.append(
            "The plan is carried out as written; other settings or other graphs are refused."
        )
    elif kind.settings in (TestSettings, PlanSettings):
        _describe_test(page_text, settings, sides, values.get("phenotype"))
        if kind.settings is PlanSettings:
            page_text.sentences.append(
                "Nothing is tested yet: the plan is a short text with a date and the hash of the graphs. It "
                "can be registered, and the report of a test that carries it out says so."
            )
    elif kind.settings is PowerSettings:
        page_text.sentences += [
            "Computes the probability that a comparison finds a subgraph with these frequencies in the two "
            "groups, for each number of participants. The groups of this cohort are not used.",
            "Do not enter the frequencies of a subgraph that is significant in this cohort: they are "
            "inflated by selection.",
        ]
        return page_text
    elif kind.name == "predict":
        page_text.sentences.append(
            f"Each method selects its subgraphs and fits its model in one part of the participants and "
            f"predicts {sides} in the other part; this is repeated for many splits."
        )
        page_text.sentences.append(
            "Compare the methods with each other; the best of many results is too optimistic. Choose the "
            "methods before you see the results."
        )
    elif kind.name == "model":
        page_text.sentences.append(
            f"A sparse linear model of {sides} is fitted to all connected subgraphs; most coefficients are "
            "0. Its coefficients have no p-values."
        )
    else:
        page_text.sentences.append(
            f"The connected subgraphs with the largest score for {sides} are listed; they are provably the "
            "best ones. A high rank does not imply significance; compare the groups to obtain p-values."
        )
    _add_cautions(page_text, kind, view, values)
    return page_text


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _listed(names: Sequence[object]) -> str:
    shown = [_short(name) for name in names[:6]]
    if len(names) > 6:
        return f"{', '.join(shown)}, …"
    return " and ".join([*([", ".join(shown[:-1])] if shown[1:] else []), shown[-1]])


def _sides(view: CohortView, phenotype: str | None) -> str:
    if phenotype is not None:
        return f"“{_short(phenotype)}”"
    return _listed(view.names) if view.names else "the labels"


def _describe_test(page_text: Text, settings: Any, sides: str, phenotype: str | None) -> None:
    size = "" if settings.max_edges is None else f" of at most {settings.max_edges} edges"
    what = f"varies with {sides}" if phenotype else f"differs in frequency between {sides}"
    page_text.sentences.append(
        f"Every connected subgraph{size} whose expected frequency exceeds "
        f"{settings.min_expected_frequency:g} is tested: is there any that {what}?"
    )
    values = "values" if phenotype else "labels"
    blocks = settings.blocks and _listed(settings.blocks)
    where = f"only among participants with the same {blocks}" if blocks else "among all participants"
    if settings.permute == "whole" and blocks:
        where = f"between whole blocks of {blocks}, never within one"
    page_text.sentences.append(
        f"The {values} are permuted {settings.n_permutations:,} times {where}, and all subgraphs are tested "
        f"again each time. The probability of reporting any subgraph without a difference is at most "
        f"{settings.alpha:.0%}."
    )
    if settings.covariates:
        page_text.sentences.append(f"Adjusted for {_listed(settings.covariates)}.")
    if settings.holdout is not None:
        page_text.sentences.append(
            "Only one part of the cohort is searched; the subgraphs found there are tested again in the "
            f"other part (holdout: {_short(settings.holdout)})."
        )
    page_text.sentences.append(
        "This holds if participants are independent and, within the blocks, exchangeable except for the "
        "difference tested."
    )


def _add_cautions(page_text: Text, kind: Kind, view: CohortView, values: Mapping[str, Any]) -> None:
    used = {*(values.get("blocks") or ()), *(values.get("covariates") or ()), values.get("groups")}
    options = kind.settings.options()
    by = next((name for name in ("blocks", "groups", "covariates") if name in options), "")
    site = next((name for name in view.columns if name.lower() in SITE_COLUMNS), None)
    part = view.part
    add = None
    if site is not None and site not in used and by:
        why = f"There are several sites ({_short(site)}), and scanners differ."
        if part is not None and part.sites is not None and part.sites.associated:
            why = (
                f"Site and group go together ({_short(site)}, Cramér's V {part.sites.strength:.2f}): a "
                "difference between scanners would look like one between the groups."
            )
        add = f"{by}={','.join([*(values.get(by) or []), site]) if by != 'groups' else site}"
        page_text.cautions.append((why, add, f"Use {_short(site)} for {by}"))
    for one in part.differences if part is not None and kind.name != "phenotype" else ():
        # Predictions of classes are not adjusted, only those of a phenotype.
        adjusts = "covariates" in options and (kind.name != "predict" or "phenotype" in values)
        if one.column not in used and adjusts and one.column != values.get("phenotype"):
            chosen = ",".join([*(values.get("covariates") or []), one.column])
            page_text.cautions.append(
                (f"{one.text}.", f"covariates={chosen}", f"Adjust for {_short(one.column)}")
            )
    if not any(name.lower() in MOTION_COLUMNS for name in view.columns):
        page_text.cautions.append(
            (
                "No column contains the head motion of the participants. Motion changes connectivity, and "
                "groups often differ in it.",
                "",
                "",
            )
        )
    if part is not None and part.n_pos and min(part.n_pos, part.n_neg) < 30:
        page_text.cautions.append(
            (
                f"The smaller group has {min(part.n_pos, part.n_neg)} participants: only large differences "
                f"can be detected.",
                "",
                "",
            )
        )
