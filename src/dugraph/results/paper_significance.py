"""Methods and Results of a test of significance, for every combination of its options."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dugraph.data.arguments import abbreviate, counted
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.probability.containment import containment_columns
from dugraph.results.cohort_ref import phenotype_column
from dugraph.results.paper_words import (
    N_LISTED,
    Labels,
    Text,
    cohort_labels,
    describe_family,
    describe_sample,
    make_labels,
    p_text,
)
from dugraph.results.records import ReplicationRecord, TestRecord
from dugraph.significance.result import GUARANTEE, POWER, large_number


class TestAbout:
    """A test with the values that several sentences use; names are escaped."""

    __test__ = False  # not a test case of pytest

    def __init__(self, text: Text, record: TestRecord) -> None:
        result, asked = record.result, record.result.parameters
        self.record, self.result, self.asked = record, result, asked
        self.graphs = record.cohort.graphs
        self.kind: str = asked["labels"]
        self.labels = tested_labels(record)
        self.groups = [text.name(name) for name in self.labels.names]
        self.name = text.name(record.phenotype or record.source.phenotype or "the phenotype")
        # Covariates that are constant within blocks are adjusted for by the blocks, as in the claim.
        guarantee = result.message.rpartition(GUARANTEE)[2].partition(". ")[0].removesuffix(".")
        self.guarantee = f"{GUARANTEE}{guarantee}."
        self.adjusted = "given the covariates" in self.guarantee
        self.whole = asked["permute"] == "whole"
        self.blocked = asked["blocks"] is not None and not self.whole and result.n_blocks > 1
        self.blocks = text.columns(asked["blocks"], "blocks")
        self.covariates = text.columns(asked["covariates"], "covariates") or "the covariates"
        self.alternative: str = asked.get("alternative", "two-sided")
        given = [
            *([self.blocks or "blocks"] if self.blocked else []),
            *([self.covariates] if asked["covariates"] is not None else []),
        ]
        self.given = " as well as ".join(given)

    @property
    def partial(self) -> str:
        """The name of the correlations."""
        return "partial " if self.given else ""


def tested_labels(record: TestRecord | ReplicationRecord) -> Labels:
    """The labels of the test, if the cohort has them."""
    graphs, kind = record.cohort.graphs, record.result.parameters["labels"]
    if record.phenotype is not None and record.phenotype in (graphs.participants or {}):
        return make_labels(graphs, phenotype_column(graphs, record.phenotype), kind)
    if record.phenotype is None and record.cohort.kind == kind:
        return cohort_labels(record.cohort)
    contrasts = list(dict.fromkeys(record.result.contrasts))
    names = contrasts[0].split(" against ", 1) if kind == CLASSES and contrasts else []
    if kind == CLASSES and len(names) < 2:
        names = ["first", "second"]
    return Labels(kind, None, names, [])


def methods_of_test(text: Text, about: TestAbout) -> list[str]:
    """Sample, question and statistic, permutations and their multiplicity, estimation."""
    return [
        describe_sample(text, about.graphs, about.labels, about.name),
        f"{_question(about)} {_statistic(about)}",
        " ".join(
            [
                *_moved(text, about),
                *_given_covariates(text, about),
                _draws(text, about),
                *_multiplicity(text, about),
                *_planned(text, about),
            ]
        ),
        *([_estimation(text, about)] if len(about.result) else []),
    ]


def _question(about: TestAbout) -> str:
    n = f"All {int(about.result.n_admitted.sum()):,} {describe_family(about.asked)} were tested for"
    more = {"greater": "a higher", "less": "a lower"}.get(about.alternative)
    sides = "one-sided" if more else "two-sided"
    if about.kind == PHENOTYPE:
        sought = {"two-sided": "an association", "greater": "an increase", "less": "a decrease"}
        return (
            f"{n} {sought[about.alternative]} of their containment probability with {about.name} ({sides})."
        )
    if about.kind == GROUPS:
        named = f" ({', '.join(about.groups)})" if about.groups else ""
        if more:
            return (
                f"{n} {more} expected frequency in one of the groups{named} than in all others together "
                f"({sides})."
            )
        return (
            f"{n} a difference in expected frequency between one of the groups{named} and all others "
            f"together ({sides})."
        )
    a, b = about.groups
    if more:
        return f"{n} {more} expected frequency in the {a} group than in the {b} group ({sides})."
    return f"{n} a difference in expected frequency between the {a} group and the {b} group ({sides})."


def _statistic(about: TestAbout) -> str:
    effect = {
        CLASSES: "difference in expected frequency",
        GROUPS: "difference in expected frequency between a group and all others together",
        PHENOTYPE: f"slope of the containment probability on {about.name}",
    }[about.kind]
    size = "absolute " if about.alternative == "two-sided" else ""
    given = f", adjusted for {about.given}" if about.given else ""
    if about.asked["statistic"] == "z":
        said = (
            f"The test statistic z was the {size}{effect}{given}, divided by its standard deviation under "
            "the null hypothesis. This standard deviation comprises the variance between graphs and the "
            "variance over possible worlds, that is, the uncertainty of the edges."
        )
    elif about.asked["statistic"] == "difference":
        said = f"The test statistic was the {size}{effect}{given}."
    else:
        label = {CLASSES: "group", GROUPS: "membership of a group", PHENOTYPE: about.name}[about.kind]
        given = f" given {about.given}" if about.given else ""
        said = (
            f"The test statistic t was the {size}{about.partial}correlation between containment probability "
            f"and {label}{given}."
        )
    if not size:
        sign = "positive" if about.alternative == "greater" else "negative"
        said += f" Only {sign} values counted as evidence."
    return f"{said} The largest value over the groups was used." if about.kind == GROUPS else said


def _moved(text: Text, about: TestAbout) -> list[str]:
    """The permutation of the labels, and the graphs among which they were permuted."""
    result = about.result
    labels = f"values of {about.name}" if about.kind == PHENOTYPE else "group labels"
    if about.asked["blocks"] is None or result.n_blocks < 2:
        return [f"The {labels} were permuted among all graphs."]
    n, n_blocks = result.n_informative_blocks, result.n_blocks
    if about.whole:
        blocks = f"whole blocks, defined by {about.blocks}," if about.blocks else "whole blocks"
        moved = (
            f"The {labels} of {blocks} were permuted among blocks with the same number of graphs, so that "
            f"the graphs of a block kept a common label {text.cite('winkler2015multi')}."
        )
        informative = "had counterparts of the same size with another label"
    else:
        by = f" defined by {about.blocks}" if about.blocks else ""
        moved = f"The {labels} were permuted within blocks{by} {text.cite('winkler2015multi')}."
        informative = "contained different labels"
    if n == n_blocks:
        return [moved, f"All {n_blocks:,} blocks {informative}."]
    return [moved, f"Of {n_blocks:,} blocks, {n:,} {informative} and contributed to the test."]


def _given_covariates(text: Text, about: TestAbout) -> list[str]:
    if about.asked["covariates"] is None:
        return []
    if not about.adjusted:
        return [f"Because {about.covariates} did not vary within blocks, no further adjustment was needed."]
    within = " within blocks" if about.blocked else ""
    return [
        f"To adjust for {about.covariates}, permutations were drawn with their conditional probability given "
        f"the covariates {text.cite('berrett2020conditional')}, under a model in which the log odds of the "
        f"labels are linear in the covariates{within}; its coefficients were estimated without reference to "
        "the graphs. In addition, the labels entered the statistic as residuals of a linear regression on "
        f"the covariates{within}."
    ]


def _draws(text: Text, about: TestAbout) -> str:
    result, distinct = about.result, large_number(about.result.n_distinct_permutations)
    if result.exact:
        return (
            f"All {distinct} distinct permutations were evaluated, so that the p-values do not depend on "
            "random numbers."
        )
    return (
        f"In total, {result.n_permutations - 1:,} random permutations were drawn from {distinct} possible "
        f"ones, and the observed labels counted as one more {text.cite('phipson2010permutation')}."
    )


def _multiplicity(text: Text, about: TestAbout) -> list[str]:
    classes, alpha = about.result.size_classes, about.asked["alpha"]
    shared = f", at a family-wise error of {alpha:g}"
    if len(classes) > 1:
        shared = (
            f", separately for {len(classes)} size classes ({', '.join(classes)}); p-values were multiplied "
            f"by {len(classes)}, so that the size classes shared the family-wise error of {alpha:g} equally"
        )
    maxima = text.cite("westfall1993resampling")
    steps = []
    if about.asked["step_down"]:
        steps = [
            "Significant subgraphs were removed from the maxima and the others tested again until nothing "
            f"further was found (step-down; {text.bare('romano2005exact')})."
        ]
    return [
        "To control the family-wise error over all subgraphs, each observed statistic was compared with the "
        f"permutation distribution of the largest statistic {maxima}{shared}.",
        *steps,
        f"The smallest attainable p-value was {p_text(len(classes) / about.result.n_permutations)}.",
        text.escape(about.guarantee),
    ]


def _planned(text: Text, about: TestAbout) -> list[str]:
    plan = about.record.plan
    if plan is None:
        return []
    return [
        f"The test had been planned on {text.name(plan.date)}: settings, columns and graphs were those of "
        f"the plan (checksum {text.name(plan.checksum[:12])})."
    ]


def _estimation(text: Text, about: TestAbout) -> str:
    dependent = " and to dependence within blocks" if about.whole else ""
    effect = "Slopes" if about.kind == PHENOTYPE else "Differences in expected frequency"
    given = f", adjusted for {about.given}," if about.given else ""
    label = about.name if about.kind == PHENOTYPE else "group"
    return (
        f"{effect}{given} are reported as effects. Their 95 % confidence intervals account for the selection "
        "of subgraphs with large statistics: an estimate is taken as normally distributed, given that it "
        f"exceeded its critical value {text.cite('zhong2008bias')}, with HC2 standard errors, which are "
        f"robust to unequal variances{dependent} {text.cite('mackinnon1985some')}. "
        f"{f'{about.partial}correlations'.capitalize()} between containment probability and {label} are "
        "reported as standardised effects and are not corrected for selection. A significant subgraph was "
        "called irreducible if no significant connected part of it had a statistic at least as large. "
        "Irreducible subgraphs were grouped into families around edge-disjoint representatives."
    )


def results_of_test(text: Text, about: TestAbout) -> tuple[list[str], list[tuple[str, ...]]]:
    """Paragraphs, and a table of the representatives."""
    result, n_tested = about.result, int(about.result.n_admitted.sum())
    level = f"family-wise error {about.asked['alpha']:g}"
    if not len(result):
        smallest = p_text(float(np.nanmin(result.best_p_values, initial=1.0)))
        none = (
            f"None of {counted(n_tested, 'connected subgraph')} {_did(about)} ({level}; smallest adjusted "
            f"p = {smallest})."
        )
        power = result.message.partition(POWER)[2].partition(f" {GUARANTEE}")[0]
        return [f"{none} {text.escape(POWER + power)}" if power else none], []
    n, n_families = int(result.irreducible.sum()), len(result.families)
    first = (
        f"Of {counted(n_tested, 'connected subgraph')}, {len(result):,} {_did(about)} ({level}); {n:,} of "
        f"these {'was' if n == 1 else 'were'} irreducible, in {n_families:,} "
        f"{'family' if n_families == 1 else 'families'}."
    )
    if len(result.size_classes) > 1:
        sizes = zip(result.size_classes, result.n_admitted.tolist(), strict=True)
        first += f" Tested were {', '.join(f'{k:,} with {name}' for name, k in sizes if k)}."
    best = result.families[0].irreducible[0]
    second = f"The most significant subgraph ({_edges(text, about, best)}) {_effect(about, best)}."
    return [
        first,
        " ".join([second, *_directions(about)]),
        "A subgraph is significant as a whole; single edges in it may not contribute.",
    ], _table(text, about)


def _did(about: TestAbout) -> str:
    """The verb phrase for significant subgraphs."""
    more = {"greater": "more", "less": "less"}.get(about.alternative)
    if about.kind == PHENOTYPE:
        verb = {"two-sided": "varied", "greater": "increased", "less": "decreased"}[about.alternative]
        return f"{verb} significantly with {about.name}"
    if about.kind == GROUPS:
        if more:
            return f"occurred significantly {more} often in one of the groups than in all others together"
        return "differed significantly among the groups"
    a, b = about.groups
    if more:
        return f"occurred significantly {more} often in the {a} group than in the {b} group"
    return f"differed significantly between the {a} group and the {b} group"


def _directions(about: TestAbout) -> list[str]:
    """The numbers of irreducible subgraphs with effects of either sign."""
    signs = np.sign(about.result.effects[about.result.irreducible])
    if about.alternative != "two-sided" or about.kind == GROUPS or len(signs) < 2:
        return []
    up, down = int((signs > 0).sum()), int((signs <= 0).sum())
    if about.kind == PHENOTYPE:
        ways = [f"{verb} with {about.name}" for verb in ("increased", "decreased")]
    else:
        were = ["was" if n == 1 else "were" for n in (up, down)]
        named = zip(were, about.groups, strict=True)
        ways = [f"{verb} more frequent in the {group} group" for verb, group in named]
    if not up or not down:
        return [f"All {len(signs):,} irreducible subgraphs {ways[0] if up else ways[1]}."]
    return [f"Of the irreducible subgraphs, {up:,} {ways[0]} and {down:,} {ways[1]}."]


def _edges(text: Text, about: TestAbout, k: int) -> str:
    return text.subgraph(about.graphs, about.result.subgraphs[k])


def _number(about: TestAbout, value: float) -> str:
    """An effect: differences lie within [-1, 1]; the size of slopes depends on their unit."""
    return f"{value:+.3g}" if about.kind == PHENOTYPE else f"{value:+.2f}"


def _interval(about: TestAbout, k: int) -> str:
    low, high = about.result.effect_intervals[k].tolist()
    finite = math.isfinite(low) and math.isfinite(high)
    return f"{_number(about, low)} to {_number(about, high)}" if finite else ""


def _effect(about: TestAbout, k: int) -> str:
    """The direction of a subgraph with its frequencies, effect, interval, correlation, statistic and p."""
    result, effect = about.result, float(about.result.effects[k])
    adjusted = "adjusted " if about.given else ""
    numbers = [f"{adjusted}difference in expected frequency {_number(about, effect)}"]
    if about.kind == PHENOTYPE:
        verb = f"{'increased' if effect > 0 else 'decreased'} with {about.name}"
        numbers = [
            f"expected frequency {about.record.subgraphs[k].frequency:.2f}",
            f"{adjusted}slope {_number(about, effect)} per unit",
        ]
    elif about.kind == GROUPS:
        verb = f"was {'more' if effect > 0 else 'less'} frequent in {_group(about, k)} than in all others"
    else:
        more, less = about.groups if effect > 0 else about.groups[::-1]
        verb = f"was more frequent in the {more} group than in the {less} group"
        shown = zip(about.groups, _frequencies(about, k), strict=False)
        both = " and ".join(f"{x:.2f} in {group}" for group, x in shown)
        numbers[:0] = [f"expected frequencies {both}"] if both else []
    if _interval(about, k):
        numbers[-1] += f", 95 % confidence interval given selection {_interval(about, k)}"
    r = float(result.partial_correlations[k])
    numbers += [f"{about.partial}r = {r:.2f}"] if math.isfinite(r) else []
    if about.asked["statistic"] == "z":
        numbers.append(f"z = {result.statistics[k]:.2f}")
    return f"{verb} ({'; '.join(numbers)}; adjusted p = {p_text(float(result.p_values[k]))})"


def _group(about: TestAbout, k: int) -> str:
    """The group that a contrast compares with the rest."""
    for name, shown in zip(about.labels.names, about.groups, strict=True):
        if about.result.contrasts[k] == f"{abbreviate(name)} against the rest":
            return f"the {shown} group"
    return "one group"


def _frequencies(about: TestAbout, k: int) -> list[float]:
    """Expected frequencies in the classes, the positive one first."""
    probability = about.graphs.raw_probability
    x = containment_columns(probability, [about.result.subgraphs[k]], np.float64)[:, 0]
    return [float(np.mean(x[rows])) for rows in about.labels.members]


def _table(text: Text, about: TestAbout) -> list[tuple[str, ...]]:
    result, by_class = about.result, about.kind == CLASSES and bool(about.labels.members)
    groups = [f"frequency, {one}" for one in about.groups] if by_class else ["frequency"]
    heads = (
        *("family", "edges", *(["group"] if about.kind == GROUPS else []), *groups),
        *("slope" if about.kind == PHENOTYPE else "difference", "95 % CI given selection"),
        *(f"{about.partial}r", "adjusted p"),
    )
    rows: list[Sequence[str]] = []
    for number, family in enumerate(result.families[:N_LISTED], 1):
        k = family.irreducible[0]
        shown = _frequencies(about, k) if by_class else [about.record.subgraphs[k].frequency]
        rows.append(
            (
                *(str(number), _edges(text, about, k)),
                *([_group(about, k)] if about.kind == GROUPS else []),
                *(f"{x:.2f}" for x in shown),
                *(_number(about, float(result.effects[k])), _interval(about, k) or "–"),
                *(f"{result.partial_correlations[k]:.2f}", p_text(float(result.p_values[k]))),
            )
        )
    return [heads, *map(tuple, rows)]
