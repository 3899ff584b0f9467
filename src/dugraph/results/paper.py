"""`paper_text`: the Methods and Results sections of a paper, and its references, from a result.

Every number is taken from the result. Names of regions, classes and columns come from files and are escaped
for Markdown; the references contain none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dugraph._citation import REFERENCES, Reference
from dugraph.data.arguments import counted
from dugraph.data.labels import PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.results.cohort_ref import PathLike
from dugraph.results.load import load_result
from dugraph.results.paper_significance import (
    TestAbout,
    methods_of_test,
    results_of_test,
    tested_labels,
)
from dugraph.results.paper_words import (
    N_LISTED,
    Labels,
    Text,
    cohort_labels,
    cut_note,
    describe_family,
    describe_sample,
    describe_software,
    markdown,
    p_text,
)
from dugraph.results.records import (
    EvaluationRecord,
    RankedSubgraph,
    ReplicationRecord,
    SubgraphRecord,
    TestRecord,
    record_of,
)
from dugraph.significance.result import large_number
from dugraph.words import FREQUENCY, LOSSES, MEASURES, SQUARED, score_title

Written = SubgraphRecord | TestRecord | ReplicationRecord
"""What a text can be about."""
PAPER_FILES = ("methods.md", "results.md", "references.bib")
_LOSSES = {
    LOSSES[0]: "logistic regression",
    LOSSES[1]: "linear classification with the squared hinge loss",
    SQUARED: "linear regression",
}


class PaperText(NamedTuple):
    """Text for a paper, in Markdown, and the references that it cites, in BibTeX.

    Attributes
    ----------
    methods, results : str
    bibtex : str
    """

    methods: str
    results: str
    bibtex: str


class Sections(NamedTuple):
    """Paragraphs of both sections, a table of the results, and the references in the order of citation."""

    methods: list[str]
    results: list[str]
    caption: str
    table: list[tuple[str, ...]]
    references: list[Reference]


def paper_text(
    result: Any,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: PathLike | None = None,
) -> PaperText:
    """Write the Methods and Results of a paper about a result, with references.

    The text describes what was done and found, in the past tense, with the numbers of the result. Add how
    the data were acquired and preprocessed, and why a limit was chosen.

    Parameters
    ----------
    result : MiningResult, fitted sparse model, SignificanceResult, ReplicationResult, record or path-like
        The result of `mine_subgraphs`, a fit, `significant_subgraphs`, `replicate`, `find_and_replicate` or
        `load_result`, or a folder of results, which needs no `X` and `y`.
    X, y, pos_label, data
        The graphs and labels, as for `save_result`: for a result of `replicate` those of the second cohort;
        for one of `find_and_replicate` the whole cohort, both parts of which are described.

    Returns
    -------
    PaperText
        ``methods`` and ``results`` in Markdown, ``bibtex`` with the references cited.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, min_expected_frequency=0.25)
    >>> text = dg.paper_text(result, graphs, y)
    >>> print(text.results.splitlines()[2])  # doctest: +ELLIPSIS
    Of 498 connected subgraphs, 18 differed significantly between the patient group and ...
    >>> "Westfall and Young, 1993" in text.methods, "@book{westfall1993resampling" in text.bibtex
    (True, True)
    """
    if isinstance(result, (str, os.PathLike)):
        result = load_result(result, data=data)
    record = record_of(result, X, y, pos_label=pos_label, data=data)
    if isinstance(record, EvaluationRecord):
        raise InputError("A text for a paper is about subgraphs or a test, but this is an evaluation.")
    if isinstance(record, ReplicationRecord) and record.result.holdout is not None and record.source.whole:
        # One cohort in two parts: the text is about both.
        rows = np.flatnonzero(~record.result.holdout)
        settings = {} if record.phenotype is None else {"phenotype": record.phenotype}
        first = record_of(record.result.discovery, record.source.whole[rows], settings=settings)
        return markdown_text(write_sections(first, markdown, record))
    return markdown_text(write_sections(record, markdown))


def paper_files(record: Written) -> dict[str, bytes]:
    """The files of a result's folder."""
    text = markdown_text(write_sections(record, markdown))
    return {name: part.encode() for name, part in zip(PAPER_FILES, text, strict=True)}


