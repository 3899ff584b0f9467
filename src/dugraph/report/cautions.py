"""Cautions for the reader, in sentences that depend on the cohort and the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate, listed
from dugraph.data.labels import CLASSES
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.methods import WHOLE
from dugraph.evaluation.result import unproven_notes
from dugraph.report.cohort import Difference, Sites
from dugraph.report.findings import Parts, tests_the_same, thinned_at
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.records import group_rows
from dugraph.significance.result import GUARANTEE

_SMALL = 30  # graphs in the smaller class
_UNEVEN = 0.6  # share of the larger class
_PICKED = {
    "classes": ("Error rates", "lowest of {} error rates"),
    "phenotype": ("Correlations", "largest of {} correlations"),
    "groups": ("Balanced accuracies", "largest of {} balanced accuracies"),
}


@dataclass(frozen=True)
class Caution:
    """A sentence or two with a heading; `urgent` ones are on the first screen too."""

    heading: str
    text: str
    urgent: bool = False


def cautions(parts: Parts, described: dict[str, Any]) -> list[Caution]:
    """The cautions for these results and the cohort of `describe_cohort`, the most urgent first."""
    names, cohort = _adjusted_for(parts), parts.source.cohort
    found = [_size(parts)]
    if cohort.kind == CLASSES:
        found += [_balance(cohort, parts.evaluation), _sites(described["sites"], parts.test)]
    if names or cohort.kind != CLASSES:
        found.append(_confounders(names))
    found += [_difference(one, one.column in names) for one in described["differences"]]
    found.append(Caution("Head motion and mean connectivity", described["nuisance"], urgent=True))
    if parts.found is not None:
        found += [_proof(parts.found, tests_the_same(parts.test, parts.found)), _selection(parts.found)]
    if parts.test is not None:
        # The findings are elsewhere on the page.
        message = parts.test.result.message
        guarantee = message[max(0, message.rfind(GUARANTEE)) :]
        several = (
            "If you run several tests with different settings, this guarantee holds only for the one you "
            "chose in advance."
        )
        found.append(Caution("What the test claims", f"{guarantee} {several}", urgent=True))
    if parts.evaluation is not None:
        judged = parts.evaluation
        found.append(_best_of_many(judged))
        unfinished = unproven_notes(judged)
        found += [Caution("Not all searches finished", text, urgent=True) for text in unfinished]
    found += [
        Caution(
            "Independence",
            "The method assumes that the edges of a graph are independent. Measured connections are not.",
        ),
        Caution(
            "Use",
            "This report describes groups, for research. Do not base decisions about an individual on it.",
        ),
    ]
    return sorted(found, key=lambda caution: not caution.urgent)


def _size(parts: Parts) -> Caution:
    """The caution about the number of graphs; a page with a replication does not advise one."""
    cohort = parts.source.cohort
    if cohort.kind == CLASSES:
        counts = f"There are {cohort.n_pos} and {cohort.n_neg} graphs in the two classes"
        small, differ = min(cohort.n_pos, cohort.n_neg) < _SMALL, "differ"
    else:
        n_graphs, sizes = len(cohort), [int(rows.sum()) for rows in group_rows(cohort)]
        counts = f"There are {n_graphs} graphs"
        if sizes:
            counts += f" in {len(sizes)} groups, {min(sizes)} in the smallest"
        small, differ = n_graphs < 2 * _SMALL, "vary with the labels"
    if parts.replication is not None:
        meaning = "The section Replication shows which findings were confirmed in other subjects."
        if small:
            meaning = f"With so few graphs, tests miss differences, and effects are imprecise. {meaning}"
    elif small:
        meaning = (
            f"With so few graphs, chance alone produces subgraphs that {differ}; replicate the result in "
            "other data."
        )
    else:
        meaning = "Only other cohorts can show whether the findings hold elsewhere."
    return Caution("Small cohort" if small else "Cohort size", f"{counts}. {meaning}", urgent=small)


def _adjusted_for(parts: Parts) -> Sequence[str]:
    """The covariates of what is reported: of the subgraphs, else of the test, else of the evaluation."""
    results = (parts.found, None if parts.test is None else parts.test.result, parts.evaluation)
    # Not by truth: a test without a significant subgraph is empty.
    first = next((one for one in results if one is not None), None)
    return (first.parameters.get("covariates") if first is not None else None) or ()


def _confounders(names: Sequence[str]) -> Caution:
    if names:
        return Caution(
            "What was adjusted for",
            f"The labels were adjusted for {listed(names, most=12)}, by a linear model. Other traits, and "
            "nonlinear effects of these, may still explain a subgraph.",
        )
    return Caution(
        "Nothing was adjusted for",
        "If the labels are associated with site, scanner, age, sex or motion, a subgraph may reflect these "
        "instead. Repeat the analysis with them as covariates.",
        urgent=True,
    )


def _balance(cohort: LabelledGraphs, evaluation: EvaluationResult | None) -> Caution:
    share = max(cohort.n_pos, cohort.n_neg) / len(cohort)
    holds = f"The larger class contains {share:.0%} of the graphs"
    has_error_rate = evaluation is not None and evaluation.task == "classes"
    if share <= _UNEVEN:
        fair = ", so the error rate is a fair measure" * has_error_rate
        return Caution("Class balance", f"{holds}{fair}.")
    judged = "; frequencies in the smaller class are less certain."
    if has_error_rate:
        judged = (
            f", so always guessing it is right {share:.0%} of the time. Judge a classifier by balanced "
            "accuracy, not by its error rate alone."
        )
    return Caution("Uneven classes", f"{holds}{judged}", urgent=True)


def _sites(sites: Sites | None, tested: TestRecord | None) -> Caution:
    if sites is None:
        return Caution(
            "Sites",
            "The cohort does not record where its graphs were measured. If the classes come from different "
            "sites or scanners, a subgraph may separate these rather than the classes.",
        )
    if len(sites.rows) == 1:
        return Caution(
            "Sites",
            f"All graphs come from one site, by the column {abbreviate(sites.column)}. Only other sites can "
            "show whether the findings hold there.",
        )
    test = f"Cramér's V = {sites.strength:.2f}, chi-squared test of independence p = {sites.p_value:.2g}"
    if sites.associated or sites.n_of_one_class:
        blocks = (tested and tested.result.parameters["blocks"]) or []
        within = " The test permuted labels only within sites." if sites.column in blocks else ""
        alone = f" {sites.n_of_one_class} of {len(sites.rows)} sites contain only one class."
        return Caution(
            "Site and class are associated",
            f"{test}.{alone if sites.n_of_one_class else ''} A subgraph may separate sites rather than "
            "classes. Validate by leaving out whole sites (dugraph evaluate --groups "
            f"{abbreviate(sites.column)}).{within}",
            urgent=True,
        )
    return Caution(
        "Sites", f"No association between site and class was seen ({test}); small sites can hide one."
    )


def _difference(found: Difference, is_covariate: bool) -> Caution:
    advice = (
        "The analysis adjusted for it, by a linear model; compare matched groups as well."
        if is_covariate
        else "Compare matched groups, or test with it as a covariate."
    )
    return Caution(
        f"{found.trait.capitalize()} and class are associated",
        f"{found.text}. A subgraph may reflect {found.trait} rather than class. {advice}",
        urgent=True,
    )


def _proof(record: SubgraphRecord, tested: bool) -> Caution:
    if record.proof["success"] and record.is_fit:
        significance = (
            "the test shows which subgraphs really differ."
            if tested
            else "no significance test was run, and no significance is claimed."
        )
        return Caution(
            "What is proven",
            "It is proven that no model over the admitted subgraphs fits this cohort better at "
            f"{'its' if record.models else 'this'} penalty. A coefficient is not a p-value: {significance} A "
            "subgraph that was left out may carry nearly the same information as one that was chosen.",
            urgent=True,
        )
    if record.proof["success"]:
        limit = thinned_at(record)
        classes = record.cohort.kind == CLASSES
        differs = "the difference holds for the classes" if classes else "this holds"
        proven = (
            "It is proven that no other admitted subgraph has a larger value in this cohort."
            if limit is None
            else "The list is a greedy choice. It is proven that the first subgraph is the best of all "
            "admitted ones in this cohort, and each later one the best of those that correlate at most "
            f"{limit:g} with all listed before it. Subgraphs left out may have larger values than those "
            "listed."
        )
        general = (
            "A place in the list does not make a difference real: only the test can show that."
            if tested
            else f"That {differs} in general is not proven: no significance test was run, and no "
            "significance is claimed."
        )
        return Caution("What is proven", f"{proven} {general}", urgent=True)
    heading = "The fit did not finish" if record.is_fit else "The search did not finish"
    return Caution(heading, str(record.proof["message"]), urgent=True)


def _best_of_many(evaluation: EvaluationResult) -> Caution:
    tried = sum(1 if method in WHOLE else len(evaluation.n_subgraphs) for method in evaluation.methods)
    heading, best = _PICKED[evaluation.task]
    return Caution(
        heading,
        f"The {best.format(tried)} was picked after seeing the test graphs, so it is too optimistic for new "
        "data. Choose the method in advance, or by nested cross-validation.",
        urgent=tried > 1,
    )


def _selection(record: SubgraphRecord) -> Caution:
    seen: set[int] = set()
    shared, n = 0, len(record.subgraphs)
    for one in record.subgraphs:
        shared += bool(seen & set(one.edges))
        seen |= set(one.edges)
    share = f"{shared} of {n} subgraphs {'shares' if shared == 1 else 'share'} an edge with one"
    if record.is_fit:
        return Caution(
            "Chosen and described with the same graphs",
            "The subgraphs and the penalty were chosen with these graphs, so the frequencies and the loss "
            "are optimistic; judge the model by nested cross-validation."
            + (f" {share} that has a larger coefficient." if shared else ""),
        )
    return Caution(
        "Chosen and described with the same graphs",
        "The subgraphs were chosen because they differ in these graphs, so the frequencies shown are "
        "optimistic." + (f" {share} ranked higher: they are not separate findings." if shared else ""),
    )
