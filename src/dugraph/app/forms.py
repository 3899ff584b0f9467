"""The questions, the form of each with its command line, and what could mislead an answer.

Forms are made from the settings of a command: an option that is added to `dugraph.settings` appears without a
change here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dugraph import settings
from dugraph.settings import Option, Settings, flag_word, option_text
from dugraph.words import ATLASES, MOTION_COLUMNS, NONE, SITE_COLUMNS

if TYPE_CHECKING:
    from dugraph.app.views import CohortView

_LONGEST, _MOST_NAMES = 40, 6
FEW = 30  # participants of the smaller group
NOT_IN_FORMS = {"config", "checkpoint", "shard", "dask", "progress", "report", "output", "max_memory"}
"""Options set by the app, and options that would give a form access beyond the folders of the study."""
_PATHS = ("FILE", "FOLDER", "PATH", "DATA", "DIR", "COHORT", "RESULT")
_SWITCHED = "_shown"  # the form's list of switches: an empty checkbox is not sent


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


@dataclass(frozen=True)
class Field:
    """One option in a form."""

    name: str
    label: str
    help: str
    kind: str  # switch, choice, several, number, text or path
    value: Any  # as entered; empty for the default
    choices: list[str]
    placeholder: str  # the default
    error: str


@dataclass(frozen=True)
class Form:
    """The content of a form: the options that differ from their defaults, parsed, and as flags.

    `errors` has the rule that an entry breaks, by the name of the option.
    """

    kind: Kind
    entered: Mapping[str, list[str]]
    flags: list[str]
    values: dict[str, Any]
    errors: dict[str, str]

    @property
    def missing(self) -> list[str]:
        """The required options that were not entered."""
        return [name for name in self.kind.needed if not self.entered.get(name, [""])[-1].strip()]

    def fields(self, choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The fields shown first, and the others.

        `choices` has names to choose from, by option or by metavar such as COLUMN.
        """
        fields = {one.name: self._field(one, choices) for one in in_form(self.kind.settings)}
        elsewhere = (*self.kind.first, *self.kind.left_out)
        return {
            "first": [fields[name] for name in self.kind.first if name in fields],
            "more": [one for name, one in fields.items() if name not in elsewhere],
        }

    def _field(self, one: Option, choices: Mapping[str, Sequence[str]]) -> Field:
        given = self.entered.get(one.name, [])
        some = list(choices.get(one.name, choices.get(one.metavar or "", ())) or one.choices or ())
        value: Any = given[-1] if given else ""
        kind = "path" if is_path(one) else "number" if one.parse in (int, float) else "text"
        if one.is_switch:
            kind, value = "switch", self.is_on(one)
        elif some and one.takes_several:
            kind, value = "several", given if len(given) != 1 else [word.strip() for word in value.split(",")]
        elif some:
            kind = "choice"
        default = "" if one.default in (None, ...) else str(option_text(one.default))
        # Other options are named as in the form instead of by their flags.
        text = re.sub(r"--([a-z][a-z-]+)", lambda flag: f"“{label_of(flag[1].replace('-', '_'))}”", one.help)
        error = self.errors.get(one.name, "")
        return Field(one.name, label_of(one.name), text, kind, value, some, default, error)

    def is_on(self, switch: Option) -> bool:
        """Whether a switch is on: as entered, or by default if the form did not show it."""
        given = any(self.entered.get(switch.name, []))
        return bool(given or (switch.name not in self.entered.get(_SWITCHED, []) and switch.default))

    def value(self, one: Option) -> Any:
        """The value of an option, parsed; None if it was not entered."""
        if one.is_switch:
            return self.is_on(one)
        given = [text.strip() for text in self.entered.get(one.name, []) if text.strip()]
        if not given:
            return None
        if one.name == "select":
            pairs = [pair.partition("=") for text in given for pair in text.split(",")]
            if not all(key.strip() and equals and value.strip() for key, equals, value in pairs):
                raise ValueError("must be KEY=VALUE, such as run=1")
            return {key.strip(): value.strip() for key, _, value in pairs}
        text = ",".join(given) if one.takes_several else given[-1]
        return one.parse(text) if one.parse is not None else text


def in_form(settings: type[Settings]) -> list[Option]:
    """The options of a command that appear in its form."""
    options = settings.options().values()
    hidden = NOT_IN_FORMS | {one.name for one in options if one.is_positional and one.name != "result"}
    return [one for one in options if one.name not in hidden]


def is_path(option: Option) -> bool:
    """Whether the value of an option names a file or folder."""
    return (option.metavar or "").split("|")[0].split(".")[0] in _PATHS or option.is_positional


def label_of(name: str) -> str:
    """The name of an option in a form: number of permutations for n_permutations."""
    words = name.replace("_", " ")
    return f"number of {words[2:]}" if name.startswith("n_") else words


def read_form(kind: Kind, entered: Mapping[str, list[str]], resolve: Callable[[str], str]) -> Form:
    """Parse a form; `resolve` returns a path as written in the command, or raises ValueError."""
    form = Form(kind, entered, [], {}, {})
    for one in in_form(kind.settings):
        if one.is_positional:
            continue
        try:
            value = form.value(one)
            if value is None or value == one.default:
                continue
            if is_path(one) and not _is_word(one, value):
                value = resolve(value)
            one.check(value)
        except ValueError as error:
            form.errors[one.name] = f"{error}"
            continue
        form.values[one.name] = value
        pairs = [f"{key}={part}" for key, part in value.items()] if one.name == "select" else [value]
        form.flags.extend(flag_word(one.name, pair) for pair in pairs)
    return form


def _is_word(option: Option, value: object) -> bool:
    """Whether an option accepts this word instead of a path: the name of an atlas, or none."""
    words = {"NAME": ATLASES, NONE: (NONE,)}.get((option.metavar or "").partition("|")[2], ())
    return str(value).lower() in map(str.lower, words)


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
                f"Site and group are associated ({shortened(site)}, Cramér's V {sites.strength:.2f}): a "
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
