"""What was found, in a paragraph without technical terms that a reader can repeat."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.report.charts import element
from dugraph.report.findings import tests_the_same
from dugraph.report.sections import CohortPart, EvaluationPart
from dugraph.report.write import Parts
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.records import RankedSubgraph

_N_REGIONS = 5
"""Number of regions of a subgraph that are named."""


def what_we_found(parts: Parts, cohort: CohortPart, evaluation: EvaluationPart | None) -> list[Markup]:
    """The sentences: on the test of these labels if there is one, else on the search; then on forecasts.

    Parameters
    ----------
    parts : Parts
    cohort : CohortPart
    evaluation : EvaluationPart or None
    """
    found, test = parts.found, parts.test
    sentences: list[Markup] = []
    if test is not None and (found is None or tests_the_same(test, found)):
        sentences += _of_test(test, cohort)
    elif found is not None:
        sentences += _of_fit(found) if found.is_fit else _of_search(found)
    if evaluation is not None and evaluation.best is not None:
        sentences.append(_of_evaluation(evaluation))
    return sentences


def _of_test(record: TestRecord, cohort: CohortPart) -> list[Markup]:
    result, n_families = record.result, len(record.result.families)
    several, one, by = _difference(record)
    if not n_families:
        chance = (
            "No group of connections was shown to {}{}: what is seen in these {} graphs may be due to chance."
        )
        return [
            _markup(chance, several, by, cohort.n_graphs),
            Markup(
                "This does not show that there is no difference: a small one, or one in few participants, "
                'would not have been detected. The section <a href="#significance">Significance</a> says how '
                "large it had to be."
            ),
        ]
    number = "One group" if n_families == 1 else f"{n_families} separate groups"
    first = result.families[0].irreducible[0]
    best, effect = record.subgraphs[first], float(result.effects[first])
    chance = (
        f"{'about' if result.parameters['covariates'] else 'at most'} {100 * result.parameters['alpha']:g}%"
    )
    return [
        _markup(
            "{} of connections {}{} more than chance explains.",
            *(number, one if n_families == 1 else several, by),
        ),
        _markup("{} joins {}.", "It" if n_families == 1 else "The clearest", _regions(record, best)),
        *_how_frequent(record, best, effect),
        _markup("The probability that chance alone puts any group of connections on the list is {}.", chance),
    ]


def _difference(record: TestRecord) -> tuple[str, str, Markup]:
    """The verb for several groups of connections, the verb for one, and what it refers to."""
    kind = record.result.parameters["labels"]
    if kind == "phenotype":
        return "vary", "varies", _markup(" with {}", _bdi(record.phenotype or "the phenotype"))
    if record.phenotype is not None:
        return "differ", "differs", _markup(" with {}", _bdi(record.phenotype))
    names = record.cohort.names if kind == CLASSES else record.cohort.group_names
    return "differ", "differs", _markup(" between {} graphs", _joined([_class(name) for name in names]))


def _how_frequent(record: TestRecord, best: RankedSubgraph, effect: float) -> list[Markup]:
    result, cohort = record.result, record.cohort
    if result.parameters["labels"] == "phenotype":
        rises = "more" if effect >= 0 else "less"
        name = _bdi(record.phenotype or "the phenotype")
        words = "The larger {}, the {} often it is present; it is expected in {} of all graphs."
        return [_markup(words, name, rises, f"{best.frequency:.0%}")]
    if record.phenotype is not None or cohort.kind == PHENOTYPE:
        return [_markup("It is expected in {} of all graphs.", f"{best.frequency:.0%}")]
    sentences = [_expected(record, best)]
    names = [*(result.parameters["blocks"] or []), *(result.parameters["covariates"] or [])]
    if result.parameters["labels"] == CLASSES and names:
        positive, negative = best.by_group
        sentences.append(
            _markup(
                "With {} taken into account, it is {} percentage points {} frequent in {} graphs{}.",
                *(_bdi(listed(names, most=12)), f"{100 * abs(effect):.1f}"),
                *("more" if effect >= 0 else "less", _class(cohort.names[0])),
                ", the opposite of what these percentages suggest"
                if (positive - negative) * effect < 0
                else "",
            )
        )
    return sentences


def _expected(record: TestRecord | SubgraphRecord, best: RankedSubgraph) -> Markup:
    cohort = record.cohort
    if cohort.kind == PHENOTYPE:
        return _markup("It is expected in {} of all graphs.", f"{best.frequency:.0%}")
    names = cohort.names if cohort.kind == CLASSES else cohort.group_names
    shares = [
        _markup("{}{} of {} graphs", "in " * (i > 0), f"{share:.0%}", _class(name))
        for i, (share, name) in enumerate(zip(best.by_group, names, strict=True))
    ]
    return _markup("It is expected in {}.", _joined(shares))


def _of_search(record: SubgraphRecord) -> list[Markup]:
    if not len(record.subgraphs):
        return []
    best, kind = record.subgraphs[0], record.cohort.kind
    verb = "varies" if kind == PHENOTYPE else "differs"
    labels = record.source.phenotype or "the phenotype"
    what = {CLASSES: Markup(), GROUPS: Markup(), PHENOTYPE: _markup(" with {}", _bdi(labels))}[kind]
    sentences = [
        _markup("The group of connections that {} most{} joins {}.", verb, what, _regions(record, best)),
        _expected(record, best),
    ]
    if not record.proof["success"]:
        sentences.append(Markup("The search did not finish, so another one may differ more."))
    return [*sentences, Markup("Whether this is more than chance is not known: no test was made.")]


def _of_fit(record: SubgraphRecord) -> list[Markup]:
    if not len(record.subgraphs):
        return [Markup("The model chose no group of connections: none improves it at this penalty.")]
    best, n = record.subgraphs[0], len(record.subgraphs)
    if record.cohort.kind == PHENOTYPE:
        name = _bdi(record.source.phenotype or "the phenotype")
        towards = _markup(" which {} the forecast of {}", "raises" if best.value >= 0 else "lowers", name)
    elif record.cohort.kind == CLASSES:
        towards = _markup(" which indicates {}", _class(record.cohort.names[0 if best.value >= 0 else 1]))
    else:
        towards = Markup()
    return [
        _markup(
            "A model chose {} that together {} best.",
            counted(n, "group") + " of connections",
            "forecast the phenotype" if record.cohort.kind == PHENOTYPE else "distinguish the classes",
        ),
        _markup(
            "The one with the largest weight,{}{} joins {}.",
            towards,
            "," * bool(towards),
            _regions(record, best),
        ),
        _expected(record, best),
        Markup("How well the model predicts in other participants has to be shown by an evaluation."),
    ]


def _of_evaluation(part: EvaluationPart) -> Markup:
    best = part.best
    assert best is not None
    n = len(part.rows)
    one = f"the best of {n} methods" if n > 1 else "the method"
    if part.task == "phenotype":
        return _markup(
            "In graphs left out of training, the correlation between {} and its forecast by {} was {}.",
            *(_bdi(part.what), one, f"{best.mean('r'):.2f}"),
        )
    guess = "" if part.chance is None else f"; guessing would give {part.chance:.0%}"
    if part.task == "groups":
        return _markup(
            "In graphs left out of training, {} recognised {} of the graphs of a group on average{}.",
            *(one, f"{best.mean(part.first):.0%}", guess),
        )
    return _markup(
        "{} classified {} of the graphs left out of training wrongly{}.",
        *(one.capitalize(), f"{best.mean(part.first):.0%}", guess),
    )


def _regions(record: TestRecord | SubgraphRecord, subgraph: RankedSubgraph) -> Markup:
    graphs = record.cohort.graphs
    nodes = dict.fromkeys(int(node) for e in subgraph.edges for node in graphs.edges[e][::-1])
    names = [_bdi(graphs.node_labels[node], "region clamp") for node in nodes]
    if len(names) > _N_REGIONS:
        joined = _markup(
            "{} and {}",
            Markup(", ").join(names[:_N_REGIONS]),
            counted(len(names) - _N_REGIONS, "more region"),
        )
    else:
        joined = _joined(names)
    if graphs.edge_layers is None:
        return joined
    # A negative link is the opposite of what "joins" suggests.
    layers = [_bdi(layer) for layer in sorted({graphs.edge_layers[e] for e in subgraph.edges})]
    return _markup("{} ({} {})", joined, _joined(layers), "edge" if len(subgraph.edges) == 1 else "edges")


def _joined(words: Sequence[Markup]) -> Markup:
    if len(words) < 2:
        return Markup().join(words)
    return _markup("{} and {}", Markup(", ").join(words[:-1]), words[-1])


def _class(name: str) -> Markup:
    short = abbreviate(name)
    return _markup("{}{}", "" if short[:1].isalpha() else "class ", _bdi(short))


def _bdi(text: str, look: str | None = None) -> Markup:
    """A text from a file, isolated from the text direction of the sentence."""
    return element("bdi", text, class_=look)


def _markup(template: str, *values: object) -> Markup:
    return Markup(template).format(*values)
