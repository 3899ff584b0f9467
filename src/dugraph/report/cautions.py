"""What a reader must keep in mind, said in sentences that depend on the cohort and the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dugraph.data.phenotype import CLASSES
from dugraph.data.wording import listed
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.features import WHOLE
from dugraph.evaluation.notes import unproven_notes
from dugraph.report.cohort_part import CohortPart
from dugraph.report.differences import Difference
from dugraph.report.folder import Parts
from dugraph.report.mining_part import thinned_at
from dugraph.report.significance_part import tests_the_same
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.significance.messages import GUARANTEE

_SMALL = 30  # graphs in the smaller class
_UNEVEN = 0.6  # share of the larger class
_PICKED = {
    "classes": ("Error rates", "lowest of {} error rates"),
    "phenotype": ("Correlations", "largest of {} correlations"),
    "groups": ("Balanced accuracies", "largest of {} balanced accuracies"),
}


@dataclass(frozen=True)
class Caution:
    """A sentence or two with a heading; `urgent` ones stand on the first screen too."""

    heading: str
    text: str
    urgent: bool = False


def cautions(parts: Parts, cohort: CohortPart) -> list[Caution]:
    """The cautions for these results, the most urgent first."""
    names = _adjusted_for(parts)
    if cohort.kind == CLASSES:
        found = [_size(cohort), _balance(cohort), _sites(cohort, parts.test)]
        found += [_confounders(names)] if names else []
    else:
        found = [_number(cohort), _confounders(names)]
    found += map(_difference, cohort.differences)
    if parts.found is not None:
        found += [_proof(parts.found, tests_the_same(parts.test, parts.found)), _selection(parts.found)]
    if parts.test is not None:
        found.append(_claim(parts.test))
    if parts.evaluation is not None:
        found.append(_best_of_many(parts.evaluation))
        judged = parts.evaluation
        unfinished = unproven_notes(judged.unproven, judged.n_splits, len(judged.cells))
        found += [Caution("Not all searches were finished", text, urgent=True) for text in unfinished]
    found += [
        Caution(
            "Independence",
            "The method takes the edges of a graph as independent, which measured connections are not.",
        ),
        Caution(
            "Use",
            "The report describes groups, for research. It is no basis for decisions about one person.",
        ),
    ]
    return sorted(found, key=lambda caution: not caution.urgent)


def _size(cohort: CohortPart) -> Caution:
    smaller = min(cohort.n_pos, cohort.n_neg)
    counts = f"There are {cohort.n_pos} and {cohort.n_neg} graphs in the two classes."
    if smaller < _SMALL:
        return Caution(
            "Small cohort",
            f"{counts} With so few, chance alone finds subgraphs that differ; repeat it in other data.",
            urgent=True,
        )
    return Caution(
        "Cohort size", f"{counts} Whether the findings hold elsewhere, only other cohorts can tell."
    )


def _number(cohort: CohortPart) -> Caution:
    counts = f"There are {cohort.n_graphs} graphs"
    if cohort.groups:
        counts += f" in {len(cohort.groups)} groups, {min(n for _, n in cohort.groups)} in the smallest"
    if cohort.n_graphs < 2 * _SMALL:
        return Caution(
            "Small cohort",
            f"{counts}. With so few, chance alone finds subgraphs that vary with the labels; repeat it in "
            "other data.",
            urgent=True,
        )
    return Caution(
        "Cohort size", f"{counts}. Whether the findings hold elsewhere, only other cohorts can tell."
    )


def _adjusted_for(parts: Parts) -> Sequence[str]:
    """The covariates of what is reported, of subgraphs before a test and an evaluation."""
    first = parts.found or (parts.test and parts.test.result) or parts.evaluation
    return (first.parameters.get("covariates") if first else None) or ()


def _confounders(names: Sequence[str]) -> Caution:
    if names:
        return Caution(
            "What was adjusted for",
            f"The labels were adjusted for {listed(names, most=12)}, by a linear model. Other traits, and "
            "what is not linear in these, may stand behind a subgraph still.",
        )
    return Caution(
        "Nothing was adjusted for",
        "If the labels go together with site, scanner, age, sex or motion, a subgraph may vary with these "
        "instead. Repeat it with them as covariates.",
        urgent=True,
    )


def _balance(cohort: CohortPart) -> Caution:
    share = max(cohort.n_pos, cohort.n_neg) / cohort.n_graphs
    if share > _UNEVEN:
        return Caution(
            "Uneven classes",
            f"The larger class holds {share:.0%} of the graphs: always guessing it is right {share:.0%} of "
            "the time. Judge a classifier by balanced accuracy, not by its error rate alone.",
            urgent=True,
        )
    return Caution(
        "Class balance", f"The larger class holds {share:.0%} of the graphs, so the error rate is fair."
    )


def _sites(cohort: CohortPart, tested: TestRecord | None) -> Caution:
    sites = cohort.sites
    if sites is None:
        return Caution(
            "Sites",
            "The cohort does not say where its graphs were measured. If classes come from different sites or "
            "scanners, a subgraph may tell these apart, not the classes.",
        )
    test = f"Cramér's V = {sites.strength:.2f}, chi-squared test of independence p = {sites.p_value:.2g}"
    if sites.associated or sites.n_of_one_class:
        blocks = (tested and tested.result.parameters["blocks"]) or []
        within = " The test moved labels within sites only." if sites.column in blocks else ""
        alone = f" {sites.n_of_one_class} of {len(sites.rows)} sites hold one class only."
        return Caution(
            "Site and class go together",
            f"{test}.{alone if sites.n_of_one_class else ''} A subgraph may tell sites apart instead "
            f"of classes. Validate by leaving out whole sites.{within}",
            urgent=True,
        )
    return Caution("Sites", f"No association of site and class was seen ({test}); small sites can hide one.")


def _difference(found: Difference) -> Caution:
    return Caution(
        f"{found.trait.capitalize()} and class go together",
        f"{found.text}. A subgraph may tell {found.trait} apart instead of the classes. Compare matched "
        "groups, or test with it as a covariate.",
        urgent=True,
    )


def _claim(record: TestRecord) -> Caution:
    # What was found stands elsewhere on the page.
    guarantee = record.result.message[max(0, record.result.message.rfind(GUARANTEE)) :]
    return Caution(
        "What the test claims",
        f"{guarantee} Of several tests with other settings only one that was chosen beforehand keeps this "
        "promise.",
        urgent=True,
    )


def _proof(record: SubgraphRecord, tested: bool) -> Caution:
    if record.proof["success"] and record.is_fit:
        significance = (
            "which subgraphs really differ is the answer of the test."
            if tested
            else "no test of significance was made, and none is claimed."
        )
        return Caution(
            "What is proven",
            "That no model over the admitted subgraphs fits this cohort better at "
            f"{'its' if record.models else 'this'} penalty is proven. A coefficient is not a p-value: "
            f"{significance} A subgraph left out may say nearly the same as one that was chosen.",
            urgent=True,
        )
    if record.proof["success"]:
        limit = thinned_at(record)
        proven = (
            "That no admitted subgraph has a larger value in this cohort is proven."
            if limit is None
            else "The list is a greedy choice. Proven is that the first subgraph is the best of all admitted "
            f"ones in this cohort, and each further one the best of those that correlate at most {limit:g} "
            "with all listed before it. Subgraphs left out may have larger values than those listed."
        )
        general = (
            "Its place in the list does not make a difference real: that is the answer of the test."
            if tested
            else f"That {_holds(record)} in general is not proven: no test of significance was made, and "
            "none is claimed."
        )
        return Caution("What is proven", f"{proven} {general}", urgent=True)
    heading = "The fit was not finished" if record.is_fit else "The search was not finished"
    return Caution(heading, str(record.proof["message"]), urgent=True)


def _holds(record: SubgraphRecord) -> str:
    return "the difference holds for the classes" if record.cohort.kind == CLASSES else "this holds"


def _best_of_many(evaluation: EvaluationResult) -> Caution:
    tried = sum(1 if method in WHOLE else len(evaluation.n_subgraphs) for method in evaluation.methods)
    heading, best = _PICKED[evaluation.task]
    return Caution(
        heading,
        f"The {best.format(tried)} was picked with a view to the test graphs, so it is too good for a "
        "forecast. Choose the method beforehand, or by nested cross-validation.",
        urgent=tried > 1,
    )


def _selection(record: SubgraphRecord) -> Caution:
    seen: set[int] = set()
    shared = 0
    for one in record.subgraphs:
        shared += bool(seen & set(one.edges))
        seen |= set(one.edges)
    if record.is_fit:
        return Caution(
            "Chosen and described by the same graphs",
            "The subgraphs and the penalty were chosen with these graphs, so frequencies and loss are "
            "too good; judge the model by nested cross-validation. "
            f"{shared} of {len(record.subgraphs)} subgraphs share an edge with one of a larger coefficient.",
        )
    return Caution(
        "Chosen and described by the same graphs",
        "The subgraphs were chosen because they differ in these graphs, so the frequencies shown are too "
        f"good. {shared} of {len(record.subgraphs)} subgraphs share an edge with one ranked above: they are "
        "not separate findings.",
    )
