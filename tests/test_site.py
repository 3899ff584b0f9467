"""The site, without building it (`make docs`): its pages hang together, no public name is missing."""

import re
import runpy
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import dugraph

pytestmark = pytest.mark.system

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
MADE = {"gallery/index", "api"}  # not Markdown
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "dugraph").glob("*/__init__.py"))


def anchors_of(page: Path) -> set[str]:
    """The names by which headings are linked, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES.values(), *ROOT.glob("*.md")], ids=lambda page: page.stem)
def test_links_to_headings_lead_there(page: Path):
    links = re.findall(r"\]\(([\w./-]*\.md)?#([^)]+)\)", page.read_text(encoding="utf-8"))
    missing = [
        f"{target}#{anchor}"
        for target, anchor in links
        if anchor not in anchors_of((page.parent / target) if target else page)
    ]
    assert missing == []


def test_every_page_is_reached_once_from_the_contents():
    listed = Counter(
        entry.partition("<")[2].rstrip(">") or entry  # `Title <page>` or `page`
        for path in PAGES.values()
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        )
        for entry in block.splitlines()
        if entry and not entry.startswith(":")
    )
    assert set(listed) == set(PAGES) - {"index"} | MADE
    assert set(listed.values()) == {1}


def test_pages_of_a_section_are_linked_by_it():
    for section in ("guide", "internals"):
        text = PAGES[section].read_text(encoding="utf-8")
        inside = re.findall(r"^([\w/-]+)$", text, re.MULTILINE)
        assert len(inside) > 5
        assert [name for name in inside if f"({name}.md)" not in text] == []


def names_in_the_reference() -> list[str]:
    lines = (DOCS / "api.rst").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if re.fullmatch(r"   [\w.]+", line)]


def test_the_reference_has_every_public_name():
    at_top = set(dugraph.__all__) - {"__version__"}
    of_rooms = {
        f"{room}.{name}"
        for room in ROOMS
        for name in getattr(import_module(f"dugraph.{room}"), "__all__", ())
    }
    of_rooms |= {f"exceptions.{name}" for name in import_module("dugraph.exceptions").__all__}
    # The command line is documented by itself; what is public at the top is listed there.
    expected = at_top | {
        name for name in of_rooms if name.partition(".")[2] not in at_top and not name.startswith("cli.")
    }
    assert sorted(names_in_the_reference()) == sorted(expected)


def test_the_reference_has_no_other_names():
    for name in names_in_the_reference():
        thing: object = dugraph
        for part in name.split("."):
            thing = getattr(thing, part)


def test_the_configuration_loads_and_asks_for_what_is_declared(monkeypatch):
    monkeypatch.delenv("DUGRAPH_INTERSPHINX", raising=False)
    settings = runpy.run_path(str(DOCS / "conf.py"))
    assert settings["version"] == dugraph.__version__
    assert settings["intersphinx_mapping"] == {}  # nothing is fetched unless asked for
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[>=\[]", line)[0] for line in project["optional-dependencies"]["docs"]}
    packages = {name.partition(".")[0].replace("_", "-") for name in settings["extensions"]} | {
        settings["html_theme"].replace("_", "-")
    }
    ours = {path.stem for path in (DOCS / "_ext").glob("*.py")}
    assert packages - ours <= declared


def test_inventories_come_from_the_network_or_from_a_folder(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("DUGRAPH_INTERSPHINX", "1")
    fetched = runpy.run_path(str(DOCS / "conf.py"))["intersphinx_mapping"]
    assert fetched["numpy"] == ("https://numpy.org/doc/stable", None)
    (tmp_path / "numpy.inv").write_bytes(b"")
    monkeypatch.setenv("DUGRAPH_INTERSPHINX", str(tmp_path))
    local = runpy.run_path(str(DOCS / "conf.py"))["intersphinx_mapping"]
    assert local == {"numpy": ("https://numpy.org/doc/stable", str(tmp_path / "numpy.inv"))}


def test_no_page_has_the_name_of_a_page_that_sphinx_generates():
    assert [name for name in ("search", "genindex", "py-modindex") if name in PAGES] == []


def test_examples_have_a_title_and_a_sentence_for_the_gallery():
    for path in (ROOT / "examples").glob("plot_*.py"):
        head = path.read_text(encoding="utf-8").split('"""')[1].strip().splitlines()
        assert set(head[1]) == {"="}
        assert len(head[1]) >= len(head[0])
        assert head[3].strip()


def test_links_of_the_built_site_that_lead_nowhere_are_named(tmp_path: Path):
    broken_links = runpy.run_path(str(DOCS / "check_links.py"))["broken_links"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="sub/page.html#there">yes</a> <a href="https://x.org">away</a>'
    )
    (tmp_path / "sub" / "page.html").write_text(
        '<p id="there"></p> <img src="../no.png"> <a href="#gone">no</a>'
    )
    assert broken_links(tmp_path) == ["sub/page.html: #gone", "sub/page.html: ../no.png"]


def test_the_page_of_commands_has_the_help_of_each():
    from dugraph.cli.program import COMMANDS

    names = list(COMMANDS)
    text = PAGES["commands"].read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)\n\n```\{command-help\} (.*)\n```$", text, re.MULTILINE) == [
        (name, name) for name in names
    ]
    assert re.findall(r"^\| \[`(\w+)`\]\(#\1\)", text, re.MULTILINE) == names
