"""Every example runs from its first line to its last."""

import runpy
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("plot_*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
# A figure cannot be shown here; the others come from packages that examples use, not from ours.
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_example_runs(path: Path, capsys: pytest.CaptureFixture[str]):
    if "nilearn" in path.stem:
        pytest.importorskip("nilearn", reason="nilearn is not installed: pip install 'dugraph[report]'")
    import matplotlib.pyplot as plt

    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        plt.close("all")
    assert capsys.readouterr().out
