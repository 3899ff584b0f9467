"""Text from files, made safe to show, and messages without Python's None."""

# How messages of the API speak of None, and the same of a flag. Whole phrases, so that no name is altered.
_OF_A_FLAG = {
    " or None for the paper's.": " or leave it out for the paper's.",
    " or None for the default.": " or leave it out for the default.",
    " Use None for the default.": " Leave it out for the default.",
    " seconds or None, but is ": " seconds, but is ",
    " to 1, or None, but is ": " to 1, but is ",
    ', "cv" or None, but is ': " or cv, but is ",
    ", a numpy Generator or None; got ": "; got ",
}


def of_a_flag(message: str) -> str:
    """Say in words of the command line what a message of the API says of None: there a flag is left out."""
    for api, flag in _OF_A_FLAG.items():
        message = message.replace(api, flag)
    return message


def escaped(text: object) -> str:
    """Give text in one line, characters that do not print as their codes.

    These are line breaks, terminal control, and the marks that turn the direction of writing.
    """
    plain = str(text)
    if plain.isprintable():
        return plain
    return "".join(
        character if character.isprintable() and character != "\\" else _code(character)
        for character in plain
    )


def _code(character: str) -> str:
    return character.encode("unicode_escape").decode()