def markdown_text(sections: Sections) -> PaperText:
    """Join paragraphs, table and references."""
    listed = "\n".join(f"- {one.text}" for one in sections.references)
    methods = "\n\n".join(["# Methods", *sections.methods, "## References", listed])
    results = ["# Results", *sections.results]
    if sections.table:
        results.append(f"{sections.caption}:")
        heads, *rows = sections.table
        rule = "|" + "---|" * len(heads)
        results.append("\n".join([_row(heads), rule, *map(_row, rows)]))
    bibtex = "\n\n".join(one.bibtex for one in sections.references)
    return PaperText(f"{methods}\n", "\n\n".join(results) + "\n", f"{bibtex}\n")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_sections(
    record: Written, escape: Callable[[str], str] = str, second: ReplicationRecord | None = None
) -> Sections:
    """Write the paragraphs; `escape` escapes a name for the output format.

    A `second` record is that of the replication of a test.
    """
    text = Text(escape)
    if isinstance(record, ReplicationRecord):
        name = text.name(record.phenotype or record.source.phenotype or "phenotype")
        sample = describe_sample(text, record.cohort.graphs, tested_labels(record), name)
        methods = [sample, *_replication_methods(text, record)]
        results, caption = _replication_results(text, record), ""
        table: list[tuple[str, ...]] = []
    elif isinstance(record, TestRecord):
        about = TestAbout(text, record)
        methods = methods_of_test(text, about)
        results, table = results_of_test(text, about)
        caption = f"Representatives of the families{cut_note(len(record.result.families))}"
        if second is not None:
            methods += _replication_methods(text, second)
            results += _replication_results(text, second)
    elif record.is_fit:
        methods, results, table = _fit_sections(text, record)
        caption = f"Subgraphs by the size of their coefficients{cut_note(len(record.subgraphs))}"
    else:
        methods, results, table = _search_sections(text, record)
        caption = f"Subgraphs in the order of the ranking{cut_note(len(record.subgraphs))}"
    tested = None if isinstance(record, SubgraphRecord) else record.result
    seed = None if tested is None or tested.exact else tested.parameters["random_state"]
    methods.append(describe_software(text, record.versions, seed))
    return Sections(methods, results, caption, table, [REFERENCES[key] for key in text.cited])


# ---------------------------------------------------------------- replication


def _replication_methods(text: Text, record: ReplicationRecord) -> list[str]:
    second = record.result
    asked, n = second.parameters, len(second)
    if second.holdout is not None:
        held = int(second.holdout.sum())
        sample = (
            f"Subgraphs were found in {len(second.holdout) - held:,} connectomes; {held:,} others were held "
            "out for replication."
        )
    else:
        sample = (
            "Subgraphs found in another cohort were tested for replication in this one; regions were matched "
            "by name."
        )
    if not n:
        return [sample]
    family = {
        "irreducible": "irreducible subgraphs",
        "representative": "representatives",
        "all": "significant subgraphs",
    }.get(str(asked["subgraphs"]), "chosen subgraphs")
    statistic = {
        "t": "correlation of containment probability and label",
        "z": "statistic z",
        "difference": "effect",
    }[asked["statistic"]]
    given = ""
    if asked["blocks"] is not None:
        blocks = text.columns(asked["blocks"], "blocks")
        whole, by = asked["permute"] == "whole", f" defined by {blocks}" if blocks else ""
        given = f" of whole blocks{by}" if whole else f" within blocks{by}"
    if asked["covariates"] is not None:
        covariates = text.columns(asked["covariates"], "covariates") or "the covariates"
        given += f", drawn with their probability given {covariates} {text.cite('berrett2020conditional')},"
    draws = (
        f"All {large_number(second.n_distinct_permutations)} distinct permutations"
        if second.exact
        else f"In total, {second.n_permutations - 1:,} random permutations"
    )
    tested = f"The {n:,} {family} were" if n > 1 else f"The only one of the {family} was"
    return [
        f"{sample} {tested} tested one-sided, in the direction of the effect in the first sample, by the "
        f"{statistic}. {draws} of the labels{given} gave the distribution of the largest statistic over "
        f"these {counted(n, 'subgraph')}, with step-down "
        f"{text.cite('westfall1993resampling', 'romano2005exact')}, at a family-wise error of "
        f"{asked['alpha']:g}. The larger of the two adjusted p-values tests whether a subgraph differs in "
        f"both samples (partial conjunction; {text.bare('benjamini2008screening')}). Effects in the second "
        "sample are free of selection; their 95 % confidence intervals are percentiles of a bootstrap "
        f"{text.cite('efron1993introduction')}."
    ]


