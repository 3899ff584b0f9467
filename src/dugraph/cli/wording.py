"""Messages without Python's None, and the names of methods."""

_SHORT = {
    "expectation": "exp",
    "median": "med",
    "quantile": "quantile",
    "mode": "mod",
    "phi_probability": "phi",
}

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


def method_name(measure: str, score: str) -> str:
    """Name a method as the paper's tables do: ``exp-hsic``, ``med-confidence``, ``exp-freq``."""
    return "exp-freq" if measure == "frequency" else f"{_SHORT[measure]}-{score}"
