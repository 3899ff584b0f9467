"""The pages of the documentation: their code runs and prints what they show, their links lead somewhere."""

import doctest
import re
import runpy
import shlex
from pathlib import Path

import pytest

from dugraph import score_distribution
from dugraph.cli import main

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PATHS = sorted((DOCS / "paths").glob("*.md"))


def code_of(page: Path) -> str:
    """The page's examples, one after the other, each in its lines, so that a failure names the line."""
    inside, lines = False, []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```pycon"
            line = ""
        lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where pages write their files
    examples = doctest.DocTestParser().get_doctest(code_of(page), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(examples)
    assert runner.failures == 0
    for line in re.findall(r"^\$ dugraph (.*)$", _shell_of(page), re.MULTILINE):
        assert main(shlex.split(line)) == 0, line


def _shell_of(page: Path) -> str:
    """The commands of a path, which begins where a newcomer stands; other pages have tests of their own."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return "".join(blocks) if page in PATHS else ""


def test_each_path_has_code_and_is_linked_from_the_readme():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in PATHS] == ["from-nbs", "from-scikit-learn", "from-the-paper"]
    for path in PATHS:
        assert code_of(path).count(">>> ") >= 8
        assert f"(docs/paths/{path.name})" in readme


def test_the_worked_pages_have_code():
    for name in ("measures.md", "example_figure_2.md"):
        assert code_of(DOCS / name).count(">>> ") >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_index_lists_every_page():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    names = [page.relative_to(DOCS).as_posix() for page in PAGES if page.stem != "index"]
    assert [name for name in names if f"({name})" not in index] == []


def test_files_named_in_the_notation_exist():
    named = re.findall(r"`(\w+/\w+\.py)`", (DOCS / "notation.md").read_text(encoding="utf-8"))
    source = DOCS.parent / "src" / "dugraph"
    assert len(named) > 10
    assert [name for name in named if not (source / name).exists()] == []


def test_the_figure_of_the_measures_can_be_drawn_again(tmp_path: Path):
    pytest.importorskip("matplotlib").use("Agg")
    script = runpy.run_path(str(DOCS / "figures" / "score_distribution.py"))
    cohort = [[p] for p in script["PATIENTS"] + script["CONTROLS"]]
    distribution = score_distribution(cohort, [1] * 8 + [0] * 8, (0,), "hsic")
    script["draw"](distribution).savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
