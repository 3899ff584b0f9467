"""The flags of a command, made from its settings class, and its errors phrased in terms of flags."""

import argparse
import difflib
import itertools
import shlex
from collections.abc import Callable, Container, Sequence
from typing import Any, NoReturn

from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.text import escaped
from dugraph.settings import COMPUTING, INPUT, METHOD, OUTPUT, Option, Settings, option_text


def add_options(parser: argparse.ArgumentParser, settings: type[Settings]) -> None:
    """Declare the arguments and flags of a command, in sections."""
    options = settings.options().values()
    titles = {INPUT: "input", METHOD: settings.work, COMPUTING: "computation", OUTPUT: "output"}
    for group, title in titles.items():
        members = [one for one in options if one.group == group]
        if members:
            section = parser.add_argument_group(title)
            for one in members:
                _add(section, one)


def _add(section: Any, option: Option) -> None:
    text = {"metavar": option.metavar, "help": _help(option)}
    if option.is_positional:
        several: dict[str, Any] = {} if option.kind is str else {"nargs": "+"}
        if option.default is not ...:
            several = {"nargs": "?" if option.positional else "*", "default": option.default}
        section.add_argument(option.name, **text, **several)
        return
    flags = ["-o", option.flag] if option.name == "output" else [option.flag]
    given: dict[str, Any] = {"required": True} if option.default is ... else {"default": option.default}
    if option.is_switch:
        given |= {"action": argparse.BooleanOptionalAction, "help": text["help"]}
    else:
        given |= text | {"choices": option.choices}
        if option.parse is not None:
            given["type"] = _typed(option.parse)
        if option.name == "select":
            given["action"] = "append"
    section.add_argument(*flags, **given)


def _typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let argparse show the message of the parser."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            message = str(error)
            if parse in (int, float):
                rule = "must be a whole number in digits" if parse is int else "must be a number"
                message = f"{rule}, but is {text!r}"
            raise argparse.ArgumentTypeError(message) from error

    return read


def _help(option: Option) -> str:
    """The help text, with the default if the text does not explain it."""
    text = option.help
    if "default: " not in text and option.default is not None and option.default is not ...:
        default = option_text(option.default)
        shown = ("yes" if default else "no") if option.is_switch else default
        text = f"{text} (default: {shown:g})" if isinstance(shown, float) else f"{text} (default: {shown})"
    return text.replace("%", "%%")


def settings_from(options: argparse.Namespace, settings: type[Settings]) -> Settings:
    """The settings that were parsed."""
    values = {name: getattr(options, name) for name in settings.options()}
    if values.get("select") is not None:
        values["select"] = dict(values["select"])
    parsed = settings(**values)
    if settings.is_checked:
        parsed.check()
    return parsed


def with_config(arguments: Sequence[str], command: str, flags: Sequence[str]) -> list[str]:
    """Insert the flags of a configuration file after the command; flags given directly take precedence."""
    at = list(arguments).index(command) + 1
    return [*arguments[:at], *flags, *arguments[at:]]


def refuse_unknown(
    unknown: list[str], parser: argparse.ArgumentParser, settings: type[Settings] | None, arguments: list[str]
) -> NoReturn:
    """Exit with 2 for arguments that the parser does not know; the message suggests what was meant."""
    options = settings.options() if settings is not None else {}
    known = [one.flag for one in options.values()] or ["--version", "--cite", "--help"]
    flag = unknown[0].partition("=")[0]
    close = difflib.get_close_matches(flag, known, n=1, cutoff=0.7) if flag.startswith("-") else []
    several = {one.flag for one in options.values() if one.takes_several}
    hint = f" Did you mean {close[0]}?" if close else _missing_commas(unknown, several, arguments)
    parser.error(f"unrecognized arguments: {' '.join(unknown)}.{hint} Try `{parser.prog} --help`.")


def _missing_commas(unknown: list[str], several: Container[str], arguments: list[str]) -> str:
    """The list meant by `--covariates age sex`; empty if the flag before the words does not take a list."""
    before = reversed(range(arguments.index(unknown[0])))
    place = next((k for k in before if arguments[k].startswith("-")), None)
    if place is None:
        return ""
    name, _, first = arguments[place].partition("=")
    if name not in several:
        return ""
    rest = [*itertools.takewhile(lambda word: not word.startswith("-"), arguments[place + 1 :])]
    meant = [first] * bool(first) + rest
    # If the file is the last argument, the second value was parsed as the file, and the file is left over.
    if len(meant) > 1 + sum(word in unknown for word in rest):
        meant.pop()
    return f" Values of {name} are joined by commas, without spaces: {','.join(meant)}." if meant[1:] else ""


def in_flags(error: InputError, known: Container[str]) -> str:
    """Phrase an error with the parameters as flags that the command knows; others keep their names."""

    def say(part: Setting | Spoken) -> str:
        if isinstance(part, Spoken):
            return part.shell
        if part.parameter not in known:
            return str(part)
        return _flag(f"--{part.parameter.replace('_', '-')}", part.value)

    return error.sentence_with(say)


def _flag(flag: str, value: object) -> str:
    if value is ... or value is True:
        return flag
    if isinstance(value, dict):
        return " ".join(_flag(flag, f"{key}={one}") for key, one in value.items())
    text = str(value)
    return f"{flag} {shlex.quote(text) if text.isprintable() else escaped(text)}"
