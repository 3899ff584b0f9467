"""Plots are drawn without a screen, in matplotlib's own style and font, and closed again."""

import matplotlib
import pytest

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def plain_style():
    """Matplotlib's defaults, whatever the machine's settings; no figure is left open."""
    import matplotlib.pyplot as plt

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.use("agg")
        yield
        plt.close("all")


@pytest.fixture
def ax():
    """The axes of a small figure, as the report has them."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(4, 3), layout="constrained")[1]
