"""The pages of the documentation: their code runs and prints what they show, their links lead somewhere."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

from dugraph import score_distribution

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))


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
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path):
    examples = doctest.DocTestParser().get_doctest(code_of(page), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(examples)
    assert runner.failures == 0


def test_the_worked_pages_have_code():
    for name in ("measures.md", "example_figure_2.md"):
        assert code_of(DOCS / name).count(">>> ") >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_the_index_lists_every_page():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.stem != "index" and f"({page.name})" not in index] == []


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
