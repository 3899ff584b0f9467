"""The one door to the compiled core: every other module imports it from here."""

try:
    import dugraph._core as core
except ImportError as error:
    raise ImportError(
        f"dugraph needs its compiled core, dugraph._core, which could not be loaded ({error}). "
        "Install a wheel of dugraph, or build it from its source folder with `pip install .`."
    ) from error

__all__ = ["core"]