def _replication_results(text: Text, record: ReplicationRecord) -> list[str]:
    second = record.result
    n = len(second)
    if not n:
        return ["No subgraph was tested for replication, since none was significant in the first analysis."]
    yes = int(second.replicated.sum())
    ratio = float(np.median(second.effects / second.first_effects))
    were = f"Of {counted(n, 'subgraph')}, {yes:,} {'was' if yes == 1 else 'were'}"
    if yes == n > 1:
        were = f"All {n:,} subgraphs were"
    said = (
        f"{were} confirmed in the second sample (family-wise error {second.parameters['alpha']:g}). The "
        f"median effect was {ratio:.2g} times that in the first sample."
    )
    if yes:
        k = int(np.flatnonzero(second.replicated)[np.argmin(second.p_values[second.replicated])])
        low, high = second.effect_intervals[k].tolist()
        said += (
            " The subgraph confirmed with the smallest p-value "
            f"({text.subgraph(second.discovery.naming, second.subgraphs[k])}) had an effect of "
            f"{second.effects[k]:+.3g} (95 % confidence interval {low:+.3g} to {high:+.3g}; "
            f"{second.first_effects[k]:+.3g} in the first sample; adjusted p = "
            f"{p_text(float(second.p_values[k]))}, both samples p = "
            f"{p_text(float(second.conjunction_p_values[k]))})."
        )
    return [said]


# ---------------------------------------------------------------- searches and sparse models

_Parts = tuple[list[str], list[str], list[tuple[str, ...]]]


def _search_sections(text: Text, record: SubgraphRecord) -> _Parts:
    asked, labels, found = record.parameters, cohort_labels(record.cohort), len(record.subgraphs)
    limit = asked.get("max_correlation")
    thinned = []
    if limit is not None and limit < 1:
        thinned = [
            f"Subgraphs whose containment probabilities correlated above {limit:g} with those of a "
            "higher-ranking subgraph in the list were left out."
        ]
    proven = (
        "The search was exact: it proved that no other subgraph ranks higher."
        if record.proof["success"]
        else "The search was stopped before it could prove that no other subgraph ranks higher."
    )
    sample = _sample(text, record, labels)  # first, since references are in the order of citation
    ranking = (
        f"Among all {describe_family(asked)}, the {asked['n_subgraphs']:,} with the largest "
        f"{_measured(text, record, labels)}."
    )
    note = "The ranking describes this sample; it is not a test of significance."
    methods = [sample, " ".join([ranking, *thinned, proven, note])]
    if not found:
        return methods, ["No subgraph was found."], []
    best = record.subgraphs[0]
    results = [
        f"The search found {counted(found, 'subgraph')}. The highest-ranking one "
        f"({text.subgraph(record.cohort.graphs, best.edges)}) had a value of {best.value:.4g}"
        f"{_in_groups(text, labels, best)}."
    ]
    return methods, results, _ranked_table(text, record, labels, "value")


def _sample(text: Text, record: SubgraphRecord, labels: Labels) -> str:
    name = text.name(record.source.phenotype or "phenotype")
    return describe_sample(text, record.cohort.graphs, labels, name)


