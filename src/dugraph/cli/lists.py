"""Several values in one flag, with commas between them: `--n-subgraphs 100,200`."""

import argparse


def words(text: str) -> list[str]:
    """Split at commas."""
    found = [word.strip() for word in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"must be names separated by commas, but is {text!r}")
    return found


def whole_numbers(text: str) -> list[int]:
    """Split at commas into whole numbers."""
    try:
        return [int(word) for word in words(text)]
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"must be whole numbers separated by commas, but is {text!r}"
        ) from error


def number_or_by_name(text: str) -> float | dict[str, float]:
    """Read one number, or several by name: `0.03` or `hsic=0.03,g_test=200`."""
    try:
        if "=" not in text:
            return float(text)
        return {name.strip(): float(value) for name, value in (word.split("=") for word in words(text))}
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"a number, or numbers by name such as hsic=0.03,g_test=200, are needed; got {text!r}"
        ) from error
