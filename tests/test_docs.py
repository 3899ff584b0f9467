"""The pages of the documentation: their code runs and prints what they show, their links lead somewhere."""

import doctest
import re
import runpy
import shlex
from pathlib import Path

import pytest

from dugraph import score_distribution
from dugraph.cli import main

pytestmark = pytest.mark.system

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PATHS = sorted((DOCS / "paths").glob("*.md"))
WALKS = [DOCS / "tutorial.md", *PATHS]  # written to be followed from the first line to the last


def code_of(page: Path) -> str:
    """The page's examples, one after the other, each in its lines, so that a failure names the line."""
    inside, lines = False, []
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```pycon"
            line = ""
        lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WALKS], ids=lambda page: page.stem)
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where pages write their files
    examples = doctest.DocTestParser().get_doctest(code_of(page), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(examples)
    assert runner.failures == 0


@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.stem)
def test_a_walk_can_be_followed_line_by_line(page: Path, tmp_path: Path, monkeypatch, capsys):
    """Its blocks are run in their order: Python by doctest, commands by the program, with what both print."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```(pycon|console)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for number, (language, text) in enumerate(blocks):
        if language == "pycon":
            example = doctest.DocTestParser().get_doctest(text, names, f"{page.stem}:{number}", str(page), 0)
            runner = doctest.DocTestRunner()
            runner.run(example, clear_globs=False)
            assert runner.failures == 0
            names = example.globs
            continue
        for command, shown in re.findall(r"^\$ dugraph (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            capsys.readouterr()
            assert main(shlex.split(command)) == 0, command
            printed = capsys.readouterr().out
            same = doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)
            assert same or not shown, f"{command} prints\n{printed}"


def test_each_path_has_code_and_is_linked_from_the_readme():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in PATHS] == ["from-nbs", "from-scikit-learn", "from-the-paper"]
    for path in PATHS:
        assert code_of(path).count(">>> ") >= 8
        assert f"(docs/paths/{path.name})" in readme


def test_the_worked_pages_have_code():
    for name in ("measures.md", "example_figure_2.md"):
        assert code_of(DOCS / name).count(">>> ") >= 5


@pytest.mark.parametrize("page", [*PAGES, *DOCS.parent.glob("*.md")], ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    made = {"gallery/index.rst"}  # by the site itself
    assert [link for link in links if link not in made and not (page.parent / link).exists()] == []


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