def _measured(text: Text, record: SubgraphRecord, labels: Labels) -> str:
    """The ranking criterion of the subgraphs, and its interpretation."""
    asked = record.parameters
    if asked["measure"] == FREQUENCY:
        return "expected frequency were listed, whatever their labels"
    score = str(asked.get("score"))
    what = MEASURES[asked["measure"]].said.format(**{**asked, "score": text.name(score_title(score))})
    source = f" {text.cite('gretton2005measuring')}" if score == "hsic" else ""
    beyond = ""
    if asked.get("covariates"):
        covariates = text.columns(asked["covariates"], "covariates") or "the covariates"
        beyond = f" beyond what {covariates} explain{'s' if len(asked['covariates']) == 1 else ''}"
    if labels.kind == PHENOTYPE:
        name = text.name(record.source.phenotype or "the phenotype")
        measures = f"how strongly a subgraph's presence is associated with {name}"
    else:
        each = ", each compared with the others" if asked.get("multi_class") else ""
        measures = f"how a subgraph's presence differs between {text.names(labels.names)}{each}"
    return f"{what}{source} were listed; it measures, over all possible worlds, {measures}{beyond}"


def _in_groups(text: Text, labels: Labels, found: RankedSubgraph) -> str:
    if not labels.names:
        return f" and an expected frequency of {found.frequency:.2f}"
    groups = zip(labels.names, found.by_group, strict=True)
    shown = [f"{one:.2f} in the {text.name(name)} group" for name, one in groups]
    return f" and expected frequencies of {', '.join(shown[:-1])} and {shown[-1]}"


def _ranked_table(text: Text, record: SubgraphRecord, labels: Labels, value: str) -> list[tuple[str, ...]]:
    groups = [f"frequency, {text.name(one)}" for one in labels.names] or ["frequency"]
    rows = [
        (
            *(str(one.rank), text.subgraph(record.cohort.graphs, one.edges), f"{one.value:.4g}"),
            *(f"{x:.2f}" for x in (one.by_group if labels.names else [one.frequency])),
        )
        for one in record.subgraphs[:N_LISTED]
    ]
    return [("rank", "edges", value, *groups), *rows]


def _fit_sections(text: Text, record: SubgraphRecord) -> _Parts:
    asked, labels, found = record.parameters, cohort_labels(record.cohort), len(record.subgraphs)
    is_number = labels.kind == PHENOTYPE
    target = f"Group membership ({text.names(labels.names)}) was"
    if is_number:
        target = f"Values of {text.name(record.source.phenotype or 'the phenotype')} were"
    loss = asked.get("loss") or (SQUARED if is_number else LOSSES[0])
    each = ", one model for each group against the others" if record.models else ""
    sample = _sample(text, record, labels)
    if asked.get("n_nonzero") is not None:
        penalty = f"was the smallest on a path that left at most {counted(asked['n_nonzero'], 'subgraph')}"
    elif asked.get("alpha") in (None, "cv"):
        penalty = f"was chosen by {asked['cv']}-fold cross-validation"
    else:
        penalty = f"was fixed at {asked['alpha']:g}"
    covariates = []
    if asked.get("covariates"):
        given = text.columns(asked["covariates"], "covariates") or "the covariates"
        covariates = [f"The model also contained {given}, without a penalty."]
    model = [
        f"{target} modelled by {_LOSSES.get(loss, 'a linear model')}{each}. Features "
        f"were the containment probabilities of all single edges and of all {describe_family(asked)}, "
        f"with an L1 penalty on their coefficients {text.cite('tibshirani1996regression')}.",
        f"The penalty {penalty}.",
        *covariates,
        "Features were generated by exact searches, so that the duality gap covers all of them: no model has "
        f"an objective lower by more than {record.proof['duality_gap']:.2g} at the same penalty.",
    ]
    methods = [sample, " ".join(model)]
    if not found:
        return methods, ["The model contains no subgraph."], []
    best, contain = record.subgraphs[0], "models contain" if record.models else "model contains"
    groups = _in_groups(text, labels, best).replace(" and ", ", with ", 1)
    results = [
        f"The {contain} {counted(found, 'subgraph')}. The largest coefficient, {best.value:+.3g}, is that of "
        f"{text.subgraph(record.cohort.graphs, best.edges)}{groups}. Coefficients serve prediction; their "
        "significance was not tested."
    ]
    return methods, results, _ranked_table(text, record, labels, "coefficient")
