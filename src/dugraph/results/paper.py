"""`paper_text`: the Methods and Results sections of a paper, and its references, from a result.

The sentences are in ``templates``; this module computes what they contain. Names of regions, classes and
columns come from files and are escaped for Markdown; the references contain none.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph._citation import REFERENCES, Reference
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.probability.containment import containment_columns
from dugraph.results.cohort_ref import PathLike, phenotype_column
from dugraph.results.load import OWN_REPLICATION, load_result
from dugraph.results.records import (
    EvaluationRecord,
    ReplicationRecord,
    SubgraphRecord,
    TestRecord,
    group_rows,
    record_of,
)
from dugraph.significance.result import GUARANTEE, POWER, large_number
from dugraph.words import FREQUENCY, LOSSES, MEASURES, PROBABILITIES, SQUARED, score_title

Written = SubgraphRecord | TestRecord | ReplicationRecord
"""Records that a text can describe."""
PAPER_FILES = ("methods.md", "results.md", "references.bib")
_N_LISTED = 20  # subgraphs in the table of results.md
_LOSSES = {
    LOSSES[0]: "logistic regression",
    LOSSES[1]: "linear classification with the squared hinge loss",
    SQUARED: "linear regression",
}
_VALUES = {
    "correlation": "correlations",
    "fisher_z": "Fisher-transformed correlations",
    "count": "streamline counts",
    "probability": "probabilities",
    "series": "time series",
}
_MARKS = re.compile(r"([\\`*_{}\[\]<>|~$^&@#:]|-(?=-)|(?<=www)\.)")
Table = list[tuple[str, ...]]


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
    table: Table
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
    second: Any = None
    if isinstance(result, (str, os.PathLike)):
        inner = Path(result) / OWN_REPLICATION
        result = load_result(result, data=data)
        if isinstance(result, TestRecord) and (inner / "results.json").is_file():
            second = load_result(inner, data=result.source.path)
    record = record_of(result, X, y, pos_label=pos_label, data=data)
    if isinstance(record, EvaluationRecord):
        raise InputError("A text for a paper is about subgraphs or a test, but this is an evaluation.")
    if isinstance(record, ReplicationRecord) and record.result.holdout is not None and record.source.whole:
        # One cohort in two parts: the text is about both.
        rows = np.flatnonzero(~record.result.holdout)
        settings = {} if record.phenotype is None else {"phenotype": record.phenotype}
        first = record_of(record.result.discovery, record.source.whole[rows], settings=settings)
        return markdown_text(write_sections(first, markdown, record))
    return markdown_text(write_sections(record, markdown, second))


def paper_files(record: Written, second: ReplicationRecord | None = None) -> dict[str, bytes]:
    """The files of a result's folder; `second` is the replication of a test in its holdout."""
    text = markdown_text(write_sections(record, markdown, second))
    return {name: part.encode() for name, part in zip(PAPER_FILES, text, strict=True)}


def markdown_text(sections: Sections) -> PaperText:
    """Join paragraphs, table and references."""
    listed = "\n".join(f"- {one.text}" for one in sections.references)
    methods = "\n\n".join(["# Methods", *sections.methods, "## References", listed])
    results = ["# Results", *sections.results]
    if sections.table:
        heads, *rows = (f"| {' | '.join(cells)} |" for cells in sections.table)
        rule = "|" + "---|" * len(sections.table[0])
        results += [f"{sections.caption}:", "\n".join([heads, rule, *rows])]
    bibtex = "\n\n".join(one.bibtex for one in sections.references)
    return PaperText(f"{methods}\n", "\n\n".join(results) + "\n", f"{bibtex}\n")


