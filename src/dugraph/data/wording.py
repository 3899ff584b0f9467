"""Short, printable forms of names and values for messages and displays."""

from collections.abc import Collection, Iterable, Sequence

LONGEST = 40
"""Characters of a name that a message shows; region names of common atlases fit."""


def is_one_of(value: object, words: Collection[str]) -> bool:
    """Whether a value is a text among these; of an array the answer would be an array."""
    return isinstance(value, str) and value in words


def shown(name: object) -> str:
    """Return a name in one line: shortened in the middle, control characters escaped."""
    text = str(name)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 13]}...{text[-10:]}"
    return text if text and text.isprintable() else repr(text)


def shown_pair(node_labels: Sequence[str], u: int, v: int) -> str:
    """Name the edge between nodes `u` and `v`, e.g. ``Amygdala--Thalamus``."""
    return f"{shown(node_labels[u])}--{shown(node_labels[v])}"


def listed(names: Iterable[object], most: int = 4) -> str:
    """List names, the middle ones left out when there are more than `most`."""
    texts = [shown(name) for name in names]
    if len(texts) > most:
        texts = [*texts[: most - 1], "...", texts[-1]]
    return ", ".join(texts)


def counted(number: int, noun: str) -> str:
    """Join a number and its noun: ``1 graph``, ``3 graphs``, ``40,000 graphs``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
