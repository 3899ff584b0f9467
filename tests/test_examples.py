"""Every example runs from its first line to its last."""

from pathlib import Path

import matplotlib
import pytest

pytestmark = pytest.mark.system

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

    names = {"__name__": "__main__", "__file__": str(path)}
    try:
        for block in blocks(path.read_text(encoding="utf-8")):
            exec(compile(block, str(path), "exec"), names)
            # The gallery takes the figures of each block and closes them: what comes later is not seen.
            assert not [ax for n in plt.get_fignums() for ax in plt.figure(n).axes if is_empty(ax)]
            plt.close("all")
    finally:
        plt.close("all")
    assert capsys.readouterr().out


def blocks(text: str) -> list[str]:
    """The parts between ``# %%``, each below as many empty lines as stand before it in the file."""
    parts = text.split("# %%")
    return ["\n" * "# %%".join(parts[:i]).count("\n") + part for i, part in enumerate(parts)]


def is_empty(ax) -> bool:
    return ax.axison and not ax.has_data() and not ax.texts
