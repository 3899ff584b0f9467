"""Forms made from the settings of a command, and the command line made from a form.

An option that is added to `dugraph.settings` appears in the form without a change here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dugraph.settings import Option, Settings, flag_word, option_text

NOT_IN_FORMS = {"config", "checkpoint", "shard", "dask", "progress", "report", "output", "max_memory"}
"""Options set by the app, and options that would give a form access beyond the folders of the study."""
_PATHS = ("FILE", "FOLDER", "PATH", "DATA", "DIR", "COHORT", "RESULT")
_SWITCHED = "_shown"  # the form's list of switches: an empty checkbox is not sent

Values = Mapping[str, list[str]]


@dataclass(frozen=True)
class Field:
    """One option in a form.

    Attributes
    ----------
    name, label, help : str
    kind : {"switch", "choice", "several", "number", "text", "path"}
    value : str or list of str
        As entered; empty for the default.
    choices : list of str
    placeholder : str
        The default.
    error : str
    """

    name: str
    label: str
    help: str
    kind: str
    value: Any
    choices: list[str]
    placeholder: str
    error: str


@dataclass(frozen=True)
class Entered:
    """The content of a form.

    Attributes
    ----------
    flags : list of str
        One argument for each option that differs from its default.
    values : dict of str to object
        The values of these options, parsed.
    errors : dict of str to str
        The rule that an entry breaks.
    """

    flags: list[str]
    values: dict[str, Any]
    errors: dict[str, str]


def in_form(settings: type[Settings]) -> list[Option]:
    """The options of a command that appear in its form."""
    return [
        one
        for one in settings.options().values()
        if (not one.is_positional or one.name == "result") and one.name not in NOT_IN_FORMS
    ]


def is_path(option: Option) -> bool:
    """Whether the value of an option names a file or folder."""
    return (option.metavar or "").split("|")[0].split(".")[0] in _PATHS or option.is_positional


def label_of(name: str) -> str:
    """The name of an option in a form: number of permutations for n_permutations."""
    words = name.replace("_", " ")
    return f"number of {words[2:]}" if name.startswith("n_") else words


def _in_words(text: str) -> str:
    """The help of an option, with other options named as in the form instead of by their flags."""
    return re.sub(r"--([a-z][a-z-]+)", lambda flag: f"“{label_of(flag[1].replace('-', '_'))}”", text)


def fields(
    settings: type[Settings], entered: Values, errors: Mapping[str, str], choices: Mapping[str, Sequence[str]]
) -> dict[str, Field]:
    """The fields of a form by name.

    Parameters
    ----------
    settings : type
    entered : dict of str to list of str
        The form as submitted.
    errors : dict of str to str
    choices : dict of str to list of str
        Names to choose from, by the metavar of the option or by its name: the columns of the participants for
        COLUMN and COLUMNS.
    """
    made = {}
    for one in in_form(settings):
        given = entered.get(one.name, [])
        some = list(choices.get(one.name, choices.get(one.metavar or "", ())) or one.choices or ())
        kind = "text"
        if one.is_switch:
            kind = "switch"
        elif some and one.takes_several:
            kind = "several"
        elif some:
            kind = "choice"
        elif is_path(one):
            kind = "path"
        elif one.parse in (int, float):
            kind = "number"
        default = "" if one.default in (None, ...) else str(option_text(one.default))
        value: Any = given if kind == "several" else given[-1] if given else ""
        if kind == "several" and len(given) == 1:
            value = [word.strip() for word in given[0].split(",") if word.strip()]
        if kind == "switch":
            shown = _SWITCHED in entered and one.name in entered[_SWITCHED]
            value = bool(given) if shown or given else bool(one.default)
        made[one.name] = Field(
            one.name,
            label_of(one.name),
            _in_words(one.help),
            kind,
            value,
            some,
            default,
            errors.get(one.name, ""),
        )
    return made


def read_form(settings: type[Settings], entered: Values, resolve: Callable[[str], str]) -> Entered:
    """Parse a form.

    Parameters
    ----------
    settings : type
    entered : dict of str to list of str
    resolve : callable
        Returns a path as written in the command; raises ValueError if it is outside the study.
    """
    flags: list[str] = []
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for one in in_form(settings):
        if one.is_positional:
            continue
        try:
            value = _value(one, entered)
            if value is None or value == one.default:
                continue
            if is_path(one) and not _is_word(one, value):
                value = resolve(value)
            for each in (
                value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
            ):
                one.check(each)
        except ValueError as error:
            errors[one.name] = f"{error}"
            continue
        values[one.name] = value
        if one.name == "select":
            flags += [flag_word("select", f"{key}={each}") for key, each in value.items()]
        else:
            flags.append(flag_word(one.name, value))
    return Entered(flags, values, errors)


def _is_word(option: Option, value: object) -> bool:
    """Whether an option also accepts names, such as that of an atlas, and this is one."""
    from dugraph.words import ATLASES

    return "|NAME" in (option.metavar or "") and str(value).lower() in map(str.lower, ATLASES)


def _value(option: Option, entered: Values) -> Any:
    given = [text.strip() for text in entered.get(option.name, []) if text.strip()]
    if option.is_switch:
        return bool(given) if option.name in entered.get(_SWITCHED, []) or given else None
    if not given:
        return None
    if option.name == "select":
        pairs = [pair.partition("=") for text in given for pair in text.split(",")]
        if not all(key.strip() and equals and value.strip() for key, equals, value in pairs):
            raise ValueError("must be KEY=VALUE, such as run=1")
        return {key.strip(): value.strip() for key, _, value in pairs}
    text = ",".join(given) if option.takes_several else given[-1]
    return option.parse(text) if option.parse is not None else text
