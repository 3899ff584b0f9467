"""`dugraph plot`: the figure of every folder of results, and refusals that help."""

import pytest
from PIL import Image

from dugraph.cli import main

pytest.importorskip("matplotlib")


@pytest.fixture
def folders(make_cohort, tmp_path):
    """Folders of all commands, named as they are."""
    data = make_cohort()
    test = ["test", data, "--n-permutations", "99", "--max-edges", "2", "--alpha", "0.5"]
    runs = {
        "test": test,
        "mine": ["mine", data, "--n-subgraphs", "3", "--features", "none"],
        "sparse": ["sparse", data, "--alpha", "0.05", "--features", "none"],
        "replicate": ["replicate", str(tmp_path / "test"), data, "--n-permutations", "99"],
        "evaluate": ["evaluate", data, "--methods", "exp-hsic", "--n-subgraphs", "2,3", "--n-splits", "2"],
    }
    for name, arguments in runs.items():
        assert main([*arguments, "-o", str(tmp_path / name)]) == 0
    return tmp_path


def test_every_folder_becomes_a_figure(folders, capsys):
    for name in ("test", "mine", "sparse", "replicate", "evaluate"):
        capsys.readouterr()
        figure = folders / f"{name}.png"
        assert main(["plot", str(folders / name), "-o", str(figure), "--dpi", "50", "--width", "two"]) == 0
        assert capsys.readouterr().out == f"{figure}\n"
        with Image.open(figure) as image:
            assert image.width == pytest.approx(180 / 25.4 * 50, abs=1)
    for suffix, begin in (("pdf", b"%PDF"), ("svg", b"<?xml")):
        figure = folders / f"circle.{suffix}"
        options = ["--kind", "chord", "--no-labels", "--family", "1"]
        assert main(["plot", str(folders / "test"), *options, "-o", str(figure)]) == 0
        assert figure.read_bytes().startswith(begin)
