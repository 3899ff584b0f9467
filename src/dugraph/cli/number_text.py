"""The values of a ranking in as many digits as tell them apart."""

from collections.abc import Sequence

_FEWEST, _MOST, _SAME = 4, 6, 9  # significant digits; values that agree in nine need not be told apart
_ROUNDING = 1e-12


class NumberText(str):
    """A number that is written out already: a table aligns it like one."""


def value_texts(values: Sequence[float]) -> list[NumberText]:
    """Write values with four significant digits, up to six if different ones would look alike.

    What is just below 1 is written as its distance from it, ``1 - 1.3e-05``: a probability that reads 1 is 1.

    Parameters
    ----------
    values : sequence of float

    Returns
    -------
    list of NumberText
    """
    n_different = len({f"{value:.{_SAME}g}" for value in values})
    digits = next((d for d in range(_FEWEST, _MOST) if len(set(_written(values, d))) >= n_different), _MOST)
    return [NumberText(text) for text in _written(values, digits)]


def _written(values: Sequence[float], digits: int) -> list[str]:
    return [_one(value, digits) for value in values]


def _one(value: float, digits: int) -> str:
    text = f"{value:#.{digits}g}"
    below = 1 - value
    return f"1 - {below:.{digits - 2}g}" if float(text) == 1 and below > _ROUNDING else text
