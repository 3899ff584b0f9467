"""Defaults from a TOML file; config.toml of a result is one.

A setting becomes the flag of its name in front of the flags given by hand: it passes the same checks, and a
flag given by hand wins. So the record of one run is the --config of another.
"""

import argparse
import tomllib
from collections.abc import Sequence
from typing import Any

from dugraph.exceptions import InputError
from dugraph.files.opening import open_file

# Not settings: which file to read from, and what argparse keeps for itself.
_MOST_BYTES = 2**20
_OTHERS = {"help", "config"}


def with_config(arguments: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Insert the settings of the file ``options.config`` after the command's name.

    Parameters
    ----------
    arguments : sequence of str
        The command line; its first word that is the name of the command is followed by the settings.
    options : Namespace
        The same, parsed.

    Returns
    -------
    list of str
    """
    flags = _flags(options.parser)
    at = list(arguments).index(options.command) + 1
    settings: list[str] = []
    for key, value in _read(options.config).items():
        if key not in flags:
            raise InputError(
                f"{options.config}: a setting must be a flag of `dugraph {options.command}` without dashes; "
                f"got {key!r}. Known are {', '.join(flags)}."
            )
        settings.append(_as_flag(options.config, key, value, flags[key]))
    return [*arguments[:at], *settings, *arguments[at:]]


def _read(path: str) -> dict[str, Any]:
    with open_file(path, _MOST_BYTES) as file:
        try:
            content = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f'{path}: the configuration must be a TOML file, e.g. `score = "hsic"`: {error}.'
            ) from error
    return {key.replace("-", "_"): value for key, value in content.items()}


def _flags(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    # The parser keeps no public list of its options.
    return {a.dest: a for a in parser._actions if a.option_strings and a.dest not in _OTHERS}


def _as_flag(path: str, key: str, value: object, action: argparse.Action) -> str:
    flag = f"--{key.replace('_', '-')}"
    if isinstance(action, argparse.BooleanOptionalAction):
        if not isinstance(value, bool):
            raise InputError(f"{path}: {key} must be true or false; got {value!r}.")
        return flag if value else f"--no-{flag[2:]}"
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{path}: {key} must be a number or a text; got {value!r}.")
    # One word, so that a negative number or a label such as "-1" is not taken for a flag.
    return f"{flag}={value}"
