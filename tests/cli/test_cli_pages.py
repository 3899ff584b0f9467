"""`dugraph report` and `plot`, and --report of the other commands: a page or a figure of every folder."""

import json

import pytest

from dugraph.cli import main

EVALUATION = ["--methods", "exp-hsic", "--n-subgraphs", "2", "--n-splits", "2", "--report"]


def test_the_page_is_named(make_cohort, tmp_path, capsys):
    assert main(["mine", make_cohort(), "--n-subgraphs", "3", "-o", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "out")]) == 0
    page = tmp_path / "out" / "report.html"
    assert capsys.readouterr().out == f"{page}\n"
    other = tmp_path / "other.html"
    assert main(["report", str(tmp_path / "out"), "-o", str(other)]) == 0
    assert capsys.readouterr().out == f"{other}\n"
    assert other.read_bytes() == page.read_bytes()


def test_mining_and_evaluation_write_it_too(make_cohort, tmp_path, capsys):
    path, mined, evaluated = make_cohort(), tmp_path / "mined", tmp_path / "evaluated"
    assert main(["mine", path, "--n-subgraphs", "3", "--report", "-o", str(mined)]) == 0
    assert f"written: {mined / 'report.html'}" in capsys.readouterr().err
    assert "The search took" in (mined / "report.html").read_text()
    assert main(["evaluate", path, *EVALUATION, "--pos-label", "control", "-o", str(evaluated)]) == 0
    assert f"written: {evaluated / 'report.html'}" in capsys.readouterr().err
    page = (evaluated / "report.html").read_text()
    assert "What distinguishes <bdi>control</bdi> from <bdi>patient</bdi>" in page


def test_the_cohort_is_found_by_its_way_from_the_folder(make_cohort, tmp_path, monkeypatch):
    path = make_cohort()
    monkeypatch.chdir(tmp_path)
    assert main(["mine", "cohort.npz", "--n-subgraphs", "3", "-o", "deep/er/out"]) == 0
    assert (
        json.loads((tmp_path / "deep/er/out/results.json").read_text())["input"]["path"]
        == "../../../cohort.npz"
    )
    monkeypatch.chdir("/")
    assert main(["report", str(tmp_path / "deep" / "er" / "out")]) == 0
    assert main(["report", str(tmp_path / "deep" / "er" / "out"), "--data", path]) == 0


def test_the_help_explains_how_folders_are_combined(capsys):
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "same folder" not in shown
    assert "--test and --evaluation combine several of these" in shown


@pytest.fixture
def folders(make_cohort, tmp_path):
    """Folders of all commands, named as they are."""
    pytest.importorskip("matplotlib")
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
    from PIL import Image

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