def write_sections(
    record: Written, escape: Callable[[str], str] = str, second: ReplicationRecord | None = None
) -> Sections:
    """Write the paragraphs; `escape` escapes a name for the output format.

    A `second` record is that of the replication of a test.
    """
    text, graphs, labels = Text(escape), record.cohort.graphs, _labels(record)
    asked = record.asked
    column = record.phenotype or record.source.phenotype
    unnamed = "the phenotype" if isinstance(record, TestRecord) else "phenotype"
    said: dict[str, Any] = {
        "text": text,
        "cite": text.cite,
        "record": record,
        "graphs": graphs,
        "asked": dict.fromkeys(("covariates", "max_correlation", "multi_class", "n_nonzero")) | asked,
        "name": text.name(column or "the phenotype"),
        "sample_name": text.name(column or unnamed),
        "covariates": text.columns(asked.get("covariates"), "covariates"),
        "origin": _origin(graphs.provenance),
        "seed": None,
    }
    if isinstance(record, SubgraphRecord):
        template = "model.md" if record.is_fit else "search.md"
        added, table = _subgraphs(text, record, labels)
        order = "by the size of their coefficients" if record.is_fit else "in the order of the ranking"
        caption, n_rows = f"Subgraphs {order}", len(record.subgraphs)
    else:
        said["seed"] = None if record.result.exact else asked["random_state"]
        template, added, table, caption, n_rows = "paper.md", {}, Table(), "", 0
        if isinstance(record, TestRecord):
            template, (added, table) = "test.md", _test(text, record, labels)
            caption, n_rows = "Representatives of the families", len(record.result.families)
        else:
            second = record
    said |= {"labels": labels, "second": second and second.result, **added}
    rendered = str(_environment().get_template(template).render(said))
    methods, results = (_paragraphs(one) for one in rendered.split("# Results\n", 1))
    caption += f" (the first {_N_LISTED} of {n_rows})" if n_rows > _N_LISTED else ""
    return Sections(methods[1:], results, caption, table, [REFERENCES[key] for key in text.cited])


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters |= {"as": format, "p": p_text}
    environment.globals |= {"counted": counted, "large_number": large_number, "zip": zip, "np": np}
    return environment


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a rendered template, each on one line."""
    paragraphs = (one.strip() for one in re.split(r"\n\s*\n", text))
    return [re.sub(r"\s*\n(?! *[,;.])\s*", " ", one).replace("\n", "") for one in paragraphs if one]


def p_text(value: float) -> str:
    """A p-value."""
    if value > 0.9995:
        return "1"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"


# ---------------------------------------------------------------- names and citations


def markdown(name: str) -> str:
    """Escape a name for Markdown: no mark-up, links, citations or line breaks.

    Examples
    --------
    >>> print(markdown("Frontal_Sup_L*"))
    Frontal\\_Sup\\_L\\*
    """
    return _MARKS.sub(r"\\\1", escaped(name))


class Text:
    """A text being written: how names are escaped, and the references cited so far."""

    def __init__(self, escape: Callable[[str], str]) -> None:
        self.escape = escape
        self.cited: list[str] = []

    def name(self, name: object) -> str:
        """A name from a file."""
        return self.escape(abbreviate(name))

    def names(self, names: Iterable[object], most: int = 12) -> str:
        """``a, b and c``."""
        texts = [self.name(name) for name in names]
        if len(texts) > most:
            texts = [*texts[:most], f"{len(texts) - most} more"]
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)

    def subgraph(self, graphs: UncertainGraphs | SubgraphNaming, edges: Sequence[int]) -> str:
        """``A – B; B – C``, the earlier node of each edge first."""
        parts = []
        for edge in edges:
            v, u = graphs.edges[edge].tolist()
            layer = "" if graphs.edge_layers is None else f" ({self.name(graphs.edge_layers[edge])})"
            parts.append(f"{self.name(graphs.node_labels[u])} – {self.name(graphs.node_labels[v])}{layer}")
        return "; ".join(parts)

    def columns(self, names: Sequence[str] | None, argument: str) -> str:
        """Names of columns; arrays, which come with the name of the argument, are not named."""
        if not names or all(re.fullmatch(rf"{argument}(\[\d+\])?", name) for name in names):
            return "the covariates" if argument == "covariates" else ""
        return self.names(names)

    def bare(self, *keys: str) -> str:
        """``Kong et al., 2013``."""
        self.cited += [key for key in keys if key not in self.cited]
        return "; ".join(REFERENCES[key].short for key in keys)

    def cite(self, *keys: str) -> str:
        """``(Kong et al., 2013)``."""
        return f"({self.bare(*keys)})"


# ---------------------------------------------------------------- the sample


class Labels(NamedTuple):
    """The labels analysed: their kind, the names of classes (the positive one first) or groups, the graphs.

    `y` is None, and `members` is empty, if the cohort does not have these labels.
    """

    kind: str
    y: NDArray[Any] | None
    names: Sequence[str]
    members: list[NDArray[np.bool_]]


def _labels(record: Written) -> Labels:
    cohort, graphs = record.cohort, record.cohort.graphs
    if not isinstance(record, SubgraphRecord):
        kind, contrasts = record.result.parameters["labels"], list(dict.fromkeys(record.result.contrasts))
        if record.phenotype is not None and record.phenotype in (graphs.participants or {}):
            numbers = GROUPS if kind == GROUPS else PHENOTYPE
            column = phenotype_column(graphs, record.phenotype)
            cohort = LabelledGraphs.of_any(graphs, column, numbers=numbers)
        elif record.phenotype is not None or cohort.kind != kind:
            unknown = contrasts[0].split(" against ", 1) if kind == CLASSES and contrasts else []
            if kind == CLASSES and len(unknown) < 2:
                unknown = ["first", "second"]
            return Labels(kind, None, unknown, [])
    names = cohort.names if cohort.kind == CLASSES else cohort.group_names
    return Labels(cohort.kind, cohort.y, names, group_rows(cohort))


def _origin(provenance: Any) -> dict[str, Any]:
    """How `dugraph convert` derived the probabilities; empty if that is not recorded."""
    record = provenance if isinstance(provenance, dict) else {}
    rule, values = record.get("probability"), _VALUES.get(str(record.get("values")))
    if not isinstance(rule, str) or rule not in PROBABILITIES or values is None:
        return {}
    limits = [(name, record.get(name)) for name in ("threshold", "density")]
    limits = [(name, limit) for name, limit in limits if isinstance(limit, int | float)]
    return {"rule": rule, "meaning": PROBABILITIES[rule], "values": values, "limits": limits}


# ---------------------------------------------------------------- results


def _subgraphs(text: Text, record: SubgraphRecord, labels: Labels) -> tuple[dict[str, Any], Table]:
    """A search or a sparse model: what its template needs besides the record, and the table."""
    asked, graphs = record.parameters, record.cohort.graphs
    said: dict[str, Any] = {"measure": "", "best": None}
    if record.is_fit:
        loss = asked.get("loss") or (SQUARED if labels.kind == PHENOTYPE else LOSSES[0])
        said["loss"] = _LOSSES.get(loss, "a linear model")
    elif asked["measure"] != FREQUENCY:
        score = text.name(score_title(asked.get("score")))
        said["measure"] = MEASURES[asked["measure"]].said.format(**{**asked, "score": score})
    if not record.subgraphs:
        return said, []
    best = said["best"] = record.subgraphs[0]
    groups = [text.name(name) for name in labels.names]
    said["frequencies"] = f"an expected frequency of {best.frequency:.2f}"
    if groups:
        shown = [f"{x:.2f} in the {name} group" for name, x in zip(groups, best.by_group, strict=True)]
        said["frequencies"] = f"expected frequencies of {', '.join(shown[:-1])} and {shown[-1]}"
    heads = [f"frequency, {name}" for name in groups] or ["frequency"]
    rows = [
        (
            *(str(one.rank), text.subgraph(graphs, one.edges), f"{one.value:.4g}"),
            *(f"{x:.2f}" for x in (one.by_group if groups else [one.frequency])),
        )
        for one in record.subgraphs[:_N_LISTED]
    ]
    return said, [("rank", "edges", "coefficient" if record.is_fit else "value", *heads), *rows]


def _test(text: Text, record: TestRecord, labels: Labels) -> tuple[dict[str, Any], Table]:
    """A test: what its template needs besides the record, and the table of representatives."""
    result, asked, kind = record.result, record.result.parameters, labels.kind
    groups = [text.name(name) for name in labels.names]
    # Covariates that are constant within blocks are adjusted for by the blocks, as in the claim.
    guarantee = result.message.rpartition(GUARANTEE)[2].partition(". ")[0].removesuffix(".")
    power = result.message.partition(POWER)[2].partition(f" {GUARANTEE}")[0]
    blocks = text.columns(asked["blocks"], "blocks")
    blocked = asked["blocks"] is not None and asked["permute"] != "whole" and result.n_blocks > 1
    adjusted = [blocks or "blocks"] if blocked else []
    if asked["covariates"] is not None:
        adjusted.append(text.columns(asked["covariates"], "covariates"))
    partial = "partial " if adjusted else ""
    # Differences lie within [-1, 1]; the size of slopes depends on their unit.
    number = "+.3g" if kind == PHENOTYPE else "+.2f"
    shown = [
        _described(text, record, labels, one.irreducible[0], number) for one in result.families[:_N_LISTED]
    ]
    said = {
        "result": result,
        "groups": groups,
        "alternative": asked.get("alternative", "two-sided"),
        "guarantee": text.escape(f"{GUARANTEE}{guarantee}."),
        "power": text.escape(POWER + power) if power else "",
        "blocked": blocked,
        "blocks": blocks,
        "given": " as well as ".join(adjusted),
        "partial": partial,
        "signs": np.sign(result.effects[result.irreducible]),
        "smallest": float(np.nanmin(result.best_p_values, initial=1.0)),
        "number": number,
        "best": shown[0] if shown else None,
    }
    by_class = kind == CLASSES and bool(labels.members)
    heads = (
        *("family", "edges", *(["group"] if kind == GROUPS else [])),
        *([f"frequency, {one}" for one in groups] if by_class else ["frequency"]),
        *("slope" if kind == PHENOTYPE else "difference", "95 % CI given selection"),
        *(f"{partial}r", "adjusted p"),
    )
    rows = [
        (
            *(str(rank), one["edges"], *([one["group"]] if kind == GROUPS else [])),
            *(f"{x:.2f}" for x in (one["by_class"] if by_class else [one["frequency"]])),
            *(format(one["effect"], number), one["interval"] or "–", f"{one['r']:.2f}", p_text(one["p"])),
        )
        for rank, one in enumerate(shown, 1)
    ]
    return said, [heads, *rows] if rows else []


def _described(text: Text, record: TestRecord, labels: Labels, k: int, number: str) -> dict[str, Any]:
    """A significant subgraph: edges, frequencies, effect with its interval, correlation, statistic, p."""
    result = record.result
    low, high = result.effect_intervals[k].tolist()
    finite = math.isfinite(low) and math.isfinite(high)
    contained = containment_columns(record.cohort.graphs.raw_probability, [result.subgraphs[k]], np.float64)
    group = next(
        (one for one in labels.names if result.contrasts[k] == f"{abbreviate(one)} against the rest"), None
    )
    return {
        "edges": text.subgraph(record.cohort.graphs, result.subgraphs[k]),
        "frequency": record.subgraphs[k].frequency,
        "by_class": [float(np.mean(contained[rows, 0])) for rows in labels.members],
        "group": "one group" if group is None else f"the {text.name(group)} group",
        "effect": float(result.effects[k]),
        "interval": f"{low:{number}} to {high:{number}}" if finite else "",
        "r": float(result.partial_correlations[k]),
        "statistic": float(result.statistics[k]),
        "p": float(result.p_values[k]),
    }
