"""Words of the test: numbers as people read them, and y where there is no Python."""

import math

from dugraph.exceptions import Spoken

LABELS = Spoken("y", "the labels")
"""y, whose name the command line does not know."""


def large_number(number: int) -> str:
    """An exact count up to a million million, beyond that its power of ten: ``1,024``, ``about 10^57``."""
    # Not by its text: Python refuses to write numbers of thousands of digits, which relabelings reach.
    return f"{number:,}" if number < 10**12 else f"about 10^{math.floor(math.log10(number))}"
