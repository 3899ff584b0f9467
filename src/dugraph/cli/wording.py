"""Errors in the words of the command line."""

import shlex
from collections.abc import Container

from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.plain_text import escaped


def in_flags(error: InputError, known: Container[str]) -> str:
    """Phrase an error with parameters as flags.

    Parameters
    ----------
    error : InputError
    known : container of str
        The flags of the command; parameters that it has no flag for keep their names.
    """

    def say(part: Setting | Spoken) -> str:
        if isinstance(part, Spoken):
            return part.shell
        flag = f"--{part.parameter.replace('_', '-')}"
        return _flag(flag, part.value) if flag in known else str(part)

    return error.told(say)


def _flag(flag: str, value: object) -> str:
    if value is ... or value is True:
        return flag
    if isinstance(value, dict):
        return " ".join(_flag(flag, f"{key}={one}") for key, one in value.items())
    text = str(value)
    return f"{flag} {shlex.quote(text) if text.isprintable() else escaped(text)}"
