"""Text from files, made safe to show in one line. Without NumPy, since `dugraph --help` needs it."""


def escaped(text: object) -> str:
    """Return text in one line, characters that do not print as their codes.

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
