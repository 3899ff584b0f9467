"""Forms made from the settings of a command, and the command line made from a form.

An option that is added to `dugraph.settings` appears in the form without a change here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dugraph.settings import Option, Settings, flag_word, option_text
from dugraph.words import ATLASES, NONE

NOT_IN_FORMS = {"config", "checkpoint", "shard", "dask", "progress", "report", "output", "max_memory"}
"""Options set by the app, and options that would give a form access beyond the folders of the study."""
_PATHS = ("FILE", "FOLDER", "PATH", "DATA", "DIR", "COHORT", "RESULT")
_SWITCHED = "_shown"  # the form's list of switches: an empty checkbox is not sent

Values = Mapping[str, list[str]]


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

    settings: type[Settings]
    entered: Values
    flags: list[str]
    values: dict[str, Any]
    errors: dict[str, str]

    def fields(self, choices: Mapping[str, Sequence[str]]) -> dict[str, Field]:
        """The fields by name; `choices` has names to choose from, by option or by metavar such as COLUMN."""
        return {one.name: self._field(one, choices) for one in in_form(self.settings)}

    def _field(self, one: Option, choices: Mapping[str, Sequence[str]]) -> Field:
        given = self.entered.get(one.name, [])
        some = list(choices.get(one.name, choices.get(one.metavar or "", ())) or one.choices or ())
        value: Any = given[-1] if given else ""
        kind = "path" if is_path(one) else "number" if one.parse in (int, float) else "text"
        if one.is_switch:
            kind = "switch"
            value = bool(given) if given or one.name in self.entered.get(_SWITCHED, []) else bool(one.default)
        elif some and one.takes_several:
            kind, value = "several", given if len(given) != 1 else [word.strip() for word in value.split(",")]
        elif some:
            kind = "choice"
        default = "" if one.default in (None, ...) else str(option_text(one.default))
        # Other options are named as in the form instead of by their flags.
        text = re.sub(r"--([a-z][a-z-]+)", lambda flag: f"“{label_of(flag[1].replace('-', '_'))}”", one.help)
        error = self.errors.get(one.name, "")
        return Field(one.name, label_of(one.name), text, kind, value, some, default, error)


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


def read_form(settings: type[Settings], entered: Values, resolve: Callable[[str], str]) -> Form:
    """Parse a form; `resolve` returns a path as written in the command, or raises ValueError."""
    form = Form(settings, entered, [], {}, {})
    for one in in_form(settings):
        if one.is_positional:
            continue
        try:
            value = _value(one, entered)
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


def _value(option: Option, entered: Values) -> Any:
    given = [text.strip() for text in entered.get(option.name, []) if text.strip()]
    if option.is_switch:
        return bool(given) if given or option.name in entered.get(_SWITCHED, []) else None
    if not given:
        return None
    if option.name == "select":
        pairs = [pair.partition("=") for text in given for pair in text.split(",")]
        if not all(key.strip() and equals and value.strip() for key, equals, value in pairs):
            raise ValueError("must be KEY=VALUE, such as run=1")
        return {key.strip(): value.strip() for key, _, value in pairs}
    text = ",".join(given) if option.takes_several else given[-1]
    return option.parse(text) if option.parse is not None else text
