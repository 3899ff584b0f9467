"""What README.md shows is so: its examples run, its links lead somewhere (the demo: test_cli_demo.py)."""

import re
import shlex
from pathlib import Path

import pytest

from dugraph.cli import main

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def block(language, which=0):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[which]


def test_the_example_in_python(capsys):
    code = block("python")
    assert len([line for line in code.splitlines() if line]) <= 10
    exec(compile(code, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "OPTIMAL" in shown
    assert "expected in 70% of the patients, 26% of the controls" in shown


def test_the_example_of_a_pipeline(capsys):
    code = block("python", 1)
    assert len([line for line in code.splitlines() if line]) <= 10  # the formatter asks for empty ones
    exec(compile(code, "README.md", "exec"), {})
    accuracy, first = capsys.readouterr().out.strip().split(" ", 1)
    assert f"an accuracy of {float(accuracy):.3f} and `{first}`" in README


def test_installing_comes_before_the_first_command():
    assert README.index("pip install") < README.index("$ dugraph")


def test_it_is_read_in_two_screens():
    assert len(README.splitlines()) <= 100


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_example_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = block("console").splitlines()
    assert len(lines) <= 10
    for line in lines:
        prompt, program, *arguments = shlex.split(line)
        assert (prompt, program) == ("$", "dugraph")
        if "--help" in arguments:
            with pytest.raises(SystemExit, match="0"):
                main(arguments)
        else:
            assert main(arguments) == 0, line
    assert (tmp_path / "results" / "results.json").exists()


def test_the_picture_is_there_and_small():
    picture = ROOT / "docs" / "images" / "demo.png"
    assert f"]({picture.relative_to(ROOT)})" in README
    assert 10_000 < picture.stat().st_size < 300_000
