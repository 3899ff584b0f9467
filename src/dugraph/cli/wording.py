"""Text from files, made safe to show, and the names of methods."""

_SHORT = {
    "expectation": "exp",
    "median": "med",
    "quantile": "quantile",
    "mode": "mod",
    "phi_probability": "phi",
}


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


def method_name(measure: str, score: str) -> str:
    """Name a method as the paper's tables do: ``exp-hsic``, ``med-confidence``, ``exp-freq``."""
    return "exp-freq" if measure == "frequency" else f"{_SHORT[measure]}-{score}"
