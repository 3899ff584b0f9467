"""Every picture, its text left out, looks as its baseline does.

Text is left out because its pixels depend on the version of FreeType; other tests read it. After a change of
looks that is wanted, and has been looked at:
``DUGRAPH_NEW_BASELINES=1 .venv/bin/python -m pytest tests/plot/test_plot_images.py``.
"""

import os
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.legend import Legend
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text
from packaging.version import parse as parse_version
from pictures import PICTURES

BASELINE = Path(__file__).parent / "baseline"
# Root of the mean squared difference of grey values from 0 to 255. Other hinting of text, which moves nothing
# but text, gives 0; one short edge that is missing gives 1.3.
TOLERANCE = 1.2
OTHERWISE_IN_3_8 = ("difference", "difference_layers", "redundancy")


def save_without_text(name: str, path: Path, change=lambda ax: None) -> None:
    # No layout engine: it would make room for text.
    figure, ax = plt.subplots(figsize=(4, 3))
    PICTURES[name](ax)
    change(ax)
    for artist in figure.findobj(lambda artist: isinstance(artist, Text | Legend)):
        artist.set_visible(False)
    figure.savefig(path, dpi=50, metadata={"Software": None})
    plt.close(figure)


def difference(name: str, folder: Path) -> str | None:
    # A copy: what differs is written beside it.
    (folder / "baseline.png").write_bytes((BASELINE / f"{name}.png").read_bytes())
    return compare_images(str(folder / "baseline.png"), str(folder / f"{name}.png"), TOLERANCE)


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_that_of_the_baseline(name, tmp_path):
    if name in OTHERWISE_IN_3_8 and parse_version(mpl.__version__) < parse_version("3.11"):
        pytest.skip("drawn with matplotlib 3.11; 3.8 draws it otherwise, versions between were not tried")
    if os.environ.get("DUGRAPH_NEW_BASELINES"):
        save_without_text(name, BASELINE / f"{name}.png")
        pytest.skip(f"{name}.png was written")
    save_without_text(name, tmp_path / f"{name}.png")
    assert difference(name, tmp_path) is None


@pytest.mark.parametrize("name", ["subgraph_above", "containment", "metric", "sparse_path"])
def test_a_line_that_is_missing_is_seen(name, tmp_path):
    save_without_text(name, tmp_path / f"{name}.png", lambda ax: ax.lines[0].set_visible(False))
    assert difference(name, tmp_path) is not None


def test_every_baseline_has_a_picture():
    assert {path.stem for path in BASELINE.glob("*.png")} == set(PICTURES)
