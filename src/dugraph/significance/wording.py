"""Numbers as people read them."""


def large_number(number: int) -> str:
    """An exact count up to a million million, beyond that its power of ten: ``1,024``, ``about 10^57``."""
    return f"{number:,}" if number < 10**12 else f"about 10^{len(str(number)) - 1}"
